# SPDX-License-Identifier: Apache-2.0
"""`tandem bisect` names the pass that changes what a function computes, and no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tandem.commands.bisect import _show
from tandem.diagnostics import InternalError, UserError
from tandem.interface import bisect
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Add, Mul, Or, Xor
from tandem.ir.parser import parse
from tandem.passes import (
    compare_bits,
    expand_division,
    fill_tables,
    join_arrays,
    licm,
    reassociate,
    split_wide,
    strip_zeros,
)
from tandem.passes.pipelines import DEFAULT, FOR_CLOCK
from test_schemas import validator
from trial import good, refused, source, tandem

TEXT = """#include <stdint.h>
uint32_t f(const uint32_t *in, uint32_t *out, int n, uint32_t k)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i] * k;
        out[i] = sum ^ k;
    }
    return sum;
}
"""
MEMBERS = """#include <stdint.h>
struct s { uint32_t past[4]; int16_t taps[4]; uint32_t gain; };
uint32_t f(struct s *s, const uint32_t *in, int n)
{
    uint32_t sum = 0;
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 4; k++)
            sum += s->past[k] * s->taps[k];
        s->past[i & 3] = sum + in[i] * s->gain;
    }
    return sum;
}
"""
OVERLAPPING = """#include <stdint.h>
#pragma tandem overlap(in, out)
uint32_t f(const uint16_t *in, uint32_t *out, int n)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
    return sum;
}
"""
FLOATS = """
double f(const double *in, float *out, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        out[i] = (float)(in[i] * 2);
        sum += in[i];
    }
    return sum;
}
"""
ENDLESS = """
void f(int *t, unsigned n)
{
    while (t[n & 3] | 1) {
        t[n & 3] += n;
        if (n == 7 && t[4] == 99)
            break;
        n += 2;
    }
}
"""


def break_pass(
    monkeypatch: pytest.MonkeyPatch, broken: ModuleType, change: Callable[[Kernel], None]
) -> None:
    """Has a pass change a kernel as it must not."""
    run = broken.run

    def runs(kernel: Kernel, *told: object) -> None:
        run(kernel, *told)
        change(kernel)

    monkeypatch.setattr(broken, "run", runs)


def other_logic(kernel: Kernel) -> None:
    for _, op in kernel.ops():
        if isinstance(op, Xor):
            op.__class__ = Or  # type: ignore[assignment]


def other_products(kernel: Kernel) -> None:
    for _, op in kernel.ops():
        if isinstance(op, Mul):
            op.__class__ = Add  # type: ignore[assignment]


@pytest.mark.parametrize(
    "broken", [join_arrays, licm, reassociate, compare_bits, split_wide], ids=lambda one: one.SLUG
)
def test_a_broken_pass_is_named(
    broken: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_pass(monkeypatch, broken, other_logic)
    name = broken.SLUG
    place = 1 + [step for step, _ in [*DEFAULT, *FOR_CLOCK]].index(name)
    with pytest.raises(InternalError, match=f"pass {place}, `{name}`") as raised:
        bisect(source(tmp_path, TEXT, "f.c"), "f")
    result = raised.value.result
    assert result is not None
    validator("bisect").validate(result)
    assert (result["pass"], result["number"], result["cured"]) == (name, place, True)
    assert "of `out` is" in result["difference"]
    assert result["arguments"].keys() == {"in", "out", "n", "k"}
    assert len(result["arguments"]["in"]) == 8 * result["arguments"]["n"]


def test_a_pass_that_others_need_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Divisions that are left cannot be split for a clock."""
    break_pass(monkeypatch, expand_division, other_logic)
    text = TEXT.replace("sum += in[i] * k", "sum += in[i] % (k | 1)")
    with pytest.raises(InternalError, match="`expand-division`") as raised:
        bisect(source(tmp_path, text, "f.c"), "f")
    assert raised.value.result is not None and raised.value.result["cured"]


def test_of_two_broken_passes_the_first_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, the answers are not right: the other one is still there."""
    break_pass(monkeypatch, strip_zeros, other_logic)
    break_pass(monkeypatch, licm, other_products)
    with pytest.raises(InternalError, match="`strip-zeros`") as raised:
        bisect(source(tmp_path, TEXT, "f.c"), "f")
    assert raised.value.result is not None and not raised.value.result["cured"]


@pytest.mark.parametrize(
    "text", [TEXT, OVERLAPPING, FLOATS, MEMBERS], ids=["plain", "overlap", "floats", "members"]
)
def test_all_passes_are_right(text: str, tmp_path: Path) -> None:
    result = bisect(source(tmp_path, text, "f.c"), "f", calls=6)
    validator("bisect").validate(result)
    assert (result["pass"], result["calls"]) == (None, 6)
    assert result["passes"] == len(DEFAULT) + len(FOR_CLOCK)


def test_the_command(tmp_path: Path) -> None:
    source(tmp_path, TEXT, "f.c")
    done = tandem("bisect", "f.c", "--top", "f", "--calls", "3", cwd=tmp_path)
    good(done)
    assert done.stdout.startswith("f: 3 random calls have the same answers after each of ")
    done = tandem("bisect", "f.c", "--top", "f", "--json", cwd=tmp_path)
    validator("bisect").validate(json.loads(done.stdout))
    refused(tandem("bisect", "f.c", "--top", "g", cwd=tmp_path), "error[no-function]")


def test_the_page_names_pass_and_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    break_pass(monkeypatch, fill_tables, other_logic)
    with pytest.raises(InternalError) as raised:
        bisect(source(tmp_path, TEXT, "f.c"), "f")
    assert raised.value.result is not None
    _show(raised.value.result, as_json=False)
    page = capsys.readouterr().out
    assert "f: first wrong after pass 2, `fill-tables`" in page
    assert "without this pass, answers are" in page and "  k = " in page


def test_a_seed_has_the_same_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_pass(monkeypatch, licm, other_logic)
    file = source(tmp_path, TEXT, "f.c")
    found = []
    for seed in (1, 1, 2):
        with pytest.raises(InternalError) as raised:
            bisect(file, "f", seed=seed)
        found.append(raised.value.result)
    assert found[0] == found[1] != found[2]


def test_a_function_of_which_no_call_ends(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no random call of `f` comes to its end"):
        bisect(source(tmp_path, ENDLESS, "f.c"), "f", calls=1)


def test_the_interpreter_ends_where_it_is_told() -> None:
    kernel = parse(
        """tandem-ir 1
kernel @turns
  argument @n : scalar in i16 "uint16_t"
^entry:
  jump ^loop(0:i16)
^loop(%0:i16): line=2
  %1 = add %0, 1:i16 : i16
  %2 = ult %1, @n : i1
  branch %2, ^loop(%1), ^end()
^end:
  return
"""
    )
    assert interpret(kernel, {"n": 30}, 100) is None
    with pytest.raises(InternalError, match="has not ended after 100 operations"):
        interpret(kernel, {"n": 40}, 100)
