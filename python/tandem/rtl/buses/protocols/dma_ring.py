# SPDX-License-Identifier: Apache-2.0
"""A ring of descriptors in memory, whose words shells fetch themselves."""

from tandem.rtl.buses.protocol import Protocol, Wire

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


# The core with accesses and descriptors in any order, and memory that takes its time. Descriptors
# are what memory says that they are.
_MASTER = """
// A kernel starts with words in all of its arguments: one that waits for a stream's waits forever.
struct Order { uint32_t order, words; };
static std::deque<Order> orders;
static Order next_order()
{
    if (orders.empty()) {
        uint32_t kind = below(32), words = below(4) ? below(5) : below(30);
        if (kind == 0) {
            for (uint32_t one = 0; one < 4; one++) orders.push_back({1 | one << 8, 4});
            orders.push_back({2, random_word()});
        } else if (kind < 14) orders.push_back({1 | below(4) << 8, words});
        else if (kind < 26) orders.push_back({3 | below(4) << 8, words});
        else if (kind < 28) orders.push_back({(random_word() & ~255u) | below(4) << 4, words});
        else orders.push_back({1 | below(256) << 8, words});
    }
    Order one = orders.front();
    orders.pop_front();
    return one;
}
static bool stb, we, is_read;
static uint32_t adr, word;
static Order order;
// Descriptors; there may be no more than the register counts.
static uint64_t rung, begun;
static void give(row &now)
{
    if (!stb && happens(0)) {
        Write one = random_write();
        stb = true, we = below(2), word = one.word, adr = we ? one.offset : random_read();
        // The core starts nothing: see above.
        if (we && (adr & 12) == 0 && (word & 255) == 2) word = 1;
        if (below(4) == 0) {
            uint32_t count = rung - begun < 200 ? below(6) : 0;
            adr = 12, word = 0x1200 + (below(8) == 0) * 0x100 + count;
            rung += we ? count : 0;
        }
    }
    bool ready = model.m_valid && happens(1);
    uint32_t read = random_word(), place = model.m_adr;
    if (ready && !model.m_we && (place & ~0x1ffu) == 0x1200) {
        uint32_t part = place >> 2 & 3;
        if (part == 0) order = next_order(), read = order.order, begun++;
        if (part == 1) read = 0x40000000 | (random_word() >> 2);
        if (part == 2) read = order.words;
    }
    uint32_t elsewhere = stb ? 0 : random_word();
    model.s_stb = stb, model.s_we = stb ? we : elsewhere & 1;
    model.s_adr = (stb ? adr : elsewhere) >> 2 & 3, model.s_dat_w = stb ? word : elsewhere;
    model.m_ready = ready, model.m_dat_r = read;
    now.given[0] = stb | (stb && we) << 1 | ready << 2;
    if (stb) now.given[1] = adr;
    if (stb && we) now.given[2] = word;
    if (ready) now.given[3] = read;
}
static void see(row &now)
{
    bool ack = model.s_ack;
    now.said[0] = ack | model.m_valid << 1;
    now.said[1] = ack && is_read ? model.s_dat_r : 0;
    if (model.m_valid) {
        now.said[0] |= model.m_last << 2 | model.m_we << 3;
        now.said[2] = model.m_adr, now.said[3] = model.m_we ? model.m_dat_w : 0;
    }
    transfers += ack + (model.m_ready && model.m_valid);
    is_read = stb && !we;
    if (ack) stb = false;
}
"""

PROTOCOL = Protocol(
    "dma-ring",
    90,
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
    master=_MASTER,
)
