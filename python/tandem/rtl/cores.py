# SPDX-License-Identifier: Apache-2.0
"""Cores in hardware: a module with registers at its operands, in which all moves on every cycle."""

from __future__ import annotations

from typing import Any

from tandem.ir.kernel import Block
from tandem.rtl.datapath import OPERAND_PORTS, Datapath
from tandem.rtl.memories import rom_module
from tandem.rtl.text import Module
from tandem.schedule.cores import Core


class CoreEmitter:
    """Emits a core as a module of a name, with which those inside it begin theirs."""

    def __init__(self, core: Core, name: str, for_model: bool) -> None:
        self.for_model = for_model
        self.schedule = core.schedule
        self.kernel = core.schedule.kernel
        self.block = core.block
        self.module = Module(name)
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
        block, datapath = self.block, self.datapath
        assert block.end.value is not None
        self.module.inputs.append(("clk", "!seq.clock"))
        self.module.reserve(["clk", "value", *OPERAND_PORTS])
        pairs = list(zip(OPERAND_PORTS, block.parameters, strict=False))
        given = {parameter: self.module.input(port, parameter.width) for port, parameter in pairs}
        datapath.make_all(block)
        last = self.schedule.blocks[block].length - 1
        self.module.output("value", datapath.at(block, block.end.value, last))
        for parameter, register in datapath.operand_registers().items():
            self.module.drive_register(register, given[parameter])
        tables = (m for m in self.kernel.memories.values() if m.kind == "rom")
        texts = [
            *(rom_module(m, self.inner_name(m.name), as_case=not self.for_model) for m in tables),
            *datapath.inner.values(),
            self.module.text().replace("hw.module @", "hw.module private @", 1),
        ]
        return "".join(texts)
