# SPDX-License-Identifier: Apache-2.0
"""What functions and modules beside the kernel make."""

from __future__ import annotations

from tandem.ir.ops.op import Op

MACRO_CORE = "macro_"
"""What the names of macros' cores begin with."""


class MacroOp(Op):
    __slots__ = ()
    slug, summary = "macro", "what a module of the user's makes of the operands"

    @property
    def core(self) -> str:
        return f"{MACRO_CORE}{self.function}"

    @property
    def function(self) -> str:
        """The C function that it stands for."""
        return self.attributes["function"]


class ResultOp(Op):
    __slots__ = ()
    slug, summary, arity = "result", "what the last call of a function has returned", 0
    pure = False

    @property
    def function(self) -> str:
        """The one that has returned it."""
        return self.attributes["function"]
