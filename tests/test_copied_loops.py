# SPDX-License-Identifier: Apache-2.0
"""Loops whose copies are many operations, and worth them: those that turn their arrays into
registers, however these are written. What copies would not gain is not tried."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.compiler.fits import Fit
from tandem.compiler.trials import Trial
from tandem.frontend.program import Program
from tandem.ir.memory import MemoryKind
from tandem.passes.shape import Shape
from tandem.schedule.delays import Target
from tandem.schedule.expected import Trips

HEAD = """
static int least(int a, int b) { return a < b ? a : b; }
static int step(int old, int one, int other, unsigned way, int in)
{
    int up = one + ((way ^ in) & 7) + (int)(way >> 2), down = other + ((way ^ in) >> 3 & 7);
    return least(least(up, down), old + 9);
}
"""
ALL = "for (unsigned s = 0; s < 64; s++)"
SWEEP = "new[s] = step(old[s], old[s << 1 & 63], old[(s << 1 & 63) | 1], s, in[t]);"
BODY = """
int top(const int *in, int n)
{{
    int old[64], new[64];
    for (int s = 0; s < 64; s++)
        old[s] = s;
    for (int t = 0; t < n; t++) {{
        {sweep}
        {copy}
    }}
    return old[5];
}}"""
COPY = ALL + " old[s] = new[s];"


def _swept(sweep: str, copy: str = COPY) -> str:
    return BODY.format(sweep=sweep, copy=copy)


SPELLINGS = {
    "up": _swept(ALL + SWEEP),
    "down": _swept("for (int s = 63; s >= 0; s--)" + SWEEP),
    "while": _swept("unsigned s = 0; while (s < 64) {" + SWEEP + " s++; }"),
    "do": _swept("unsigned s = 0; do {" + SWEEP + "} while (++s < 64);"),
    "by two": _swept(f"for (unsigned s = 0; s < 64; s++) {{ {SWEEP} s++; {SWEEP} }}"),
    "pointer": _swept(
        "int *out = new; " + ALL + SWEEP.replace("new[s] =", "*out++ ="),
        "for (int *a = old, *b = new; a < old + 64;) *a++ = *b++;",
    ),
    "memcpy": _swept(ALL + SWEEP, "__builtin_memcpy(old, new, sizeof old);"),
    "halves": _swept(
        "for (unsigned h = 0; h < 2; h++) for (unsigned r = 0; r < 32; r++) {"
        "unsigned s = 32 * h + r;" + SWEEP + "}"
    ),
    "structure": BODY.replace("int old[64], new[64];", "struct {{ int a[64], b[64]; }} m;")
    .format(sweep=ALL + SWEEP, copy=COPY)
    .replace("old[", "m.a[")
    .replace("new[", "m.b["),
    "branch": _swept(
        ALL + "{ int v = old[s << 1 & 63] + ((s ^ in[t]) & 7) + (int)(s >> 2);"
        "int w = old[(s << 1 & 63) | 1] + ((s ^ in[t]) >> 3 & 7);"
        "if (w < v) v = w; if (old[s] + 9 < v) v = old[s] + 9; new[s] = v; }"
    ),
}


def _made(text: str, target: Target, folder: Path) -> Compiled:
    source = folder / "top.c"
    source.write_text(HEAD + text)
    return compile_kernel(Program.of(source), "top", target, 10_000)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_states_that_all_change_at_once_are_registers(
    spelling: str, target: Target, tmp_path: Path
) -> None:
    made = _made(SPELLINGS[spelling], target, tmp_path)
    kinds = {memory.kind for memory in made.kernel.memories.values()}
    assert MemoryKind.RAM not in kinds
    (loop,) = [s for s in made.schedule.blocks.values() if s.block.is_loop]
    assert loop.ii <= 4


ROUNDS = """
unsigned top(const unsigned *in, unsigned x, int n)
{
    for (int t = 0; t < n; t++)
        for (int r = 0; r < 64; r++)
            x = (x << 7 | x >> 25) * 5 + (x ^ in[r]) + (x >> 3 & 0x1234567);
    return x;
}"""
OUTSIDE = """
void top(int *grid, int *out, int n)
{
    for (int t = 0; t < n; t++)
        for (int i = 0; i < 60; i++)
            out[grid[i] & 1023] = out[grid[i + 1] & 1023] * 3 + (grid[i + 2] ^ out[i] << 3) + t;
}"""


@pytest.mark.parametrize("text", [ROUNDS, OUTSIDE], ids=["a recurrence", "a port"])
def test_copies_that_would_take_turns_are_not_tried(
    text: str, target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[bool] = []
    take = Trial.take

    def watched(self: Trial, shape: Shape, *trips: Trips, **more: Any) -> Fit | None:
        tried.append(bool(shape.copied))
        return take(self, shape, *trips, **more)

    monkeypatch.setattr(Trial, "take", watched)
    made = _made(text, target, tmp_path)
    assert made.as_imported.blocks and not any(tried)
    assert made.kernel.copyable
