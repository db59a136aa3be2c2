# SPDX-License-Identifier: Apache-2.0
"""When each operation of a kernel starts: every block on its own, loops as pipelines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from tandem import policy, progress
from tandem.diagnostics import Diagnostic, Infeasible
from tandem.ir.blocks import NO_PIPELINE, Block, reverse_postorder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import loop_around, natural_loops
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Load, Op
from tandem.ir.processes import processes
from tandem.schedule.chaining import add_chaining, path_delays_ps
from tandem.schedule.constraints import build_problem, carries_answers
from tandem.schedule.delays import Target, with_latency
from tandem.schedule.drafting import (
    Slower,
    draft_at,
    draft_block,
    ii_below,
    least_cycles,
    least_ii_of,
)
from tandem.schedule.expected import UNKNOWN, Pace, Trips, cycles_by_pace
from tandem.schedule.latencies import Draft, Drafts, choose_latencies, lowest_latencies
from tandem.schedule.leaving import leave_early
from tandem.schedule.problem import Node, NodeKind, Problem
from tandem.schedule.registers import fewest_registers, without_units
from tandem.schedule.reservation import reserve
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule
from tandem.schedule.setting import Latencies, Setting
from tandem.schedule.starts import Starts, Unmeetable
from tandem.stages import stage

TRIALS = 16
"""How often one core more is tried, before twice as many are."""


def slowest_operation(kernel: Kernel, target: Target) -> Op | None:
    """The operation that needs the longest clock period, found once for all clocks."""
    known = kernel.facts.get("slowest")
    if known is None or known[0] is not target:
        ops = [op for _, op in kernel.ops()]
        kernel.facts["slowest"] = known = target, max(ops, key=target.fastest_ps, default=None)
    return known[1]


def fastest_clock_ps(kernel: Kernel, target: Target) -> int:
    """The shortest clock period in which every single operation fits."""
    slowest = slowest_operation(kernel, target)
    return target.clock_for_ps(target.fastest_ps(slowest) if slowest else 0)


def schedule_kernel(
    kernel: Kernel, target: Target, clock_ps: int, is_core: bool = False
) -> KernelSchedule:
    """Schedules every block. `is_core`: the kernel's one block is a core, which starts in every
    cycle. Raises Infeasible when an operation does not fit the clock period, or a directive's `ii`
    cannot be had."""
    kernel.facts.clear()
    return draft_kernel(Setting(kernel, target, is_core), clock_ps).finished()


@dataclass(frozen=True)
class KernelDraft:
    """A schedule of which it is not known yet where the fewest values wait, which takes as long to
    find as all before. The kernel is as it was."""

    setting: Setting
    clock_ps: int
    latencies: Latencies
    drafts: Drafts

    @cached_property
    def left_early(self) -> set[Block]:
        """Pipelines that a loop around them may leave before they are empty."""
        loops = natural_loops(self.setting.kernel)
        return {block for block in loops if self.drafts[block].ii and loop_around(block, loops)}

    def least_time_ps(
        self, trips: Trips = UNKNOWN, faster: Mapping[Block, int] | None = None
    ) -> float:
        """What a call is expected to take, as `least_cycles` has it."""
        return sum(self.least_cycles(trips, faster).values()) * self.clock_ps

    def least_cycles(
        self, trips: Trips = UNKNOWN, faster: Mapping[Block, int] | None = None
    ) -> dict[Block, float]:
        """What each block takes of a call, if those are left as soon as it is known which iteration
        is the last; and if some loops, which are `faster`, had such an `ii`."""
        paces = {
            block: Pace(draft.ii, draft.least_leave if block in self.left_early else draft.length)
            for block, draft in self.drafts.items()
        }
        paces |= {block: Pace(ii, 1) for block, ii in (faster or {}).items()}
        return cycles_by_pace(self.setting.kernel, paces, trips)

    @property
    def waiting(self) -> list[Block]:
        """The loops that wait for themselves."""
        return [b for b, draft in self.drafts.items() if draft.ii > 1 and draft.limits.recurrences]

    @stage("schedule")
    def finished(self) -> KernelSchedule:
        """The schedule. Pipelines may be left early then, for which the kernel may change."""
        kernel, target = self.setting.kernel, self.setting.target
        reads = {
            name: with_latency(target.reads(memory), self.latencies.reads.get(name, 0))
            for name, memory in kernel.memories.items()
        }
        waits = {name: read.latency_cycles for name, read in reads.items()}
        blocks = {block: _finished(self.drafts[block], target) for block in kernel.blocks}
        _keep_cores_apart(self.setting, blocks)
        for block in kernel.blocks if self.setting.is_core else ():
            blocks[block].ii = 1
            blocks[block].writes = blocks[block].reads = dict.fromkeys(block.parameters, 0)
        schedule = KernelSchedule(kernel, target, self.clock_ps, blocks, waits)
        if not self.setting.is_core:
            leave_early(schedule)
        return schedule


@stage("schedule")
def draft_kernel(setting: Setting, clock_ps: int) -> KernelDraft:
    """Every block with the least `ii` that it can have, and as few cores as that takes. Raises as
    `schedule_kernel` does."""
    _check_clock(setting.kernel, setting.target, clock_ps)
    budget_ps = setting.target.budget_ps(clock_ps)

    def draft(block: Block, latencies: Latencies) -> Draft:
        return _drafted(setting, block, latencies, budget_ps)

    latencies, drafts = choose_latencies(setting, budget_ps, draft)
    remade = Remade(setting, drafts, latencies, budget_ps)
    drafts |= _with_few_cores(setting, drafts, remade)
    return KernelDraft(setting, clock_ps, latencies, drafts)


def _keep_cores_apart(setting: Setting, blocks: dict[Block, BlockSchedule]) -> None:
    """Gives every process cores of its own, and of memories that several of them read a port each
    of its own: blocks of two processes run at the same time."""
    shared, read_ports = _read_by_several(setting.kernel), setting.target.memories.read_ports

    def apart(op: Op, number: int) -> int:
        if op.core:
            return number * setting.cores[op.core]
        is_shared = isinstance(op, Load) and op.memory.name in shared
        return shared[op.memory.name].index(number) * read_ports if is_shared else 0

    for number, entry in enumerate(processes(setting.kernel).values(), 1):
        for block in reverse_postorder(entry):
            ports = blocks[block].ports
            ports.update({op: port + apart(op, number) for op, port in ports.items()})


def _read_by_several(kernel: Kernel) -> dict[str, list[int]]:
    """The memories inside that several processes read, and the numbers of these."""
    readers: dict[str, list[int]] = {}
    for number, entry in enumerate(processes(kernel).values(), 1):
        ops = [op for block in reverse_postorder(entry) for op in block.ops]
        for name in dict.fromkeys(op.memory.name for op in ops if isinstance(op, Load)):
            if kernel.memories[name].kind is MemoryKind.RAM:
                readers.setdefault(name, []).append(number)
    return {name: numbers for name, numbers in readers.items() if len(numbers) > 1}


@stage("schedule")
def least_iis(setting: Setting, clock_ps: int, blocks: Iterable[Block]) -> list[int]:
    """No more than the `ii` of each of some loops, with a clock or a faster one."""
    return [least_ii_of(p) or 1 for p in _asked(setting, clock_ps, blocks).values()]


@stage("schedule")
def takes_less(
    setting: Setting, clock_ps: int, entries: Mapping[Block, float], most: float
) -> bool:
    """Whether some blocks, which a call enters so often, take less than `most` cycles of it with a
    clock, with the latencies that make loops' `ii` least. No `ii` is tried with which they do not.
    Raises Infeasible where a directive's `ii` cannot be had."""
    asked = _asked(setting, clock_ps, entries)
    least = {block: least_cycles(problem_of) for block, problem_of in asked.items()}
    left = most - sum(entries[block] * cycles for block, cycles in least.items())
    for block, problem_of in asked.items():
        if left <= 0:
            return False
        below = ii_below(problem_of(False), least[block] + left / entries[block])
        try:
            cycles = draft_block(setting.kernel, problem_of, below).cycles
        except Slower:
            return False
        left -= entries[block] * (cycles - least[block])
    return left > 0


def _asked(
    setting: Setting, clock_ps: int, blocks: Iterable[Block]
) -> dict[Block, Callable[[bool], Problem]]:
    """What blocks ask for with a clock, and the lowest latencies that fit it."""
    budget_ps = setting.target.budget_ps(clock_ps)
    latencies = lowest_latencies(setting, budget_ps)
    return {block: cache(_problems(setting, block, latencies, budget_ps)) for block in blocks}


def _drafted(setting: Setting, block: Block, latencies: Latencies, budget_ps: int) -> Draft:
    """A block with these latencies."""
    progress.step(f"schedule of line {block.line}" if block.line else "schedule")
    return draft_block(setting.kernel, _problems(setting, block, latencies, budget_ps))


def _problems(
    setting: Setting, block: Block, latencies: Latencies, budget_ps: int
) -> Callable[[bool], Problem]:
    """What a block asks for with these latencies, where answers are passed on and where not."""

    def problem_of(passes_on: bool) -> Problem:
        problem = build_problem(setting, block, latencies, passes_on)
        add_chaining(problem, budget_ps, setting.target.shared_register_ps)
        return problem

    return problem_of


@dataclass(frozen=True)
class Remade:
    """Blocks once more, with other numbers of cores."""

    setting: Setting
    drafts: Drafts
    latencies: Latencies
    budget_ps: int

    def as_fast(self, block: Block) -> Draft | None:
        """A block with the `ii` that it has in `drafts`; None where that cannot be."""
        problems = _problems(self.setting, block, self.latencies, self.budget_ps)
        ii = self.drafts[block].ii
        problem = problems(False)
        if not problem.is_loop or problem.block.wanted_ii == NO_PIPELINE:
            found = draft_block(self.setting.kernel, problems)
            return found if found.ii <= ii else None
        return draft_at(problem, ii) or (
            draft_at(problems(True), ii) if carries_answers(problem) else None
        )

    def slower(self, block: Block) -> Draft:
        """A block with the least `ii` that it can have."""
        return _drafted(self.setting, block, self.latencies, self.budget_ps)


def _with_few_cores(setting: Setting, drafts: Drafts, remade: Remade) -> Drafts:
    """The blocks that use cores, of which there are as few as leave every loop its `ii`."""
    used = {block: _core_kinds(setting, drafted) for block, drafted in drafts.items()}
    used = {block: kinds for block, kinds in used.items() if kinds}
    most = setting.cores
    setting.cores = _fewest_cores(used, drafts)
    while True:
        made = {block: remade.as_fast(block) for block in used}
        slower = [block for block, found in made.items() if found is None]
        if not _scarce(setting, most, used, slower):
            found = {block: draft or remade.slower(block) for block, draft in made.items()}
            return {b: replace(d, limits=drafts[b].limits) for b, d in found.items()}
        # more cores make no other block slower; if one should be, the next round finds it
        _add_cores(setting, most, used, slower, remade)


def _add_cores(
    setting: Setting,
    most: Counter[str],
    used: dict[Block, Counter[str]],
    slower: list[Block],
    remade: Remade,
) -> None:
    """Adds cores until blocks are as fast as they were with `most`, or none is left to add: one
    after the other, and of so many that this takes long twice as many, then what is between."""
    few, waiting = setting.cores, slower
    trials = 0
    while scarce := _scarce(setting, most, used, slower):
        few, waiting = setting.cores, slower
        trials += 1
        wanted = Counter({k: 2 * few[k] if trials > TRIALS else few[k] + 1 for k in scarce})
        setting.cores = few | (wanted & most)
        slower = [block for block in slower if remade.as_fast(block) is None]
    enough = setting.cores
    while not slower and any(enough[k] - few[k] > 1 for k in enough):
        setting.cores = Counter({k: (few[k] + n + 1) // 2 for k, n in enough.items()})
        if all(remade.as_fast(block) for block in waiting):
            enough = setting.cores
        else:
            few = setting.cores
    setting.cores = enough


def _scarce(
    setting: Setting, most: Counter[str], used: dict[Block, Counter[str]], slower: list[Block]
) -> set[str]:
    """The kinds of cores that blocks may be waiting for."""
    return {k for block in slower for k in used[block] if setting.cores[k] < most[k]}


def _core_kinds(setting: Setting, drafted: Draft) -> Counter[str]:
    """How many operations of a block each kind of core serves."""
    return Counter(node.unit for node in drafted.problem.nodes if node.unit in setting.cores)


def _fewest_cores(used: dict[Block, Counter[str]], drafts: Drafts) -> Counter[str]:
    """One of each kind, and where a loop needs more in its `ii`, as many."""
    fewest: Counter[str] = Counter()
    for block, kinds in used.items():
        for kind, count in kinds.items():
            ii = drafts[block].ii or count
            fewest[kind] = max(fewest[kind], -(-count // ii))
    return fewest


def _check_clock(kernel: Kernel, target: Target, clock_ps: int) -> None:
    slowest = slowest_operation(kernel, target)
    if slowest is None:
        return
    least = target.clock_for_ps(target.fastest_ps(slowest))
    if clock_ps < least:
        raise Infeasible(
            Diagnostic(
                "clock",
                f"a clock of {clock_ps / 1000:g} ns is too short for `{slowest.slug}` of "
                f"{slowest.operands[0].width} bits on {target.name}",
                kernel.place(slowest.line),
                f"use --clock-ns {-(-least // 100) / 10:g} or more, or narrower integers",
            )
        )


def _settled(draft: Draft) -> tuple[dict[Node, int], dict[Node, int]]:
    """When everything starts so that few values wait, and the ports: those of the draft, or others,
    where what has a unit starts later."""
    problem, ii = draft.problem, draft.ii
    first = fewest_registers(problem, ii, draft.starts.all())
    wanted = without_units(problem, ii, first.starts)
    if wanted is None or wanted.waiting_bits >= first.waiting_bits * policy.MOVED_BITS_LEFT:
        return first.starts, draft.ports
    for slack in policy.MOVED_CYCLES:
        try:
            starts, ports = _reserved_late(problem, ii, wanted.starts, slack)
        except Unmeetable:
            continue
        if starts[problem.end] <= draft.starts[problem.end]:
            other = fewest_registers(problem, ii, starts.all())
            if other.waiting_bits < first.waiting_bits:
                return other.starts, ports
    return first.starts, draft.ports


def _reserved_late(
    problem: Problem, ii: int, wanted: dict[Node, int], slack: int
) -> tuple[Starts, dict[Node, int]]:
    """Everything `slack` cycles before it is wanted, or later. Raises Unmeetable."""
    starts = Starts(problem, ii)
    for node in problem.nodes:
        if node.unit:
            starts.delay(node, wanted[node] - slack, "few values are to wait")
    return starts, reserve(problem, starts, ii).port


def _finished(draft: Draft, target: Target) -> BlockSchedule:
    """The schedule of a draft's length with the fewest registers."""
    problem = draft.problem
    start, ports = _settled(draft)
    ops = [node for node in problem.nodes if node.kind is NodeKind.OP]
    reads = {p: start[problem.node_of[p]] for p in problem.block.parameters if problem.is_loop}
    return BlockSchedule(
        problem.block,
        max(start[problem.end] + 1, draft.ii),
        {n.op: start[n] for n in ops if n.op is not None},
        start[problem.decide],
        {node.op: port for node, port in ports.items() if node.op is not None},
        draft.ii,
        reads,
        {p: start[node] for p, node in problem.writes.items()},
        draft.limits,
        {n.op: n.latency for n in ops if n.op is not None and n.latency},
        *path_delays_ps(problem, start, target.shared_register_ps),
        problem=problem,
    )
