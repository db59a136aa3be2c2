# SPDX-License-Identifier: Apache-2.0
"""Both ends of a chip's buses as Verilog beside the engine's (engine/src/chip/bus): a random
partner in C++ talks to the Verilog, and what stood at its pins in each cycle goes through the
engine's end."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError
from tandem.host.engine import c_interface
from tandem.models.verilator import CLASS, Compiler, link_model, verilate
from tandem.rtl.bus import bridge
from tandem.rtl.protocols import AXI4_LITE, OPB, PIPELINED, PROTOCOLS

ROW_BYTES = 48
"""Of `TandemPins` of tandem.h."""

_COMMON = """
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
struct row { uint32_t given[6], said[6]; };
static Model model;
static std::mt19937 source;
static uint64_t transfers;
static uint32_t random_word() { return source(); }
static uint32_t below(uint32_t end) { return random_word() % end; }
// How often something happens, in 64ths: another rate now and then, so that each of two that meet
// is sometimes the slower one.
static uint32_t rates[8];
static bool happens(int what) { return below(64) < rates[what]; }
static void change_rates()
{
    static const uint32_t known[] = {2, 8, 24, 48, 63, 64, 64};
    if (below(128) == 0) for (auto &rate : rates) rate = known[below(7)];
}
static void half(int clk) { model.clk = clk; model.eval(); }
static void give(row &now);  // sets the inputs of a cycle
static void see(row &now);   // takes the outputs
int main(int, char **words)
{
    const uint64_t wanted = strtoull(words[1], nullptr, 10);
    source.seed(strtoul(words[2], nullptr, 10));
    for (auto &rate : rates) rate = 64;
    row now = {};
    model.reset = 1;
    for (int i = 0; i < 4; i++) half(0), half(1);
    model.reset = 0;
    while (transfers < wanted) {
        change_rates();
        now = {};
        give(now);
        half(0);
        see(now);
        half(1);
        fwrite(&now, sizeof now, 1, stdout);
    }
}
"""

_MASTER = """
// What a driver does with a shell, in any order, and what it should not: parts of words, and words
// that are not there.
struct Write { uint32_t offset, word, lanes; };
static Write random_write()
{
    uint32_t lanes = below(16) ? 15 : below(16), kind = below(16);
    if (kind < 3) return {0, 1 | below(4) << 8 | random_word() << 16, lanes};
    if (kind < 4) return {0, 2, lanes};
    if (kind < 14) return {4, random_word(), lanes};
    return {below(4) * 4 + below(4), random_word(), lanes};
}
static uint32_t random_read()
{
    uint32_t kind = below(8);
    return kind < 4 ? 8 : kind < 7 ? 0 : below(16);
}
"""

_SLAVE = """
// The core's port: a request stands until it is acknowledged.
static bool stands;
static uint32_t lanes, address, word;
static void ask(row &now)
{
    if (!stands && happens(7)) {
        stands = true, address = random_word(), word = random_word();
        lanes = below(2) ? 0 : below(8) ? 15 : below(16);
    }
    model.stb = stands, model.lanes = lanes, model.address = address, model.dat_w = word;
    now.given[0] = stands | lanes << 1, now.given[1] = address, now.given[2] = word;
}
static void heard(row &now)
{
    now.said[4] = model.ack, now.said[5] = model.ack && !lanes ? model.dat_r : 0;
    if (model.ack) stands = false, transfers++;
}
"""

_AXI4_LITE_MASTER = """
// The first address and the first word belong together, and so on; either may be first.
static std::deque<Write> addresses, words;
static Write next_of(std::deque<Write> &own, std::deque<Write> &others)
{
    if (own.empty()) own.push_back(random_write()), others.push_back(own.back());
    Write one = own.front();
    own.pop_front();
    return one;
}
static bool aw, w, ar;
static uint32_t awaddr, wdata, wstrb, araddr;
static void give(row &now)
{
    if (!aw && happens(0)) aw = true, awaddr = next_of(addresses, words).offset;
    if (!w && happens(1)) {
        Write one = next_of(words, addresses);
        w = true, wdata = one.word, wstrb = one.lanes;
    }
    if (!ar && happens(2)) ar = true, araddr = random_read();
    bool bready = happens(3), rready = happens(4);
    model.s_axi_awvalid = aw, model.s_axi_awaddr = awaddr;
    model.s_axi_wvalid = w, model.s_axi_wdata = wdata, model.s_axi_wstrb = wstrb;
    model.s_axi_arvalid = ar, model.s_axi_araddr = araddr;
    model.s_axi_bready = bready, model.s_axi_rready = rready;
    now.given[0] = aw | w << 1 | ar << 2 | bready << 3 | rready << 4 | (w ? wstrb : 0) << 5;
    now.given[1] = aw ? awaddr : 0, now.given[2] = w ? wdata : 0, now.given[3] = ar ? araddr : 0;
}
static void see(row &now)
{
    uint32_t bvalid = model.s_axi_bvalid, rvalid = model.s_axi_rvalid;
    now.said[0] = model.s_axi_awready | model.s_axi_wready << 1 | model.s_axi_arready << 2
        | bvalid << 3 | rvalid << 4 | (bvalid ? model.s_axi_bresp : 0) << 5
        | (rvalid ? model.s_axi_rresp : 0) << 7;
    now.said[1] = rvalid ? model.s_axi_rdata : 0;
    if (model.s_axi_awready) aw = false;
    if (model.s_axi_wready) w = false;
    if (model.s_axi_arready) ar = false;
    transfers += (bvalid && model.s_axi_bready) + (rvalid && model.s_axi_rready);
}
"""

_AXI4_LITE_SLAVE = """
static bool awready, wready, arready, bvalid, rvalid;
static uint32_t bresp, rdata, rresp;
static int addresses, words, reads;
static void give(row &now)
{
    ask(now);
    awready = happens(0), wready = happens(1), arready = happens(2);
    if (!bvalid && addresses && words && happens(3)) {
        bvalid = true, bresp = below(2) * 2;
        addresses--, words--;
    }
    if (!rvalid && reads && happens(4)) {
        rvalid = true, rdata = random_word(), rresp = below(2) * 2;
        reads--;
    }
    model.m_axi_awready = awready, model.m_axi_wready = wready, model.m_axi_arready = arready;
    model.m_axi_bvalid = bvalid, model.m_axi_bresp = bresp;
    model.m_axi_rvalid = rvalid, model.m_axi_rdata = rdata, model.m_axi_rresp = rresp;
    now.given[3] = awready | wready << 1 | arready << 2 | bvalid << 3 | rvalid << 4
        | (bvalid ? bresp : 0) << 5 | (rvalid ? rresp : 0) << 7;
    now.given[4] = rvalid ? rdata : 0;
}
static void see(row &now)
{
    uint32_t aw = model.m_axi_awvalid, w = model.m_axi_wvalid, ar = model.m_axi_arvalid;
    now.said[0] = aw | w << 1 | ar << 2 | model.m_axi_bready << 3 | model.m_axi_rready << 4
        | (w ? model.m_axi_wstrb : 0) << 5;
    now.said[1] = aw ? model.m_axi_awaddr : 0, now.said[2] = w ? model.m_axi_wdata : 0;
    now.said[3] = ar ? model.m_axi_araddr : 0;
    addresses += aw && awready, words += w && wready, reads += ar && arready;
    if (model.m_axi_bready) bvalid = false;
    if (model.m_axi_rready) rvalid = false;
    heard(now);
}
"""

_OPB_MASTER = """
static bool selected, is_read;
static uint32_t address, word, lanes;
static void give(row &now)
{
    if (!selected && happens(0)) {
        Write one = random_write();
        selected = true, is_read = below(2);
        address = is_read ? random_read() : one.offset, word = one.word;
        lanes = is_read ? 15 : one.lanes;
        address |= random_word() << 4;
    }
    // Others talk meanwhile.
    uint32_t elsewhere = selected ? 0 : random_word();
    model.OPB_select = selected, model.OPB_RNW = selected ? is_read : elsewhere & 1;
    model.OPB_ABus = selected ? address : elsewhere, model.OPB_DBus = selected ? word : elsewhere;
    model.OPB_BE = selected ? lanes : elsewhere & 15, model.OPB_seqAddr = 0;
    if (selected) now.given[0] = 1 | is_read << 1 | lanes << 3, now.given[1] = address;
    if (selected && !is_read) now.given[2] = word;
}
static void see(row &now)
{
    bool ack = model.Sln_xferAck;
    now.said[0] = ack | model.Sln_errAck << 1 | model.Sln_retry << 2;
    now.said[1] = model.Sln_DBus;
    if (ack) selected = false, transfers++;
}
"""

_OPB_SLAVE = """
static uint32_t selected;
static void give(row &now)
{
    ask(now);
    bool answers = selected && happens(0);
    uint32_t ack = answers && below(8), error = ack && !below(8);
    uint32_t retry = answers && !ack && below(4), timeout = answers && !ack && !retry;
    // Who gets the bus is not known before the request is.
    uint32_t grant = happens(1), data = ack ? random_word() : 0;
    model.OPB_xferAck = ack, model.OPB_errAck = error, model.OPB_retry = retry;
    model.OPB_timeout = timeout, model.OPB_DBus = data, model.OPB_MnGrant = grant;
    now.given[3] = ack | error << 1 | retry << 2 | timeout << 3 | grant << 4;
    now.given[4] = data;
}
static void see(row &now)
{
    selected = model.Mn_select;
    now.said[0] = selected | model.Mn_RNW << 1 | model.Mn_request << 2 | model.Mn_BE << 3;
    now.said[1] = model.Mn_ABus, now.said[2] = model.Mn_DBus;
    heard(now);
    // What ends a transfer does so in the cycle in which it is said.
    if (model.OPB_xferAck || model.OPB_retry || model.OPB_timeout) selected = false;
}
"""

_PIPELINED_MASTER = """
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

_PIPELINED_SLAVE = """
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

PARTNERS = {
    PIPELINED: (_PIPELINED_MASTER, _PIPELINED_SLAVE),
    AXI4_LITE: (_AXI4_LITE_MASTER, _AXI4_LITE_SLAVE),
    OPB: (_OPB_MASTER, _OPB_SLAVE),
}
"""Of each protocol with a bridge: who talks to a front, and who to a bridge."""


@dataclass(frozen=True)
class Talk:
    """How much was said, and the first cycle in which the engine says something else, if any."""

    transfers: int
    cycles: int
    difference: str


class End:
    """One end of a bus of a protocol: the Verilog with its partner, as a command. `kernel`: of a
    front, the shell's kernel as the engine's request has it; of a bridge nothing."""

    def __init__(self, protocol: str, kernel: Mapping[str, Any] | None, command: Path) -> None:
        self.protocol, self.kernel, self.command = protocol, kernel, command

    def talk(self, transfers: int, seed: int) -> Talk:
        """Lets the two talk, from reset on, until so many transfers are done."""
        words = [self.command, str(transfers), str(seed)]
        told = subprocess.run(words, capture_output=True, check=True).stdout
        expected = self._replayed(told)
        count = len(told) // ROW_BYTES
        return Talk(transfers, count, "" if told == expected else _first(told, expected))

    def _replayed(self, rows: bytes) -> bytes:
        ffi, lib = c_interface()
        own = ffi.new("char[]", rows)
        cycles, count = ffi.cast("TandemPins *", own), len(rows) // ROW_BYTES
        name = self.protocol.encode()
        if self.kernel is None:
            status = lib.tandem_bridge_replay(name, cycles, count)
        else:
            kernel = json.dumps(self.kernel).encode()
            status = lib.tandem_front_replay(kernel, name, cycles, count)
        if status:
            raise InternalError(Diagnostic("bus", ffi.string(lib.tandem_error()).decode()))
        return bytes(ffi.buffer(own, len(rows)))


def _first(told: bytes, expected: bytes) -> str:
    for place in range(0, len(told), ROW_BYTES):
        one, other = told[place : place + ROW_BYTES], expected[place : place + ROW_BYTES]
        if one != other:
            rows = (" ".join(f"{w:x}" for w in memoryview(row).cast("I")) for row in (one, other))
            return "cycle {}: Verilog {}, engine {}".format(place // ROW_BYTES, *rows)
    return "none"


def front_end(
    protocol: str,
    shell: Path,
    kernel: Path,
    row: Mapping[str, Any],
    folder: Path,
    compiler: Compiler,
) -> End:
    """The front of a shell, whose Verilog and whose kernel's are in these files; `row`: the kernel
    as the engine's request has it, which no word may lead out of its arrays."""
    work = folder / f"{protocol}-front"
    verilate(kernel, shell.stem, work, [str(shell)])
    main = _MASTER + PARTNERS[protocol][0]
    return End(protocol, row, _linked(work, main, compiler))


def bridge_end(protocol: str, folder: Path, compiler: Compiler) -> End:
    """The bridge of a protocol."""
    folder.mkdir(parents=True, exist_ok=True)
    file, work = folder / f"{protocol}.v", folder / f"{protocol}-bridge"
    file.write_text(bridge(protocol))
    verilate(file, PROTOCOLS[protocol].module, work)
    return End(protocol, None, _linked(work, _SLAVE + PARTNERS[protocol][1], compiler))


def _linked(work: Path, partner: str, compiler: Compiler) -> Path:
    main = work / "main.cpp"
    main.write_text(f'#include "{CLASS}.h"\nusing Model = {CLASS};\n{_COMMON}{partner}')
    link_model(work, main, work / "talk", compiler)
    return work / "talk"
