# SPDX-License-Identifier: Apache-2.0
"""How far accesses in nests of counted loops reach.

Over iterations 0 .. trips - 1 an index has its least and greatest value at the corners, taken loop
by loop from the innermost; the trips of an inner loop may themselves step with outer ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem.analysis.forms import Form
from tandem.analysis.nests import Loop, Nests
from tandem.ir.blocks import Block
from tandem.ir.ops import Constant, Op, Select, SLt, constant
from tandem.ir.wiring import bits_of, is_zero

REACH_BITS = 128
"""Reaches are computed as signed numbers so wide that no product of two 64-bit numbers wraps."""


@dataclass
class Reach:
    """The least and greatest element that an access reaches, signed in REACH_BITS, and the
    condition under which it runs at all. `exact`: the corners are really reached."""

    low: Op
    high: Op
    condition: Op
    exact: bool


def reach_of(nests: Nests, block: Block, op: Op) -> Reach | None:
    """How far a load or store in `block` reaches; None if that cannot be told."""
    headers = nests.around(block)
    conditions = [nests.reaching.condition(b) for b in (block, *headers)]
    form = nests.form(op.index)
    if form is None or any(h not in nests.loops for h in headers):
        return None
    corners = _corners(nests, form, headers)
    if corners is None:
        return None
    # The innermost one that is known: outside of it, a loop's bounds may be any numbers.
    condition = next((c for c in conditions if c is not None), constant(1, 1))
    enabled = nests.reaching.enabled(condition, op)
    exact = enabled is not None and conditions[-1] is not None and not form.narrow
    inner = block
    for header in headers:
        exact &= inner in nests.loops[header].every
        inner = header
    return Reach(*corners, enabled or condition, exact)


def _corners(nests: Nests, form: Form, headers: list[Block]) -> tuple[Op, Op] | None:
    """(least, greatest) value over the iterations of the loops, innermost first."""
    wide = nests.make.resized(form, REACH_BITS)
    low, high = wide, wide
    for header in headers:
        step = high.steps.pop(header, None)
        same = low is high
        low_step = step if same else low.steps.pop(header, None)
        if step is None and low_step is None:
            continue
        last = _last_iteration(nests, nests.loops[header])
        if last is None or step is None or low_step is None:
            return None
        moves = [_moved(nests, f, s, last) for f, s in ((low, low_step), (high, step))]
        if moves[0] is None or moves[1] is None:
            return None
        low, high = moves[0][0], moves[1][1]
    return (low.base, high.base) if not (low.steps or high.steps) else None


def _last_iteration(nests: Nests, loop: Loop) -> Form | None:
    """The number of the loop's last iteration, from 0."""
    if loop.trips is None:
        return None
    form = nests.form(loop.trips)
    if form is None:
        return None
    wide = nests.make.resized(form, REACH_BITS, is_signed=False)
    return nests.make.plus(wide, Form(constant(-1, REACH_BITS)))


def _moved(nests: Nests, form: Form, step: Op, last: Form) -> tuple[Form, Form] | None:
    """The form at the corner where a loop's part is least, and where it is greatest."""
    rest = Form(form.base, dict(form.steps), form.narrow)
    far = nests.make.scaled(last, step)
    if not far.steps:
        zero = constant(0, REACH_BITS)
        negative = nests.builder.compare(SLt, far.base, zero)
        least = nests.builder.build(Select, [negative, far.base, zero], REACH_BITS)
        most = nests.builder.build(Select, [negative, zero, far.base], REACH_BITS)
        return nests.make.plus(rest, Form(least)), nests.make.plus(rest, Form(most))
    at_end = nests.make.plus(rest, far)
    if is_zero(bits_of(step)[-1]):
        return rest, at_end
    return (at_end, rest) if isinstance(step, Constant) else None
