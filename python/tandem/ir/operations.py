# SPDX-License-Identifier: Apache-2.0
"""The operation table: one row an operation. Printer, parser, verifier, interpreter and the
reference in docs/ir.md all come from it.

Values are unsigned bit patterns held in Python integers; `signed` gives their two's-complement
meaning where an operation asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from tandem.ir.floats import FLOATS

MAX_WIDTH_BITS = 1 << 16


def mask(width: int) -> int:
    """All ones in `width` bits."""
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """The two's-complement meaning of a `width`-bit pattern."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


Evaluate = Callable[[Sequence[int], Sequence[int], int], int]
"""(operand values, operand widths, result width) -> result before truncation."""


@dataclass(frozen=True)
class Operation:
    """A row of the table.

    `operands`: how many, or None for any number from 1 up.
    `result`: 'same' (all operands and the result have one width), 'bit' (operands of one width
    give 1 bit), 'free' (checked by the verifier's own rule), 'none' (no result).
    `evaluate` is None for what needs more than operand values: memories, streams, ports.
    """

    name: str
    summary: str
    operands: int | None
    result: str
    evaluate: Evaluate | None = None
    pure: bool = True


def _divide(a: int, b: int) -> tuple[int, int]:
    quotient = abs(a) // abs(b)
    quotient = -quotient if (a < 0) != (b < 0) else quotient
    return quotient, a - b * quotient


def _udiv(v: Sequence[int], w: Sequence[int], _: int) -> int:
    return v[0] // v[1] if v[1] else mask(w[0])


def _urem(v: Sequence[int], _w: Sequence[int], _: int) -> int:
    return v[0] % v[1] if v[1] else v[0]


def _sdiv(v: Sequence[int], w: Sequence[int], _: int) -> int:
    a, b = signed(v[0], w[0]), signed(v[1], w[1])
    if not b:
        return -1 if a >= 0 else 1
    return _divide(a, b)[0]


def _srem(v: Sequence[int], w: Sequence[int], _: int) -> int:
    return _divide(signed(v[0], w[0]), signed(v[1], w[1]))[1] if v[1] else v[0]


def _divide_bits(v: Sequence[int], w: Sequence[int], _: int) -> int:
    if v[1]:
        quotient, remainder = divmod(v[0], v[1])
    else:  # as subtracting one bit after the other goes
        quotient, remainder = mask(w[0]) ^ v[0] >> w[1], v[0] & mask(w[1])
    return remainder << w[0] | quotient


def _shl(v: Sequence[int], _w: Sequence[int], width: int) -> int:
    return v[0] << v[1] if v[1] < width else 0


def _ashr(v: Sequence[int], w: Sequence[int], _: int) -> int:
    return signed(v[0], w[0]) >> min(v[1], w[0])


def _concat(v: Sequence[int], w: Sequence[int], _: int) -> int:
    result = 0
    for value, width in zip(v, w, strict=True):
        result = result << width | value
    return result


_TABLE = [
    Operation("constant", "a known value", 0, "free"),
    Operation("argument", "a scalar or block argument of the kernel", 0, "free"),
    Operation("parameter", "a value that enters a block with the jump to it", 0, "free"),
    Operation("and", "bitwise and", None, "same", lambda v, w, _: reduce(int.__and__, v)),
    Operation("or", "bitwise or", None, "same", lambda v, w, _: reduce(int.__or__, v)),
    Operation("xor", "bitwise exclusive or", None, "same", lambda v, w, _: reduce(int.__xor__, v)),
    Operation("add", "sum, modulo 2^width", 2, "same", lambda v, w, _: v[0] + v[1]),
    Operation("sub", "difference, modulo 2^width", 2, "same", lambda v, w, _: v[0] - v[1]),
    Operation("mul", "product, modulo 2^width", 2, "same", lambda v, w, _: v[0] * v[1]),
    Operation("udiv", "unsigned quotient; all ones when dividing by zero", 2, "same", _udiv),
    Operation("urem", "unsigned remainder; the dividend when dividing by zero", 2, "same", _urem),
    Operation(
        "sdiv",
        "signed quotient, towards zero; by zero -1, or 1 for a negative dividend",
        2,
        "same",
        _sdiv,
    ),
    Operation("srem", "signed remainder, with the dividend's sign", 2, "same", _srem),
    Operation(
        "divide",
        "the remainder, as wide as the divisor, above the quotient, as wide as the dividend, of "
        "unsigned numbers; by zero the dividend's lowest bits above the inverse of the others",
        2,
        "free",
        _divide_bits,
    ),
    Operation("shl", "shift left; 0 from the width up", 2, "free", _shl),
    Operation(
        "lshr", "shift right, zeros enter", 2, "free", lambda v, w, _: v[0] >> min(v[1], w[0])
    ),
    Operation("ashr", "shift right, copies of the sign enter", 2, "free", _ashr),
    Operation("eq", "equal", 2, "bit", lambda v, w, _: int(v[0] == v[1])),
    Operation("ne", "not equal", 2, "bit", lambda v, w, _: int(v[0] != v[1])),
    Operation("ult", "unsigned less than", 2, "bit", lambda v, w, _: int(v[0] < v[1])),
    Operation("ule", "unsigned less or equal", 2, "bit", lambda v, w, _: int(v[0] <= v[1])),
    Operation(
        "slt",
        "signed less than",
        2,
        "bit",
        lambda v, w, _: int(signed(v[0], w[0]) < signed(v[1], w[1])),
    ),
    Operation(
        "sle",
        "signed less or equal",
        2,
        "bit",
        lambda v, w, _: int(signed(v[0], w[0]) <= signed(v[1], w[1])),
    ),
    Operation(
        "select",
        "the second operand if the first is 1, else the third",
        3,
        "free",
        lambda v, w, _: v[1] if v[0] else v[2],
    ),
    Operation("extract", "bits low .. low + width - 1", 1, "free"),
    Operation("concat", "operands side by side, the first highest", None, "free", _concat),
    Operation("macro", "what a module of the user's makes of the operands", None, "free"),
    Operation("rom", "element of a constant table; 0 beyond its end", 1, "free"),
    Operation(
        "load",
        "element of a memory; [index] or [index, enable], undefined if not enabled",
        None,
        "free",
        pure=False,
    ),
    Operation("store", "[index, value] or [index, value, enable]", None, "none", pure=False),
    Operation("result", "what the last call of a function has returned", 0, "free", pure=False),
    Operation("pop", "next record of a stream; of a FIFO also [enable]", None, "free", pure=False),
    Operation("peek", "next record of a FIFO, which stays there", 0, "free", pure=False),
    Operation("has", "whether a FIFO has a record; [] or [enable]", None, "free", pure=False),
    Operation("room", "whether a FIFO has room; [] or [enable]", None, "free", pure=False),
    Operation(
        "push", "[record] or [record, enable], appended to a stream", None, "none", pure=False
    ),
]

_TABLE += [
    Operation(
        name,
        row.summary,
        len(row.widths),
        "free",
        lambda v, _w, _, evaluate=row.evaluate: evaluate(v),
    )
    for name, row in FLOATS.items()
]

OPERATIONS: dict[str, Operation] = {row.name: row for row in _TABLE}

LOGIC = frozenset({"and", "or", "xor"})
STREAM = frozenset({"pop", "peek", "has", "room", "push"})
COMPARE = frozenset({"eq", "ne", "ult", "ule", "slt", "sle"})
OPPOSITE = {"eq": "ne", "ne": "eq", "ult": "ule", "ule": "ult", "slt": "sle", "sle": "slt"}
"""The comparison that holds where another one does not; of an order with its operands swapped."""
SHIFT = frozenset({"shl", "lshr", "ashr"})
SUM = frozenset({"add", "sub"})
DIVIDE = frozenset({"udiv", "urem", "sdiv", "srem"})
WIRING = frozenset({"constant", "extract", "concat"})
"""Operations that cost no logic: they only name bits."""

C_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "and": "&",
    "or": "|",
    "xor": "^",
    "eq": "==",
    "ne": "!=",
    "ult": "<",
    "ule": "<=",
    "slt": "<",
    "sle": "<=",
    "udiv": "/",
    "sdiv": "/",
    "urem": "%",
    "srem": "%",
    "shl": "<<",
    "lshr": ">>",
    "ashr": ">>",
}
"""How C writes the operations of two operands; the meaning of a sign differs with the types."""
