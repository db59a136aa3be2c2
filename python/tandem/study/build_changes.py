# SPDX-License-Identifier: Apache-2.0
"""What of a kernel's build could be otherwise and is worth a try: the goal, the clock, and
directives on its loops and arrays. The C stays as it is: a directive is given its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tandem.host.prepare import Facts
from tandem.loading import load_compiler
from tandem.study.changes import CLOCK, Change

COPIES = (2, 4, 8, 16)
"""Of a loop's body; more are tried as long as they gain."""
BANKS = 4
MOST_ARRAYS = 3
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
    from tandem.choices import GOALS

    for goal in GOALS:
        if goal != optimise:
            yield Change(f"built for {goal}", "goal", optimise=goal)
    if not has_clock:
        yield from _of_clock(platform, facts, report)
    cycles = sum(kernel["cycles"] for kernel in report["kernels"])
    for kernel in report["kernels"]:
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
    """What a directive may make of it; what cannot be is seen when it is built."""
    place = f"{loop['file']}:{loop['line']}"

    def change(say: str, ladder: str = "", also: tuple[str, ...] = (), if_: str = "") -> Change:
        texts = tuple(f"{place}: {words}" for words in say.split(" and ")) + also
        name = f"`{say}` for the loop at {place}" + "".join(f", `{text}`" for text in also)
        return Change(
            f"{name}, {if_}" if if_ else name,
            f"{place} {say.partition('(')[0]}",
            directives=texts,
            ladder=ladder and f"{place} {ladder}",
            share=share,
        )

    if loop["ii"] is None:
        yield change("pipeline")
        yield change("dataflow")
        return
    if loop["ii"] > 1 or facts.clock_note:
        yield change("reassociate", if_=ANY_ORDER)
    for copies in COPIES:
        yield change(f"unroll({copies})", "copies")
    for function, array in facts.arrays[:MOST_ARRAYS]:
        if loop["ii"] > 1:
            yield _split(function, array, share)
        for copies in COPIES[1:]:
            also = (f"{function}: partition({array}, {copies})",)
            yield change(f"unroll({copies})", f"copies {array}", also)


def _split(function: str, array: str, share: float) -> Change:
    directive = f"{function}: partition({array}, {BANKS})"
    return Change(f"`{directive}`", directive, directives=(directive,), share=share)
