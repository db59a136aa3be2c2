# SPDX-License-Identifier: Apache-2.0
"""The forms of values that are wiring: bits of others, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tandem.analysis.forms import WRAPS_BITS, Form, narrower
from tandem.analysis.range_rules import range_of
from tandem.ir.blocks import Block
from tandem.ir.ops import Add, Constant, Op, Parameter, Sum, constant, mask, signed
from tandem.ir.wiring import Bits, bits_of, is_constant, is_zero, leading_zeros, number

if TYPE_CHECKING:
    from tandem.analysis.nests import Nests

DEEPEST = 64
"""Products and sums are followed so far; deeper ones are not the addresses of a nest."""


def form_of_wiring(nests: Nests, bits: Bits, depth: int) -> Form | None:
    if depth > DEEPEST or not bits:
        return None
    if is_constant(bits):
        return Form(constant(number(bits), len(bits)))
    low = next(i for i, bit in enumerate(bits) if type(bit) is not int)
    count = _before_extension(bits)
    if low or count < len(bits):
        return _around(nests, bits, low, count, depth)
    return _of_parts(nests, bits, depth)


def _around(nests: Nests, bits: Bits, low: int, count: int, depth: int) -> Form | None:
    """Bits above constant ones, or extended from fewer."""
    inside = bits[low:count]
    is_signed = count < len(bits) and not is_zero(bits[-1])
    if is_signed and len(inside) < WRAPS_BITS:
        return None
    part = nests.form_of_bits(inside, depth + 1)
    if part is None or (is_signed and _is_cut(inside)):
        return None
    whole = nests.make.resized(part, len(bits), is_signed)
    if count < len(bits) and (is_signed or not stays_below(nests, part, inside)):
        whole.narrow = narrower(whole.narrow, count)
    below = Form(constant(number(bits[:low]), len(bits)))
    return nests.make.plus(nests.make.scaled(whole, constant(1 << low, len(bits))), below)


def stays_below(nests: Nests, form: Form, bits: Bits) -> bool:
    """Whether bits are all that a value ever has, and its steps lead from each iteration to the
    next without wrapping: there are more numbers that it never is than a step is long."""
    if _ends_below(nests, form, len(bits)) or not (form.steps or form.narrow):
        return True
    found = range_of(bits, nests.ranges)
    if found is None or len(form.steps) > 1:
        return False
    never = found[0] + mask(len(bits)) - found[1]
    values = [bit[0] for bit in bits if type(bit) is not int]
    return all(
        _longest(step) <= never
        and nests.loops[header].every.issuperset(_sources(nests, values, header))
        for header, step in form.steps.items()
    )


def _ends_below(nests: Nests, form: Form, width: int) -> bool:
    """Whether numbers, and ranges of what its base is made of, say that a form has no more bits in
    any iteration of its loops."""
    if form.narrow:
        return False
    least, most = nests.ends(form)
    return least >= 0 and 0 < most <= mask(width)


def _sources(nests: Nests, values: Iterable[Op], header: Block) -> set[Block]:
    """The blocks of a loop that have to run for values to be in their ranges: what is computed
    of others is so wherever it is computed."""
    found: set[Block] = set()
    seen: set[Op] = set()
    work = list(values)
    while work:
        op = work.pop()
        home = nests.home.get(op)
        if op in seen or home not in nests.loops[header].body:
            continue
        seen.add(op)
        if op.pure and not isinstance(op, Parameter):
            work += op.operands
        else:
            found.add(home)
    return found


def _of_parts(nests: Nests, bits: Bits, depth: int) -> Form | None:
    """Bits that are a value's lowest, or a sum's above others: low bits below a sum a + b are
    the low bits below a, plus b shifted above them."""
    width, count = len(bits), _top_run(bits)
    top, first = bits[-count] if type(bits[-count]) is not int else (None, 0)
    if top is None or first != 0:
        return None
    if count == width:
        part = nests.form(top, depth + 1)
        return None if part is None else nests.make.resized(part, width)
    if not isinstance(top, Sum):
        return _of_high_and_low(nests, bits, depth)
    left, right = top.operands
    orders = [(left, right), (right, left)] if isinstance(top, Add) else [(left, right)]
    found = [_of_sum_above(nests, bits, count, *pair, depth) for pair in orders]
    forms = [form for form in found if form is not None]
    return min(forms, key=lambda form: form.narrow != 0, default=None)


def _of_sum_above(
    nests: Nests, bits: Bits, count: int, left: Op, right: Op, depth: int
) -> Form | None:
    """Bits whose `count` highest are a sum of two values, or the difference, if those below
    belong to the first of the two."""
    is_sum, width = isinstance(bits[-1][0], Add), len(bits)
    below = nests.form_of_bits(bits[:-count] + bits_of(left)[:count], depth + 1)
    added = nests.form(right, depth + 1)
    if below is None or added is None:
        return None
    factor = (1 if is_sum else -1) << (width - count)
    return nests.make.plus(
        below, nests.make.scaled(nests.make.resized(added, width), constant(factor, width))
    )


def _of_high_and_low(nests: Nests, bits: Bits, depth: int) -> Form | None:
    """Bits of one value below those of others."""
    source, first = bits[0] if type(bits[0]) is not int else (None, 0)
    run = 1
    while run < len(bits) and bits[run] == (source, first + run):
        run += 1
    if run == len(bits):
        return None
    low = nests.form_of_bits(bits[:run] + (0,) * (len(bits) - run), depth + 1)
    high = nests.form_of_bits((0,) * run + bits[run:], depth + 1)
    return None if low is None or high is None else nests.make.plus(low, high)


def _longest(step: Op) -> int:
    """How far a step goes at most, up or down."""
    if isinstance(step, Constant):
        return abs(signed(step.value, step.width))
    return mask(step.width - leading_zeros(bits_of(step)))


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
