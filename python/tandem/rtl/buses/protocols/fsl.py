# SPDX-License-Identifier: Apache-2.0
"""Xilinx' Fast Simplex Link, one each way."""

from tandem.rtl.buses.link import BRIDGE, FRONT, End, master, slave
from tandem.rtl.buses.protocol import Protocol, Wire

_FRONT = End(
    """  wire        puts = FSL_M_Write;
  wire        gets = FSL_S_Read;
  wire [32:0] put  = {{FSL_M_Control, FSL_M_Data}};
""",
    """  assign FSL_M_Full    = ~room;
  assign FSL_S_Exists  = exists;
  assign FSL_S_Control = leaves[32];
  assign FSL_S_Data    = leaves[31:0];
""",
)
# A word is written only where there is room for it, as the FIFO would drop it.
_BRIDGE = End(
    """  wire        room   = ~FSL_M_Full;
  wire        exists = FSL_S_Exists;
  wire [31:0] word   = FSL_S_Data;
""",
    """  assign FSL_M_Write   = puts & room;
  assign FSL_M_Control = is_control;
  assign FSL_M_Data    = put;
  assign FSL_S_Read    = gets & exists;
""",
)
_PINS = {
    "is_gated": "true",
    "puts": "model.FSL_M_Write",
    "flag": "model.FSL_M_Control",
    "put": "model.FSL_M_Data",
    "room": "!model.FSL_M_Full",
    "set_room": "model.FSL_M_Full = !room",
    "exists": "model.FSL_S_Exists",
    "last": "model.FSL_S_Control",
    "sent": "model.FSL_S_Data",
    "takes": "model.FSL_S_Read",
}


def _fsl(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"FSL_{name}", f"FSL_{name}", bits, None, is_selective)


PROTOCOL = Protocol(
    "fsl",
    60,
    "Fast Simplex Links, one each way",
    (
        *(_fsl("M_Data", 32), _fsl("M_Control"), _fsl("M_Write", is_selective=True)),
        _fsl("S_Read", is_selective=True),
    ),
    (_fsl("M_Full"), _fsl("S_Data", 32), _fsl("S_Control"), _fsl("S_Exists")),
    _FRONT.around(FRONT),
    _BRIDGE.around(BRIDGE),
    is_link=True,
    master=master(_PINS),
    slave=slave(_PINS),
)
