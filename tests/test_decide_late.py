# SPDX-License-Identifier: Apache-2.0
"""decide-late: two counters through a matrix, in many spellings, take a cycle an element."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.languages.discovery import find_program
from tandem.schedule.delays import Target
from trial import good, source, tandem

CLOCK_PS = 10_000

COUNTED = "for (int k = 0; k < total; k++) { %s }"
STEPS = {
    "reset before": COUNTED % "if (j == size) { j = 0; i++; } USE j++;",
    "reset behind": COUNTED % "USE j++; if (j == size) { j = 0; i++; }",
    "pre-increment": COUNTED % "USE if (++j == size) { j = 0; ++i; }",
    "not equal": COUNTED % "USE if (j + 1 != size) j++; else { j = 0; i++; }",
    "conditional": COUNTED % "USE int end = j == size - 1; j = end ? 0 : j + 1; i += end;",
    "down": COUNTED % "if (j == 0) { j = size; i++; } j--; USE",
    "by one": COUNTED % "USE j += 1; i += j == size; j = j == size ? 0 : j;",
    "two tests": COUNTED % "if (j == size) i++; if (j == size) j = 0; USE j++;",
    "from one": COUNTED % "j++; if (j == size + 1) { j = 1; i += 1; } USE",
    "unsigned": COUNTED % "USE unsigned u = (unsigned)j + 1u; "
    "if (u == (unsigned)size) { u = 0; i++; } j = (int)u;",
    "comma": "for (int k = 0; k < total; k++, j++) { if (j == size) j = 0, i = i + 1; USE }",
}
USE = "out[(i << 4 | (j & 15)) & 255] = in[k];"


def kernel(steps: str) -> str:
    body = steps.replace("USE", USE)
    return f"void f(const int *in, int total, int size, int *out) {{ int i = 0, j = 0; {body} }}\n"


@pytest.mark.parametrize("name", STEPS)
def test_two_counters_take_a_cycle(name: str, tmp_path: Path, target: Target) -> None:
    path = source(tmp_path, kernel(STEPS[name]), "f.c")
    found = compile_kernel(find_program(path, None), "f", target, CLOCK_PS)
    assert found.schedule.ii == 1


def test_three_counters_are_right(tmp_path: Path) -> None:
    """The second counter's limit is reached in the iteration of the first one's."""
    nest = COUNTED % (
        "USE out[h & 3] += k; if (++j == size) { j = 0; if (++i == 3) { i = 0; h++; } }"
    )
    calls = "".join(f"f(in, {n}, {size}, out);" for n, size in ((200, 7), (40, 1), (9, 50), (0, 2)))
    body = f"int in[256], out[256] = {{0}}; for (int i = 0; i < 256; i++) in[i] = i * 7; {calls}"
    text = kernel(nest).replace("int i = 0", "int h = 0, i = 0")
    source(tmp_path, f"{text}int main(void) {{ {body} return 0; }}\n")
    good(tandem("verify", "app.c", "--offload", "f", cwd=tmp_path))
