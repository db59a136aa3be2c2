# SPDX-License-Identifier: Apache-2.0
"""A ring of descriptors in memory, whose words shells fetch themselves."""

from tandem.rtl.protocols.protocol import Protocol, Wire

_FRONT = """  // Descriptors of four words: order (1 gives, 2 starts, 3 takes; in bits 8 to 15
  // the argument), address, how many words, and one that is free. As long as some are left,
  // the kernel's arguments are the ring's.
  localparam ORDER = 3'd0, ADDRESS = 3'd1, WORDS = 3'd2, BEGIN = 3'd3, GIVE = 3'd4, TAKE = 3'd5,
             KEEP = 3'd6, STORE = 3'd7;
  reg  [23:0] ring;
  reg  [3:0]  slot;
  reg  [7:0]  left, read_left;
  reg  [2:0]  state;
  reg  [15:0] order;
  reg  [29:0] place;
  reg  [31:0] more, kept;
  reg         acknowledged, has_read;
  wire [31:0] dat_r;
  wire active   = left != 8'd0;
  wire asked    = s_stb & ~acknowledged;
  wire is_ring  = s_adr == 2'd3;
  wire rings    = asked & is_ring & s_we;
  wire by_core  = asked & ~is_ring & ~active;
  // What is done for a descriptor.
  wire can_begin = active & state == BEGIN & ~running;
  wire starts   = can_begin & order[7:0] == 8'd2;
  wire chooses  = can_begin & (order[7:0] == 8'd1 | order[7:0] == 8'd3);
  wire gives    = active & state == GIVE & m_ready;
  wire takes    = active & state == TAKE;
  wire stores   = active & state == STORE & m_ready;
  wire is_end   = more == 32'd1;
  wire finishes = (can_begin & (~chooses | more == 32'd0)) | ((gives | stores) & is_end);
  wire access   = active ? starts | chooses | gives | takes : by_core;
  wire we       = active ? ~takes : s_we;
  wire [1:0]  adr   = ~active ? s_adr : gives ? 2'd1 : takes ? 2'd2 : 2'd0;
  wire [31:0] dat_w = ~active ? s_dat_w : gives ? m_dat_r : starts ? 32'd2
                    : {{16'd0, order[15:8], 8'd1}};
  assign s_ack   = acknowledged;
  assign s_dat_r = has_read ? dat_r : {{24'd0, read_left}};
  assign m_valid = active & state != BEGIN & state != TAKE & state != KEEP;
  assign m_we    = state == STORE;
  assign m_last  = state == WORDS | state == STORE | (state == GIVE & is_end);
  assign m_adr   = state[2] ? {{place, 2'b0}} : {{ring, slot, state[1:0], 2'b0}};
  assign m_dat_w = kept;
  always @(posedge clk) begin
    acknowledged <= asked & ~reset;
    has_read     <= by_core & ~s_we & ~reset;
    read_left    <= (asked & is_ring & ~s_we) ? left : 8'd0;
    if (m_ready & m_valid) case (state)
      ORDER:   order <= m_dat_r[15:0];
      ADDRESS: place <= m_dat_r[31:2];
      WORDS:   more <= m_dat_r;
      default: begin
        place <= place + 1'b1;
        more <= more - 1'b1;
      end
    endcase
    if (state == KEEP) kept <= dat_r;
    if (rings) ring <= s_dat_w[31:8];
    if (reset) begin
      left  <= 8'd0;
      state <= ORDER;
    end else begin
      left <= left + (rings ? s_dat_w[7:0] : 8'd0) - finishes;
      if (finishes) state <= ORDER;
      else if (chooses) state <= order[1] ? TAKE : GIVE;
      else if (takes) state <= KEEP;
      else if (active & state == KEEP) state <= STORE;
      else if (stores) state <= TAKE;
      else if (m_valid & m_ready & ~state[2]) state <= state + 1'b1;
    end
    if (reset | (rings & ~active & ring != s_dat_w[31:8])) slot <= 4'd0;
    else slot <= slot + finishes;
  end
"""


def _at_core(name: str, bits: int = 1, at_slave: tuple[int, int] | None = None) -> Wire:
    return Wire(name, f"s_{name}", bits, at_slave, is_selective=name == "stb")


def _at_memory(name: str, bits: int = 1) -> Wire:
    return Wire(f"m_{name}", f"m_{name}", bits)


RING = Protocol(
    "dma-ring",
    "a bus of classic cycles, and master at a port of memory",
    (
        *(_at_core("stb"), _at_core("we"), _at_core("adr", 32, (3, 2)), _at_core("dat_w", 32)),
        *(_at_memory("ready"), _at_memory("dat_r", 32)),
    ),
    (
        *(_at_core("dat_r", 32), _at_core("ack"), _at_memory("valid"), _at_memory("we")),
        *(_at_memory("last"), _at_memory("adr", 32), _at_memory("dat_w", 32)),
    ),
    _FRONT,
    has_memory=True,
)
