# SPDX-License-Identifier: Apache-2.0
"""Wishbone B4, pipelined cycles, of whole words."""

from tandem.rtl.buses.protocol import Protocol, Wire

_FRONT = """  // A request is taken in each cycle, and answered in the next.
  reg  acknowledged, has_error;
  wire taken    = cyc & stb;
  wire [3:0] there = (we ? 4'b{writes} : 4'b{reads}) >> adr;
  wire is_there = there[0] & (~we | &sel);
  wire access   = taken & is_there;
  assign stall  = 1'b0;
  assign ack    = acknowledged;
  assign err    = has_error;
  always @(posedge clk) begin
    acknowledged <= access & ~reset;
    has_error    <= taken & ~is_there & ~reset;
  end
"""

_BRIDGE = """  // Strobes until the request is taken; the core asks for a word at a time.
  reg  is_taken;
  assign m_cyc   = stb;
  assign m_stb   = stb & ~is_taken;
  assign m_we    = |lanes;
  assign m_adr   = address;
  assign m_sel   = m_we ? lanes : 4'hf;
  assign m_dat_w = dat_w;
  assign dat_r   = m_err ? 32'b0 : m_dat_r;
  assign ack     = stb & (m_ack | m_err);
  always @(posedge clk) is_taken <= stb & ~ack & ~reset & (is_taken | ~m_stall);
"""


def _piped(
    name: str, bits: int = 1, at_slave: tuple[int, int] | None = None, is_selective: bool = False
) -> Wire:
    return Wire(f"m_{name}", name, bits, at_slave, is_selective)


_MASTER = """
// Many requests may be on their way in a cycle of the bus, which ends when all are answered.
static bool cyc, stb, we;
static uint32_t adr, word, lanes;
static std::deque<bool> waiting;  // whether each is read
static void give(row &now)
{
    if (!cyc && happens(0)) cyc = true;
    else if (cyc && !stb && waiting.empty() && !happens(1)) cyc = false;
    if (cyc && !stb && happens(2)) {
        Write one = random_write();
        stb = true, we = below(2), word = one.word;
        adr = we ? one.offset : random_read();
        lanes = we ? one.lanes : 15;
    }
    // Without a cycle nothing is asked, whatever the strobe says.
    bool strays = !cyc && below(4) == 0;
    uint32_t elsewhere = stb ? 0 : random_word();
    model.cyc = cyc, model.stb = stb || strays, model.we = stb ? we : elsewhere & 1;
    model.adr = (stb ? adr : elsewhere) >> 2 & 3, model.dat_w = stb ? word : elsewhere;
    model.sel = stb ? lanes : elsewhere & 15;
    now.given[0] = cyc;
    if (stb) now.given[0] |= 2 | we << 2 | lanes << 3, now.given[1] = adr;
    if (stb && we) now.given[2] = word;
}
static void see(row &now)
{
    now.said[0] = model.stall | model.ack << 1 | model.err << 2;
    bool answered = model.ack || model.err;
    now.said[1] = model.ack && waiting.front() ? model.dat_r : 0;
    if (answered) waiting.pop_front(), transfers++;
    if (stb && !model.stall) waiting.push_back(!we), stb = false;
}
"""

_SLAVE = """
static uint32_t waiting;
static void give(row &now)
{
    ask(now);
    bool answers = waiting && happens(0);
    uint32_t ack = answers && below(8), err = answers && !ack, stall = !happens(1);
    uint32_t data = ack ? random_word() : 0;
    model.m_stall = stall, model.m_ack = ack, model.m_err = err, model.m_dat_r = data;
    now.given[3] = stall | ack << 1 | err << 2, now.given[4] = data;
    waiting -= answers;
}
static void see(row &now)
{
    uint32_t stb = model.m_stb, we = model.m_we;
    now.said[0] = model.m_cyc;
    if (stb) now.said[0] |= 2 | we << 2 | model.m_sel << 3, now.said[1] = model.m_adr;
    if (stb && we) now.said[2] = model.m_dat_w;
    waiting += stb && model.m_cyc && !model.m_stall;
    heard(now);
}
"""

PROTOCOL = Protocol(
    "wishbone-pipelined",
    20,
    "Wishbone B4, pipelined cycles, of whole words",
    (
        *(_piped("cyc"), _piped("stb", is_selective=True), _piped("we")),
        *(_piped("adr", 32, (3, 2)), _piped("sel", 4), _piped("dat_w", 32)),
    ),
    (_piped("stall"), _piped("dat_r", 32), _piped("ack"), _piped("err")),
    _FRONT,
    _BRIDGE,
    master=_MASTER,
    slave=_SLAVE,
)
