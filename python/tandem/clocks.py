# SPDX-License-Identifier: Apache-2.0
"""The clock of a kernel that cannot have the one asked for.

The clock period in which the slowest operation just fits is not always the best: what had to be
split into several cycles makes recurrences longer, and a loop's `ii` can cost more than the clock
gains. So some slower clocks are tried, and the loops decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tandem.diagnostics import Infeasible
from tandem.ir.kernel import Kernel
from tandem.ir.loops import innermost_loops
from tandem.passes import split_wide
from tandem.passes.count_loops import COUNTER_BITS
from tandem.schedule.delays import Target
from tandem.schedule.scheduler import (
    KernelSchedule,
    fastest_clock_ps,
    schedule_kernel,
    slowest_operation,
)

SLOWEST = 2.5
"""No clock is tried that is that many times slower than the fastest possible."""
MOST_CANDIDATES = 5
APART = 1.05
"""Clocks that are closer to each other are as good as one."""
MOST_OPERATIONS = 5_000
"""Making a larger kernel several times takes longer than anybody waits."""

WIDEST_COUNTER_BITS = 64
"""C counts in no more."""


def counter_bits(target: Target, clock_ps: int) -> int:
    """The width of the widest counter that counts, and is compared, in one cycle of a clock; at
    least `COUNTER_BITS`, which the clock is made for."""
    budget_ps = target.budget_ps(clock_ps)
    widths = range(WIDEST_COUNTER_BITS, COUNTER_BITS, -1)
    return next((w for w in widths if _counter_ps(target, w) <= budget_ps), COUNTER_BITS)


def _counter_ps(target: Target, width: int) -> int:
    return max(target.rows[row].delay(width) for row in ("add", "eq"))


@dataclass
class Fit:
    """A schedule, and why its clock is slower than asked for: a sentence, or empty."""

    schedule: KernelSchedule
    reason: str = ""


def fit_clock(make: Callable[[], Kernel], target: Target, asked_ps: int) -> Fit:
    """The schedule for the clock asked for, or else for the one with which the loops take the least
    time. `make` makes the kernel, anew each time."""
    kernel = make()
    delays_ps = {target.delay_ps(op) for _, op in kernel.ops()}
    counter_ps = target.clock_for_ps(_counter_ps(target, COUNTER_BITS))
    first = _scheduled(kernel, target, max(asked_ps, counter_ps))
    if first.clock_ps == asked_ps:
        return Fit(first)
    reason = _reason(first, target, counter_ps)
    best = first
    for clock_ps in _candidates(first, delays_ps, target):
        try:
            other = _scheduled(make(), target, clock_ps)
        except Infeasible:  # a pragma's `ii`
            continue
        if _loop_time_ps(other) < _loop_time_ps(best):
            best = other
    if best.clock_ps != first.clock_ps:
        reason += f"; with {best.clock_ps / 1000:g} ns its loops take the least time"
    return Fit(best, reason)


def _scheduled(kernel: Kernel, target: Target, clock_ps: int) -> KernelSchedule:
    split_wide.run(kernel, target.delay_ps, target.budget_ps(clock_ps))
    return schedule_kernel(kernel, target, max(clock_ps, fastest_clock_ps(kernel, target)))


def _candidates(first: KernelSchedule, delays_ps: set[int], target: Target) -> list[int]:
    """The fastest possible clock again, with no more split than it needs, and the clocks with which
    some slower operation would not be split. None where nothing can become better."""
    if len(list(first.kernel.ops())) > MOST_OPERATIONS or _loop_cycles(first) <= _loops(first):
        return []
    limits = {target.clock_for_ps(delay) for delay in delays_ps}
    tried = [first.clock_ps]
    for clock_ps in sorted(limits):
        if tried[-1] * APART < clock_ps <= first.clock_ps * SLOWEST:
            tried.append(clock_ps)
    return tried[:MOST_CANDIDATES]


def _loop_time_ps(schedule: KernelSchedule) -> int:
    return _loop_cycles(schedule) * schedule.clock_ps


def _loop_cycles(schedule: KernelSchedule) -> int:
    """Cycles of one iteration of each loop, without inner loops."""
    in_loops = innermost_loops(schedule.kernel)
    return sum(schedule.blocks[b].ii or schedule.blocks[b].length for b in in_loops)


def _loops(schedule: KernelSchedule) -> int:
    return len(innermost_loops(schedule.kernel))


def _reason(first: KernelSchedule, target: Target, counter_ps: int) -> str:
    slowest = slowest_operation(first.kernel, target)
    needed = f"needs {first.clock_ps / 1000:g} ns on {target.title}"
    if slowest is None or first.clock_ps <= counter_ps:
        return f"a counter or sum of {COUNTER_BITS} bits {needed}"
    width = slowest.operands[0].width if slowest.operands else slowest.width
    where = f" in line {slowest.line}" if slowest.line else ""
    return f"`{slowest.kind}` of {width} bits{where} {needed}"
