# SPDX-License-Identifier: Apache-2.0
"""Random kernels of branches, switches and loops with several ways out, around arrays.

Every block has the same parameters: a few variables, and a counter for each depth of loops."""

from __future__ import annotations

from random import Random
from typing import Any

from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Branch, Edge, Jump, Return, reverse_postorder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import OPERATIONS, ArgumentOp, Op, Parameter, constant

WIDTH = 8
VARIABLES, DEPTH = 4, 2
INDEX_BITS = 3
INDEX_WIDTH = 64
ARITHMETIC = ("add", "sub", "xor", "and", "mul")
COMPARISONS = ("eq", "ne", "ult", "slt")


def random_flow(seed: int) -> Kernel:
    """The kernel of a seed. Its arguments are `x`, `y` and the array `data`."""
    return _Flow(Random(seed)).finish()


class _Flow:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.kernel = Kernel("flow")
        self.block = Block("b0")
        self.count = 1
        self.leave: list[tuple[Block, Block]] = []
        """Of each loop around: where `break` and `continue` lead."""
        self.values = [self._argument("x"), self._argument("y")]
        self.values += [constant(random.randrange(256), WIDTH) for _ in range(VARIABLES - 2)]
        self.values += [constant(0, WIDTH)] * (DEPTH + 1)
        self._memory("data", MemoryKind.ARGUMENT)
        self._memory("local", MemoryKind.RAM)
        self.kernel.arguments.append(
            Argument("result", ArgumentKind.SCALAR, "out", "uint8_t", WIDTH)
        )

    def _argument(self, name: str) -> Op:
        op = ArgumentOp((), WIDTH, {"name": name}, name=name)
        self.kernel.arguments.append(
            Argument(name, ArgumentKind.SCALAR, "in", "uint8_t", WIDTH, op=op)
        )
        return op

    def _memory(self, name: str, kind: MemoryKind) -> None:
        memory = self.kernel.add_memory(Memory(name, kind, WIDTH, 1 << INDEX_BITS))
        if kind is MemoryKind.ARGUMENT:
            self.kernel.arguments.append(
                Argument(name, ArgumentKind.POINTER, "inout", "uint8_t *", memory=memory)
            )

    def finish(self) -> Kernel:
        entry = self.block
        self._statements(0)
        self._return()
        self.kernel.blocks = reverse_postorder(entry)
        return self.kernel

    # -- blocks ---------------------------------------------------------------------------------

    def _new(self) -> Block:
        block = Block(f"b{self.count}")
        self.count += 1
        block.parameters = [Parameter((), WIDTH) for _ in self.values]
        return block

    def _edge(self, block: Block) -> Edge:
        return Edge(block, list(self.values))

    def _jump(self, block: Block) -> None:
        self.block.end = Jump(edges=[self._edge(block)])

    def _branch(self, condition: Op, yes: Block, no: Block) -> None:
        self.block.end = Branch(condition, [self._edge(yes), self._edge(no)])

    def _enter(self, block: Block) -> None:
        self.block, self.values = block, list(block.parameters)

    def _return(self) -> None:
        self.block.end = Return(value=self._any())

    # -- operations -----------------------------------------------------------------------------

    def _make(self, kind: str, operands: list[Op], width: int, **attributes: Any) -> Op:
        op = OPERATIONS[kind](operands, width, dict(attributes))
        self.block.ops.append(op)
        return op

    def _any(self) -> Op:
        return self.random.choice(self.values)

    def _test(self) -> Op:
        other = constant(self.random.randrange(4), WIDTH)
        if self.random.random() < 0.5:
            other = self._any()
        return self._make(self.random.choice(COMPARISONS), [self._any(), other], 1)

    def _index(self) -> Op:
        if self.random.random() < 0.3:
            return constant(self.random.randrange(1 << INDEX_BITS), INDEX_WIDTH)
        low = self._make("extract", [self._any()], INDEX_BITS, low=0)
        return self._make("concat", [constant(0, INDEX_WIDTH - INDEX_BITS), low], INDEX_WIDTH)

    def _set(self, value: Op) -> None:
        self.values[self.random.randrange(VARIABLES)] = value

    # -- statements -----------------------------------------------------------------------------

    def _statements(self, depth: int) -> bool:
        """Whether control comes to the end of them."""
        choices = [self._compute, self._compute, self._load, self._store, self._store]
        for _ in range(self.random.randrange(1, 3)):
            self.random.choice(choices)()
            if depth < DEPTH + 2 and self.random.random() < 0.55:
                compound = [self._if, self._if, self._switch]
                if len(self.leave) < DEPTH:
                    compound += [self._loop, self._loop]
                self.random.choice(compound)(depth + 1)
        return not (depth and self.random.random() < 0.35 and self._leave())

    def _compute(self) -> None:
        kind = self.random.choice(ARITHMETIC)
        other = self._any() if self.random.random() < 0.7 else constant(3, WIDTH)
        self._set(self._make(kind, [self._any(), other], WIDTH))

    def _load(self) -> None:
        memory = self.kernel.memories[self.random.choice(("data", "local"))]
        self._set(self._make("load", [self._index()], WIDTH, memory=memory))

    def _store(self) -> None:
        memory = self.kernel.memories[self.random.choice(("data", "local"))]
        operands = [self._index(), self._any()]
        if self.random.random() < 0.2:
            operands.append(self._test())
        self._make("store", operands, 0, memory=memory)

    def _leave(self) -> bool:
        """A `return`, `break`, `continue` or a jump out of all loops; whether it is there."""
        if self.random.random() < 0.2:
            self._return()
            return True
        if not self.leave:
            return False
        out, following = self.leave[self.random.choice((0, -1))]
        self._jump(self.random.choice((out, following)))
        return True

    def _if(self, depth: int) -> None:
        yes, no, join = self._new(), self._new(), self._new()
        self._branch(self._test(), yes, self.random.choice((no, join)))
        for side in (yes, no):
            self._enter(side)
            if self._statements(depth):
                self._jump(join)
        self._enter(join)

    def _switch(self, depth: int) -> None:
        """Some cases fall through to the next."""
        chosen, join = self._any(), self._new()
        arms = [self._new() for _ in range(self.random.randrange(2, 5))]
        for number, arm in enumerate(arms):
            following = self._new()
            case = self._make("eq", [chosen, constant(number, WIDTH)], 1)
            self._branch(case, arm, following)
            self._enter(following)
        self._jump(self.random.choice((arms[0], join)))
        for arm, below in zip(arms, [*arms[1:], join], strict=True):
            self._enter(arm)
            if self._statements(depth):
                self._jump(self.random.choice((join, below)))
        self._enter(join)

    def _loop(self, depth: int) -> None:
        """Of at most a few turns; its test is at the top, in the middle or at the end."""
        header, latch, out = self._new(), self._new(), self._new()
        counter = VARIABLES + len(self.leave)
        self.values[counter] = constant(0, WIDTH)
        bound = constant(self.random.randrange(1, 5), WIDTH)
        self._jump(header)
        self._enter(header)
        self.leave.append((out, latch))
        place = self.random.randrange(3)
        if place == 2 or self._statements(depth):
            if place < 2:
                self._turn(counter, out)
            if place == 0 or self._statements(depth):
                self._jump(latch)
        self.leave.pop()
        self._enter(latch)
        self.values[counter] = self._make("add", [self.values[counter], constant(1, WIDTH)], WIDTH)
        self._branch(self._make("ult", [self.values[counter], bound], 1), header, out)
        self._enter(out)

    def _turn(self, counter: int, out: Block) -> None:
        """A test in the middle of a loop."""
        inside = self._new()
        wanted = self._make("eq", [self._any(), self.values[counter]], 1)
        self._branch(wanted, out, inside)
        self._enter(inside)
