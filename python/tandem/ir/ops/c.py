# SPDX-License-Identifier: Apache-2.0
"""Patterns of any width in C (C23's _BitInt)."""

from __future__ import annotations


def c_type(width: int, is_signed: bool = False) -> str:
    """The C type of a pattern of `width` bits."""
    if is_signed:
        return f"signed _BitInt({max(width, 2)})"
    return f"unsigned _BitInt({width})"


def as_signed(use: str, width: int) -> str:
    """C of a pattern's number with a sign. One bit is -1 where it is set, which no conversion to a
    type of two bits makes of it."""
    kind = c_type(width, True)
    return f"({kind})-({kind}){use}" if width == 1 else f"({kind}){use}"


def literal(value: int, width: int) -> str:
    """A constant of any width: put together from 32-bit parts."""
    kind = c_type(width)
    if value < 1 << 63:
        return f"(({kind}){value:#x}ull)"
    parts = [
        f"(({kind}){value >> s & 0xFFFFFFFF:#x}u << {s})" for s in range(0, value.bit_length(), 32)
    ]
    return f"({' | '.join(parts)})"
