# SPDX-License-Identifier: Apache-2.0
"""The protocols of a chip's buses (docs/chips.md): their pins, and the Verilog of both ends, of
which tandem.rtl.bus makes modules. They take the cycles of engine/src/chip/bus.

A front gives a device `access`, high for one cycle, with `we`, `adr` (which of four words) and
`dat_w`; the device drives `dat_r` in the cycle behind. A bridge has a request of the core's, `stb`
with `lanes` (0: a word is read), `address` and `dat_w`, until it says `ack`."""

from tandem.rtl.buses import protocols
from tandem.rtl.buses.protocol import Protocol
from tandem.rtl.buses.protocols import wishbone
from tandem.rtl.found import found

PROTOCOLS: dict[str, Protocol] = found(protocols, "PROTOCOL")
"""By their names in a chip's file."""
WISHBONE = wishbone.PROTOCOL.name
"""What the core's port speaks itself."""
OTHERS = tuple(name for name in PROTOCOLS if name != WISHBONE)
"""All but that."""
BRIDGED = tuple(name for name, one in PROTOCOLS.items() if one.bridge)
"""Those with a bridge."""
