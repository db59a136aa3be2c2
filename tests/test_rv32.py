# SPDX-License-Identifier: Apache-2.0
"""Every instruction of the processor cores, one at a time, against what the RISC-V specification
says of it: the numbers expected are computed here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tandem.models.cores import Lockstep, Programs, lockstep

CORES = ("picorv32", "vexriscv", "vexriscv-lite", "microblaze")
SELF = 0x0000006F
"""A jump to itself."""
BITS = 0xFFFFFFFF
VALUES = (0, 1, 2, 31, 32, 0x7FF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xDEADBEEF)
LIMIT_CYCLES = 4000


def signed(value: int) -> int:
    return value - (1 << 32) if value & 1 << 31 else value


def li(register: int, value: int) -> list[int]:
    high = (value + 0x800) & 0xFFFFF000
    return [
        high | register << 7 | 0x37,
        (value & 0xFFF) << 20 | register << 15 | register << 7 | 0x13,
    ]


def r_type(funct7: int, funct3: int, rd: int, rs1: int, rs2: int) -> int:
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33


def i_type(opcode: int, funct3: int, rd: int, rs1: int, immediate: int) -> int:
    return (immediate & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def s_type(funct3: int, rs1: int, rs2: int, offset: int) -> int:
    offset &= 0xFFF
    high, low = (offset >> 5) << 25, (offset & 31) << 7
    return high | rs2 << 20 | rs1 << 15 | funct3 << 12 | low | 0x23


def b_type(funct3: int, rs1: int, rs2: int, offset: int) -> int:
    bits = (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25
    bits |= (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7
    return bits | rs2 << 20 | rs1 << 15 | funct3 << 12 | 0x63


def j_type(rd: int, offset: int) -> int:
    bits = (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21
    return bits | (offset >> 11 & 1) << 20 | (offset >> 12 & 0xFF) << 12 | rd << 7 | 0x6F


def run(core: str, words: Sequence[int]) -> Lockstep:
    """From address 0, to a jump to itself behind the words."""
    padding = [0x13] * (1024 - len(words) - 1)
    programs = Programs(words=[*words, SELF, *padding], limit_cycles=LIMIT_CYCLES)
    return lockstep(core, None, programs)


def half_words(halves: Sequence[int]) -> list[int]:
    if len(halves) % 2:
        halves = [*halves, 1]
    return [low | high << 16 for low, high in zip(halves[::2], halves[1::2], strict=True)]


def divide(a: int, b: int) -> int:
    """Towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def quotient(a: int, b: int) -> int:
    return -1 if b == 0 else divide(signed(a), signed(b))


def remainder(a: int, b: int) -> int:
    return a if b == 0 else signed(a) - signed(b) * divide(signed(a), signed(b))


TWO_REGISTERS: dict[str, tuple[int, int, Callable[[int, int], int]]] = {
    "add": (0, 0, lambda a, b: a + b),
    "sub": (0x20, 0, lambda a, b: a - b),
    "sll": (0, 1, lambda a, b: a << (b & 31)),
    "slt": (0, 2, lambda a, b: signed(a) < signed(b)),
    "sltu": (0, 3, lambda a, b: a < b),
    "xor": (0, 4, lambda a, b: a ^ b),
    "srl": (0, 5, lambda a, b: a >> (b & 31)),
    "sra": (0x20, 5, lambda a, b: signed(a) >> (b & 31)),
    "or": (0, 6, lambda a, b: a | b),
    "and": (0, 7, lambda a, b: a & b),
    "mul": (1, 0, lambda a, b: a * b),
    "mulh": (1, 1, lambda a, b: signed(a) * signed(b) >> 32),
    "mulhsu": (1, 2, lambda a, b: signed(a) * b >> 32),
    "mulhu": (1, 3, lambda a, b: a * b >> 32),
    "div": (1, 4, quotient),
    "divu": (1, 5, lambda a, b: BITS if b == 0 else a // b),
    "rem": (1, 6, remainder),
    "remu": (1, 7, lambda a, b: a if b == 0 else a % b),
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", TWO_REGISTERS)
def test_of_two_registers(core: str, name: str) -> None:
    funct7, funct3, expected = TWO_REGISTERS[name]
    for a in VALUES:
        # The results of all second operands in a row of registers; of the last one into x0.
        words = li(5, a)
        for place, b in enumerate(VALUES):
            words += [*li(6, b), r_type(funct7, funct3, 10 + place, 5, 6)]
        words.append(r_type(funct7, funct3, 0, 5, 6))
        found = run(core, words).registers
        assert found[0] == 0
        for place, b in enumerate(VALUES):
            assert found[10 + place] == expected(a, b) & BITS, (name, hex(a), hex(b))


IMMEDIATE: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "addi": (0, lambda a, b: a + b),
    "slti": (2, lambda a, b: signed(a) < b),
    "sltiu": (3, lambda a, b: a < b & BITS),
    "xori": (4, lambda a, b: a ^ b),
    "ori": (6, lambda a, b: a | b),
    "andi": (7, lambda a, b: a & b),
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", IMMEDIATE)
def test_with_an_immediate(core: str, name: str) -> None:
    funct3, expected = IMMEDIATE[name]
    immediates = (0, 1, -1, 2047, -2048, 0x555)
    for a in VALUES:
        words = li(5, a)
        words += [i_type(0x13, funct3, 10 + n, 5, b) for n, b in enumerate(immediates)]
        found = run(core, words).registers
        for place, b in enumerate(immediates):
            assert found[10 + place] == expected(a, b) & BITS, (name, hex(a), b)


SHIFTS: dict[str, tuple[int, int, Callable[[int, int], int]]] = {
    "slli": (1, 0, lambda a, b: a << b),
    "srli": (5, 0, lambda a, b: a >> b),
    "srai": (5, 0x400, lambda a, b: signed(a) >> b),
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", SHIFTS)
def test_shifts_by_an_immediate(core: str, name: str) -> None:
    funct3, kind, expected = SHIFTS[name]
    amounts = (0, 1, 2, 15, 16, 30, 31)
    for a in VALUES:
        words = li(5, a)
        words += [i_type(0x13, funct3, 10 + n, 5, kind | b) for n, b in enumerate(amounts)]
        found = run(core, words).registers
        for place, b in enumerate(amounts):
            assert found[10 + place] == expected(a, b) & BITS, (name, hex(a), b)


@pytest.mark.parametrize("core", CORES)
def test_upper_immediates(core: str) -> None:
    words = [0x12345000 | 10 << 7 | 0x37, 0xFFFFF000 | 11 << 7 | 0x37]
    words += [0x00001000 | 12 << 7 | 0x17, 0xFFFFF000 | 13 << 7 | 0x17]
    found = run(core, words).registers
    assert found[10:14] == [0x12345000, 0xFFFFF000, 0x1008, 0xFFFFF00C]


LOADS: dict[str, tuple[int, int, bool]] = {
    "lb": (0, 1, True),
    "lh": (1, 2, True),
    "lw": (2, 4, True),
    "lbu": (4, 1, False),
    "lhu": (5, 2, False),
}
WINDOWS = (0x800, 0x80000000)
"""In memory, and where nothing is cached."""


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", LOADS)
def test_loads(core: str, name: str, window: int) -> None:
    funct3, size, is_signed = LOADS[name]
    content = 0x8180FF7F
    words = [*li(5, window), *li(6, content), s_type(2, 5, 6, 4), s_type(2, 5, 0, 8)]
    places = range(4, 8, size)
    words += [i_type(0x03, funct3, 10 + n, 5, place) for n, place in enumerate(places)]
    # The same with an offset before the base.
    words += [*li(5, window + 100)]
    words += [i_type(0x03, funct3, 20 + n, 5, place - 100) for n, place in enumerate(places)]
    found = run(core, words).registers
    data = content.to_bytes(4, "little")
    for n, place in enumerate(places):
        value = int.from_bytes(data[place - 4 :][:size], "little", signed=is_signed) & BITS
        assert (found[10 + n], found[20 + n]) == (value, value), (name, place)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("size", [1, 2, 4])
def test_stores(core: str, size: int, window: int) -> None:
    places = range(0, 4, size)
    for place in places:
        words = [*li(5, window), *li(6, 0x11223344), *li(7, 0xAABBCCDD), s_type(2, 5, 6, 8)]
        words += [s_type({1: 0, 2: 1, 4: 2}[size], 5, 7, 8 + place), i_type(0x03, 2, 10, 5, 8)]
        expected = bytearray((0x11223344).to_bytes(4, "little"))
        expected[place : place + size] = (0xAABBCCDD).to_bytes(4, "little")[:size]
        assert run(core, words).registers[10] == int.from_bytes(expected, "little")


BRANCHES: dict[str, tuple[int, Callable[[int, int], bool]]] = {
    "beq": (0, lambda a, b: a == b),
    "bne": (1, lambda a, b: a != b),
    "blt": (4, lambda a, b: signed(a) < signed(b)),
    "bge": (5, lambda a, b: signed(a) >= signed(b)),
    "bltu": (6, lambda a, b: a < b),
    "bgeu": (7, lambda a, b: a >= b),
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", BRANCHES)
def test_branches(core: str, name: str) -> None:
    funct3, expected = BRANCHES[name]
    for a in VALUES:
        for b in VALUES:
            words = [*li(5, a), *li(6, b), i_type(0x13, 0, 10, 0, 1)]
            # Forward over the setting of x11, and back to that of x12.
            words += [b_type(funct3, 5, 6, 8), i_type(0x13, 0, 11, 0, 1)]
            words += [j_type(0, 12), i_type(0x13, 0, 12, 0, 1), j_type(0, 8)]
            words += [b_type(funct3, 5, 6, -8)]
            found = run(core, words).registers
            is_taken = expected(a, b)
            assert found[10:13] == [1, not is_taken, is_taken], (name, hex(a), hex(b))


@pytest.mark.parametrize("core", CORES)
def test_jumps_leave_the_address_behind_them(core: str) -> None:
    words = [j_type(10, 8), i_type(0x13, 0, 20, 0, 1), *li(5, 0x1D)]
    words += [i_type(0x67, 0, 11, 5, 4), i_type(0x13, 0, 21, 0, 1), i_type(0x13, 0, 22, 0, 1)]
    words += [i_type(0x13, 0, 23, 0, 1)]
    # 0x1d + 4 loses its lowest bit: 0x20, the end. The jump is at 0x10.
    found = run(core, words[:4] + words[4:]).registers
    assert found[10:12] == [4, 0x14]
    assert found[20:24] == [0, 0, 0, 0]


@pytest.mark.parametrize("core", CORES)
def test_the_base_of_a_jump_may_be_its_link(core: str) -> None:
    words = [*li(1, 0x10), i_type(0x67, 0, 1, 1, 0), i_type(0x13, 0, 20, 0, 1)]
    found = run(core, words).registers
    assert (found[1], found[20]) == (0xC, 0)


@pytest.mark.parametrize("core", CORES)
def test_fence_does_nothing_to_registers(core: str) -> None:
    words = [*li(5, 7), 0x0FF0000F, i_type(0x13, 0, 10, 5, 1)]
    assert run(core, words).registers[10] == 8


TRAPS = {
    "ecall": (0x00000073, "environment-call"),
    "ebreak": (0x00100073, "breakpoint"),
    "illegal": (0xFFFFFFFF, "illegal-instruction"),
    "zero": (0x00000000, "illegal-instruction"),
    "lw": (i_type(0x03, 2, 6, 5, 1), "misaligned"),
    "lh": (i_type(0x03, 1, 6, 5, 1), "misaligned"),
    "sw": (s_type(2, 5, 6, 2), "misaligned"),
    "sh": (s_type(1, 5, 6, 3), "misaligned"),
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", TRAPS)
def test_traps_stop_the_core(core: str, name: str) -> None:
    word, cause = TRAPS[name]
    found = run(core, [*li(5, 0x800), word, i_type(0x13, 0, 10, 0, 1)])
    assert found.trap is not None
    assert (found.trap["pc"], found.trap["cause"]) == (8, cause)
    assert found.registers[10] == 0


@pytest.mark.parametrize("core", CORES)
def test_a_store_to_nowhere_is_refused(core: str) -> None:
    found = run(core, [*li(5, 0x40000000), s_type(2, 5, 5, 4)])
    assert found.trap is not None
    assert (found.trap["cause"], found.trap["address"]) == ("refused", 0x40000004)


def csr(number: int, funct3: int, rd: int, rs1: int) -> int:
    return number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73


@pytest.mark.parametrize("core", ["vexriscv", "vexriscv-lite"])
def test_control_registers_are_written_set_and_cleared(core: str) -> None:
    mepc = 0x341
    words = [*li(5, 0xF0F0F0F0), *li(6, 0x0FF00000)]
    words += [csr(mepc, 1, 10, 5), csr(mepc, 2, 11, 6), csr(mepc, 3, 12, 5), csr(mepc, 2, 13, 0)]
    words += [csr(mepc, 5, 14, 21), csr(mepc, 6, 15, 10), csr(mepc, 7, 16, 1), csr(mepc, 2, 17, 0)]
    found = run(core, words).registers
    assert found[11:14] == [0xF0F0F0F0, 0xFFF0F0F0, 0x0F000000]
    assert found[14:18] == [0x0F000000, 21, 31, 30]


@pytest.mark.parametrize("core", ["vexriscv", "vexriscv-lite"])
def test_a_return_from_a_trap_goes_where_mepc_says(core: str) -> None:
    words = [*li(5, 0x18), csr(0x341, 1, 0, 5), 0x30200073, *[i_type(0x13, 0, 10, 0, 1)] * 2]
    words += [i_type(0x13, 0, 11, 0, 1)]
    assert run(core, words).registers[10:12] == [0, 1]


def test_picorv32_counts_cycles_and_instructions() -> None:
    """An instruction of four cycles reads a counter in the one behind its launch (its README: `CSR
    instructions 4`; here nothing waits for memory)."""
    words = [csr(0xC00, 2, 10, 0), csr(0xC00, 2, 11, 0), csr(0xC02, 2, 12, 0), csr(0xC80, 2, 13, 0)]
    found = run("picorv32", words).registers
    assert found[11] - found[10] == 4
    assert found[12:14] == [3, 0]


COMPRESSED: dict[str, tuple[int, int, int]] = {
    # The half-word, the register it writes, and what; x8 = 0x80000010, x9 = 5, x2 = 0x800.
    "c.addi4spn": (0x0808, 10, 0x800 + 16),
    "c.addi": (0x14FD, 9, 4),
    "c.li": (0x5579, 10, BITS - 1),
    "c.lui": (0x757D, 10, 0xFFFFF000),
    "c.addi16sp": (0x7139, 2, 0x800 - 64),
    "c.srli": (0x8011, 8, 0x80000010 >> 4),
    "c.srai": (0x8411, 8, 0xF8000001),
    "c.andi": (0x8861, 8, 0x10 & 24),
    "c.sub": (0x8C05, 8, 0x80000010 - 5),
    "c.xor": (0x8C25, 8, 0x80000010 ^ 5),
    "c.or": (0x8C45, 8, 0x80000010 | 5),
    "c.and": (0x8C65, 8, 0),
    "c.slli": (0x0492, 9, 5 << 4),
    "c.mv": (0x8526, 10, 5),
    "c.add": (0x94A2, 9, (0x80000010 + 5) & BITS),
}


def compressed(halves: Sequence[int]) -> Lockstep:
    words = [*li(8, 0x80000010), *li(9, 5), *li(2, 0x800)]
    return run("picorv32", [*words, *half_words(halves)])


@pytest.mark.parametrize("name", COMPRESSED)
def test_compressed_arithmetic(name: str) -> None:
    half, register, expected = COMPRESSED[name]
    assert compressed([half, 1]).registers[register] == expected
    # Over the middle of a word too: c.nop first.
    assert compressed([1, half]).registers[register] == expected


def test_compressed_loads_and_stores() -> None:
    # c.swsp x9, 12(x2); c.lwsp x10, 12(x2); c.sw x9, 4(x8); c.lw x11, 4(x8)
    found = compressed([0xC626, 0x4532, 0xC044, 0x404C]).registers
    assert found[10:12] == [5, 5]


def test_compressed_jumps() -> None:
    # c.jal over one half-word; c.li x10, 1 behind is not executed, c.li x11, 1 is.
    found = compressed([0x2011, 0x4505, 0x4585, 1]).registers
    assert (found[1], found[10], found[11]) == (0x1A, 0, 1)
    # c.j the same way.
    found = compressed([0xA011, 0x4505, 0x4585, 1]).registers
    assert (found[1], found[10], found[11]) == (0, 0, 1)


def test_compressed_register_jumps() -> None:
    # c.li x5, 0x1c (0x1a + 2); c.jalr x5 at 0x1a; c.jr would leave x1.
    found = compressed([0x42F1, 0x9282, 1, 0x4585]).registers
    assert (found[1], found[11]) == (0x1C, 1)
    found = compressed([0x42F1, 0x8282, 1, 0x4585]).registers
    assert (found[1], found[11]) == (0, 1)


def test_compressed_branches() -> None:
    # c.beqz x9 and c.bnez x9 over c.li x10, 1, with x9 = 5.
    assert compressed([0xC091, 0x4505]).registers[10] == 1
    assert compressed([0xE091, 0x4505]).registers[10] == 0


def test_compressed_breakpoint_and_reserved_words() -> None:
    for half, cause in [(0x9002, "breakpoint"), (0x0000, "illegal-instruction")]:
        trap = compressed([half, 1]).trap
        assert trap is not None
        assert (trap["pc"], trap["cause"]) == (0x18, cause)
