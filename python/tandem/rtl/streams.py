# SPDX-License-Identifier: Apache-2.0
"""The FIFO behind an output stream.

An iteration starts only with a credit, and gives it back when its record has left the FIFO: so
whatever is on its way finds room, and the pipeline never has to stop.
"""

from __future__ import annotations

from tandem.rtl.text import Module, Wire

PUSH_TO_VALID_CYCLES = 1
"""A record pushed in cycle t is offered in cycle t + 1: the FIFO lies in look-up table memory,
which answers in the cycle it is asked, and much sooner after the clock than block RAM does."""
CREDIT_RETURN_CYCLES = 2
"""When a record leaves in cycle t, an iteration can start with its credit in cycle t + 2: a
register lies between, so that the receiver's `ready` does not reach the issue logic."""


def fifo_depth(push_cycle: int) -> int:
    """The least power of two that never makes a pipeline wait for credits: one for each iteration
    between its start and the return of its credit."""
    needed = push_cycle + PUSH_TO_VALID_CYCLES + CREDIT_RETURN_CYCLES
    return 1 << (needed - 1).bit_length()


class Counter:
    """Counts up and down; whether it is zero is a register of its own, not a comparison."""

    def __init__(self, module: Module, name: str, bits: int, start: int) -> None:
        self.module = module
        self.start = start
        self.value = module.declare_register(name, bits)
        self.some = module.declare_register(f"{name}_some", 1)

    def drive(self, up: Wire, down: Wire) -> None:
        """Connects what makes it count; both at once leave it as it is. The sums depend on the
        count alone: `up` and `down` may come late and only choose."""
        module, bits = self.module, self.value.width
        one = module.constant(1, bits)
        more, fewer = (module.binary(kind, self.value, one) for kind in ("add", "sub"))
        stepped = module.mux(up, more, fewer)
        changes = module.logic("xor", [up, down])
        module.drive_register(self.value, module.mux(changes, stepped, self.value), self.start)
        is_one = module.compare("eq", self.value, module.constant(1, bits))
        empties = module.logic("and", [down, is_one])
        stays = module.logic("and", [self.some, module.invert(empties)])
        module.drive_register(self.some, module.logic("or", [up, stays]), int(self.start > 0))


class OutputFifo:
    """One stream's FIFO. `issue` (an iteration starts) and the push are connected by others."""

    def __init__(self, module: Module, name: str, width: int, depth: int) -> None:
        self.module = module
        self.name = name
        self.width = width
        self.depth = depth
        self.issue: Wire | None = None
        self.push_enable: Wire | None = None
        self.push_data: Wire | None = None
        bits = depth.bit_length()
        self.credits = Counter(module, f"{name}_credits", bits, depth)
        self.held = Counter(module, f"{name}_held", bits, 0)
        self.has_credit = self.credits.some
        self.is_empty = module.invert(self.held.some)

    def emit(self) -> None:
        """The FIFO's memory, pointers, credits and ports."""
        assert self.push_enable and self.push_data and self.issue
        module = self.module
        leaves = module.logic("and", [self.held.some, Wire(f"%{self.name}_ready", 1)])
        self.held.drive(self.push_enable, leaves)
        self.credits.drive(module.register(f"{self.name}_returned", leaves, 0), self.issue)
        written = self._pointer("written", self.push_enable)
        taken = self._pointer("taken", leaves)
        module.output(f"{self.name}_valid", self.held.some)
        module.output(f"{self.name}_data", self._memory(written, taken))

    def _pointer(self, name: str, advance: Wire) -> Wire:
        module, bits = self.module, max(1, self.depth.bit_length() - 1)
        pointer = module.declare_register(f"{self.name}_{name}", bits)
        following = module.binary("add", pointer, module.constant(1, bits))
        module.drive_register(pointer, module.mux(advance, following, pointer), 0)
        return pointer

    def _memory(self, written: Wire, taken: Wire) -> Wire:
        module = self.module
        assert self.push_enable and self.push_data
        shape = f"<{self.depth} x {self.width}>"
        cells, data = f"%{self.name}_fifo", Wire(f"%{self.name}_fifo_data", self.width)
        module.lines.append(
            f"{cells} = seq.firmem 0, 1, undefined, undefined "
            f'{{name = "{module.name}${self.name}_fifo"}} : {shape}'
        )
        module.lines.append(
            f"{data.name} = seq.firmem.read_port {cells}[{taken.name}], clock %clk : {shape}"
        )
        module.lines.append(
            f"seq.firmem.write_port {cells}[{written.name}] = {self.push_data.name}, "
            f"clock %clk enable {self.push_enable.name} : {shape}"
        )
        return data
