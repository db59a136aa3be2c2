# SPDX-License-Identifier: Apache-2.0
"""The users' own modules, as a kernel's package holds them."""

from __future__ import annotations

from collections.abc import Iterable

from tandem.ir.kernel import Macro
from tandem.rtl.text import told_name


def verilog_of(macros: Iterable[Macro]) -> str:
    """The text of all files that macros name, each once."""
    texts = {macro.file: macro.verilog for macro in macros}
    parts = (f"// {told_name(file)}\n{text}" for file, text in texts.items())
    return "\n`default_nettype wire\n".join(parts) + "\n"
