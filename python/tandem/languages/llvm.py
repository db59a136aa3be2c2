# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as text, of whatever compiler."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.clang import Translated, own_functions
from tandem.frontend.directives.rewrite import Rewritten
from tandem.frontend.program import CFile
from tandem.languages.base import Language

UNOPTIMISED = ("optnone", "noinline")
"""What compilers that were asked for nothing else say of functions."""
_SAID = re.compile(r"^<string>:(\d+):\d+: error: (.*)$", re.M)


class LlvmIr(Language):
    """Modules as they are, for this machine."""

    name, suffixes = "LLVM IR", (".ll",)

    def translate(self, files: Sequence[CFile]) -> list[Translated]:
        """As this LLVM writes it. Raises UserError for what is no module of this machine."""
        return [Translated(_read(file.path), Rewritten("")) for file in files]

    def files_read(self, file: CFile) -> list[Path]:
        """Itself: nothing is included."""
        return [file.path]


def _read(path: Path) -> str:
    import llvmlite.binding as llvm

    from tandem.languages.older_llvm import without_products

    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        module = llvm.parse_assembly(without_products(text))
    except RuntimeError as error:
        raise _unreadable(path, str(error)) from error
    own = llvm.parse_assembly(own_functions("int f;")).data_layout
    if module.data_layout != own:
        layout = module.data_layout or "none"
        raise user_error(
            "llvm-ir",
            f"the module is laid out as for another machine: {layout}",
            Place(str(path)),
            f'compile it for this one: target datalayout = "{own}"',
        )
    return "\n".join(map(_optimisable, str(module).splitlines())) + "\n"


def _unreadable(path: Path, said: str) -> UserError:
    found = _SAID.search(said)
    line, text = (int(found[1]), found[2]) if found else (0, said.partition("\n")[2])
    cure = "write it with an LLVM that is as old as Tandem's, or older (`tandem doctor`)"
    return user_error("llvm-ir", text, Place(str(path), line), cure)


def _optimisable(line: str) -> str:
    """A line of attributes without those that say that a function is to stay as it is."""
    if not line.startswith("attributes #"):
        return line
    return " ".join(word for word in line.split(" ") if word not in UNOPTIMISED)
