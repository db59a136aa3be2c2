# SPDX-License-Identifier: Apache-2.0
"""Shells whose lines interrupt the core: values, cycles, and what is no such chip."""

from __future__ import annotations

from pathlib import Path

import pytest
from seeds import sampled
from tandem.chip.driver import MOST_LINES, drivers_c
from tandem.diagnostics import UserError
from test_buses import chip_file
from test_chips import CHIP, KERNELS, application, offloads, on_chip
from trial import refused, tandem

LONG = """#include <stdio.h>
unsigned mixed(unsigned x, unsigned n) {
    for (unsigned i = 0; i < n; i++) x = (x ^ x >> 7) * 0x9e3779b1u + i;
    return x;
}
int main(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 2000; n += 97) sum ^= mixed(n, n);
    printf("%x\\n", sum);
    return 0;
}
"""
INTERRUPT = ("--set", "shell.end=interrupt")


CORES = ["vexriscv", "vexriscv-lite"]
PAIRS = [(core, protocol) for core in CORES for protocol in ("wishbone", "axi4-lite", "fsl")]


@pytest.mark.parametrize("core, protocol", sampled(PAIRS))
def test_values_are_the_same(core: str, protocol: str, tmp_path: Path) -> None:
    application(tmp_path)
    file = str(chip_file(tmp_path, protocol, core))
    polled, expected = on_chip(tmp_path, *offloads(*KERNELS), platform=file)
    told, printed = on_chip(tmp_path, *offloads(*KERNELS), *INTERRUPT, platform=file)
    assert printed == expected
    calls = [kernel["calls"] for kernel in told["kernels"]]
    assert calls == [kernel["calls"] for kernel in polled["kernels"]]
    assert all(calls)


def test_who_waits_asks_nothing_of_the_bus(tmp_path: Path) -> None:
    """Once a call, to let the line fall; and the handler takes as long whatever the kernel does."""
    application(tmp_path, LONG)
    polled, expected = on_chip(tmp_path, "--offload", "mixed", platform="vexriscv-chip")
    told, printed = on_chip(tmp_path, "--offload", "mixed", *INTERRUPT, platform="vexriscv-chip")
    assert printed == expected
    (asks,), (waits,) = polled["kernels"], told["kernels"]
    calls = waits["calls"]
    # The answer, and the result.
    assert waits["words"][1] == 2 * calls < asks["words"][1]
    assert waits["parts"]["compute"] == asks["parts"]["compute"] > 100 * calls
    assert 20 * calls < waits["parts"]["wait"] < 80 * calls


def test_cores_without_interrupts(tmp_path: Path) -> None:
    application(tmp_path, LONG)
    for platform in (CHIP, "strongarm-chip", "microblaze-chip"):
        words = ["run", "app.c", "--offload", "mixed", "--platform", platform, *INTERRUPT]
        refused(tandem(*words, cwd=tmp_path), "which has no interrupts here")


def test_more_shells_than_lines() -> None:
    shell = {"protocol": "wishbone", "window_bytes": 4096, "end": "interrupt"}
    with pytest.raises(UserError, match="33 kernels, and a core has 32 lines"):
        drivers_c([None] * (MOST_LINES + 1), [], shell, 0)  # type: ignore[list-item]
