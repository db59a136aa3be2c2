# SPDX-License-Identifier: Apache-2.0
"""A Wishbone master of somebody else's at a kernel's shell, for tests/test_masters.py, which runs
it inside of a simulator: cycles with random pauses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import cocotb
from cocotbext.wishbone.driver import WBOp, WishboneMaster
from master_bench import WORD_BYTES, Access, encrypt_blocks, out_of_reset

SIGNALS = {
    **{name: name for name in ("cyc", "stb", "we", "adr", "ack")},
    **{"datwr": "dat_w", "datrd": "dat_r"},
}


class Wishbone:
    """Cycles of some accesses each."""

    def __init__(self, dut: Any) -> None:
        self.master = WishboneMaster(dut, "", dut.clk, width=32, timeout=100, signals_dict=SIGNALS)
        self.random = random.Random(1)

    async def do(self, accesses: Sequence[Access]) -> list[int]:
        idle = (0, 0, 1, 2, 5)
        cycle = [
            WBOp(one.offset // WORD_BYTES, dat=one.word, idle=self.random.choice(idle))
            for one in accesses
        ]
        return [int(result.datrd) for result in await self.master.send_cycle(cycle)]


@cocotb.test()
async def blocks(dut: Any) -> None:
    master = Wishbone(dut)
    await out_of_reset(dut)
    await encrypt_blocks(master)
