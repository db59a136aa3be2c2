# SPDX-License-Identifier: Apache-2.0
"""How many bits of an operation synthesis makes logic for: what is known costs nothing."""

from __future__ import annotations

from itertools import takewhile

from tandem.ir.ops import Add, Compare, Logic, Op, Select, SLt, Sum, ULt
from tandem.ir.wiring import Bits, bits_of, is_constant, trailing, trailing_zeros


def live_inputs(op: Op) -> int:
    """How many bits of its operands are not known."""
    return sum(_unknown(bits_of(o)) for o in op.operands)


def live_bits(op: Op) -> int:
    """The width of an operation of its kind, with no bit known, that is as large."""
    if isinstance(op, Sum):
        return _summed(op)
    if isinstance(op, Compare):
        return _compared(op)
    if isinstance(op, (Select, Logic)):
        return sum(_chooses(column) for column in columns_of(op))
    return op.operands[0].width if op.operands else op.width


def columns_of(op: Op) -> set[Bits]:
    """What each bit of logic, or of a choice, is made of; equal ones once."""
    values = op.operands[1:] if isinstance(op, Select) else op.operands
    return set(zip(*map(bits_of, values), strict=True))


def _summed(op: Op) -> int:
    """All but the lowest bits, to which nothing is added."""
    first, second = (trailing_zeros(bits_of(o)) for o in op.operands)
    passed = max(first, second) if isinstance(op, Add) else second
    return max(1, op.width - passed)


def _compared(op: Op) -> int:
    """All but the bits at either end in which the two are known to be equal; and of a number that
    is compared with a known one all but the lowest, where that lets none of them decide: those of
    a < 8, 8 <= a, 7 < a and a <= 7."""
    first, second = (bits_of(o) for o in op.operands)
    if not is_constant(first) and not is_constant(second):
        alike = [type(a) is int and a == b for a, b in zip(first, second, strict=True)]
        below, above = _leading(alike), _leading(alike[::-1])
        return max(1, len(first) - below - above)
    is_less = isinstance(op, (SLt, ULt))
    known, needed = (first, int(is_less)) if is_constant(first) else (second, int(not is_less))
    return max(1, len(known) - trailing(known, needed))


def _leading(flags: list[bool]) -> int:
    """How many are true before the first that is not."""
    return len(list(takewhile(bool, flags)))


def _unknown(bits: Bits) -> int:
    return sum(type(bit) is not int for bit in bits)


def _chooses(column: Bits) -> bool:
    """Whether a bit is made of others, and is not one of them or known."""
    return len(set(column)) > 1 and _unknown(column) > 0
