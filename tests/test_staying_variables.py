# SPDX-License-Identifier: Apache-2.0
"""A variable that nothing but the kernel uses stays in the device's memory: it comes once, goes
where it is needed, and moves at no other time."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target
from trial import good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("models_as_written")

CALLS = 12
PS_US = 1e-6
HEAD = "#include <stdio.h>\n"
BODY = "{ v[x & 7] += x; return v[(x + 1) & 7]; }\n"
STAYS = {
    "of the function": "int f(int x) { static int v[8]; v[x & 7] += x; return v[(x + 1) & 7]; }\n",
    "of the file": f"static int v[8];\nint f(int x) {BODY}",
    "of a helper": f"""static int v[8];
static int g(int x) {BODY}int f(int x) {{ return g(x) + 1; }}
""",
    "of helpers that call each other": f"""static int v[8];
static int h(int x) {BODY}static int g(int x) {{ return h(x) - 1; }}
int f(int x) {{ return g(x) + h(x + 2); }}
""",
}
STAYS["of a function that returns a struct"] = """struct pair { int a, b; };
struct pair f(int x) { static int v[8]; v[x & 7] += x; return (struct pair){v[0], v[1]}; }
struct pair g(int x) { return f(x); }
"""
GOES = {
    "another function uses it": f"""static int v[8];
int f(int x) {BODY}int g(void) {{ return v[0]; }}
""",
    "a local function uses it that another one calls": f"""static int v[8];
static int h(int x) {BODY}int f(int x) {{ return h(x); }}
int g(void) {{ return h(1); }}
""",
    "a local function uses it whose address is kept": f"""static int v[8];
static int h(int x) {BODY}int f(int x) {{ return h(x); }}
int (*g)(int) = h;
""",
    "its address is kept": f"static int v[8];\nint *g = v + 1;\nint f(int x) {BODY}",
    "other files see it": f"int v[8];\nint f(int x) {BODY}",
    "other files see it, but not other libraries": (
        f'__attribute__((visibility("hidden"))) int v[8];\nint f(int x) {BODY}'
    ),
    "a function uses it when the program begins": f"""static int v[8];
__attribute__((constructor)) static void g(void) {{ v[3] = 9; }}
int f(int x) {BODY}""",
    "a function uses it when the program ends": f"""static int v[8];
__attribute__((destructor)) static void g(void) {{ printf("%d ", v[3]); }}
int f(int x) {BODY}""",
    "a function that others may call uses it": f"""static int v[8];
int h(int x) {BODY}int f(int x) {{ return h(x); }}
""",
    "a name of its own in assembly": f"static int v[8] __attribute__((used));\nint f(int x) {BODY}",
}


def variable_of(path: Path, target: Target) -> Any:
    kernel = compile_kernel(Program.of(path), "f", target, 10_000, slower_clock=True).kernel
    (variable,) = [a.variable for a in kernel.arguments if a.variable is not None]
    return variable


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_nothing_else_uses_it(tmp_path: Path, target: Target, text: str) -> None:
    variable = variable_of(source(tmp_path, HEAD + text), target)
    assert variable.is_private and variable.bytes == 32


@pytest.mark.parametrize("text", GOES.values(), ids=GOES)
def test_something_else_may_use_it(tmp_path: Path, target: Target, text: str) -> None:
    assert not variable_of(source(tmp_path, HEAD + text), target).is_private


def test_another_file_has_one_of_that_name(tmp_path: Path, target: Target) -> None:
    first = source(tmp_path, STAYS["of the file"])
    second = source(tmp_path, "static int v[2];\nint g(int x) { return v[x]++; }\n", "other.c")
    program = Program.of(first, second)
    kernel = compile_kernel(program, "f", target, 10_000, slower_clock=True).kernel
    assert [a.variable.is_private for a in kernel.arguments if a.variable is not None] == [True]


# -- on a platform ---------------------------------------------------------------------------------

FILTER = """void filter(const int *in, int *out, int n) {
    static int v[64];
    for (int i = 0; i < n; i++) {
        int sum = in[i];
        for (int k = 0; k < 4; k++) sum += v[(i + 16 * k) & 63] >> k;
        v[i & 63] = sum;
        out[i] = sum;
    }
}
"""
STATE = 64 * 4
SAMPLES = 24 * 4


def main(call: str = "filter(in, out, 24)") -> str:
    return f"""int main(void) {{
    static int in[64], out[64];
    unsigned sum = 0;
    for (int i = 0; i < {CALLS}; i++) {{
        for (int k = 0; k < 24; k++) in[k] = i * 31 + k * k;
        {call};
        for (int k = 0; k < 24; k++) sum = sum * 31 + out[k];
    }}
    printf("%u\\n", sum);
    return 0;
}}
"""


def ran(folder: Path, text: str, *options: str) -> dict[str, Any]:
    source(folder, HEAD + text)
    command = ("run", "app.c", "--offload", "filter", "--platform", "pcie3-x16")
    done = tandem(*command, "--json", *options, cwd=folder)
    good(done)
    return json.loads(done.stdout)


def moved(folder: Path, text: str, *options: str) -> list[tuple[str, int]]:
    """What of the variable crossed the link, in turn: (direction, call)."""
    ran(folder, text, *options, "--trace", "trace.json")
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    found = [
        (e["name"], e["args"]["call"]) for e in events if e.get("args", {}).get("bytes") == STATE
    ]
    return [pair for pair in found if pair[0].startswith("transfer")]


def test_it_comes_once(tmp_path: Path) -> None:
    run = ran(tmp_path, FILTER + main())
    assert run["bytes_in"] == run["bytes_out"] == CALLS * SAMPLES
    shared = FILTER.replace("void filter", "static int v[64];\nvoid filter").replace(
        "    static int v[64];\n", ""
    )
    other = ran(tmp_path, shared + "int peek(void) { return v[0]; }\n" + main())
    assert other["bytes_in"] == other["bytes_out"] == CALLS * (SAMPLES + STATE)
    assert other["no_config_s"] > 1.2 * run["no_config_s"]


def test_the_host_gets_it_where_it_runs_the_function(tmp_path: Path) -> None:
    """Of three calls one in the middle has arrays that overlap, which the device cannot serve."""
    call = "filter(in, i == 5 || i == 6 ? in + 1 : out, 24)"
    assert moved(tmp_path, FILTER + main()) == [("transfer_in", 0)]
    assert moved(tmp_path, FILTER + main(call)) == [
        ("transfer_in", 0),
        ("transfer_out", 0),
        ("transfer_in", 5),
    ]


def test_it_stays_while_another_kernel_is_loaded(tmp_path: Path) -> None:
    """Of two kernels that take turns on one device."""
    other = "void other(const int *in, int *out, int n)\n"
    other += "{ for (int i = 0; i < n; i++) out[i] = -in[i]; }\n"
    text = FILTER + other + main("filter(in, out, 24); other(out, in, 24)")
    done = moved(tmp_path, text, "--offload", "other")
    assert done == [("transfer_in", 0)]


def test_calls_that_share_it_do_not_run_beside_each_other(tmp_path: Path) -> None:
    batch = ("--set", "batch.calls=4", "--set", "kernel.units=4")
    ran(tmp_path, FILTER + main(), *batch, "--trace", "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    runs = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e.get("name") == "compute")
    assert len(runs) == CALLS
    assert all(end < start + PS_US for (_, end), (start, _) in pairwise(runs))


def test_what_a_device_had_dies_with_it(tmp_path: Path) -> None:
    """It dies while the program works; another device is left, which would begin anew."""
    source(tmp_path, HEAD + FILTER + main())
    changes = ("map-1.dies_after=103ms", "software.program_time=900us")
    command = ("run", "app.c", "--offload", "filter", "--platform", "src-6e")
    done = tandem(*command, *(part for text in changes for part in ("--set", text)), cwd=tmp_path)
    refused(done, "map-1 has died, and with it the newest content of device memory that filter")
