# SPDX-License-Identifier: Apache-2.0
"""Streams that are asked without waiting: what the program sees is what its hardware sees in that
cycle, in every mode."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from agreement import RTL_LIMIT_CYCLES, build, check
from seeds import ALL, sampled
from tandem.installation import data_file
from tandem.models.icarus import run_icarus
from tandem.models.run import run_c, run_rtl
from tandem.models.verilator import build_verilator, quickest_build
from tandem.schedule.delays import Target
from trial import good, tandem

FOLDER = Path(__file__).parent / "polling"
DESIGNS = sorted(FOLDER.glob("*.c"))
CLOCK_PS = 10_000
RECORDS = 96


def printed(done: subprocess.CompletedProcess[str]) -> str:
    """The one number that the program prints."""
    good(done)
    return done.stdout.splitlines()[0]


def values(seed: int = 1) -> dict[str, int | bytes]:
    """What a call of a design is given."""
    words = [((i + 7 * seed) * 2654435761 >> 8) & 0xFFFFFFFF for i in range(RECORDS)]
    given = b"".join(word.to_bytes(4, "little") for word in words)
    return {"in": given, "out": bytes(4 * RECORDS), "n": RECORDS}


def test_there_are_twenty_designs() -> None:
    assert len(DESIGNS) == 20


@pytest.mark.parametrize("design", sampled(DESIGNS, 3), ids=lambda path: path.stem)
def test_every_answer_is_the_same(design: Path, target: Target, tmp_path: Path) -> None:
    built = build(design, "top", target, CLOCK_PS, tmp_path, slower_clock=True)
    assert any(check(built, values(seed)).answers for seed in (1, 2))


@pytest.mark.parametrize("design", sampled(DESIGNS, 7), ids=lambda path: path.stem)
def test_every_mode_is_the_same(design: Path) -> None:
    options = (design.name, "--offload", "top")
    runs = {
        mode: printed(tandem("run", *options, "--mode", mode, cwd=FOLDER))
        for mode in ("native", "emulate", "simulate")
    }
    stepped = tandem("run", *options, "--mode", "simulate", "--clock", "stepped", cwd=FOLDER)
    runs["stepped"] = printed(stepped)
    runs["verify"] = printed(tandem("verify", *options, cwd=FOLDER))
    assert len(set(runs.values())) == 1, runs


def test_a_plain_compiler_sees_what_its_coroutines_do(tmp_path: Path) -> None:
    include = str(data_file("include", ""))
    for design in DESIGNS:
        program = tmp_path / design.stem
        subprocess.run(["cc", "-O1", "-w", "-I", include, design, "-o", program], check=True)
        done = subprocess.run([program], capture_output=True, timeout=60, check=True)
        assert re.fullmatch(rb"\d+\n", done.stdout)


@pytest.mark.parametrize("name", ["spread"] if not ALL else [path.stem for path in DESIGNS])
def test_other_simulators_see_the_same(
    name: str, target: Target, tmp_path: Path, verilated: Path
) -> None:
    design = FOLDER / f"{name}.c"
    built = build(design, "top", target, CLOCK_PS, tmp_path, slower_clock=True)
    wanted = run_rtl(built.package / "rtl.so", built.rows, values(), {}, RTL_LIMIT_CYCLES)
    library, verilog = tmp_path / "verilated.so", built.package / "kernel.sv"
    build_verilator(built.finished, verilog, library, verilated, quickest_build())
    found = run_rtl(library, built.rows, values(), {}, RTL_LIMIT_CYCLES)
    assert (found.data, found.cycles) == (wanted.data, wanted.cycles)
    if shutil.which("iverilog"):
        slowly = run_icarus(built.rows, built.finished, verilog, values())
        assert (slowly.data, slowly.cycles) == (wanted.data, wanted.cycles)


# -- what is fast for one spelling is fast for every one -------------------------------------------

TAKING = {
    "try": "if (words_try_read(a, &x)) { BODY }",
    "not try": "if (!words_try_read(a, &x)) { idle++; } else { BODY }",
    "try, continued": "if (!words_try_read(a, &x)) { idle++; continue; } BODY",
    "try, compared": "if (words_try_read(a, &x) == true) { BODY } else idle++;",
    "try next": "if (words_try_next(a, &x) == TANDEM_RECORD) { BODY }",
    "kept": "bool got = words_try_read(a, &x); if (got) { BODY } idle += !got;",
    "empty": "if (!words_empty(a)) { x = words_read(a); BODY }",
    "empty, continued": "if (words_empty(a)) { idle++; continue; } x = words_read(a); BODY",
    "empty, kept": "bool none = words_empty(a); if (none) idle++; else { x = words_read(a); BODY }",
    "empty, as a number": "if (words_empty(a) == 0) { x = words_read(a); BODY } else idle += 1;",
    "switch": "switch (words_try_next(a, &x)) { case TANDEM_RECORD: BODY break; default: idle++; }",
    "while": "while (words_empty(a)) idle++; x = words_read(a); BODY",
}
INNER = ("while", "try, continued", "empty, continued")
"""Here asking is a loop inside of the loop, or LLVM makes it one: that is the pipeline."""
GIVING = {
    "try": "lost += !words_try_write(a, in[i]);",
    "try, branch": "if (!words_try_write(a, in[i])) lost++;",
    "try, continued": "if (words_try_write(a, in[i])) continue; lost++;",
    "kept": "bool given = words_try_write(a, in[i]); lost += given ? 0 : 1;",
    "full": "if (words_full(a)) lost++; else words_write(a, in[i]);",
    "not full": "if (!words_full(a)) words_write(a, in[i]); else lost++;",
    "full, continued": "if (words_full(a)) { lost++; continue; } words_write(a, in[i]);",
    "full, kept": "bool none = words_full(a); if (!none) words_write(a, in[i]); lost += none;",
    "full, as a number": "if (words_full(a) == 0) words_write(a, in[i]); else lost += 1;",
    "full, counted": "unsigned r = !words_full(a); if (r) words_write(a, in[i]); lost += 1 - r;",
}
PROGRAM = """
#include <stdint.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void source(const uint32_t *in, uint32_t n, words *a, uint32_t *missed)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < n; i++) { GIVING }
    for (uint32_t i = 0; i < 64; i++) words_write(a, i);
    *missed = lost;
}
static void sink(words *a, uint32_t *out, uint32_t *waits)
{
    uint32_t idle = 0, x;
    uint8_t k = 0;
    while (k < 64) { TAKING }
    *waits = idle;
}
void top(const uint32_t in[64], uint32_t out[64], uint32_t n, uint32_t *missed, uint32_t *waits)
{
    words a = {0};
    tandem_start(source(in, n, &a, missed));
    tandem_start(sink(&a, out, waits));
    tandem_join();
}
"""


def loop_at(result: dict, text: str, word: str) -> dict:
    """The loop of the line with a word."""
    line = next(i for i, row in enumerate(text.splitlines(), 1) if word in row)
    return next(row for row in result["loops"] if row["line"] == line)


def built_as(folder: Path, giving: str, taking: str) -> tuple[dict, str]:
    """What `tandem build` tells of the program in a spelling, and the program."""
    text = PROGRAM.replace("GIVING", giving).replace("TAKING", taking)
    text = text.replace("BODY", "out[k++] = x;")
    (folder / "app.c").write_text(text)
    done = tandem("build", "app.c", "--top", "top", "--json", cwd=folder)
    good(done)
    return json.loads(done.stdout), text


@pytest.mark.parametrize("taking", sampled(list(TAKING)))
def test_a_record_is_asked_for_every_cycle_however_it_is_spelled(
    taking: str, tmp_path: Path
) -> None:
    result, text = built_as(tmp_path, GIVING["try"], TAKING[taking])
    loop = loop_at(result, text, "while (k < 64)")
    if taking in INNER:
        loop = next(row for row in result["loops"] if row["line"] == loop["line"] and row["ii"])
    assert loop["ii"] == 1, loop


@pytest.mark.parametrize("giving", sampled(list(GIVING)))
def test_a_record_is_given_every_cycle_however_it_is_spelled(giving: str, tmp_path: Path) -> None:
    result, text = built_as(tmp_path, GIVING[giving], TAKING["try"])
    assert loop_at(result, text, "i < n")["ii"] == 1


# -- what never comes ------------------------------------------------------------------------------

NEVER = """
#include <stdint.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void ask(words *a, uint32_t *out)
{
    uint32_t x, asked = 0;
    while (!words_try_read(a, &x))
        asked++;
    *out = x + asked;
}
static void silent(words *a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        words_write(a, i);
}
void top(uint32_t *out, uint32_t n)
{
    words a = {0};
    tandem_start(ask(&a, out));
    tandem_start(silent(&a, n));
    tandem_join();
}
int main(int count, char **arguments)
{
    uint32_t x = 0;
    (void)arguments;
    top(&x, (uint32_t)count - 1);
    return 0;
}
"""


def test_who_asks_for_ever_is_told(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(NEVER)
    good(tandem("run", "app.c", "--offload", "top", "--", "more", cwd=tmp_path))
    done = tandem("run", "app.c", "--offload", "top", cwd=tmp_path)
    assert done.returncode == 2
    assert "`ask` (line 8) asks for a record of `a`, which holds 0 of" in done.stderr


def test_what_a_package_says_of_polls(target: Target, tmp_path: Path) -> None:
    built = build(FOLDER / "stop.c", "top", target, CLOCK_PS, tmp_path, slower_clock=True)
    assert json.loads((built.package / "manifest.json").read_text())["polls"] is True
    outcome = run_c(built.package, built.rows, values())
    polled, never = outcome.answers
    assert (sum(polled), polled[-1], never) == (1, 1, b"")


def test_passes_cannot_be_compared_where_time_decides() -> None:
    done = tandem("bisect", "stop.c", "--top", "top", cwd=FOLDER)
    assert done.returncode == 2
    assert "error[polls]: `top` asks streams without waiting" in done.stderr
