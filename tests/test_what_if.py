# SPDX-License-Identifier: Apache-2.0
"""`--set`: a run on the platform as it might be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from trial import KERNEL, good, refused, source, tandem

SLEEPER = (
    KERNEL
    + """
#include <time.h>
int main(void)
{
    unsigned char out[8] = {0}, in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    scale(in, out, 8);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, 0);
    scale(out, in, 8);
    return 0;
}
"""
)


def run(folder: Path, *changes: str) -> dict[str, Any]:
    words = [word for change in changes for word in ("--set", change)]
    done = tandem(
        "run", "app.c", "--offload", "scale", "--platform", "src-6e", "--json", *words, cwd=folder
    )
    good(done)
    return json.loads(done.stdout)


def test_a_number_changes_what_it_is_about_and_nothing_else(tmp_path: Path, cache: None) -> None:
    source(tmp_path)
    base = ("link.transfer_time=0s", "link.register_time=0s")
    before = run(tmp_path, *base)["breakdown_s"]
    changes = ("link.bandwidth=103.1MB/s", "software.call_time=1us")
    after = run(tmp_path, *base, *changes)["breakdown_s"]
    assert after["transfer_in"] == pytest.approx(2 * before["transfer_in"], rel=1e-4)
    assert after["transfer_out"] == pytest.approx(2 * before["transfer_out"], rel=1e-4)
    assert after["call"] == 1e-6
    assert all(after[c] == before[c] for c in ("configure", "copy", "compute", "wait"))


@pytest.mark.parametrize("mode", ["buffered", "multi-buffered"])
def test_elements_that_are_not_packed_take_a_word_each(
    tmp_path: Path, cache: None, mode: str
) -> None:
    source(tmp_path)
    base = ("link.transfer_time=0s", f"transfer.mode={mode}")
    packed = run(tmp_path, *base)["busy_s"]
    spread = run(tmp_path, *base, "transfer.packed=no")["busy_s"]
    for way in ("transfer_in", "transfer_out"):  # bytes, in words of 8
        assert spread[way] == pytest.approx(8 * packed[way], rel=1e-4)
    assert run(tmp_path, *base, "transfer.packed=no", "memory.width=1B")["busy_s"] == packed


def test_a_clock_is_the_kernels_too(tmp_path: Path, cache: None) -> None:
    source(tmp_path)
    assert run(tmp_path, "device.clock=50MHz")["clock_mhz"] == 50


def test_the_program_s_own_time_counts_where_it_is_asked_for(tmp_path: Path, cache: None) -> None:
    source(tmp_path, SLEEPER)
    left_out, counted = run(tmp_path), run(tmp_path, "software.program_percent=200")
    assert (left_out["program_percent"], left_out["breakdown_s"]["host"]) == (0, 0)
    assert counted["program_percent"] == 200
    assert 0.1 <= counted["breakdown_s"]["host"] == counted["busy_s"]["host"]
    of_device = left_out["total_s"]
    assert counted["total_s"] == pytest.approx(of_device + counted["breakdown_s"]["host"])


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ("link.bandwith=1GB/s", "did you mean bandwidth?"),
        ("bus.width=4B", 'the platform has no "bus"'),
        ("link.bandwidth", "expected a component, a number of it and its value"),
        ("link.bandwidth=fast", "found no number"),
    ],
)
def test_what_cannot_be_changed(tmp_path: Path, change: str, wanted: str) -> None:
    source(tmp_path)
    done = tandem("run", "app.c", "--offload", "scale", "--set", change, cwd=tmp_path)
    refused(done, f"--set {change}: error[platform-file]", wanted)
