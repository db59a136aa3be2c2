# SPDX-License-Identifier: Apache-2.0
"""Ranges: random nests of loops over numbers of few bits, so that they wrap. Every value that the
interpreter sees is in its range, and narrowed by them a kernel computes the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest
from tandem.analysis.ranges import find_ranges
from tandem.diagnostics import InternalError
from tandem.ir import interpreter
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Branch, Edge, Jump, Return
from tandem.ir.kernel import Kernel
from tandem.ir.ops import OPERATIONS, ArgumentOp, Op, Parameter, constant
from tandem.ir.verifier import verify
from tandem.passes import count_loops, narrow_widths, simplify

SIGNED = 10_000
"""From this seed on, numbers are extended with their sign too."""
ORDERED = 20_000
"""From this one on, ends are compared, subtracted, and numbers taken between them."""
SEEDS = [*range(300), 1579, 2738, *range(SIGNED, SIGNED + 150), *range(ORDERED, ORDERED + 250)]
STEP_LIMIT = 2_000
WIDTHS = (3, 5, 8)
ARITHMETIC = ("add", "add", "add", "sub", "mul", "and", "or", "xor", "urem", "udiv", "shl", "lshr")
COMPARISONS = ("eq", "ne", "ult", "ule", "slt", "sle")


@dataclass
class Making:
    """A kernel that is being made; `values` are those that the block may use."""

    random: Random
    block: Block
    values: list[Op] = field(default_factory=list)
    has_signs: bool = False
    has_orders: bool = False

    def op(self, kind: str, operands: list[Op], width: int, **attributes: int) -> Op:
        made = OPERATIONS[kind](operands, width, dict(attributes))
        self.block.ops.append(made)
        if width > 1:
            self.values.append(made)
        return made

    def value(self, width: int) -> Op:
        """A known one, or an earlier value extended or cut."""
        if self.random.random() < 0.3:
            small = self.random.choice((0, 1, 2, self.random.randrange(1 << width)))
            return constant(self.random.choice((small, -small)), width)
        source = self.random.choice(self.values)
        if source.width > width:
            return self.op("extract", [source], width, low=0)
        if source.width < width:
            return self.extended(source, width)
        return source

    def extended(self, source: Op, width: int) -> Op:
        """By zeros, or by its sign."""
        count = width - source.width
        if self.has_signs and self.random.random() < 0.7:
            sign = self.op("extract", [source], 1, low=source.width - 1)
            return self.op("concat", [*[sign] * count, source], width)
        return self.op("concat", [constant(0, count), source], width)

    def arithmetic(self) -> None:
        width, kind = self.random.choice(WIDTHS), self.random.choice(ARITHMETIC)
        self.op(kind, [self.value(width), self.value(width)], width)

    def condition(self) -> Op:
        width = self.random.choice(WIDTHS)
        operands = [self.value(width), self.value(width)]
        made = self.op(self.random.choice(COMPARISONS), operands, 1)
        if self.random.random() < 0.2:
            return self.op("xor", [made, constant(1, 1)], 1)
        return made

    def select(self) -> None:
        width = self.random.choice(WIDTHS)
        condition = self.condition()
        self.op("select", [condition, self.value(width), self.value(width)], width)

    def between(self) -> None:
        """The difference of two ends, and what lies between them."""
        low, high = self.random.choice(self.pairs())
        gap = self.op("sub", [high, low], high.width)
        first = self.random.randrange(1, 3)
        part = self.op("extract", [gap], gap.width - first, low=first)
        part = self.op("concat", [constant(0, first), part], gap.width)
        self.op("add", self.random.choice(([low, part], [part, low])), low.width)

    def pairs(self) -> list[tuple[Op, Op]]:
        """Values of one width."""
        last = self.values[-6:]
        return [(a, b) for a in last for b in last if a is not b and a.width == b.width > 2]

    def ordered(self, edge: Edge) -> Op:
        """The condition that what an edge carries has an order."""
        low, high = edge.arguments[:: self.random.choice((1, -1))]
        made = self.op(self.random.choice(("ult", "ule", "slt", "sle")), [low, high], 1)
        if self.random.random() < 0.3:
            return self.op("and", [self.condition(), made], 1)
        return made

    def fill(self) -> None:
        for _ in range(self.has_orders and self.random.randrange(3)):
            if self.pairs():
                self.between()
        for _ in range(self.random.randrange(1, 4)):
            self.select() if self.random.random() < 0.2 else self.arithmetic()

    def counted(self, edge: Edge, counter: Op) -> Op:
        """The condition that one more is not the end, or that the counter itself is not."""
        more = self.op("add", [counter, constant(1, counter.width)], counter.width)
        edge.arguments[edge.block.parameters.index(counter)] = more
        width = self.random.choice([w for w in WIDTHS if w >= counter.width])
        more = self.random.choice((more, counter))
        if width > counter.width:
            more = self.op("concat", [constant(0, width - counter.width), more], width)
        stays = self.op("ne", [more, self.value(width)], 1)
        if self.random.random() < 0.3:
            return self.op("and", [stays, self.condition()], 1)
        return stays

    def edge(self, block: Block) -> Edge:
        return Edge(block, [self.next_value(p) for p in block.parameters])

    def next_value(self, parameter: Op) -> Op:
        """Often the parameter itself, a step further."""
        if parameter in self.values and self.random.random() < 0.7:
            step = constant(self.random.choice((1, 1, 2, -1)), parameter.width)
            return self.op("add", [parameter, step], parameter.width)
        return self.value(parameter.width)


def kernel_of(seed: int) -> Kernel:
    """entry, a loop with a loop and a way around it inside, and what is behind them."""
    random = Random(seed)
    names = ("entry", "outer", "inner", "side", "latch", "end")
    entry, outer, inner, side, latch, end = blocks = [Block(name) for name in names]
    kernel = Kernel("random", blocks=blocks)
    making = Making(random, entry, has_signs=seed >= SIGNED, has_orders=seed >= ORDERED)
    for name, width in (("n", 3), ("x", 8)):
        op = ArgumentOp((), width, {"name": name}, name=name)
        kernel.arguments.append(Argument(name, ArgumentKind.SCALAR, "in", "int", width, op=op))
        making.values.append(op)
    kernel.arguments.append(Argument("result", ArgumentKind.SCALAR, "out", "int", 8))
    for block in (outer, inner, latch):
        widths = [random.choice(WIDTHS) for _ in range(2)]
        widths = [widths[0]] * 2 if making.has_orders else widths
        block.parameters = [Parameter((), width) for width in widths]
    made = dict.fromkeys(blocks, making)
    for block, after in ((entry, None), (outer, entry), (inner, outer), (side, outer)):
        made[block] = _begun(making, block, made[after].values if after else making.values)
    made[latch] = _begun(making, latch, made[outer].values)
    made[end] = _begun(making, end, made[latch].values)
    _jump(made[entry], outer)
    _branch(made[outer], inner, side)
    _branch(made[inner], inner, latch)
    _jump(made[side], latch)
    _branch(made[latch], outer, end)
    end.end = Return(value=made[end].value(8))
    return kernel


def _begun(first: Making, block: Block, values: list[Op]) -> Making:
    known = [*values, *block.parameters, *block.parameters]
    making = Making(first.random, block, known, first.has_signs, first.has_orders)
    making.fill()
    return making


def _jump(making: Making, goal: Block) -> None:
    edge = making.edge(goal)
    if making.has_orders and making.random.random() < 0.5:  # as a loop that is begun in order
        edge.arguments = [
            constant(n, p.width) for n, p in zip((1, 3), goal.parameters, strict=True)
        ]
    making.block.end = Jump(edges=[edge])


def _branch(making: Making, yes: Block, no: Block) -> None:
    condition = making.condition()
    edges = [making.edge(yes), making.edge(no)]
    counters = [p for p in yes.parameters if p in making.values]
    if counters and making.random.random() < 0.4:
        condition = making.counted(edges[0], making.random.choice(counters))
    elif making.has_orders and edges[0].arguments and making.random.random() < 0.7:
        condition = making.ordered(edges[0])
    making.block.end = Branch(condition, edges)


def arguments(random: Random) -> dict[str, int | bytes | bytearray]:
    return {"n": random.randrange(8), "x": random.choice((0, 1, 255, random.randrange(256)))}


def outcome(kernel: Kernel, data: dict[str, int | bytes | bytearray]) -> int | None:
    """The result; None where the kernel does not end soon."""
    try:
        return interpreter.interpret(kernel, data, STEP_LIMIT)
    except InternalError:
        return None


@pytest.mark.parametrize("seed", SEEDS)
def test_every_value_is_in_its_range(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_of(seed)
    verify(kernel)
    if seed % 2:
        count_loops.run(kernel)
        verify(kernel, count_loops.SLUG)
    ranges = find_ranges(kernel)
    go_on = interpreter._following

    def checked(machine: interpreter.Machine, thread: interpreter._Thread, block: Block):
        following = go_on(machine, thread, block)
        for op in block.ops:
            assert ranges[op][0] <= machine.values[op] <= ranges[op][1], op
        for op in following.parameters if following else []:
            assert ranges[op][0] <= machine.values[op] <= ranges[op][1], op
        return following

    monkeypatch.setattr(interpreter, "_following", checked)
    random = Random(seed)
    for _ in range(8):
        outcome(kernel, arguments(random))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_narrowed_kernel_computes_the_same(seed: int) -> None:
    before, after = kernel_of(seed), kernel_of(seed)
    simplify.run(after)
    count_loops.run(after)
    narrow_widths.run(after)
    verify(after, narrow_widths.SLUG)
    random = Random(seed)
    for _ in range(8):
        data = arguments(random)
        wanted, found = outcome(before, data), outcome(after, data)
        assert wanted == found or None in (wanted, found)


def test_ranges_of_loops_are_found() -> None:
    narrowed = 0
    for seed in SEEDS:
        kernel = kernel_of(seed)
        ranges = find_ranges(kernel)
        parameters = [p for b in kernel.blocks for p in b.parameters if p in ranges]
        narrowed += any(ranges[p] != (0, (1 << p.width) - 1) for p in parameters)
    assert narrowed > len(SEEDS) // 2


@pytest.mark.parametrize("counts", ["more", "itself"])
def test_a_loop_that_ends_with_a_number_beyond_other_loops(counts: str) -> None:
    """However far the numbers of several loops in a row are apart."""
    making = Making(Random(1), block := Block("entry"))
    kernel, found = Kernel("loops", blocks=[block]), {}
    for last in (5, 200, 31):
        loop, behind = Block(f"to{last}", [Parameter((), 8)]), Block(f"after{last}")
        counter = loop.parameters[0]
        block.end = Jump(edges=[Edge(loop, [constant(0, 8)])])
        making.block = loop
        more = making.op("add", [counter, constant(1, 8)], 8)
        sides = [more, constant(last + 1, 8)] if counts == "more" else [counter, constant(last, 8)]
        edges = [Edge(behind), Edge(loop, [more])]
        loop.end = Branch(making.op("eq", sides, 1), edges)
        kernel.blocks += [loop, behind]
        found[counter] = 0, last
        block = behind
    block.end = Return()
    ranges = find_ranges(kernel)
    assert {counter: ranges[counter] for counter in found} == found


@pytest.mark.parametrize("inverted", [False, True])
def test_every_part_of_a_condition_tells(inverted: bool) -> None:
    """Behind `x < 10 && n < 5`, or where `!(x >= 10 || n >= 5)`."""
    making = Making(Random(1), entry := Block("entry"))
    x, n = (ArgumentOp((), 8, {"name": name}, name=name) for name in "xn")
    below = [making.op("ult", [value, constant(most, 8)], 1) for value, most in ((x, 10), (n, 5))]
    if inverted:
        above = [making.op("xor", [part, constant(1, 1)], 1) for part in below]
        either = making.op("or", above, 1)
        condition = making.op("xor", [either, constant(1, 1)], 1)
    else:
        condition = making.op("and", below, 1)
    inside, end = Block("inside"), Block("end")
    inside.parameters = [Parameter((), 8) for _ in range(2)]
    entry.end = Branch(condition, [Edge(inside, [x, n]), Edge(end, [])])
    inside.end = end.end = Return()
    kernel = Kernel("both", blocks=[entry, inside, end])
    kernel.arguments = [
        Argument(op.name, ArgumentKind.SCALAR, "in", "int", 8, op=op) for op in (x, n)
    ]
    ranges = find_ranges(kernel)
    assert [ranges[parameter] for parameter in inside.parameters] == [(0, 9), (0, 4)]


@pytest.mark.parametrize(
    ("start", "last", "wanted"),
    [(1, 64, (1, 64)), (3, 48, (3, 48)), (1, 63, (0, 255))],
)
def test_what_doubles_is_gone_through(start: int, last: int, wanted: tuple[int, int]) -> None:
    """`for (half = start; ; half *= 2) if (half == last) break;`, which may have no end."""
    making = Making(Random(1), entry := Block("entry"))
    loop, end = Block("loop"), Block("end")
    entry.end = Jump(edges=[Edge(loop, [constant(start, 8)])])
    half = Parameter((), 8)
    loop.parameters = [half]
    making.block = loop
    low = making.op("extract", [half], 7, low=0)
    twice = making.op("concat", [low, constant(0, 1)], 8)
    is_last = making.op("eq", [half, constant(last, 8)], 1)
    loop.end = Branch(is_last, [Edge(end), Edge(loop, [twice])])
    end.end = Return()
    assert find_ranges(Kernel("doubles", blocks=[entry, loop, end]))[half] == wanted


@pytest.mark.parametrize(
    ("bit", "holds", "wanted"),
    [(7, True, (128, 200)), (7, False, (3, 127)), (6, True, (3, 200)), (6, False, (3, 200))],
)
def test_the_highest_bit_says_which_half(bit: int, holds: bool, wanted: tuple[int, int]) -> None:
    """Where a bit of a number from 3 to 200 is set, or not."""
    making = Making(Random(1), entry := Block("entry"))
    x = ArgumentOp((), 8, {"name": "x"}, name="x")
    condition = making.op("extract", [x], 1, low=bit)
    inside, end = Block("inside"), Block("end")
    inside.parameters = [Parameter((), 8)]
    edges = [Edge(inside, [x]), Edge(end, [])]
    entry.end = Branch(condition, edges if holds else edges[::-1])
    inside.end = end.end = Return()
    kernel = Kernel("half", blocks=[entry, inside, end])
    kernel.arguments = [Argument("x", ArgumentKind.SCALAR, "in", "int", 8, op=x, least=3, most=200)]
    assert find_ranges(kernel)[inside.parameters[0]] == wanted


@pytest.mark.parametrize(
    ("other", "wanted"), [(0, (1, 9)), (9, (0, 8)), (5, (0, 9)), (12, (0, 9)), (None, (0, 9))]
)
def test_a_number_that_a_value_is_not(other: int | None, wanted: tuple[int, int]) -> None:
    """Behind `x < 10 && x != other`; without `other`, a value of which as much is known."""
    making = Making(Random(1), entry := Block("entry"))
    x, n = (ArgumentOp((), 8, {"name": name}, name=name) for name in "xn")
    compared = n if other is None else constant(other, 8)
    facts = [making.op("ult", [value, constant(10, 8)], 1) for value in (x, n)]
    facts.append(making.op("ne", [x, compared], 1))
    inside, end = Block("inside", [Parameter((), 8)]), Block("end")
    edges = [Edge(inside, [x]), Edge(end, [])]
    entry.end = Branch(making.op("and", facts, 1), edges)
    inside.end = end.end = Return()
    kernel = Kernel("unequal", blocks=[entry, inside, end])
    kernel.arguments = [
        Argument(op.name, ArgumentKind.SCALAR, "in", "int", 8, op=op) for op in (x, n)
    ]
    assert find_ranges(kernel)[inside.parameters[0]] == wanted


@pytest.mark.parametrize("low", [0, 3])
@pytest.mark.parametrize("cut", [False, True])
def test_a_side_of_a_choice_counts_for_where_it_is_chosen(low: int, cut: bool) -> None:
    """`x < 24 ? x : x - 24` of an x below 48, and of its bits from `low` on."""
    making = Making(Random(1), block := Block("entry"))
    x = ArgumentOp((), 8, {"name": "x"}, name="x")
    rest = making.op("urem", [x, constant(48, 8)], 8)
    part = making.op("extract", [rest], 8 - low, low=low)
    less = making.op("add", [part, constant(-24 >> low, 8 - low)], 8 - low)
    is_less = making.op("ult", [rest, constant(24, 8)], 1)
    found = making.op("select", [is_less, part, less], 8 - low)
    if cut:
        found = making.op("extract", [found], 5, low=0)
    block.end = Return()
    kernel = Kernel("choice", blocks=[block])
    kernel.arguments = [Argument("x", ArgumentKind.SCALAR, "in", "int", 8, op=x)]
    assert find_ranges(kernel)[found] == (0, 23 >> low)


@pytest.mark.parametrize(("kind", "by"), [("add", 255), ("sub", 1)])
def test_a_sum_of_lowest_bits_goes_by_the_whole_number(kind: str, by: int) -> None:
    """Of `n` from 3 to 32 the lowest five bits can be any; those of `n - 1` are from 2 on."""
    making = Making(Random(1), block := Block("entry"))
    n = ArgumentOp((), 8, {"name": "n"}, name="n")
    lowest = making.op("extract", [n], 5, low=0)
    less = making.op(kind, [lowest, constant(by & 31, 5)], 5)
    block.end = Return()
    kernel = Kernel("count", blocks=[block])
    kernel.arguments = [Argument("n", ArgumentKind.SCALAR, "in", "int", 8, op=n, least=3, most=32)]
    ranges = find_ranges(kernel)
    assert (ranges[lowest], ranges[less]) == ((0, 31), (2, 31))


@pytest.mark.parametrize("kind", ["slt", "sle"])
def test_what_stays_below_a_signed_number_is_no_wider(kind: str) -> None:
    """As in `while (head < tail)`, where both are of fewer bits than what compares them."""
    making = Making(Random(1), block := Block("entry"))
    tail = making.op("concat", [ArgumentOp((), 8, {"name": "tail"})], 8)
    sign = making.op("extract", [tail], 1, low=7)
    wide = making.op("concat", [*[sign] * 8, tail], 16)
    loop, behind = Block("loop", [Parameter((), 16)]), Block("end")
    block.end = Jump(edges=[Edge(loop, [constant(0, 16)])])
    making.block, head = loop, loop.parameters[0]
    more = making.op("add", [head, constant(1, 16)], 16)
    stays = making.op(kind, [more, wide], 1)
    loop.end, behind.end = Branch(stays, [Edge(loop, [more]), Edge(behind)]), Return()
    ranges = find_ranges(Kernel("queue", blocks=[block, loop, behind]))
    assert ranges[head] == (0, 127)
