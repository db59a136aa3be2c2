# SPDX-License-Identifier: Apache-2.0
"""loop-idioms: a loop that shifts a value until some of its bits arrive becomes one shift.

`while (!(m >> 52)) { m <<= 1; e--; }`: how often it runs is the place of a bit, which a tree of
selects finds, and what it leaves is a shift by that many places. The loop around it then has no
inner loop and can be a pipeline. A counter beside the value may end the loop too.

Requires: simplify. Only loops of one block without accesses, in which every parameter is such a
value, a counter or fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tandem.analysis.affine import AffineLoop
from tandem.analysis.trips import trips_while
from tandem.ir.blocks import Block, Jump
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.ops import (
    Add,
    And,
    Constant,
    Eq,
    Equality,
    LShr,
    Mul,
    Op,
    Or,
    Select,
    Shl,
    SLt,
    Sub,
    ULt,
    constant,
    mask,
)
from tandem.ir.ops.logic import inverse_of
from tandem.ir.wiring import Bit, Bits, bits_of
from tandem.passes.simplify import substitute

SLUG = "loop-idioms"
SUMMARY = "turn loops that shift until a bit arrives into one shift"


def run(kernel: Kernel) -> bool:
    """Replaces every loop that qualifies; whether there was any."""
    changed = False
    for block in kernel.blocks:
        if block.is_loop and block.wanted_ii is None and block.trip_count is None:
            changed |= _replace(kernel, block)
    return changed


@dataclass(frozen=True)
class _Test:
    """A test of bits of one shifted parameter, at the start of an iteration: the loop is left
    where one of them is set (`leaves`), or where none is."""

    parameter: Op
    places: tuple[int, ...]
    leaves: bool


def _replace(kernel: Kernel, block: Block) -> bool:
    if not all(op.pure for op in block.ops):
        return False
    following = block.back_edge.given
    shifts = {p: left for p, n in following.items() if (left := _shift(p, n)) is not None}
    entries = [edge for source, edge in kernel.predecessors()[block] if source is not block]
    if not shifts or len(entries) != 1:
        return False
    loop = AffineLoop(block, list(entries[0].arguments))
    steps = {p: _step(loop, p) for p in block.parameters if p not in shifts}
    if any(step is None for step in steps.values()):
        return False
    tests, others = _conditions(block, shifts)
    if len(tests) != 1:
        return False
    return _Shifting(kernel, block, loop, shifts, steps).run(tests[0], others)


def _shift(parameter: Op, following: Op) -> bool | None:
    """Whether the next value is this one shifted one place to the left; None if it is shifted
    neither there nor to the right."""
    bits = bits_of(parameter)
    if bits_of(following) == (0, *bits[:-1]):
        return True
    return False if bits_of(following) == (*bits[1:], 0) else None


def _step(loop: AffineLoop, parameter: Op) -> int | None:
    form = loop.form(parameter)
    return None if form is None else form.step


def _conditions(block: Block, shifts: dict[Op, bool]) -> tuple[list[_Test], list[tuple[Op, bool]]]:
    """What ends the loop: tests of shifted values, and others as (condition, what it stays for)."""
    assert block.end.condition is not None
    stays = bool(block.stays_when)
    tests: list[_Test] = []
    others: list[tuple[Op, bool]] = []
    work: list[tuple[Bit, bool]] = [(bits_of(block.end.condition)[0], stays)]
    while work:
        bit, wanted = work.pop()
        while (plain := inverse_of(bit)) is not None:
            bit, wanted = plain, not wanted
        if type(bit) is int:
            others.append((constant(bit, 1), wanted))
        elif isinstance(bit[0], And if wanted else Or):
            work += [(bits_of(operand)[bit[1]], wanted) for operand in bit[0].operands]
        elif (test := _test(bit, wanted, shifts)) is not None:
            tests.append(test)
        else:
            others.append((bit[0], wanted))
    return tests, others


def _test(bit: Bit, wanted: bool, shifts: dict[Op, bool]) -> _Test | None:
    """The loop stays while `bit` is `wanted`."""
    maker, place = bit
    if maker in shifts:
        return _Test(maker, (place,), not wanted)
    zero = _zero_where(maker)
    if zero is None:
        return None
    tested, is_zero = zero
    makers = {b[0] for b in tested if type(b) is not int}
    if len(makers) != 1 or not makers <= shifts.keys() or 1 in tested:
        return None
    places = tuple(b[1] for b in tested if type(b) is not int)
    return _Test(makers.pop(), places, wanted == is_zero)


def _zero_where(maker: Op) -> tuple[Bits, bool] | None:
    """(bits, whether they are all zero where the comparison holds); None for another one."""
    if isinstance(maker, Equality) and _is(maker.operands[1], 0):
        return bits_of(maker.operands[0]), isinstance(maker, Eq)
    if not isinstance(maker, (SLt, ULt)):
        return None
    left, right = maker.operands
    if isinstance(maker, SLt) and _is(right, 0):
        return bits_of(left)[-1:], False
    if isinstance(maker, SLt) and _is(left, mask(left.width)):
        return bits_of(right)[-1:], True
    if isinstance(maker, SLt):
        return None
    if isinstance(right, Constant) and right.value.bit_count() == 1:
        return bits_of(left)[right.value.bit_length() - 1 :], True
    if isinstance(left, Constant) and (left.value + 1).bit_count() == 1:
        return bits_of(right)[left.value.bit_length() :], False
    return None


def _is(value: Op, number: int) -> bool:
    return isinstance(value, Constant) and value.value == number


class _Shifting:
    """The loop's block, left as it is but for its parameters, which become their values at the
    start of the last iteration."""

    def __init__(
        self,
        kernel: Kernel,
        block: Block,
        loop: AffineLoop,
        shifts: dict[Op, bool],
        steps: dict[Op, int | None],
    ) -> None:
        self.kernel = kernel
        self.block = block
        self.loop = loop
        self.shifts = shifts
        self.steps = steps
        self.builder = Builder(kernel, Block(block.name))
        self.builder.line = block.end.line or block.line

    def run(self, test: _Test, others: Sequence[tuple[Op, bool]]) -> bool:
        """Replaces the loop; whether all that ends it could be counted."""
        arrives, turns = self._first(test)
        for condition, stay in others:
            trips = trips_while(self.builder, self.loop, condition, stay)
            if trips is None:
                return False
            arrives, turns = constant(1, 1), self._fewer(arrives, turns, trips)
        values = {p: self._last(p, turns) for p in self.block.parameters}
        self._rewrite({p: value for p, value in values.items() if value is not p})
        return True

    def _first(self, test: _Test) -> tuple[Op, Op]:
        """(whether the test ends the loop, the number of the iteration, from 0 on, in which it
        does)."""
        bits = bits_of(test.parameter)
        found: list[Op] = []
        while any(type(b) is not int for b in bits):
            found.append(self._leaves(test, bits))
            bits = (0, *bits[:-1]) if self.shifts[test.parameter] else (*bits[1:], 0)
        found.append(self._leaves(test, bits))
        return self._place(found, 0, len(found).bit_length())

    def _leaves(self, test: _Test, bits: Bits) -> Op:
        """Whether the loop is left in an iteration that starts with these bits."""
        some = self.builder.logic(Or, [self.builder.wire((bits[p],)) for p in test.places])
        return some if test.leaves else self.builder.invert(some)

    def _place(self, found: list[Op], first: int, width: int) -> tuple[Op, Op]:
        """(whether one of the bits is set, the number of the first of them)."""
        if len(found) == 1:
            return found[0], constant(first, width)
        half = 1 << ((len(found) - 1).bit_length() - 1)
        some, number = self._place(found[:half], first, width)
        others, later = self._place(found[half:], first + half, width)
        chosen = self.builder.build(Select, [some, number, later], width)
        return self.builder.logic(Or, [some, others]), chosen

    def _fewer(self, arrives: Op, turns: Op, trips: Op) -> Op:
        """The number of the last iteration where a counter ends the loop after `trips`, if the
        test has not before."""
        width = max(turns.width, trips.width)
        last = self.builder.build(Sub, [trips, constant(1, trips.width)], trips.width)
        last, turns = (self.builder.resize(v, width) for v in (last, turns))
        before = self.builder.logic(And, [arrives, self.builder.compare(ULt, turns, last)])
        return self.builder.build(Select, [before, turns, last], width)

    def _last(self, parameter: Op, turns: Op) -> Op:
        """The parameter's value at the start of the iteration of that number."""
        if parameter in self.shifts:
            kind = Shl if self.shifts[parameter] else LShr
            return self.builder.build(kind, [parameter, turns], parameter.width)
        step = self.steps[parameter]
        if not step:
            return parameter
        width = parameter.width
        way = self.builder.resize(turns, width)
        way = self.builder.build(Mul, [way, constant(step, width)], width)
        return self.builder.build(Add, [parameter, way], width)

    def _rewrite(self, values: dict[Op, Op]) -> None:
        """What was made reads the parameters as they are on entry, all else as they are at last."""
        block, leave = self.block, self.block.exit_edge
        block.end = Jump(edges=[leave], line=block.end.line)
        block.loop = NO_LOOP
        substitute(self.kernel, values)
        block.ops = [*self.builder.block.ops, *block.ops]
