# SPDX-License-Identifier: Apache-2.0
"""The software baseline beside a stopwatch outside: the processor time of the whole program, with
many calls and with one, for calls of 0.1 us to 0.1 s, with the machine idle and all of it busy."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import tandem
from figures import Figure, at_most
from tandem.frontend.clang import run_clang

PLATFORM = "pcie3-x16"
STOPWATCH_S = 0.3
"""So long the calls of a stopwatch's run take together at least."""
TOLERANCE = 1.1

MAIN = """#include <stdio.h>
#include <stdlib.h>
#define N {count}
__attribute__((noinline)) {function}
static unsigned char a[4 * N + 64], b[4 * N + 64];
int main(int argc, char **argv)
{{
    unsigned sum = 1;
    for (int i = 0; i < 4 * N + 64; i++) {{
        a[i] = 7 * i;
        b[i] = 3 * i + 1;
    }}
    for (long calls = atol(argv[1]); calls; calls--) {{
        {call};
        __asm__ volatile("" ::: "memory");
    }}
    printf("%u\\n", sum + a[1]);
    return 0;
}}
"""
FUNCTIONS = {
    "hash": (
        "unsigned f(unsigned h, const unsigned char *p, int n)\n"
        "{ for (int i = 0; i < n; i++) h = (h ^ p[i]) * 16777619u; return h; }",
        "sum = f(sum, a, N)",
    ),
    "state": (
        "void f(unsigned *s, const unsigned char *p, int n)\n{ unsigned x = s[0];\n"
        "for (int i = 0; i < n; i++) x = (x << 5 | x >> 27) + p[i] * (x | 1); s[0] = x; }",
        "f(&sum, a, N)",
    ),
    "product": (
        "int f(const int *x, const int *y, int n)\n"
        "{ int s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }",
        "sum += f((int *)a, (int *)b, N)",
    ),
    "cipher": (
        "void f(unsigned char *p, int n, unsigned k)\n"
        "{ for (int i = 0; i < n; i++) { p[i] ^= k >> 16; k = k * 1103515245u + 12345; } }",
        "f(a, N, sum++)",
    ),
    "divide": (
        "unsigned f(const unsigned *x, unsigned d, int n)\n"
        "{ unsigned s = 0; for (int i = 0; i < n; i++) s += x[i] / (d + i); return s; }",
        "sum += f((unsigned *)a, 3 + (sum & 7), N)",
    ),
}
SIZES = {200: 20_000, 1_000: 4_000, 5_000: 1_000, 50_000: 100, 1_000_000: 20, 40_000_000: 2}
"""Bytes or numbers of a call -> calls of a run."""


@dataclass(frozen=True)
class Timed:
    """A program: seconds of its calls by the stopwatch, and as they are told."""

    name: str
    stopwatch_s: float
    told_s: float

    @property
    def ratio(self) -> float:
        """How far one is from the other, as a factor above 1."""
        return max(self.told_s / self.stopwatch_s, self.stopwatch_s / self.told_s)


def baseline(work: Path) -> list[Figure]:
    """The worst of thirty programs, idle and busy."""
    figures = []
    for name, burden in (("idle", 0), ("busy", os.cpu_count() or 1)):
        with _busy(burden):
            rows = [_timed(work, f, n, calls) for f in FUNCTIONS for n, calls in SIZES.items()]
        worst = max(rows, key=lambda row: row.ratio)
        figures.append(at_most(f"{name}, {worst.name}", worst.ratio, "x", TOLERANCE))
        for row in rows:
            print(f"{name}, {row.name}: {row.told_s / row.stopwatch_s:.3f} of the stopwatch's")
    return figures


@contextmanager
def _busy(processes: int) -> Iterator[None]:
    """Other processes that want all of the machine."""
    code = "while True: pass"
    running = [subprocess.Popen(["python3", "-c", code]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def _timed(work: Path, name: str, count: int, calls: int) -> Timed:
    function, call = FUNCTIONS[name]
    source, plain = work / f"{name}{count}.c", work / f"{name}{count}"
    source.write_text(MAIN.format(count=count, function=function, call=call))
    run_clang(["-O3", "-w", "-fno-sanitize=undefined", source, "-o", plain])
    many = calls
    while _processor_s(plain, many) < STOPWATCH_S:
        many *= 4
    before = _each_s(plain, many)
    result = tandem.run(source, "f", [str(calls)], platform=PLATFORM)
    told = next(iter(result["baselines_s"].values()))
    return Timed(f"{name} of {count}", min(before, _each_s(plain, many)) * calls, told)


def _each_s(plain: Path, many: int) -> float:
    """A call's time, the least of three."""
    return min((_processor_s(plain, many) - _processor_s(plain, 1)) / (many - 1) for _ in range(3))


def _processor_s(program: Path, calls: int) -> float:
    """User and system time of a run."""
    process = subprocess.Popen([program, str(calls)], stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime
