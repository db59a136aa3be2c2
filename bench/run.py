# SPDX-License-Identifier: Apache-2.0
"""Measure Tandem and compare with the committed figures.

    python bench/run.py [NAMES]

Prints a table and what got worse, and writes bench/results/bench.json. All of it takes about
two hours on two cores, half an hour without `peers`, `policy` and `advice`; leave the machine
alone meanwhile. `peers:NAME` is one kernel of `peers`, `kernels:NAME` one of the library,
`advice:NAME` one program of `advice`.
bench/README.md explains the measurements.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import advice
import baseline
import buses
import doubles
import estimates
import exponential
import families
import floats
import growth
import libm
import library_kernels
import lockstep
import newcomer
import numerical
import pages
import parsers
import peers
import policy
import quality
import scale
import speed
import spellings
import trials
import units
from figures import Figure, committed, save, worse

MEASUREMENTS: dict[str, Callable[[Path], list[Figure]]] = {
    "emulate": speed.emulate,
    "simulate": speed.simulate,
    "toggles": speed.toggles,
    "waves": speed.waves,
    "stepped": speed.stepped,
    "recording": speed.recording,
    "polling": speed.polling,
    "overhead": speed.overhead,
    "control": speed.control,
    "again": speed.again,
    "build": speed.build,
    "growth": growth.growth,
    "trials": trials.trials,
    "cores": lockstep.cores,
    "buses": buses.buses,
    "pages": pages.pages,
    "newcomer": newcomer.newcomer,
    "parsers": parsers.parsers,
    "scale": scale.scale,
    "baseline": baseline.baseline,
    "place": quality.place,
    "reproduce": quality.reproduce,
    "units": units.units,
    "spellings": spellings.spellings,
    "floats": floats.floats,
    "doubles": doubles.doubles,
    "numerical": numerical.numerical,
    "libm": libm.libm,
    "exp": exponential.exp,
    **library_kernels.measurements(),
    **peers.measurements(),
    **estimates.measurements(),
    **families.measurements(),
    **policy.measurements(),
    **advice.measurements(),
}
MARKS = {True: "met", False: "MISSED", None: ""}


def group(name: str) -> str:
    """What a measurement belongs to: itself, or what is before the colon."""
    return name.partition(":")[0]


GROUPS = list(dict.fromkeys(map(group, MEASUREMENTS)))


def main() -> int:
    """Returns 1 if a target was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAMES", help=f"some of: {', '.join(GROUPS)} (all)"
    )
    names = expanded(parser.parse_args().names or GROUPS)
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known are: {', '.join(MEASUREMENTS)}")
    measured: dict[str, list[Figure]] = {}
    with tempfile.TemporaryDirectory(prefix="tandem-bench-") as work:
        for name in names:
            measured[name] = MEASUREMENTS[name](Path(work))
            show(name, measured[name])
            save({name: measured[name]})
    show_worse(measured)
    return int(any(figure.met is False for figures in measured.values() for figure in figures))


def expanded(names: Sequence[str]) -> list[str]:
    """The measurements that are named, or whose group is."""
    return [
        one for name in names for one in [m for m in MEASUREMENTS if name == group(m)] or [name]
    ]


def show(name: str, figures: Sequence[Figure]) -> None:
    """The figures of one measurement, as rows of the table."""
    for figure in figures:
        sign = "<=" if figure.better == "lower" else ">="
        target = "" if figure.target is None else f"{sign} {figure.target:,g}"
        value = f"{figure.value:,.6g} {figure.unit}".rstrip()
        mark = MARKS[figure.met]
        print(f"{group(name):10} {figure.name:40} {value:>18} {target:>10} {mark}", flush=True)


def show_worse(measured: dict[str, list[Figure]]) -> None:
    """What lost its target or more than the noise, against the last commit."""
    before = committed()
    lines = [
        line for name, figures in measured.items() for line in worse(figures, before.get(name, []))
    ]
    if lines:
        print("\nworse than in the last commit:\n  " + "\n  ".join(lines))
    elif before:
        print("\nnothing got worse since the last commit")


if __name__ == "__main__":
    sys.exit(main())
