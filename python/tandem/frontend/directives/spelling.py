# SPDX-License-Identifier: Apache-2.0
"""What a spelling of directives is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tandem.diagnostics import Diagnostic, Place
from tandem.frontend.directives.directive import Directive
from tandem.frontend.directives.partition import Partition


@dataclass
class Read:
    """What a pragma says: at most one of a directive and a partition, and what is told."""

    directive: Directive | None = None
    partition: Partition | None = None
    notes: list[Diagnostic] = field(default_factory=list)


@dataclass(frozen=True)
class Spelling:
    """`name`: the word behind `#pragma`. `read`: what the words behind it say, by these, all as
    the user has it, and its place; it raises UserError for what is not known. `stands_before`:
    whether a directive stands before what it is about, and not in the body of that; `any_case`:
    whether the name may be written in upper or lower case."""

    name: str
    read: Callable[[str, str, Place], Read]
    stands_before: bool = False
    any_case: bool = True

    def is_called(self, word: str) -> bool:
        """Whether a word is the name."""
        return word == self.name or (self.any_case and word.upper() == self.name.upper())
