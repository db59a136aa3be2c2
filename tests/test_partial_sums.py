# SPDX-License-Identifier: Apache-2.0
"""Sums in any order: one for hardware and software, an iteration a cycle, and what is told."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from math import fsum, prod
from pathlib import Path
from random import Random

import pytest
from agreement import check, packaged
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.partial_sums import with_partial_sums
from tandem.frontend.program import CFile, Program
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
Numbers = Sequence[float]
LONGEST = 40
HEAD = "#pragma tandem extent(a, n * 8)\n#pragma tandem extent(b, n * 4)\n"
TOP = HEAD + "double top(const double *a, const float *b, int n)\n{{\n{}\n}}\n"
SPLIT = {
    "sum": "double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s;",
    "product": "double p = 1; for (int i = 0; i < n; i++) p = a[i] * p; return p;",
    "difference": "double s = 3; for (int i = 0; i < n; i++) s -= a[i]; return s;",
    "floats": "float s = 0.5f; for (int i = 0; i < n; i++) s += b[i] * 2; return s;",
    "condition": "double s = 0; for (int i = 0; i < n; i++) if (a[i] > 0) s += a[i]; return s;",
    "either": "double s = 0; for (int i = 0; i < n; i++) s += a[i] < 1 ? a[i] : 2; return s;",
    "several": "double s = 0; for (int i = 0; i < n; i++) { s += a[i]; s -= b[i]; } return s;",
    "two": "double s = 0, p = 1; int i = 0; while (i < n) { s += a[i]; p *= b[i++]; } "
    "return s + p;",
    "three": "double s = 1, p = 2, q = 0; for (int i = 0; i < n; i++) { s += a[i]; p -= b[i]; "
    "q += a[i] * b[i]; } return s * p + q;",
    "one_of_another": "double s = 0, t = 0; for (int i = 0; i < n; i++) { s = a[i]; t += s; } "
    "return s + t;",
    "at_its_end": "double s = 0; int i = 0; do s += i; while (++i < n); return s;",
}
"""Of each the order is open, and an iteration starts every cycle."""
SUMS: dict[str, Callable[[Numbers, Numbers, int], float]] = {
    "sum": lambda a, b, n: fsum(a),
    "product": lambda a, b, n: prod(a),
    "difference": lambda a, b, n: 3 - fsum(a),
    "floats": lambda a, b, n: 0.5 + 2 * fsum(b),
    "condition": lambda a, b, n: fsum(x for x in a if x > 0),
    "either": lambda a, b, n: fsum(x if x < 1 else 2 for x in a),
    "several": lambda a, b, n: fsum(a) - fsum(b),
    "two": lambda a, b, n: fsum(a) + prod(b),
    "three": lambda a, b, n: (
        (1 + fsum(a)) * (2 - fsum(b)) + fsum(x * y for x, y in zip(a, b, strict=True))
    ),
    "one_of_another": lambda a, b, n: (a[-1] if a else 0) + fsum(a),
    "at_its_end": lambda a, b, n: float(sum(range(max(1, n)))),
}
"""What each comes to: hardware and software could both be wrong."""
IN_ORDER = {
    "read": "double s = 0, m = 0; for (int i = 0; i < n; i++) { s += a[i]; if (s > m) m = s; } "
    "return m;",
    "quotient": "double s = 1e9; for (int i = 0; i < n; i++) s = s / a[i]; return s;",
    "mixed": "double s = 0; for (int i = 0; i < n; i++) { s += a[i]; s *= 0.5; } return s;",
    "from_it": "double s = 0; for (int i = 0; i < n; i++) s = a[i] - s; return s;",
    "twice": "double s = 1; for (int i = 0; i < n; i++) s = s + s; return s;",
    "two_ways_out": "double s = 0; for (int i = 0; i < n; i++) { if (a[i] > 9) break; s += a[i]; } "
    "return s;",
}
"""Of each the C's order stays, whatever is allowed."""


def compiled(body: str, target: Target, folder: Path, flags: tuple[str, ...] = ()) -> Compiled:
    source = folder / "top.c"
    source.write_text(TOP.format(body))
    return compile_kernel(Program(source, (CFile(source, flags),)), "top", target, CLOCK_PS)


def values(random: Random, n: int) -> dict[str, int | bytes]:
    doubles = [random.gauss(0, 1) for _ in range(LONGEST)]
    return {
        "a": struct.pack(f"<{LONGEST}d", *doubles),
        "b": struct.pack(f"<{LONGEST}f", *doubles[::-1]),
        "n": n,
    }


@pytest.mark.parametrize("name", SPLIT)
def test_hardware_and_software_have_one_order(name: str, target: Target, tmp_path: Path) -> None:
    made = compiled(SPLIT[name], target, tmp_path, ("-ffast-math",))
    assert any("another order" in note.message for note in made.notes)
    loop = next(s for s in made.schedule.blocks.values() if s.ii)
    assert loop.ii == 1, loop.limits.sentence()
    built = packaged(made, tmp_path)
    for n in (0, 1, 2, 15, 16, 17, LONGEST):
        data = values(Random(n), n)
        [found] = struct.unpack("<d", check(built, data).data["result"])
        a, b = (
            [x for [x] in struct.iter_unpack(kind, bytes(data[array]))][:n]
            for array, kind in (("a", "<d"), ("b", "<f"))
        )
        assert found == pytest.approx(SUMS[name](a, b, n), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", IN_ORDER)
def test_what_is_no_sum_stays(name: str, target: Target, tmp_path: Path) -> None:
    made = compiled(IN_ORDER[name], target, tmp_path, ("-ffast-math",))
    assert not any("another order" in note.message for note in made.notes)
    built = packaged(made, tmp_path)
    for n in (0, 1, 17):
        check(built, values(Random(n), n))


def test_an_order_is_open_only_where_that_is_said(target: Target, tmp_path: Path) -> None:
    made = compiled(SPLIT["sum"], target, tmp_path)
    assert not any("another order" in note.message for note in made.notes)
    assert max(s.ii for s in made.schedule.blocks.values()) > 1


def test_a_directive_opens_it(target: Target, tmp_path: Path) -> None:
    body = SPLIT["several"].replace("for (", "\n#pragma tandem reassociate\nfor (", 1)
    made = compiled(body, target, tmp_path)
    assert max(s.ii for s in made.schedule.blocks.values()) == 1
    check(packaged(made, tmp_path), values(Random(1), LONGEST))


def test_a_directive_without_effect_is_told(target: Target, tmp_path: Path) -> None:
    body = IN_ORDER["quotient"].replace("for (", "\n#pragma tandem reassociate\nfor (", 1)
    notes = [note.message for note in compiled(body, target, tmp_path).notes]
    assert any("`#pragma tandem reassociate` has no effect" in note for note in notes), notes


@pytest.mark.parametrize(("terms", "parts"), [(1, 16), (2, 32), (3, 64), (9, 64)])
def test_a_sum_of_more_terms_has_more_parts(terms: int, parts: int, tmp_path: Path) -> None:
    """Always a power of two: they take turns by the lowest bits of a counter."""
    added = " ".join(f"s += a[{terms} * i + {k}];" for k in range(terms))
    loop = f"for (int i = 0; i < n; i++) {{ {added} }}"
    source = tmp_path / "top.c"
    source.write_text(f"double top(double *a, int n) {{ double s = 0; {loop} return s; }}\n")
    [text], sums = with_partial_sums([to_llvm_ir(CFile(source, ("-ffast-math",)))])
    assert len(sums) == 1 and f"alloca [{parts} x double]" in text


def test_no_freedom_is_left() -> None:
    text = (
        "define double @f(double %x) #0 {\n  %y = fmul fast double %x, 2.0\n"
        "  %z = call nnan nsz double @g(double %y)\n  ret double %z\n}\n"
        'declare double @g(double)\nattributes #0 = { nounwind "unsafe-fp-math"="true" }\n'
    )
    [left], sums = with_partial_sums([text])
    assert not sums
    assert not {"fast", "nnan", "nsz", '"unsafe-fp-math"="true"'}.intersection(left.split())
