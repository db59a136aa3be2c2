# SPDX-License-Identifier: Apache-2.0
"""How early a pipeline inside of a loop is left: while its last iterations still go through it.

A loop around a short pipeline would wait in each round until the pipeline is empty. Data moves on
in every cycle, so that what is behind the pipeline, and its own next iterations, may begin before
that: `BlockSchedule.leave` cycles after the last iteration has. They must not read what is not
there yet, overwrite what is still to be read, come before what accesses the same memory, or ask for
a port at the same time. Where control goes elsewhere than round the loop, to another loop or behind
it, it waits until the pipeline is empty.

Attributes tell of accesses in which loops they are `alone`, so that none comes to an element that
has been stored in an earlier round, and in which one they are `in_step`: it does so in the same
iteration of the pipeline or in a later one, and the pipeline only has to `stay` as long as one
iteration may come so soon after the other. `in_step=LOOP+1` is said where it may be an iteration
before with each round.

What the pipeline reads of the blocks around it when these may have changed it, it copies before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from tandem import policy
from tandem.ir.blocks import Block, Branch, Jump
from tandem.ir.clone import clone
from tandem.ir.edges import put_on
from tandem.ir.loops import loop_around, natural_loops
from tandem.ir.ops import Access, Op, Store, StreamOp
from tandem.ir.processes import processes
from tandem.ir.wiring import makers_of
from tandem.schedule.access_orders import is_alone
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule
from tandem.schedule.setting import unit_name

Way = tuple[Block, int]
"""A block, and which of its edges."""


def leave_early(schedule: KernelSchedule) -> None:
    """Has pipelines left as early as they can be. Where control then has to wait for one to be
    empty, the block behind starts later, or one is put there."""
    kernel = schedule.kernel
    if processes(kernel) or any(argument.is_volatile for argument in kernel.arguments):
        return
    loops = natural_loops(kernel)
    taken: set[Block] = set()
    for inner in [block for block in loops if schedule.blocks[block].ii]:
        outer = loop_around(inner, loops)
        if outer is None or outer in taken:
            continue
        round_ = _round(schedule, inner, outer, loops)
        leave = _least(schedule, round_) if round_ else None
        if round_ and leave is not None and leave < schedule.blocks[inner].length:
            taken.add(outer)  # what another one waits for could bring this one out of time
            schedule.blocks[inner].leave = leave
            schedule.blocks[inner].copies = _copies(schedule, round_)
            schedule.blocks[inner].stay = _stay(schedule, round_)
            _wait_outside(schedule, round_)


@dataclass
class _Round:
    """What may happen while the pipeline `inner` is not empty yet: which blocks begin in which
    cycles, from when it is left on, in which cycles (`gaps`) it is entered again, and where control
    goes elsewhere. The loop around it begins with `outer`."""

    inner: Block
    outer: Block
    begins: dict[Block, set[int]] = field(default_factory=lambda: defaultdict(set))
    gaps: set[int] = field(default_factory=set)
    elsewhere: list[Way] = field(default_factory=list)

    @cached_property
    def next_ones(self) -> set[Block]:
        """Blocks that only run in the next round of the loop around the pipeline."""
        left, same = [self.inner.exit_edge.block], {self.outer}
        while left:
            block = left.pop()
            if block in self.begins and block not in same:
                same.add(block)
                left += block.successors
        return {*self.begins} - same | {self.outer}


def _round(
    schedule: KernelSchedule, inner: Block, outer: Block, loops: dict[Block, set[Block]]
) -> _Round | None:
    """The round of a pipeline; None where another loop comes before it is entered again."""
    end = schedule.blocks[inner].length
    found = _Round(inner, outer)

    def is_inside(block: Block) -> bool:
        in_loop = block in loops[outer] and (block is outer or block not in loops)
        return in_loop and not schedule.blocks[block].ii and _is_plain(block)

    if not _is_plain(inner) or not is_inside(inner.exit_edge.block):
        return None
    left = [(inner.exit_edge.block, 0)]
    while left:
        block, cycle = left.pop()
        if cycle >= end or cycle in found.begins[block]:
            continue
        found.begins[block].add(cycle)
        behind = cycle + schedule.blocks[block].length
        for number, edge in enumerate(block.end.edges):
            if edge.block is inner:
                found.gaps.add(behind)
            elif is_inside(edge.block):
                left.append((edge.block, behind))
            elif (block, number) not in found.elsewhere:
                found.elsewhere.append((block, number))
    return found if found.gaps else None


def _is_plain(block: Block) -> bool:
    """Whether a block neither waits for a stream nor calls a function."""
    goes_on = isinstance(block.end, (Jump, Branch))
    return goes_on and not block.calls and not any(isinstance(op, StreamOp) for op in block.ops)


def _least(schedule: KernelSchedule, round_: _Round) -> int | None:
    """How many cycles after the last iteration the pipeline can be left."""
    pipeline, gap = schedule.blocks[round_.inner], min(round_.gaps)
    writes = max(pipeline.writes.values(), default=0)
    own = max(pipeline.ii, pipeline.decide + 2, writes + 2) - gap
    least = max(
        pipeline.decide + 1,
        own,
        *_answers(schedule, round_),
        *_overwritten(schedule, round_),
        *_met_behind(schedule, round_),
        *_met_again(schedule, round_),
    )
    in_time = (
        leave
        for leave in range(least, least + pipeline.ii)
        if all((leave + gap) % pipeline.ii == 0 for gap in round_.gaps)
    )
    return next(in_time, None)


def _answers(schedule: KernelSchedule, round_: _Round) -> Iterator[int]:
    """What is read behind the pipeline is kept there a cycle after it is made, once it is known
    that this is the last iteration, for as long as the pipeline stays."""
    pipeline = schedule.blocks[round_.inner]
    values = list(round_.inner.exit_edge.arguments)
    for block in round_.begins:
        values += [o for op in block.ops for o in op.operands] + list(block.end.inputs())
    own = {*round_.inner.parameters, *round_.inner.ops}
    for source in makers_of(values):
        if source in own:
            yield max(pipeline.ready(source), pipeline.decide) + 1


def _overwritten(schedule: KernelSchedule, round_: _Round) -> Iterator[int]:
    """What the pipeline reads of the blocks around it stays, in copies, until its last iteration
    has read it."""
    for source, (cycle, changes) in _reads(schedule, round_).items():
        copies = max(policy.LEAVING_COPIES, policy.LEAVING_BITS // source.width)
        late = cycle + 1 - changes - copies * min(round_.gaps)
        yield -(-late // (copies + 1))


def _copies(schedule: KernelSchedule, round_: _Round) -> dict[Op, list[int]]:
    """In which cycles of its iterations a pipeline copies what it reads of the blocks around it. A
    copy is taken just before the value may change, and is good for as long as iterations of two
    rounds are apart."""
    pipeline = schedule.blocks[round_.inner]
    apart = pipeline.leave + min(round_.gaps)
    reads = _reads(schedule, round_).items()
    found = {
        source: list(range(pipeline.leave + changes - 1, cycle, apart))
        for source, (cycle, changes) in reads
    }
    return {source: cycles for source, cycles in found.items() if cycles}


def _reads(schedule: KernelSchedule, round_: _Round) -> dict[Op, tuple[int, int]]:
    """What a pipeline reads of the blocks around it: in which cycle at last, and how many cycles
    after it is left that may change."""
    changes, last = dict(_changes(schedule, round_)), dict[Op, int]()
    for value, cycle in schedule.blocks[round_.inner].inner_readers():
        for source in makers_of([value]):
            if source in changes:
                last[source] = max(cycle, last.get(source, 0))
    return {source: (cycle, changes[source]) for source, cycle in last.items()}


def _changes(schedule: KernelSchedule, round_: _Round) -> Iterator[tuple[Op, int]]:
    """From which cycle after leaving on the registers of blocks may hold other values."""
    for block, cycles in round_.begins.items():
        behind, first = schedule.blocks[block], min(cycles)
        yield from ((parameter, first) for parameter in block.parameters)
        for op in behind.start:
            kept = behind.start[op] if behind.keeps(op) else behind.ready(op)
            yield op, first + kept + 1


def _met_behind(schedule: KernelSchedule, round_: _Round) -> Iterator[int]:
    """Accesses to the same memories, and to the same ports, in the blocks around come later; but
    for those of the next round that come to nothing that is stored in this one."""
    pipeline, last = schedule.blocks[round_.inner], Counter[_Met]()
    for op, cycle in pipeline.start.items():
        for met in [*_units(pipeline, op), *_waiting_for(op, is_alone(op, round_.outer))]:
            last[met] = max(last[met], cycle)
    for block, cycles in round_.begins.items():
        behind = schedule.blocks[block]
        for op, cycle in behind.start.items():
            is_apart = block in round_.next_ones and is_alone(op, round_.outer)
            met = (one for one in [*_units(behind, op), *_waits_for(op, is_apart)] if one in last)
            yield from (last[one] + 1 - cycle - min(cycles) for one in met)


_Met = tuple[str, int]
"""What two operations may both need, or the accesses of a memory that another one must not pass."""


def _units(schedule: BlockSchedule, op: Op) -> Iterator[_Met]:
    """What serves one operation in a cycle: the port of a memory, or an operator."""
    if op in schedule.ports:
        unit = unit_name(op.memory.name, op.slug) if isinstance(op, Access) else op.core or op.slug
        yield unit, schedule.ports[op]


def _waiting_for(op: Op, is_apart: bool) -> Iterator[_Met]:
    """Which later operations an access has wait: stores to the memory, or all accesses; whether or
    not (1, or 0) they come to nothing that is stored before, which holds for a store only where it
    says so too."""
    if isinstance(op, Access):
        yield f"to store to {op.memory.name}", 0
        yield f"to store to {op.memory.name}", 1
    if isinstance(op, Store):
        yield f"to load from {op.memory.name}", 0
        if not is_apart:
            yield f"to load from {op.memory.name}", 1


def _waits_for(op: Op, is_apart: bool) -> Iterator[_Met]:
    if isinstance(op, Access):
        yield (
            f"to {'store to' if isinstance(op, Store) else 'load from'} {op.memory.name}",
            int(is_apart),
        )


def _met_again(schedule: KernelSchedule, round_: _Round) -> Iterator[int]:
    """Accesses to the same memories in the next round come later. Ports are free then if the
    iterations follow each other as before, by `ii` cycles or multiples of them."""
    return (cycles for is_in_step, cycles in _again(schedule, round_) if not is_in_step)


def _stay(schedule: KernelSchedule, round_: _Round) -> int:
    """The same of those that are in step: from the first iteration on, and in time with `leave`."""
    pipeline = schedule.blocks[round_.inner]
    stay = max((cycles for _, cycles in _again(schedule, round_)), default=0)
    stay += (pipeline.leave - stay) % pipeline.ii
    others = max(1, round_.inner.known_trips) - 1
    return stay if stay > others * pipeline.ii + pipeline.leave else 0


@dataclass
class _Alike:
    """When accesses start of which the same is known: at first and at last."""

    is_store: bool
    is_alone: bool
    is_in_step: bool
    sooner: int
    """How many iterations it may be before."""
    first: int
    last: int


def _again(schedule: KernelSchedule, round_: _Round) -> Iterator[tuple[bool, int]]:
    """Of accesses that may have to keep their order in two rounds, whether they are in step, and
    how many cycles after an iteration with the first one the pipeline could be left if that with
    the second one followed."""
    gap, pipeline = min(round_.gaps), schedule.blocks[round_.inner]
    for groups in _groups(pipeline, round_.outer).values():
        for one, other in product(groups, groups):
            are_alone = one.is_store and one.is_alone and other.is_alone
            if (one.is_store or other.is_store) and not are_alone:
                is_in_step = one.is_in_step and other.is_in_step
                sooner = pipeline.ii * max(one.sooner, other.sooner)
                yield is_in_step, one.last + 1 - other.first - gap + sooner


def _groups(pipeline: BlockSchedule, outer: Block) -> dict[str, list[_Alike]]:
    """The accesses of each memory."""
    found: dict[str, dict[tuple[bool, bool, bool, int], _Alike]] = defaultdict(dict)
    for op, cycle in pipeline.start.items():
        if isinstance(op, Access):
            loop, _, sooner = str(op.attributes.get("in_step", "")).partition("+")
            is_in_step = loop == str(outer.loop)
            known = isinstance(op, Store), is_alone(op, outer), is_in_step, int(sooner or 0)
            alike = found[op.memory.name].setdefault(known, _Alike(*known, cycle, cycle))
            alike.first, alike.last = min(alike.first, cycle), max(alike.last, cycle)
    return {memory: list(groups.values()) for memory, groups in found.items()}


def _wait_outside(schedule: KernelSchedule, round_: _Round) -> None:
    """Has control wait where it goes elsewhere."""
    pipeline = schedule.blocks[round_.inner]
    for block, number in round_.elsewhere:
        past = pipeline.leave + min(round_.begins[block]) + schedule.blocks[block].length
        if past < pipeline.length:
            _wait(schedule, (block, number), pipeline.length - past)


def _wait(schedule: KernelSchedule, way: Way, cycles: int) -> None:
    """Has control wait behind a block."""
    kernel, (source, number) = schedule.kernel, way
    block = source.end.edges[number].block
    if len(kernel.predecessors()[block]) == 1 and _is_plain(block) and not block.is_loop:
        schedule.blocks[block].delay(cycles)
        return
    alike = [i for i, edge in enumerate(source.end.edges) if edge.block is block]
    place = kernel.blocks.index(source)
    plain = kernel.plain
    if plain is not None and len(plain.blocks) == len(kernel.blocks):
        kernel.plain = plain = clone(plain)
        ways = [e for e in plain.blocks[place].end.edges if e.block.name == block.name]
        if alike.index(number) < len(ways):
            put_on(plain, ways[alike.index(number)], f"{block.name}_empty")
    made, _ = put_on(kernel, source.end.edges[number], f"{block.name}_empty")
    schedule.blocks[made] = BlockSchedule(made, cycles, {}, cycles - 1)
