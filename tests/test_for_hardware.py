# SPDX-License-Identifier: Apache-2.0
"""C that is for the hardware alone, or left out of it. What programs do is in
tests/programs/whole/for_hardware.c."""

from __future__ import annotations

from pathlib import Path

from tandem.frontend.imported import Imported
from tandem.frontend.program import CFile, Program
from tandem.languages.imported import import_c

HEADER = """
#ifdef __SYNTHESIS__
#define TOLD(x)
#else
#include <stdio.h>
#define TOLD(x) fprintf(stderr, "%d", x)
#endif
"""
KERNEL = '#include "told.h"\nint f(int a) { TOLD(a); return a * 3; }\n'


def imported(tmp_path: Path, *flags: str) -> Imported:
    (tmp_path / "my told").mkdir()
    (tmp_path / "my told" / "told.h").write_text(HEADER)
    path = tmp_path / "f.c"
    path.write_text(KERNEL)
    return import_c(Program(path, (CFile(path, (f"-I{tmp_path}/my told", *flags)),)), "f")


def test_a_header_may_ask_too(tmp_path: Path) -> None:
    found = imported(tmp_path)
    assert "@fprintf(" not in found.function_ir
    assert "@fprintf(" in found.software
    assert [note for note in found.notes if note.code == "printed"] == []


def test_who_has_the_macro_anyway_has_it_in_both(tmp_path: Path) -> None:
    found = imported(tmp_path, "-D__SYNTHESIS__")
    assert "@fprintf(" not in "".join(found.modules)
