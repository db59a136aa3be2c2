# SPDX-License-Identifier: Apache-2.0
"""Whether the stores of a nest write every element up to the furthest that they reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tandem.analysis.forms import POINTER_BITS
from tandem.analysis.nests import Loop, Nests
from tandem.analysis.reaches import reach_of
from tandem.ir.blocks import Block
from tandem.ir.ops import Constant, Mul, Op, signed
from tandem.ir.wiring import Bits, bits_of, extended_from

MOST_REACHED = 1 << 14
"""Elements that are looked at one by one."""


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


def fills(nests: Nests, stores: Sequence[tuple[Block, Op]]) -> bool:
    """Whether stores of one nest write every element from the first one of the array up to the
    furthest that they reach, in each call of which the extent holds."""
    headers = nests.around(stores[0][0])
    patterns = [_pattern(nests, block, op) for block, op in stores]
    if patterns[0] is None or any(nests.around(block) != headers for block, _ in stores):
        return False
    _, steps, condition = patterns[0]
    if any(p is None or p[1:] != (steps, condition) for p in patterns):
        return False
    firsts = {p[0] for p in patterns if p is not None}
    return _go_on(nests, firsts, dict(steps)) or _reach_all(nests, firsts, dict(steps))


def _reach_all(nests: Nests, firsts: set[int], steps: dict[Block, _Product]) -> bool:
    """Whether loops that run as often as constants say come to every element up to the
    furthest, each by itself."""
    reached = set(firsts)
    for header, step in steps.items():
        trips = _trips_of(nests, nests.loops[header])
        if step.of or trips is None or trips.of or len(reached) * trips.factor > MOST_REACHED:
            return False
        reached = {at + step.factor * n for at in reached for n in range(trips.factor)}
    return reached == {*range(len(reached))}


def _go_on(nests: Nests, firsts: set[int], left: dict[Block, _Product]) -> bool:
    """Whether each loop goes on where those with smaller steps have come to."""
    run = _Product(len(firsts))  # elements without a gap, from the first one on
    while left:
        header = next((h for h, step in left.items() if step.goes_on_from(run)), None)
        if header is None:
            return False
        step, trips = left.pop(header), _trips_of(nests, nests.loops[header])
        if trips is None:
            return not left and firsts == {*range(len(firsts))}
        run = _after(run, step, trips)
    return firsts == {*range(len(firsts))}


def _pattern(
    nests: Nests, block: Block, op: Op
) -> tuple[int, tuple[tuple[Block, _Product], ...], Bits] | None:
    """(first element, steps, condition) of a store that happens in every iteration; None where
    that cannot be told."""
    reach, form = reach_of(nests, block, op), nests.form(op.index)
    if reach is None or form is None or not reach.exact or not isinstance(form.base, Constant):
        return None
    found = {header: _product(step) for header, step in form.steps.items()}
    steps = {h: s for h, s in found.items() if s is not None and s.factor}
    if any(step is None for step in found.values()):
        return None
    ordered = tuple(sorted(steps.items(), key=lambda pair: pair[0].name))
    return signed(form.base.value, form.base.width), ordered, bits_of(reach.condition)


def _trips_of(nests: Nests, loop: Loop) -> _Product | None:
    form = nests.form(loop.trips) if loop.trips is not None else None
    if form is None or form.steps:
        return None
    if isinstance(form.base, Constant):  # counts are unsigned
        return _Product(form.base.value)
    return _product(form.base)


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
