# SPDX-License-Identifier: Apache-2.0
"""When each operation of a kernel starts: every block on its own, loops as pipelines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import ceil

from tandem import policy, progress
from tandem.diagnostics import Diagnostic, Infeasible
from tandem.ir.blocks import NO_PIPELINE, Block, reverse_postorder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import loop_around, natural_loops
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Load, Op
from tandem.ir.processes import processes
from tandem.schedule.chaining import add_chaining, path_delays_ps
from tandem.schedule.constraints import (
    Latencies,
    Node,
    NodeKind,
    Problem,
    Setting,
    build_problem,
    carries_answers,
)
from tandem.schedule.delays import Target, with_latency
from tandem.schedule.expected import Pace, cycles_by_pace, cycles_once_entered
from tandem.schedule.latencies import Draft, Drafts, choose_latencies, lowest_latencies
from tandem.schedule.leaving import leave_early
from tandem.schedule.limits import Limits, directive, recurrence, room, unit_limit
from tandem.schedule.registers import fewest_registers, without_units
from tandem.schedule.reservation import reserve
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule
from tandem.schedule.starts import Starts, Unmeetable
from tandem.stages import stage

II_LIMIT = 4096
NEVER_MET = 1 << 30
"""As an `ii`: an iteration longer than any."""
TRIALS = 16
"""How often an `ii` is tried that is just above what one recurrence allows, before the least that
all of them allow is searched for; and how often one more core, before twice as many are."""
CROWDED_TRIALS = 3
"""How often the next `ii` is tried where the units do not suffice, before steps are twice as large
each time."""


class Slower(Infeasible):
    """That no `ii` is as small as one that was asked for."""


def slowest_operation(kernel: Kernel, target: Target) -> Op | None:
    """The operation that needs the longest clock period."""
    ops = [op for _, op in kernel.ops()]
    return max(ops, key=target.fastest_ps, default=None)


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

    @property
    def least_time_ps(self) -> float:
        """What a call is expected to take, if those are left as soon as it is known which iteration
        is the last."""
        paces = {
            block: Pace(draft.ii, draft.least_leave if block in self.left_early else draft.length)
            for block, draft in self.drafts.items()
        }
        return sum(cycles_by_pace(self.setting.kernel, paces).values()) * self.clock_ps

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
    for number, entry in enumerate(processes(setting.kernel).values(), 1):
        for block in reverse_postorder(entry):
            ports = blocks[block].ports
            for op in ports:
                if op.core:
                    ports[op] += number * setting.cores[op.core]
                elif isinstance(op, Load) and op.memory.name in shared:
                    ports[op] += shared[op.memory.name].index(number) * read_ports


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
def takes_less(
    setting: Setting, clock_ps: int, entries: Mapping[Block, float], most: float
) -> bool:
    """Whether some blocks, which a call enters so often, take less than `most` cycles of it with a
    clock, with the latencies that make loops' `ii` least. No `ii` is tried with which they do not.
    Raises Infeasible where a directive's `ii` cannot be had."""
    budget_ps = setting.target.budget_ps(clock_ps)
    latencies = lowest_latencies(setting, budget_ps)
    problems = {b: cache(_problems(setting, b, latencies, budget_ps)) for b in entries}
    least = {block: _least_cycles(problem_of) for block, problem_of in problems.items()}
    left = most - sum(entries[block] * cycles for block, cycles in least.items())
    for block, problem_of in problems.items():
        if left <= 0:
            return False
        below = _ii_below(problem_of(False), least[block] + left / entries[block])
        try:
            cycles = _draft(setting.kernel, problem_of, below).cycles
        except Slower:
            return False
        left -= entries[block] * (cycles - least[block])
    return left > 0


def _least_cycles(problem_of: Callable[[bool], Problem]) -> int:
    """No more than what a draft of a block takes: as if all units were free."""
    problem = problem_of(False)
    is_pipeline = problem.is_loop and problem.block.wanted_ii != NO_PIPELINE
    if not is_pipeline or carries_answers(problem):
        return 0
    limits = Limits(unit_limit(problem))
    ii = _least_met(problem, limits.res_mii, limits)
    length = Starts(problem, NEVER_MET)[problem.end] + 1
    return cycles_once_entered(problem.block, min(ii, length), length)


def _ii_below(problem: Problem, cycles: float) -> int:
    """The least `ii` with which a loop takes so many cycles or more, once it is entered."""
    length = Starts(problem, NEVER_MET)[problem.end] + 1
    one, two = (cycles_once_entered(problem.block, ii, length) for ii in (1, 2))
    return min(II_LIMIT, max(1, 1 + ceil((cycles - one) / (two - one)))) if two > one else II_LIMIT


def _drafted(setting: Setting, block: Block, latencies: Latencies, budget_ps: int) -> Draft:
    """A block with these latencies."""
    progress.step(f"schedule of line {block.line}" if block.line else "schedule")
    return _draft(setting.kernel, _problems(setting, block, latencies, budget_ps))


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
            found = _draft(self.setting.kernel, problems)
            return found if found.ii <= ii else None
        return _at(problem, ii) or (_at(problems(True), ii) if carries_answers(problem) else None)

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


def _draft(kernel: Kernel, problem_of: Callable[[bool], Problem], below: int = II_LIMIT) -> Draft:
    """A block with the least `ii` that it can have. Raises Slower where that is not `below`, and
    Infeasible for a directive's that cannot be had."""
    problem = problem_of(False)
    if not problem.is_loop:
        starts = Starts(problem, 0)
        return Draft(problem, 0, starts, reserve(problem, starts, 0).port, Limits())
    if problem.block.wanted_ii == NO_PIPELINE:
        return _one_by_one(problem)
    try:
        found = _pipelined(kernel, problem, below)
    except Infeasible:  # a directive's `ii`, or one below, which the other may reach
        if not carries_answers(problem):
            raise
        return _pipelined(kernel, problem_of(True), below)
    if found.ii == found.limits.res_mii or not carries_answers(problem):
        return found
    try:
        return _pipelined(kernel, problem_of(True), found.ii)
    except Slower:
        return found


def _one_by_one(problem: Problem) -> Draft:
    """An iteration starts when the one before has ended, so that nothing of it waits for, or meets,
    what another one does."""
    starts = Starts(problem, NEVER_MET)
    ports = reserve(problem, starts, NEVER_MET).port
    length = starts[problem.end] + 1
    limits = Limits(unit_limit(problem), directive=directive(problem, length))
    return Draft(problem, length, starts, ports, limits)


def _pipelined(kernel: Kernel, problem: Problem, below: int = II_LIMIT) -> Draft:
    """The least `ii` from what the units allow on, with what stood in the way of a smaller one.
    Raises Slower where it is not `below`."""
    limits = Limits(unit_limit(problem))
    if kernel.least_ii > limits.res_mii:
        limits.unit = room(problem, kernel.least_ii)
    wanted = problem.block.wanted_ii or 0
    ii = failed = limits.res_mii
    crowded = 0
    end = _end_of_trials(problem, below)
    while ii < end:
        try:
            starts, ports = _reserved(problem, ii)
        except Unmeetable as error:
            limits.add(recurrence(problem, error.cycle, ii))
            crowded += not error.cycle
            step = 1 << max(0, crowded - CROWDED_TRIALS)
            if crowded == 1 and ii < end - 1 < II_LIMIT - 1 and _at(problem, end - 1) is None:
                break
            failed, ii = ii, max(ii + 1, min(ii + step, end - 1), limits.rec_mii)
            if len(limits.recurrences) % TRIALS == 0:
                ii = _least_met(problem, ii, limits)
            continue
        if crowded > CROWDED_TRIALS:
            ii, starts, ports = _least_reserved(problem, failed, (ii, starts, ports))
        found = _apart_if_slower(Draft(problem, ii, starts, ports, limits))
        if wanted and found.ii > wanted:
            raise _unreachable(kernel, problem.block, wanted, found.ii, limits)
        if found.ii >= below:
            break
        return found
    text = f"no ii below {below} works: {limits.sentence()}"
    slower = Slower if below < II_LIMIT else Infeasible
    raise slower(Diagnostic("ii", text, kernel.place(problem.block.line)))


def _end_of_trials(problem: Problem, below: int) -> int:
    """Behind the last `ii` to try for one `below`. What takes longer than an iteration does comes
    down to that."""
    if below < II_LIMIT and Starts(problem, NEVER_MET)[problem.end] + 1 >= below:
        return below
    return II_LIMIT


def least_ii(kernel: Kernel, problem: Problem) -> tuple[int, Limits]:
    """The least `ii` of a loop, and what stands in the way of a smaller one. Raises as
    `schedule_kernel` does."""
    draft = _pipelined(kernel, problem)
    return draft.ii, draft.limits


def _at(problem: Problem, ii: int) -> Draft | None:
    """A loop with an `ii`; None where the constraints or the units do not allow it."""
    try:
        found = _apart_if_slower(Draft(problem, ii, *_reserved(problem, ii), Limits()))
    except Unmeetable:
        return None
    return found if found.ii <= ii else None


def _apart_if_slower(draft: Draft) -> Draft:
    """Iterations that do not overlap need not wait for each other either."""
    if draft.ii <= draft.starts[draft.problem.end] + 1:
        return draft
    return replace(_one_by_one(draft.problem), limits=draft.limits)


def _reserved(problem: Problem, ii: int) -> tuple[Starts, dict[Node, int]]:
    """When everything starts, and the ports; raises Unmeetable where that cannot be."""
    starts = Starts(problem, ii)
    return starts, reserve(problem, starts, ii).port


def _least_reserved(
    problem: Problem, failed: int, found: tuple[int, Starts, dict[Node, int]]
) -> tuple[int, Starts, dict[Node, int]]:
    """Something between an `ii` that has failed and one that was found, if there is any."""
    while found[0] - failed > 1:
        middle = (failed + found[0]) // 2
        try:
            found = middle, *_reserved(problem, middle)
        except Unmeetable:
            failed = middle
    return found


def _least_met(problem: Problem, least: int, limits: Limits) -> int:
    """The least `ii`, from one on, that the constraints allow, ports aside. What stands in the way
    of a smaller one is the last of the limits then."""

    def fails(ii: int) -> bool:
        try:
            Starts(problem, ii)
        except Unmeetable as error:
            limits.add(recurrence(problem, error.cycle, ii))
            return True
        return False

    below, above = least - 1, least
    while above < II_LIMIT and fails(above):
        below, above = above, min(II_LIMIT, 2 * above)
    while above - below > 1:
        middle = (below + above) // 2
        if fails(middle):
            below = middle
        else:
            above = middle
    return above


def _unreachable(
    kernel: Kernel, block: Block, wanted: int, possible: int, limits: Limits
) -> Infeasible:
    return Infeasible(
        Diagnostic(
            "ii",
            f"ii={wanted} is unreachable: {limits.sentence()}",
            kernel.place(block.line),
            f"use `#pragma tandem pipeline ii({possible})`, or {limits.cure()}",
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
