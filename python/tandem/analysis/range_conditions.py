# SPDX-License-Identifier: Apache-2.0
"""What comparisons say of ranges: what is left of two where one holds, and where some are likely to
end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    UNSIGNED,
    Add,
    Compare,
    Constant,
    Division,
    Eq,
    Ne,
    Op,
    Range,
    Select,
    SLe,
    SLt,
    ULt,
    joined,
    mask,
)

CHOSEN_DEPTH = 3
"""How far below the sides of a choice what its condition says is put in."""
WORD_ENDS = tuple(mask(bits) for bits in (1, 7, 8, 15, 16, 31, 32, 63, 64))


def narrowed(
    kind: type[Op], a: Op, b: Op, of: Callable[[Op], Range], signed: tuple[int, int]
) -> tuple[Range, Range] | None:
    """What of the ranges of two values is left where a comparison of them holds; None for nothing.
    `of`: all ranges; `signed` as in `compared`. Where what a side is made of says more of it than
    that, this says more of the other one."""
    ranges = compared(kind, of(a), of(b), a.width, signed)
    if ranges is None:
        return None
    left = left_of(a, ranges[0], of), left_of(b, ranges[1], of)
    return left if left == ranges else compared(kind, left[0], left[1], a.width, signed) or left


def compared(
    kind: type[Op], a: Range, b: Range, width: int, signed: tuple[int, int] | None = None
) -> tuple[Range, Range] | None:
    """What of two ranges is left where a comparison holds; None for nothing. `signed`: in how many
    bits each is with its sign, of which the others are copies."""
    if kind is Eq:
        both = meet(a, b)
        return (both, both) if both else None
    if kind is Ne:
        return _both(_without(a, b), _without(b, a))
    if kind in (SLt, SLe):
        return _compared_signed(kind, a, b, width, signed or (width, width))
    gap = int(kind is ULt)
    return _both(meet(a, (0, b[1] - gap)), meet(b, (a[0] + gap, b[1])))


def _both(a: Range | None, b: Range | None) -> tuple[Range, Range] | None:
    return None if a is None or b is None else (a, b)


def _compared_signed(
    kind: type[Op], a: Range, b: Range, width: int, signed: tuple[int, int]
) -> tuple[Range, Range] | None:
    """Signed order is that of unsigned numbers with half of all added. A range that this tears
    apart is taken for any number of so many bits."""
    first, second = _moved(a, width, signed[0]), _moved(b, width, signed[1])
    moved = compared(UNSIGNED[kind], first, second, width)
    if moved is None:
        return None
    return _both(meet(a, _moved(moved[0], width)), meet(b, _moved(moved[1], width)))


def _moved(found: Range, width: int, signed: int | None = None) -> Range:
    half = 1 << width - 1
    if found[0] < half <= found[1]:
        far = 1 << (signed or width) - 1
        return half - far, half + far - 1
    return found[0] ^ half, found[1] ^ half


def _without(a: Range, b: Range) -> Range | None:
    """Numbers of `a` that differ from the only one of `b`."""
    if b[0] != b[1]:
        return a
    low, high = a[0] + (a[0] == b[0]), a[1] - (a[1] == b[0])
    return (low, high) if low <= high else None


def meet(a: Range, b: Range) -> Range | None:
    low = a[0] if a[0] > b[0] else b[0]  # asked a thousand times for a kernel: faster than max()
    high = a[1] if a[1] < b[1] else b[1]
    return (low, high) if low <= high else None


def left_of(op: Op, found: Range, of: Callable[[Op], Range], depth: int = CHOSEN_DEPTH) -> Range:
    """What is left of a range of a choice, of whose sides some are not in it; and of a sum with a
    constant, which is in it only before it wraps, or only where it has wrapped. `of`: the ranges of
    what they are made of, which `parts_of` has."""
    if isinstance(op, Select) and depth:
        sides = {side: meet(found, of(side)) for side in op.operands[1:]}
        left = [left_of(side, both, of, depth - 1) for side, both in sides.items() if both]
        return reduce(joined, left) if left else found
    if not isinstance(op, Add) or not isinstance(op.operands[1], Constant):
        return found
    low, high = (end + op.operands[1].value for end in of(op.operands[0]))
    around = 1 << op.width
    parts = [(low, min(high, around - 1)), (max(low, around) - around, high - around)]
    left = [both for part in parts if part[0] <= part[1] and (both := meet(found, part))]
    return left[0] if len(left) == 1 else found


def parts_of(op: Op, depth: int = CHOSEN_DEPTH) -> Iterator[Op]:
    """The sides of a choice, and what else a sum with a constant is of."""
    if isinstance(op, Select) and depth:
        for side in op.operands[1:]:
            yield side
            yield from parts_of(side, depth - 1)
    elif isinstance(op, Add) and isinstance(op.operands[1], Constant):
        yield op.operands[0]


def likely_ends(kernel: Kernel) -> list[int]:
    """Numbers at which ranges are likely to end, sorted: those that values are compared with, or
    divided by, and the greatest ones of C's types."""
    compared = {
        o.value + near
        for _, op in kernel.ops()
        if isinstance(op, (Compare, Division))
        for o in op.operands
        if isinstance(o, Constant)
        for near in (-1, 0, 1)
    }
    return sorted({0, *WORD_ENDS, *(number for number in compared if number > 0)})


def widened(old: Range, new: Range, ends: Sequence[int], most: int) -> Range:
    """A range that has grown, up to the next of the likely ends, and to `most` at the most."""
    low, high = new
    if low < old[0]:
        low = ends[bisect_right(ends, low) - 1]
    if high > old[1]:
        i = bisect_left(ends, high)
        high = ends[i] if i < len(ends) else most
    return low, min(high, most)
