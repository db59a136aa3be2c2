# SPDX-License-Identifier: Apache-2.0
"""Dense linear algebra, stencils and the like: bench/numerical, thirty functions as textbooks have
them, half of them with their sizes as arguments.

    python bench/numerical.py [KERNEL ...]

prints what each takes where its calls tell the sizes, and then, of those with arguments, for any
sizes; `bench/run.py numerical` the means.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import geometric_mean

from figures import REPOSITORY, Figure, at_most
from peers import CLOCK_NS, PLATFORM, checked_cycles, told
from tandem.host.prepare import Job, prepared
from tandem.languages.discovery import Given

FOLDER = REPOSITORY / "bench" / "numerical"
MOST_CYCLES = 2.0
"""Of an innermost iteration, in the geometric mean, where sizes are known."""
PLAIN, ANY = Given(), Given(flags=("-DANY_SIZE",))


def numerical(work: Path) -> list[Figure]:
    """The means, and the kernel that is worst."""
    found, of_any = dict(measured(names())), dict(measured(sized(), ANY))
    worst = max(found, key=found.__getitem__)
    return [
        at_most(f"cycles, mean of {len(found)}", geometric_mean(found.values()), "", MOST_CYCLES),
        at_most(f"worst: {worst}", found[worst], ""),
        at_most(f"of any size, mean of {len(of_any)}", geometric_mean(of_any.values()), ""),
    ]


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.c"))


def sized() -> list[str]:
    """The kernels with their sizes as arguments."""
    return [name for name in names() if "SIZED" in (FOLDER / f"{name}.c").read_text()]


def measured(kernels: Sequence[str], given: Given = PLAIN) -> Iterator[tuple[str, float]]:
    """Kernels with their cycles an innermost iteration, every call of them checked."""
    for name in kernels:
        source = FOLDER / f"{name}.c"
        said = told(source)
        clock_ps = round(1000 * CLOCK_NS)
        job = Job(source, said["offload"], PLATFORM, given=given, clock_ps=clock_ps)
        with prepared(job) as build:
            yield name, checked_cycles(build) / int(said["iterations"])


if __name__ == "__main__":
    wanted = sys.argv[1:] or names()
    for name, cycles in measured(wanted):
        print(f"{name:20}{cycles:8.2f}", flush=True)
    for name, cycles in measured([name for name in sized() if name in wanted], ANY):
        print(f"{name:20}{cycles:8.2f}  of any size", flush=True)
