# SPDX-License-Identifier: Apache-2.0
"""Wishbone B4, classic cycles: what the core's port speaks itself, of whole words."""

from tandem.rtl.buses.protocol import Protocol, Wire

_FRONT = """  reg  acknowledged;
  wire access = cyc & stb & ~acknowledged;
  assign ack  = acknowledged;
  always @(posedge clk) acknowledged <= access & ~reset;
"""


def _both(name: str, bits: int = 1) -> Wire:
    """A wire with one name for all."""
    return Wire(name, name, bits)


PROTOCOL = Protocol(
    "wishbone",
    10,
    "Wishbone B4, classic cycles with registered feedback, of whole words",
    (
        *(_both("cyc"), Wire("stb", "stb", is_selective=True), _both("we")),
        *(Wire("adr", "adr", 32, (3, 2)), _both("dat_w", 32)),
    ),
    (_both("dat_r", 32), _both("ack")),
    _FRONT,
)
