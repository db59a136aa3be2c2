# SPDX-License-Identifier: Apache-2.0
"""Hardware that is stepped with the platform's clock: all that a run reports is as with the
schedule's clock, to the picosecond, and so are all bytes (the engine compares them with the C)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from seeds import ALL, sampled, seeds
from tandem.host.launch import launch
from tandem.host.prepare import Job, Prepared, prepared
from tandem.platforms.engine import find_platform, platforms
from test_applications import PROGRAMS, name
from test_transfers import HEAD, KERNELS, MAIN, settings
from trial import good, refused, source, tandem
from whole import Whole

MEASURED = ("software_ps", "call_wall_ps", "open_wall_ps", "simulate_wall_ps")
"""What is this machine's own."""
MORE = {
    "fill": (
        "void k(uint32_t *c, unsigned n) { uint32_t s = 7;"
        " for (unsigned i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; c[i] = s; } }",
        "uint32_t",
        "k((uint32_t *)c, n)",
    ),
    "fills": (
        "void k(const uint32_t *a, uint32_t *b, uint32_t *c, unsigned n) { uint32_t s = 0;"
        " for (unsigned i = 0; i < n; i++) b[i] = i * 3;"
        " for (unsigned i = 0; i < n; i++) s += a[i];"
        " for (unsigned i = 0; i < n; i++) c[i] = i * i + s; }",
        "uint32_t",
        "k(a, b, (uint32_t *)c, n)",
    ),
    "in_a_row": (
        "void k(const uint32_t *a, uint32_t *c, unsigned n)"
        "{ for (unsigned i = 0; i < n; i++) c[i] = a[i] * 3; }",
        "uint32_t",
        "for (unsigned m = 0; m < 4; m++) k(a + m, (uint32_t *)c, n / (m + 1))",
    ),
    "memory": (
        "uint32_t k(const uint8_t *a, uint32_t *c, unsigned n) { uint32_t most = 0;"
        " for (unsigned i = 0; i < n; i++) { c[a[i] & 31] += i; most |= c[a[i] & 31]; }"
        " return most; }",
        "uint8_t",
        "if (n >= 32) sum = k(a, (uint32_t *)c, n)",
    ),
    "number": (
        "uint64_t k(uint32_t x) { uint64_t s = x; while (s < 100000) s = s * 3 + 1; return s; }",
        "uint32_t",
        "c[0] = k(n)",
    ),
}
EVERY = KERNELS | MORE
FEW = ("fills", "in_a_row", "memory", "two")


@pytest.fixture(scope="module", params=sorted(EVERY) if ALL else FEW)
def build(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prepared]:
    function, kind, call = EVERY[request.param]
    main = tmp_path_factory.mktemp("stepped") / f"{request.param}.c"
    main.write_text(HEAD + function + MAIN.format(kind=kind, call=call))
    with prepared(Job(main, "k")) as found:
        yield found


def same(build: Prepared, changes: list[str], *words: object) -> dict[str, Any]:
    """The report of a stepped run, which is that of a scheduled one."""
    asked = replace(build, changes=(*build.changes, *changes))

    def report(clock: str) -> dict[str, Any]:
        words_ = [str(word) for word in words]
        return launch(asked, "simulate", words_, quiet=True, baseline_runs=1, clock=clock).report

    print(build.platform, changes, words)  # shown when the test fails
    stepped, scheduled = report("stepped"), report("scheduled")
    assert stepped["stepped_calls"] == stepped["checked_calls"] > 0
    assert scheduled["stepped_calls"] == stepped["mismatches"] == 0
    for found in (stepped, scheduled):
        for kernel in found["kernels"]:
            del kernel["software"]
        # Of several calls at once spans may end in the same picosecond, in any order.
        found["spans"].sort(key=lambda span: [str(span[key]) for key in sorted(span)])
    for key in set(scheduled) - {"stepped_calls", *MEASURED}:
        assert stepped[key] == scheduled[key], key
    return stepped


@pytest.mark.parametrize("seed", seeds(3))
def test_times_are_the_schedules(build: Prepared, seed: int) -> None:
    random = Random(f"{seed} {build.application.stem}")
    changes = list(settings(random))
    same(build, changes, random.choice((32, 64, 65, 300, 1000)))


@pytest.mark.parametrize("seed", seeds(6))
def test_calls_that_the_program_goes_on_beside_take_the_same_times(
    build: Prepared, seed: int
) -> None:
    """What the hardware gives is compared with what the C had left when the call was made."""
    random = Random(f"{seed} {build.application.stem} beside")
    changes = [*settings(random), f"batch.calls={random.choice((1, 2, 3, 9))}"]
    changes += [f"batch.ahead={random.choice((0, 1, 2))}", f"kernel.units={random.choice((1, 2))}"]
    changes += [f"software.program_time={random.choice((0, 1, 50))}us"]
    same(build, changes, random.choice((32, 64, 65, 300, 1000)))


@pytest.mark.parametrize("mode", ["buffered", "multi-buffered", "streaming"])
@pytest.mark.parametrize("platform", platforms())
def test_times_are_the_schedules_on_every_platform(
    build: Prepared, platform: str, mode: str
) -> None:
    """The kernel is the SRC-6E's on all of them: what matters here is what is around it."""
    moved = replace(build, platform=find_platform(platform))
    report = same(moved, [f"transfer.mode={mode}", "transfer.chunk=256B"], 500)
    if mode == "buffered":
        assert report["kernels"][0]["waiting_cycles"] == 0


@pytest.mark.parametrize("main", sampled(PROGRAMS, 13), ids=name)
def test_whole_programs_take_the_same_times(main: Path) -> None:
    program = Whole(main)
    with prepared(Job(main, program.top, given=program.given)) as build:
        for mode in ("buffered", "multi-buffered"):
            same(build, [f"transfer.mode={mode}", "transfer.chunk=64B", "software.call_time=1us"])


def test_a_run_says_what_was_stepped(tmp_path: Path, cache: None) -> None:
    source(tmp_path)
    run = ("run", "app.c", "--offload", "scale", "--clock", "stepped")
    done = tandem(*run, "--mode", "simulate", cwd=tmp_path)
    good(done)
    assert "stepped with the clock: 1 calls" in done.stdout
    together = tandem(*run, "--mode", "simulate", "--set", "batch.calls=2", cwd=tmp_path)
    good(together)
    assert "checked: 1 calls against the C, 0 wrong" in together.stdout
    assert "stepped with the clock: 1 calls" in together.stdout


def test_there_is_hardware_to_step_in_simulate_mode_only(tmp_path: Path) -> None:
    source(tmp_path)
    run = ("run", "app.c", "--offload", "scale", "--clock")
    refused(tandem(*run, "stepped", cwd=tmp_path), "none in mode emulate", "--mode simulate")
    refused(tandem(*run, "stopped", cwd=tmp_path), "unknown clock `stopped`", "scheduled, stepped")


STAYING = """
#include <stdint.h>
#include <stdlib.h>
void k(const uint8_t *a, uint32_t *c, unsigned n)
{
    static uint32_t sums[16];
    for (unsigned i = 0; i < n; i++)
        sums[a[i] & 15] += i;
    for (unsigned i = 0; i < 16; i++)
        c[i] = sums[i];
}
int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? strtoul(argv[1], 0, 10) : 100;
    uint8_t *a = calloc(n, 1);
    uint32_t c[16];
    for (unsigned i = 0; i < n; i++)
        a[i] = (uint8_t)(i * 37 + 11);
    for (unsigned m = 0; m < 5; m++)
        k(a + m, c, n - m);
    return 0;
}
"""


@pytest.mark.parametrize("beside", ["batch.calls=1", "batch.calls=2", "batch.ahead=2"])
def test_memory_that_stays_in_devices_moves_at_the_same_times(tmp_path: Path, beside: str) -> None:
    """Which is also that hardware goes on from what the call before has left there."""
    with prepared(Job(source(tmp_path, STAYING, "staying.c"), "k")) as build:
        report = same(build, [beside, "transfer.mode=streaming", "transfer.chunk=64B"], 300)
    assert any(row["stays_bytes"] for row in report["kernels"][0]["arguments"]["rows"])
