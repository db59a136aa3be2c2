# SPDX-License-Identifier: Apache-2.0
"""reuse: random accesses in a loop and around it leave the same memory and the same result."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Branch, Edge, Jump, Return
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    OPERATIONS,
    Add,
    ArgumentOp,
    Concat,
    Load,
    Op,
    Parameter,
    Select,
    Store,
    constant,
)
from tandem.ir.verifier import verify
from tandem.passes import scalar_replacement
from tandem.schedule.delays import Target

SEEDS = range(300)
CELLS = 16
WIDTHS = {"k": 4, "n": 3, "c": 1, "d": 1}
MOST_ACCESSES = 6


@dataclass
class Making:
    """A kernel that is being made: a block, a loop, and a block behind it."""

    random: Random
    kernel: Kernel
    block: Block
    indices: list[Op]
    conditions: list[Op]
    total: Op
    near: Op

    def op(self, kind: str, operands: list[Op], width: int, **attributes: Memory) -> Op:
        made = OPERATIONS[kind](operands, width, dict(attributes))
        self.block.ops.append(made)
        return made

    def index(self) -> Op:
        base, offset = self.random.choice(self.indices), self.random.randrange(4)
        if self.random.random() < 0.2:  # some to eight elements further
            far = self.op("concat", [constant(0, 1), self.near], 4)
            base = self.op("add", [base, far], 4)
        return self.op("add", [base, constant(offset, 4)], 4) if offset else base

    def condition(self) -> Op | None:
        kind = self.random.choice((*["always"] * 5, "one", "and", "or"))
        if kind == "always":
            return None
        first = self.random.choice(self.conditions)
        if kind == "one":
            return first
        return self.op(kind, [first, self.random.choice(self.conditions)], 1)

    def read(self, index: Op) -> None:
        value = self.op("load", [index], 8, memory=self.kernel.memories["a"])
        self.total = self.op("add", [self.op("mul", [self.total, constant(3, 8)], 8), value], 8)

    def access(self) -> None:
        memory = self.kernel.memories[self.random.choice(("a", "a", "line"))]
        index, condition = self.index(), self.condition()
        enable = [] if condition is None else [condition]
        if self.random.random() < 0.4:
            value = self.op("add", [self.total, constant(self.random.randrange(256), 8)], 8)
            self.op("store", [index, value, *enable], 0, memory=memory)
            return
        value = self.op("load", [index, *enable], 8, memory=memory)
        if condition is not None:
            value = self.op("select", [condition, value, constant(5, 8)], 8)
        scaled = self.op("mul", [self.total, constant(3, 8)], 8)
        self.total = self.op("add", [scaled, value], 8)

    def accesses(self) -> None:
        for _ in range(self.random.randrange(1, MOST_ACCESSES)):
            self.access()


def kernel_of(seed: int) -> Kernel:
    random = Random(seed)
    kernel = Kernel("random")
    kernel.add_memory(Memory("a", MemoryKind.ARGUMENT, 8))
    kernel.add_memory(Memory("line", MemoryKind.RAM, 8, CELLS))
    array = Argument("a", ArgumentKind.POINTER, "inout", "uint8_t *", memory=kernel.memories["a"])
    kernel.arguments.append(array)
    scalars = {}
    for name, width in WIDTHS.items():
        scalars[name] = ArgumentOp((), width, {"name": name}, name=name)
        kernel.arguments.append(
            Argument(name, ArgumentKind.SCALAR, "in", "int", width, op=scalars[name])
        )
    kernel.arguments.append(Argument("result", ArgumentKind.SCALAR, "out", "int", 8))
    entry, loop, end = (Block(name) for name in ("entry", "loop", "end"))
    kernel.blocks = [entry, loop, end]
    fixed = [scalars["k"], constant(random.randrange(CELLS), 4)]
    making = Making(
        random, kernel, entry, fixed, [scalars["c"], scalars["d"]], constant(1, 8), scalars["n"]
    )
    making.accesses()
    _loop(making, entry, loop, end, scalars["n"])
    making.block, making.indices = end, fixed
    making.accesses()
    end.end = Return(value=making.total)
    return kernel


def _loop(making: Making, entry: Block, loop: Block, end: Block, n: Op) -> None:
    """The loop runs n + 1 times, or is not entered where `c` is 0."""
    i, turn, total, place = (Parameter((), width) for width in (4, 3, 8, 4))
    start = making.random.choice((constant(0, 4), constant(3, 4), making.indices[0]))
    arguments = [start, constant(0, 3), making.total, making.random.choice((start, constant(2, 4)))]
    if making.random.random() < 0.5:
        entry.end = Jump(edges=[Edge(loop, arguments)])
        paths = [total]
    else:
        condition = making.conditions[0]
        entry.end = Branch(condition, [Edge(loop, arguments), Edge(end)])
        paths = []
    before = making.total
    making.block, making.indices, making.total = loop, [i, i, place, *making.indices], total
    loop.parameters = [i, turn, total, place]
    for index in making.random.choice(([], [], [place], [i, place], [place, i])):
        making.read(index)
    making.accesses()
    chosen = _chosen_place(making, i, place, turn)
    step = making.op("add", [i, constant(making.random.choice((1, 2, 15)), 4)], 4)
    following = making.op("add", [turn, constant(1, 3)], 3)
    more = making.op("ne", [turn, n], 1)
    stay = Edge(loop, [step, following, making.total, chosen])
    loop.end = Branch(more, [stay, Edge(end)])
    if making.random.random() < 0.5:
        loop.trip_count = _trip_count(making, entry, n)
    if not paths:
        after = Parameter((), 8)
        end.parameters = [after]
        entry.end.edges[1].arguments, loop.end.edges[1].arguments = [before], [making.total]
        making.total = after


def _chosen_place(making: Making, i: Op, place: Op, turn: Op) -> Op:
    """Where the next iteration reads too: here or there, as what was read tells, or where it has
    read."""
    ways = [place, i, making.op("add", [i, constant(1, 4)], 4)]
    if making.random.random() < 0.5:
        asked = making.op("extract", [making.total], 1)
        asked.attributes["low"] = 0
    else:
        asked = making.op("eq", [turn, constant(3, 3)], 1)
    if making.random.random() < 0.3:
        ways.append(making.op("select", [making.conditions[0], place, i], 4))
    first, second = making.random.choice(ways), making.random.choice(ways)
    return making.op("select", [asked, first, second], 4)


def _trip_count(making: Making, entry: Block, n: Op) -> Op:
    wide = Concat([constant(0, 1), n], 4)
    count = Add([wide, constant(1, 4)], 4)
    entry.ops += [wide, count]
    return count


@pytest.mark.parametrize("seed", SEEDS)
def test_memory_and_result_stay_the_same(seed: int) -> None:
    before, after = kernel_of(seed), kernel_of(seed)
    verify(before)
    scalar_replacement.run(after)
    verify(after, scalar_replacement.SLUG)
    random = Random(seed)
    for _ in range(6):
        data: dict[str, int | bytes | bytearray] = {
            "a": bytearray(random.randbytes(CELLS)),
            **{name: random.randrange(1 << bits) for name, bits in WIDTHS.items()},
        }
        copy = deepcopy(data)
        assert interpret(after, copy) == interpret(before, data)
        assert copy == data


def test_the_random_kernels_have_what_the_pass_looks_for() -> None:
    carried = chosen = 0
    for seed in SEEDS:
        kernel = kernel_of(seed)
        parameters = sum(len(b.parameters) for b in kernel.blocks)
        scalar_replacement.run(kernel)
        carried += sum(len(b.parameters) for b in kernel.blocks) > parameters
        following = [v for b in kernel.blocks if b.is_loop for v in b.back_edge.arguments]
        chosen += any(isinstance(value, Select) and value.width == 8 for value in following)
    assert carried > 5 and chosen > 5, (carried, chosen)


@pytest.mark.parametrize(("far", "loads"), [("1 + (h & 7)", 2), ("(h & 7)", 3), ("1 + h", 3)])
def test_a_store_to_an_element_that_is_surely_another(
    far: str, loads: int, target: Target, tmp_path: Path
) -> None:
    """`far` from an element, which is known as before where that is never 0, nor round to it."""
    text = f"""
void top(unsigned char a[16], unsigned p, unsigned h)
{{
    unsigned q = p + {far}, x = a[p & 15];
    a[q & 15] -= x;
    a[p & 15] += x;
}}"""
    built = build_text(text, target, 10_000, tmp_path, slower_clock=True)
    assert sum(isinstance(op, Load) for _, op in built.schedule.kernel.ops()) == loads
    for p, h in product((0, 1, 15, 200), (0, 7, 8, 14, 15, 31, 2**32 - 1)):
        check(built, {"a": Random(p).randbytes(16), "p": p, "h": h})


WINDOW = "a[j - 1] * b[0] + a[j] + a[j + 1]"
FIXED = "a[j] * a[i & 63] + b[j] * b[i & 63]"


@pytest.mark.parametrize(("sum_of", "moves"), [(WINDOW, True), (FIXED, False)])
def test_what_all_iterations_read_is_no_window(
    sum_of: str, moves: bool, target: Target, tmp_path: Path
) -> None:
    """It is kept whatever it takes; no kernel that reads it again is tried."""
    file = tmp_path / "sums.c"
    file.write_text(
        "void sums(const double a[64], const double b[64], double c[64], int i)\n"
        "{\n    for (int j = 1; j < 63; j++)\n"
        f"        c[j] = {sum_of};\n"
        "}\n"
    )
    kernel = compile_kernel(Program.of(file), "sums", target, 10_000).kernel
    assert bool(kernel.windows) == moves


@pytest.mark.parametrize(
    ("between", "stores"), [("", 1), ("b[h & 7] = x;", 1), ("a[h & 15] = 7;", 3)]
)
def test_a_store_that_another_one_may_overwrite_is_part_of_it(
    between: str, stores: int, target: Target, tmp_path: Path
) -> None:
    text = f"""
void top(unsigned char a[16], unsigned char b[8], unsigned p, unsigned h)
{{
    unsigned char x = b[p & 7] * 3;
    a[p & 15] = x;
    {between}
    if (x & 2)
        a[p & 15] = x * h;
}}"""
    built = build_text(text, target, 10_000, tmp_path, slower_clock=True)
    made = [op for _, op in built.schedule.kernel.ops() if isinstance(op, Store)]
    assert sum(op.memory.name == "a" for op in made) == stores
    for p, h in product((0, 1, 15, 200), (0, 7, 8, 15, 200)):
        data = {name: Random(p).randbytes(size) for name, size in (("a", 16), ("b", 8))}
        check(built, {**data, "p": p, "h": h})
