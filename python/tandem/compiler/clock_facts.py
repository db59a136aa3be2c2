# SPDX-License-Identifier: Apache-2.0
"""What the passes know of a target with a clock."""

from __future__ import annotations

from dataclasses import replace

from tandem.ir.kernel import Kernel
from tandem.passes.pipelines import FOR_CLOCK, Facts, Options, run_pipeline
from tandem.passes.reassociate import Timing
from tandem.schedule.delays import Target

WIDEST_COUNTER_BITS = 64
"""C counts in no more."""
NARROWEST_COUNTER_BITS = 8
"""Digits of wide counters have at least as many."""


def counter_bits(target: Target, clock_ps: int) -> int:
    """The width of the widest counter that counts, and is compared, in one cycle of a clock; at
    least `NARROWEST_COUNTER_BITS`, which the clock is made for."""
    budget_ps = target.budget_ps(clock_ps)
    widths = range(WIDEST_COUNTER_BITS, NARROWEST_COUNTER_BITS, -1)
    return next((w for w in widths if _counter_ps(target, w) <= budget_ps), NARROWEST_COUNTER_BITS)


def unclocked_facts(target: Target) -> Facts:
    """What the passes know of a target alone."""
    return Facts(lut_inputs=target.lut_inputs, multiplier_bits=target.multiplier_bits)


def facts_of(target: Target, clock_ps: int) -> Facts:
    """What the passes know of a target with a clock."""
    return replace(
        unclocked_facts(target),
        counter_bits=counter_bits(target, clock_ps),
        timing=Timing(target.delay_ps, target.level_ps, target.budget_ps(clock_ps)),
    )


def split_for_clock(kernel: Kernel, target: Target, clock_ps: int) -> None:
    """The passes that are left when the clock is known."""
    run_pipeline(kernel, Options(facts=facts_of(target, clock_ps)), FOR_CLOCK)


def shortest_clock_ps(target: Target) -> int:
    """The clock period below which no kernel is made, whatever was asked for."""
    return target.clock_for_ps(_counter_ps(target, NARROWEST_COUNTER_BITS))


def _counter_ps(target: Target, width: int) -> int:
    return max(target.rows[row].delay(width) for row in ("add", "eq"))
