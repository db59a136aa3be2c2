# SPDX-License-Identifier: Apache-2.0
"""Variables that outlive a call, of which no call needs what another one has left: they are local
arrays; and those that have to stay what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import build_text, check
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
HEAD = "#include <string.h>\nvoid top(const int in[64], int out[64])\n{ static int t[64];\n"
USE = "for (int i = 0; i < 64; i++) out[i] = t[63 - i] * 3 + t[i ^ 5];"

LOCAL = {
    "one loop": f"{HEAD} for (int i = 0; i < 64; i++) t[i] = in[i] + 1; {USE} }}",
    "columns of rows": f"""{HEAD} for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++)
        t[j * 8 + i] = in[i * 8 + j]; {USE} }}""",
    "down": f"{HEAD} for (int i = 63; i >= 0; i--) t[i] = in[i] - i; {USE} }}",
    "do": f"{HEAD} int i = 0; do t[i] = in[i]; while (++i != 64); {USE} }}",
    "memset": f"""{HEAD} memset(t, 0, sizeof t);
        for (int i = 0; i < 64; i++) t[in[i] & 63] += i; {USE} }}""",
    "memcpy": f"""{HEAD} memcpy(t, in, sizeof t);
        for (int i = 1; i < 64; i++) t[i] += t[i - 1]; {USE} }}""",
    "of the file, two dimensions": """static int t[8][8];
        void top(const int in[64], int out[64])
        { for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) t[i][j] = in[8 * i + j] * j;
          for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) out[8 * i + j] = t[j][i]; }""",
    "halves": f"""{HEAD} for (int i = 0; i < 32; i++) {{ t[2 * i] = in[i]; t[2 * i + 1] = -i; }}
        {USE} }}""",
    "in a helper": """static int t[64];
        static void fill(const int *in) { for (int i = 0; i < 64; i++) t[i] = in[i] ^ i; }
        void top(const int in[64], int out[64])
        { fill(in); for (int i = 0; i < 64; i++) out[i] = t[63 - i] - t[i]; }""",
    "a ring": f"""{HEAD} int x = 0; memset(t, 0, sizeof t);
        for (int i = 0; i < 64; i++) {{ out[i] = t[x]; t[x] = in[i]; if (++x == 9) x = 0; }} }}""",
}
LASTING = {
    "a sum of calls": f"{HEAD} for (int i = 0; i < 64; i++) t[i] += in[i]; {USE} }}",
    "all but one": f"{HEAD} for (int i = 0; i < 63; i++) t[i] = in[i] + 1; {USE} }}",
    "every other one": f"{HEAD} for (int i = 0; i < 32; i++) t[2 * i] = in[i]; {USE} }}",
    "sometimes": f"""{HEAD} if (in[0] & 1) for (int i = 0; i < 64; i++) t[i] = in[i]; {USE} }}""",
    "what data says": f"""{HEAD} for (int i = 0; i < 64; i++) if (in[i] & 1) t[i] = in[i];
        {USE} }}""",
    "read before": f"""{HEAD} int first = t[3];
        for (int i = 0; i < 64; i++) t[i] = in[i] + first; {USE} }}""",
    "of others too": """int t[64];
        void top(const int in[64], int out[64])
        { for (int i = 0; i < 64; i++) t[i] = in[i] ^ i;
          for (int i = 0; i < 64; i++) out[i] = t[63 - i] - t[i]; }""",
    "read by another function": """static int t[64];
        int last(void) { return t[63]; }
        void top(const int in[64], int out[64])
        { for (int i = 0; i < 64; i++) t[i] = in[i] ^ i;
          for (int i = 0; i < 64; i++) out[i] = t[63 - i] - t[i]; }""",
}


def variables(text: str, target: Target, folder: Path) -> list[str]:
    (folder / "top.c").write_text(text)
    kernel = compile_kernel(Program.of(folder / "top.c"), "top", target, CLOCK_PS, True).kernel
    return [a.name for a in kernel.arguments if a.variable is not None]


@pytest.mark.parametrize("name", LOCAL)
def test_scratch_is_local(name: str, target: Target, tmp_path: Path) -> None:
    assert variables(LOCAL[name], target, tmp_path) == []
    built = build_text(LOCAL[name], target, CLOCK_PS, tmp_path)
    check(built, {"in": bytes(range(256)), "out": bytes(256)})


@pytest.mark.parametrize("name", LASTING)
def test_state_is_not(name: str, target: Target, tmp_path: Path) -> None:
    assert len(variables(LASTING[name], target, tmp_path)) == 1
