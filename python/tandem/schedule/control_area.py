# SPDX-License-Identifier: Apache-2.0
"""Look-up tables of control: what says that a block or an iteration starts, that a loop goes on,
that parameters take their values, and that a port is used. They follow from what `rtl.emit` makes,
and are a good part of a small kernel."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from tandem.ir.blocks import Block, Edge
from tandem.ir.ops import Access, Op, Store
from tandem.ir.processes import stream_ops
from tandem.ir.wiring import bits_of, is_constant
from tandem.schedule.delays import Target, tree_lut4
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

AT_THE_END = 2
"""What says that the kernel is done, for one cycle."""

Way = tuple[Block, Edge]


def control_lut4(schedule: KernelSchedule, served: Iterable[list[Op]]) -> int:
    """Of all blocks, of the ports that serve some operations each, and of the end."""
    ways = schedule.kernel.predecessors()
    blocks = sum(_block(schedule.target, s, ways[s.block]) for s in schedule.blocks.values())
    return AT_THE_END + blocks + sum(_enable(schedule, ops) for ops in served)


def _block(target: Target, here: BlockSchedule, ways: list[Way]) -> int:
    """An entry; the registers that a pipeline's tokens pass, which end where it is left; and
    counters of long waits."""
    entries = [way for way in ways if way[0] is not here.block or not here.ii]
    decided = [1 + (source.end.condition is not None) for source, _ in entries]
    tables = tree_lut4(target, sum(decided) or 1) + 2 * here.block.calls
    tables += _parameters(here, ways)
    waits = [after - before for before, after in pairwise(here.token_cycles)]
    tables += sum(2 * (wait - 1).bit_length() for wait in waits if wait > 1)
    if here.ii:
        asked = sum(1 for _ in stream_ops(here.block))
        going = sum(cycle < here.decide for cycle in here.token_cycles[:-1])
        tables += tree_lut4(target, min(here.ii, here.length) + asked) + going + 2
    return tables


def _parameters(here: BlockSchedule, ways: list[Way]) -> int:
    """When parameters are written, and when they are set to what is known: each is one bit for all
    that have it in common."""
    if len(ways) < 2:
        return 0
    written: set[tuple[int, frozenset[int]]] = set()
    for place, parameter in enumerate(here.block.parameters):
        values = [edge.arguments[place] for _, edge in ways]
        known = frozenset(i for i, v in enumerate(values) if is_constant(bits_of(v)))
        cycle = here.writes.get(parameter, 0)
        written |= {(cycle, frozenset()), (cycle, known)}
    return len(written)


def _enable(schedule: KernelSchedule, served: list[Op]) -> int:
    """Whether a port is used: in the cycles of its accesses, if these are wanted."""
    if not isinstance(served[0], Access):
        return 0
    home = {op: s for s in schedule.blocks.values() for op in s.ports}
    cycles = {(home[op].block, home[op].start[op]) for op in served}
    wanted = sum(isinstance(op, Store) and op.enable is not None for op in served)
    return tree_lut4(schedule.target, len(cycles) + wanted)
