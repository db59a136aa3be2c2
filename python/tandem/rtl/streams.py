# SPDX-License-Identifier: Apache-2.0
"""The FIFOs behind output streams and between processes.

What a block gives finds room when it comes, so that a pipeline never has to stop. Behind an output
stream an iteration starts only with a credit, and gives it back when its record has left the FIFO.
Between processes it starts only if there is room for what is on its way already and for its own
record.
"""

from __future__ import annotations

from tandem.rtl.ports.names import signal_name
from tandem.rtl.text import Module, Stage, Wire


class Counter:
    """Counts up and down; whether it is zero is a register of its own, not a comparison."""

    def __init__(self, module: Module, name: str, bits: int, start: int) -> None:
        self.module = module
        self.start = start
        self.value = module.declare_register(name, bits)
        self.some = module.declare_register(f"{name}_some", 1)

    def of_fifo(self, name: str) -> Counter:
        """The same, as a FIFO's."""
        for register in (self.value, self.some):
            of_fifo(self.module, register, name)
        return self

    def drive(self, up: Wire, down: Wire, clear: Wire | None = None) -> None:
        """Connects what makes it count; both at once leave it as it is, and `clear` makes it zero.
        The sums depend on the count alone: `up` and `down` may come late and only choose."""
        module, bits = self.module, self.value.width
        one = module.constant(1, bits)
        more, fewer = (module.binary(kind, self.value, one) for kind in ("add", "sub"))
        stepped = module.mux(up, more, fewer)
        module.drive_cleared(
            self.value, module.logic("xor", [up, down]), stepped, clear, self.start
        )
        is_one = module.compare("eq", self.value, module.constant(1, bits))
        empties = module.logic("and", [down, is_one])
        stays = module.logic("and", [self.some, module.invert(empties)])
        some = module.logic("or", [up, stays])
        if clear is not None:
            some = module.logic("and", [some, module.invert(clear)])
        module.drive_register(self.some, some, int(self.start > 0))


def of_fifo(module: Module, register: Wire, name: str) -> Wire:
    """A register of a FIFO's."""
    module.of_scope(register, f"streams.{name}")
    return module.of_stage(register, Stage(-1, 0, f"FIFO of {name}"))


class _Fifo:
    """What all FIFOs have: a memory, a pointer at each end, and how many records there are."""

    def __init__(self, module: Module, name: str, width: int, depth: int) -> None:
        self.module = module
        self.name = name
        self.width = width
        self.depth = depth
        held = Counter(module, f"{name}_held", depth.bit_length(), 0)
        self.held = held.of_fifo(name)

    def _pointer(self, name: str, advance: Wire, clear: Wire | None = None) -> Wire:
        module, bits = self.module, max(1, self.depth.bit_length() - 1)
        pointer = module.declare_register(f"{self.name}_{name}", bits)
        of_fifo(module, pointer, self.name)
        following = module.binary("add", pointer, module.constant(1, bits))
        module.drive_cleared(pointer, advance, following, clear, 0)
        return pointer

    def _memory(self, written: Wire, taken: Wire, enable: Wire, record: Wire) -> Wire:
        """What is at the place `taken`; the wire has the name that readers know."""
        module = self.module
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
            f"seq.firmem.write_port {cells}[{written.name}] = {record.name}, "
            f"clock %clk enable {enable.name} : {shape}"
        )
        return data


class Fifo(_Fifo):
    """Between two processes. What takes and gives records is added by others."""

    def __init__(self, module: Module, name: str, width: int, depth: int) -> None:
        super().__init__(module, name, width, depth)
        self.has_record = self.held.some
        self.record = Wire(f"%{name}_fifo_data", width)
        self.taken: list[Wire] = []
        """Wires that each say that a record is taken."""
        self.given: list[tuple[Wire, Wire]] = []
        """(enable, record) of each push."""

    def has_room(self, on_its_way: int) -> Wire:
        """Whether there is room for one more record than are on their way at most."""
        limit = self.module.constant(self.depth - on_its_way, self.held.value.width)
        return self.module.compare("ult", self.held.value, limit)

    def emit(self, clear: Wire) -> None:
        """Connects it; `clear` leaves it empty."""
        module = self.module
        taken = module.logic("or", self.taken)
        given = module.logic("or", [enable for enable, _ in self.given])
        self.held.drive(given, taken, clear)
        places = (
            self._pointer("written", given, clear),
            self._pointer("taken", taken, clear),
        )
        self._memory(*places, given, module.choose(self.given))


class OutputFifo(_Fifo):
    """One stream's FIFO. `issue` (an iteration starts) and the push are connected by others."""

    def __init__(self, module: Module, name: str, width: int, depth: int) -> None:
        super().__init__(module, name, width, depth)
        self.issue: Wire | None = None
        self.push_enable: Wire | None = None
        self.push_data: Wire | None = None
        credits = Counter(module, f"{name}_credits", depth.bit_length(), depth)
        self.credits = credits.of_fifo(name)
        self.has_credit = self.credits.some
        self.is_empty = module.invert(self.held.some)

    def emit(self) -> None:
        """The FIFO's memory, pointers, credits and ports."""
        assert self.push_enable and self.push_data and self.issue
        module = self.module
        leaves = module.logic(
            "and",
            [self.held.some, Wire(f"%{signal_name(self.name, 'ready')}", 1)],
            f"{self.name}_leaves",
        )
        self.held.drive(self.push_enable, leaves)
        returned = module.register(f"{self.name}_returned", leaves, 0)
        self.credits.drive(of_fifo(module, returned, self.name), self.issue)
        written = self._pointer("written", self.push_enable)
        taken = self._pointer("taken", leaves)
        module.output(signal_name(self.name, "valid"), self.held.some)
        data = self._memory(written, taken, self.push_enable, self.push_data)
        module.output(signal_name(self.name, "data"), data)
