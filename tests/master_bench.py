# SPDX-License-Identifier: Apache-2.0
"""What masters of somebody else's do with a shell of AES, for tests/test_masters.py, which runs
them inside of a simulator: blocks in random pieces, whatever the protocol."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

CONTROL, DATA_IN, DATA_OUT = 0, 4, 8
CHOOSE, START, DONE = 1, 2, 1
WORD_BYTES = 4


@dataclass(frozen=True)
class Access:
    """Of a register by its offset in bytes; without a word it is read."""

    offset: int
    word: int | None = None


class Master(Protocol):
    """Somebody's master of a protocol."""

    async def do(self, accesses: Sequence[Access]) -> list[int]:
        """Makes them one after the other; what each has read, anything for one that writes."""
        ...


async def out_of_reset(dut: Any) -> None:
    """With a clock."""
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.reset.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.reset.value = 0


def pauses(seed: int) -> Iterator[bool]:
    """For some cycles often, for others never."""
    source = random.Random(seed)
    while True:
        often = source.choice((0, 0.2, 0.8))
        for _ in range(source.randrange(1, 50)):
            yield source.random() < often


def paused(master: Any) -> None:
    """Each channel of an AXI master gets pauses of its own."""
    writes, reads = master.write_if, master.read_if
    channels = [writes.aw_channel, writes.w_channel, writes.b_channel]
    for seed, channel in enumerate([*channels, reads.ar_channel, reads.r_channel]):
        channel.set_pause_generator(pauses(seed))


class Driver:
    """The shell's registers by way of a master."""

    def __init__(self, master: Master, seed: int) -> None:
        self.master, self.random = master, random.Random(seed)

    async def do(self, accesses: Sequence[Access]) -> list[int]:
        """Accesses in pieces of random length; what each has read."""
        found: list[int] = []
        while accesses:
            count = self.random.randrange(1, 6)
            part, accesses = accesses[:count], accesses[count:]
            found += await self.master.do(part)
        return found

    async def give(self, argument: int, data: bytes) -> None:
        words = [data[i : i + WORD_BYTES] for i in range(0, len(data), WORD_BYTES)]
        given = [Access(DATA_IN, int.from_bytes(word, "little")) for word in words]
        await self.do([Access(CONTROL, CHOOSE | argument << 8), *given])

    async def take(self, argument: int, count: int) -> bytes:
        await self.do([Access(CONTROL, CHOOSE | argument << 8)])
        words = await self.do([Access(DATA_OUT)] * (count // WORD_BYTES))
        return b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)


async def encrypt_blocks(master: Master) -> None:
    """Those of $TANDEM_BLOCKS: key, plain text and what it has to become."""
    rows = json.loads(os.environ["TANDEM_BLOCKS"])
    driver = Driver(master, len(rows))
    for key, plain, cipher in rows:
        given = [(0, bytes.fromhex(key)), (1, bytes.fromhex(plain))]
        driver.random.shuffle(given)
        for argument, data in given:
            await driver.give(argument, data)
        await driver.do([Access(CONTROL, START)])
        while not (await driver.do([Access(CONTROL)]))[0] & DONE:
            pass
        assert (await driver.take(2, len(cipher) // 2)).hex() == cipher
