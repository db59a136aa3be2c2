# SPDX-License-Identifier: Apache-2.0
"""Look-up tables that comparisons do not take, since others make what they need. Where the same two
numbers are subtracted or compared, one carry says which is less. Comparisons of one value with
several known numbers look once at the bits in which these agree. And a choice between two sums with
a value in common, which nothing else reads, is one sum with what is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tandem.ir.ops import Add, Compare, Equality, Op, Select, SLe, SLt, Sub, ULe
from tandem.ir.wiring import Bit, Bits, bits_of, is_constant, makers_of
from tandem.schedule.delays import Target, tree_lut4
from tandem.schedule.live_bits import live_bits
from tandem.schedule.operator_area import operator_lut4
from tandem.schedule.scheduled import BlockSchedule


def shared_lut4(target: Target, schedule: BlockSchedule) -> float:
    """Of a block."""
    return _carries(target, schedule) + _trees(target, schedule)


def _carries(target: Target, schedule: BlockSchedule) -> float:
    """What comparisons do not take, less the equality that some need beside the carry."""
    groups = subtracted_once(schedule)
    choosing = _choosing(schedule, {op for ops in groups if len(ops) > 1 for op in ops})
    return sum(_saved(target, ops, choosing) for ops in groups)


def subtracted_once(schedule: BlockSchedule) -> list[list[Op]]:
    """Differences and comparisons of the same two numbers in the same cycle, in whatever order:
    synthesis subtracts once for all of them, as the first of each wants it."""
    groups: dict[tuple[bool, frozenset[Bits], int], list[Op]] = {}
    for op, cycle in schedule.start.items():
        if isinstance(op, Sub) or (isinstance(op, Compare) and not isinstance(op, Equality)):
            pair = frozenset(map(bits_of, op.operands))
            is_signed = isinstance(op, (SLt, SLe))
            if not any(map(is_constant, pair)):
                groups.setdefault((is_signed, pair, cycle), []).append(op)
    return [sorted(ops, key=lambda op: not isinstance(op, Sub)) for ops in groups.values()]


def _saved(target: Target, ops: list[Op], choosing: set[Op]) -> float:
    """The carry says whether the first number is less. Other questions want to know whether both
    are equal, unless each is for a choice between the two."""
    first, others = ops[0], [op for op in ops[1:] if not isinstance(op, Sub)]
    saved = sum(operator_lut4(target, op) for op in others)
    asks = any(not isinstance(op, Sub) and _asks(op, first) for op in ops)
    if not asks or choosing.issuperset(ops):
        return saved
    return saved - target.rows["eq"].area(live_bits(first))


def _asks(op: Op, first: Op) -> bool:
    """Whether a comparison asks for more than the carry: of a difference a - b, that says a < b and
    b <= a, and without one only the former (yosys 0.70)."""
    is_turned = [bits_of(o) for o in op.operands] != [bits_of(o) for o in first.operands]
    with_equal = isinstance(op, (ULe, SLe))
    return is_turned != with_equal if isinstance(first, Sub) else is_turned or with_equal


def _choosing(schedule: BlockSchedule, compared: set[Op]) -> set[Op]:
    """Those of some comparisons that nothing reads but choices between the same two numbers."""
    outside = (*schedule.deciding_readers(), *schedule.leaving_readers())
    found = compared.difference(makers_of(value for value, _ in outside))
    for op in schedule.start if found else ():
        chosen = set(map(bits_of, op.operands[1:])) if isinstance(op, Select) else set[Bits]()
        for read in found.intersection(makers_of(op.operands)):
            if set(map(bits_of, read.operands)) != chosen:
                found.remove(read)
    return found


def _trees(target: Target, schedule: BlockSchedule) -> int:
    groups: dict[tuple[frozenset[Bit], int], set[Bits]] = {}
    for op, cycle in schedule.start.items():
        if isinstance(op, Equality):
            value, known = sorted((bits_of(o) for o in op.operands), key=is_constant)
            if is_constant(known):
                pairs = [(b, k) for b, k in zip(value, known, strict=True) if type(b) is not int]
                bits = frozenset(b for b, _ in pairs)
                groups.setdefault((bits, cycle), set()).add(tuple(k for _, k in pairs))
    return sum(_agreeing(target, list(numbers)) for numbers in groups.values())


def _agreeing(target: Target, numbers: list[Bits]) -> int:
    """What some numbers, with which the same bits are compared, do not take."""
    alone = len(numbers) * tree_lut4(target, len(numbers[0]))
    differ = sum(len(set(column)) > 1 for column in zip(*numbers, strict=False))
    agree = max(1, len(numbers[0]) - differ)
    return max(0, alone - tree_lut4(target, agree) - len(numbers) * tree_lut4(target, differ + 1))


def _sums(schedule: BlockSchedule, op: Op) -> tuple[Op, Op] | None:
    """The sums that a choice is between, where they are of one kind and of its own cycle."""
    start = schedule.start
    first, second = op.operands[1:]
    kinds = {_kind(first), _kind(second)}
    together = (
        len(kinds) == 1 and None not in kinds and start.get(first) == start.get(second) == start[op]
    )
    return (first, second) if together and first is not second else None


def _kind(op: Op) -> type[Op] | None:
    """Whether a sum adds or subtracts in the Verilog: what is below 0 is subtracted."""
    if not isinstance(op, (Add, Sub)):
        return None
    known = bits_of(op.operands[1])
    return Sub if isinstance(op, Sub) or (is_constant(known) and known[-1]) else Add


def _others(first: Op, second: Op) -> tuple[Bits, Bits] | None:
    """What two sums do not have in common."""
    a, b = (tuple(map(bits_of, op.operands)) for op in (first, second))
    if a[1] == b[1]:
        return a[0], b[0]
    if a[0] == b[0]:
        return a[1], b[1]
    crossed = isinstance(first, Add) and (a[0] == b[1] or a[1] == b[0])
    return ((a[1], b[0]) if a[0] == b[1] else (a[0], b[1])) if crossed else None


def summed_once(
    target: Target, schedule: BlockSchedule, own: Mapping[Op, float]
) -> Iterator[tuple[Op, float]]:
    """What is left of such sums and choices, of what they take alone."""
    choices = [op for op in schedule.start if isinstance(op, Select)]
    pairs = [(op, _sums(schedule, op)) for op in choices]
    found = [(op, sums) for op, sums in pairs if sums]
    if not found:
        return
    readers = Counter(maker for op in schedule.start for maker in makers_of(op.operands))
    readers.update(makers_of(value for value, _ in schedule.deciding_readers()))
    readers.update(makers_of(value for value, _ in schedule.leaving_readers()))
    for op, sums in found:
        first, second = sums
        others = _others(first, second)
        if others and readers[first] == readers[second] == 1:
            columns = set(zip(*others, strict=True))
            made = sum(len(set(c)) > 1 and any(type(b) is not int for b in c) for c in columns)
            yield second, 0.0
            yield op, min(own.get(op, 0.0), made)
