# SPDX-License-Identifier: Apache-2.0
"""An AXI4 master of somebody else's at a kernel's shell, for tests/test_masters.py, which runs it
inside of a simulator: bursts, each channel with random pauses of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import cocotb
from cocotbext.axi import AxiBurstType, AxiBus, AxiMaster, AxiResp
from master_bench import WORD_BYTES, Access, encrypt_blocks, out_of_reset, paused

DATA_IN, DATA_OUT, NOTHING = 4, 8, 12
FIXED, WRAPPING = AxiBurstType.FIXED, AxiBurstType.WRAP


class Axi4:
    """Accesses in order; those of one register that follow each other are a burst."""

    def __init__(self, dut: Any) -> None:
        # Its results have no types.
        self.master: Any = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.reset)
        paused(self.master)

    async def do(self, accesses: Sequence[Access]) -> list[int]:
        found: list[int] = []
        for key, burst in groupby(accesses, lambda one: (one.offset, one.word is None)):
            found += await self.burst(*key, [one.word or 0 for one in burst])
        return found

    async def burst(self, offset: int, is_read: bool, words: Sequence[int]) -> list[int]:
        if is_read:
            done = await self.master.read(offset, WORD_BYTES * len(words), burst=FIXED)
            assert done.resp == AxiResp.OKAY
            starts = range(0, len(done.data), WORD_BYTES)
            return [int.from_bytes(done.data[i : i + WORD_BYTES], "little") for i in starts]
        data = b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)
        done = await self.master.write(offset, data, burst=FIXED)
        assert done.resp == AxiResp.OKAY
        return [0] * len(words)


@cocotb.test()
async def blocks(dut: Any) -> None:
    master = Axi4(dut)
    await out_of_reset(dut)
    await encrypt_blocks(master)


@cocotb.test()
async def what_is_not_there(dut: Any) -> None:
    """And reads beside writes, whose responses the master keeps apart."""
    bus = Axi4(dut).master
    await out_of_reset(dut)
    word = bytes(WORD_BYTES)
    for offset, data in ((DATA_OUT, word), (NOTHING, word), (DATA_IN, 2 * word)):
        assert (await bus.write(offset, data)).resp == AxiResp.SLVERR
    for more in ({"size": 1}, {"burst": WRAPPING}):
        assert (await bus.write(DATA_IN, word, **more)).resp == AxiResp.SLVERR
    for offset, count in ((DATA_IN, 1), (NOTHING, 1), (DATA_OUT, 2)):
        found = await bus.read(offset, count * WORD_BYTES)
        assert (found.resp, found.data) == (AxiResp.SLVERR, count * word)
    writes = [cocotb.start_soon(bus.write(DATA_IN, 9 * word, burst=FIXED)) for _ in range(40)]
    reads = [cocotb.start_soon(bus.read(DATA_OUT, 7 * WORD_BYTES, burst=FIXED)) for _ in range(40)]
    for one in (*writes, *reads):
        assert (await one).resp == AxiResp.OKAY
