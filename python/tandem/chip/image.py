# SPDX-License-Identifier: Apache-2.0
"""What a program's ELF puts into each of a chip's memories."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_HEADER = struct.Struct("<4x12xHHIIIIIHHHHHH")
_SEGMENT = struct.Struct("<8I")
LOADED = 1
"""PT_LOAD."""


def memory_contents(program: Path, rams: list[dict[str, Any]]) -> list[bytes]:
    """What each memory begins with; behind that are zeros. `program` is one that was linked for
    these memories."""
    data = program.read_bytes()
    contents = [bytearray() for _ in rams]
    for address, content in _segments(data):
        for ram, whole in zip(rams, contents, strict=True):
            first = address - ram["base"]
            if 0 <= first < ram["bytes"]:
                whole.extend(bytes(max(0, first + len(content) - len(whole))))
                whole[first : first + len(content)] = content
    return [bytes(whole) for whole in contents]


def _segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    header = _HEADER.unpack_from(data)
    first, size, count = header[4], header[8], header[9]
    for number in range(count):
        kind, offset, _, address, bytes_, *_ = _SEGMENT.unpack_from(data, first + number * size)
        if kind == LOADED:
            yield address, data[offset : offset + bytes_]
