# SPDX-License-Identifier: Apache-2.0
"""Linear forms: whatever bits an index is put together of, its form is the number that it is, in
every iteration; and the same index has the same form however it is spelled."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Linear, Sums
from tandem.analysis.ranges import find_ranges
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Branch, Edge, Jump, Return
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    OPERATIONS,
    Add,
    ArgumentOp,
    Constant,
    Extract,
    Mul,
    Op,
    Parameter,
    Sub,
    ULt,
    Xor,
    constant,
    mask,
)

TRIPS = 11
STEPS = (1, 2, 3, 5, 63, 60)


def a_loop(random: Random, width: int) -> tuple[Kernel, Builder, Op, list[Op]]:
    """A kernel of one counted loop, a builder in it, its counter, and what does not change in it:
    arguments, one of them known to be small."""
    kernel, loop = Kernel("f", blocks=[Block("entry")]), Block("loop")
    fixed: list[Op] = [
        ArgumentOp((), bits, {"name": f"a{bits}"}, name=f"a{bits}") for bits in (5, width)
    ]
    kernel.arguments += [
        Argument(op.name, ArgumentKind.SCALAR, "in", "int", op.width, op=op) for op in fixed
    ]
    counter: Op = Parameter((), width, name="i")
    loop.parameters, loop.trip_count = [counter], constant(TRIPS, 4)
    start, step = random.randrange(40), random.choice(STEPS)
    kernel.blocks.append(loop)
    builder = Builder(kernel, loop)
    following = builder.build(Add, [counter, constant(step, width)], width)
    more = builder.compare(ULt, following, constant(200, width))
    kernel.entry.end = Jump(edges=[Edge(loop, [constant(start, width)])])
    end = Block("end", end=Return())
    kernel.blocks.append(end)
    loop.end = Branch(more, [Edge(loop, [following]), Edge(end)])
    return kernel, builder, counter, fixed


def an_index(random: Random, builder: Builder, values: list[Op], width: int) -> Op:
    """A sum of some values, multiples of them, and constants, as the builder makes it."""
    total = values[0]
    for _ in range(random.randint(1, 4)):
        kind = random.choice(("add", "sub", "times", "low", "high", "not", "narrow"))
        other = builder.resize(random.choice(values), width)
        if kind in ("add", "sub"):
            total = builder.build(OPERATIONS[kind], [total, other], width)
        elif kind == "times":
            times = constant(random.choice((3, 4, 5, 16, 640, 641)) & mask(width), width)
            made = builder.build(Mul, [other, times], width)
            total = builder.build(Add, [total, made], width)
        elif kind == "not":
            total = builder.build(Xor, [total, constant(mask(width), width)], width)
        elif kind == "narrow":
            bits = random.randint(2, width)
            total = builder.resize(builder.extract(total, 0, bits), width)
        else:
            cut = random.randint(1, width - 1)
            low = builder.extract(total, 0, cut)
            high = builder.extract(total, cut, width - cut)
            added = builder.extract(other, 0, high.width)
            total = builder.concat(builder.build(Add, [high, added], high.width), low)
    return total


def value(op: Op, known: Mapping[Op, int]) -> int:
    """What an operation is where its inputs are known."""
    if op in known:
        return known[op]
    if isinstance(op, Constant):
        return op.value
    if isinstance(op, Extract):
        return value(op.operands[0], known) >> op.attributes["low"] & mask(op.width)
    evaluate = type(op).evaluate
    assert evaluate is not None
    operands = [value(o, known) for o in op.operands]
    return evaluate(operands, [o.width for o in op.operands], op.width) & mask(op.width)


def number(form: Linear, iteration: int, known: Mapping[Op, int]) -> int:
    total = form.constant + form.step * iteration
    total += sum(factor * value(op, known) for op, factor in form.terms.items())
    return total & mask(form.width)


@pytest.mark.parametrize("seed", range(6))
def test_a_form_is_the_number_in_every_iteration(seed: int) -> None:
    random = Random(seed)
    forms = 0
    for _ in range(150):
        width = random.choice((6, 8, 12, 16))
        kernel, builder, counter, fixed = a_loop(random, width)
        index = an_index(random, builder, [counter, *fixed], width)
        entry = kernel.entry.end.edges[0]
        for ranges in (find_ranges(kernel), {}):
            loop = AffineLoop(kernel.blocks[1], list(entry.arguments), ranges=ranges)
            found = [loop.form(index), loop.apart.form(index)]
            forms += found[0] is not None
            first, step = entry.arguments[0].value, loop.increments[counter]
            if step is None:  # it is known to run once
                assert ranges[counter] == (first, first)
                continue
            for iteration in range(TRIPS):
                known = {op: random.randrange(1 << op.width) for op in fixed}
                known[counter] = first + step * iteration & mask(width)
                if ranges and not ranges[counter][0] <= known[counter] <= ranges[counter][1]:
                    break  # it has wrapped, and the loop has ended
                wanted = value(index, known)
                assert all(f is None or number(f, iteration, known) == wanted for f in found)
            whole = Sums(ranges).form(index)
            known = {op: random.randrange(1 << op.width) for op in fixed}
            known[counter] = first
            assert whole is None or number(whole, 0, known) == value(index, known)
    assert forms > 150


def spelled(builder: Builder, y: Op, x: Op, way: int, row: int) -> Op:
    """Where the element below and before (y, x) of an array with rows of `row` elements is."""
    wide, one = [builder.resize(op, 32) for op in (y, x)], constant(1, 32)

    def add(a: Op, b: Op | int) -> Op:
        other = constant(b & mask(32), 32) if isinstance(b, int) else b
        return builder.build(Add, [a, other], a.width)

    def rows(a: Op) -> Op:
        return builder.build(Mul, [a, constant(row, 32)], 32)

    narrow = builder.resize(rows(wide[0]), 20)
    ones = constant(mask(32), 32)
    inverted = builder.build(Xor, [builder.resize(constant(row - 2, 20), 32), ones], 32)

    return [
        lambda: add(rows(add(wide[0], 1)), add(wide[1], -1)),
        lambda: add(add(rows(wide[0]), wide[1]), row - 1),
        lambda: add(add(add(rows(wide[0]), row), -1), wide[1]),
        lambda: add(add(rows(wide[0]), add(wide[1], row)), -1),
        lambda: add(rows(add(wide[0], 2)), add(add(wide[1], -row), -1)),
        lambda: builder.build(Sub, [add(rows(add(wide[0], 1)), wide[1]), one], 32),
        lambda: add(builder.resize(add(narrow, constant(row, 20)), 32), add(wide[1], -1)),
        lambda: builder.build(Sub, [add(rows(wide[0]), wide[1]), inverted], 32),
    ][way]()


@pytest.mark.parametrize("row", [2, 24, 25, 32, 500, 512, 639, 640, 641])
def test_spellings_of_one_index_have_one_form(row: int) -> None:
    kernel = Kernel("f", blocks=[Block("entry"), Block("loop")])
    y: Op = Parameter((), 6, name="y")
    x: Op = Parameter((), 10, name="x")
    loop = kernel.blocks[1]
    kernel.entry.parameters.append(y)
    loop.parameters, loop.trip_count = [x], constant(600, 10)
    builder = Builder(kernel, loop)
    indices = [spelled(builder, y, x, way, row) for way in range(8)]
    following = builder.build(Add, [x, constant(1, 10)], 10)
    loop.end = Branch(constant(1, 1), [Edge(loop, [following])])
    ranges: dict[Op, tuple[int, int]] = {y: (1, 46), x: (1, 638)}
    affine = AffineLoop(loop, [constant(1, 10)], ranges=ranges)
    forms = [affine.apart.form(index) for index in indices]
    assert forms[0] is not None and forms[0].step == 1
    assert all(f is not None and not affine_gap(f, forms[0]) for f in forms)


def affine_gap(one: Linear, other: Linear) -> list[int]:
    rest = one.plus(other, -1)
    numbers = (rest.constant, rest.step, *rest.terms.values())
    return [n for n in numbers if n & mask(one.width)]


@pytest.mark.parametrize("seed", range(4))
def test_accesses_that_keep_clear_never_meet(seed: int) -> None:
    """In a loop that runs as often as a number says, from which the places follow too."""
    random = Random(seed)
    clear = 0
    for _ in range(400):
        width = random.choice((6, 7, 9))
        n = ArgumentOp((), 5, {"name": "n"}, name="n")
        j = Parameter((), width, name="j")
        kernel, loop = Kernel("f", blocks=[Block("entry"), Block("loop")]), Block("loop")
        builder = Builder(kernel, loop)
        less = random.randrange(3)
        trips = builder.build(Sub, [builder.resize(n, 7), constant(less, 7)], 7)
        loop.parameters, loop.trip_count = [j], trips
        start, step = random.randrange(4), random.choice((1, 2, mask(width), 3))
        following = builder.build(Add, [j, constant(step, width)], width)
        loop.end = Branch(constant(1, 1), [Edge(loop, [following])])
        indices = [a_place(random, builder, n, j, width) for _ in range(2)]
        most = random.choice((9, 20, 31))
        affine = AffineLoop(
            loop, [constant(start, width)], ranges={n: (less, most)}, turns=(1, most - less)
        )
        if affine.distance(*indices) is not None:
            continue
        clear += 1
        for number in range(less + 1, most + 1):
            places = [
                {value(index, {n: number, j: start + i * step & mask(width)}) for i in range(count)}
                for index in indices
                for count in [number - less]
            ]
            assert places[0].isdisjoint(places[1])
    assert clear > 10


def a_place(random: Random, builder: Builder, n: Op, j: Op, width: int) -> Op:
    total = constant(random.randrange(6), width)
    for op, factors in ((n, (0, 0, 1, 1, 2)), (j, (0, 1, 1, 2))):
        times = constant(random.choice(factors), width)
        made = builder.build(Mul, [builder.resize(op, width), times], width)
        total = builder.build(Add, [total, made], width)
    return total
