# SPDX-License-Identifier: Apache-2.0
"""What an operation's hardware is written with, as operations know it: `rtl.operators` is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tandem.ir.ops.op import Op

Wire = Any
"""A value in hardware: its `name` in CIRCT's text, and its `width`."""


class Circuit(Protocol):
    """`name`: what a wire is called in the Verilog."""

    def emit(self, operation: str, width: int, type_text: str, name: str) -> Wire:
        """An operation of CIRCT's `comb` dialect with operands, the bits of its result, and its
        type."""
        ...

    def binary(self, operation: str, a: Wire, b: Wire, name: str) -> Wire:
        """The same of two operands as wide as the result."""
        ...

    def extract(self, wire: Wire, low: int, width: int) -> Wire: ...

    def resize(self, wire: Wire, width: int) -> Wire:
        """With zeros above, or cut."""
        ...

    def logic(self, op: Op, wires: Sequence[Wire], name: str) -> Wire: ...

    def compare(self, op: Op, a: Wire, b: Wire, name: str) -> Wire: ...

    def choose(self, condition: Wire, yes: Wire, no: Wire, name: str) -> Wire: ...

    def shift(self, op: Op, value: Wire, amount: Wire, name: str) -> Wire:
        """Of an amount of any width."""
        ...

    def look_up(self, op: Op, index: Wire) -> Wire: ...
