# SPDX-License-Identifier: Apache-2.0
"""What links of words with a flag, one each way, have in common: Xilinx' Fast Simplex Link and AMBA
AXI4-Stream are one but for the names of their pins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

FRONT = """  // A FIFO each way. Words with the flag are for CONTROL: 3 has so many words sent, 4
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

BRIDGE = """  // A store is done when its word is in the FIFO, a load when one has come. The first
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
class End:
    """Of an end, its inputs under the names that it has above, and its outputs."""

    inputs: str
    outputs: str

    def around(self, text: str) -> str:
        return text.replace("{pins}\n", self.inputs) + self.outputs


# Words and orders as they come, and a reader that takes its time.
_MASTER = Template("""
// What a driver sends to a shell, in any order; it asks for more than the FIFO holds too. A kernel
// starts with words in all of its arguments: one that waits for a stream's would wait forever.
struct Put { bool is_control; uint32_t word; };
static std::deque<Put> next;
static void start()
{
    for (uint32_t argument = 0; argument < 4; argument++) {
        next.push_back({true, 1 | argument << 8});
        for (int i = 0; i < 4; i++) next.push_back({false, random_word()});
    }
    next.push_back({true, 2});
}
static bool stands, is_control;
static uint32_t word;
static void give(row &now)
{
    if (!stands && happens(0)) {
        uint32_t kind = below(64);
        if (next.empty() && kind == 0) start();
        if (next.empty()) {
            uint32_t any = random_word() & ~255u;
            if (kind < 12) next.push_back({true, 1 | below(4) << 8 | any << 16});
            else if (kind < 20) next.push_back({true, 3 | below(below(4) ? 6 : 40) << 8});
            else if (kind < 24) next.push_back({true, 4 | any});
            else if (kind < 28) next.push_back({true, any});
            else next.push_back({false, random_word()});
        }
        stands = true, is_control = next[0].is_control, word = next[0].word;
        next.pop_front();
    }
    bool puts = stands && ($is_gated ? $room : true);
    bool takes = happens(1) && ($is_gated ? $exists : true);
    $puts = puts, $flag = is_control, $put = puts ? word : random_word(), $takes = takes;
    now.given[0] = puts | (puts && is_control) << 1 | takes << 2, now.given[1] = puts ? word : 0;
}
static void see(row &now)
{
    uint32_t room = $room, exists = $exists;
    now.said[0] = room | exists << 1 | (exists ? $last : 0) << 2, now.said[1] = exists ? $sent : 0;
    if ($puts && room) stands = false, transfers++;
    transfers += exists && $takes;
}
""")

_SLAVE = Template("""
static bool exists, last;
static uint32_t sent;
static void give(row &now)
{
    ask(now);
    bool room = happens(0);
    if (!exists && happens(1)) exists = true, last = below(2), sent = random_word();
    $set_room, $exists = exists, $last = last, $sent = sent;
    now.given[3] = room | exists << 1 | (exists && last) << 2, now.given[4] = exists ? sent : 0;
}
static void see(row &now)
{
    uint32_t puts = $puts, takes = $takes;
    now.said[0] = puts | (puts ? $flag : 0) << 1 | takes << 2, now.said[1] = puts ? $put : 0;
    if (takes) exists = false;
    heard(now);
}
""")


def master(pins: Mapping[str, str]) -> str:
    """Who talks to a front, by what its pins are called."""
    return _MASTER.substitute(pins)


def slave(pins: Mapping[str, str]) -> str:
    """Who talks to a bridge."""
    return _SLAVE.substitute(pins)
