# SPDX-License-Identifier: Apache-2.0
"""What instructions and memory take on a MicroBlaze: a test for each number of
`engine/src/cores/microblaze.rs`. What instructions do is in test_rv32."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from tandem.models.cores import Contents, CoreTrace, trace_core
from test_rv32 import b_type, i_type, j_type, r_type, s_type

DATA, DEVICE = 0x10000, 0x80000000
"""x10 and x11 have these addresses; x5 is 6, x6 is 3."""
REGISTERS = [0, 0, 0, 0, 0, 6, 3, 0, 0, 0, DATA, DEVICE]
NOP = i_type(0x13, 0, 0, 0, 0)
ADD = r_type(0, 0, 7, 5, 6)
LOAD = i_type(0x03, 2, 7, 10, 0)
STORE = s_type(2, 10, 5, 4)
SHIFTS = [r_type(0, 1, 7, 5, 6), r_type(0x20, 5, 7, 5, 6), i_type(0x13, 5, 7, 5, 31)]
DIVIDE = r_type(1, 4, 7, 5, 6)
BLOCK_RAM = 1
"""A word comes in the cycle behind its request."""


def run(words: Sequence[int], count: int, wait: int = BLOCK_RAM, **rows: int) -> CoreTrace:
    memories = [
        Contents(0, [*words, *[NOP] * 16], wait),
        Contents(DATA, [0] * 16, wait),
        Contents(DEVICE, [0] * 16, 9),
    ]
    traced = trace_core("microblaze", memories, count, registers=REGISTERS, microblaze=rows)
    assert traced.trap is None
    return traced


def spent(words: Sequence[int], wait: int = BLOCK_RAM, **rows: int) -> list[int]:
    """Cycles of each, from the one before it retired until it did."""
    cycles = [cycle for _, cycle in run([NOP, *words], len(words) + 1, wait, **rows).instructions]
    return [behind - before for before, behind in itertools.pairwise(cycles)]


def test_most_instructions_take_a_cycle() -> None:
    upper, relative = 0x12345000 | 7 << 7 | 0x37, 0x00001000 | 8 << 7 | 0x17
    fence = 0x0FF0000F
    assert spent([ADD, r_type(0x20, 0, 7, 7, 5), upper, relative, fence]) == [1] * 5


def test_nothing_waits_for_a_result() -> None:
    assert spent([LOAD, r_type(0, 0, 8, 7, 7), ADD]) == [2, 1, 1]
    assert spent([r_type(1, 0, 7, 5, 6), r_type(0, 0, 8, 7, 7)]) == [3, 1]


@pytest.mark.parametrize("word", [LOAD, STORE, i_type(0x03, 0, 7, 10, 1), s_type(0, 10, 5, 3)])
def test_the_address_and_then_the_word(word: int) -> None:
    assert spent([word, word, ADD]) == [2, 2, 1]
    assert spent([word, ADD], wait=0) == [2, 1], "an answer in the same cycle gains nothing"


def test_a_device_is_waited_for() -> None:
    for word in (i_type(0x03, 2, 7, 11, 0), s_type(2, 11, 5, 4)):
        assert spent([word, ADD]) == [1 + 9, 1]


@pytest.mark.parametrize("word", SHIFTS)
def test_shifts(word: int) -> None:
    assert spent([word, ADD]) == [2, 1]
    assert spent([word, ADD], shift_cycles=1) == [1, 1]


@pytest.mark.parametrize("funct3", [0, 1, 2, 3])
def test_products(funct3: int) -> None:
    assert spent([r_type(1, funct3, 7, 5, 6), ADD]) == [3, 1]


@pytest.mark.parametrize("funct3", [4, 5, 6, 7])
def test_quotients(funct3: int) -> None:
    assert spent([r_type(1, funct3, 7, 5, 6), ADD]) == [34, 1]
    assert spent([r_type(1, funct3, 7, 5, 6), ADD], divide_cycles=35) == [35, 1]
    assert spent([r_type(1, funct3, 7, 5, 0), ADD], divide_cycles=35) == [1, 1], "by zero"


def test_branches() -> None:
    """Over one word, and to the next."""
    assert spent([b_type(0, 5, 6, 8), ADD]) == [1, 1], "not taken"
    for taken in (b_type(1, 5, 6, 8), j_type(1, 8), i_type(0x67, 0, 1, 0, 12)):
        assert spent([taken, NOP, ADD])[:2] == [3, 1]
        assert spent([taken, NOP, ADD], branch_cycles=2)[:2] == [2, 1]
    assert spent([b_type(1, 5, 6, 4), ADD]) == [3, 1]


@pytest.mark.parametrize("wait", [0, 1, 2, 7])
def test_the_first_instructions_are_fetched_and_decoded(wait: int) -> None:
    cycles = [cycle for _, cycle in run([ADD] * 4, 4, wait).instructions]
    fetch = max(wait, 1)
    # Fetched, decoded, executed; the next word is asked for when one has come.
    assert cycles == [fetch + 1 + 1 + 1 + number * fetch for number in range(4)]


@pytest.mark.parametrize("wait", [1, 2, 7])
def test_a_target_is_asked_for_when_the_branch_executes(wait: int) -> None:
    cycles = [cycle for _, cycle in run([j_type(0, 8), NOP, ADD, ADD], 3, wait).instructions]
    executed = cycles[0] - 3
    assert cycles[1] == executed + wait + 1 + 1 + 1
    assert cycles[2] == cycles[1] + wait


def test_four_words_are_fetched_ahead() -> None:
    """While a quotient is made; the fifth is asked for when the first one leaves the buffer."""
    wait = 5
    gaps = spent([DIVIDE, *[ADD] * 7], wait)
    assert gaps[1:5] == [1, 1, 1, 1]
    asked, executes = 34, 34 + 3
    assert gaps[5] == asked + wait + 2 - executes
    assert gaps[6:] == [wait, wait]


def test_a_jump_to_the_middle_of_a_word_stops_it() -> None:
    words = [i_type(0x67, 0, 0, 0, 6), *[NOP] * 8]
    traced = trace_core("microblaze", [Contents(0, words, BLOCK_RAM)], 9)
    assert traced.trap is not None and "Misaligned" in traced.trap
    assert [pc for pc, _ in traced.instructions] == [0]


def test_there_are_no_short_instructions() -> None:
    traced = trace_core("microblaze", [Contents(0, [0x00010001] * 8, BLOCK_RAM)], 9)
    assert traced.trap is not None and "IllegalInstruction" in traced.trap


@pytest.mark.parametrize("wait", [1, 7])
def test_steps_make_no_difference(wait: int) -> None:
    words = [LOAD, DIVIDE, STORE, *SHIFTS, j_type(0, -24)]
    memories = [Contents(0, [*words, NOP], wait), Contents(DATA, [0] * 16, wait)]
    runs = [
        trace_core("microblaze", memories, 200, registers=REGISTERS, step_cycles=step)
        for step in (0, 1, 5)
    ]
    assert runs[0] == runs[1] == runs[2]
    assert len(runs[0].instructions) == 200
