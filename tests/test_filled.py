# SPDX-License-Identifier: Apache-2.0
"""An array of which every element is written only goes out: nobody need send what is there before.
`agreement.check` does not, so that a claim that is false is a wrong value."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import Values, build, check
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target
from trial import source

CLOCK_PS = 10_000
SIDE = 6

HEAD = "typedef unsigned char byte;\nenum { S = 6 };\n"
HEAD += "#define ROWS(n) for (int y = 0; y < (n); y++) for (int x = 0; x < S; x++)\n"

FILLED = {
    "numbers": """void numbers(const byte *in, byte *out)
{ ROWS(S) out[y * S + x] = in[S * S - 1 - (y * S + x)]; }""",
    "rows": """void rows(const byte *in, byte *out, int n)
{ ROWS(n) out[y * S + x] = in[x * S + y]; }""",
    "square": """void square(const byte *in, byte *out, int n)
{ for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) out[y * n + x] = in[x * n + y] + 1; }""",
    "large": """void large(const byte *in, byte *out, unsigned n)
{ for (unsigned y = 0; y < n; y++) for (unsigned x = 0; x < n; x++)
    out[(unsigned long)y * n + x] = in[x ^ y]; }""",
    "pairs": """void pairs(const byte *in, byte *out, int n)
{ for (int y = 0; y < n; y++) for (int x = 0; x < 3; x++) {
    out[y * S + 2 * x] = in[x * S + y]; out[y * S + 2 * x + 1] = in[y]; } }""",
    "twice": """void twice(const byte *in, byte *out, int n)
{ for (int z = 0; z < n; z++) ROWS(n)
    out[y * S + x] = in[x * S + y] + z; }""",
    "overlapping": """void overlapping(const byte *in, byte *out, int n)
{ ROWS(n) out[2 * y + x] = in[x * S + y]; }""",
    "begun": """void begun(const byte *in, byte *out, int n)
{ ROWS(n) { out[y * S + x] = 0;
    for (int k = 0; k < 3; k++) if (in[x * S + k] & 1) out[y * S + x] += k; } }""",
    "set_again": """void set_again(const byte *in, byte *out, int n)
{ ROWS(n) { out[y * S + x] = 1; if (in[x * S + y] & 1) out[y * S + x] = in[y * S + x]; } }""",
    "summed": """void summed(const byte *in, byte *out, int n)
{ ROWS(n) { out[y * S + x] = 9; for (int k = 0; k < n; k++) out[y * S + x] += in[k * S + x]; } }""",
    "read_back": """void read_back(const byte *in, byte *out, int n)
{ ROWS(n) { byte *p = out + y * S + x; *p = in[x * S + y]; *p ^= *p >> 1; if (*p & 1) --*p; } }""",
    "nests": """void nests(const byte *in, byte *out)
{ ROWS(S) out[y * S + x] = in[x * S + y]; ROWS(S) out[y * S + x] += out[x * S + y]; }""",
    "sums_of_sums": """void sums_of_sums(const byte *in, byte *out)
{ ROWS(S) { out[y * S + x] = 0; for (int k = 0; k < S; k++) out[y * S + x] += in[k * S + x]; }
  for (int i = 0; i < S * S - 1; i++) if (out[i + 1] & 1) out[i] ^= out[i + 1]; }""",
    "borders": """void borders(const byte *in, byte *out, int n)
{ for (int i = 0; i < n; i++) { out[i] = 0;
    for (int k = 0; k < 3; k++) if (i >= k) out[i] += in[i - k]; } }""",
    "no_borders": """void no_borders(const byte *in, byte *out, int n)
{ for (int i = 0; i < n; i++) { int s = 0;
    for (int k = 0; k < 3; k++) if (i >= k) s += in[i - k];
    out[i] = s; } }""",
}
LEFT = {
    "holes": """void holes(const byte *in, byte *out, int n)
{ ROWS(n) out[2 * (y * S + x)] = in[x * S + y]; }""",
    "gaps": """void gaps(const byte *in, byte *out, int n)
{ for (int y = 0; y < n; y++) for (int x = 0; x < S - 1; x++) out[y * S + x] = in[x * S + y]; }""",
    "pitch": """void pitch(const byte *in, byte *out, unsigned n, unsigned p)
{ for (unsigned y = 0; y < n; y++) for (unsigned x = 0; x < n; x++)
    out[(unsigned long)y * p + x] = in[x ^ y]; }""",
    "not_the_first": """void not_the_first(const byte *in, byte *out)
{ for (int y = 0; y < S; y++) for (int x = 1; x < S; x++) out[y * S + x] = in[x * S + y]; }""",
    "sometimes": """void sometimes(const byte *in, byte *out)
{ ROWS(S) if (in[x * S + y] & 1) out[y * S + x] = 1; }""",
    "until": """void until(const byte *in, byte *out)
{ ROWS(S) {
    if (in[x * S + y] == 7) return; out[y * S + x] = in[y * S + x]; } }""",
    "wrapping": """void wrapping(const byte *in, byte *out, unsigned n, unsigned m, unsigned h)
{ for (unsigned y = 0; y < h; y++) for (unsigned x = 0; x < n * m; x++)
    out[y * (unsigned long)n * m + x] = in[x ^ y]; }""",
    "read_too": """void read_too(const byte *in, byte *out, int n)
{ ROWS(n) out[y * S + x] += in[x * S + y]; }""",
    "another": """void another(const byte *in, byte *out, int n)
{ ROWS(n) { out[y * S + x] = 0; out[(y * S + x) ^ 1] += in[x]; } }""",
    "begun_sometimes": """void begun_sometimes(const byte *in, byte *out, int n)
{ ROWS(n) { if (in[x * S + y] & 1) out[y * S + x] = 0; out[y * S + x] += in[x]; } }""",
    "read_first": """void read_first(const byte *in, byte *out, int n)
{ ROWS(n) { byte *p = out + y * S + x, was = *p; *p = in[x * S + y]; *p ^= was; } }""",
    "rows_first": """void rows_first(const byte *in, byte *out)
{ ROWS(S - 1) out[y * S + x] = in[x * S + y]; ROWS(S) out[y * S + x] += out[x * S + y]; }""",
    "nest_between": """void nest_between(const byte *in, byte *out, int n)
{ if (n > 3) ROWS(S) out[y * S + x] = in[x]; ROWS(S) out[y * S + x] += out[x * S + y]; }""",
    "nest_behind": """void nest_behind(const byte *in, byte *out)
{ byte s = 0; ROWS(S) s += out[x * S + y]; ROWS(S) out[y * S + x] = s + in[x]; }""",
    "left_early": """void left_early(const byte *in, byte *out)
{ for (int i = 0; i < S * S; i++) { if (in[i] == 7) break; out[i] = in[i]; }
  ROWS(S) out[y * S + x] += out[x * S + y]; }""",
    "moved_on": """void moved_on(const byte *in, byte *out, int n)
{ int i = 0; ROWS(n) { out[i] = in[x * S + y]; i++; out[i] ^= in[x]; } }""",
    "declared": """#pragma tandem extent(out, 100)
void declared(const byte *in, byte *out)
{ ROWS(S) out[y * S + x] = in[S * S - 1 - (y * S + x)]; }""",
}


@pytest.mark.parametrize("name", FILLED)
def test_what_is_written_whole_only_goes_out(name: str, target: Target, tmp_path: Path) -> None:
    built = build(source(tmp_path, HEAD + FILLED[name]), name, target, CLOCK_PS, tmp_path)
    assert built.finished.argument("out").direction == "out"
    for n in (SIDE, 3, 1, 0):
        values: Values = {"in": bytes(range(100, 164)), "out": bytes(64), "n": n}
        named = {a.name for a in built.finished.arguments}
        check(built, {key: value for key, value in values.items() if key in named})


@pytest.mark.parametrize("name", LEFT)
def test_what_may_stay_goes_both_ways(name: str, target: Target, tmp_path: Path) -> None:
    program = Program.of(source(tmp_path, HEAD + LEFT[name]))
    kernel = compile_kernel(program, name, target, CLOCK_PS).kernel
    assert kernel.argument("out").direction == "inout"
