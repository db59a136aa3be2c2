# SPDX-License-Identifier: Apache-2.0
"""How far accesses in nests of counted loops reach.

In a nest an index is  base + sum(step * iteration),  an iteration of each loop around it; base and
steps follow from the call's arguments alone, and may be products of them (`y * width + x`). Over
iterations 0 .. trips - 1 its least and greatest value lie at the corners, taken loop by loop from
the innermost; the trips of an inner loop may themselves step with outer ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Linear, Sums, reach_bits
from tandem.analysis.ranges import range_of
from tandem.analysis.reaching import Reaching, again
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
    Parameter,
    Range,
    Select,
    SLt,
    Sum,
    ULt,
    Xor,
    constant,
    mask,
    signed,
)
from tandem.ir.wiring import (
    Bits,
    bits_of,
    extended_from,
    is_constant,
    is_zero,
    leading_zeros,
    named_by,
    number,
)

REACH_BITS = 128
"""Reaches are computed as signed numbers so wide that no product of two 64-bit numbers wraps."""
DEEPEST = 64
"""Products and sums are followed so far; deeper ones are not the addresses of a nest."""
MOST_REACHED = 1 << 14
"""Elements that are looked at one by one."""
POINTER_BITS = 64
"""No product of sizes that an array has wraps in so many bits."""
WRAPS_BITS = 32
"""C counts with `int` and more without wrapping; a narrower signed value may well wrap."""


@dataclass
class Loop:
    """A natural loop with one latch. `every` are the blocks that run in each of its iterations."""

    header: Block
    body: set[Block]
    affine: AffineLoop
    trips: Op | None
    every: set[Block]


@dataclass
class Form:
    """base + sum(steps[loop] * iteration), modulo 2^width. `narrow` are the fewest bits from which
    a part was extended that may have wrapped there, 0 for none; so many hold in any case."""

    base: Op
    steps: dict[Block, Op] = field(default_factory=dict)
    narrow: int = 0


@dataclass
class Reach:
    """The least and greatest element that an access reaches, signed in REACH_BITS, and the
    condition under which it runs at all. `exact`: the corners are really reached."""

    low: Op
    high: Op
    condition: Op
    exact: bool


@dataclass(frozen=True)
class _Product:
    """A number times numbers that only a call tells."""

    factor: int
    of: tuple[Op, ...] = ()

    def goes_on_from(self, run: _Product) -> bool:
        """Whether a loop with this step leaves no gap behind so many elements."""
        if not (self.of or run.of):
            return 0 < self.factor <= run.factor
        return self == run


class Nests:
    """The loops of a kernel, outermost first, and the reach of its accesses. All values are made
    with `builder`, outside of the kernel. With `ranges` it is seen that a counter which has been
    narrowed does not wrap."""

    def __init__(
        self, kernel: Kernel, builder: Builder, ranges: Mapping[Op, Range] | None = None
    ) -> None:
        self.kernel = kernel
        self.builder = builder
        self.ranges = ranges or {}
        self.reaching = Reaching(kernel, builder)
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
    def of(cls, kernel: Kernel, ranges: Mapping[Op, Range] | None = None) -> Nests:
        """The same with a builder of their own."""
        return cls(kernel, Builder(kernel, Block("forms")), ranges)

    def around(self, block: Block) -> list[Block]:
        """Headers of the loops around a block, innermost first."""
        headers = [h for h, body in self.reaching.loops.items() if block in body]
        return sorted(headers, key=lambda h: len(self.reaching.loops[h]))

    def reach(self, block: Block, op: Op) -> Reach | None:
        """How far a load or store in `block` reaches; None if that cannot be told."""
        headers = self.around(block)
        conditions = [self.reaching.condition(b) for b in (block, *headers)]
        form = self.form(op.index)
        if form is None or any(h not in self.loops for h in headers):
            return None
        corners = self._corners(form, headers)
        if corners is None:
            return None
        # The innermost one that is known: outside of it, a loop's bounds may be any numbers.
        condition = next((c for c in conditions if c is not None), constant(1, 1))
        enabled = self.reaching.enabled(condition, op)
        exact = enabled is not None and conditions[-1] is not None and not form.narrow
        inner = block
        for header in headers:
            exact &= inner in self.loops[header].every
            inner = header
        return Reach(*corners, enabled or condition, exact)

    def fills(self, stores: Sequence[tuple[Block, Op]]) -> bool:
        """Whether stores of one nest write every element from the first one of the array up to the
        furthest that they reach, in each call of which the extent holds."""
        headers = self.around(stores[0][0])
        patterns = [self._pattern(block, op) for block, op in stores]
        if patterns[0] is None or any(self.around(block) != headers for block, _ in stores):
            return False
        _, steps, condition = patterns[0]
        if any(p is None or p[1:] != (steps, condition) for p in patterns):
            return False
        firsts = {p[0] for p in patterns if p is not None}
        return self._go_on(firsts, dict(steps)) or self._reach_all(firsts, dict(steps))

    def _reach_all(self, firsts: set[int], steps: dict[Block, _Product]) -> bool:
        """Whether loops that run as often as constants say come to every element up to the
        furthest, each by itself."""
        reached = set(firsts)
        for header, step in steps.items():
            trips = self._trips_of(self.loops[header])
            if step.of or trips is None or trips.of or len(reached) * trips.factor > MOST_REACHED:
                return False
            reached = {at + step.factor * n for at in reached for n in range(trips.factor)}
        return reached == {*range(len(reached))}

    def _go_on(self, firsts: set[int], left: dict[Block, _Product]) -> bool:
        """Whether each loop goes on where those with smaller steps have come to."""
        run = _Product(len(firsts))  # elements without a gap, from the first one on
        while left:
            header = next((h for h, step in left.items() if step.goes_on_from(run)), None)
            if header is None:
                return False
            step, trips = left.pop(header), self._trips_of(self.loops[header])
            if trips is None:
                return not left and firsts == {*range(len(firsts))}
            run = _after(run, step, trips)
        return firsts == {*range(len(firsts))}

    def _pattern(
        self, block: Block, op: Op
    ) -> tuple[int, tuple[tuple[Block, _Product], ...], Bits] | None:
        """(first element, steps, condition) of a store that happens in every iteration; None where
        that cannot be told."""
        reach, form = self.reach(block, op), self.form(op.index)
        if reach is None or form is None or not reach.exact or not isinstance(form.base, Constant):
            return None
        found = {header: _product(step) for header, step in form.steps.items()}
        steps = {h: s for h, s in found.items() if s is not None and s.factor}
        if any(step is None for step in found.values()):
            return None
        ordered = tuple(sorted(steps.items(), key=lambda pair: pair[0].name))
        return signed(form.base.value, form.base.width), ordered, bits_of(reach.condition)

    def _trips_of(self, loop: Loop) -> _Product | None:
        form = self.form(loop.trips) if loop.trips is not None else None
        if form is None or form.steps:
            return None
        if isinstance(form.base, Constant):  # counts are unsigned
            return _Product(form.base.value)
        return _product(form.base)

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
            least, most = (0, 0) if form is None or form.narrow else self._ends(form)
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

    def _ends(self, form: Form) -> tuple[int, int]:
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
            self._forms[op] = self._form(op, depth)
        return self._forms[op]

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
            return self._of_bits(bits_of(op), depth)
        if isinstance(op, Select):
            return self._choice(op, depth)
        return self._inverse(op, depth) if isinstance(op, Xor) else None

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
            wide = self._resized(part, op.width, is_signed=False)
            is_whole = reach_bits(term, factor) >= op.width
            if not is_whole and not self._stays_below(part, bits_of(term)):
                wide.narrow = _narrower(wide.narrow, term.width)
            total = self._plus(total, self._scaled(wide, constant(factor, op.width)))
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
                wide = self._resized(part, op.width, is_signed=False)
                step = self._plus(step, self._scaled(wide, constant(factor, op.width)))
            elif term is not op:
                return None
        return (
            None
            if start is None
            else self._plus(start, Form(constant(0, op.width), {loop.header: step.base}))
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
        return self._plus(a, self._scaled(b, sign))

    def _product(self, op: Op, depth: int) -> Form | None:
        a, b = (self.form(o, depth + 1) for o in op.operands)
        if a is None or b is None or (a.steps and b.steps):
            return None
        if a.steps:
            return self._scaled(a, b.base)
        return self._scaled(b, a.base)

    def _of_bits(self, bits: Bits, depth: int) -> Form | None:
        """The form of a value that is wiring."""
        if bits not in self._forms:
            self._forms[bits] = self._of_new_bits(bits, depth)
        return self._forms[bits]

    def _of_new_bits(self, bits: Bits, depth: int) -> Form | None:
        if depth > DEEPEST or not bits:
            return None
        if is_constant(bits):
            return Form(constant(number(bits), len(bits)))
        low = next(i for i, bit in enumerate(bits) if type(bit) is not int)
        count = _before_extension(bits)
        if low or count < len(bits):
            return self._around(bits, low, count, depth)
        return self._of_parts(bits, depth)

    def _around(self, bits: Bits, low: int, count: int, depth: int) -> Form | None:
        """Bits above constant ones, or extended from fewer."""
        inside = bits[low:count]
        is_signed = count < len(bits) and not is_zero(bits[-1])
        if is_signed and len(inside) < WRAPS_BITS:
            return None
        part = self._of_bits(inside, depth + 1)
        if part is None or (is_signed and _is_cut(inside)):
            return None
        whole = self._resized(part, len(bits), is_signed)
        if count < len(bits) and (is_signed or not self._stays_below(part, inside)):
            whole.narrow = _narrower(whole.narrow, count)
        below = Form(constant(number(bits[:low]), len(bits)))
        return self._plus(self._scaled(whole, constant(1 << low, len(bits))), below)

    def _stays_below(self, form: Form, bits: Bits) -> bool:
        """Whether bits are all that a value ever has, and its steps lead from each iteration to the
        next without wrapping: there are more numbers that it never is than a step is long."""
        if self._ends_below(form, len(bits)) or not (form.steps or form.narrow):
            return True
        found = range_of(bits, self.ranges)
        if found is None or len(form.steps) > 1:
            return False
        never = found[0] + mask(len(bits)) - found[1]
        values = [bit[0] for bit in bits if type(bit) is not int]
        return all(
            _longest(step) <= never
            and self.loops[header].every.issuperset(self._sources(values, header))
            for header, step in form.steps.items()
        )

    def _ends_below(self, form: Form, width: int) -> bool:
        """Whether numbers alone say that a form has no more bits in any iteration of its loops."""
        if form.narrow or not isinstance(form.base, Constant):
            return False
        least, most = self._ends(form)
        return least >= 0 and 0 < most <= mask(width)

    def _sources(self, values: Iterable[Op], header: Block) -> set[Block]:
        """The blocks of a loop that have to run for values to be in their ranges: what is computed
        of others is so wherever it is computed."""
        found: set[Block] = set()
        seen: set[Op] = set()
        work = list(values)
        while work:
            op = work.pop()
            home = self.home.get(op)
            if op in seen or home not in self.loops[header].body:
                continue
            seen.add(op)
            if op.pure and not isinstance(op, Parameter):
                work += op.operands
            else:
                found.add(home)
        return found

    def _of_parts(self, bits: Bits, depth: int) -> Form | None:
        """Bits that are a value's lowest, or a sum's above others: low bits below a sum a + b are
        the low bits below a, plus b shifted above them."""
        width, count = len(bits), _top_run(bits)
        top, first = bits[-count] if type(bits[-count]) is not int else (None, 0)
        if top is None or first != 0:
            return None
        if count == width:
            part = self.form(top, depth + 1)
            return None if part is None else self._resized(part, width)
        if not isinstance(top, Sum):
            return self._of_high_and_low(bits, depth)
        left, right = top.operands
        orders = [(left, right), (right, left)] if isinstance(top, Add) else [(left, right)]
        found = [self._of_sum_above(bits, count, *pair, depth) for pair in orders]
        forms = [form for form in found if form is not None]
        return min(forms, key=lambda form: form.narrow != 0, default=None)

    def _of_sum_above(self, bits: Bits, count: int, left: Op, right: Op, depth: int) -> Form | None:
        """Bits whose `count` highest are a sum of two values, or the difference, if those below
        belong to the first of the two."""
        is_sum, width = isinstance(bits[-1][0], Add), len(bits)
        below = self._of_bits(bits[:-count] + bits_of(left)[:count], depth + 1)
        added = self.form(right, depth + 1)
        if below is None or added is None:
            return None
        factor = (1 if is_sum else -1) << (width - count)
        return self._plus(below, self._scaled(self._resized(added, width), constant(factor, width)))

    def _of_high_and_low(self, bits: Bits, depth: int) -> Form | None:
        """Bits of one value below those of others."""
        source, first = bits[0] if type(bits[0]) is not int else (None, 0)
        run = 1
        while run < len(bits) and bits[run] == (source, first + run):
            run += 1
        if run == len(bits):
            return None
        low = self._of_bits(bits[:run] + (0,) * (len(bits) - run), depth + 1)
        high = self._of_bits((0,) * run + bits[run:], depth + 1)
        return None if low is None or high is None else self._plus(low, high)

    def _settled(self, op: Op) -> Op | None:
        """What a value is that can be but one number, or of whose sides only one counts."""
        least, most = self.ranges.get(op, (0, 1))
        if least == most and not isinstance(op, Constant):
            return constant(least, op.width)
        return self._only_side(op) if isinstance(op, Select) else None

    def _only_side(self, op: Op) -> Op | None:
        """The first side of `k < y ? y + d : k + d` where y is never less than k."""
        condition, yes, no = op.operands
        if not isinstance(condition, (ULt, SLt)) or not isinstance(no, Constant):
            return None
        least, number = condition.operands
        base, side = self._sums.form(number), self._sums.form(yes)
        if not isinstance(least, Constant) or base is None or side is None:
            return None
        base = Linear(number.width).plus(base).centred()
        if any(term not in self.ranges for term in base.terms):
            return None
        ends = base.bounds(self.ranges)
        if ends[0] < least.value or ends[1] >> (number.width - 1):
            return None
        rest = Linear(op.width).plus(side).plus(base, -1).centred()
        is_met = (least.value + rest.constant - no.value) & mask(op.width) == 0
        return yes if is_met and not rest.terms else None

    def _choice(self, op: Op, depth: int) -> Form | None:
        """One of two, by what the call's arguments tell."""
        condition = op.operands[0]
        a, b = (self.form(o, depth + 1) for o in op.operands[1:])
        if a is None or b is None or not is_expressible(condition):
            return None
        condition, zero = again(self.builder, condition), constant(0, op.width)

        def chosen(x: Op, y: Op) -> Op:
            return self.builder.build(Select, [condition, x, y], op.width)

        steps = {
            h: chosen(a.steps.get(h, zero), b.steps.get(h, zero))
            for h in dict.fromkeys([*a.steps, *b.steps])
        }
        return Form(chosen(a.base, b.base), steps, _narrower(a.narrow, b.narrow))

    def _inverse(self, op: Op, depth: int) -> Form | None:
        """All bits turned over: -1 - x."""
        part, ones = (op.operands[0], op.operands[-1])
        if not isinstance(ones, Constant) or ones.value != mask(op.width) or len(op.operands) != 2:
            return None
        form, minus_one = self.form(part, depth + 1), constant(-1, op.width)
        return None if form is None else self._scaled(self._plus(form, _one(op.width)), minus_one)

    def _resized(self, form: Form, width: int, is_signed: bool = True) -> Form:
        resize = self.builder.resize
        steps = {h: resize(s, width, True) for h, s in form.steps.items()}
        narrow = form.narrow if form.narrow < width else 0
        return Form(resize(form.base, width, is_signed), steps, narrow)

    def _scaled(self, form: Form, factor: Op) -> Form:
        def times(op: Op) -> Op:
            return self.builder.build(Mul, [op, factor], op.width)

        return Form(times(form.base), {h: times(s) for h, s in form.steps.items()}, form.narrow)

    def _plus(self, a: Form, b: Form) -> Form:
        def plus(x: Op, y: Op) -> Op:
            return self.builder.build(Add, [x, y], x.width)

        steps = dict(a.steps)
        for header, step in b.steps.items():
            steps[header] = plus(steps[header], step) if header in steps else step
        return Form(plus(a.base, b.base), steps, _narrower(a.narrow, b.narrow))

    # -- corners --------------------------------------------------------------------------------

    def _corners(self, form: Form, headers: list[Block]) -> tuple[Op, Op] | None:
        """(least, greatest) value over the iterations of the loops, innermost first."""
        wide = self._resized(form, REACH_BITS)
        low, high = wide, wide
        for header in headers:
            step = high.steps.pop(header, None)
            same = low is high
            low_step = step if same else low.steps.pop(header, None)
            if step is None and low_step is None:
                continue
            last = self._last_iteration(self.loops[header])
            if last is None or step is None or low_step is None:
                return None
            moves = [self._moved(f, s, last) for f, s in ((low, low_step), (high, step))]
            if moves[0] is None or moves[1] is None:
                return None
            low, high = moves[0][0], moves[1][1]
        return (low.base, high.base) if not (low.steps or high.steps) else None

    def _last_iteration(self, loop: Loop) -> Form | None:
        """The number of the loop's last iteration, from 0."""
        if loop.trips is None:
            return None
        form = self.form(loop.trips)
        if form is None:
            return None
        wide = self._resized(form, REACH_BITS, is_signed=False)
        return self._plus(wide, Form(constant(-1, REACH_BITS)))

    def _moved(self, form: Form, step: Op, last: Form) -> tuple[Form, Form] | None:
        """The form at the corner where a loop's part is least, and where it is greatest."""
        rest = Form(form.base, dict(form.steps), form.narrow)
        far = self._scaled(last, step)
        if not far.steps:
            zero = constant(0, REACH_BITS)
            negative = self.builder.compare(SLt, far.base, zero)
            least = self.builder.build(Select, [negative, far.base, zero], REACH_BITS)
            most = self.builder.build(Select, [negative, zero, far.base], REACH_BITS)
            return self._plus(rest, Form(least)), self._plus(rest, Form(most))
        at_end = self._plus(rest, far)
        if is_zero(bits_of(step)[-1]):
            return rest, at_end
        return (at_end, rest) if isinstance(step, Constant) else None


def _after(run: _Product, step: _Product, trips: _Product) -> _Product:
    """How many elements have no gap after a loop whose first iteration has made a run of them."""
    if not (run.of or step.of or trips.of):
        return _Product(run.factor + step.factor * (trips.factor - 1))
    if step != run:  # it goes over some again: as far as the first ones in any case
        return run
    of = sorted((*run.of, *trips.of), key=id)
    return _Product(run.factor * trips.factor, tuple(of))


def _product(op: Op) -> _Product | None:
    """A value as a product; of numbers that are extended, as these are: an extent holds for calls
    in which they are not negative. Narrow products may wrap, and are numbers of their own."""
    if isinstance(op, Constant):
        return _Product(signed(op.value, op.width))
    if isinstance(op, Mul) and op.width >= POINTER_BITS:
        left, right = (_product(operand) for operand in op.operands)
        if left is None or right is None:
            return None
        of = sorted((*left.of, *right.of), key=id)
        return _Product(left.factor * right.factor, tuple(of))
    source = extended_from(bits_of(op))
    if source is None:
        return None
    is_wide = isinstance(source, Mul) and source.width >= POINTER_BITS
    return _product(source) if is_wide and source is not op else _Product(1, (source,))


def _of_all(entries: list[list[Op]]) -> list[Op | None]:
    """What a loop's parameters begin with, where that is one value on all ways into it."""
    return [values[0] if len({*values}) == 1 else None for values in zip(*entries, strict=True)]


def _longest(step: Op) -> int:
    """How far a step goes at most, up or down."""
    if isinstance(step, Constant):
        return abs(signed(step.value, step.width))
    return mask(step.width - leading_zeros(bits_of(step)))


def _narrower(a: int, b: int) -> int:
    """The smaller of two numbers of bits, 0 standing for none."""
    return min(a, b) if a and b else a or b


def _one(width: int) -> Form:
    return Form(constant(1, width))


def _before_extension(bits: Bits) -> int:
    """How many bits a value has without the zeros or copies of its sign at its top."""
    count = len(bits)
    if is_zero(bits[-1]):
        while count > 1 and is_zero(bits[count - 1]):
            count -= 1
        return count
    while count > 1 and bits[count - 1] == bits[count - 2]:
        count -= 1
    return count


def _top_run(bits: Bits) -> int:
    """How many bits at the top follow each other in one value."""
    count = 1
    while count < len(bits):
        above, below = bits[-count], bits[-count - 1]
        if type(above) is int or type(below) is int or below != (above[0], above[1] - 1):
            break
        count += 1
    return count


def _is_cut(bits: Bits) -> bool:
    """Whether the value whose bits are at the top goes on above them."""
    top = bits[-1]
    return type(top) is not int and top[1] + 1 < top[0].width
