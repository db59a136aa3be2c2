# SPDX-License-Identifier: Apache-2.0
"""The clock of kernels that cannot have the one asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tandem.compiler.clocks import shortest_clock_ps
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.compiler.cores import with_cores
from tandem.compiler.goals import find_goal
from tandem.diagnostics import Infeasible
from tandem.frontend.program import Program
from tandem.schedule.area import cells_of
from tandem.schedule.delays import Memories, Multipliers, Target
from tandem.schedule.expected import expected_cycles, expected_entries, is_large
from tandem.schedule.scheduler import draft_kernel
from tandem.schedule.setting import Setting
from trial import good, source, tandem

KERNELS = Path(__file__).parent / "kernels"
TOO_FAST_PS = 4_000


def compiled(name: str, target: Target, clock_ps: int) -> Compiled:
    program = Program.of(KERNELS / f"{name}.c")
    return compile_kernel(program, name, target, clock_ps, slower_clock=True)


@pytest.mark.parametrize("name", ["prefix_sum", "blend", "dot_product"])
def test_nothing_is_split_for_a_clock_that_is_not_had(target: Target, name: str) -> None:
    """The loop is as good as if the clock that the kernel gets had been asked for."""
    found = compiled(name, target, TOO_FAST_PS)
    clock_ps = found.schedule.clock_ps
    asked = compiled(name, target, clock_ps)
    assert clock_ps > TOO_FAST_PS
    assert asked.schedule.clock_ps == clock_ps and not asked.clock_reason
    assert found.schedule.ii == asked.schedule.ii == 1


def test_a_slower_clock_where_the_loop_gains_more(target: Target) -> None:
    found = compiled("popcount", target, TOO_FAST_PS).schedule
    faster = compiled("popcount", target, 5_600).schedule
    assert found.ii and faster.ii and found.clock_ps > faster.clock_ps
    assert found.ii * found.clock_ps < faster.ii * faster.clock_ps


def test_the_note_names_operation_and_line(target: Target) -> None:
    plain = replace(target.rows["mul"], registered=())
    other = replace(target, rows={**target.rows, "mul": plain})
    reason = compiled("dot_product", other, TOO_FAST_PS).clock_reason
    assert reason.startswith("`mul` of 36 bits in line 7 needs")
    assert reason.partition(";")[0].endswith("in a large design on Lattice ECP5, speed grade 6")


def test_the_shortest_clock_is_what_is_told_of_it(target: Target) -> None:
    """What eight bits take between two registers of a large design, with placement's margin."""
    delay_ps = max(target.rows[row].delay(8) for row in ("add", "eq"))
    taken_ps = target.overhead_ps + target.large_design_factor * delay_ps
    assert shortest_clock_ps(target) * (1 - target.placement_margin) == pytest.approx(
        taken_ps, abs=2
    )
    assert shortest_clock_ps(target) == 4477


def test_the_note_is_told(tmp_path: Path) -> None:
    text = (KERNELS / "dot_product.c").read_text()
    call = "int x[4] = {1, 2, 3, 4}; return dot_product(x, x, 4) != 30;"
    source(tmp_path, f"{text}int main(void) {{ {call} }}\n")
    done = tandem("run", "app.c", "--offload", "dot_product", "--clock-ns", "4", cwd=tmp_path)
    good(done)
    told = " ".join(done.stdout.split())
    shortest = "the shortest clock is 4.477 ns, which a counter or sum of 8 bits needs"
    assert f"not the 250 asked for: {shortest} in a large design on Lattice ECP5" in told


def test_a_clock_nobody_asked_for_may_be_slower(target: Target) -> None:
    """SHA-256's recurrence, three carry-save steps and a sum, just misses ten nanoseconds."""
    program = Program.of(KERNELS.parent / "programs" / "standards" / "sha256.c")
    asked, free = (
        compile_kernel(
            program, "sha256_blocks", target, 10_000, slower_clock=True, free_clock=is_free
        ).schedule
        for is_free in (False, True)
    )
    rounds = [max(s.ii for s in schedule.blocks.values()) for schedule in (asked, free)]
    assert asked.clock_ps == 10_000 and rounds == [2, 1]
    assert 10_000 < free.clock_ps < 12_000


def test_an_index_in_parts_does_not_wait_for_all_of_itself(target: Target, tmp_path: Path) -> None:
    """At 200 MHz 32 bits take several cycles to count, each part from its own last number."""
    file = tmp_path / "f.c"
    file.write_text(
        "void f(const int *x, int *y, int n)\n"
        "{\n    for (int i = 0; i < n; i++)\n        y[i] = x[i] + 3 * x[i + 1];\n}\n"
    )
    assert compile_kernel(Program.of(file), "f", target, 5000).schedule.ii == 1


def test_floats_where_the_clock_asked_for_is_faster_than_any(
    target: Target, tmp_path: Path
) -> None:
    """Their operators are made for the clock that the kernel gets."""
    text = "double twice(double x) { return x + x; }"
    program = Program.of(source(tmp_path, text, "twice.c"))
    found = compile_kernel(program, "twice", target, 3_000, slower_clock=True)
    assert found.schedule.clock_ps > 3_000 and "needs" in found.clock_reason


SUM = """double f(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}"""
STRAIGHT = "double f(double x) { return (x * x + 3) * x * x + 1; }"
STEPS = "\n".join(f"s ^= (s << {5 + i % 9}) + x[{i}]; s += s >> {3 + i % 7};" for i in range(512))
DIVISION = """long f(const long *y, long x, int n) {
    for (int i = 0; i < n; i++)
        x += x / y[i] ^ x % (y[i] ^ 5);
    return x;
}"""
LARGE = f"""unsigned f(const unsigned *x, int n) {{
    unsigned s = 1;
    for (int j = 0; j < n; j++, x += 512) {{
        {STEPS}
        if (s & 1)
            for (int i = 0; i < 512; i++)
                s = (s ^ x[i]) + (s >> 5);
    }}
    return s;
}}"""


@pytest.mark.parametrize(
    ("text", "part"),
    [(SUM, 0.5), (STRAIGHT, 0.6), (DIVISION, 0.4), (LARGE, 0.7)],
    ids=["sum", "straight", "division", "large"],
)
def test_with_a_clock_all_too_fast_a_call_takes_longer(
    target: Target, tmp_path: Path, text: str, part: float
) -> None:
    """Wide operations in many stages, each with a register: cores are made for slower clocks too,
    and a kernel too large for several clocks is tried with one, but not what only splitting makes
    large."""
    program = Program.of(source(tmp_path, text, "f.c"))
    found = compile_kernel(program, "f", target, TOO_FAST_PS, slower_clock=True).schedule
    shortest_ps = shortest_clock_ps(target)
    faster = compile_kernel(program, "f", target, shortest_ps).schedule
    times_ps = [expected_cycles(s) * s.clock_ps for s in (found, faster)]
    assert found.clock_ps > shortest_ps == faster.clock_ps
    assert times_ps[0] < part * times_ps[1]
    assert is_large(faster.kernel) == (text in (LARGE, DIVISION))


def test_cores_for_a_slower_clock_where_they_take_less_time(target: Target, tmp_path: Path) -> None:
    """A clock that nobody asked for; one that is slow already has the cores made for it."""
    program = Program.of(source(tmp_path, SUM, "f.c"))
    shortest_ps = shortest_clock_ps(target)
    clocks = [
        compile_kernel(program, "f", target, ps, slower_clock=True, free_clock=True).schedule
        for ps in (shortest_ps, 10_000)
    ]
    assert 1.5 * shortest_ps < clocks[0].clock_ps < clocks[1].clock_ps == 10_000
    assert not with_cores(target, 10_000, {}).slower_cores_ps


SHIFTED = """unsigned f(const unsigned *x, int n) {
    unsigned s = 1;
    OUTSIDE
    for (int i = 0; i < n; i++) {
        INSIDE
        s = ((s << 5) + x[i]) ^ (s >> 3);
    }
    return s;
}"""


@pytest.mark.parametrize(
    ("outside", "inside"),
    [("#pragma tandem pipeline ii(1)", ""), ("", "#pragma HLS pipeline II=1")],
)
def test_a_directive_wants_a_slower_clock(
    target: Target, tmp_path: Path, outside: str, inside: str
) -> None:
    """Where nobody has asked for one, or for one that no kernel has. Else both cannot be had."""
    text = SHIFTED.replace("OUTSIDE", outside).replace("INSIDE", inside)
    program = Program.of(source(tmp_path, text, "f.c"))
    for asked_ps, is_free in ((5_000, True), (TOO_FAST_PS, False)):
        found = compile_kernel(
            program, "f", target, asked_ps, slower_clock=True, free_clock=is_free
        )
        assert found.schedule.ii == 1 and 5_000 < found.schedule.clock_ps < 10_000
        assert "ii=1 is unreachable: a recurrence takes" in found.clock_reason
    with pytest.raises(Infeasible, match="ii=1 is unreachable"):
        compile_kernel(program, "f", target, 5_000, slower_clock=True)


def test_a_directive_that_no_clock_grants(target: Target, tmp_path: Path) -> None:
    """What is told is what the clock asked for takes."""
    text = SHIFTED.replace("OUTSIDE", "#pragma tandem pipeline ii(1)").replace(
        "INSIDE", "s /= x[i];"
    )
    program = Program.of(source(tmp_path, text, "f.c"))
    with pytest.raises(Infeasible, match="ii=1 is unreachable"):
        compile_kernel(program, "f", target, 10_000, slower_clock=True, free_clock=True)


def test_periods_and_budgets_of_round_numbers() -> None:
    """Of 10 ns a fifth stays free and 1 ns is a register's; a large design takes a quarter more."""
    none = Memories(read_ports=0, many_blocks=0, lut_part_words=0, lut_most_words=0)
    blocks = Multipliers(0, 0, False, 0, False, False, False, False)
    family = ("round", "", 4, 1_000, 1.25, {}, "", none, blocks, True, 0)
    target = Target(*family, placement_margin=0.2, expected_factor=1.5)
    assert target.budget_ps(10_000) == 5_600
    assert target.period_ps(2_000) == 4_000
    for delay_ps in (1, 999, 5_600, 5_601):
        clock_ps = target.clock_for_ps(delay_ps)
        assert target.budget_ps(clock_ps) >= delay_ps > target.budget_ps(clock_ps - 5)


@pytest.mark.parametrize("name", ["popcount", "dot_product", "histogram", "prefix_sum"])
@pytest.mark.parametrize("clock_ps", [10_000, 12_500])
def test_a_draft_promises_no_more_than_there_is(target: Target, name: str, clock_ps: int) -> None:
    """A clock whose draft is not faster than another kernel is not looked at any further."""
    kernel = compiled(name, target, clock_ps).lineage.make(lambda *_: None)
    draft = draft_kernel(Setting(kernel, target), clock_ps)
    least_ps = draft.least_time_ps()
    schedule = draft.finished()
    time_ps = expected_cycles(schedule) * clock_ps
    early = any(s.leave < s.length for s in schedule.blocks.values())
    assert least_ps < time_ps if early else least_ps == time_ps


@pytest.mark.parametrize("kind", ["f32_add", "f64_add", "f64_mul"])
def test_a_slower_clock_takes_no_more_cycles(target: Target, kind: str) -> None:
    """A shift by one bit of an amount is no shifter, of which only one fits a cycle."""
    periods = [8_000, 10_000, 12_000, 15_000, 17_000, 20_000, 30_000, 40_000]
    cores = [with_cores(target, clock_ps, {}).core(kind).schedule for clock_ps in periods]
    lengths = [core.blocks[core.kernel.entry].length for core in cores]
    assert lengths == sorted(lengths, reverse=True) and lengths[-1] <= 2


STATES = """#include <stdint.h>
int f(const uint8_t *x, int n, int *out) {
    int all[64], last = 0;
    for (int i = 0; i < 64; i++)
        all[i] = i;
    for (int k = 0; k < n; k++) {
        int next[64];
        for (int i = 0; i < 64; i++) {
            int a = all[(i * 2) & 63] + (x[k] & 3), b = all[(i * 2 + 1) & 63] + (~x[k] & 3);
            int c = a < b ? a : b, d = (c * 5 ^ i) - all[i];
            next[i] = c + (d > 9 ? d & 7 : 1) + (a - b > 77 ? x[k] >> 2 : d & 1);
        }
        for (int i = 0; i < 64; i++)
            all[i] = next[i];
    }
    return all[0] + all[63];
}
"""
COUNTED = """int f(const int *x, const int *y) {
    int s = 0;
    for (int i = 0; i < 300; i++) {
        for (int k = x[i]; k > 0; k = y[k])
            s = s * 3 + k;
        for (int k = y[i]; k > 3; k = x[k])
            s ^= k;
    }
    return s;
}
"""


def test_what_splitting_makes_large_is_copied_all_the_same(target: Target, tmp_path: Path) -> None:
    """Copies are counted in operations that a slower clock, with which they are tried too, leaves
    in one piece."""
    program = Program.of(source(tmp_path, STATES, "f.c"))
    fast, slow = (
        compile_kernel(program, "f", target, ps, slower_clock=True, free_clock=True).schedule
        for ps in (TOO_FAST_PS, 10_000)
    )
    unrolled = [{*schedule.kernel.unrolled} for schedule in (fast, slow)]
    times_ps = [expected_cycles(schedule) * schedule.clock_ps for schedule in (fast, slow)]
    assert unrolled[0] == unrolled[1]
    assert times_ps[0] < 1.5 * times_ps[1]


def test_a_counter_in_parts_counts_as_often(target: Target, tmp_path: Path) -> None:
    program = Program.of(source(tmp_path, COUNTED, "f.c"))
    found = (compile_kernel(program, "f", target, ps).schedule for ps in (4_477, 10_000))
    assert [max(expected_entries(schedule.kernel).values()) for schedule in found] == [300, 300]


WEIGHED = """#include <stdint.h>
int f(const int8_t *x, int n) {
    int a = 0, step = 7;
    for (int i = 0; i < n; i++) {
        int d = (x[i] - a) * 16 / step, m = d < 0 ? -d : d;
        a += (d * step) >> 4;
        step = m > 5 ? step * 9 / 8 + 1 : step - (step >> 3);
        a = a > 127 ? 127 : a < -128 ? -128 : a;
        step = step > 100 ? 100 : step < 2 ? 2 : step;
    }
    return a;
}
"""


def test_a_clock_far_below_the_one_asked_for(target: Target, tmp_path: Path) -> None:
    """A loop that waits for a division is as fast where more was asked for as where less was."""
    program = Program.of(source(tmp_path, WEIGHED, "f.c"))
    fast, slow = (
        compile_kernel(program, "f", target, ps, slower_clock=True, free_clock=True).schedule
        for ps in (TOO_FAST_PS, 10_000)
    )
    times_ps = [expected_cycles(schedule) * schedule.clock_ps for schedule in (fast, slow)]
    assert times_ps[0] < 1.05 * times_ps[1]
    assert fast.clock_ps > 3 * shortest_clock_ps(target)


@pytest.mark.parametrize(
    ("before", "loop"),
    [
        ("int j = n;", "for (; j > 0 && a[j - 1] != v; j--) a[j] = a[j - 1];"),
        ("int *p = a + n;", "for (; p > a && p[-1] != v; p--) *p = p[-1];"),
        ("int *p = a + n;", "while (p > a && p[-1] != v) { p[0] = p[-1]; --p; }"),
        ("unsigned j = n;", "while (j && a[j - 1] != v) { a[j] = a[j - 1]; j--; }"),
        ("int j;", "for (j = 0; j < n && a[j + 1] != v; j++) a[j] = a[j + 1];"),
        ("int j = 0;", "for (;; ++j) { if (j >= n || a[j + 1] == v) break; a[j] = a[j + 1]; }"),
        ("long j;", "for (j = 0; j < n; j++) { if (a[j + 1] == v) break; a[j] = a[j + 1]; }"),
        ("int j = 0;", "do { a[j] = a[j + 1]; } while (++j < n && a[j] != v);"),
    ],
)
def test_places_in_pieces_are_as_far_apart(
    target: Target, tmp_path: Path, before: str, loop: str
) -> None:
    """What is shifted by one place is stored where no later iteration reads, whatever the clock."""
    text = f"void f(int *a, int n, int v) {{ {before} {loop} }}"
    program = Program.of(source(tmp_path, text, "f.c"))
    schedules = [compile_kernel(program, "f", target, ps).schedule for ps in (4_477, 20_000)]
    assert [schedule.ii for schedule in schedules] == [1, 1]


def test_a_slower_clock_for_fewer_registers(target: Target) -> None:
    """Where a loop takes hardly longer so, unless time is all that counts."""
    program = Program.of(KERNELS / "tariff.c")
    small, fast = (
        compile_kernel(
            program, "tariff", target, TOO_FAST_PS, True, find_goal(goal), free_clock=True
        )
        for goal in ("balanced", "time")
    )
    times_ps = [expected_cycles(k.schedule) * k.schedule.clock_ps for k in (small, fast)]
    assert small.schedule.clock_ps > fast.schedule.clock_ps
    assert times_ps[0] < 1.02 * times_ps[1]
    assert cells_of(small.schedule) < 0.9 * cells_of(fast.schedule)
    assert small.clock_reason.endswith("more time than at best, and fewer registers")
    assert "fewer registers" not in fast.clock_reason
