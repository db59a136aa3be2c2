# SPDX-License-Identifier: Apache-2.0
"""The protocols of a chip's buses (docs/chips.md): their pins, and the Verilog of both ends, of
which tandem.rtl.bus makes modules. They take the cycles of engine/src/chip/bus.

A front gives a device `access`, high for one cycle, with `we`, `adr` (which of four words) and
`dat_w`; the device drives `dat_r` in the cycle behind. A bridge has a request of the core's, `stb`
with `lanes` (0: a word is read), `address` and `dat_w`, until it says `ack`."""

from tandem.rtl.protocols.axi4 import AXI4
from tandem.rtl.protocols.axi4_lite import AXI4_LITE
from tandem.rtl.protocols.link import AXI4_STREAM, FSL
from tandem.rtl.protocols.opb import OPB
from tandem.rtl.protocols.pcpi import PCPI
from tandem.rtl.protocols.ring import RING
from tandem.rtl.protocols.wishbone import CLASSIC, PIPELINED

_ALL = (CLASSIC, PIPELINED, AXI4_LITE, AXI4, OPB, FSL, AXI4_STREAM, PCPI, RING)
PROTOCOLS = {one.name: one for one in _ALL}
"""By their names in a chip's file."""
WISHBONE = CLASSIC.name
"""What the core's port speaks itself."""
OTHERS = tuple(name for name in PROTOCOLS if name != WISHBONE)
"""All but that."""
BRIDGED = tuple(name for name, one in PROTOCOLS.items() if one.bridge)
"""Those with a bridge."""
