# SPDX-License-Identifier: Apache-2.0
"""A kernel's ports and the protocols that they speak: the one description from which its Verilog,
the port map of its package and of its models, and its test benches are made. docs/verilog.md has
the table. `protocols` has a file each."""

from __future__ import annotations

from dataclasses import dataclass

from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.ir.names import spelled
from tandem.rtl.found import found
from tandem.rtl.keywords import CPLUSPLUS, MACROS, SYSTEMVERILOG
from tandem.rtl.ports import protocols
from tandem.rtl.ports.names import WHOLE_NAMES, signal_name
from tandem.rtl.ports.protocol import ELEMENT, Protocol

RESET_CYCLES = 2
"""How long whoever attaches a kernel resets it, at least."""


PROTOCOLS: dict[str, Protocol] = found(protocols, "PROTOCOL")
"""As the map of ports has them."""


@dataclass(frozen=True)
class Signal:
    """One port of the module. `argument`: its place in the manifest, None for a call's own."""

    name: str
    protocol: str
    role: str
    direction: str
    bits: int
    argument: int | None = None


def signals_of(kernel: Kernel) -> list[Signal]:
    """Every port, those of the call first and then by argument: models tell theirs in this
    order."""
    signals = _signals("call", "", ELEMENT, None)
    for place, argument in enumerate(kernel.arguments):
        for protocol in protocols_of(kernel, argument):
            signals += _signals(protocol, stem_of(argument), _bits(argument), place)
    return signals


def protocols_of(kernel: Kernel, argument: Argument) -> list[str]:
    """What an argument's ports speak; nothing where it has none."""
    spoken = [name for name, row in PROTOCOLS.items() if row.speaks(kernel, argument)]
    others = {other for name in spoken for other in PROTOCOLS[name].in_place_of}
    return [name for name in spoken if name not in others]


def stem_of(argument: Argument) -> str:
    """What the ports of an argument begin with."""
    if argument.is_result:
        return "result"
    return argument.memory.name if argument.memory is not None else port_name(argument.name)


def _bits(argument: Argument) -> int:
    return argument.memory.element_bits if argument.memory is not None else argument.width


def _signals(protocol: str, stem: str, element_bits: int, argument: int | None) -> list[Signal]:
    spoken = PROTOCOLS[protocol]
    ways = [(role, "in", bits) for role, bits in spoken.inputs.items()]
    ways += [(role, "out", bits) for role, bits in spoken.outputs.items()]
    return [
        Signal(signal_name(stem, role), protocol, role, way, bits or element_bits, argument)
        for role, way, bits in ways
    ]


RESERVED = frozenset(s.name for s in _signals("call", "", ELEMENT, None)) | {"result", "finished"}
ROLES = frozenset(
    role
    for name, spoken in PROTOCOLS.items()
    for role in (*spoken.inputs, *spoken.outputs)
    if name != "call" and role not in WHOLE_NAMES
)
"""Those that follow the name of an array."""
_ENDS = tuple(sorted({f"_{role.rpartition('_')[2]}" for role in ROLES} | {"_"}))


def port_name(argument: str) -> str:
    """The port of a scalar or block argument: its name, spelled out and unless it is taken."""
    name = spelled(argument)
    taken = name in RESERVED | SYSTEMVERILOG | CPLUSPLUS | MACROS or name.endswith(_ENDS)
    return f"{name}_" if taken else name
