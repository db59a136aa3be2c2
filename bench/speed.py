# SPDX-License-Identifier: Apache-2.0
"""How fast Tandem itself is: the modes of a run, and a build.

The machine is noisy, so what is compared runs in turns, A B A B, and medians are taken.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from figures import REPOSITORY, Figure, at_least, at_most
from tandem.chip.prepare import prepared as chip_prepared
from tandem.chip.result import chip_request
from tandem.chip.run import run_on_chip
from tandem.compiler.compile import compile_kernel, find_target
from tandem.frontend.program import Program
from tandem.host.prepare import Job, Prepared, prepared
from tandem.host.probes import Probes
from tandem.host.recording import END, Recording
from tandem.languages.discovery import Given
from tandem.manifest import CALLED, read_manifest
from tandem.models.run import run_rtl
from tandem.package import write_package
from verilator_loop import TOP, build_loop

PS = 1e12
WORDS = REPOSITORY / "studies" / "src-6e" / "encrypt.c"
PROGRAMS = REPOSITORY / "bench" / "programs"
TRIPLE_DES = ("library/kernels/crypto/des3/des3.c", "library/kernels/crypto/des/des.c")
SCALE = REPOSITORY / "bench" / "stepped.c"
LARGE_WORDS = 500_000
SIMULATED_WORDS = 200_000
SCALED_BYTES = 1_000_000
BUFFERED = "transfer.mode=buffered"
CHUNKS = "transfer.mode=streaming\ntransfer.chunk=4KiB"
SMALL_CHUNKS = "transfer.mode=streaming\ntransfer.chunk=256B"
SLOW_LINK = "transfer.mode=multi-buffered\ntransfer.chunk=64KiB\nlink.bandwidth=20MB/s"
CHAINED_BLOCKS = 4000
POLLING = REPOSITORY / "tests" / "polling"
POLLING_CALLS = 20_000
ROUNDS = 5
BUILDS = 3


@functools.cache
def application(work: Path) -> Prepared:
    """encrypt.c with triple DES offloaded to the SRC-6E."""
    with prepared(Job(WORDS, TOP, "src-6e", keep=work / "words")) as build:
        return build


def timed(build: Prepared, mode: str, words: int, **more: str) -> tuple[float, dict[str, Any]]:
    """Runs the executable once, with `more` in its environment: wall seconds of the process, and
    its report. Not by `tandem run`, which has the C function timed several times within each
    call."""
    report = build.executable.with_name("report.json")
    environment = dict(
        os.environ,
        TANDEM_MODE=mode,
        TANDEM_PLATFORM=str(build.platform),
        TANDEM_REPORT=str(report),
        **more,
    )
    started = time.perf_counter()
    subprocess.run(
        [str(build.executable), str(words)], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - started, json.loads(report.read_text())


def emulate(work: Path) -> list[Figure]:
    """Emulate mode, after the build."""
    build = application(work)
    seconds = [timed(build, "emulate", LARGE_WORDS)[0] for _ in range(ROUNDS)]
    return [at_most("emulate, 500,000 words", median(seconds), "s", 1.0)]


def simulate(work: Path) -> list[Figure]:
    """Simulate mode against Verilator's model of the same Verilog in a bare loop."""
    build = application(work)
    loop = build_loop(build.packages[0] / "kernel.sv", work)
    bare, calls, wholes = [], [], []
    for _ in range(ROUNDS):
        wall, report = timed(build, "simulate", SIMULATED_WORDS)
        bare.append(loop.cycles_per_second(report["cycles"]))
        # The C function runs too, for the check: not the simulator's work.
        calls.append(report["cycles"] / ((report["call_wall_ps"] - report["software_ps"]) / PS))
        wholes.append(report["cycles"] / wall)
    return [
        at_least("bare Verilator loop", median(bare), "cycles/s"),
        at_least("simulate, calls without the C check", median(calls), "cycles/s"),
        at_least("simulate / Verilator", _ratio(calls, bare), "", 0.8),
        at_least("simulate, whole executable / Verilator", _ratio(wholes, bare), ""),
    ]


def toggles(work: Path) -> list[Figure]:
    """The model that counts toggles against the one that does not, in calls of 200,000 cycles."""
    target, program = find_target("ecp5"), Program.of(*(REPOSITORY / f for f in TRIPLE_DES))
    compiled = compile_kernel(program, TOP, target, 10_000)
    data = os.urandom(8 * SIMULATED_WORDS)
    values = {"in": data, "out": bytes(len(data)), "blocks": SIMULATED_WORDS, "key": bytes(24)}
    seconds: dict[bool, list[float]] = {False: [], True: []}
    packages = {
        counts: write_package(
            compiled,
            work / f"counts{counts}.tandem",
            models=CALLED,
            registers="counted" if counts else "needed",
        )
        for counts in seconds
    }
    rows = read_manifest(packages[True])["arguments"]
    for _ in range(ROUNDS):
        for counts, package in packages.items():
            started = time.perf_counter()
            run_rtl(package / "rtl.so", rows, values)
            seconds[counts].append(time.perf_counter() - started)
    ratio = _ratio(seconds[False], seconds[True])
    return [at_least("counting toggles / not counting", ratio, "", 0.5)]


def waves(work: Path) -> list[Figure]:
    """A run on a chip that writes a wave against one that does not, as a whole and of the cycles in
    which the kernel computes: the model's own time for them is taken from calls without a chip. In
    seconds of processors, as the wave has a thread of its own."""
    job = Job(
        REPOSITORY / "bench" / "waves.c",
        ("chained",),
        "picorv32-chip",
        given=Given(flags=("-I", str(REPOSITORY / "library/kernels/crypto/aes"))),
    )
    probes = {False: Probes(), True: Probes(wave=work / "run.fst")}
    seconds: dict[bool, list[float]] = {False: [], True: []}
    alone, cycles = [], 1
    with ExitStack() as stack, open(os.devnull, "w") as nothing:
        builds = {
            is_seen: stack.enter_context(chip_prepared(replace(job, shows=is_seen)))
            for is_seen in probes
        }
        model = Path(builds[False].kernels[0]["model"])
        rows = json.loads((model.parent / "manifest.json").read_text())["arguments"]
        for _ in range(ROUNDS):
            for is_seen, build in builds.items():
                asked = probes[is_seen].request([file for file, _ in probes[is_seen].files])
                request = chip_request(job, build, (), False) | asked
                started = time.process_time()
                report = run_on_chip(job.main, {**request, "output": nothing.fileno()})
                seconds[is_seen].append(time.process_time() - started)
            cycles = report["kernels"][0]["parts"]["compute"]
            started = time.process_time()
            run_rtl(model, rows, {"key": bytes(range(16)), "blocks": CHAINED_BLOCKS})
            alone.append(time.process_time() - started)
    more = max(median(seconds[True]) - median(seconds[False]), 0.0)
    own = median(alone)
    return [
        at_least("a run with a wave / without", _ratio(seconds[False], seconds[True]), ""),
        at_least("a kernel's cycles with a wave / without", own / (own + more), ""),
        at_most("what a wave takes of a cycle of AES", more / cycles * 1e9, "ns"),
    ]


def recording(work: Path) -> list[Figure]:
    """Simulate mode with a wave against the same without, by whole processes in turns: triple DES,
    all of whose registers change in each cycle, and sums of bytes. What makes the file of the
    recording runs afterwards, by itself."""
    small = Job(SCALE, "scale", "src-6e")
    large = Job(WORDS, TOP, "src-6e")
    cases = (("triple DES", large, SIMULATED_WORDS), ("bytes", small, SCALED_BYTES))
    return [figure for name, job, words in cases for figure in _recorded(work, name, job, words)]


def _recorded(work: Path, name: str, job: Job, words: int) -> list[Figure]:
    seconds: dict[bool, list[float]] = {False: [], True: []}
    joins, cycles = [], 1
    asked = Recording(work / f"{job.offload}.fst", (0, END), (0, END))
    with ExitStack() as stack:
        plain = stack.enter_context(prepared(replace(job, keep=work / f"plain-{job.offload}")))
        shown = replace(job, keep=work / f"shown-{job.offload}", shows=True)
        seen = stack.enter_context(prepared(shown))
        for _ in range(ROUNDS):
            seconds[False].append(timed(plain, "simulate", words)[0])
            wanted = asked.environment(work / "recording")
            wall, report = timed(seen, "simulate", words, **wanted)
            seconds[True].append(wall)
            cycles = report["cycles"]
            started = time.perf_counter()
            asked.write(report)
            joins.append(time.perf_counter() - started)
    ratio = _ratio(seconds[False], seconds[True])
    return [
        at_least(f"simulate with a recording / without, {name}", ratio, "", 0.67),
        at_most(f"the wave's file of a cycle, {name}", median(joins) / cycles * 1e9, "ns"),
    ]


def stepped(work: Path) -> list[Figure]:
    """The same hardware stepped with the clock, against the schedule's: where all edges are one
    step, where chunks come and go, and where there is little else than chunks and waiting."""
    with prepared(Job(SCALE, "scale", "src-6e", keep=work / "scale")) as small:
        cases = (
            ("triple DES, buffered", application(work), SIMULATED_WORDS, BUFFERED),
            ("triple DES, chunks of 4 KiB", application(work), SIMULATED_WORDS, CHUNKS),
            ("bytes, chunks of 256 B", small, SCALED_BYTES, SMALL_CHUNKS),
            ("bytes, a link of 20 MB/s", small, SCALED_BYTES, SLOW_LINK),
        )
        return [_stepped(name, build, words, changes) for name, build, words, changes in cases]


def _stepped(name: str, build: Prepared, words: int, changes: str) -> Figure:
    speeds: dict[str, list[float]] = {"stepped": [], "scheduled": []}
    for _ in range(ROUNDS):
        for clock, found in speeds.items():
            variables = {"TANDEM_CLOCK": clock, "TANDEM_SET": changes}
            report = timed(build, "simulate", words, **variables)[1]
            found.append(report["cycles"] / (report["call_wall_ps"] - report["software_ps"]))
    ratio = _ratio(speeds["stepped"], speeds["scheduled"])
    return at_least(f"stepped / scheduled, {name}", ratio, "", 0.5)


def polling(work: Path) -> list[Figure]:
    """Programs whose processes ask streams without waiting: emulate mode, with what hardware
    answers, against the same program by a plain compiler. Whole processes, in seconds of
    processors."""
    ratios = [_polling(design, work) for design in sorted(POLLING.glob("*.c"))]
    return [
        at_least("emulate / plain C, the slowest of 20 designs", min(ratios), "", 0.2),
        at_least("emulate / plain C, the median", median(ratios), ""),
    ]


def _polling(design: Path, work: Path) -> float:
    plain, flags = work / f"{design.stem}.plain", (f"-DCALLS={POLLING_CALLS}",)
    headers = ["-w", "-I", str(REPOSITORY / "include")]
    subprocess.run(["cc", "-O3", *flags, *headers, str(design), "-o", str(plain)], check=True)
    job = Job(design, "top", given=Given(flags=flags), keep=work / design.stem)
    with prepared(job) as build:
        variables = {"TANDEM_MODE": "emulate", "TANDEM_PLATFORM": str(build.platform)}
        taken: list[list[float]] = [[], []]
        for _ in range(ROUNDS):
            for found, program in zip(taken, (plain, build.executable), strict=True):
                found.append(_processor_seconds(program, variables))
    return _ratio(*taken)


def _processor_seconds(program: Path, variables: dict[str, str]) -> float:
    """What a process takes in seconds of processors."""
    before = os.times()
    environment = {**os.environ, **variables}
    subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    own = (after.children_user, after.children_system)
    return sum(own) - (before.children_user + before.children_system)


def overhead(work: Path) -> list[Figure]:
    """Emulate mode's speed as a part of native mode's."""
    build = application(work)
    calls: dict[str, list[float]] = {"native": [], "emulate": []}
    wholes: dict[str, list[float]] = {"native": [], "emulate": []}
    for _ in range(2 * ROUNDS):
        for mode in calls:
            wall, report = timed(build, mode, LARGE_WORDS)
            calls[mode].append(report["call_wall_ps"])
            wholes[mode].append(wall)
    return [
        at_least("emulate / native, calls", _ratio(calls["native"], calls["emulate"]), "", 0.95),
        at_least(
            "emulate / native, whole executable",
            _ratio(wholes["native"], wholes["emulate"]),
            "",
            0.8,
        ),
    ]


def control(work: Path) -> list[Figure]:
    """As `overhead`, where the kernel's way depends on data that the call itself has written."""
    figures = []
    for main in sorted(PROGRAMS.glob("*.c")):
        with prepared(Job(main, "kernel", "pcie3-x16", keep=work / main.stem)) as built:
            calls: dict[str, list[float]] = {"native": [], "emulate": []}
            for _ in range(ROUNDS):
                for mode, times in calls.items():
                    times.append(timed(built, mode, 0)[1]["call_wall_ps"])
        ratio = _ratio(calls["native"], calls["emulate"])
        figures.append(at_least(f"emulate / native, {main.stem}", ratio, "", 0.4))
    return figures


def again(work: Path) -> list[Figure]:
    """`tandem run` of a program that was built before: all of it, the program's run too."""
    environment = {**os.environ, "TANDEM_CACHE": str(work / "cache")}
    command = [str(Path(sys.executable).with_name("tandem")), "run", str(WORDS), "--offload", TOP]
    seconds = []
    for _ in range(1 + BUILDS):
        started = time.perf_counter()
        subprocess.run([*command, "--", "1024"], check=True, env=environment, capture_output=True)
        seconds.append(time.perf_counter() - started)
    return [at_most("tandem run, unchanged program", median(seconds[1:]), "s", 1.5)]


def build(work: Path) -> list[Figure]:
    """`tandem build` of triple DES, without synthesis."""
    seconds = []
    for _ in range(BUILDS):
        started = time.perf_counter()
        tandem(
            "build",
            str(REPOSITORY / "library" / "kernels" / "crypto" / "des3" / "des3.c"),
            "--top",
            TOP,
            "--clock-ns",
            "10",
            "-o",
            str(work / "build"),
            "--json",
        )
        seconds.append(time.perf_counter() - started)
    return [at_most("tandem build, triple DES", median(seconds), "s", 15)]


def tandem(*arguments: str) -> str:
    """Runs the command line; returns what it printed."""
    command = str(Path(sys.executable).with_name("tandem"))
    done = subprocess.run([command, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _ratio(a: list[float], b: list[float]) -> float:
    """The median of the ratios of runs that followed each other."""
    return median(x / y for x, y in zip(a, b, strict=True))
