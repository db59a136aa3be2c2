# SPDX-License-Identifier: Apache-2.0
"""ARMv4 on the engine's StrongARM: each instruction against the rules of the architecture manual
(tests/armv4.py), random programs against another emulator, and each number of the pipeline, the
caches and the bus."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from armv4 import (
    ADD,
    ALWAYS,
    ASR,
    CMN,
    CMP,
    CONDITIONS,
    LSL,
    LSR,
    MASK,
    MOV,
    MVN,
    ROR,
    TEQ,
    TST,
    USER,
    Machine,
    branch,
    compute,
    half,
    mov,
    multiple,
    multiply,
    multiply_long,
    rotated,
    shifted,
    shifted_by_amount,
    signed,
    single,
    with_immediate,
    with_register,
    with_shift,
)
from tandem.models.cores import Contents, CoreTrace, trace_core

CODE_WORDS, WINDOW, WINDOW_WORDS = 16, 0x1000, 64
HALT = branch(0)
VALUES = (0, 1, 2, 31, 32, 33, 255, 256, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, MASK)


def drawn(generator: random.Random) -> int:
    return generator.choice((generator.choice(VALUES), generator.getrandbits(32)))


def machine(generator: random.Random) -> Machine:
    flags = tuple(bool(generator.getrandbits(1)) for _ in range(4))
    memory = bytearray(generator.randbytes(4 * WINDOW_WORDS))
    registers = [drawn(generator) for _ in range(15)]
    return Machine(registers, flags, WINDOW, memory)


def run(words: Sequence[int], before: Machine, count: int = 1) -> CoreTrace:
    code = [*words, *[HALT] * (CODE_WORDS - len(words))]
    window = [before.read(WINDOW + 4 * i, 4) for i in range(WINDOW_WORDS)]
    memories = [Contents(0, code), Contents(WINDOW, window)]
    registers = [*before.registers, 0, before.status]
    return trace_core("strongarm", memories, count, registers=registers)


def check(words: Sequence[int], before: Machine, after: Machine, pc: int = 4) -> None:
    """That one instruction makes the one of the other, and goes on at `pc`."""
    found = run(words, before)
    assert found.trap is None
    assert found.registers[:16] == [*after.registers, pc]
    assert found.registers[16] == after.status
    window = [after.read(WINDOW + 4 * i, 4) for i in range(WINDOW_WORDS)]
    assert found.memories[1] == window


def changed(before: Machine, **rows: int) -> Machine:
    """The same, with other registers, such as r3=5."""
    registers = list(before.registers)
    for name, value in rows.items():
        registers[int(name[1:])] = value & MASK
    return Machine(registers, before.flags, before.base, bytearray(before.memory))


# ---- Data processing


@pytest.mark.parametrize("op", range(16))
@pytest.mark.parametrize("form", ["immediate", "amount", "register"])
def test_data_processing(op: int, form: str) -> None:
    generator = random.Random(f"{op} {form}")
    for _ in range(60):
        before = machine(generator)
        rd, rn, rm, rs = (generator.randrange(15) for _ in range(4))
        sets = op in (TST, TEQ, CMP, CMN) or bool(generator.getrandbits(1))
        carry = before.flags[2]
        kind = generator.randrange(4)
        if form == "immediate":
            turn, byte = generator.randrange(16), generator.randrange(256)
            word = with_immediate(op, sets, rn, rd, turn, byte)
            second = rotated(byte, turn, carry)
        elif form == "amount":
            amount = generator.choice((0, 1, 31, generator.randrange(32)))
            word = with_register(op, sets, rn, rd, rm, kind, amount)
            second = shifted_by_amount(before.registers[rm], kind, amount, carry)
        else:
            amount = generator.choice((0, 1, 31, 32, 33, 64, 255, generator.randrange(256)))
            before.registers[rs] = before.registers[rs] & ~0xFF | amount
            word = with_shift(op, sets, rn, rd, rm, kind, rs)
            second = shifted(before.registers[rm], kind, amount, carry)
        value, flags = compute(op, before.registers[rn], *second, before.flags)
        after = (
            changed(before) if op in (TST, TEQ, CMP, CMN) else changed(before, **{f"r{rd}": value})
        )
        after.flags = flags if sets else before.flags
        check([word], before, after)


def test_the_program_counter_is_two_instructions_ahead() -> None:
    before = machine(random.Random(1))
    check([with_immediate(ADD, False, 15, 3, 0, 20)], before, changed(before, r3=28))
    check([with_register(MOV, False, 0, 2, 15, LSL, 1)], before, changed(before, r2=16))


def test_writing_the_program_counter() -> None:
    before = changed(machine(random.Random(2)), r14=0x27)
    jump = with_register(MOV, False, 0, 15, 14, LSL, 0)
    check([jump], before, before, pc=0x24)
    check([with_immediate(ADD, False, 15, 15, 0, 8)], before, before, pc=16)


@pytest.mark.parametrize("condition", range(15))
def test_conditions(condition: int) -> None:
    for state in range(16):
        before = machine(random.Random(state))
        before.flags = tuple(bool(state >> place & 1) for place in (3, 2, 1, 0))
        holds = CONDITIONS[condition](*before.flags)
        word = mov(4, 77) & 0x0FFFFFFF | condition << 28
        check([word], before, changed(before, r4=77) if holds else before)


# ---- Products


@pytest.mark.parametrize("adds", [False, True])
def test_products_of_one_register(adds: bool) -> None:
    generator = random.Random(int(adds))
    for _ in range(60):
        before, sets = machine(generator), bool(generator.getrandbits(1))
        rd, rn, rs, rm = generator.sample(range(15), 4)
        value = before.registers[rm] * before.registers[rs]
        value = (value + (before.registers[rn] if adds else 0)) & MASK
        after = changed(before, **{f"r{rd}": value})
        if sets:
            after.flags = (bool(value >> 31), value == 0, *before.flags[2:])
        check([multiply(adds, sets, rd, rn if adds else 0, rs, rm)], before, after)


@pytest.mark.parametrize("sign", [False, True])
@pytest.mark.parametrize("adds", [False, True])
def test_products_of_two_registers(sign: bool, adds: bool) -> None:
    generator = random.Random(2 * sign + adds)
    for _ in range(60):
        before, sets = machine(generator), bool(generator.getrandbits(1))
        hi, lo, rs, rm = generator.sample(range(15), 4)
        factors = [before.registers[rm], before.registers[rs]]
        one, other = map(signed, factors) if sign else factors
        old = before.registers[hi] << 32 | before.registers[lo]
        value = (one * other + (old if adds else 0)) & (1 << 64) - 1
        after = changed(before, **{f"r{hi}": value >> 32, f"r{lo}": value})
        if sets:
            after.flags = (bool(value >> 63), value == 0, *before.flags[2:])
        check([multiply_long(sign, adds, sets, hi, lo, rs, rm)], before, after)


# ---- Accesses


def addressed(generator: random.Random, size: int, most: int) -> tuple[int, int, str, int]:
    """A base, an offset, how it is used, and the address."""
    mode = generator.choice(("offset", "before", "behind"))
    address = WINDOW + size * generator.randrange(4 * WINDOW_WORDS // size)
    offset = generator.randrange(-most, most + 1)
    return (address if mode == "behind" else address - offset), offset, mode, address


@pytest.mark.parametrize("byte", [False, True])
@pytest.mark.parametrize("load", [False, True])
def test_words_and_bytes(load: bool, byte: bool) -> None:
    generator = random.Random(2 * load + byte)
    for _ in range(60):
        size = 1 if byte else 4
        base, offset, mode, address = addressed(generator, size, 0xFFF)
        rd, rn = generator.sample(range(15), 2)
        before = changed(machine(generator), **{f"r{rn}": base})
        moved = {} if mode == "offset" else {f"r{rn}": base + offset}
        if load:
            after = changed(before, **moved, **{f"r{rd}": before.read(address, size)})
        else:
            after = changed(before, **moved)
            after.write(address, size, before.registers[rd])
        check([single(load, byte, rd, rn, offset, mode)], before, after)


HALVES = {(False, 1): 2, (True, 1): 2, (True, 2): 1, (True, 3): 2}


@pytest.mark.parametrize("load, kind", HALVES)
def test_half_words_and_signed_bytes(load: bool, kind: int) -> None:
    generator = random.Random(4 * load + kind)
    size = HALVES[load, kind]
    for _ in range(60):
        base, offset, mode, address = addressed(generator, size, 0xFF)
        rd, rn = generator.sample(range(15), 2)
        before = changed(machine(generator), **{f"r{rn}": base})
        moved = {} if mode == "offset" else {f"r{rn}": base + offset}
        if load:
            value = before.read(address, size)
            value = value if kind == 1 else signed(value, 8 * size)
            after = changed(before, **moved, **{f"r{rd}": value})
        else:
            after = changed(before, **moved)
            after.write(address, size, before.registers[rd])
        check([half(load, kind, rd, rn, offset, mode)], before, after)


@pytest.mark.parametrize("kind", [LSL, LSR, ASR, ROR])
def test_offsets_in_registers(kind: int) -> None:
    generator = random.Random(kind)
    for _ in range(40):
        rd, rn, rm = generator.sample(range(15), 3)
        amount, up = generator.randrange(32), bool(generator.getrandbits(1))
        before = machine(generator)
        offset, _ = shifted_by_amount(before.registers[rm], kind, amount, before.flags[2])
        address = WINDOW + 4 * generator.randrange(WINDOW_WORDS)
        before = changed(before, **{f"r{rn}": address - (offset if up else -offset)})
        word = 0xE7300000 | up << 23 | rn << 16 | rd << 12 | amount << 7 | kind << 5 | rm
        rows = {f"r{rn}": address, f"r{rd}": before.read(address, 4)}
        check([word], before, changed(before, **rows))


def test_half_words_by_a_register() -> None:
    before = changed(machine(random.Random(5)), r1=WINDOW + 40, r2=6)
    word = 0xE11100B2 | 3 << 12  # ldrh r3, [r1, -r2]
    check([word], before, changed(before, r3=before.read(WINDOW + 34, 2)))


@pytest.mark.parametrize("before_each", [False, True])
@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("load", [False, True])
def test_lists(load: bool, back: bool, up: bool, before_each: bool) -> None:
    generator = random.Random(8 * load + 4 * back + 2 * up + before_each)
    for _ in range(20):
        rn = generator.randrange(15)
        others = [r for r in range(15) if r != rn]
        listed = sorted(generator.sample(others, generator.randrange(1, 14)))
        base = WINDOW + 4 * WINDOW_WORDS // 2
        before = changed(machine(generator), **{f"r{rn}": base})
        end = base + 4 * len(listed) * (1 if up else -1)
        lowest = min(base, end) + (4 if up == before_each else 0)
        places = {r: lowest + 4 * i for i, r in enumerate(listed)}
        moved = {f"r{rn}": end} if back else {}
        loaded = {f"r{r}": before.read(a, 4) for r, a in places.items()} if load else {}
        after = changed(before, **moved, **loaded)
        if not load:
            for register, address in places.items():
                after.write(address, 4, before.registers[register])
        bits = sum(1 << register for register in listed)
        check([multiple(load, before_each, up, back, rn, bits)], before, after)


def test_loading_the_program_counter() -> None:
    before = changed(machine(random.Random(6)), r1=WINDOW)
    before.write(WINDOW, 4, 0x29)
    check([single(True, False, 15, 1, 0)], before, before, pc=0x28)
    check([multiple(True, False, True, False, 1, 0x8000)], before, before, pc=0x28)


@pytest.mark.parametrize("byte", [False, True])
def test_exchanges(byte: bool) -> None:
    before = changed(machine(random.Random(7)), r1=WINDOW + 8)
    size = 1 if byte else 4
    after = changed(before, r3=before.read(WINDOW + 8, size))
    after.write(WINDOW + 8, size, before.registers[2])
    check([0xE1010092 | byte << 22 | 3 << 12], before, after)


# ---- Branches and the status


def test_branches() -> None:
    before = machine(random.Random(8))
    check([branch(5)], before, before, pc=20)
    check([branch(3, link=True)], before, changed(before, r14=4), pc=12)
    found = run([mov(0, 1), branch(3), mov(0, 2), mov(0, 3), branch(-2)], before, 4)
    assert [pc for pc, _ in found.instructions] == [0, 4, 16, 8]


def test_the_status() -> None:
    before = machine(random.Random(9))
    check([0xE10F3000], before, changed(before, r3=before.status))
    after = changed(before, r2=0xA0000000)
    after.flags = (True, False, True, False)
    check([0xE128F002], changed(before, r2=0xA0000000), after)
    after = changed(before)
    after.flags = (False, True, False, True)
    check([0xE328F205], before, after)
    # The other bits are not a program's.
    check([0xE121F002], before, before)
    assert before.status & 0xFF == USER


STOPS = {
    "swi": (0xEF000001, "EnvironmentCall"),
    "bx came with Thumb": (0xE12FFF1E, "IllegalInstruction"),
    "clz came later": (0xE16F0F11, "IllegalInstruction"),
    "blx came later": (0xFA000000, "IllegalInstruction"),
    "ldrd came later": (0xE1C100D0, "IllegalInstruction"),
    "a coprocessor": (0xEE070F9A, "IllegalInstruction"),
    "undefined": (0xE7F000F0, "IllegalInstruction"),
    "an exception's end": (0xE1B0F00E, "IllegalInstruction"),
    "another mode's registers": (0xE8D10003, "IllegalInstruction"),
    "a saved status": (0xE14F0000, "IllegalInstruction"),
    "word": (single(True, False, 0, 1, 2), "Misaligned"),
    "half-word": (half(True, 1, 0, 1, 1), "Misaligned"),
    "list": (multiple(True, False, True, False, 2, 1), "Misaligned"),
    "nothing there": (single(True, False, 0, 3, 0), "Refused"),
}


@pytest.mark.parametrize("name", STOPS)
def test_what_stops_the_core(name: str) -> None:
    word, cause = STOPS[name]
    before = changed(machine(random.Random(10)), r1=WINDOW, r2=WINDOW + 1, r3=0x20000000)
    found = run([word], before)
    assert found.trap is not None and f"cause: {cause}" in found.trap
    assert found.registers[15] == 0


# ---- Random programs against another emulator

BASE = 10
"""The register that has the window's middle, and stays."""
CHANGED = 14
"""One that has the same, but for a base that was written back."""


def item(generator: random.Random) -> list[int]:
    """An instruction, under any condition, that is predictable."""
    regs = [r for r in range(13) if r != BASE]
    rd, rn, rm, rs = generator.sample(regs, 4)
    sets, flag = bool(generator.getrandbits(1)), bool(generator.getrandbits(1))
    op = generator.randrange(16)
    sets_or_compares = sets or op in (TST, TEQ, CMP, CMN)
    # Fields that have no meaning are zero.
    result = 0 if op in (TST, TEQ, CMP, CMN) else rd
    first = 0 if op in (MOV, MVN) else rn
    kind = generator.randrange(4)
    choice = generator.randrange(13)
    if choice <= 1:
        byte, turn = generator.randrange(256), generator.randrange(16)
        words = [with_immediate(op, sets_or_compares, first, result, turn, byte)]
    elif choice == 2:
        amount = generator.randrange(32)
        words = [with_register(op, sets_or_compares, first, result, rm, kind, amount)]
    elif choice == 3:
        words = [with_shift(op, sets_or_compares, first, result, rm, kind, rs)]
    elif choice == 4:
        words = [multiply(flag, sets, rd, rn if flag else 0, rs, rm)]
    elif choice == 5:
        words = [multiply_long(flag, bool(generator.getrandbits(1)), sets, rd, rn, rs, rm)]
    elif choice == 6:
        words = [single(sets, flag, rd, BASE, 4 * generator.randrange(-16, 16))]
    elif choice == 7:
        load, kind = generator.choice(tuple(HALVES))
        words = [half(load, kind, rd, BASE, 2 * generator.randrange(-32, 32))]
    elif choice == 8:
        listed = sum(1 << r for r in generator.sample(regs, generator.randrange(1, 9)))
        before, up = bool(generator.getrandbits(1)), bool(generator.getrandbits(1))
        words = [multiple(sets, before, up, False, BASE, listed)]
    elif choice == 9:
        words = [branch(generator.randrange(1, 4))]
    elif choice == 10:
        offset, mode = 4 * generator.randrange(-16, 16), generator.choice(("before", "behind"))
        words = [single(flag, sets, rd, CHANGED, offset, mode)]
        words.append(with_register(MOV, False, 0, CHANGED, BASE, LSL, 0))
    elif choice == 11:
        words = [0xE1000090 | sets << 22 | BASE << 16 | rd << 12 | rn]
    else:
        words = [0xE328F200 | generator.randrange(16)]  # flags = number
    condition = generator.choice((ALWAYS, ALWAYS, generator.randrange(15)))
    return [word & 0x0FFFFFFF | condition << 28 for word in words]


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_against_another_emulator(seed: int) -> None:
    unicorn = pytest.importorskip("unicorn", reason="Unicorn is not installed (extra `dev`)")
    arm = pytest.importorskip("unicorn.arm_const")
    generator = random.Random(seed)
    words = [word for _ in range(400) for word in item(generator)] + [HALT] * 8
    middle = WINDOW + 2 * WINDOW_WORDS
    before = changed(machine(generator), r10=middle, r14=middle)
    code = 0x4000
    other = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
    other.ctl_set_cpu_model(arm.UC_CPU_ARM_SA1100)
    other.mem_map(0, 0x10000)
    other.mem_write(code, b"".join(word.to_bytes(4, "little") for word in words))
    other.mem_write(WINDOW, bytes(before.memory))
    other.reg_write(arm.UC_ARM_REG_CPSR, before.status)
    numbers = [arm.UC_ARM_REG_R0 + i for i in range(13)]
    numbers += [arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR]
    for number, value in zip(numbers, before.registers, strict=True):
        other.reg_write(number, value)
    last = code + 4 * (len(words) - 8)
    window = [before.read(WINDOW + 4 * i, 4) for i in range(WINDOW_WORDS)]
    memories = [Contents(code, words), Contents(WINDOW, window)]
    registers = [*before.registers, 0, before.status]
    found = trace_core("strongarm", memories, 500, pc=code, registers=registers)
    assert found.trap is None and found.registers[15] >= last
    other.emu_start(code, last + 64, count=500)
    assert [other.reg_read(number) for number in numbers] == found.registers[:15]
    assert other.reg_read(arm.UC_ARM_REG_CPSR) >> 28 == found.registers[16] >> 28
    left = bytes(other.mem_read(WINDOW, 4 * WINDOW_WORDS))
    assert left == b"".join(word.to_bytes(4, "little") for word in found.memories[1])
