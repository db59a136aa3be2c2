# SPDX-License-Identifier: Apache-2.0
"""Records that come and go while the kernel runs: whatever the chunks, the buffers and the link,
the RTL takes the cycles that the engine has found, and its results are the C's (the engine
compares)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from seeds import seeds
from tandem.diagnostics import TandemError
from tandem.host.launch import launch
from tandem.host.prepare import Job, Prepared, prepared

HEAD = "#include <stdint.h>\n#include <stdlib.h>\n"
MAIN = """
int main(int argc, char **argv)
{{
    unsigned n = argc > 1 ? strtoul(argv[1], 0, 10) : 100;
    {kind} *a = calloc(n + 1, 8), *b = calloc(n + 1, 8);
    uint64_t *c = calloc(n + 1, 8);
    for (unsigned i = 0; i < n; i++)
        a[i] = ({kind})(i * 37 + 11), b[i] = ({kind})(i * i);
    unsigned sum = 0;
    {call};
    for (unsigned i = 0; i < n; i++)
        sum += (unsigned)c[i];
    return sum == 0xffffffff;
}}
"""
KERNELS = {
    "copy": (
        "void k(const uint8_t *a, uint8_t *c, unsigned n)"
        "{ for (unsigned i = 0; i < n; i++) c[i] = 3 * a[i]; }",
        "uint8_t",
        "k(a, (uint8_t *)c, n)",
    ),
    "two": (
        "void k(const uint32_t *a, const uint32_t *b, uint64_t *c, unsigned n)"
        "{ for (unsigned i = 0; i < n; i++) c[i] = (uint64_t)a[i] * b[i] + 5; }",
        "uint32_t",
        "k(a, b, c, n)",
    ),
    "sum": (
        "uint64_t k(const uint16_t *a, unsigned n)"
        "{ uint64_t s = 0; for (unsigned i = 0; i < n; i++) s += a[i] * 7u; return s; }",
        "uint16_t",
        "c[0] = k(a, n)",
    ),
    "slow": (
        "void k(const uint32_t *a, uint32_t *c, unsigned n)"
        "{ uint32_t s = 1; for (unsigned i = 0; i < n; i++) { s = s * s + a[i]; c[i] = s / 7; } }",
        "uint32_t",
        "k(a, (uint32_t *)c, n)",
    ),
    "split": (
        "void k(const uint32_t *a, uint32_t *b, uint16_t *c, unsigned n)"
        "{ for (unsigned i = 0; i < n; i++) { b[i] = a[i] ^ i; c[i] = (uint16_t)(a[i] >> 3); } }",
        "uint32_t",
        "k(a, b, (uint16_t *)c, n)",
    ),
    "after": (
        "void k(const uint32_t *a, const uint32_t *b, uint32_t *c, unsigned n)"
        "{ uint32_t s = 0; for (unsigned i = 0; i < n; i++) s += a[i];"
        " for (unsigned i = 0; i < n; i++) c[i] = b[i] ^ s; }",
        "uint32_t",
        "k(a, b, (uint32_t *)c, n)",
    ),
}


@pytest.fixture(scope="module", params=sorted(KERNELS))
def build(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    function, kind, call = KERNELS[request.param]
    main = tmp_path_factory.mktemp(request.param) / "main.c"
    main.write_text(HEAD + function + MAIN.format(kind=kind, call=call))
    with prepared(Job(main, "k")) as found:
        yield found


def settings(random: Random) -> Iterator[str]:
    yield "configuration.time=0s"
    yield f"software.call_time={random.choice((0, 1, 900))}ns"
    yield f"transfer.mode={random.choice(('multi-buffered', 'multi-buffered', 'streaming'))}"
    yield f"transfer.chunk={random.choice((1, 8, 24, 64, 200, 1024))}B"
    yield f"transfer.buffers={random.choice((1, 2, 2, 3, 8))}"
    for way in ("to", "from"):
        yield f"link.bandwidth_{way}_device={random.choice((31, 206, 800, 800, 3))}MB/s"
    yield f"link.transfer_time={random.choice((0, 7, 60, 413))}ns"
    yield f"link.duplex={random.choice(('half', 'full'))}"
    yield f"memory.width={random.choice((1, 2, 8, 8))}B"
    if random.random() < 0.3:
        yield f"software.copy_bandwidth={random.choice((50, 1000))}MB/s"


def report(build: Prepared, changes: list[str], mode: str, records: int) -> dict[str, Any]:
    return launch(replace(build, changes=tuple(changes)), mode, [str(records)], quiet=True).report


@pytest.mark.parametrize("seed", seeds(8))
def test_the_rtl_takes_the_cycles_that_were_found(build: Prepared, seed: int) -> None:
    random = Random(f"{seed} {build.application.parent.name}")
    changes = list(settings(random))
    records = random.choice((0, 1, 2, 17, 64, 65, 300, 1000))
    print(changes, records)  # shown when the test fails
    simulated = report(build, changes, "simulate", records)
    emulated = report(build, changes, "emulate", records)
    assert (simulated["checked_calls"], simulated["mismatches"]) == (1, 0)
    for key in ("cycles", "total_ps", "breakdown_ps", "busy_ps", "components", "spans"):
        assert emulated[key] == simulated[key], key
    assert sum(emulated["breakdown_ps"].values()) == emulated["total_ps"]
    for row in emulated["components"]:
        assert row["busy_ps"] <= emulated["total_ps"]


def test_buffers_hide_what_they_can(build: Prepared) -> None:
    """Enough data, two ways, no set-up: what takes longest is all that is seen, but for the
    ends."""
    ample = ["configuration.time=0s", "software.call_time=0s", "link.transfer_time=0s"]
    ample += ["link.duplex=full"]
    buffered = report(build, [*ample, "transfer.mode=buffered"], "emulate", 20000)
    ample += ["transfer.mode=streaming", "transfer.chunk=64B"]
    hidden = report(build, ample, "emulate", 20000)
    longest = max(buffered["breakdown_ps"].values())
    names = {k["name"] for k in hidden["kernels"]}
    assert names == {"k"} and hidden["busy_ps"]["transfer_in"] > 0
    assert longest <= hidden["total_ps"] < buffered["total_ps"]
    if "after" not in str(build.application):
        assert hidden["total_ps"] < 1.02 * longest


def test_streams_pass_in_batches_too(tmp_path: Path) -> None:
    """Handed over together or beside the program, calls are sooner done than alone, and than in
    batches that come and go as a whole."""
    function, kind, call = KERNELS["copy"]
    main = tmp_path / "main.c"
    calls = f"for (int r = 0; r < 6; r++) {call}"
    main.write_text(HEAD + function + MAIN.format(kind=kind, call=calls))
    with prepared(Job(main, "k", "src-6e")) as build:
        mode = ["transfer.mode=streaming", "transfer.chunk=256B", "configuration.time=0s"]
        alone = report(build, mode, "emulate", 3000)
        assert (alone["streamed_calls"], alone["unmet"]) == (6, [])
        for batch in ("batch.calls=3", "batch.ahead=1"):
            both = report(build, [*mode, batch], "emulate", 3000)
            whole = report(build, ["configuration.time=0s", batch], "emulate", 3000)
            assert both["streamed_calls"] == 6
            assert both["total_ps"] < min(alone["total_ps"], whole["total_ps"])
            assert both["kernels"][0]["waiting_cycles"] > 0
            simulated = report(build, [*mode, batch], "simulate", 3000)
            assert (simulated["mismatches"], simulated["total_ps"]) == (0, both["total_ps"])


def test_a_stream_that_passes_takes_no_memory(build: Prepared) -> None:
    """By chunks, it takes as many as there are buffers."""

    def run(mode: str, room_bytes: int) -> None:
        changes = ["transfer.chunk=512B", f"memory.bank_size={room_bytes}B", "memory.banks=1"]
        report(build, [*changes, f"transfer.mode={mode}"], "simulate", 4000)

    run("streaming", 8)
    run("multi-buffered", 4 * 2 * 512)
    for mode, room_bytes in (("buffered", 4096), ("multi-buffered", 2 * 512 - 1)):
        with pytest.raises(TandemError, match="bytes of device memory, the platform has"):
            run(mode, room_bytes)


@pytest.mark.parametrize("build", ["copy"], indirect=True)
@pytest.mark.parametrize(("packed", "chunks"), [("yes", 16), ("no", 128)])
def test_a_chunk_has_as_many_records_as_fit(build: Prepared, packed: str, chunks: int) -> None:
    """A byte takes a word of the memory where elements are not packed."""
    changes = ["transfer.mode=multi-buffered", "transfer.chunk=64B", "memory.width=8B"]
    told = report(build, [*changes, f"transfer.packed={packed}"], "emulate", 1024)
    for way in ("transfer_in", "transfer_out"):
        rows = [row for row in told["spans"] if row["category"] == way and row["bytes"]]
        assert [row["bytes"] for row in rows] == [64] * chunks
