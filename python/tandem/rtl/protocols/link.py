# SPDX-License-Identifier: Apache-2.0
"""Links of words with a flag, one each way: Xilinx' Fast Simplex Link and AMBA AXI4-Stream, which
are one but for the names of their pins."""

from dataclasses import dataclass

from tandem.rtl.protocols.protocol import Protocol, Wire

_FRONT = """  // A FIFO each way. Words with the flag are for CONTROL: 3 has so many words sent, 4
  // has CONTROL. A word waits while the kernel runs, and while what was asked for is sent.
  reg  [32:0] given [0:15];
  reg  [32:0] sent [0:15];
  reg  [4:0]  given_first, given_end, sent_first, sent_end;
  reg  [23:0] owed;
  reg         is_fresh, is_last;
{pins}
  wire [4:0]  given_count = given_end - given_first;
  wire [4:0]  sent_count  = sent_end - sent_first;
  wire        room     = ~given_count[4];
  wire        exists   = sent_count != 5'd0;
  wire [32:0] head     = given[given_first[3:0]];
  wire [32:0] leaves   = sent[sent_first[3:0]];
  wire        can_send = sent_count + is_fresh < 5'd16;
  wire        asks     = head[32] & head[7:0] == 8'd4;
  wire        orders   = head[32] & head[7:0] == 8'd3;
  wire        sends    = ~running & owed != 24'd0 & can_send;
  wire        takes    = ~running & owed == 24'd0 & given_count != 5'd0 & (~asks | can_send);
  wire        reads    = sends | (takes & asks);
  wire        access   = sends | (takes & ~orders);
  wire        we       = ~reads;
  wire [1:0]  adr      = sends ? 2'd2 : {{1'b0, ~head[32]}};
  wire [31:0] dat_w    = head[31:0];
  wire [31:0] dat_r;
  always @(posedge clk) begin
    if (puts & room) given[given_end[3:0]] <= put;
    if (is_fresh) sent[sent_end[3:0]] <= {{is_last, dat_r}};
    is_fresh <= reads & ~reset;
    is_last  <= ~sends | owed == 24'd1;
    if (reset) begin
      given_first <= 5'd0;
      given_end   <= 5'd0;
      sent_first  <= 5'd0;
      sent_end    <= 5'd0;
      owed        <= 24'd0;
    end else begin
      given_first <= given_first + takes;
      given_end   <= given_end + (puts & room);
      sent_first  <= sent_first + (gets & exists);
      sent_end    <= sent_end + is_fresh;
      owed        <= (takes & orders) ? head[31:8] : owed - sends;
    end
  end
"""

_BRIDGE = """  // A store is done when its word is in the FIFO, a load when one has come. The first
  // load of CONTROL asks for it; loads read 0 until it has come.
  reg  has_asked;
{pins}
  wire we     = |lanes;
  wire is_control = address[3:2] == 2'd0;
  wire polls  = ~we & is_control;
  wire asks   = polls & ~has_asked;
  wire puts   = stb & (we | asks);
  wire gets   = stb & ~we & ~asks;
  wire [31:0] put = we ? dat_w : 32'd4;
  assign dat_r = (gets & exists) ? word : 32'b0;
  assign ack   = stb & (puts ? room : (polls | exists));
  always @(posedge clk)
    has_asked <= ~reset & ((stb & polls) ? (asks ? room : ~exists) : has_asked);
"""


@dataclass(frozen=True)
class _End:
    """Of an end, its inputs under the names that it has above, and its outputs."""

    inputs: str
    outputs: str

    def around(self, text: str) -> str:
        return text.replace("{pins}\n", self.inputs) + self.outputs


_FSL_FRONT = _End(
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
_FSL_BRIDGE = _End(
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
_STREAM_FRONT = _End(
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
_STREAM_BRIDGE = _End(
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


def _fsl(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"FSL_{name}", f"FSL_{name}", bits, None, is_selective)


def _to_shell(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"m_axis_{name}", f"s_axis_{name}", bits, None, is_selective)


def _to_core(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"s_axis_{name}", f"m_axis_{name}", bits, None, is_selective)


FSL = Protocol(
    "fsl",
    "Fast Simplex Links, one each way",
    (
        *(_fsl("M_Data", 32), _fsl("M_Control"), _fsl("M_Write", is_selective=True)),
        _fsl("S_Read", is_selective=True),
    ),
    (_fsl("M_Full"), _fsl("S_Data", 32), _fsl("S_Control"), _fsl("S_Exists")),
    _FSL_FRONT.around(_FRONT),
    _FSL_BRIDGE.around(_BRIDGE),
    is_link=True,
)
AXI4_STREAM = Protocol(
    "axi4-stream",
    "AMBA AXI4-Stream, one each way",
    (
        *(_to_shell("tdata", 32), _to_shell("tlast"), _to_shell("tvalid", is_selective=True)),
        _to_core("tready", is_selective=True),
    ),
    (_to_shell("tready"), _to_core("tdata", 32), _to_core("tlast"), _to_core("tvalid")),
    _STREAM_FRONT.around(_FRONT),
    _STREAM_BRIDGE.around(_BRIDGE),
    is_link=True,
)
