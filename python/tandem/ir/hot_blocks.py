# SPDX-License-Identifier: Apache-2.0
"""A block that the interpreter runs again and again, as one Python function: a line for each
operation, with what is the same each time in it.

What an operation means is the table's word (`ir.operations`): it is asked for each value, but where
C's sign for it is Python's too, where an operation only names bits, and where it only chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from functools import lru_cache
from types import CodeType
from typing import Any

from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import (
    Concat,
    Constant,
    Equality,
    Extract,
    Logic,
    Mul,
    Op,
    Poll,
    Select,
    Sum,
    Take,
    ULe,
    ULt,
    mask,
)

AS_IN_C = (Sum, Mul, Logic, Equality, ULt, ULe)
"""Operations whose sign in C is Python's for patterns too."""
MOST_IN_A_LINE = 50
"""Operands of a line: Python's own compiler goes into each sign of it."""
MOST_TEXTS = 500

Other = Callable[[Op], Callable[..., int | None]]
"""Of an operation that needs more than the values of its operands, what makes its value of them."""


def read_elsewhere(kernel: Kernel) -> set[Op]:
    """Values that something reads that is no operation of their own block."""
    home = {op: block for block in kernel.blocks for op in block.ops}
    found: set[Op] = set()
    for block in kernel.blocks:
        used = (o for op in block.ops for o in op.operands if home.get(o) is not block)
        found.update(used, block.end.inputs())
    return found


def may_wait(block: Block, kernel: Kernel) -> bool:
    """Whether it takes records of a process, of which there may be none yet, or asks for some."""
    taking = (op for op in block.ops if isinstance(op, (Take, Poll)))
    return any(op.memory.kind is MemoryKind.FIFO for op in taking)


def function_of(
    ops: Iterable[Op], values: MutableMapping[Op, int], kept: set[Op], other: Other
) -> Callable[[], None]:
    """What runs operations on `values`, and leaves there those that are `kept`."""
    return _Writer(values, kept, other).function(ops)


class _Writer:
    """Text of a function, and the objects that are in it by name."""

    def __init__(self, values: MutableMapping[Op, int], kept: set[Op], other: Other) -> None:
        self.values, self.kept, self.other = values, kept, other
        self.objects: dict[str, Any] = {"values": values}
        self.names: dict[Op, str] = {}
        self.lines: list[str] = []

    def function(self, ops: Iterable[Op]) -> Callable[[], None]:
        for op in ops:
            self._op(op)
        body = "\n".join(f"        {line}" for line in [*self.lines, "return"])
        names = ", ".join(self.objects)
        text = f"def make({names}):\n    def run():\n{body}\n    return run\n"
        made: dict[str, Any] = {}
        exec(_compiled(text), made)
        return made["make"](*self.objects.values())

    def _op(self, op: Op) -> None:
        uses = [self._use(o) for o in op.operands]
        name = f"v{len(self.names)}"
        self.lines.append(f"{name} = {self._meaning(op, uses)}")
        self.names[op] = name
        if op in self.kept:
            self.lines.append(f"values[{self._object(op)}] = {name}")

    def _use(self, op: Op) -> str:
        """What stands for an operand. One of another block is looked up where it is first read."""
        if isinstance(op, Constant):
            return hex(op.value)
        if op not in self.names:
            self.names[op] = f"v{len(self.names)}"
            self.lines.append(f"{self.names[op]} = values[{self._object(op)}]")
        return self.names[op]

    def _object(self, thing: object) -> str:
        name = f"o{len(self.objects)}"
        self.objects[name] = thing
        return name

    def _meaning(self, op: Op, uses: list[str]) -> str:
        """The expression of an operation's value."""
        most, widths = hex(mask(op.width)), tuple(o.width for o in op.operands)
        is_short = len(uses) <= MOST_IN_A_LINE
        if isinstance(op, AS_IN_C) and is_short:
            return f"({f' {op.sign} '.join(uses)}) & {most}"
        if isinstance(op, Select):
            return f"{uses[1]} if {uses[0]} else {uses[2]}"
        if isinstance(op, Extract):
            return f"{uses[0]} >> {op.low} & {most}"
        if isinstance(op, Concat) and is_short:
            behind = [sum(widths[i + 1 :]) for i in range(len(widths))]
            return " | ".join(f"{u} << {low}" for u, low in zip(uses, behind, strict=True))
        evaluate = type(op).evaluate
        if evaluate is None:
            return f"{self._object(self.other(op))}({', '.join(uses)})"
        given = "".join(f"{use}, " for use in uses)
        return f"{self._object(evaluate)}(({given}), {widths}, {op.width}) & {most}"


@lru_cache(MOST_TEXTS)
def _compiled(text: str) -> CodeType:
    """Blocks that differ in nothing but what they are about are compiled once."""
    return compile(text, "<block>", "exec")
