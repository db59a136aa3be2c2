# SPDX-License-Identifier: Apache-2.0
"""The FIFO behind an output stream.

An iteration starts only with a credit, and gives it back when its record has left the FIFO: so
whatever is on its way finds room, and the pipeline never has to stop.
"""

from __future__ import annotations

from tandem.rtl.text import Module, Wire

PUSH_TO_VALID_CYCLES = 2
"""A record pushed in cycle t is offered in cycle t + 2: block RAM answers one cycle after it is
asked, and is asked one cycle after it was written."""
CREDIT_LOOP_CYCLES = 4
"""From a push to the cycle in which its credit can be used again, when the record leaves at once."""


def fifo_depth(push_cycle: int) -> int:
    """The least power of two that never makes a pipeline wait for credits: one for each iteration
    between its start and the return of its credit."""
    return 1 << (push_cycle + CREDIT_LOOP_CYCLES - 1).bit_length()


class OutputFifo:
    """One stream's FIFO. `issue` (an iteration starts) and the push are connected by others."""

    def __init__(self, module: Module, name: str, width: int, depth: int) -> None:
        self.module = module
        self.name = name
        self.width = width
        self.depth = depth
        self.bits = depth.bit_length()  # pointers with a wrap bit: depth is a power of two
        self.issue: Wire | None = None
        self.push_enable: Wire | None = None
        self.push_data: Wire | None = None
        self.credits = module.declare_register(f"{name}_credits", self.bits)
        self.written = module.declare_register(f"{name}_written", self.bits)
        self.taken = module.declare_register(f"{name}_taken", self.bits)
        self.has_credit = module.compare("ne", self.credits, module.constant(0, self.bits))
        self.is_empty = module.compare("eq", self.written, self.taken)

    def emit(self) -> None:
        """The FIFO's memory, pointers, credits and ports."""
        assert self.push_enable and self.push_data
        module, bits = self.module, self.bits
        module.drive_register(
            self.written, module.binary("add", self.written, module.resize(self.push_enable, bits)), 0)
        readable = module.register(f"{self.name}_readable", self.written, 0)
        valid = module.compare("ne", readable, self.taken)
        leaves = module.logic("and", [valid, Wire(f"%{self.name}_ready", 1)])
        following = module.binary("add", self.taken, module.resize(leaves, bits))
        module.drive_register(self.taken, following, 0)
        self._drive_credits(leaves)
        module.output(f"{self.name}_valid", valid)
        module.output(f"{self.name}_data", self._memory(following))

    def _drive_credits(self, leaves: Wire) -> None:
        module, bits = self.module, self.bits
        assert self.issue is not None
        spent = module.binary("sub", self.credits, module.resize(self.issue, bits))
        following = module.binary("add", spent, module.resize(leaves, bits))
        module.drive_register(self.credits, following, self.depth)

    def _memory(self, following: Wire) -> Wire:
        module = self.module
        assert self.push_enable and self.push_data
        shape = f"<{self.depth} x {self.width}>"
        cells, data = f"%{self.name}_fifo", Wire(f"%{self.name}_fifo_data", self.width)
        index_bits = self.bits - 1
        module.lines.append(
            f'{cells} = seq.firmem 1, 1, undefined, undefined {{name = "{self.name}_fifo"}} : {shape}')
        read = module.extract(following, 0, index_bits)
        write = module.extract(self.written, 0, index_bits)
        module.lines.append(f"{data.name} = seq.firmem.read_port {cells}[{read.name}], clock %clk : {shape}")
        module.lines.append(f"seq.firmem.write_port {cells}[{write.name}] = {self.push_data.name}, "
                            f"clock %clk enable {self.push_enable.name} : {shape}")
        return data
