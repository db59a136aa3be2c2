# SPDX-License-Identifier: Apache-2.0
"""Random straight-line kernels, each made twice: plainly, and by the folding builder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Return
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    OPERATIONS,
    ArgumentOp,
    Compare,
    Concat,
    Division,
    Extract,
    Logic,
    Mul,
    Op,
    Rom,
    Select,
    Shift,
    Sum,
    constant,
)

WIDEST_BITS = 40
KINDS = [
    op
    for op in OPERATIONS.values()
    if issubclass(op, (Logic, Sum, Mul, Division, Shift, Compare, Select, Rom))
]
WORDS = (3, 250, 250, 17, 131, 128, 255, 0, 9, 9, 64)
"""The table that `rom` reads: 8 bits an element, some bits the same in many, not a power of two."""


@dataclass(frozen=True)
class Twin:
    """One value in both kernels."""

    plain: Op
    folded: Op

    @property
    def width(self) -> int:
        return self.plain.width


class TwinKernels:
    """Two kernels that compute the same."""

    def __init__(self) -> None:
        self.kernels = (_empty(), _empty())
        self.builder = Builder(self.kernels[1], self.kernels[1].entry)
        self.values: list[Twin] = []

    def argument(self, width: int) -> None:
        name = f"a{len(self.kernels[0].arguments)}"
        ops = []
        for kernel in self.kernels:
            ops.append(ArgumentOp((), width, {"name": name}, name=name))
            kernel.arguments.append(
                Argument(name, ArgumentKind.SCALAR, "in", "int", width, op=ops[-1])
            )
        self.values.append(Twin(*ops))

    def constant(self, value: int, width: int) -> Twin:
        return Twin(constant(value, width), constant(value, width))

    def make(
        self, kind: type[Op], operands: list[Twin], width: int, **attributes: int | str
    ) -> Twin:
        """The operation as it is in the plain kernel, by `build` in the other."""
        own, others = (self._attributes(kernel, attributes) for kernel in self.kernels)
        plain = kind([o.plain for o in operands], width, own)
        self.kernels[0].entry.ops.append(plain)
        folded = self.builder.build(kind, [o.folded for o in operands], width, **others)
        self.values.append(Twin(plain, folded))
        return self.values[-1]

    @staticmethod
    def _attributes(kernel: Kernel, attributes: dict[str, int | str]) -> dict[str, Any]:
        """Each kernel has a memory of the name."""
        return {k: kernel.memories[str(v)] if k == "memory" else v for k, v in attributes.items()}

    def finish(self, result: Twin) -> None:
        for kernel, value in zip(self.kernels, (result.plain, result.folded), strict=True):
            kernel.arguments.append(
                Argument("result", ArgumentKind.SCALAR, "out", "int", value.width)
            )
            kernel.entry.end = Return(value=value)


def _empty() -> Kernel:
    kernel = Kernel("random", blocks=[Block("entry")])
    kernel.add_memory(Memory("table", MemoryKind.ROM, 8, len(WORDS), WORDS))
    return kernel


@st.composite
def twins(draw: st.DrawFn, kinds: Sequence[type[Op]] = KINDS, operations: int = 10) -> TwinKernels:
    """Two kernels of a few operations on arguments, constants and random wiring of both. Their
    result is the results of all operations side by side."""
    made = TwinKernels()
    for width in draw(st.lists(_WIDTHS, min_size=1, max_size=3)):
        made.argument(width)
    results = [
        _operation(draw, made, draw(st.sampled_from(kinds)))
        for _ in range(draw(st.integers(1, operations)))
    ]
    made.finish(made.make(Concat, results, sum(value.width for value in results)))
    return made


_WIDTHS = st.one_of(st.sampled_from((1, 2, 8, 16, 32)), st.integers(1, WIDEST_BITS))


def _operation(draw: st.DrawFn, made: TwinKernels, kind: type[Op]) -> Twin:
    width = draw(_WIDTHS)
    if issubclass(kind, Logic):
        count = draw(st.integers(1, 4))
        return made.make(kind, [_wired(draw, made, width) for _ in range(count)], width)
    if issubclass(kind, Shift):
        amount = _wired(draw, made, draw(st.integers(1, 8)))
        return made.make(kind, [_wired(draw, made, width), amount], width)
    if kind is Select:
        sides = [_wired(draw, made, width) for _ in range(2)]
        return made.make(kind, [_wired(draw, made, 1), *sides], width)
    if kind is Rom:
        return made.make(kind, [_wired(draw, made, draw(st.integers(1, 6)))], 8, memory="table")
    operands = [_wired(draw, made, width) for _ in range(2)]
    return made.make(kind, operands, 1 if issubclass(kind, Compare) else width)


def _wired(draw: st.DrawFn, made: TwinKernels, width: int) -> Twin:
    """A value of `width` bits: a constant, an extended or cut value, or pieces of several."""
    style = draw(st.sampled_from(("constant", "zeros", "sign", "low", "pieces", "pieces")))
    if style == "constant":
        return _constant(draw, made, width)
    if style == "pieces":
        return _pieces(draw, made, width)
    source = draw(st.sampled_from(made.values))
    if source.width > width:
        return made.make(Extract, [source], width, low=0)
    spare = width - source.width
    if not spare:
        return source
    if style == "sign":
        return made.make(Concat, [*_copies_of_sign(made, source, spare), source], width)
    zeros = made.constant(0, spare)
    return made.make(Concat, [zeros, source] if style == "zeros" else [source, zeros], width)


def _constant(draw: st.DrawFn, made: TwinKernels, width: int) -> Twin:
    ones = (1 << width) - 1
    near = st.integers(0, min(ones, 2 * width))
    power = st.integers(0, width - 1).map(lambda exponent: 1 << exponent)
    value = draw(st.one_of(near, power, st.just(ones), st.integers(0, ones)))
    return made.constant(value, width)


def _copies_of_sign(made: TwinKernels, source: Twin, count: int) -> list[Twin]:
    return [made.make(Extract, [source], 1, low=source.width - 1)] * count


def _pieces(draw: st.DrawFn, made: TwinKernels, width: int) -> Twin:
    """Pieces of earlier values and constants, highest first."""
    parts: list[Twin] = []
    left = width
    while left:
        part = _piece(draw, made, left)
        parts.append(part)
        left -= part.width
    return parts[0] if len(parts) == 1 else made.make(Concat, parts, width)


def _piece(draw: st.DrawFn, made: TwinKernels, most: int) -> Twin:
    """At most `most` bits: a constant, a value, or a part of one."""
    choice = draw(st.integers(0, 2))
    if choice == 0:
        return _constant(draw, made, draw(st.integers(1, most)))
    source = draw(st.sampled_from(made.values))
    if choice == 1 and source.width <= most:
        return source
    low = draw(st.integers(0, source.width - 1))
    width = draw(st.integers(1, min(most, source.width - low)))
    return made.make(Extract, [source], width, low=low)


def numbers_for(draw: st.DrawFn, kernel: Kernel) -> dict[str, int | bytes | bytearray]:
    """Arguments of one call: small, large and any."""
    data: dict[str, int | bytes | bytearray] = {}
    for argument in kernel.arguments:
        if argument.op is not None:
            ones = (1 << argument.width) - 1
            small = st.integers(0, min(3, ones))
            data[argument.name] = draw(st.one_of(small, st.just(ones), st.integers(0, ones)))
    return data
