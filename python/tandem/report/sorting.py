# SPDX-License-Identifier: Apache-2.0
"""Sorting more rows than memory holds: sorted parts in files, which are merged."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO

Row = tuple[int, str, int]
KEPT_ROWS = 1 << 17
"""Rows that are in memory at most, some 20 MB; 10 million rows are 77 files."""


class Sorter:
    """Rows to be read in order once all are there. As a context manager it gives its files back."""

    def __init__(self) -> None:
        self.count = 0
        self._rows: list[Row] = []
        self._parts: list[IO[bytes]] = []
        self._files = ExitStack()

    def add(self, row: Row) -> None:
        """A row more."""
        self.count += 1
        self._rows.append(row)
        if len(self._rows) == KEPT_ROWS:
            self._put_away()

    def _put_away(self) -> None:
        part = self._files.enter_context(TemporaryFile())  # noqa: SIM115 (they are read again)
        self._rows.sort()
        part.writelines(json.dumps(row).encode() + b"\n" for row in self._rows)
        self._rows.clear()
        self._parts.append(part)

    def __iter__(self) -> Iterator[Row]:
        return heapq.merge(*map(_read, self._parts), sorted(self._rows))

    def __enter__(self) -> Sorter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()


def _read(part: IO[bytes]) -> Iterator[Row]:
    part.seek(0)
    for line in part:
        time, name, number = json.loads(line)
        yield time, name, number
