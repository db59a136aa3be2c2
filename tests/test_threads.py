# SPDX-License-Identifier: Apache-2.0
"""Threads of an application that call kernels at the same time: each gets its own results, and
every call is counted once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from trial import good, source, tandem

CALLS = 150

PROGRAM = f"""
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define CALLS {CALLS}
#define MOST 64

void scale(const uint32_t *in, uint32_t *out, uint32_t n, uint32_t factor)
{{
    for (uint32_t i = 0; i < n; i++)
        out[i] = in[i] * factor;
}}

uint32_t total(const uint32_t *in, uint32_t n)
{{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += in[i];
    return sum;
}}

static void *work(void *argument)
{{
    uintptr_t wrong = 0, who = (uintptr_t)argument;
    for (uint32_t call = 0; call < CALLS; call++) {{
        uint32_t in[MOST], out[MOST] = {{0}}, n = (call * 7 + who) % MOST, sum = 0;
        for (uint32_t i = 0; i < n; i++)
            in[i] = call + i * (who + 1);
        scale(in, out, n, who + 3);
        for (uint32_t i = 0; i < n; i++)
            sum += in[i] * (who + 3);
        wrong += total(out, n) != sum;
    }}
    return (void *)wrong;
}}

int main(void)
{{
    pthread_t threads[4];
    uintptr_t wrong = 0;
    for (uintptr_t i = 0; i < 4; i++)
        if (pthread_create(&threads[i], 0, work, (void *)i))
            return 2;
    for (int i = 0; i < 4; i++) {{
        void *result;
        pthread_join(threads[i], &result);
        wrong += (uintptr_t)result;
    }}
    return wrong != 0;
}}
"""


@pytest.mark.parametrize("mode", ["native", "emulate", "simulate"])
@pytest.mark.parametrize("batch", [1, 16])
def test_threads_get_their_own_results(tmp_path: Path, cache: None, mode: str, batch: int) -> None:
    source(tmp_path, PROGRAM)
    offload = ("--offload", "scale", "--offload", "total", "--cflags=-pthread")
    words = (*offload, "--mode", mode, "--set", f"batch.calls={batch}", "--json")
    done = tandem("run", "app.c", *words, cwd=tmp_path)
    good(done)
    run = json.loads(done.stdout)
    assert run["calls"] == 2 * 4 * CALLS
    assert [kernel["calls"] for kernel in run["kernels"]] == [4 * CALLS] * 2
    assert run["checked_calls"] == (run["calls"] if mode == "simulate" else 0)
    assert run["mismatches"] == 0
    if mode != "native":
        assert sum(run["breakdown_s"].values()) == pytest.approx(run["total_s"])


def test_what_is_the_same_however_threads_come(tmp_path: Path, cache: None) -> None:
    """Where each call is waited for, all that a run of one kernel says; else what calls do, though
    not what of it overlaps."""
    source(tmp_path, PROGRAM)

    def run(ahead: int) -> dict[str, Any]:
        words = ("--offload", "scale", "--cflags=-pthread", "--set", f"batch.ahead={ahead}")
        done = tandem("run", "app.c", *words, "--platform", "pcie3-x16", "--json", cwd=tmp_path)
        good(done)
        return json.loads(done.stdout)

    sums = ("calls", "cycles", "bytes_in", "bytes_out")
    first, second = run(0), run(0)
    for name in (*sums, "total_s", "breakdown_s", "busy_s", "components"):
        assert first[name] == second[name], name
    beside = [run(2) for _ in range(3)]
    for other in beside:
        assert [other[name] for name in sums] == [first[name] for name in sums]
        assert other["total_s"] < first["total_s"]
        for component in ("device", "dma"):
            times = [
                {row["name"]: row["busy_s"] for row in found["components"]}[component]
                for found in (other, first)
            ]
            assert times[0] == pytest.approx(times[1])
