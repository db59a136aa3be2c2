# SPDX-License-Identifier: Apache-2.0
"""What is advised to be offloaded is what runs show, and what is not has its reasons."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from test_schemas import holds
from trial import TANDEM, good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")

TWO = """
#include <stdlib.h>
static unsigned char a[1 << 18] __attribute__((aligned(8))), b[100];
unsigned long mixed(unsigned long x)
{
    for (int round = 0; round < 8; round++) {
        unsigned long y = 0;
        for (int k = 0; k < 64; k++)
            y |= (x >> (k * 37 + 11) % 64 & 1) << k;
        x ^= y >> 1;
    }
    return x;
}
unsigned long hash(const unsigned long *p, unsigned n)
{
    unsigned long c = 1;
    for (unsigned i = 0; i < n; i++)
        c ^= mixed(p[i]);
    return c;
}
unsigned char next(unsigned char x)
{
    return x * 5 + 3;
}
void fill(unsigned n)
{
    unsigned char x = 1;
    for (unsigned i = 0; i < n; i++)
        a[i] = x = next(x);
}
int compare(const void *x, const void *y)
{
    return *(const unsigned char *)x - *(const unsigned char *)y;
}
int main(int argc, char **argv)
{
    unsigned long s = 0;
    const int rounds = argc > 1 ? atoi(argv[1]) : 4;
    fill(1 << 18);
    for (int i = 0; i < rounds; i++)
        s ^= hash((unsigned long *)a, 1 << 15);
    qsort(b, 100, 1, compare);
    return s == 42;
}
"""
READY = ("--platform", "pcie3-x16", "--set", "configuration.preload=yes")


def advised(folder: Path, *words: object) -> dict[str, Any]:
    done = tandem("advise", "--json", *words, cwd=folder)
    good(done)
    found = json.loads(done.stdout)
    holds("advise", found)
    return found


def test_what_gains_is_what_a_run_shows(tmp_path: Path) -> None:
    source(tmp_path, TWO)
    found = advised(tmp_path, "app.c", *READY, "--", 6)
    rows = {row["name"]: row for row in found["candidates"]}
    assert rows["hash"]["calls"] == 6 and rows["next"]["calls"] == 1 << 18
    assert rows["next"]["callers"] == {"fill": 1 << 18}
    assert found["candidates"][0]["name"] == "hash" and rows["hash"]["share"] > 0.8
    done = tandem("run", "app.c", "--offload", "hash", *READY, "--json", "--", 6, cwd=tmp_path)
    shown = json.loads(done.stdout)
    alone = rows["hash"]["alone"]
    assert (alone["total_s"], alone["device_s"]) == (shown["total_s"], shown["device_s"])
    rest_s = found["native"]["total_s"] - alone["software_s"]
    assert alone["application_s"] == pytest.approx(alone["total_s"] + rest_s)
    gain = found["native"]["total_s"] / alone["application_s"]
    assert alone["application_gain"] == pytest.approx(gain)


def test_what_is_called_too_often_is_not_even_compiled(tmp_path: Path) -> None:
    source(tmp_path, TWO)
    found = advised(tmp_path, "app.c", "--platform", "pcie3-x16", "--", 1)
    (row,) = (row for row in found["candidates"] if row["name"] == "next")
    assert (row["verdict"], row["hardware"]) == ("no", None)
    (reason,) = row["reasons"]
    if reason["code"] == "call-cost":  # else it takes too little of the time
        assert "262,144 calls of `next`" in reason["message"]
        assert (reason["file"], reason["line"]) == ("app.c", 28)
        assert "move this loop of `fill`" in reason["help"]


def test_the_best_is_run_on_demand(tmp_path: Path) -> None:
    source(tmp_path, TWO)
    found = advised(tmp_path, "app.c", *READY, "--apply", "--", 20)
    functions = (found["best"] or found["best_once_configured"])["functions"]
    assert found["applied"]["format"] == "tandem-run-result"
    assert [kernel["name"] for kernel in found["applied"]["kernels"]] == functions
    assert found["applied"]["total_s"] == pytest.approx(found["best"]["total_s"], rel=0.1)


REFUSED = """
#include <stdio.h>
#include <stdarg.h>
unsigned total(unsigned n, ...)
{
    va_list list;
    va_start(list, n);
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += va_arg(list, unsigned) % 7;
    for (unsigned i = 0; i < 1000000; i++)
        s = s * 5 ^ s >> 3;
    va_end(list);
    return s;
}
int main(void)
{
    unsigned s = 0;
    for (unsigned i = 0; i < 10; i++)
        s += total(3, i, i + 1, i + 2);
    printf("%u\\n", s);
    return 0;
}
"""


def test_what_cannot_be_hardware_has_the_compilers_reason(tmp_path: Path) -> None:
    source(tmp_path, REFUSED)
    found = advised(tmp_path, "app.c", *READY)
    (row,) = found["candidates"]
    assert (row["verdict"], row["hardware"], row["alone"]) == ("no", None, None)
    first, second = row["reasons"]
    done = tandem("build", "app.c", "--top", "total", cwd=tmp_path)
    refused(done, first["message"], f"app.c:{first['line']}", first["help"])
    assert (second["code"], second["line"]) == ("loop", 11)
    assert "make the loop a function of its own" in second["help"]


def test_input_is_read_anew_by_each_run(tmp_path: Path) -> None:
    text = """#include <stdio.h>
    int main(void) { int n = 0; while (getchar() != EOF) n++; return n != 5; }"""
    source(tmp_path, text)
    done = subprocess.run(
        [TANDEM, "advise", "app.c"], cwd=tmp_path, input="12345", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "nothing is worth offloading" in done.stdout


def test_an_executable_says_what_it_is_made_of(tmp_path: Path) -> None:
    source(tmp_path, '#include "count.h"\nint main(void) { return count() != COUNT; }', "main.c")
    source(tmp_path, "int count(void);", "count.h")
    source(tmp_path, "int count(void) { return COUNT; }", "other.c")
    good(tandem("cc", "-O1", "-DCOUNT=7", "-c", "other.c", cwd=tmp_path))
    good(tandem("cc", "-DCOUNT=7", "main.c", "other.o", "-o", "app", "-lm", cwd=tmp_path))
    found = advised(tmp_path, "app")
    assert [row["name"] for row in found["functions"]] == ["main", "count"]
    assert Path(found["application"]).name == "main.c"
    (tmp_path / "other.c").unlink()
    refused(tandem("advise", "app", cwd=tmp_path), "other.c: error[no-source]: this file is gone")
    done = tandem("advise", sys.executable, cwd=tmp_path)
    refused(done, "does not say which C files it is made of")


def test_bad_input(tmp_path: Path) -> None:
    source(tmp_path, TWO)
    refused(tandem("advise", cwd=tmp_path), "the application is missing")
    refused(tandem("advise", "none.c", cwd=tmp_path), "no such file")
    refused(tandem("advise", "app.c", "--platform", "vax", cwd=tmp_path), "unknown platform")
    done = tandem("advise", "app.c", "--platform", "picorv32-chip", cwd=tmp_path)
    refused(done, "the platform is a system on one chip")
    source(tmp_path, "int main(void) { return 3; }", "bad.c")
    refused(tandem("advise", "bad.c", cwd=tmp_path), "ended with status 3", status=3)
    source(tmp_path, "#include <unistd.h>\nint main(void) { _exit(0); }", "left.c")
    refused(tandem("advise", "left.c", cwd=tmp_path), "left no profile")
    source(tmp_path, "int main(void) { return nothing(); }", "link.c")
    refused(tandem("advise", "link.c", cwd=tmp_path), "nothing")
