# SPDX-License-Identifier: Apache-2.0
"""What would help is found by trying: each gain is what a run with these settings gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tandem.installation import data_file
from trial import KERNEL, good, source, tandem

pytestmark = pytest.mark.usefixtures("cache")

MAIN = """
#include <stdlib.h>
int main(void)
{
    static unsigned char a[100000], b[100000];
    for (int i = 0; i < 20; i++)
        scale(a, b, 100000);
    return 0;
}
"""


NO_BUILDS = ("--advise", "--budget", 0)
"""What takes a run alone, and no build, is tried in any case."""


def run(folder: Path, *words: object) -> dict[str, Any]:
    done = tandem("run", *words, "--json", cwd=folder)
    good(done)
    return json.loads(done.stdout)


def test_advice_is_what_a_run_gives(tmp_path: Path) -> None:
    source(tmp_path, KERNEL + MAIN)
    words = ("app.c", "--offload", "scale", "--platform", "pcie3-x16")
    plain = run(tmp_path, *words)
    assert plain["advice"] == []
    advice = run(tmp_path, *words, *NO_BUILDS)["advice"]
    alone, together = advice[:-1], advice[-1]
    assert together["name"].startswith("together, if none needs") and len(alone) >= 3
    assert [row["gain"] for row in alone] == sorted((r["gain"] for r in alone), reverse=True)
    assert together["gain"] >= alone[0]["gain"] > 1.01
    # Copies of the kernel gain nothing by themselves, and much with several calls handed over.
    assert ("kernel.units=4" in together["settings"]) and all(
        row["settings"] != ["kernel.units=4"] for row in alone
    )
    for row in (alone[0], alone[-1], together):
        settings = [word for setting in row["settings"] for word in ("--set", setting)]
        again = run(tmp_path, *words, *settings)
        assert again["total_s"] == row["total_s"]
        assert row["gain"] == pytest.approx(plain["total_s"] / again["total_s"])
        once = plain["no_config_s"] / again["no_config_s"]
        assert row["gain_no_config"] == pytest.approx(once)


def test_the_page_and_what_is_not_needed(tmp_path: Path) -> None:
    application = data_file("studies", "ibm-coprocessor/operations.c")
    words = ("run", application, "--offload", "des_operation", "--platform", "ibm-coprocessor")
    done = tandem(*words, *NO_BUILDS, "--", 200, 40, cwd=tmp_path)
    good(done)
    first = done.stdout[done.stdout.index("what would help") :].splitlines()[2]
    assert "hand over 100 calls together" in first
    assert "result of another: --set batch.calls=100" in done.stdout
    assert "load the kernel before" not in done.stdout  # the chip is always there
    assert done.stdout.count("right") == 1  # what runs again is not heard


TURNS = """
void halve(const unsigned char *in, unsigned char *out, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        out[i] = in[i] / 2;
}
int main(void)
{
    static unsigned char a[1000], b[1000];
    for (int i = 0; i < 10; i++) {
        scale(a, b, 1000);
        halve(b, a, 1000);
    }
    return 0;
}
"""


def test_kernels_in_turns_are_better_off_in_one_configuration(tmp_path: Path) -> None:
    source(tmp_path, KERNEL + TURNS)
    words = ("app.c", "--offload", "scale", "--offload", "halve", "--platform", "pcie3-x16")
    plain = run(tmp_path, *words, *NO_BUILDS)
    assert plain["configurations"] == {"loads": 20, "least_loads": 20}
    found = {tuple(row["settings"]): row for row in plain["advice"]}
    together = found["kernel.together=yes",]
    assert together["gain"] > 10
    again = run(tmp_path, *words, "--set", "kernel.together=yes", "--mode", "simulate")
    assert again["configurations"] == {"loads": 1, "least_loads": 1}
    assert again["total_s"] == together["total_s"] and again["mismatches"] == 0
    names = {row["name"] for row in again["components"]}
    assert {"device.scale", "device.halve"} <= names and "device" not in names


COUNTED_LOOP = """
void scale(const unsigned char *in, unsigned char *out)
{
    for (unsigned i = 0; i < 100000; i++)
        out[i] = 3 * in[i];
}
int main(void)
{
    static unsigned char a[100000], b[100000];
    scale(a, b);
    return 0;
}
"""


def test_kernels_are_built_otherwise_and_run(tmp_path: Path) -> None:
    source(tmp_path, COUNTED_LOOP)
    words = ("app.c", "--offload", "scale", "--platform", "src-6e")
    plain = run(tmp_path, *words, "--advise")
    found = {tuple(row["settings"]): row for row in plain["advice"]}
    faster = found["device.clock=200MHz",]
    again = run(tmp_path, *words, "--set", "device.clock=200MHz")
    assert again["total_s"] == faster["total_s"] < plain["total_s"]
    assert again["device_s"] < 0.6 * plain["device_s"]
    # So are directives on the kernel's loop.
    built = next(row for row in plain["advice"] if "--directive" in row["options"])
    assert run(tmp_path, *words, *built["options"])["total_s"] == built["total_s"]
    # A clock that was asked for stays.
    fixed = run(tmp_path, *words, "--clock-ns", 10, *NO_BUILDS)
    assert not any("clock" in setting for row in fixed["advice"] for setting in row["settings"])


def test_a_batch_that_does_not_fit_the_memory_is_cut_and_not_advised(tmp_path: Path) -> None:
    source(tmp_path, KERNEL + MAIN)
    platform = ("--platform", "pcie3-x16", "--set", "memory.banks=1")
    words = ("app.c", "--offload", "scale", *platform, "--set", "memory.bank_size=300 kB")
    found = run(tmp_path, *words, "--set", "batch.calls=10")
    memory = found["memory"]
    assert (memory["capacity_bytes"], memory["cut_batches"], memory["pieces"]) == (300_000, 2, 20)
    assert "which has 300 kB" in found["unmet"][0]
    advised = run(tmp_path, *words, *NO_BUILDS)["advice"]
    assert advised and ["batch.calls=10"] not in [row["settings"] for row in advised]


STATE = """
void step(unsigned *state, const unsigned char *in, unsigned n)
{
    unsigned a = state[0];
    for (unsigned i = 0; i < n; i++)
        a = (a ^ in[i]) * 31;
    state[0] = a;
}
int main(void)
{
    static unsigned char d[400];
    unsigned state[1] = {1};
    for (int i = 0; i < 40; i++)
        step(state, d, 400);
    return state[0] == 1;
}
"""
COUNTED = """
static unsigned sums[4];
void count(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        sums[in[i] & 3] += in[i];
        out[i] = sums[0];
    }
}
int main(void)
{
    static unsigned char a[400], b[400];
    for (int i = 0; i < 40; i++)
        count(a, b, 400);
    return 0;
}
"""
CARRIED = """
#include <stdint.h>
uint32_t next(uint32_t state, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        state = (state ^ i) * 16777619u;
    return state;
}
int main(void)
{
    uint32_t state = 2166136261u;
    for (int i = 0; i < 20; i++)
        state = next(state, 30);
    return state == 1;
}
"""
ROUNDS = """
int main(void)
{
    static unsigned char a[10][64], b[10][64];
    for (int pass = 0; pass < 20; pass += 2) {
        for (int i = 0; i < 10; i++)
            scale(a[i], b[i], 64);
        for (int i = 0; i < 10; i++)
            scale(b[i], a[i], 64);
    }
    return 0;
}
"""


def batches_and_copies(result: dict[str, Any]) -> set[str]:
    words = [setting for row in result["advice"] for setting in row["settings"]]
    return {word for word in words if word.startswith(("batch", "kernel.units"))}


@pytest.mark.parametrize(
    ("text", "kernel", "chained", "advised"),
    [
        (STATE, "step", {"calls": 39, "distance": 1, "staying": 0}, set()),
        (COUNTED, "count", {"calls": 39, "distance": None, "staying": 39}, {"batch.calls=10"}),
        (CARRIED, "next", {"calls": 19, "distance": 1, "staying": 0}, set()),
        (KERNEL + ROUNDS, "scale", {"calls": 190, "distance": 10, "staying": 0}, None),
    ],
)
def test_calls_that_need_each_other_are_not_advised_to_be_together(
    tmp_path: Path, text: str, kernel: str, chained: dict[str, Any], advised: set[str] | None
) -> None:
    source(tmp_path, text)
    words = ("app.c", "--offload", kernel, "--platform", "pcie3-x16")
    result = run(tmp_path, *words, *NO_BUILDS)
    assert result["kernels"][0]["chained_calls"] == chained
    found = batches_and_copies(result)
    if advised is not None:
        assert found == advised
    else:
        assert "batch.calls=10" in found and "batch.calls=100" not in found


def test_the_page_tells_which_calls_depend_on_each_other(tmp_path: Path) -> None:
    source(tmp_path, STATE)
    words = ("run", "app.c", "--offload", "step", "--platform", "pcie3-x16", *NO_BUILDS)
    done = tandem(*words, cwd=tmp_path)
    good(done)
    assert "calls depend on each other: 39 of 40 calls of `step` read what" in done.stdout
