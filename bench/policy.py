# SPDX-License-Identifier: Apache-2.0
"""What the compiler's policy gains, on kernels that it was found on and on kernels that were held
out: tandem/policy.py.

    python bench/policy.py NUMBER [KERNEL ...]

prints each kernel that half, or twice, of a number makes another one, and times what that costs; of
the kernels that the policy may be found on, unless it names some of those.

`bench/run.py policy` makes every kernel once as it is, once without any policy, and once without
each part of it: with numbers that leave things as the C has them. Of kernels that are held out only
means are told, so that nothing is fitted to them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import estimates
import peers
from figures import Figure, at_most
from tandem import policy
from tandem.compiler.compile import compile_kernel, find_target
from tandem.compiler.goals import BALANCED
from tandem.diagnostics import Infeasible, UserError
from tandem.frontend.program import Program
from tandem.schedule.area import estimate_area
from tandem.schedule.expected import Trips, expected_cycles

CLOCK_PS = 10_000
CHILD = "--make"
ALL = "all"
TRIPS = Trips(32, 32)
"""How often loops run whose count is not known, whatever the policy guesses."""
MOST = 1.0
"""Times the cost of what is made without the policy, in the mean: it is there to gain."""
NEUTRAL: dict[str, dict[str, Any]] = {
    "trials": {
        "TIME_EXPONENT": 1.0,
        "MOST_TRIALS": 0,
        "CLOSE_COST": 1.0,
        "TIME_TO_FIT": 0,
        "SLOW_BLOCK_CYCLES": inf,
        "FORWARDED_ITERATIONS": (),
        "CYCLES_BETWEEN_TURNS": 0,
    },
    "clocks": {"FAR_CLOCKS": 0, "NEAR_CLOCKS": 0, "SLOWER_CLOCKS": 0, "CLOCKS_OF_CORES": 0},
    "copies": {"COPIED_OPERATIONS": 0, "COPIED_ON_TRIAL": 0},
    "loops": {
        "FLATTENED_STRETCH": 0,
        "FLATTENED_TURNS": 0,
        "SLOW_OPERATION_LEVELS": 1,
        "MOST_TURNS": 1,
        "MORE_TURNS": 1,
        "SLOPES": (),
        "SPLIT_TRIPS": 0,
    },
    "kept": {
        "SHORTEST_ROW": inf,
        "LONGEST_BORDER": 0,
        "KEPT_ITERATIONS": 0,
        "KEPT_BITS": 0,
        "KEPT_ROWS": 0,
        "KEPT_PLANES": 0,
        "PIVOT_COLUMNS": 0,
        "RELOADED_TRIPS": inf,
    },
    "arrays": {
        "BLOCK_BYTES": 0,
        "RECORD_BITS": 0,
        "WORD_BITS": 0,
        "ODD_WORDS": (),
        "PLACES_OF_AN_ELEMENT": inf,
        "CHOSEN_BITS": 0,
        "TABLE_BITS": 0,
    },
    "operations": {
        "CHAINED_QUOTIENT_BITS": 0,
        "DIVIDER_BITS": 1,
        "MASKED_BITS": inf,
        "LEAST_POWER": 0,
        "MOST_POWER": 0,
        "SHARED_INSTRUCTIONS": inf,
        "INLINED_OPERATIONS": inf,
    },
    "schedule": {
        "REGISTERED_PART": 1.0,
        "TIGHT_LOSS": 0.0,
        "MOVED_BITS_LEFT": 0.0,
        "COUNTED_WAIT": inf,
        "LEAVING_COPIES": 0,
        "LEAVING_BITS": 0,
        "LEAVING_AREA": 0,
    },
}
"""By part of the policy: numbers with which nothing is done that it is about."""
UNTOUCHED = {
    "DIVISION_WEIGHT",
    "CONVERTED_IN_LOOP",
    "CONVERTED_ELSEWHERE",
    "CONVERTED_ACCESSES",
    "CONVERTED_PLACES",
    "GUESSED_TRIPS",
    "LARGER_IIS",
    "FEWER_COPIES",
    "COPIED_OPERATIONS_FOR_TIME",
    "COPIED_OPERATIONS_FOR_AREA",
    "COPIED_OPERATIONS_OF_EXITS",
    "GAIN_OF_COPIES",
    "LEFT_IN_COPIES",
    "COPIED_TRIPS",
    "COPIED_TRIPS_IN_PIPELINE",
    "OPERATION_WEIGHTS",
    "STRAIGHT_BYTES",
    "STRAIGHT_ARRAY_BYTES",
    "EXTREME_TERMS",
    "SLOWEST_CLOCK",
    "REGISTERS_SAVED",
    "SLOWER_CLOCK",
    "CELLS_OF_CLOCKS",
    "CLOCKS_APART",
    "NEXT_CLOCK_OF_CORES",
    "OUT_OF_STEP",
    "CLOCK_OF_LARGE",
    "COST_OF_SPLIT",
    "ROW_COLUMNS",
    "PLANE_ELEMENTS",
    "TIGHT_PART",
    "MOVED_CYCLES",
    "FIFO_SLACK",
    "ASKING_LEVELS",
    "ASKING_BITS",
}
"""What says how, and not whether; what floating-point operators are made with too, which must not
have branches and loops; and what is about other goals, rooms and streams than these kernels
have."""
GOALS = {"COPIED_OPERATIONS": "unroll_limit", "TIME_EXPONENT": "time"}
"""What kernels are chosen by, and floating-point operators are not."""


@dataclass(frozen=True)
class Made:
    """What a kernel becomes: its time, and look-up tables and flip-flops, as they are estimated."""

    time_ps: float
    cells: float

    @property
    def cost(self) -> float:
        return self.time_ps * self.cells


def sources(half: str) -> dict[str, tuple[Path, str]]:
    """The C file and the function of each kernel of a half."""
    found = {name: (estimates.FOLDER / f"{name}.c", name) for name in estimates.names(half)}
    if half == estimates.FOUND_ON:
        found |= {name: (peers.source(name), peers.offloaded(name)) for name in peers.peers()}
    return found


def made(half: str, kernels: Sequence[str], numbers: dict[str, Any]) -> dict[str, Made]:
    """What kernels of a half become with other numbers, in a process of its own, where nothing has
    been made with the numbers as they are. A kernel that cannot be made is not there."""
    asked = json.dumps({"half": half, "kernels": list(kernels), "numbers": numbers})
    command = [sys.executable, __file__, CHILD]
    run = subprocess.run(command, input=asked, stdout=subprocess.PIPE, text=True, check=True)
    return {name: Made(*figures) for name, figures in json.loads(run.stdout).items()}


def make(half: str, kernels: Sequence[str], numbers: dict[str, Any]) -> dict[str, list[float]]:
    """The other side of `made`."""
    for name in numbers.keys() - GOALS:
        setattr(policy, name, numbers[name])
    goal = replace(BALANCED, **{GOALS[name]: numbers[name] for name in numbers.keys() & GOALS})
    found: dict[str, list[float]] = {}
    for name in kernels:
        path, function = sources(half)[name]
        program, target = Program.of(path), find_target("ecp5")
        with suppress(Infeasible, UserError):
            compiled = compile_kernel(
                program, function, target, CLOCK_PS, True, goal, free_clock=True
            )
            area = estimate_area(compiled.schedule)
            time_ps = expected_cycles(compiled.schedule, TRIPS) * compiled.schedule.clock_ps
            found[name] = [time_ps, area["lut4"] + area["ff"]]
    return found


# -- with a part of the policy, and without -------------------------------------------------------


def measurements() -> dict[str, Callable[[Path], list[Figure]]]:
    """One measurement a part of the policy, and one of all parts."""
    told = UNTOUCHED.union(*NEUTRAL.values())
    assert told == {name for name in dir(policy) if name.isupper()}, "a number is in no part"
    return {f"policy:{part}": partial(gains, part) for part in (ALL, *NEUTRAL)}


def gains(part: str, work: Path) -> list[Figure]:
    """What kernels cost with a part of the policy over what they cost without, in the mean of each
    half."""
    del work
    numbers = {n: v for name in NEUTRAL if part in (ALL, name) for n, v in NEUTRAL[name].items()}
    return [_gain(part, half, numbers) for half in (estimates.FOUND_ON, estimates.HELD_OUT)]


def _gain(part: str, half: str, numbers: dict[str, Any]) -> Figure:
    plain, without = as_it_is(half), made(half, tuple(sources(half)), numbers)
    ratios = [plain[name].cost / without[name].cost for name in plain if name in without]
    what = f"{half}: time x area with {part}, over without, mean of {len(ratios)}"
    return at_most(what, geometric_mean(ratios), "", MOST)


@cache
def as_it_is(half: str) -> dict[str, Made]:
    """Every kernel of a half with the whole policy."""
    return made(half, tuple(sources(half)), {})


# -- a number alone -------------------------------------------------------------------------------


def show_number(number: str, kernels: Sequence[str]) -> None:
    """One line a kernel that half or twice of a number changes: its time and its area, over what
    they are."""
    value = getattr(policy, number)
    plain = made(estimates.FOUND_ON, kernels, {})
    for other in (type(value)(value / 2), value * 2):
        for name, one in made(estimates.FOUND_ON, kernels, {number: other}).items():
            if one != plain[name]:
                time, area = one.time_ps / plain[name].time_ps, one.cells / plain[name].cells
                print(f"{number} {other:<8g}{name:18} time x {time:.3f}  area x {area:.3f}")


if __name__ == "__main__":
    if sys.argv[1] == CHILD:
        print(json.dumps(make(**json.load(sys.stdin))))
    else:
        show_number(sys.argv[1], sys.argv[2:] or list(sources(estimates.FOUND_ON)))
