# SPDX-License-Identifier: Apache-2.0
"""An AXI4-Lite master of somebody else's at a kernel's shell, for tests/test_masters.py, which runs
it inside of a simulator: each channel with random pauses of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cocotb
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from master_bench import WORD_BYTES, Access, encrypt_blocks, out_of_reset, paused

DATA_IN, DATA_OUT, NOTHING = 4, 8, 12


class Axi4Lite:
    """Accesses in order, as a processor makes them."""

    def __init__(self, dut: Any) -> None:
        bus = AxiLiteBus.from_prefix(dut, "s_axi")
        # Its results have no types.
        self.master: Any = AxiLiteMaster(bus, dut.clk, dut.reset)
        paused(self.master)

    async def do(self, accesses: Sequence[Access]) -> list[int]:
        return [await self.one(access) for access in accesses]

    async def one(self, access: Access) -> int:
        if access.word is None:
            found = await self.master.read(access.offset, WORD_BYTES)
            assert found.resp == AxiResp.OKAY
            return int.from_bytes(found.data, "little")
        data = access.word.to_bytes(WORD_BYTES, "little")
        assert (await self.master.write(access.offset, data)).resp == AxiResp.OKAY
        return 0


@cocotb.test()
async def blocks(dut: Any) -> None:
    master = Axi4Lite(dut)
    await out_of_reset(dut)
    await encrypt_blocks(master)


@cocotb.test()
async def what_is_not_there(dut: Any) -> None:
    """And reads beside writes, whose responses the master keeps apart."""
    bus = Axi4Lite(dut).master
    await out_of_reset(dut)
    word = bytes(WORD_BYTES)
    for offset in (DATA_OUT, NOTHING):
        assert (await bus.write(offset, word)).resp == AxiResp.SLVERR
    for part in (word[:1], word[:3]):
        assert (await bus.write(DATA_IN, part)).resp == AxiResp.SLVERR
    for offset in (DATA_IN, NOTHING):
        found = await bus.read(offset, WORD_BYTES)
        assert (found.resp, found.data) == (AxiResp.SLVERR, word)
    writes = [cocotb.start_soon(bus.write(DATA_IN, word)) for _ in range(40)]
    reads = [cocotb.start_soon(bus.read(DATA_OUT, WORD_BYTES)) for _ in range(40)]
    for one in (*writes, *reads):
        assert (await one).resp == AxiResp.OKAY
