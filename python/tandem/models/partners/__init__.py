# SPDX-License-Identifier: Apache-2.0
"""Who talks to the ends of a chip's buses when they are tried (tandem.models.buses): of each
protocol a master, at a shell's front, and a slave, at the core's bridge. In C++, and they do all
that the protocol allows, at random."""

from tandem.models.partners import axi4, axi4_lite, link, opb, pcpi, pipelined, ring
from tandem.rtl.protocols import AXI4, AXI4_LITE, AXI4_STREAM, FSL, OPB, PCPI, PIPELINED, RING

PARTNERS = {
    PIPELINED.name: (pipelined.MASTER, pipelined.SLAVE),
    AXI4_LITE.name: (axi4_lite.MASTER, axi4_lite.SLAVE),
    AXI4.name: (axi4.MASTER, axi4.SLAVE),
    OPB.name: (opb.MASTER, opb.SLAVE),
    FSL.name: link.FSL,
    AXI4_STREAM.name: link.AXI4_STREAM,
    PCPI.name: (pcpi.MASTER, ""),
    RING.name: (ring.MASTER, ""),
}
"""By the protocol's name: who talks to a front, and who to a bridge, if there is one."""
