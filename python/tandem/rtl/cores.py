# SPDX-License-Identifier: Apache-2.0
"""Cores in hardware: a module with registers at its operands, in which all moves on every cycle."""

from __future__ import annotations

from typing import Any

from tandem.ir.blocks import Block
from tandem.ir.kernel import Macro
from tandem.ir.memory import MemoryKind
from tandem.rtl.datapath import Datapath
from tandem.rtl.memories import rom_module
from tandem.rtl.text import Module, Wire
from tandem.rtl.units import operand_port
from tandem.schedule.cores import Core


class CoreEmitter:
    """Emits a core as a module of a name, with which those inside it begin theirs."""

    def __init__(self, core: Core, name: str, for_model: bool) -> None:
        self.for_model = for_model
        self.core = core
        self.schedule = core.schedule
        self.kernel = core.schedule.kernel
        self.block = core.block
        self.module = Module(name, has_names=not for_model)
        self.labels = {core.block: "operand"}
        self.tokens: dict[Block, Any] = {}
        """None: whatever comes in comes out."""
        self.queues: dict[str, Any] = {}
        self.datapath = Datapath(self)

    def inner_name(self, name: str) -> str:
        """The module of a table or of wide logic."""
        return f"{self.module.name}${name}"

    def text(self) -> str:
        """The module and those inside it."""
        if self.core.macro and not self.for_model:
            return self._macro_text(self.core.macro)
        block, datapath = self.block, self.datapath
        assert block.end.value is not None
        self.module.inputs.append(("clk", "!seq.clock"))
        ports = [operand_port(i) for i in range(len(block.parameters))]
        self.module.reserve(["clk", "value", *ports])
        pairs = zip(ports, block.parameters, strict=True)
        given = {parameter: self.module.input(port, parameter.width) for port, parameter in pairs}
        datapath.make_all(block)
        length = self.schedule.blocks[block].length
        value = datapath.at(block, block.end.value, length - 1)
        for _ in range(length, self.core.latency_cycles):
            value = self.module.register("later", value)
        self.module.output("value", value)
        for parameter, register in datapath.operand_registers().items():
            self.module.drive_register(register, given[parameter])
        tables = (m for m in self.kernel.memories.values() if m.kind is MemoryKind.ROM)
        texts = [
            *(rom_module(m, self.inner_name(m.name), as_case=not self.for_model) for m in tables),
            *datapath.operators.inner.values(),
            self._private(),
        ]
        return "".join(texts)

    def _private(self) -> str:
        return self.module.text().replace("hw.module @", "hw.module private @", 1)

    def _macro_text(self, macro: Macro) -> str:
        """A module around the user's, which is elsewhere."""
        self.module.inputs.append(("clk", "!seq.clock"))
        inputs = {
            name: self.module.input(operand_port(i), width)
            for i, (name, width) in enumerate(macro.parameters)
        }
        value = Wire("%made", macro.width)
        self.module.instance(macro.module, "macro", inputs, {"result": value}, clock="clock")
        self.module.output("value", value)
        ports = [f"in %{name} : i{width}" for name, width in macro.parameters]
        ports = ["in %clock : !seq.clock", *ports, f"out result : i{macro.width}"]
        return f"hw.module.extern @{macro.module}({', '.join(ports)})\n{self._private()}"
