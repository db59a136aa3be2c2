# SPDX-License-Identifier: Apache-2.0
"""A source and a sink of AXI4-Stream of somebody else's at a kernel's shell, for
tests/test_masters.py, which runs them inside of a simulator: both with random pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cocotb
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource
from master_bench import CONTROL, WORD_BYTES, Access, encrypt_blocks, out_of_reset, pauses

SEND, STATUS = 3, 4


class Links:
    """Accesses as words of the links. A frame ends with a word for CONTROL."""

    def __init__(self, dut: Any) -> None:
        bus = AxiStreamBus.from_prefix(dut, "s_axis")
        self.source: Any = AxiStreamSource(bus, dut.clk, dut.reset)
        bus = AxiStreamBus.from_prefix(dut, "m_axis")
        self.sink: Any = AxiStreamSink(bus, dut.clk, dut.reset)
        for seed, end in enumerate((self.source, self.sink)):
            end.set_pause_generator(pauses(seed))
        self.waiting: list[int] = []

    async def do(self, accesses: Sequence[Access]) -> list[int]:
        return [await self.one(access) for access in accesses]

    async def one(self, access: Access) -> int:
        if access.word is None:
            is_status = access.offset == CONTROL
            (word,) = await self.asked(STATUS if is_status else SEND | 1 << 8)
            return word
        self.waiting.append(access.word)
        if access.offset == CONTROL:
            await self.flush()
        return 0

    async def flush(self) -> None:
        words, self.waiting = self.waiting, []
        await self.source.send(b"".join(word.to_bytes(WORD_BYTES, "little") for word in words))

    async def asked(self, order: int) -> list[int]:
        """The words that come for it; the last one of them is marked."""
        self.waiting.append(order)
        await self.flush()
        data = bytes((await self.sink.recv()).tdata)
        words = [data[i : i + WORD_BYTES] for i in range(0, len(data), WORD_BYTES)]
        return [int.from_bytes(word, "little") for word in words]


@cocotb.test()
async def blocks(dut: Any) -> None:
    links = Links(dut)
    await out_of_reset(dut)
    await encrypt_blocks(links)


@cocotb.test()
async def more_than_there_is_room_for(dut: Any) -> None:
    """Orders that wait for each other, and words behind an argument's end."""
    links = Links(dut)
    await out_of_reset(dut)
    for count in (1, 15, 16, 17, 40):
        assert len(await links.asked(SEND | count << 8)) == count
    for _ in range(40):
        links.waiting.append(STATUS)
        await links.flush()
    for _ in range(40):
        assert bytes((await links.sink.recv()).tdata) == bytes([1, 0, 0, 0])
