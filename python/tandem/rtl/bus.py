# SPDX-License-Identifier: Apache-2.0
"""The ends of a chip's buses, and what is between them, as Verilog: of each protocol
(rtl/buses) the front before a device's registers, the bridge at the core's port, and the
wires."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tandem.rtl.buses import PROTOCOLS
from tandem.rtl.buses.protocol import Protocol, Wire


def front_ports(protocol: str) -> str:
    """What a device has in its list of ports, behind clock and reset."""
    said = PROTOCOLS[protocol]
    down = (_port("input", wire.slave, _slave_bits(wire)) for wire in said.down)
    return ",\n".join([*down, *(_port("output", wire.slave, wire.bits) for wire in said.up)])


def _slave_bits(wire: Wire) -> int:
    first, last = wire.at_slave or (wire.bits - 1, 0)
    return first - last + 1


def front(protocol: str, reads: int, writes: int) -> str:
    """What a device has before its registers. `reads`, `writes`: of its four words a bit each,
    whether there is something to be read or written."""
    return PROTOCOLS[protocol].front.format(reads=f"{reads:04b}", writes=f"{writes:04b}")


def bridge(protocol: str) -> str:
    """The module of a bridge."""
    said = PROTOCOLS[protocol]
    pins = [_port("output", wire.master, wire.bits) for wire in said.down]
    pins += [_port("input", wire.master, wire.bits) for wire in said.up if wire.master]
    pins += [_port("output", name, 1) for name in said.asked]
    pins += [_port("input", name, 1) for name in said.granted]
    ports = ",\n".join(pins)
    return f"""
// From the core's port to {said.title}.
module {said.module} (
  input         clk, reset, stb,
  input  [3:0]  lanes,
  input  [31:0] address, dat_w,
  output [31:0] dat_r,
  output        ack,
{ports}
);
{said.bridge}endmodule
"""


def _port(direction: str, name: str, bits: int) -> str:
    return f"  {direction:6} {_bits(bits)} {name}"


def _bits(bits: int) -> str:
    return f"{f'[{bits - 1}:0]' if bits > 1 else '':6}"


@dataclass(frozen=True)
class Tap:
    """A device on a bus: what its instance is called, and the condition that it is asked."""

    name: str
    is_asked: str


def bus_wires(protocol: str, name: str, taps: Sequence[Tap]) -> str:
    """The wires of a bus, and of each of its devices; the bus hears the one that is asked."""
    return "".join(_wires(PROTOCOLS[protocol], name, taps))


def _wires(said: Protocol, name: str, taps: Sequence[Tap]) -> Iterator[str]:
    for wire in said.down:
        yield f"  wire {_bits(wire.bits)} {name}_{wire.master};\n"
    for pin in said.asked:
        yield f"  wire        {name}_{pin};\n"
    for tap in taps:
        yield f"  wire        {tap.name}_asked = {tap.is_asked};\n"
        for wire in said.up:
            yield f"  wire {_bits(wire.bits)} {tap.name}_{wire.slave};\n"
    for wire in said.up:
        if wire.master:
            mask = f"{{{wire.bits}{{%s_asked}}}} & %s_{wire.slave}"
            heard = " | ".join(f"({mask % (tap.name, tap.name)})" for tap in taps)
            yield f"  wire {_bits(wire.bits)} {name}_{wire.master} = {heard};\n"


def master_pins(protocol: str, name: str) -> str:
    """A bridge's connections to the wires of a bus, on which it is the only master."""
    said = PROTOCOLS[protocol]
    pins = [wire.master for wire in (*said.down, *said.up) if wire.master]
    rows = [f".{pin}({name}_{pin})" for pin in (*pins, *said.asked)]
    own = {pin: f"{name}_{pin}" for pin in said.asked}
    return _folded([*rows, *(f".{pin}({own.get(to, to)})" for pin, to in said.granted.items())])


def slave_pins(protocol: str, name: str, tap: str) -> str:
    """A device's connections to them."""
    said = PROTOCOLS[protocol]
    rows = [f".{wire.slave}({_given(wire, name, tap)})" for wire in said.down]
    return _folded([*rows, *(f".{wire.slave}({tap}_{wire.slave})" for wire in said.up)])


def _given(wire: Wire, name: str, tap: str) -> str:
    part = "[{}:{}]".format(*wire.at_slave) if wire.at_slave else ""
    return f"{name}_{wire.master}{part}" + (f" & {tap}_asked" if wire.is_selective else "")


def _folded(rows: Sequence[str], of_a_line: int = 3) -> str:
    lines = [", ".join(rows[i : i + of_a_line]) for i in range(0, len(rows), of_a_line)]
    return ",\n     ".join(lines)
