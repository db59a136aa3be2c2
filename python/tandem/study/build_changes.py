# SPDX-License-Identifier: Apache-2.0
"""What of a kernel's build could be otherwise and is worth a try: the goal, the clock, how often
its loops are taken to run, and directives on these and on arrays. The C stays as it is: a directive
is given its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tandem.host.prepare import Facts
from tandem.loading import load_compiler
from tandem.study.changes import CLOCK, Change

COPIES = (2, 4, 8, 16)
"""Of a loop's body; more are tried as long as they gain."""
BANKS = 4
MOST_ARRAYS = 3
MOST_TRIPS = 1 << 16
"""More are as many, where loops are weighed against each other."""
SLOWER = 5 / 4
"""Times the clock's period: a cycle may then hold what took two."""
ANY_ORDER = "if their last digits may be others"
"""Sums of floating-point numbers that are added in another order are others."""
Loop = Mapping[str, Any]


def build_changes(
    platform: dict[str, Any], facts: Facts, report: dict[str, Any], optimise: str, has_clock: bool
) -> Iterator[Change]:
    """Those for which kernels are built again; `has_clock`: theirs was asked for, and stays."""
    load_compiler()
    from tandem.compiler.goals import GOALS

    for goal in GOALS:
        if goal != optimise:
            yield Change(f"built for {goal}", "goal", optimise=goal)
    if not has_clock:
        yield from _of_clock(platform, facts, report)
    cycles = sum(kernel["cycles"] for kernel in report["kernels"])
    for kernel in report["kernels"]:
        yield from _of_trips(kernel)
        for loop, share in _loops(kernel["loops"], cycles):
            yield from _of_loop(loop, share, facts)


def _of_clock(platform: dict[str, Any], facts: Facts, report: dict[str, Any]) -> Iterator[Change]:
    """Twice the platform's, or, where the kernel does not even reach that one, that all the same;
    and one a bit slower than it runs at."""
    device = platform["devices"][0]
    now_ps = report["clock_ps"]
    if not facts.clock_note:
        mhz = device["clock_hz"] * 2 / 1e6
        name = f"kernel and memory at {mhz:g} MHz, or what the kernel reaches"
        yield Change(name, "clock", (f"{CLOCK}{mhz:g}MHz",))
    else:
        name = f"built for {1e6 / device['clock_ps']:.4g} MHz, or as near as it gets"
        yield Change(name, "clock", clock_ps=device["clock_ps"])
    slower_ps = round(now_ps * SLOWER)
    yield Change(f"built for {1e6 / slower_ps:.4g} MHz", "clock", clock_ps=slower_ps)


def _of_trips(kernel: Mapping[str, Any]) -> Iterator[Change]:
    """The kernel weighed by how often its loops have run, in place of guesses."""
    around = [kernel["calls"]]
    """How often the body of what is around has run, from the outside in."""
    said: dict[str, str] = {}
    for loop in kernel["loops"]:
        around = around[: loop["depth"]]
        trips = round(loop["iterations"] / max(1, around[-1]))
        around.append(loop["iterations"])
        place = f"{loop['file']}:{loop['line']}"
        said.setdefault(place, f"{place}: trips({min(max(1, trips), MOST_TRIPS)})")
    if said:
        name = f"`{kernel['name']}` weighed by how often its loops ran, with `trips(N)` before each"
        yield Change(name, "trips", directives=tuple(said.values()), share=1.0)


def _loops(loops: Sequence[Loop], cycles: int) -> Iterator[tuple[Loop, float]]:
    """Each loop of the C with its part of all cycles, what is inside it counted too; of those that
    the kernel has several of, the first."""
    shares: dict[tuple[str, int], float] = {}
    first: dict[tuple[str, int], Loop] = {}
    for i, loop in enumerate(loops):
        place = loop["file"], loop["line"]
        first.setdefault(place, loop)
        inside = sum(row["cycles"] for row in _inside(loops, i))
        shares[place] = shares.get(place, 0) + (loop["cycles"] + inside) / max(1, cycles)
    for place, share in shares.items():
        yield first[place], share


def _inside(loops: Sequence[Loop], at: int) -> Iterator[Loop]:
    """The loops in one; they stand behind it."""
    for loop in loops[at + 1 :]:
        if loop["depth"] <= loops[at]["depth"]:
            return
        yield loop


def _of_loop(loop: Loop, share: float, facts: Facts) -> Iterator[Change]:
    """What directives may make of it; what cannot be is seen when it is built."""
    if loop["ii"] is None:
        yield _directed(loop, share, "pipeline")
        yield _directed(loop, share, "dataflow")
        return
    if loop["ii"] > 1 or facts.clock_note:
        change = _directed(loop, share, "reassociate")
        yield replace(change, provided=(ANY_ORDER,))
    for copies in COPIES:
        change = _directed(loop, share, f"unroll({copies})")
        yield replace(change, ladder=change.group)
    for function, array in facts.arrays[:MOST_ARRAYS]:
        yield from _with_array(loop, share, f"{function}: partition({array}, %d)")


def _with_array(loop: Loop, share: float, split: str) -> Iterator[Change]:
    """The same where a local array is several memories, of which each copy then has one."""
    if loop["ii"] > 1:
        directive = split % BANKS
        yield Change(f"`{directive}`", split, directives=(directive,), share=share)
    for copies in COPIES[1:]:
        change = _directed(loop, share, f"unroll({copies})", split % copies)
        yield replace(change, ladder=f"{change.group} {split}")


def _directed(loop: Loop, share: float, say: str, *also: str) -> Change:
    place = f"{loop['file']}:{loop['line']}"
    name = ", ".join([f"`{say}` for the loop at {place}", *(f"`{text}`" for text in also)])
    group = f"{place} {say.partition('(')[0]}"
    return Change(name, group, directives=(f"{place}: {say}", *also), share=share)
