# SPDX-License-Identifier: Apache-2.0
"""What an operation makes of its operands' ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tandem.ir.ops import Extract, Op, Range, Sum, mask
from tandem.ir.wiring import Bits, segments


def full(op: Op) -> Range:
    """Any number of the value's width."""
    return 0, mask(op.width)


Lookup = Callable[[Op], Range]


def result_range(op: Op, of: Lookup) -> Range:
    """The range of an operation's result, by those of its operands."""
    if type(op).bounds is Op.bounds:  # most operations; nothing is asked for them
        return full(op)
    found = _wrapped(op, op.bounds([of(o) for o in op.operands]))
    if not isinstance(op, Sum) or found != full(op):
        return found
    return _wrapped(op, op.bounds([_whole(o, of) for o in op.operands]))


def _whole(operand: Op, of: Lookup) -> Range:
    """The range of what an operand of a sum is the lowest bits of, or else its own: the bits above
    may be left out of the sum as of its result. `n - 1` of 5 bits is from 2 to 31 where n is from 3
    to 32, though the lowest bits of n can be any."""
    return of(operand.operands[0] if is_lowest(operand) else operand)


def is_lowest(op: Op) -> bool:
    """Whether a value is the lowest bits of another one."""
    return isinstance(op, Extract) and not op.low


def cut_range(op: Op, found: Range) -> Range:
    """What an extract makes of numbers."""
    return _wrapped(op, op.bounds([found]))


def _wrapped(op: Op, found: Range) -> Range:
    """What has wrapped as a whole is where it was, less the turns."""
    return unwrapped(found, op.width) or full(op)


def unwrapped(found: Range, width: int, least: int = 0) -> Range | None:
    """Numbers less the turns of so many bits, so that they begin with `least`; None where some of
    them have turned once more than others."""
    turns = (found[0] - least) >> width
    if turns != (found[1] - least) >> width:
        return None
    return found[0] - (turns << width), found[1] - (turns << width)


def range_of(bits: Bits, ranges: Mapping[Op, Range]) -> Range | None:
    """The range of wiring, by those of the values that it names; None where these go on above the
    bits, or nothing is known of them."""
    least = most = position = 0
    for source, low, width in segments(bits):
        if source is not None and source not in ranges:
            return None
        found = (low, low) if source is None else [end >> low for end in ranges[source]]
        if found[1] > mask(width) and position + width == len(bits):
            return None
        if found[1] > mask(width):
            found = 0, mask(width)
        least, most = least + (found[0] << position), most + (found[1] << position)
        position += width
    return least, most
