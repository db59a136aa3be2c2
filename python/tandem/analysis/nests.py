# SPDX-License-Identifier: Apache-2.0
"""Values in nests of counted loops.

In a nest an index is  base + sum(step * iteration),  an iteration of each loop around it; base and
steps follow from the call's arguments alone, and may be products of them (`y * width + x`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tandem.analysis.affine import AffineLoop
from tandem.analysis.bit_forms import DEEPEST, form_of_wiring, stays_below
from tandem.analysis.forms import WRAPS_BITS, Form, FormMaker, narrower
from tandem.analysis.linear import Linear, Sums, reach_bits
from tandem.analysis.range_rules import range_of
from tandem.analysis.reaching import Reaching, again
from tandem.analysis.settled import settled
from tandem.analysis.trips import trip_count
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.expressions import is_expressible
from tandem.ir.kernel import Kernel
from tandem.ir.loops import always_reached
from tandem.ir.ops import (
    Add,
    Concat,
    Constant,
    Extract,
    Mul,
    Op,
    Range,
    Select,
    Sum,
    Xor,
    constant,
    mask,
    signed,
)
from tandem.ir.wiring import Bits, bits_of, leading_zeros, named_by


@dataclass
class Loop:
    """A natural loop with one latch. `every` are the blocks that run in each of its iterations."""

    header: Block
    body: set[Block]
    affine: AffineLoop
    trips: Op | None
    every: set[Block]


class Nests:
    """The loops of a kernel, outermost first, and the forms of its values. All that is made is made
    with `builder`, outside of the kernel. With `ranges` it is seen that a counter which has been
    narrowed does not wrap. Seen from a loop, `within`, what is made around it is a number."""

    def __init__(
        self,
        kernel: Kernel,
        builder: Builder,
        ranges: Mapping[Op, Range] | None = None,
        within: Block | None = None,
    ) -> None:
        self.kernel = kernel
        self.builder = builder
        self.make = FormMaker(builder)
        self.ranges = ranges or {}
        self.reaching = Reaching(kernel, builder)
        self._within = None if within is None else self.reaching.loops[within]
        self.home = {op: b for b in kernel.blocks for op in [*b.parameters, *b.ops]}
        self.loops: dict[Block, Loop] = {}
        self._forms: dict[Op | Bits, Form | None] = {}
        self._sums = Sums(self.ranges)
        bodies = sorted(self.reaching.loops.items(), key=lambda item: -len(item[1]))
        for header, body in bodies:
            loop = self._loop(header, body)
            if loop is not None:
                self.loops[header] = loop
        self._forms.clear()  # those without all loops

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        ranges: Mapping[Op, Range] | None = None,
        within: Block | None = None,
    ) -> Nests:
        """The same with a builder of their own."""
        return cls(kernel, Builder(kernel, Block("forms")), ranges, within)

    def around(self, block: Block) -> list[Block]:
        """Headers of the loops around a block, innermost first."""
        headers = [h for h, body in self.reaching.loops.items() if block in body]
        return sorted(headers, key=lambda h: len(self.reaching.loops[h]))

    # -- loops ----------------------------------------------------------------------------------

    def _loop(self, header: Block, body: set[Block]) -> Loop | None:
        latches = [b for b in body if header in b.successors]
        entries = [e.arguments for b, e in self.reaching.predecessors[header] if b not in body]
        if len(latches) != 1 or not entries:
            return None
        affine = AffineLoop(header, _of_all(entries), body, self.ranges)
        leaving = [b for b in body if any(s not in body for s in b.successors)]
        trips = self._trips(header, affine, latches[0], leaving)
        every = always_reached(header, body, self.reaching.dominators)
        return Loop(header, body, affine, trips, every)

    def _trips(
        self, header: Block, affine: AffineLoop, latch: Block, leaving: list[Block]
    ) -> Op | None:
        if header.trip_count is not None:
            return header.trip_count
        if leaving != [latch]:
            return None
        return trip_count(Builder(self.kernel, self.builder.block), affine, latch, header)

    def most_trips(self, header: Block) -> int | None:
        """How often a loop runs at most once it has been entered; None where that is not known."""
        trips = self.loops[header].trips
        if trips is None or isinstance(trips, Constant):
            return None if trips is None else trips.value
        least, most = range_of(bits_of(trips), self.ranges) or (0, 0)
        if not least:  # a count of 0 stands for one that has no place
            form = self.form(trips)
            least, most = (0, 0) if form is None or form.narrow else self.ends(form)
        is_told = (
            most > 0 and (least >= 0 or trips.width >= WRAPS_BITS) and most >> trips.width == 0
        )
        if is_told:
            return most
        zeros = leading_zeros(bits_of(trips))
        return mask(trips.width - zeros) if zeros else None

    def usual_trips(self, header: Block) -> int:
        """How often a loop runs on average once it has been entered, if the loops around it tell;
        else 0."""
        loop = self.loops.get(header)
        if loop is None or loop.trips is None:
            return 0
        if isinstance(loop.trips, Constant):
            return loop.trips.value
        form = self.form(loop.trips)
        if form is None or not form.steps or not isinstance(form.base, Constant):
            return 0
        doubled = 2 * signed(form.base.value, form.base.width)
        for around, step in form.steps.items():
            trips = self.usual_trips(around)
            if not trips or not isinstance(step, Constant):
                return 0
            doubled += signed(step.value, step.width) * (trips - 1)
        return max(1, doubled // 2)

    def ends(self, form: Form) -> tuple[int, int]:
        """Between which numbers a form is, by how often its loops run; two zeros where that is not
        known."""
        base = self.base_ends(form)
        if base is None:
            return 0, 0
        least = most = 0
        for header, step in form.steps.items():
            trips = self.most_trips(header)
            if not isinstance(step, Constant) or trips is None:
                return 0, 0
            far = signed(step.value, step.width) * (trips - 1)
            least, most = least + min(0, far), most + max(0, far)
        width = form.base.width
        if least + base[0] >= 0 and (most + base[1]) >> width == 0:  # a number without a sign
            return least + base[0], most + base[1]
        if isinstance(form.base, Constant):
            start = signed(form.base.value, width)
            return least + start, most + start
        return least + base[0], most + base[1]

    def base_ends(self, form: Form) -> tuple[int, int] | None:
        """Between which numbers a form's base is: of a constant, the number without a sign; None
        where nothing is known of what it is made of."""
        if isinstance(form.base, Constant):
            return form.base.value, form.base.value
        total = self.base_sum(form)
        if total is None or any(term not in self.ranges for term in total.terms):
            return None
        return total.bounds(self.ranges)

    def base_sum(self, form: Form) -> Linear | None:
        """A form's base as a sum of what it is made of; None where it has no such form."""
        return self.sum_of(form.base)

    def sum_of(self, op: Op) -> Linear | None:
        """What no loop changes as a sum of what it is made of; None where it has no such form."""
        total = self._sums.form(op)
        return None if total is None else Linear(op.width).plus(total).centred()

    # -- forms ----------------------------------------------------------------------------------

    def form(self, op: Op, depth: int = 0) -> Form | None:
        """The form of a value; None if it has none."""
        if op not in self._forms:
            found = self._form(op, depth)
            is_open = found is None or bool(found.narrow)
            self._forms[op] = Form(op) if is_open and self._is_fixed(op) else found
        return self._forms[op]

    def _is_fixed(self, op: Op) -> bool:
        """Whether a value stays as it is in the loop that the nests are seen from."""
        return self._within is not None and self.home.get(op) not in {None, *self._within}

    def _form(self, op: Op, depth: int) -> Form | None:
        if is_expressible(op):
            return Form(again(self.builder, op, self._settled if self.ranges else None))
        if depth > DEEPEST:
            return None
        linear = self._linear(op, depth) or self._moving(op, depth)
        if linear is not None:
            return linear
        if isinstance(op, Sum):
            return self._sum(op, depth)
        if isinstance(op, Mul):
            return self._product(op, depth)
        if isinstance(op, (Concat, Extract)):
            return self.form_of_bits(bits_of(op), depth)
        if isinstance(op, Select):
            return self._choice(op, depth)
        return self._inverse(op, depth) if isinstance(op, Xor) else None

    def form_of_bits(self, bits: Bits, depth: int) -> Form | None:
        """The form of a value that is wiring."""
        if bits not in self._forms:
            self._forms[bits] = form_of_wiring(self, bits, depth)
        return self._forms[bits]

    def _settled(self, op: Op) -> Op | None:
        return settled(op, self.ranges, self._sums)

    def _choice(self, op: Op, depth: int) -> Form | None:
        """One of two, by what the call's arguments tell."""
        condition = op.operands[0]
        a, b = (self.form(o, depth + 1) for o in op.operands[1:])
        if a is None or b is None or not is_expressible(condition):
            return None
        return self.make.chosen(again(self.builder, condition), a, b)

    def _linear(self, op: Op, depth: int) -> Form | None:
        """By the innermost counted loop that makes the value, with factors that are numbers."""
        home = self._loop_of(op)
        if home is None:
            return None
        found = home.affine.form(op)
        if found is None or op in found.terms:
            return None
        total = Form(constant(found.constant, op.width))
        if found.step:
            total.steps[home.header] = constant(found.step, op.width)
        for term, factor in found.terms.items():
            part = self.form(term, depth + 1)
            if part is None:
                return None
            wide = self.make.resized(part, op.width, is_signed=False)
            is_whole = reach_bits(term, factor) >= op.width
            if not is_whole and not stays_below(self, part, bits_of(term)):
                wide.narrow = narrower(wide.narrow, term.width)
            total = self.make.plus(total, self.make.scaled(wide, constant(factor, op.width)))
        return total

    def _moving(self, op: Op, depth: int) -> Form | None:
        """A loop's parameter that goes on in every iteration by what the call tells."""
        loop = self.loops.get(self.home.get(op, self.kernel.entry))
        first = loop.affine.initial.get(op) if loop is not None else None
        if loop is None or first is None:
            return None
        following = self._sums.form(loop.affine.following[op])
        if following is None or following.terms.get(op) != 1:
            return None
        start, step = self.form(first, depth + 1), Form(constant(following.constant, op.width))
        for term, factor in following.terms.items():
            part = None if term is op else self.form(term, depth + 1)
            if part is not None and not part.steps and not part.narrow:
                wide = self.make.resized(part, op.width, is_signed=False)
                step = self.make.plus(step, self.make.scaled(wide, constant(factor, op.width)))
            elif term is not op:
                return None
        return (
            None
            if start is None
            else self.make.plus(start, Form(constant(0, op.width), {loop.header: step.base}))
        )

    def _loop_of(self, op: Op) -> Loop | None:
        """The innermost loop in which some bit of the value is made."""
        blocks = {self.home[maker] for maker in named_by(op) if maker in self.home}
        headers = [h for b in blocks for h in self.around(b) if h in self.loops]
        inner = min(headers, key=lambda h: len(self.reaching.loops[h]), default=None)
        return None if inner is None else self.loops[inner]

    def _sum(self, op: Op, depth: int) -> Form | None:
        a, b = (self.form(o, depth + 1) for o in op.operands)
        if a is None or b is None:
            return None
        sign = constant(1 if isinstance(op, Add) else -1, op.width)
        return self.make.plus(a, self.make.scaled(b, sign))

    def _product(self, op: Op, depth: int) -> Form | None:
        a, b = (self.form(o, depth + 1) for o in op.operands)
        if a is None or b is None or (a.steps and b.steps):
            return None
        if a.steps:
            return self.make.scaled(a, b.base)
        return self.make.scaled(b, a.base)

    def _inverse(self, op: Op, depth: int) -> Form | None:
        """All bits turned over: -1 - x."""
        part, ones = (op.operands[0], op.operands[-1])
        if not isinstance(ones, Constant) or ones.value != mask(op.width) or len(op.operands) != 2:
            return None
        form, minus_one = self.form(part, depth + 1), constant(-1, op.width)
        return (
            None
            if form is None
            else self.make.scaled(self.make.plus(form, _one(op.width)), minus_one)
        )


def _of_all(entries: list[list[Op]]) -> list[Op | None]:
    """What a loop's parameters begin with, where that is one value on all ways into it."""
    return [values[0] if len({*values}) == 1 else None for values in zip(*entries, strict=True)]


def _one(width: int) -> Form:
    return Form(constant(1, width))
