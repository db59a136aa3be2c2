# SPDX-License-Identifier: Apache-2.0
"""How an array is to be split, as other compilers' words have it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tandem.frontend.directives.directive import Directive, is_good_number
from tandem.frontend.partitions import MOST_BANKS

_CYCLIC = "element i of an array is in bank i modulo N"


class PartitionKind(StrEnum):
    """Which elements of an array are in a bank, as the directive has it."""

    COMPLETE = "complete"
    CYCLIC = "cyclic"
    BLOCK = "block"


@dataclass(frozen=True)
class Partition:
    """What `array_partition` asks for: the number of parts, and of which
    dimension, 0 for all."""

    kind: PartitionKind
    factor: int
    dimension: int
    directive: Directive

    def banks(self, sizes: tuple[int | None, ...]) -> tuple[int | None, str]:
        """N of `partition(a, N)` for an array of these sizes (None: not known), 0 for a bank an
        element, or None where that cannot say it; and what is told of it."""
        of_all = self.dimension == 0 or len(sizes) == 1
        if self.kind is PartitionKind.BLOCK:
            return None, f"{_CYCLIC}; try `cyclic`"
        if self.kind is PartitionKind.COMPLETE and of_all:
            return 0, ""
        if not of_all and self.dimension != len(sizes):
            return None, f"{_CYCLIC}, as they lie in memory: only the last dimension can be split"
        return self._cyclic(sizes)

    def _cyclic(self, sizes: tuple[int | None, ...]) -> tuple[int | None, str]:
        """Elements that are next to each other in banks that are."""
        count = sizes[-1] if self.kind is PartitionKind.COMPLETE else self.factor
        if count is None or not is_good_number("partition", count):
            return None, f"the number of banks is a power of two from 2 to {MOST_BANKS}"
        has_whole_rows = sizes[-1] is not None and sizes[-1] % count == 0
        if len(sizes) == 1 or (has_whole_rows and self.dimension):
            return count, ""
        return count, f"{_CYCLIC}, as they lie in memory, wherever a row begins"
