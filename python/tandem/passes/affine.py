# SPDX-License-Identifier: Apache-2.0
"""Values that are linear in a loop's iteration number, and what follows for memory accesses.

A `Linear` form stands for  constant + step * iteration + sum(factor * value),  modulo 2^width,
where every value is fixed while the loop runs, and one of fewer bits is extended by zeros.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Op, constant
from tandem.ir.operations import mask, signed
from tandem.ir.wiring import Bits, bits_of, named_by, segments


@dataclass
class Linear:
    width: int
    constant: int = 0
    step: int = 0
    terms: dict[Op, int] = field(default_factory=dict)

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        terms = dict(self.terms)
        for op, weight in other.terms.items():
            terms[op] = terms.get(op, 0) + factor * weight
        return Linear(
            self.width,
            self.constant + factor * other.constant,
            self.step + factor * other.step,
            {op: weight for op, weight in terms.items() if weight},
        )

    def scaled(self, factor: int, width: int) -> Linear:
        return Linear(width).plus(self, factor)

    def centred(self) -> Linear:
        """The same with every number as a signed one of `width` bits."""

        def near(number: int) -> int:
            return signed(number & mask(self.width), self.width)

        terms = {op: near(weight) for op, weight in self.terms.items()}
        return Linear(self.width, near(self.constant), near(self.step), terms)

    def fits(self, width: int) -> bool:
        """Whether the sum is surely less than 2^width, so that the form holds in more bits too."""
        if self.step or any(factor < 0 for factor in self.terms.values()):
            return False
        most = sum(factor * mask(op.width) for op, factor in self.terms.items())
        return 0 <= self.constant <= mask(width) - most

    def after(self, iterations: int) -> Linear:
        """The fixed value that the form has after some iterations."""
        return Linear(self.width, self.constant + iterations * self.step, 0, self.terms)

    def value(self, builder: Builder) -> Op:
        """A form that does not change with the iteration, made with `builder`. The constant comes
        last, where others may join it."""
        total = constant(0, self.width)
        for op, factor in self.terms.items():
            wide = builder.resize(op, self.width)
            scaled = builder.build("mul", [wide, constant(factor, self.width)], self.width)
            total = builder.build("add", [total, scaled], self.width)
        return builder.build("add", [total, constant(self.constant, self.width)], self.width)


TERM_LIMIT = 8
"""A sum of more values is a value of its own: the forms of a long chain of sums would take time
that grows with its square."""


class Sums:
    """Values as sums of others at one place of the kernel; what is no sum is a term of its own."""

    def __init__(self) -> None:
        self._forms: dict[Op, Linear | None] = {}
        self._same: dict[Bits, Op] = {}

    def form(self, op: Op) -> Linear | None:
        """The linear form of `op`, None when it has none."""
        work = [op]
        while work:
            missing = [o for o in self._needs(work[-1]) if o not in self._forms]
            work += missing
            if not missing:
                last = work.pop()
                if last not in self._forms:
                    self._forms[last] = self._compute(last)
        return self._forms[op]

    def _whole(self, op: Op) -> Linear | None:
        """The form of what is no sum; values with the same bits are one term."""
        same = self._same.setdefault(bits_of(op), op)
        return Linear(op.width, terms={same: 1})

    def _needs(self, op: Op) -> list[Op]:
        """The values whose forms make the form of `op`."""
        if op.kind in ("concat", "extract"):
            return [source for source, _, _ in segments(bits_of(op)) if source is not None]
        return op.operands if op.kind in ("add", "sub", "mul") else []

    def _compute(self, op: Op) -> Linear | None:
        form = self._sum(op)
        return self._whole(op) if form is None or len(form.terms) > TERM_LIMIT else form

    def _sum(self, op: Op) -> Linear | None:
        if op.kind == "constant":
            return Linear(op.width, op.value)
        if op.kind in ("concat", "extract"):
            return self._wiring(op)
        if op.kind in ("add", "sub"):
            a, b = (self._forms[o] for o in op.operands)
            return a.plus(b, 1 if op.kind == "add" else -1) if a and b else None
        if op.kind == "mul" and op.operands[1].kind == "constant":
            a = self._forms[op.operands[0]]
            return a.scaled(op.operands[1].value, op.width) if a else None
        return None

    def _wiring(self, op: Op) -> Linear | None:
        """Parts that reach the top of the value count modulo 2^width; others must not wrap."""
        bits = bits_of(op)
        stepped = self._stepped(bits)
        if stepped is not None:
            return stepped
        total = Linear(op.width)
        position = 0
        for source, low, width in segments(bits):
            if source is None:
                total = total.plus(Linear(op.width, low << position))
            else:
                part = self._part(source, low)
                if part is None or not (position + width == op.width or self._extends(part, width)):
                    return None
                total = total.plus(part, 1 << position)
            position += width
        return total

    def _extends(self, part: Linear, width: int) -> bool:
        """Whether a form of `width` bits holds in more, where zeros or other parts are above."""
        return part.fits(width)

    def _stepped(self, bits: Bits) -> Linear | None:
        """A sum whose low bits pass through: the bits s[0..k) below s[k..) + t are s + (t << k)."""
        source, low, width = next(segments(bits))
        if source is None or low or source.width < len(bits) or width == len(bits):
            return None
        high, rest = bits[width:], bits_of(source)[width : len(bits)]
        adder = high[0][0] if type(high[0]) is not int else None
        if adder is None or adder.kind != "add" or bits_of(adder) != high:
            return None
        if bits_of(adder.operands[0]) != rest:
            return None
        form, added = self._forms[source], self._forms.get(adder.operands[1])
        if form is None or added is None:
            return None
        return Linear(len(bits)).plus(form).plus(added, 1 << width)

    def _part(self, source: Op, low: int) -> Linear | None:
        """The form of source >> low."""
        form = self._forms[source]
        if form is None or low == 0:
            return form
        form = form.centred()
        step = 1 << low
        numbers = [form.constant, form.step, *form.terms.values()]
        if any(n % step for n in numbers):
            return None
        terms = {op: n // step for op, n in form.terms.items()}
        return Linear(form.width - low, form.constant // step, form.step // step, terms)


def taken_apart(form: Linear) -> Linear:
    """A form with the sums that are its terms as sums: what two have in common is then seen."""
    sums = Sums()
    total = Linear(form.width, form.constant, form.step)
    for op, factor in form.terms.items():
        reach = op.width + (factor & -factor).bit_length() - 1
        part = sums.form(op) if reach >= form.width else None
        total = total.plus(part or Linear(form.width, terms={op: 1}), factor)
    return total


class AffineLoop(Sums):
    """Linear forms of the values of one loop; `initial` are the first values of its header's
    parameters (None where several edges enter the loop). `body` are its blocks, where it has more
    than the header; one of them then has the only edge back."""

    def __init__(
        self, block: Block, initial: list[Op | None], body: set[Block] | None = None
    ) -> None:
        super().__init__()
        self.block = block
        blocks = body or {block}
        self.own = {op for b in blocks for op in [*b.ops, *b.parameters]}
        self.joins = _joins(block, blocks)
        self.initial = dict(zip(block.parameters, initial, strict=True))
        back = next(e for b in blocks for e in b.end.edges if e.block is block)
        self.following = dict(zip(block.parameters, back.arguments, strict=True))
        self.increments: dict[Op, int | None] = {}
        for parameter in block.parameters:
            self.increments[parameter] = self._increment(parameter)

    def _needs(self, op: Op) -> list[Op]:
        if op in self.joins:
            return self.joins[op]
        if op not in self.own and op.kind not in ("concat", "extract"):
            return []
        return super()._needs(op)

    def _compute(self, op: Op) -> Linear | None:
        if op.kind == "constant" or self._moves(op):
            return self._parameter(op) if op.kind == "parameter" else self._sum(op)
        return self._whole(op)

    def _extends(self, part: Linear, width: int) -> bool:
        """Terms stay as wide as the form, since extents take narrower ones for signed. Without any
        it is known how far a loop of known length goes."""
        trips = self.block.trip_count
        if part.terms or trips is None or trips.kind != "constant":
            return False
        part = part.centred()
        last = part.constant + part.step * (trips.value - 1)
        return min(part.constant, last) >= 0 and max(part.constant, last) <= mask(width)

    def _moves(self, op: Op) -> bool:
        """Whether the value is made in the loop."""
        return any(maker in self.own for maker in named_by(op))

    def _parameter(self, op: Op) -> Linear | None:
        if op in self.joins:
            forms = [self._forms[o] for o in self.joins[op]]
            return forms[0] if all(f == forms[0] for f in forms) else None
        increment, start = self.increments.get(op), self.initial.get(op)
        if increment is None or start is None:
            return None
        if start.kind == "constant":
            return Linear(op.width, start.value, increment)
        return Linear(op.width, 0, increment, {start: 1})

    def _increment(self, op: Op) -> int | None:
        """c where the parameter's next value is itself + c. No other parameter may take part."""
        self._forms = dict.fromkeys(self.block.parameters)
        self._forms[op] = Linear(op.width, terms={op: 1})
        form = self.form(self.following[op])
        self._forms = {}
        if form is None or form.terms != {op: 1} or form.step:
            return None
        return form.constant


def _joins(header: Block, body: set[Block]) -> dict[Op, list[Op]]:
    """What each parameter may be where ways through a loop's body meet again; those of loops inside
    it are left out."""
    found: dict[Op, list[Op]] = {}
    for block in body - {header}:
        if block.parameters and not _comes_again(block, header, body):
            edges = [e for b in body for e in b.end.edges if e.block is block]
            for i, parameter in enumerate(block.parameters):
                found[parameter] = [e.arguments[i] for e in edges]
    return found


def _comes_again(block: Block, header: Block, body: set[Block]) -> bool:
    """Whether control comes to a block twice in one iteration of the loop."""
    work, seen = list(block.successors), {header}
    while work:
        current = work.pop()
        if current is block:
            return True
        if current in body and current not in seen:
            seen.add(current)
            work += current.successors
    return False


UNKNOWN = -1
FAR = 1 << 31
"""Iterations beyond which two accesses are as good as never the same."""


@dataclass(frozen=True)
class Distance:
    """`later` reaches what `earlier` reaches now after `first` iterations, and again every `period`
    (0: never again)."""

    first: int
    period: int


def dependence_distance(
    earlier: Linear | None, later: Linear | None, trips: int | None = None
) -> Distance | int | None:
    """When two accesses meet: a Distance, None for never, UNKNOWN for perhaps at any time. `trips`:
    how many iterations the loop has, where that is known.

    Indices count modulo 2^width, as the hardware's do: a ring buffer comes round."""
    if earlier is None or later is None or earlier.width != later.width:
        return UNKNOWN
    if later.plus(earlier, -1).terms:
        return UNKNOWN
    step, modulus = earlier.step % (1 << earlier.width), 1 << earlier.width
    if step != later.step % modulus:
        return None if _keep_clear(earlier, later, trips) else UNKNOWN
    difference = (earlier.constant - later.constant) % modulus
    if step == 0:
        return None if difference else UNKNOWN
    twos = (step & -step).bit_length() - 1
    if difference % (1 << twos):
        return None
    period = modulus >> twos
    first = (difference >> twos) * pow(step >> twos, -1, period) % period if period > 1 else 0
    if first >= FAR:
        return None
    return Distance(first, period if period < FAR else 0)


def _keep_clear(earlier: Linear, later: Linear, trips: int | None) -> bool:
    """Whether two accesses with different steps, and otherwise the same terms, never come to one
    place in so many iterations: as far apart as they are, all of one lie before all of the
    other."""
    if not trips:
        return False
    gap, steps = earlier.plus(later, -1).centred().constant, (earlier.centred(), later.centred())
    moves = [form.step * (trips - 1) for form in steps]
    ends = [gap + a - b for a in (0, moves[0]) for b in (0, moves[1])]
    # both ends lie between one multiple of the modulus, where they would meet, and the next
    return (min(ends) - 1) >> earlier.width == max(ends) >> earlier.width
