# SPDX-License-Identifier: Apache-2.0
"""AMBA AXI4-Stream, one each way."""

from tandem.rtl.buses.link import BRIDGE, FRONT, End, master, slave
from tandem.rtl.buses.protocol import Protocol, Wire

_FRONT = End(
    """  wire        puts = s_axis_tvalid;
  wire        gets = m_axis_tready;
  wire [32:0] put  = {{s_axis_tlast, s_axis_tdata}};
""",
    """  assign s_axis_tready = room;
  assign m_axis_tvalid = exists;
  assign m_axis_tlast  = leaves[32];
  assign m_axis_tdata  = leaves[31:0];
""",
)
_BRIDGE = End(
    """  wire        room   = m_axis_tready;
  wire        exists = s_axis_tvalid;
  wire [31:0] word   = s_axis_tdata;
""",
    """  assign m_axis_tvalid = puts;
  assign m_axis_tlast  = is_control;
  assign m_axis_tdata  = put;
  assign s_axis_tready = gets;
""",
)


def _pins(to_shell: str, to_core: str) -> dict[str, str]:
    """By what an end has before its pins."""
    return {
        "is_gated": "false",
        "puts": f"model.{to_shell}_tvalid",
        "flag": f"model.{to_shell}_tlast",
        "put": f"model.{to_shell}_tdata",
        "room": f"model.{to_shell}_tready",
        "set_room": f"model.{to_shell}_tready = room",
        "exists": f"model.{to_core}_tvalid",
        "last": f"model.{to_core}_tlast",
        "sent": f"model.{to_core}_tdata",
        "takes": f"model.{to_core}_tready",
    }


def _to_shell(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"m_axis_{name}", f"s_axis_{name}", bits, None, is_selective)


def _to_core(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"s_axis_{name}", f"m_axis_{name}", bits, None, is_selective)


PROTOCOL = Protocol(
    "axi4-stream",
    70,
    "AMBA AXI4-Stream, one each way",
    (
        *(_to_shell("tdata", 32), _to_shell("tlast"), _to_shell("tvalid", is_selective=True)),
        _to_core("tready", is_selective=True),
    ),
    (_to_shell("tready"), _to_core("tdata", 32), _to_core("tlast"), _to_core("tvalid")),
    _FRONT.around(FRONT),
    _BRIDGE.around(BRIDGE),
    is_link=True,
    master=master(_pins("s_axis", "m_axis")),
    slave=slave(_pins("m_axis", "s_axis")),
)
