# SPDX-License-Identifier: Apache-2.0
"""`tandem batches`: what a batch, a call and a byte cost, beside what the platform says they do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tandem.study.batches import _best
from test_schemas import holds
from trial import KERNEL, good, refused, source, tandem

MAIN = """
#include <stdlib.h>
int main(int argc, char **argv)
{
    static unsigned char a[4096], b[4096];
    unsigned calls = atoi(argv[1]), least = atoi(argv[2]), most = atoi(argv[3]);
    for (unsigned i = 0; i < calls; i++)
        scale(a, b, least + i * 37 % (most - least + 1));
    return 0;
}
"""
SRC_6E = ("--platform", "src-6e")
CYCLE_S = 10e-9
CALL_S = 157.8e-6 + 2 * 127.2e-6
"""Of the SRC-6E: a call, and a transfer each way."""
LAUNCH_CYCLES = 47


def found(folder: Path, *words: object) -> dict[str, Any]:
    source(folder, KERNEL + MAIN)
    done = tandem("batches", "app.c", "--offload", "scale", *SRC_6E, "--json", *words, cwd=folder)
    good(done)
    result = json.loads(done.stdout)
    holds("batches", result)
    return result


def test_costs_are_the_platform_s(tmp_path: Path, cache: None) -> None:
    result = found(tmp_path, "--", 1500, 100, 4000)
    costs = result["costs_s"]
    assert costs["batch"]["seconds"] == pytest.approx(CALL_S, rel=1e-3)
    # A record is a byte in, a byte out and a cycle.
    assert costs["byte"]["seconds"] == pytest.approx(1 / 206.2e6 + CYCLE_S / 2, rel=1e-3)
    run_s = costs["call"]["seconds"]
    assert LAUNCH_CYCLES * CYCLE_S < run_s < (LAUNCH_CYCLES + 20) * CYCLE_S
    for cost in costs.values():
        assert cost["low"] <= cost["seconds"] <= cost["high"]
    assert result["typical_error"] < 1e-3
    for row in result["runs"]:
        assert row["a_call_s"] == pytest.approx(row["predicted_s"], rel=2e-3)
    best = next(row for row in result["runs"] if row["calls"] == result["best"])
    rest_s = best["a_call_s"] - CALL_S / best["calls"]
    assert CALL_S / best["calls"] == pytest.approx(0.1 * rest_s, rel=0.1)


def test_the_best_batch_ends_in_time_and_one_twice_as_large_does_not(
    tmp_path: Path, cache: None
) -> None:
    result = found(tmp_path, "--within-ms", 5, "--", 400, 100, 4000)
    rows = {row["calls"]: row for row in result["runs"]}
    best = result["best"]
    assert rows[best]["most_s"] <= 5e-3
    assert all(row["most_s"] > 5e-3 for calls, row in rows.items() if calls > best)
    assert rows[best]["most_s"] > 0.8 * 5e-3


def test_calls_of_one_size_do_not_tell_what_a_byte_costs(tmp_path: Path, cache: None) -> None:
    costs = found(tmp_path, "--", 50, 1000, 1000)["costs_s"]
    assert costs["byte"] == {"seconds": None, "low": None, "high": None}
    a_call_s = 2000 * (1 / 206.2e6 + CYCLE_S / 2) + LAUNCH_CYCLES * CYCLE_S
    assert costs["call"]["seconds"] == pytest.approx(a_call_s, rel=1e-2)


def test_no_batch_is_fast_enough(tmp_path: Path, cache: None) -> None:
    assert found(tmp_path, "--within-ms", 0.1, "--", 20, 10, 20)["best"] is None


def test_one_call_is_no_batch(tmp_path: Path, cache: None) -> None:
    source(tmp_path, KERNEL + MAIN)
    done = tandem("batches", "app.c", "--offload", "scale", *SRC_6E, "--", 1, 10, 10, cwd=tmp_path)
    refused(done, "makes 1 calls", "batches need several")


def test_the_page_of_text(tmp_path: Path, cache: None) -> None:
    source(tmp_path, KERNEL + MAIN)
    done = tandem("batches", "app.c", "--offload", "scale", *SRC_6E, "--", 50, 10, 20, cwd=tmp_path)
    good(done)
    assert "best: --set batch.calls=" in done.stdout
    assert "a straight line is off by" in done.stdout


def test_calls_that_need_each_other_are_no_batch(tmp_path: Path, cache: None) -> None:
    source(tmp_path, KERNEL + "int main(void) { static unsigned char a[9], b[9];" + CHAIN)
    done = tandem("batches", "app.c", "--offload", "scale", cwd=tmp_path)
    refused(done, "calls cannot be handed over together", "19 of 20 calls of `scale` read what")


def test_no_batch_is_larger_than_calls_allow(tmp_path: Path, cache: None) -> None:
    source(tmp_path, KERNEL + "int main(void) { static unsigned char a[4][9], b[4][9];" + PASSES)
    done = tandem("batches", "app.c", "--offload", "scale", "--json", cwd=tmp_path)
    good(done)
    result = json.loads(done.stdout)
    holds("batches", result)
    assert result["most_together"] == result["best"] == 4
    assert [row["calls"] for row in result["runs"]] == [1, 2, 4]


CHAIN = """
    for (int i = 0; i < 10; i++) {
        scale(a, b, 9);
        scale(b, a, 9);
    }
    return 0;
}
"""
PASSES = """
    for (int i = 0; i < 4; i++)
        scale(a[i], b[i], 9);
    for (int i = 0; i < 4; i++)
        scale(b[i], a[i], 9);
    return 0;
}
"""


def test_as_many_calls_as_end_in_time() -> None:
    """A batch takes 3 s, and 2 s a call."""
    assert [_best(3, 2, within_s) for within_s in (4.9, 5, 8.9, 9)] == [None, 1, 2, 3]
