# SPDX-License-Identifier: Apache-2.0
"""`tandem build --why LINE`: what a line became, and why it does not start earlier."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.compiler.goals import find_goal
from tandem.compiler.room import Room
from tandem.describe.held import Cause, Holds
from tandem.describe.lines import line_json
from tandem.diagnostics import UserError, lines_text
from tandem.frontend.program import Program
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Load
from tandem.schedule.delays import Target
from trial import good, source, tandem

TEXT = """#include <stdint.h>
uint32_t mix(const uint32_t *table, const uint32_t *in, uint32_t *out, int n)
{
    uint32_t sum = 1;
    for (int i = 0; i < n; i++) {
        uint32_t a = table[in[i] & 255];
        uint32_t b = table[in[i] >> 24];
        sum = sum * 5 + a;
        out[in[i] & 1023] = b;
    }
    return sum;
}
"""


@pytest.fixture
def schedule(tmp_path: Path, target: Target) -> Any:
    file = tmp_path / "mix.c"
    file.write_text(TEXT)
    return compile_kernel(Program.of(file), "mix", target, 10_000).schedule


def rows_of(schedule: Any, line: int, kind: str) -> list[dict[str, Any]]:
    return [row for row in line_json(schedule, line) if row["operation"] == kind]


def test_a_busy_port_is_named(schedule: Any) -> None:
    """One of the two loads takes the port in a cycle of its own."""
    loads = [*rows_of(schedule, 6, "load"), *rows_of(schedule, 7, "load")]
    tables = [row for row in loads if row["unit"] == "reading port 0 of table"]
    assert len(tables) == 2
    cycles = {row["cycle"] % row["ii"] for row in tables}
    assert len(cycles) == 2
    assert any("one port to load through" in row["limit"] for row in tables)


@pytest.mark.parametrize(("cycles", "told"), [((0, 1), [4, 5]), ((1,), []), ((0,), []), ((), [])])
def test_a_port_that_was_free_once_is_no_reason(cycles: tuple[int, ...], told: list[int]) -> None:
    """A load of cycle 2 that could have been in cycle 0, with others in some cycles before it."""
    memory, another = (Memory(name, MemoryKind.RAM, 8) for name in ("m", "other"))
    loads = {Load((), 8, {"memory": memory}, line=4 + cycle): cycle for cycle in (*cycles, 2)}
    other = Load((), 8, {"memory": another}, line=9)
    units = {op: SimpleNamespace(unit=f"load {op.memory.name}") for op in (*loads, other)}
    ports = {"load m": 1, "load other": 1}
    problem = SimpleNamespace(node_of=units, capacity=ports, constraints=[])
    busy: Any = SimpleNamespace(
        start={**loads, other: 1}, block=SimpleNamespace(parameters=[]), ii=0, problem=problem
    )
    held = Holds(busy).of(list(loads)[-1])
    assert (held.cause == Cause.RESOURCE) == bool(told)
    assert held.text == f"its port, which serves {lines_text(told)} first" or not told


def test_an_input_is_named(schedule: Any) -> None:
    (store,) = rows_of(schedule, 9, "store")
    assert store["waits_for"] == "the load of line 7"
    assert store["bits"] == 32


def test_dividers_and_shared_multipliers_are_named(tmp_path: Path, target: Target) -> None:
    file = tmp_path / "f.c"
    file.write_text("unsigned f(unsigned a, unsigned b, unsigned c) { return a * b / c; }")
    goal = find_goal("balanced", Room(dsp=1))
    made = compile_kernel(Program.of(file), "f", target, 10_000, goal=goal).schedule
    units = {row["operation"]: row["unit"] for row in line_json(made, 1)}
    assert units["divide"] == "a divider, 16 cycles for 32 bits"
    assert units["mul"] == "multiplier 0 of 1, which products share"


def test_what_waits_for_the_iteration_before_says_so(schedule: Any) -> None:
    assert any("of the iteration before" in row["waits_for"] for row in line_json(schedule, 8))


def test_a_line_without_hardware(schedule: Any) -> None:
    with pytest.raises(UserError) as refused:
        line_json(schedule, 4)
    told = str(refused.value)
    assert "line 4 has no operation" in told and "6, 7, 8, 9" in told


def test_the_page_and_the_data(tmp_path: Path) -> None:
    source(tmp_path)
    pragmas = "#pragma tandem extent(table, 1024)\n#pragma tandem extent(out, 4096)\n"
    (tmp_path / "app.c").write_text(TEXT.replace("uint32_t mix", f"{pragmas}uint32_t mix"))
    words = ["build", "app.c", "--top", "mix", "--why", "11"]
    done = tandem(*words, cwd=tmp_path)
    good(done)
    assert "writing port 0 of out" in done.stdout
    done = tandem(*words, "--json", cwd=tmp_path)
    good(done)
    assert [row["operation"] for row in json.loads(done.stdout)["why"]].count("store") == 1
