# SPDX-License-Identifier: Apache-2.0
"""The protocols of a chip's buses as Verilog (docs/chips.md): of each the front before a device's
registers. They take the cycles of engine/src/chip/bus.

A front gives a device `access`, high for one cycle, with `we`, `adr` (which of four words) and
`dat_w`; the device drives `dat_r` in the cycle behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WISHBONE = "wishbone"


@dataclass(frozen=True)
class Wire:
    """What a bus and its ends have by one name, so many bits. `at_device`: the highest and the
    lowest bit that a device gets, if not all; `is_selective`: whether only the device that is asked
    sees it high."""

    name: str
    bits: int = 1
    at_device: tuple[int, int] | None = None
    is_selective: bool = False


@dataclass(frozen=True)
class Protocol:
    """A protocol: its name in files, its title for people, what masters and slaves say, the
    Verilog of a front, and what begins the names of its pins."""

    name: str
    title: str
    down: Sequence[Wire]
    up: Sequence[Wire]
    front: str
    of_slave: str = ""


_WISHBONE_FRONT = """  reg  acknowledged;
  wire access = cyc & stb & ~acknowledged;
  assign ack  = acknowledged;
  always @(posedge clk) acknowledged <= access & ~reset;
"""

PROTOCOLS = {
    one.name: one
    for one in (
        Protocol(
            WISHBONE,
            "Wishbone B4, classic cycles with registered feedback, of whole words",
            (
                *(Wire("cyc"), Wire("stb", is_selective=True), Wire("we")),
                *(Wire("adr", 32, (3, 2)), Wire("dat_w", 32)),
            ),
            (Wire("dat_r", 32), Wire("ack")),
            _WISHBONE_FRONT,
        ),
    )
}
"""By their names in a chip's file."""


def front_ports(protocol: str) -> str:
    """What a device has in its list of ports, behind clock and reset."""
    said = PROTOCOLS[protocol]
    down = (_port("input", said.of_slave, wire, at_device=True) for wire in said.down)
    return ",\n".join([*down, *(_port("output", said.of_slave, wire) for wire in said.up)])


def front(protocol: str, reads: int, writes: int) -> str:
    """What a device has before its registers. `reads`, `writes`: of its four words a bit each,
    whether there is something to be read or written."""
    return PROTOCOLS[protocol].front.format(reads=f"{reads:04b}", writes=f"{writes:04b}")


def _port(direction: str, begin: str, wire: Wire, at_device: bool = False) -> str:
    first, last = wire.at_device if at_device and wire.at_device else (wire.bits - 1, 0)
    bits = f"[{first - last}:0]" if first > last else ""
    return f"  {direction:6} {bits:6} {begin}{wire.name}"
