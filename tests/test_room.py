# SPDX-License-Identifier: Apache-2.0
"""A kernel that would take more than it may is made smaller, or refused with what it needs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tandem import policy
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.compiler.goals import BALANCED
from tandem.compiler.room import Room
from tandem.diagnostics import Infeasible
from tandem.frontend.program import Program
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
TAPS = 8
FILTER = f"""
short filter(const short x[{TAPS}], const short c[{TAPS}]) {{
    int sum = 0;
    for (int i = 0; i < {TAPS}; i++)
        sum += x[i] * c[i];
    return (short)(sum >> 15);
}}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "filter.c"
    file.write_text(FILTER)
    return file


def compiled(source: Path, target: Target, room: Room) -> Compiled:
    goal = replace(BALANCED, room=room)
    return compile_kernel(Program.of(source), "filter", target, CLOCK_PS, goal=goal)


def test_copies_give_way_to_a_loop(source: Path, target: Target) -> None:
    assert estimate_area(compiled(source, target, Room()).schedule)["dsp"] == TAPS
    small = compiled(source, target, Room(dsp=1)).schedule
    assert estimate_area(small)["dsp"] == 1
    assert any(s.ii for s in small.blocks.values())


def test_what_fits_is_not_made_smaller(source: Path, target: Target) -> None:
    whole = compiled(source, target, Room())
    roomy = compiled(source, target, Room(100_000, 100_000, TAPS))
    assert roomy.hardware.verilog_text == whole.hardware.verilog_text


def test_iterations_start_more_seldom_where_registers_are_few(
    tmp_path: Path, target: Target
) -> None:
    file = tmp_path / "filter.c"
    file.write_text("""void filter(const unsigned *in, unsigned long *out, int n) {
    for (int i = 0; i < n; i++) out[i] = (in[i] * 7777ul + 5) * (in[i] ^ 321u) + in[i]; }""")
    fast = compiled(file, target, Room()).schedule
    assert fast.ii == 1
    most = estimate_area(fast)["ff"] * 2 // 3
    small = compiled(file, target, Room(ff=most)).schedule
    assert small.ii in policy.LARGER_IIS and estimate_area(small)["ff"] <= most
    (loop,) = (s for s in small.blocks.values() if s.ii)
    assert loop.limits.sentence() == f"an iteration every {small.ii} cycles takes fewer registers"


BY_LENGTH = "#include <stdint.h>\nuint64_t filter(const uint64_t *p, uint64_t n) {\n" + "".join(
    f"    if (n == {n}) return " + " ^ ".join(f"p[{i}] * p[{i + 1}]" for i in range(n)) + ";\n"
    for n in range(1, 6)
)
BLOCKS_OF_A_PRODUCT = 10
"""Multiplier blocks of 18 bits that the lower half of a product of 64 bits takes."""


def with_multipliers(target: Target, dsp: int) -> Target:
    return replace(target, resources={**target.resources, "dsp": dsp})


@pytest.mark.parametrize("count", [None, 60, 2])
def test_products_share_the_multipliers_that_a_device_has(
    count: int | None, tmp_path: Path, target: Target
) -> None:
    """Of products of which few are computed at a time, if there are fewer than would be taken; not
    where there are too few even then."""
    file = tmp_path / "filter.c"
    file.write_text(BY_LENGTH + "    return 0;\n}\n")
    whole = compiled(file, target, Room())
    most = estimate_area(whole.schedule)["dsp"]
    assert most >= 15 * BLOCKS_OF_A_PRODUCT
    made = compiled(file, with_multipliers(target, count or most), Room())
    taken = estimate_area(made.schedule)["dsp"]
    assert taken == most if count in (None, 2) else taken <= 60
    told = [d.code for d in made.notes]
    assert ("device" in told) == (count == 2)


def test_products_that_would_take_long_so_share_no_multipliers(
    source: Path, target: Target
) -> None:
    made = compiled(source, with_multipliers(target, 1), Room())
    assert estimate_area(made.schedule)["dsp"] == TAPS


def test_what_cannot_fit_is_refused(source: Path, target: Target) -> None:
    with pytest.raises(Infeasible) as error:
        compiled(source, target, Room(lut4=1, dsp=0))
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "room"
    assert "LUT4 and 1 multipliers, more than 1 and 0" in diagnostic.message
    assert diagnostic.place is not None and diagnostic.place.line == 4


def test_how_far_an_area_is_from_its_room() -> None:
    area = {"lut4": 300, "ff": 50, "dsp": 2}
    assert Room().excess(area) == 1 and not Room().missing(area)
    room = Room(lut4=200, ff=100, dsp=0)
    assert room.missing(area) == {"lut4": 100, "dsp": 2}
    assert room.excess(area) == 2


def beyond(source: Path, target: Target, room: Room, **device: int) -> list[tuple[str, str]]:
    small = replace(target, resources=target.resources | device)
    notes = compiled(source, small, room).notes
    return [(note.message, note.help) for note in notes if note.code == "device"]


def test_what_the_device_does_not_hold_is_told(source: Path, target: Target) -> None:
    assert beyond(source, target, Room()) == []
    assert beyond(source, target, Room(), dsp=TAPS) == []
    ((message, cure),) = beyond(source, target, Room(), dsp=TAPS - 1, lut4=1)
    assert f"and {TAPS} multipliers of {TAPS - 1}; the device" in message
    assert "--max-lut4 1 --max-dsp 7" in cure and "not tried" in cure
    # With the option that is told it fits.
    assert beyond(source, target, Room(dsp=TAPS - 1), dsp=TAPS - 1) == []


def test_memories_beyond_the_device_are_told(tmp_path: Path, target: Target) -> None:
    file = tmp_path / "filter.c"
    file.write_text("""int filter(const int *in, int n) {
    int kept[256] = {0};
    for (int i = 0; i < n; i++) kept[in[i] & 255] += i;
    return kept[7]; }""")
    ((message, cure),) = beyond(file, target, Room(), bram_bits=8191)
    assert "8,192 bits of tables and memories of 8,191" in message and "arrays" in cure
