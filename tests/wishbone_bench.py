# SPDX-License-Identifier: Apache-2.0
"""A Wishbone master of somebody else's at a kernel's shell, for tests/test_wishbone.py, which runs
it inside of a simulator: blocks in random pieces with random pauses."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.wishbone.driver import WBOp, WishboneMaster

SIGNALS = {
    **{name: name for name in ("cyc", "stb", "we", "adr", "ack")},
    **{"datwr": "dat_w", "datrd": "dat_r"},
}
CONTROL, DATA_IN, DATA_OUT = 0, 1, 2
CHOOSE, START, DONE = 1, 2, 1
WORD_BYTES = 4


class Driver:
    """The shell's registers by way of a master."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.master = WishboneMaster(dut, "", dut.clk, width=32, timeout=100, signals_dict=SIGNALS)
        self.random = random.Random(seed)

    def access(self, register: int, word: int | None = None) -> WBOp:
        return WBOp(register, dat=word, idle=self.random.choice((0, 0, 1, 2, 5)))

    async def do(self, accesses: list[WBOp]) -> list[int]:
        """Accesses in cycles of random length; what each has read."""
        found = []
        while accesses:
            count = self.random.randrange(1, 6)
            part, accesses = accesses[:count], accesses[count:]
            found += [int(result.datrd) for result in await self.master.send_cycle(part)]
        return found

    async def give(self, argument: int, data: bytes) -> None:
        words = [data[i : i + WORD_BYTES] for i in range(0, len(data), WORD_BYTES)]
        given = [self.access(DATA_IN, int.from_bytes(word, "little")) for word in words]
        await self.do([self.access(CONTROL, CHOOSE | argument << 8), *given])

    async def take(self, argument: int, count: int) -> bytes:
        await self.do([self.access(CONTROL, CHOOSE | argument << 8)])
        words = await self.do([self.access(DATA_OUT) for _ in range(count // WORD_BYTES)])
        return b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)


@cocotb.test()
async def blocks(dut: Any) -> None:
    rows = json.loads(os.environ["TANDEM_BLOCKS"])
    driver = Driver(dut, len(rows))
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.reset.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.reset.value = 0
    for key, plain, cipher in rows:
        given = [(0, bytes.fromhex(key)), (1, bytes.fromhex(plain))]
        driver.random.shuffle(given)
        for argument, data in given:
            await driver.give(argument, data)
        await driver.do([driver.access(CONTROL, START)])
        while not (await driver.do([driver.access(CONTROL)]))[0] & DONE:
            pass
        assert (await driver.take(2, len(cipher) // 2)).hex() == cipher
