# SPDX-License-Identifier: Apache-2.0
"""Blocks from the heap inside of a kernel: how large they are, and which are refused. What programs
do is in tests/programs/whole/heap_inside.c."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.diagnostics import UserError
from tandem.frontend.imported import import_c
from tandem.frontend.program import Program
from tandem.ir.kernel import Kernel

USE = "p[n / 2] = k; k += p[n / 3]; free(p); return k;"


def imported(body: str, tmp_path: Path) -> Kernel:
    path = tmp_path / "f.c"
    path.write_text(f"#include <stdlib.h>\n{body}")
    return import_c(Program.of(path), "f").kernel


@pytest.mark.parametrize(
    ("parameter", "before", "size", "most"),
    [
        ("unsigned n", "", "n & 31", 31),
        ("unsigned n", "if (n > 32) return 0;", "n", 32),
        ("unsigned n", "if (n <= 32)", "n + 7", 39),
        ("unsigned n", "if (n < 3 || n >= 32) return 0;", "n", 31),
        ("unsigned n", "if (n != 12) return 0;", "n", 12),
        ("int n", "if (n < 0 || n > 32) return 0;", "n", 32),
        ("int n", "if (n <= 0) return 1; if (k > 3 && n < 32)", "n", 31),
        ("unsigned char n", "", "n", 255),
        ("unsigned long n", "if (n - 8 > 24) return 0;", "n", 32),
    ],
)
def test_the_largest_size_counts(
    parameter: str, before: str, size: str, most: int, tmp_path: Path
) -> None:
    body = (
        f"int f({parameter}, int k) {{ {before} {{ char *p = malloc({size}); {USE} }} return 0; }}"
    )
    memories = imported(body, tmp_path).memories.values()
    assert [(m.kind, m.depth) for m in memories] == [("ram", most)]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("int f(unsigned n, int k) { char *p = malloc(n);" + USE + "}", "heap"),
        # the branch is about another one than the phi hands on
        (
            "int f(unsigned n, int k) { unsigned m = n; for (;;) { unsigned next = m * 3 + 1; "
            "if (next < 9) { char *p = malloc(m); p[m / 2] = k; k += p[m / 3]; free(p); } "
            "else if (k > 5) return k; m = next; k++; } }",
            "heap",
        ),
        (
            "int f(int n, int k) { char *p[2]; for (int i = 0; i < (k & 1) + 1; i++) "
            "{ p[i] = malloc(8); p[i][n & 7] = k + i; } return p[k & 1][3]; }",
            "heap",
        ),
        ("int f(char *p, int n, int k) {" + USE + "}", "call"),
        ("char *f(int n, int k) { char *p = malloc(8); p[n & 7] = k; return p; }", "pointer"),
    ],
)
def test_what_cannot_be_inside_is_refused(body: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        imported(body, tmp_path)
    assert [d.code for d in error.value.diagnostics] == [code]
