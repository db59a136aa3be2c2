# SPDX-License-Identifier: Apache-2.0
"""How the time of a compilation grows with the kernel.

    python bench/growth.py FILE

compiles the function `kernel` of a C file down to Verilog and prints, as JSON, what that took. Each
measurement is such a process, so that its memory is its own.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import linear_regression

from figures import Figure, at_most
from tandem.compiler.compile import Compiled, compile_kernel, find_target
from tandem.frontend.program import Program
from tandem.ir.ops import WIRING
from tandem.rtl.circt import to_verilog

TOP, CLOCK_PS = "kernel", 10_000
SIZES = (1_000, 4_000, 16_000, 100_000)
ACCESSES = 800
WORDS = 32
"""Variables that are mixed."""
ELEMENTS = 1024
"""Of the array that is accessed."""
OPERATIONS_OF_A_STATEMENT = 1.45
"""Operations of the hardware, on average; rotations are wiring."""
EXPONENT, SECONDS, GIGABYTES, ACCESSES_SECONDS = 1.3, 180, 4, 20
KIB_PER_GB = 1e9 / 1024


@dataclass(frozen=True)
class Effort:
    """What a compilation took, and how many operations its hardware has, wiring aside."""

    operations: int
    seconds: float
    gigabytes: float


# -- the kernels --------------------------------------------------------------------------------


def straight(operations: int) -> str:
    """C of a function that mixes words in about so many operations, one after the other."""
    return f"""#include <stdint.h>
void {TOP}(const uint32_t in[{WORDS}], uint32_t out[{WORDS}]) {{
  {_lines(f"uint32_t v{i} = in[{i}];" for i in range(WORDS))}
  {_mixing(operations)}
  {_lines(f"out[{i}] = v{i};" for i in range(WORDS))}
}}
"""


def loop(operations: int) -> str:
    """The same in a loop over records."""
    return f"""#include <stdint.h>
typedef struct {{ uint32_t w[{WORDS}]; }} record;
void {TOP}(const record *in, record *out, int n) {{
  for (int i = 0; i < n; i++) {{
    {_lines(f"uint32_t v{i} = in[i].w[{i}];" for i in range(WORDS))}
    {_mixing(operations)}
    {_lines(f"out[i].w[{i}] = v{i};" for i in range(WORDS))}
  }}
}}
"""


def accesses(count: int) -> str:
    """C of a function with so many loads and stores of one array in a loop. Of some of them the
    distance is known, of others nothing."""
    random = Random(count)
    lines = []
    for i in range(count // 2):
        here, there = (random.randrange(ELEMENTS) for _ in range(2))
        index = f"x >> {here % 20}" if i % 2 else f"i + {here}"
        lines.append(f"x += a[({index}) % {ELEMENTS}];")
        lines.append(f"a[(i * {1 + there % 7} + {there}) % {ELEMENTS}] = x + {i};")
    return f"""#include <stdint.h>
uint32_t {TOP}(const uint32_t *in, int n) {{
  uint32_t a[{ELEMENTS}], x = 1;
  for (int i = 0; i < {ELEMENTS}; i++) a[i] = in[i];
  for (unsigned i = 0; i < (unsigned)n; i++) {{
    {_lines(lines)}
  }}
  return x;
}}
"""


def _mixing(operations: int) -> str:
    random = Random(operations)
    return _lines(_statement(random) for _ in range(round(operations / OPERATIONS_OF_A_STATEMENT)))


def _statement(random: Random) -> str:
    a, b, c = (f"v{random.randrange(WORDS)}" for _ in range(3))
    by = random.randrange(1, 32)
    return random.choice(
        (
            f"{a} += {b};",
            f"{a} ^= {b};",
            f"{a} = ({a} << {by} | {a} >> {32 - by}) ^ {b};",
            f"{a} ^= {b} & {c};",
            f"{a} = {b} & 1 ? {a} + {c} : {a};",
        )
    )


def _lines(lines: Iterable[str]) -> str:
    return "\n  ".join(lines)


# -- measuring ----------------------------------------------------------------------------------


def compiled(file: Path) -> Compiled:
    """The kernel of a C file, in whatever clock it needs."""
    return compile_kernel(Program.of(file), TOP, find_target("ecp5"), CLOCK_PS, slower_clock=True)


def operations_of(kernel: Compiled) -> int:
    """How many operations the hardware has, wiring aside."""
    return sum(not isinstance(op, WIRING) for _, op in kernel.kernel.ops())


def effort(code: str, work: Path) -> Effort:
    """Compiles C in a process of its own."""
    file = work / "growth.c"
    file.write_text(code)
    done = subprocess.run(
        [sys.executable, __file__, str(file)], check=True, stdout=subprocess.PIPE, text=True
    )
    return Effort(**json.loads(done.stdout))


def growth(work: Path) -> list[Figure]:
    """Kernels of 1,000 to 100,000 operations, and one with many accesses to one array."""
    figures: list[Figure] = []
    for name, make in (("straight line", straight), ("loop", loop)):
        efforts = [effort(make(size), work) for size in SIZES]
        figures += [
            at_most(f"{name}, {size:,} operations", e.seconds, "s", _most_seconds(size))
            for size, e in zip(SIZES, efforts, strict=True)
        ]
        figures.append(at_most(f"{name}, memory", efforts[-1].gigabytes, "GB", GIGABYTES))
        figures.append(at_most(f"{name}, exponent", exponent(efforts), "", EXPONENT))
        figures.append(at_most(f"{name}, last exponent", exponent(efforts[-2:]), "", EXPONENT))
    seconds = effort(accesses(ACCESSES), work).seconds
    return [*figures, at_most(f"{ACCESSES} accesses", seconds, "s", ACCESSES_SECONDS)]


def _most_seconds(size: int) -> float | None:
    return SECONDS if size == SIZES[-1] else None


def exponent(efforts: Sequence[Effort]) -> float:
    """e of the time ~ operations^e that is closest."""
    return linear_regression(
        [math.log(e.operations) for e in efforts], [math.log(e.seconds) for e in efforts]
    ).slope


def main() -> None:
    """Compiles the file that is named."""
    started = time.perf_counter()
    kernel = compiled(Path(sys.argv[1]))
    to_verilog(kernel.hardware)
    seconds = time.perf_counter() - started
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_GB
    print(json.dumps({"operations": operations_of(kernel), "seconds": seconds, "gigabytes": most}))


if __name__ == "__main__":
    main()
