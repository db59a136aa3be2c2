# SPDX-License-Identifier: Apache-2.0
"""Where each bit of a value comes from.

A bit is 0, 1, or a pair (operation, index) naming a bit that some logic, memory or port makes.
Constants, extracts and concats make no bits, they only name them; so two values with the same
bits are the same wires, whatever chain of shifts and masks the C went through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count, repeat
from typing import Any

from tandem.ir.ops.op import Op
from tandem.ir.ops.values import WIRING, Concat, Constant, Extract

Bit = Any  # 0, 1, or (Op, int)
Bits = tuple[Bit, ...]


def bits_of(op: Op) -> Bits:
    """The source of each bit of `op`, lowest first."""
    bits = op.bits
    if bits is not None:
        return bits
    if isinstance(op, WIRING):
        _trace_all(op)
    else:
        op.bits = _own_bits(op)
    assert op.bits is not None
    return op.bits


def _trace_all(op: Op) -> None:
    """The bits of `op` and of all the wiring below it, lowest first: a chain may be longer than
    Python's stack."""
    work = [op]
    while work:
        last = work[-1]
        below = last.operands if isinstance(last, (Extract, Concat)) else ()
        missing = [o for o in below if o.bits is None]
        work += missing
        if not missing:
            work.pop().bits = _trace(last)


def _trace(op: Op) -> Bits:
    if isinstance(op, Constant):
        return constant_bits(op.value, op.width)
    if isinstance(op, Extract):
        low = op.low
        return bits_of(op.operands[0])[low : low + op.width]
    if isinstance(op, Concat):
        found: list[Bit] = []
        for part in reversed(op.operands):
            found += bits_of(part)
        return tuple(found)
    return _own_bits(op)


def _own_bits(op: Op) -> Bits:
    return tuple(zip(repeat(op, op.width), count(), strict=False))


def named_by(op: Op) -> Iterable[Op]:
    """The operations whose bits are among those of `op`, each once."""
    if not isinstance(op, WIRING):
        return (op,)
    return {bit[0]: None for bit in bits_of(op) if type(bit) is not int}


def makers_of(values: Iterable[Op]) -> list[Op]:
    """The operations whose bits several values are made of, each once."""
    found: dict[Op, None] = {}
    for value in values:
        found.update(dict.fromkeys(named_by(value)))
    return list(found)


def sources_of(op: Op) -> set[Op] | None:
    """The operations whose bits `op` is made of; None if some of its bits are known."""
    if not isinstance(op, WIRING):
        return {op}
    bits = bits_of(op)
    return None if any(type(bit) is int for bit in bits) else {bit[0] for bit in bits}


@lru_cache(4096)
def constant_bits(value: int, width: int) -> Bits:
    """A number as bits, lowest first. It is asked for the same few ones again and again."""
    return tuple([value >> i & 1 for i in range(width)])


def zeros(count: int) -> Bits:
    """`count` zero bits."""
    return (0,) * count


def is_zero(bit: Bit) -> bool:
    """Whether the bit is known to be 0."""
    return type(bit) is int and bit == 0


def is_constant(bits: Iterable[Bit]) -> bool:
    """Whether every bit is known."""
    for bit in bits:  # noqa: SIM110 - a third of the time of all()
        if type(bit) is not int:
            return False
    return True


def number(bits: Bits) -> int:
    """The value of known bits."""
    value = 0
    for bit in reversed(bits):
        value = value << 1 | bit
    return value


def known_number(op: Op) -> int | None:
    """The number that a value is; None where it is not known."""
    bits = bits_of(op)
    return number(bits) if is_constant(bits) else None


def leading_zeros(bits: Bits) -> int:
    """How many of the highest bits are known to be 0."""
    count = 0
    for bit in reversed(bits):
        if type(bit) is not int or bit:
            break
        count += 1
    return count


def signed_width(bits: Bits) -> int:
    """Bits below the copies of the sign that only fill the width."""
    count = len(bits)
    while count > 1 and bits[count - 1] == bits[count - 2]:
        count -= 1
    return count


def is_sign_extended(bits: Bits) -> bool:
    """Whether the highest bits are copies of a sign that is not known to be 0."""
    return not is_zero(bits[-1]) and signed_width(bits) < len(bits)


def multiplier_bits(bits: Bits) -> int:
    """How wide a factor is: without leading zeros, and without copies of its sign."""
    if is_sign_extended(bits):
        return signed_width(bits)
    return max(1, len(bits) - leading_zeros(bits))


def trailing_zeros(bits: Bits) -> int:
    """How many of the lowest bits are known to be 0."""
    return trailing(bits, 0)


def trailing(bits: Bits, value: int) -> int:
    """How many of the lowest bits are known to be `value`, 0 or 1."""
    for i, bit in enumerate(bits):
        if bit != value:
            return i
    return len(bits)


def extended_from(bits: Bits) -> Op | None:
    """The value of which this is all bits, and above them zeros or its sign."""
    if type(bits[0]) is int:
        return None
    source = bits[0][0]
    own = tuple((source, i) for i in range(source.width))
    above = bits[source.width :]
    is_it = bits[: source.width] == own and all(bit in (0, own[-1]) for bit in above)
    return source if is_it else None


def segments(bits: Bits) -> Iterator[tuple[Op | None, int, int]]:
    """Runs of neighbouring bits, lowest first: (source, low, width), or (None, value, width) for
    known bits."""
    start, end = 0, len(bits)
    while start < end:
        first = bits[start]
        if type(first) is int:
            stop = start + 1
            while stop < end and type(bits[stop]) is int:
                stop += 1
            yield None, number(bits[start:stop]), stop - start
        else:
            source, low = first
            stop = start + _run(bits, start, source, low)
            yield source, low, stop - start
        start = stop


def _run(bits: Bits, start: int, source: Op, low: int) -> int:
    """How many bits from `start` on are those of `source` from `low` on: one at least. Mostly it is
    one, or all that there are."""
    most = min(len(bits) - start, source.width - low)
    if most == 1:
        return 1
    own = bits_of(source)
    if bits[start + 1] != own[low + 1]:
        return 1
    found, wanted = bits[start : start + most], own[low : low + most]
    if found == wanted:
        return most
    return next(i for i, (a, b) in enumerate(zip(found, wanted, strict=True)) if a != b)
