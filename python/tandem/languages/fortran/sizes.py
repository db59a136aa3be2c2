# SPDX-License-Identifier: Apache-2.0
"""How many bytes the bounds of a Fortran array say that it has, as a number that a call's scalar
arguments tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tandem.analysis.reaches import REACH_BITS
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.expressions import Expression, expression_of
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Add, ArgumentOp, Constant, Mul, Op, Select, SLt, Sub, constant, mask

_CONSTANT = re.compile(r"(-?\d+) : (?:i(\d+)|index)\Z")
INDEX_BITS = 64
"""Of what MLIR counts with, on this machine."""


@dataclass(frozen=True)
class Size:
    """Bytes, as an expression over a procedure's scalar arguments, each of which counts by its
    value."""

    expression: Expression

    @property
    def names(self) -> frozenset[str]:
        """The arguments that it depends on."""
        return frozenset(self.expression.names())


class _Unknown(Exception):
    """Not told by scalar arguments."""


def size_of(declared: Any, shape: str, element_bytes: int) -> Size | None:
    """The bytes of an array that an `hlfir.declare` declares; `shape`: its extents in its type,
    each with an `x` behind. None where they are not told, as of an assumed size."""
    builder = Builder(Kernel(""), Block("size"))
    total: Op = constant(element_bytes, REACH_BITS)
    try:
        for extent in _extents(declared, shape.split("x")[:-1], _Reader(builder)):
            wide = builder.resize(extent, REACH_BITS, is_signed=True)
            total = builder.build(Mul, [total, wide], REACH_BITS)
    except _Unknown:
        return None
    found = expression_of(total)
    return None if found is None else Size(found)


def _extents(declared: Any, shape: list[str], reader: _Reader) -> list[Op]:
    if all(extent.isdigit() for extent in shape):
        return [constant(int(extent), INDEX_BITS) for extent in shape]
    operands = list(declared.operands) if declared is not None else []
    shapes = [o.owner.operation for o in operands[1:] if hasattr(o.owner, "operation")]
    found = next((s for s in shapes if s.name in ("fir.shape", "fir.shape_shift")), None)
    if found is None:
        raise _Unknown
    step = 2 if found.name == "fir.shape_shift" else 1
    extents = [reader.value(operand) for operand in list(found.operands)[step - 1 :: step]]
    last = extents[-1]
    if isinstance(last, Constant) and last.value == mask(last.width):
        raise _Unknown  # that of an assumed size
    return extents


class _Reader:
    """Operations of MLIR's as ours."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def value(self, value: Any) -> Op:
        """What is computed. Raises _Unknown where more than scalar arguments and plain arithmetic
        is needed."""
        owner = value.owner
        if not hasattr(owner, "operation"):
            raise _Unknown
        op = owner.operation
        read = _READ.get(op.name)
        if read is None:
            raise _Unknown
        return read(self, op)

    def operands(self, op: Any) -> list[Op]:
        return [self.value(operand) for operand in op.operands]


def _width(kind: Any) -> int:
    text = str(kind)
    if text == "index":
        return INDEX_BITS
    if text[0] != "i" or not text[1:].isdigit():
        raise _Unknown
    return int(text[1:])


def _constant(reader: _Reader, op: Any) -> Op:
    found = _CONSTANT.match(str(op.attributes["value"]))
    if found is None:
        raise _Unknown
    width = int(found[2] or INDEX_BITS)
    return constant(int(found[1]) % (1 << width), width)


def _convert(reader: _Reader, op: Any) -> Op:
    _width(op.operands[0].type)
    (inner,) = reader.operands(op)
    return reader.builder.resize(inner, _width(op.results[0].type), is_signed=True)


def _load(reader: _Reader, op: Any) -> Op:
    """Of a scalar argument that its name leads to."""
    declared = op.operands[0].owner
    if not hasattr(declared, "operation") or declared.operation.name != "hlfir.declare":
        raise _Unknown
    if hasattr(declared.operation.operands[0].owner, "operation"):
        raise _Unknown  # no argument, but a variable
    name = str(declared.operation.attributes["uniq_name"]).strip('"').rpartition("E")[2]
    return ArgumentOp((), _width(op.results[0].type), {"name": name}, name=name)


def _binary(kind: type[Op]) -> Callable[[_Reader, Any], Op]:
    def read(reader: _Reader, op: Any) -> Op:
        return reader.builder.build(kind, reader.operands(op), _width(op.results[0].type))

    return read


def _select(reader: _Reader, op: Any) -> Op:
    """Flang's own: an extent that would be negative is zero."""
    compared = op.operands[0].owner.operation
    if compared.name != "arith.cmpi" or not str(compared.attributes["predicate"]).startswith("4 "):
        raise _Unknown
    left, right = reader.operands(compared)
    chosen, other = (reader.value(operand) for operand in list(op.operands)[1:])
    is_more = reader.builder.compare(SLt, right, left)
    return reader.builder.build(Select, [is_more, chosen, other], chosen.width)


_READ: dict[str, Callable[[_Reader, Any], Op]] = {
    "arith.constant": _constant,
    "fir.convert": _convert,
    "fir.load": _load,
    "arith.addi": _binary(Add),
    "arith.subi": _binary(Sub),
    "arith.muli": _binary(Mul),
    "arith.select": _select,
}
