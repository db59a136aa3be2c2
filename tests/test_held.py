# SPDX-License-Identifier: Apache-2.0
"""What is said to hold an operation back does: a cycle earlier, that and nothing else would not be
kept to; and what is said to be later than it must could be earlier."""

from __future__ import annotations

from pathlib import Path

import pytest
from seeds import sampled
from tandem.compiler.compile import compile_kernel
from tandem.describe.held import Cause, Holds
from tandem.frontend.program import Program
from tandem.schedule.delays import Target
from tandem.schedule.problem import Node, NodeKind, Problem
from tandem.schedule.scheduled import BlockSchedule

KERNELS = {
    "table": """void f(const unsigned *t, const unsigned *in, unsigned *out, int n)
    { for (int i = 0; i < n; i++) out[i] = t[in[i] & 255] * 5 + t[in[i] >> 24]; }""",
    "sum": """unsigned f(const unsigned char *in, int n)
    { unsigned s = 1; for (int i = 0; i < n; i++) s = s * 31 + in[i]; return s; }""",
    "in_place": """void f(unsigned *a, int n)
    { for (int i = 1; i < n; i++) a[i] = a[i] * 3 + a[i - 1] * a[i - 1]; }""",
    "search": """int f(const unsigned *a, unsigned *seen, unsigned wanted, int n)
    { for (int i = 0; i < n; i++) {
        if (a[i] * 7 + (a[i] >> 3) == wanted) return i;
        seen[i] = a[i];
      } return -1; }""",
    "divide": """void f(const unsigned *a, unsigned *b, int n)
    { for (int i = 0; i < n; i++) b[i] = a[i] / (i + 3u) + (a[i] ^ (a[i] << 5) ^ 77) % 11; }""",
    "mixing": """void f(const unsigned *a, unsigned *b, int n)
    { for (int i = 0; i < n; i++) { unsigned x = a[i]; for (int k = 0; k < 6; k++)
        x = (x ^ (x >> 7)) * 2654435761u + (x << 3); b[i] = x; b[i + n] = x >> 9; } }""",
    "straight": """unsigned f(unsigned a, unsigned b, unsigned *p)
    { unsigned x = a * b + 3; p[0] = x; p[1] = x / (b | 1); return x + p[2] * p[3] - p[4]; }""",
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("clock_ps", sampled([5_000, 10_000]))
def test_each_reason_holds(tmp_path: Path, target: Target, name: str, clock_ps: int) -> None:
    file = tmp_path / "f.c"
    file.write_text(KERNELS[name])
    schedule = compile_kernel(Program.of(file), "f", target, clock_ps).schedule
    told = {cause for s in schedule.blocks.values() for cause in reasons(s)}
    assert told


def reasons(s: BlockSchedule) -> list[Cause]:
    """The causes of a block's operations, each compared with what it would be a cycle earlier."""
    problem, holds, found = s.problem, Holds(s), []
    for op, cycle in s.start.items():
        held = holds.of(op)
        found.append(held.cause)
        if problem is not None and op in problem.node_of:
            node = problem.node_of[op]
            kept = cycle > 0 and unmet(s, problem, node) == [] and has_room(s, problem, node)
            assert kept == (held.cause == Cause.SLACK), (op.slug, op.line, cycle, held)
    return found


def place(s: BlockSchedule, node: Node) -> int:
    if node.kind is NodeKind.OP:
        assert node.op is not None
        return s.start[node.op]
    if node.kind in (NodeKind.READ, NodeKind.WRITE):
        assert node.op is not None
        return (s.reads if node.kind is NodeKind.READ else s.writes)[node.op]
    return {"origin": 0, "decide": s.decide, "end": s.length - 1}[node.kind]


def unmet(s: BlockSchedule, problem: Problem, node: Node) -> list[object]:
    """What would not be kept to if an operation were a cycle earlier."""
    rows = [c for c in problem.constraints if c.after is node and c.before is not node]
    early = place(s, node) - 1
    return [c for c in rows if early < place(s, c.before) + c.weight(s.ii)]


def has_room(s: BlockSchedule, problem: Problem, node: Node) -> bool:
    """Whether what serves an operation would have been free a cycle earlier."""
    if not node.unit:
        return True

    def slot(cycle: int) -> int:
        return cycle % s.ii if s.ii else cycle

    wanted = slot(place(s, node) - 1)
    others = (n for n in problem.served()[node.unit] if n is not node)
    return sum(slot(place(s, n)) == wanted for n in others) < problem.capacity[node.unit]
