# SPDX-License-Identifier: Apache-2.0
"""ARMv4 as the architecture manual has it (ARM DDI 0100, chapters A3 to A5), in Python: words of
instructions, and what each does to registers, flags and memory. Nothing here is the engine's."""

from __future__ import annotations

from dataclasses import dataclass, field

MASK = 0xFFFFFFFF
ALWAYS = 14
AND, EOR, SUB, RSB, ADD, ADC, SBC, RSC, TST, TEQ, CMP, CMN, ORR, MOV, BIC, MVN = range(16)
LSL, LSR, ASR, ROR = range(4)
USER = 0x10
CONDITIONS = (
    *(lambda n, z, c, v: z, lambda n, z, c, v: not z),
    *(lambda n, z, c, v: c, lambda n, z, c, v: not c),
    *(lambda n, z, c, v: n, lambda n, z, c, v: not n),
    *(lambda n, z, c, v: v, lambda n, z, c, v: not v),
    *(lambda n, z, c, v: c and not z, lambda n, z, c, v: not c or z),
    *(lambda n, z, c, v: n == v, lambda n, z, c, v: n != v),
    *(lambda n, z, c, v: not z and n == v, lambda n, z, c, v: z or n != v),
    lambda n, z, c, v: True,
)


def signed(value: int, bits: int = 32) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


Flags = tuple[bool, ...]


@dataclass
class Machine:
    """Registers r0 to r14, flags (n, z, c, v), and bytes of memory from an address on."""

    registers: list[int]
    flags: Flags
    base: int = 0
    memory: bytearray = field(default_factory=bytearray)

    @property
    def status(self) -> int:
        bits = "".join(str(int(flag)) for flag in self.flags)
        return int(bits, 2) << 28 | USER

    def read(self, address: int, size: int) -> int:
        place = address - self.base
        return int.from_bytes(self.memory[place : place + size], "little")

    def write(self, address: int, size: int, value: int) -> None:
        place = address - self.base
        self.memory[place : place + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")


# ---- The shifter (A5.1): the value, and its carry


def shifted(value: int, kind: int, amount: int, carry: bool) -> tuple[int, bool]:
    """By a register's amount: 0 leaves value and carry."""
    for _ in range(min(amount, 70)):
        if kind == LSL:
            carry, value = bool(value >> 31), value << 1 & MASK
        elif kind == LSR:
            carry, value = bool(value & 1), value >> 1
        elif kind == ASR:
            carry, value = bool(value & 1), value >> 1 | value & 1 << 31
    if kind == ROR and amount:
        turn = amount % 32
        value = (value >> turn | value << (32 - turn)) & MASK
        carry = bool(value >> 31)
    return value, carry


def shifted_by_amount(value: int, kind: int, amount: int, carry: bool) -> tuple[int, bool]:
    """By an instruction's amount: 0 means 32 of the right shifts, and rrx of the rotation."""
    if amount == 0 and kind == ROR:
        return int(carry) << 31 | value >> 1, bool(value & 1)
    if amount == 0 and kind in (LSR, ASR):
        amount = 32
    return shifted(value, kind, amount, carry)


def rotated(byte: int, turn: int, carry: bool) -> tuple[int, bool]:
    value, carried = shifted(byte, ROR, 2 * turn, carry)
    return value, carried if turn else carry


# ---- Data processing (A4): the result, and the flags


def compute(op: int, first: int, second: int, carried: bool, flags: Flags) -> tuple[int, Flags]:
    _, _, c, v = flags
    if op in (AND, TST):
        value = first & second
    elif op in (EOR, TEQ):
        value = first ^ second
    elif op == ORR:
        value = first | second
    elif op == BIC:
        value = first & ~second & MASK
    elif op == MOV:
        value = second
    elif op == MVN:
        value = ~second & MASK
    else:
        return _sum(op, first, second, c)
    return value, (bool(value >> 31), value == 0, carried, v)


def _sum(op: int, first: int, second: int, carry: bool) -> tuple[int, Flags]:
    if op in (RSB, RSC):
        first, second = second, first
    if op in (ADD, CMN, ADC):
        extra = int(carry) if op == ADC else 0
        exact, wanted = first + second + extra, signed(first) + signed(second) + extra
        carried = exact > MASK
    else:
        extra = int(not carry) if op in (SBC, RSC) else 0
        exact, wanted = first - second - extra, signed(first) - signed(second) - extra
        carried = exact >= 0
    value = exact & MASK
    return value, (bool(value >> 31), value == 0, carried, signed(value) != wanted)


# ---- Words (A3)


def with_immediate(op: int, sets: bool, rn: int, rd: int, turn: int, byte: int) -> int:
    return 0xE2000000 | op << 21 | sets << 20 | rn << 16 | rd << 12 | turn << 8 | byte


def with_register(op: int, sets: bool, rn: int, rd: int, rm: int, kind: int, amount: int) -> int:
    places = op << 21 | sets << 20 | rn << 16 | rd << 12
    return 0xE0000000 | places | amount << 7 | kind << 5 | rm


def with_shift(op: int, sets: bool, rn: int, rd: int, rm: int, kind: int, rs: int) -> int:
    places = op << 21 | sets << 20 | rn << 16 | rd << 12
    return 0xE0000010 | places | rs << 8 | kind << 5 | rm


def mov(rd: int, byte: int) -> int:
    return with_immediate(MOV, False, 0, rd, 0, byte)


def add(rd: int, rn: int, rm: int) -> int:
    return with_register(ADD, False, rn, rd, rm, LSL, 0)


def single(load: bool, byte: bool, rd: int, rn: int, offset: int, mode: str = "offset") -> int:
    """`mode`: offset, before (with write-back) or behind."""
    pw = {"offset": 1 << 24, "before": 1 << 24 | 1 << 21, "behind": 0}[mode]
    up = offset >= 0
    return (
        0xE4000000 | (pw | up << 23 | byte << 22 | load << 20) | (rn << 16 | rd << 12 | abs(offset))
    )


def half(load: bool, kind: int, rd: int, rn: int, offset: int, mode: str = "offset") -> int:
    """`kind`: 1 half-word, 2 signed byte, 3 signed half-word."""
    pw = {"offset": 1 << 24, "before": 1 << 24 | 1 << 21, "behind": 0}[mode]
    size, up = abs(offset), offset >= 0
    places = rn << 16 | rd << 12 | (size >> 4) << 8 | size & 15
    return 0xE0400090 | pw | up << 23 | load << 20 | places | kind << 5


def multiple(load: bool, before: bool, up: bool, back: bool, rn: int, listed: int) -> int:
    return 0xE8000000 | before << 24 | up << 23 | back << 21 | load << 20 | rn << 16 | listed


def multiply(adds: bool, sets: bool, rd: int, rn: int, rs: int, rm: int) -> int:
    return 0xE0000090 | adds << 21 | sets << 20 | rd << 16 | rn << 12 | rs << 8 | rm


def multiply_long(sign: bool, adds: bool, sets: bool, hi: int, lo: int, rs: int, rm: int) -> int:
    places = hi << 16 | lo << 12 | rs << 8 | rm
    return 0xE0800090 | sign << 22 | adds << 21 | sets << 20 | places


def branch(words: int, link: bool = False, condition: int = ALWAYS) -> int:
    """To so many words from its own."""
    return condition << 28 | 0x0A000000 | link << 24 | (words - 2) & 0xFFFFFF
