# SPDX-License-Identifier: Apache-2.0
"""A Wishbone master of somebody else's at a kernel's shell, for tests/test_masters.py, which runs
it inside of a simulator: cycles with random pauses, pipelined where the shell has `stall`."""

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
ACKNOWLEDGED, ERROR = 1, 2
"""As the package has it."""
WHOLE = 0xF


class Wishbone:
    """Cycles of some accesses each."""

    def __init__(self, dut: Any) -> None:
        self.master = WishboneMaster(dut, "", dut.clk, width=32, timeout=100, signals_dict=SIGNALS)
        self.random = random.Random(1)

    async def do(self, accesses: Sequence[Access]) -> list[int]:
        found = await self.replies(accesses)
        assert all(reply == ACKNOWLEDGED for reply, _ in found)
        return [word for _, word in found]

    async def replies(
        self, accesses: Sequence[Access], lanes: int = WHOLE
    ) -> list[tuple[int, int]]:
        """How each was answered, and what it has read."""
        idle = (0, 0, 1, 2, 5)
        cycle = [
            WBOp(one.offset // WORD_BYTES, one.word, self.random.choice(idle), lanes)
            for one in accesses
        ]
        return [(one.ack, int(one.datrd)) for one in await self.master.send_cycle(cycle)]


@cocotb.test()
async def blocks(dut: Any) -> None:
    master = Wishbone(dut)
    await out_of_reset(dut)
    await encrypt_blocks(master)


@cocotb.test()
async def what_is_not_there(dut: Any) -> None:
    """Classic cycles have it acknowledged."""
    master = Wishbone(dut)
    await out_of_reset(dut)
    reply = ERROR if hasattr(dut, "stall") else ACKNOWLEDGED
    for access in (Access(8, 1), Access(12, 1), Access(4), Access(12)):
        ((found, word),) = await master.replies([access])
        assert found == reply and (access.word is not None or word == 0)
    if hasattr(dut, "stall"):
        assert (await master.replies([Access(4, 1)], lanes=7))[0][0] == ERROR
        assert (await master.replies([Access(4, 1)]))[0][0] == ACKNOWLEDGED
