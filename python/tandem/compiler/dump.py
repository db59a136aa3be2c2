# SPDX-License-Identifier: Apache-2.0
"""What each stage has made of a kernel, as files: LLVM's text in those of the frontend, then the
kernel's own (docs/ir.md) after the import and after every pass that has changed it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tandem.compiler.compile import Lineage
from tandem.diagnostics import Place, user_error
from tandem.files import complete_or_absent, in_the_way
from tandem.ir.kernel import Kernel
from tandem.ir.printer import print_kernel

OPTION = "--dump-ir"
_NAME = re.compile(r"\d{2,}-[\w-]+\.(?:ll|ir)")


def require_dump_place(path: Path) -> None:
    """Before anything is computed: whether a dump may take the name. Raises UserError where
    something is there that is no former dump."""
    if not path.name:
        raise user_error("in-the-way", "this names no new folder", Place(str(path)), "name one")
    if path.is_dir() and not path.is_symlink():
        others = [entry.name for entry in path.iterdir() if not _NAME.fullmatch(entry.name)]
        if others:
            raise in_the_way(path, f"there is a folder with `{min(others)}` in it", OPTION)
    elif path.exists() or path.is_symlink():
        raise in_the_way(path, "something of this name is there already", OPTION)


def write_dump(lineage: Lineage, scheduled: Kernel, path: Path) -> None:
    """Writes the folder, whole or not at all; `scheduled` is the kernel with the blocks in which
    control waits for pipelines. Raises UserError if it cannot be written."""
    require_dump_place(path)
    with complete_or_absent(path) as folder:
        for number, (name, text) in enumerate(_changed(lineage, scheduled)):
            (folder / f"{number:02}-{name}").write_text(text, errors="surrogateescape")


def _changed(lineage: Lineage, scheduled: Kernel) -> Iterator[tuple[str, str]]:
    """Name and text of every stage that has changed anything."""
    before = ""
    for name, text in [*_texts(lineage), ("schedule.ir", print_kernel(scheduled))]:
        if text != before:
            yield name, text
        before = text


def _texts(lineage: Lineage) -> list[tuple[str, str]]:
    found = [(f"{name}.ll", text) for name, text in lineage.imported.texts()]

    def after(name: str, kernel: Kernel) -> None:
        found.append((f"{name}.ir", print_kernel(kernel)))

    lineage.make(after)
    return found
