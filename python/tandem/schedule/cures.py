# SPDX-License-Identifier: Apache-2.0
"""What would have a pipeline start its iterations more often, told only where it would.

What a solver has met first is not always what stands in the way: a port may be as busy as a
recurrence is long, or another array's port be as busy as this one's. So a cure of a port, or of
what shares multipliers, is tried on the constraints of the loop, as if there were more of these:
what `ii` it has then is told with the cure. Where it gains too little, the cure is left out, and
what stands behind it is told.

A memory can be parted where accesses never come to what others come to. Where they do, one that is
read can be there twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tandem.analysis.meetings import Meetings
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import ranges_of
from tandem.diagnostics import Infeasible
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Load, Op, Store
from tandem.ir.wiring import Bits, bits_of
from tandem.schedule.drafting import least_ii
from tandem.schedule.expected import is_large
from tandem.schedule.limits import Limit, LimitKind, Limits
from tandem.schedule.problem import Node, Problem
from tandem.schedule.scheduled import BlockSchedule
from tandem.schedule.setting import MULTIPLIERS, unit_name

UNTRIED = " (not tried here)"
LEAST_GAIN = 0.9
"""A cure is worth a word from which the `ii` is no more than this part of what it was."""
MOST_STEPS = 4
"""Units that are as busy as each other are relieved together, up to so many."""
MOST_PARTED = 32
"""Of more accesses it is not asked which of them meet."""


@dataclass(frozen=True)
class _Step:
    """One thing to do: what it is in words, and what serves the accesses then."""

    cure: str
    units: dict[Node, str]
    capacity: dict[str, int]


def advice(kernel: Kernel, s: BlockSchedule) -> str:
    """What decides about the `ii` of a pipeline and what to do about it, found once; empty where
    nothing does."""
    known = kernel.facts.setdefault("advice", {})
    if s.block not in known:
        known[s.block] = _advice(kernel, s)
    return known[s.block]


def _advice(kernel: Kernel, s: BlockSchedule) -> str:
    binding = s.limits.binding
    if binding is None:
        return ""
    if s.problem is None or is_large(kernel) or _unit_of(binding, s.problem) is None:
        return _told(binding)
    return _of_units(kernel, s, binding, s.problem)


def _told(limit: Limit) -> str:
    """A limit and its cure, which nobody has tried yet on this kernel but a directive's."""
    return (
        f"{limit.sentence()}; {limit.cure()}{'' if limit.kind is LimitKind.DIRECTIVE else UNTRIED}"
    )


def _of_units(kernel: Kernel, s: BlockSchedule, binding: Limit, problem: Problem) -> str:
    """The advice where a unit is too busy."""
    steps: list[_Step] = []
    behind: Limit | None = binding
    ii = s.ii
    while behind is not None and len(steps) < MOST_STEPS:
        step = _step(kernel, problem, behind)
        if step is None:
            break
        steps.append(step)
        ii, limits = _with(kernel, problem, steps)
        if ii <= s.ii * LEAST_GAIN:
            return f"{binding.sentence()}; {_gained(steps, ii)}{UNTRIED}"
        behind = limits.binding
    return _without_cure(problem, binding, behind, "little" if ii < s.ii else "nothing")


def _gained(steps: list[_Step], ii: int) -> str:
    """What to do, and what that gives."""
    cures = " and ".join(dict.fromkeys(step.cure for step in steps))
    return f"{cures}: an iteration {'every cycle' if ii == 1 else f'every {ii} cycles'}"


def _without_cure(problem: Problem, binding: Limit, behind: Limit | None, gain: str) -> str:
    """What is told where more units gain nothing: what is behind them."""
    if behind is None or _unit_of(behind, problem) == _unit_of(binding, problem):
        return binding.sentence()
    if binding.kind is LimitKind.CROWDED:
        return _told(behind)
    more = (
        "multipliers"
        if binding.kind is LimitKind.MULTIPLIERS
        else f"ports to {binding.access} through"
    )
    return f"{binding.sentence()}; more {more} alone gain {gain}: {behind.sentence()}"


def _unit_of(limit: Limit, problem: Problem) -> str | None:
    """The unit that a limit is about; None where it is about none."""
    if limit.kind is LimitKind.MULTIPLIERS or (
        limit.kind is LimitKind.CROWDED and not limit.memory
    ):
        return MULTIPLIERS
    if limit.kind is LimitKind.UNIT:
        return unit_name(limit.memory, limit.access)
    if limit.kind is not LimitKind.CROWDED:
        return None
    served = problem.served()
    sides = (unit_name(limit.memory, kind.slug) for kind in (Load, Store))
    return max(sides, key=lambda unit: len(served.get(unit, ())))


def _step(kernel: Kernel, problem: Problem, limit: Limit) -> _Step | None:
    """What relieves the unit of a limit; None where nothing does."""
    unit = _unit_of(limit, problem)
    served = problem.served().get(unit, []) if unit else []
    if unit is None or len(served) < 2:
        return None
    if unit == MULTIPLIERS:
        return _Step(limit.cure(), {}, {unit: len(served)})
    if pieces := _pieces(served):
        cure = (
            f"`{limit.memory}` has elements of {kernel.memories[limit.memory].element_bits} bits, "
            "as narrow as its narrowest access; access all of it in one width"
        )
        names = {node: f"{unit} {place}" for node, place in pieces.items()}
        return _Step(cure, names, dict.fromkeys(names.values(), problem.capacity[unit]))
    if unit == unit_name(limit.memory, Store.slug) and (again := _stored_again(served)):
        cure = f"choose first what to store in `{limit.memory}`, and store it once"
        names = {node: f"{unit} {i}" for i, node in enumerate(again)}
        return _Step(cure, names, dict.fromkeys(names.values(), 1))
    parts = _parts(kernel, problem, served)
    if len(parts) > 1:
        names = {node: f"{unit} {i}" for i, part in enumerate(parts) for node in part}
        cure = f"put part of `{limit.memory}` into an array of its own"
        return _Step(cure, names, dict.fromkeys(names.values(), problem.capacity[unit]))
    if unit == unit_name(limit.memory, Store.slug):
        return None
    return _Step(f"keep `{limit.memory}` twice", {}, {unit: 2 * problem.capacity[unit]})


def _pieces(served: list[Node]) -> dict[Node, int]:
    """The place of each access in a wider element, where all that are made in a line are of such,
    piece by piece: of the widest one that is all of a line's, or else of two pieces."""
    indices = {n: (n.op.line, bits_of(n.op.index)) for n in served if n.op is not None}
    if len(indices) < len(served):
        return {}
    lines = Counter(line for line, _ in indices.values())
    for low_bits in ((min(lines.values()) - 1).bit_length(), 1):
        found = _side_by_side(indices, low_bits) if low_bits else []
        if sum(map(len, found)) == len(served):
            return {node: place for one in found for place, node in one.items()}
    return {}


def _side_by_side(indices: Mapping[Node, tuple[int, Bits]], low_bits: int) -> list[dict[int, Node]]:
    """Accesses of one line each that come to all 2^`low_bits` elements of an aligned place, by
    which of these they come to. `indices`: the line of each, and the bits of its index."""
    found: dict[tuple[int, Bits], dict[int, Node]] = {}
    for node, (line, bits) in indices.items():
        low = bits[:low_bits]
        if len(low) == low_bits and all(type(bit) is int for bit in low):
            place = sum(bit << i for i, bit in enumerate(low))
            found.setdefault((line, bits[low_bits:]), {})[place] = node
    return [one for one in found.values() if len(one) == 1 << low_bits]


def _stored_again(served: list[Node]) -> list[Node]:
    """Stores to an element to which another one of the same iteration stores too."""
    places = [bits_of(node.op.index) if node.op is not None else () for node in served]
    return [node for i, node in enumerate(served) if places[i] and places[i] in places[:i]]


def _parts(kernel: Kernel, problem: Problem, served: list[Node]) -> list[list[Node]]:
    """Accesses, those together that may come to one element."""
    ops = {node: node.op for node in served if node.op is not None}
    if len(served) > MOST_PARTED or len(ops) < len(served):
        return [served]
    places = _Places(kernel, problem.block)
    parts: list[list[Node]] = []
    for node, op in ops.items():
        met = [p for p in parts if not all(places.differ(op.index, ops[n].index) for n in p)]
        parts = [part for part in parts if part not in met]
        parts.append([n for part in met for n in part] + [node])
    return parts


class _Places:
    """Where accesses of a loop come to."""

    def __init__(self, kernel: Kernel, block: Block) -> None:
        nests = Nests.of(kernel, ranges_of(kernel))
        self.ranges = ranges_of(kernel)
        self.meetings = Meetings(nests)
        self.outermost = next(reversed(nests.around(block)), None)

    def differ(self, one: Op, other: Op) -> bool:
        """Whether accesses at two indices never come to one element, in whichever iterations."""
        known = zip(bits_of(one), bits_of(other), strict=False)
        if any({a, b} == {0, 1} for a, b in known):
            return True
        first, second = self.ranges.get(one), self.ranges.get(other)
        if first and second and (first[1] < second[0] or second[1] < first[0]):
            return True
        return self.outermost is not None and self.meetings.apart(one, other, self.outermost)


def _with(kernel: Kernel, problem: Problem, steps: list[_Step]) -> tuple[int, Limits]:
    """The least `ii` with some steps, and what stands in its way then."""
    capacity = problem.capacity | _enough_cores(problem)
    units: dict[Node, str] = {}
    for step in steps:
        capacity |= step.capacity
        units |= step.units
    with _served_by(units):
        try:
            return least_ii(kernel, replace(problem, capacity=capacity))
        except Infeasible:
            return problem.block.wanted_ii or 0, Limits()


def _enough_cores(problem: Problem) -> dict[str, int]:
    """A core for every operation: there are only as many as the `ii` that there is needs."""
    served = problem.served().items()
    return {unit: len(nodes) for unit, nodes in served if nodes[0].op and nodes[0].op.core}


@contextmanager
def _served_by(units: dict[Node, str]) -> Iterator[None]:
    """Has other units serve some accesses meanwhile."""
    before = {node: node.unit for node in units}
    try:
        for node, unit in units.items():
            node.unit = unit
        yield
    finally:
        for node, unit in before.items():
            node.unit = unit
