# SPDX-License-Identifier: Apache-2.0
"""Waves as readers of others read them: FST by GTKWave's own library, VCD by vcdvcd."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pylibfst
from vcdvcd import VCDVCD


@dataclass(frozen=True)
class Wave:
    """What each signal becomes when, by its name with its scopes; times in cycles. Numbers are
    bits as text, without zeros in front; what changes nothing is left out."""

    signals: dict[str, list[tuple[int, str]]]
    bits: dict[str, int]
    end: int

    def at(self, name: str, cycle: int) -> str:
        """What a signal is in a cycle."""
        changes = self.signals[name]
        place = bisect_right(changes, cycle, key=lambda change: change[0])
        return changes[place - 1][1] if place else "x"

    def number(self, name: str, cycle: int) -> int:
        return int(self.at(name, cycle), 2)

    def rises(self, name: str) -> list[int]:
        return [cycle for cycle, value in self.signals[name] if value == "1"]

    def high(self, name: str) -> list[tuple[int, int]]:
        """The cycles in which a signal is high: the first, and the first one behind."""
        changes = [change for change in self.signals[name] if change[1] != "x"]
        ends = [cycle for cycle, _ in changes[1:]] + [self.end]
        pairs = zip(changes, ends, strict=True)
        return [(cycle, end) for (cycle, value), end in pairs if value == "1"]


def read_fst(path: Path, clock_ps: int) -> Wave:
    lib, ffi = pylibfst.lib, pylibfst.ffi
    file = lib.fstReaderOpen(str(path).encode())
    assert file != ffi.NULL, f"{path} is no FST"
    try:
        assert lib.fstReaderGetTimescale(file) == -12
        _, signals = pylibfst.get_scopes_signals2(file)
        found: dict[int, list[tuple[int, str]]] = {s.handle: [] for s in signals.by_handle.values()}

        def number(_: Any, time: int, handle: int, value: Any) -> None:
            found[handle].append((time, ffi.string(value).decode()))

        def text(_: Any, time: int, handle: int, value: Any, size: int) -> None:
            found[handle].append((time, bytes(ffi.buffer(value, size)).decode()))

        lib.fstReaderSetFacProcessMaskAll(file)
        pylibfst.fstReaderIterBlocks2(file, number, text)
        end = lib.fstReaderGetEndTime(file)
    finally:
        lib.fstReaderClose(file)
    rows = {s.name: found[s.handle] for s in signals.by_name.values()}
    bits = {s.name: s.length for s in signals.by_name.values()}
    return _wave(rows, bits, end, clock_ps)


def read_vcd(path: Path, clock_ps: int) -> Wave:
    assert "$timescale 1 ps $end" in path.read_text()[:200]
    dump: Any = VCDVCD(str(path))
    texts = _texts(path)
    ids = dump.references_to_ids
    rows = {name: dump[name].tv or texts[ids[name]] for name in dump.signals}
    bits = {name: 0 if ids[name] in texts else int(dump[name].size) for name in dump.signals}
    return _wave(rows, bits, dump.endtime, clock_ps)


def _texts(path: Path) -> dict[str, list[tuple[int, str]]]:
    """GTKWave's `string`, which vcdvcd passes over, by the signal's short name."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    time = 0
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            time = int(line[1:])
        elif line.startswith("s"):
            text, code = line[1:].split()
            found[code].append((time, text))
    return found


def _wave(
    rows: dict[str, list[tuple[int, str]]], bits: dict[str, int], end: int, clock_ps: int
) -> Wave:
    signals = {name: list(_changes(changes, clock_ps)) for name, changes in rows.items()}
    assert end % clock_ps == 0
    return Wave(signals, bits, end // clock_ps)


def _changes(changes: list[tuple[int, str]], clock_ps: int) -> Iterable[tuple[int, str]]:
    before = "x"
    for time, raw in changes:
        value = raw
        if re.fullmatch("[01]+", raw):
            value = raw.lstrip("0") or "0"
        elif re.fullmatch("x+", raw):
            value = "x"
        if value != before:
            assert time % clock_ps == 0
            yield time // clock_ps, value
            before = value
