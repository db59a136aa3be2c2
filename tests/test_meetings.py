# SPDX-License-Identifier: Apache-2.0
"""Whether two accesses of a nest ever meet: what is said, against all addresses of random nests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from random import Random

import pytest
from random_rows import open_rows
from seeds import seeds
from tandem.analysis.forms import Form
from tandem.analysis.meetings import Meetings
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import find_ranges
from tandem.frontend.program import Program
from tandem.ir.argument import ArgumentKind
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.expressions import expression_of
from tandem.ir.ops import Access, Load, Op, mask, signed
from tandem.ir.parser import parse
from tandem.languages.imported import import_c
from tandem.passes import find_independent
from tandem.passes.pipelines import DEFAULT, Options, run_pipeline

pytestmark = pytest.mark.usefixtures("models_as_written")

SEEDS = seeds(6)
MOSTLY = 0.75
"""Of the pairs, what is told is not only true but all there is to tell."""
SIZED_MOSTLY = 0.6
"""The same where sizes are open."""
OPEN_ROWS_OFTEN = 0.4
"""The same where the lengths of rows are: much is only so as the sizes are small that are tried."""
STEPS = DEFAULT[: [name for name, _ in DEFAULT].index(find_independent.SLUG)]
Iterations = dict[Block, int]


def source(random: Random) -> str:
    """Three loops, the inner ones as long as constants or outer counters say, and two accesses."""
    width = random.choice((7, 16, 40))
    second = random.choice(("0; j < 6", "0; j < i", "i; j < 7", "i + 1; j < 8", "0; j <= i"))
    third = random.choice(("0; k < 5", "0; k < j", "0; k < i", "i + 1; k < 8", "j; k < 9"))
    rows = (f"{random.choice('ijk')} * {width}", f"({random.choice('ijk')} + 1) * {width}", "3")
    places = [
        f"{random.choice(rows)} + {random.choice('ijk')} + {random.choice((0, 0, 1, width))}"
        for _ in range(2)
    ]
    return f"""
void top(volatile int *x)
{{
    for (int i = 0; i < 7; i++)
        for (int j = {second}; j++)
            for (int k = {third}; k++)
                x[{places[0]}] = x[{places[1]}] + 1;
}}"""


def nests_of(text: str, folder: Path) -> Nests:
    (folder / "top.c").write_text(text)
    kernel = import_c(Program.of(folder / "top.c"), "top").kernel
    run_pipeline(kernel, Options(), STEPS)
    return Nests(kernel, Builder(kernel, Block("forms")), find_ranges(kernel))


def trips(nests: Nests, header: Block) -> Form | None:
    count = nests.loops[header].trips
    return None if count is None else nests.form(count)


@dataclass
class Sized:
    """A nest, and the numbers that come with a call."""

    nests: Nests
    numbers: Mapping[str, int] = field(default_factory=dict)

    def value(self, form: Form | None, at: Iterations) -> int | None:
        if form is None:
            return None
        parts = [self.number(form.base)]
        for header, step in form.steps.items():
            number = self.number(step)
            parts.append(None if number is None else number * at[header])
        if None in parts:
            return None
        width = form.base.width
        return signed(sum(part for part in parts if part is not None) & mask(width), width)

    def number(self, op: Op) -> int | None:
        found = expression_of(op)
        return None if found is None else found.evaluate(self.numbers)

    def iterations(self, left: list[Block], at: Iterations) -> Iterator[Iterations]:
        """Of loops, the outermost first, as often as they run."""
        if not left:
            yield at
            return
        turns = self.value(trips(self.nests, left[0]), at)
        assert turns is not None
        for turn in range(turns):
            yield from self.iterations(left[1:], {**at, left[0]: turn})

    def meets(
        self, pair: tuple[Op, Op], headers: list[Block]
    ) -> Iterator[tuple[Iterations, Iterations]]:
        """The iterations in which two accesses reach one element."""
        all_of = list(self.iterations(headers, {}))
        one, other = (self.nests.form(op.index) for op in pair)
        by_place: dict[int | None, list[Iterations]] = {}
        for at in all_of:
            by_place.setdefault(self.value(other, at), []).append(at)
        for at in all_of:
            place = self.value(one, at)
            if place is not None:
                yield from ((at, met) for met in by_place.get(place, ()))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_never_meets_does_not(seed: int, tmp_path: Path) -> None:
    right = told = 0
    for text in (source(Random(f"{seed}.{n}")) for n in range(30)):
        nests = nests_of(text, tmp_path)
        inner = next((b for b in nests.kernel.blocks if b.is_loop), None)
        headers = nests.around(inner)[::-1] if inner else []
        if len(headers) < 3 or any(trips(nests, header) is None for header in headers):
            continue  # LLVM has made something else of it
        fixed = Sized(nests)
        all_of = list(fixed.iterations(headers, {}))
        meetings = Meetings(nests)
        first, second, third = headers
        accesses = [
            op for op in third.ops if isinstance(op, Access) and nests.form(op.index) is not None
        ]
        for one, other in product(accesses, repeat=2):
            forms = [nests.form(op.index) for op in (one, other)]
            places = [[(at, fixed.value(form, at)) for at in all_of] for form in forms]
            assert not any(place is None for row in places for _, place in row)
            pairs = list(product(*places))
            within = [
                x != y
                for (a, x), (b, y) in pairs
                if a[first] == b[first] and a[second] == b[second]
            ]
            across = [
                x != y
                for (a, x), (b, y) in pairs
                if a[first] == b[first] and a[second] != b[second]
            ]
            said = (
                meetings.never(one.index, other.index, third),
                meetings.never_in_others(one.index, other.index, second),
                meetings.in_step(one.index, other.index, second, third),
            )
            in_order = [
                x != y or (b[third] >= a[third] if a[second] < b[second] else a[third] >= b[third])
                for (a, x), (b, y) in pairs
                if a[first] == b[first] and a[second] != b[second]
            ]
            so = (all(within), all(across), all(in_order))
            assert all(not never or really for never, really in zip(said, so, strict=True)), text
            told += 3
            right += sum(never == really for never, really in zip(said, so, strict=True))
    assert right >= MOSTLY * told


def sized(random: Random) -> str:
    """The same with rows as long as a number says that comes with the call."""
    second = random.choice(("0; j < n", "i; j < n", "i + 1; j < n", "1; j < n - 1", "0; j <= i"))
    third = random.choice(("0; k < n", "j; k < n", "i + 1; k < n", "1; k < n - 1", "0; k < j"))
    places = [
        f"[{random.choice('ijk')}{random.choice(('', ' + 1', ''))}]"
        f"[{random.choice(('i', 'j', 'k', 'n - 1 - k', 'n - 1', '0'))}]"
        for _ in range(2)
    ]
    return f"""
void top(int n, volatile int x[7][7])
{{
    for (int i = 0; i < n; i++)
        for (int j = {second}; j++)
            for (int k = {third}; k++)
                x{places[0]} = x{places[1]} + x[i][k];
}}"""


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_the_size(seed: int, tmp_path: Path) -> None:
    told = right = 0
    for text in (sized(Random(f"sized {seed}.{n}")) for n in range(25)):
        nests = nests_of(text, tmp_path)
        inner = next((b for b in nests.kernel.blocks if b.is_loop), None)
        headers = nests.around(inner)[::-1] if inner else []
        (number,) = (a for a in nests.kernel.arguments if a.kind is ArgumentKind.SCALAR)
        if len(headers) < 3 or number.most is None or number.op is None:
            continue  # LLVM has made something else of it
        first, second, third = headers
        meetings = Meetings(nests)
        sizes = [Sized(nests, {"n": n}) for n in range(number.least, number.most + 1)]
        at_first = dict.fromkeys(headers, 0)
        if any(sizes[0].value(trips(nests, header), at_first) is None for header in headers):
            continue  # how often a loop runs is no sum
        accesses = [op for op in third.ops if isinstance(op, Access)]
        for one, other in product(accesses, repeat=2):
            within = meetings.never(one.index, other.index, third)
            across = meetings.never_in_others(one.index, other.index, second)
            met = [m for size in sizes for m in size.meets((one, other), headers)]
            same = [a[second] == b[second] for a, b in met if a[first] == b[first]]
            assert not (within and any(same)), text
            assert not (across and not all(same)), text
            told += 2
            right += (within != any(same)) + (across == all(same))
    assert right >= SIZED_MOSTLY * told > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_whose_length_comes_with_the_call(seed: int, tmp_path: Path) -> None:
    told = right = 0
    for text in (open_rows(Random(f"rows {seed}.{n}"), "volatile int") for n in range(12)):
        nests = nests_of(text, tmp_path)
        inner = next((b for b in nests.kernel.blocks if b.is_loop), None)
        headers = nests.around(inner)[::-1] if inner else []
        if len(headers) < 3 or any(trips(nests, header) is None for header in headers):
            continue  # LLVM has made something else of it
        first, second, third = headers
        meetings = Meetings(nests)
        sizes = ((1, 1), (1, 3), (2, 4), (3, 3), (4, 2), (4, 5))
        calls = [Sized(nests, {"n": n, "m": m}) for n, m in sizes]
        accesses = [
            op for op in third.ops if isinstance(op, Access) and nests.form(op.index) is not None
        ]
        for one, other in product(accesses, repeat=2):
            said = (
                meetings.never(one.index, other.index, third),
                meetings.never_in_others(one.index, other.index, third),
                meetings.never_in_others(one.index, other.index, second),
                meetings.never_later(one.index, other.index, first),
                meetings.in_step(one.index, other.index, second, third),
            )
            met = [m for call in calls for m in call.meets((one, other), headers)]
            in_row = [(a, b) for a, b in met if a[first] == b[first] and a[second] == b[second]]
            in_plane = [(a, b) for a, b in met if a[first] == b[first] and (a, b) not in in_row]
            so = (
                not in_row,
                all(a[third] == b[third] for a, b in in_row),
                not in_plane,
                all(b[first] <= a[first] for a, b in met),
                all((b[third] - a[third]) * (b[second] - a[second]) >= 0 for a, b in in_plane),
            )
            assert all(not never or really for never, really in zip(said, so, strict=True)), text
            told += sum(so)
            right += sum(said)
    assert right >= OPEN_ROWS_OFTEN * told > 0


@pytest.mark.parametrize("last", ["j", "16 - 1", "i + 3"])
def test_columns_behind_the_pivot_are_not_its_own(last: str, tmp_path: Path) -> None:
    """x[j][k], k > i, and x[k][i]: in one column only where k is i, in whichever rows."""
    nests = nests_of(
        f"""
void top(volatile int *x)
{{
    for (int i = 0; i < 12; i++)
        for (int j = i + 1; j < 16; j++)
            for (int k = i + 1; k <= {last}; k++)
                x[j * 16 + k] = x[j * 16 + k] + x[k * 16 + i];
}}""",
        tmp_path,
    )
    inner = next(b for b in nests.kernel.blocks if b.is_loop)
    written, read = (op for op in inner.ops if isinstance(op, Load))
    meetings = Meetings(nests)
    assert meetings.never_in_others(written.index, read.index, inner)
    assert meetings.apart(written.index, read.index, nests.around(inner)[1])


def test_what_can_be_but_one_number_is_that() -> None:
    """The upper bits of a number that is 8 at most."""
    kernel = parse("""tandem-ir 1
kernel @top
  argument @n : scalar in i32 served=1..8 "int"
  argument @x : memory in memory=@x "int *"
  memory @x : external ? x i8
^b0: line=1
  %0 = extract @n {low=4} : i28
  %1 = add %0, 3:i28 : i28
  jump ^b1(0:i28)
^b1(%2:i28): line=2 trip=%1
  %3 = load %2 {memory=x} : i8
  %4 = add %2, 1:i28 : i28
  %5 = ne %4, %1 : i1
  branch %5, ^b1(%4), ^b2()
^b2: line=3
  return
""")
    nests = Nests.of(kernel, find_ranges(kernel))
    form = nests.form(kernel.blocks[0].ops[1])
    assert form is not None
    assert nests.base_ends(form) == (3, 3)


def test_a_narrow_counter_begins_without_a_sign() -> None:
    """A counter of 3 bits from 6 down, above 6 bits of another one: 6 * 64, not -2 * 64."""
    kernel = parse("""tandem-ir 1
kernel @top
  argument @x : memory in memory=@x "int *"
  memory @x : external ? x i8
^b0: line=1
  jump ^b1(6:i3)
^b1(%0:i3): line=2
  jump ^b2(1:i6)
^b2(%1:i6): line=3 trip=62:i6
  %2 = concat 0:i23, %0, %1 : i32
  %3 = add %2, 4294967232:i32 : i32
  %4 = load %3 {memory=x} : i8
  %5 = add %1, 1:i6 : i6
  %6 = ne %1, 62:i6 : i1
  branch %6, ^b2(%5), ^b3()
^b3: line=4
  %7 = add %0, 7:i3 : i3
  %8 = ult 1:i3, %0 : i1
  branch %8, ^b1(%7), ^b4()
^b4: line=5
  return
""")
    nests = Nests.of(kernel, find_ranges(kernel))
    (load,) = (op for _, op in kernel.ops() if isinstance(op, Load))
    form = nests.form(load.index)
    assert form is not None
    assert form.narrow == 0
    assert form.base.value == 5 * 64 + 1
