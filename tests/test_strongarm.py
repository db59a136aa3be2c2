# SPDX-License-Identifier: Apache-2.0
"""What instructions, caches and the bus take on a StrongARM: a test for each number of
`engine/src/cores/strongarm/timing.rs`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pytest
from armv4 import (
    LSL,
    MOV,
    add,
    branch,
    half,
    mov,
    multiple,
    multiply,
    multiply_long,
    single,
    with_register,
)
from armv4 import with_immediate as immediate
from tandem.models.cores import Contents, CoreTrace, trace_core

DATA, DEVICE = 0x10000, 0x80000000
"""r10 and r11 have these addresses."""
LINE, WAYS, BLOCK, ENTRIES = 32, 32, 16, 8
NOP = with_register(MOV, False, 0, 0, 0, LSL, 0)


def run(
    words: Sequence[int],
    count: int,
    registers: Mapping[int, int] | None = None,
    wait: int = 0,
    burst: int = 1,
    strongarm: Mapping[str, int] | None = None,
) -> CoreTrace:
    rows = {10: DATA, 11: DEVICE, **(registers or {})}
    given = [rows.get(number, 0) for number in range(16)]
    memories = [
        Contents(0, [*words, *[NOP] * (-len(words) % 8)], wait, burst),
        Contents(DATA, [0] * 0x8000, wait, burst),
        Contents(DEVICE, [0] * 16, wait, burst),
    ]
    return trace_core("strongarm", memories, count, registers=given, strongarm=strongarm)


def spent(
    words: Sequence[int], registers: Mapping[int, int] | None = None, **more: int
) -> list[int]:
    """Cycles of each, from the one before it retired until it did, with all of it in the caches."""
    body = [*words, branch(-len(words))]
    traced = run(body, 4 * len(body), registers, strongarm=more)
    assert traced.trap is None
    cycles = [cycle for _, cycle in traced.instructions]
    last = cycles[-len(body) - 1 :]
    return [behind - before for before, behind in itertools.pairwise(last)][:-1]


def read(rd: int, rn: int = 10, offset: int = 0) -> int:
    return single(True, False, rd, rn, offset)


def write(rd: int, rn: int = 10, offset: int = 0) -> int:
    return single(False, False, rd, rn, offset)


# ---- Issue cycles and result delays


def test_data_processing_takes_a_cycle() -> None:
    assert spent([mov(1, 5), add(2, 1, 1), add(3, 2, 2)]) == [1, 1, 1]


def test_a_load_delays_who_uses_it_at_once() -> None:
    assert spent([read(1), add(2, 1, 1)]) == [1, 2]
    assert spent([read(1), mov(3, 1), add(2, 1, 1)]) == [1, 1, 1]
    assert spent([single(True, True, 1, 10, 3), add(2, 1, 1)]) == [1, 2]
    assert spent([half(True, 1, 1, 10, 2), add(2, 1, 1)]) == [1, 2]


def test_a_load_with_a_sign_delays_one_more() -> None:
    assert spent([half(True, 2, 1, 10, 1), add(2, 1, 1)]) == [1, 3]
    assert spent([half(True, 3, 1, 10, 2), add(2, 1, 1)]) == [1, 3]


def test_the_base_is_there_at_once() -> None:
    assert spent([single(True, False, 1, 10, 0, "behind"), add(2, 10, 10)]) == [1, 1]
    assert spent([single(False, False, 1, 10, 0, "before"), add(2, 10, 10)]) == [1, 1]


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_lists_take_a_cycle_a_register_and_two_at_least(count: int) -> None:
    listed = (1 << count) - 1
    issue = max(2, count)
    for load in (True, False):
        assert spent([multiple(load, False, True, False, 10, listed), mov(9, 1)]) == [issue, 1]
    last = count - 1
    load = multiple(True, False, True, False, 10, listed)
    assert spent([load, add(9, last, last)]) == [issue, 2]
    if count > 1:
        assert spent([load, add(9, 0, 0)]) == [issue, 1], "the first one has come before"


PRODUCTS = {0: 1, 0x7FF: 1, 0x800: 2, 0x7FFFFF: 2, 0x800000: 3, 0xFFFFFFFF: 1, 0xFFFFF7FF: 2}


@pytest.mark.parametrize("factor", PRODUCTS)
def test_products_by_the_size_of_the_factor(factor: int) -> None:
    delay = PRODUCTS[factor]
    registers = {1: 3, 2: factor}
    assert spent([multiply(False, False, 3, 0, 2, 1), add(4, 3, 3)], registers) == [1, 1 + delay]
    assert spent([multiply(False, False, 3, 0, 2, 1), mov(4, 1)], registers) == [1, 1]
    two = [multiply(False, False, 3, 0, 2, 1), multiply(False, False, 4, 0, 2, 1)]
    assert spent(two, registers)[1] == delay, "one step of the multiplier at a time"
    long = multiply_long(True, False, False, 3, 5, 2, 1)
    assert spent([long, add(4, 3, 5)], registers) == [2, 1 + delay]


def test_unsigned_products_of_two_registers_end_at_zeros_only() -> None:
    long = multiply_long(False, False, False, 3, 5, 2, 1)
    assert spent([long, add(4, 3, 5)], {1: 3, 2: 0xFFFFFFFF}) == [2, 4]


def test_flags_of_a_product_come_with_it() -> None:
    words = [multiply(False, True, 3, 0, 2, 1), mov(4, 1) & 0x0FFFFFFF]
    assert spent(words, {1: 1, 2: 0x800000}) == [1, 4]


def test_the_status() -> None:
    assert spent([0xE10F3000, add(4, 3, 3)]) == [1, 1]
    assert spent([0xE128F002, mov(4, 1)]) == [3, 1]


def test_exchanges() -> None:
    assert spent([0xE10A3091 | 1, add(4, 3, 3)]) == [2, 3]
    assert spent([0xE10A3091 | 1, mov(4, 3)]) == [2, 1]


def test_branches() -> None:
    assert spent([branch(1), mov(1, 1)]) == [2, 1]
    assert spent([branch(1, link=True), mov(1, 1)]) == [2, 1]
    never = branch(1, condition=4)  # mi, and N is never set
    assert spent([never, mov(1, 1)]) == [1, 1]
    assert spent([mov(1, 1) & 0x0FFFFFFF | 4 << 28, mov(1, 1)]) == [1, 1]


def test_writing_the_program_counter() -> None:
    jump = immediate(4, False, 15, 15, 0, 0)  # add pc, pc, #0: over the next one
    assert spent_over([jump, NOP, mov(1, 1)]) == 2
    assert spent_over([jump, NOP, mov(1, 1)], jump_cycles=2) == 3


def test_loading_the_program_counter() -> None:
    place = single(True, False, 15, 10, 0)
    words = [place, NOP, mov(1, 1)]
    assert spent_over(words, target=8) == 4
    assert spent_over(words, target=8, load_jump_cycles=2) == 3
    listed = multiple(True, False, True, False, 10, 0x8001)
    assert spent_over([listed, NOP, mov(1, 1)], target=8) == 5


def spent_over(words: Sequence[int], target: int = 0, **strongarm: int) -> int:
    """Cycles of the first one, which goes over the next; `target`: what is in the words of data."""
    memories = [
        Contents(0, [*words, branch(-len(words)), *[NOP] * 8]),
        Contents(DATA, [target] * 8),
    ]
    given = [DATA if number == 10 else 0 for number in range(16)]
    traced = trace_core("strongarm", memories, 9, registers=given, strongarm=strongarm)
    assert traced.trap is None
    rows = traced.instructions[-4:]
    assert [pc for pc, _ in rows[1:]] == [0, 8, 12]
    return rows[1][1] - rows[0][1]


# ---- Caches and the bus


@pytest.mark.parametrize("wait, burst, miss", [(0, 1, 1), (5, 1, 1), (22, 3, 0), (4, 2, 6)])
def test_the_first_instructions(wait: int, burst: int, miss: int) -> None:
    """Fetched in cycle 0, asked for `miss` behind it; what has come issues in the next cycle."""
    traced = run([NOP] * 16, 9, wait=wait, burst=burst, strongarm={"miss_cycles": miss})
    cycles = [cycle for _, cycle in traced.instructions]
    first = miss + wait
    assert cycles[:8] == [first + burst * number + 2 for number in range(8)]
    # The next line is asked for when the pipeline comes to it.
    fetched = cycles[7] - 1
    free = first + 7 * burst + 1
    assert cycles[8] == max(fetched + miss, free) + wait + 2


def test_a_line_comes_with_the_word_that_is_asked_for_first() -> None:
    body = [read(1, 10, 20), read(2, 10, 24), read(3, 10, 16), mov(4, 1)]
    cycles = [c for _, c in run(body, 4, wait=3, burst=4).instructions]
    assert [cycles[1] - cycles[0], cycles[2] - cycles[0]] == [4, 7 * 4]


def test_misses_of_data() -> None:
    wait = 9
    words = [read(1, 10, 4 * LINE), read(2, 10, 4 * LINE), mov(3, 1), branch(0)]
    cycles = [c for _, c in run(words, 4, wait=wait).instructions]
    issue = 1 + wait + 1
    asked = max(issue + 2 + 1, 1 + wait + 8)
    assert cycles[0] == issue + 1 + asked + wait - (issue + 2)
    assert cycles[1] == cycles[0] + 1, "the word has come already"


def misses(places: int, stride: int, **strongarm: int) -> int:
    """How many loads of a second round take longer than a hit."""
    step = immediate(4, False, 10, 10, 0xF, stride >> 2) if stride < 1024 else 0
    words = [read(1), step] * places
    back = with_register(MOV, False, 0, 10, 9, LSL, 0)
    body = [*words, back]
    body.append(branch(-len(body)))
    traced = run(body, 2 * len(body), {9: DATA}, wait=20, strongarm=strongarm)
    cycles = [0] + [cycle for _, cycle in traced.instructions]
    second = range(len(body), len(body) + len(words), 2)
    return sum(cycles[i + 1] - cycles[i] > 1 for i in second)


@pytest.mark.parametrize("kib", [8, 16])
def test_a_set_of_data_has_32_lines(kib: int) -> None:
    stride = (kib << 10) // WAYS
    cache = {"data_cache_bytes": kib << 10}
    assert misses(WAYS, stride, **cache) == 0
    assert misses(WAYS + 1, stride, **cache) == WAYS + 1, "the oldest one goes"
    assert misses(WAYS + 1, stride + LINE, **cache) == 0


@pytest.mark.parametrize("places", [WAYS, WAYS + 1])
def test_a_set_of_instructions_has_32_lines(places: int) -> None:
    stride = (16 << 10) // WAYS // 4
    words = [NOP] * (places * stride)
    for place in range(places):
        words[place * stride] = branch(stride if place < places - 1 else -(places - 1) * stride)
    cycles = [c for _, c in run(words, 3 * places, wait=20).instructions]
    second = [cycles[i] - cycles[i - 1] for i in range(places, 2 * places)]
    assert all(gap == 2 for gap in second) == (places == WAYS)


def test_stores_that_miss_go_through_eight_entries() -> None:
    """Each entry waits for the bus; the ninth for a place."""
    wait = 40
    stores = [write(1, 10, LINE * number) for number in range(11)]
    words = [read(2, 11), *stores, branch(-12)]
    cycles = [c for _, c in run(words, 2 * len(words), wait=wait).instructions][len(words) :]
    gaps = [after - before for before, after in itertools.pairwise(cycles)]
    # The first one is written from the cycle behind that in which it came, for wait + 1 cycles.
    ended = 1 + wait + 1
    assert gaps[:11] == [*[1] * ENTRIES, 1 + ended - ENTRIES, wait + 1, wait + 1]


def test_stores_that_miss_load_nothing() -> None:
    words = [write(1, 10, 0), read(2, 10, 0), branch(0)]
    cycles = [c for _, c in run(words, 2, wait=30).instructions]
    assert cycles[1] - cycles[0] > 2 * 30, "the word is written before its line is read"


def device_read_behind(words: Sequence[int], wait: int) -> int:
    """Cycles of an uncached read behind instructions that all is in the cache of."""
    body = [*words, read(2, 11), branch(-len(words) - 1)]
    traced = run(body, 2 * len(body), wait=wait)
    cycles = [c for _, c in traced.instructions]
    return cycles[-2] - cycles[-3]


def test_devices_are_neither_cached_nor_buffered() -> None:
    wait = 11
    assert device_read_behind([mov(1, 1)], wait) == 1 + 1 + wait
    body = [mov(1, 1), write(1, 11), branch(-2)]
    cycles = [c for _, c in run(body, 6, wait=wait).instructions]
    assert cycles[4] - cycles[3] == 1 + 1 + wait
    # Behind the write buffer, an entry of one word each: the store went to it in the buffer stage,
    # one cycle before that of the read.
    behind = device_read_behind([write(1, 10, 0x100)], wait)
    assert behind == 1 + (wait + 1) + wait


def test_a_list_has_an_entry_for_each_block() -> None:
    wait = 11
    four = multiple(False, False, True, False, 10, 0x1E)
    alone = device_read_behind([four], wait)
    # A burst, its wait once, from the cycle behind that in which the first of four words came: four
    # cycles before the read is in the buffer stage.
    free = -4 + 1 + wait + 4
    assert alone == 1 + free + wait
    five = multiple(False, False, True, False, 10, 0x3E)
    more = device_read_behind([five], wait)
    assert more == alone - 1 + wait + 1, "another block, and a cycle more before the read"


def test_changed_blocks_are_written_back() -> None:
    """A line that leaves the cache has its changed blocks written, and no others."""
    wait, stride = 30, 512
    costs = []
    for stores in ([], [0], [0, 16]):
        words = [read(1)]
        words += [write(1, 10, offset) for offset in stores]
        walk = [immediate(4, False, 10, 10, 0xF, stride >> 2), read(1)] * WAYS
        body = [*words, *walk, read(2, 11), branch(0)]
        cycles = [c for _, c in run(body, len(body), wait=wait).instructions]
        costs.append(cycles[-2] - cycles[-3])
    burst = wait + BLOCK // 4
    assert costs[1] - costs[0] == burst
    assert costs[2] - costs[1] == burst


@pytest.mark.parametrize("core, word", [("strongarm", add(1, 1, 1)), ("picorv32", 0x00108093)])
def test_steps_make_no_difference(core: str, word: int) -> None:
    """A run told to go on a cycle or a few at a time, of instructions that miss the caches."""
    words = [word, read(2), write(3, 10, 64)] if core == "strongarm" else [word]
    code = Contents(0, words * 48, 7, 2)
    memories = [code, Contents(DATA, [0] * 64, 7, 2)]
    registers = [0] * 10 + [DATA]
    runs = [
        trace_core(core, memories, len(words) * 40, registers=registers, step_cycles=step)
        for step in (0, 1, 5)
    ]
    assert runs[0] == runs[1] == runs[2]
    assert len(runs[0].instructions) == len(words) * 40
