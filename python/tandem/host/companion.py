# SPDX-License-Identifier: Apache-2.0
"""What goes with an object inside of its file, wherever that is moved or put: into archives, to
other names. In ELF it is a section that linkers leave out; in LLVM's bitcode, which objects for
link-time optimisation are, what comes behind the bitcode in its wrapper."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

SECTION = b".tandem"
_ELF64_LITTLE = b"\x7fELF\x02\x01"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_PROGBITS, _EXCLUDE = 1, 0x8000_0000
_MOST_SECTIONS = 0xFEFF

_BITCODE, _WRAPPED = b"BC\xc0\xde", b"\xde\xc0\x17\x0b"
_WRAPPER = struct.Struct("<4s4I")
_X86_64 = 0x0100_0007

_MARK = struct.Struct("<8sQ")
_NAME = b"tandemIR"


def with_companion(data: bytes, companion: bytes) -> bytes | None:
    """An object's file with a companion; None for what is neither ELF nor bitcode."""
    packed = _packed(companion)
    if data.startswith(_ELF64_LITTLE) and _HEADER.unpack_from(data)[12] < _MOST_SECTIONS:
        return _with_section(data, packed)
    if data.startswith(_BITCODE):
        return _WRAPPER.pack(_WRAPPED, 0, _WRAPPER.size, len(data), _X86_64) + data + packed
    return None


def companion_of(data: bytes) -> bytes | None:
    """The companion in an object's file; None if it has none, or those of several objects, of
    which a linker made one."""
    try:
        if data.startswith(_ELF64_LITTLE):
            return next((_unpacked(found) for found in _sections(data)), None)
        if data.startswith(_WRAPPED):
            _, _, start, size, _ = _WRAPPER.unpack_from(data)
            return _unpacked(data[start + size :])
    except (struct.error, zlib.error):
        pass
    return None


def _packed(companion: bytes) -> bytes:
    """Bitcode is read in words."""
    content = zlib.compress(companion)
    return _MARK.pack(_NAME, len(content)) + content + bytes(-len(content) % 4)


def _unpacked(data: bytes) -> bytes | None:
    name, size = _MARK.unpack_from(data)
    if name != _NAME or len(data) - _MARK.size - size not in range(4):
        return None
    return zlib.decompress(data[_MARK.size : _MARK.size + size])


def _with_section(data: bytes, content: bytes) -> bytes:
    """The new section, its name and a new table of sections come behind all that is there."""
    header = list(_HEADER.unpack_from(data))
    table, count, names = header[6], header[12], header[13]
    rows = [list(_SECTION.unpack_from(data, table + i * _SECTION.size)) for i in range(count)]
    old_names = data[rows[names][4] : rows[names][4] + rows[names][5]]
    new_names = old_names + SECTION + b"\0"
    start = len(data)
    rows[names][4:6] = [start + len(content), len(new_names)]
    rows.append([len(old_names), _PROGBITS, _EXCLUDE, 0, start, len(content), 0, 0, 1, 0])
    parts = data + content + new_names
    parts += bytes(-len(parts) % 8)
    header[6], header[12] = len(parts), count + 1
    return _HEADER.pack(*header) + parts[_HEADER.size :] + b"".join(_SECTION.pack(*r) for r in rows)


def _sections(data: bytes) -> Iterator[bytes]:
    """What is in the sections of our name."""
    header = _HEADER.unpack_from(data)
    table, count, names = header[6], header[12], header[13]
    rows = [_SECTION.unpack_from(data, table + i * _SECTION.size) for i in range(count)]
    for name, _, _, _, start, size, *_ in rows:
        place = rows[names][4] + name
        if data[place : place + len(SECTION) + 1] == SECTION + b"\0":
            yield data[start : start + size]
