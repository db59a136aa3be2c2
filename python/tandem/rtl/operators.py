# SPDX-License-Identifier: Apache-2.0
"""The hardware of one operation, of what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tandem.ir.names import is_told_by_clang
from tandem.ir.ops import AShr, Op
from tandem.rtl.text import Module, Wire

if TYPE_CHECKING:
    from tandem.rtl.cores import CoreEmitter
    from tandem.rtl.emit import Emitter


def hint(op: Op) -> str:
    """The name of the C variable that a value belongs to, '' if there is none."""
    base = op.name.split(".")[0]
    if is_told_by_clang(base) or not (base.isidentifier() and base.isascii()):
        return ""
    return base


_APART = "A module, so that synthesis keeps it one level of look-up tables."


class Operators:
    """Those of a kernel's module."""

    def __init__(self, emitter: Emitter | CoreEmitter) -> None:
        self.emitter = emitter
        self.module = emitter.module
        self.inner: dict[str, str] = {}
        """Modules of operations that have one of their own: name -> text."""

    def made_of(self, op: Op, wires: list[Wire]) -> Wire:
        return op.hardware(self, wires, self.wire_name(op))

    def wire_name(self, op: Op) -> str:
        """What a value is called that is in no register: as its C variable, or by what it is and
        where."""
        is_told = self.module.source and op.line
        return hint(op) or (f"{op.slug}_line{op.line:d}" if is_told else op.slug)

    # -- what operations are made with (`ir.ops.circuit`) --------------------------------------

    def emit(self, operation: str, width: int, type_text: str, name: str) -> Wire:
        return self.module.emit(operation, width, type_text, name)

    def binary(self, operation: str, a: Wire, b: Wire, name: str) -> Wire:
        return self.module.binary(operation, a, b, name)

    def extract(self, wire: Wire, low: int, width: int) -> Wire:
        return self.module.extract(wire, low, width)

    def resize(self, wire: Wire, width: int) -> Wire:
        return self.module.resize(wire, width)

    def compare(self, op: Op, a: Wire, b: Wire, name: str) -> Wire:
        return self.module.compare(op.slug, a, b, name)

    def choose(self, condition: Wire, yes: Wire, no: Wire, name: str) -> Wire:
        return self.module.mux(condition, yes, no, name)

    def logic(self, op: Op, wires: Sequence[Wire], name: str) -> Wire:
        """Three and more inputs a bit are a module of their own: synthesis, which maps module by
        module, would otherwise take them apart again to share two of the inputs."""
        if len(wires) < 3:
            return self.module.logic(op.slug, wires, name)
        kind = self.emitter.inner_name(f"{op.slug}{len(wires)}_{op.width}")
        if kind not in self.inner:
            self.inner[kind] = logic_module(kind, op.slug, len(wires), op.width)
        result = Wire(self.module.fresh(), op.width)
        inputs = {f"i{i}": wire for i, wire in enumerate(wires)}
        self.module.instance(kind, hint(op) or f"{op.slug}{len(wires)}", inputs, {"value": result})
        return result

    def shift(self, op: Op, value: Wire, amount: Wire, name: str) -> Wire:
        """comb shifts want both operands of one width; an amount that does not fit it is large."""
        wide = max(value.width, amount.width)
        if isinstance(op, AShr) and wide > value.width:
            sign = self.module.extract(value, value.width - 1, 1)
            value = self.module.concat([sign] * (wide - value.width) + [value])
        else:
            value = self.module.resize(value, wide)
        made = self.module.binary(op.comb, value, self.module.resize(amount, wide), name)
        return self.module.extract(made, 0, op.width)

    def look_up(self, op: Op, index: Wire) -> Wire:
        memory = op.memory
        table = self.emitter.inner_name(memory.name)
        result = Wire(self.module.fresh(), op.width)
        self.module.instance(table, memory.name, {"index": index}, {"value": result})
        return result


def logic_module(name: str, kind: str, inputs: int, width: int) -> str:
    """One logic operation of several inputs as a module."""
    module = Module(name, comment=_APART)
    wires = [module.input(f"i{i}", width) for i in range(inputs)]
    module.output("value", module.logic(kind, wires))
    return module.text().replace("hw.module @", "hw.module private @", 1)
