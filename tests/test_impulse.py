# SPDX-License-Identifier: Apache-2.0
"""Programs in Impulse C: compiled by any compiler they simulate themselves, and their processes
become hardware."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from seeds import sampled
from tandem.installation import data_file
from trial import Done, good, tandem

FOLDER = Path(__file__).parent / "impulse"
PROGRAMS = sorted(FOLDER.glob("*.c"))
STRICT = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")

ONE = """#include "co.h"
static void source(co_stream out)
{
    co_stream_open(out, O_WRONLY, INT_TYPE(32));
    for (int32_t i = 0; i < 9; i++)
        co_stream_write(out, &i, sizeof i);
    CLOSES
}
PROCESS
static void sink(co_stream in)
{
    int32_t x, sum = 0;
    co_stream_open(in, O_RDONLY, INT_TYPE(32));
    while (co_stream_read(in, &x, sizeof x) == co_err_none)
        sum += x;
    printf("%d\\n", sum);
}
static void configure(void *argument)
{
    (void)argument;
    co_stream a = co_stream_create("a", INT_TYPE(32), 4);
    co_stream b = co_stream_create("b", INT_TYPE(32), 4);
    co_process_create("source", (co_function)source, 1, a);
    co_process p = co_process_create("scale", (co_function)scale, 2, a, b);
    co_process_create("sink", (co_function)sink, 1, b);
    LOCATES
}
co_architecture co_initialize(int argument)
{
    INITIALIZES
    return co_architecture_create("one", "generic", configure, (void *)(intptr_t)argument);
}
int main(void)
{
    co_execute(co_initialize(0));
    return 0;
}
"""
SCALE = """void scale(co_stream in, co_stream out)
{
    int32_t x;
    OPENS
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        x *= 3;
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(in);
    co_stream_close(out);
}
"""
OPENS = "co_stream_open(in, O_RDONLY, 32); co_stream_open(out, O_WRONLY, 32);"


def one(folder: Path, **parts: str) -> Done:
    """Verifies the program above, with some of its parts otherwise."""
    own = {
        "PROCESS": SCALE,
        "CLOSES": "co_stream_close(out);",
        "LOCATES": 'co_process_config(p, co_loc, "PE0");',
        "INITIALIZES": "",
        "OPENS": OPENS,
        **parts,
    }
    text = ONE
    for name, part in own.items():
        text = text.replace(name, part)
    (folder / "app.c").write_text(text)
    return tandem("verify", "app.c", "--offload", "co_hardware", cwd=folder)


def by_any_compiler(program: Path, folder: Path) -> str:
    """What the desktop simulation prints."""
    include, built = str(data_file("include", "")), folder / "program"
    subprocess.run(["cc", "-O1", *STRICT, "-I", include, program, "-o", built], check=True)
    done = subprocess.run([built], capture_output=True, timeout=60, check=True, text=True)
    return done.stdout


@pytest.mark.parametrize("program", sampled(PROGRAMS), ids=lambda path: path.stem)
def test_hardware_does_what_the_simulation_does(program: Path, tmp_path: Path) -> None:
    done = tandem("verify", program.name, "--offload", "co_hardware", cwd=FOLDER)
    good(done)
    printed, agrees = done.stdout.splitlines()[:2]
    if agrees.startswith(program.name):  # what a directive does not do comes first
        agrees = done.stdout.splitlines()[2]
    assert agrees.startswith("co_hardware: 1 calls, ") and agrees.endswith("C agree")
    assert f"{printed}\n" == by_any_compiler(program, tmp_path)


@pytest.mark.parametrize("program", sampled(PROGRAMS, 6), ids=lambda path: path.stem)
def test_it_runs_in_every_mode(program: Path) -> None:
    runs = {
        mode: tandem("run", program.name, "--offload", "co_hardware", "--mode", mode, cwd=FOLDER)
        for mode in ("native", "emulate", "simulate")
    }
    for done in runs.values():
        good(done)
    assert len({done.stdout.splitlines()[0] for done in runs.values()}) == 1


def test_a_process_is_offloaded_by_its_name_and_is_one_pipeline(tmp_path: Path) -> None:
    done = tandem("build", FOLDER / "fir.c", "--top", "fir", "-o", "b", "--json", cwd=tmp_path)
    good(done)
    built = json.loads(done.stdout)
    assert (built["kernel"], built["ii"]) == ("co_hardware", 1)
    names = {row["name"]: row["kind"] for row in built["arguments"]}
    assert (names["a"], names["b"]) == ("stream", "stream")


def test_cpp_takes_it_too(tmp_path: Path) -> None:
    program = (FOLDER / "fir.c").read_text()
    (tmp_path / "fir.cpp").write_text(program)
    include = str(data_file("include", ""))
    command = ["c++", "-O1", "-Wno-unknown-pragmas", "-I", include, "fir.cpp", "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "program"], capture_output=True, check=True, text=True)
    assert done.stdout == by_any_compiler(FOLDER / "fir.c", tmp_path)
    refused = tandem("verify", "fir.cpp", "--offload", "fir", cwd=tmp_path)
    assert refused.returncode == 2
    assert "processes in hardware are functions of C here" in refused.stderr


# -- what cannot be --------------------------------------------------------------------------------

REFUSED = {
    "no location": ({"LOCATES": "(void)p;"}, "no process has a location in hardware"),
    "no direction": (
        {"PROCESS": "void scale(co_stream in, co_stream out) { (void)in; (void)out; }"},
        "cannot tell whether `scale` reads or writes `a`",
    ),
    "no network": ({"INITIALIZES": "return 0;"}, "`co_initialize` makes no network"),
    "no end": ({"INITIALIZES": "for (;;) ;"}, "it does not come to its end"),
    "a process of its own file": (
        {"PROCESS": f"static {SCALE}"},
        "`scale` is static: hardware is made of it in a file of its own",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    parts, told = REFUSED[name]
    done = one(tmp_path, **parts)
    assert done.returncode == 2
    assert f"error[network]: {told}" in done.stderr or told in done.stderr, done.stderr
    assert "Tandem's own" not in done.stderr


def test_a_stream_that_stays_open_is_told(tmp_path: Path) -> None:
    done = one(tmp_path, CLOSES="")
    assert done.returncode == 70
    assert "stream `a` is not closed, and hardware is given it whole" in done.stderr


def test_streams_need_not_be_opened(tmp_path: Path) -> None:
    done = one(tmp_path, OPENS="")
    good(done)
    assert done.stdout.splitlines()[0] == "108"


def test_software_beside_processes_may_be_offloaded_alone(tmp_path: Path) -> None:
    text = ONE.replace("PROCESS", SCALE).replace("OPENS", OPENS).replace("INITIALIZES", "")
    text = text.replace("CLOSES", "co_stream_close(out);").replace("LOCATES", "(void)p;")
    (tmp_path / "app.c").write_text(f"{text}int twice(int x) {{ return 2 * x; }}\n")
    good(tandem("build", "app.c", "--top", "twice", "-o", "b", cwd=tmp_path))
    done = tandem("run", "app.c", "--offload", "twice", "--offload", "scale", cwd=tmp_path)
    assert done.returncode == 2
    assert "`twice` is no process of the network, and `scale` is one" in done.stderr
