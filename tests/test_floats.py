# SPDX-License-Identifier: Apache-2.0
"""Floating point: what the IR means by it beside the host's own, and cores in kernels."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from agreement import Build, Values, build, check
from tandem.compiler.compile import compile_kernel
from tandem.compiler.cores import with_cores
from tandem.frontend.program import Program
from tandem.ir.floats import F32, F64, FLOATS, Format
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target
from tandem.schedule.limits import LimitKind
from tandem.schedule.scheduled import KernelSchedule

CLOCK_PS = 10_000
FORMATS = {"f32": F32, "f64": F64}
TYPES = {32: np.float32, 64: np.float64}


def special(form: Format) -> list[int]:
    """Zeros, the ends of every range, one and its neighbours, ties, infinity and NaN, of both
    signs."""
    one, fraction = form.bias << form.fraction_bits, 1 << form.fraction_bits
    found = [0, 1, fraction - 1, fraction, fraction + 1, one - 1, one, one + 1]
    found += [one + fraction // 2, one - fraction, one + fraction, form.infinity - 1]
    found += [form.infinity, form.nan, one + form.fraction_bits * fraction + 1]
    return [pattern | sign for pattern in found for sign in (0, form.sign)]


def near(form: Format, random: Random, other: int) -> int:
    """A number, mostly of about the size of another one."""
    pattern = random.getrandbits(form.bits)
    if random.random() < 0.3:
        return pattern
    exponent = (other & ~form.sign) >> form.fraction_bits
    exponent += random.randrange(-form.fraction_bits - 3, form.fraction_bits + 4)
    least = min(max(exponent, 0), (1 << form.exponent_bits) - 2) << form.fraction_bits
    return pattern & (form.sign | (1 << form.fraction_bits) - 1) | least


def number(pattern: int, form: Format) -> np.floating:
    layout = {32: "<I", 64: "<Q"}[form.bits]
    return np.frombuffer(struct.pack(layout, pattern), TYPES[form.bits])[0]


def pattern(value: np.floating, form: Format) -> int:
    """The bits of a number, of any NaN those of one."""
    bits = int(np.frombuffer(value.tobytes(), {32: "<u4", 64: "<u8"}[form.bits])[0])
    return form.nan if form.is_nan(bits) else bits


HOST: dict[str, Callable[..., np.floating]] = {
    "add": np.add,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
}


@pytest.mark.parametrize("name", HOST)
@pytest.mark.parametrize("kind", FORMATS)
def test_the_meaning_is_the_hosts(kind: str, name: str) -> None:
    form, row = FORMATS[kind], FLOATS[f"{kind}_{name}"]
    random = Random(name)
    firsts = special(form) + [
        near(form, random, form.bias << form.fraction_bits) for _ in range(300)
    ]
    for a in firsts:
        seconds = [*special(form), *(near(form, random, a) for _ in range(8))]
        for given in [(a,)] if len(row.widths) == 1 else [(a, b) for b in seconds]:
            with np.errstate(all="ignore"):
                wanted = HOST[name](*(number(p, form) for p in given))
            assert row.evaluate(given) == pattern(wanted, form), [hex(p) for p in given]


def test_between_the_formats() -> None:
    random = Random(3)
    for a in [*special(F64), *(near(F64, random, 0x3FF << 52) for _ in range(500))]:
        with np.errstate(all="ignore"):
            wanted = np.float32(number(a, F64))
        assert FLOATS["f32_from_f64"].evaluate([a]) == pattern(wanted, F32)
    for a in [*special(F32), *(random.getrandbits(32) for _ in range(500))]:
        with np.errstate(all="ignore"):
            wanted = np.float64(number(a, F32))
        assert FLOATS["f64_from_f32"].evaluate([a]) == pattern(wanted, F64)


HEAD = "#include <math.h>\n#include <stdint.h>\n"
EACH = """void f(const TYPE *a, const TYPE *b, TYPE *out, int32_t *say, uint64_t *whole, int n) {
    for (int i = 0; i < n; i++) {
        TYPE x = a[i], y = b[i];
        out[6 * i] = x + y;
        out[6 * i + 1] = x * y - (TYPE)1.5;
        out[6 * i + 2] = x / y;
        out[6 * i + 3] = SQRT(FABS(y)) + FLOOR(x);
        out[6 * i + 4] = FMA(x, y, (TYPE)i);
        out[6 * i + 5] = ROUND(x) + (TYPE)whole[i] + (TYPE)say[i] + (TYPE)(float)(double)y;
        say[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4
            | (x >= y) << 5 | !(x < y) << 6 | isnan(x) << 7 | (signbit(y) != 0) << 8;
        whole[i] = FABS(x) < 1e9 ? (uint64_t)(int64_t)x ^ (uint32_t)FABS(x) : 7;
    }
}"""
NAMES = ("SQRT", "FABS", "FLOOR", "FMA", "ROUND")


def arrays(kind: str, random: Random, n: int) -> Values:
    form = FORMATS[kind]
    chosen = [random.choice(special(form)) for _ in range(n // 2)]
    chosen += [near(form, random, form.bias << form.fraction_bits) for _ in range(n - n // 2)]
    size = form.bits // 8
    a = b"".join(p.to_bytes(size, "little") for p in chosen)
    b = b"".join(near(form, random, p).to_bytes(size, "little") for p in chosen)
    return {
        "a": a,
        "b": b,
        "out": bytes(6 * n * size),
        "say": random.randbytes(4 * n),
        "whole": random.randbytes(8 * n),
        "n": n,
    }


@pytest.mark.parametrize("kind", FORMATS)
def test_every_operation_in_a_pipeline(tmp_path: Path, target: Target, kind: str) -> None:
    text = EACH.replace("TYPE", {"f32": "float", "f64": "double"}[kind])
    for name in NAMES:
        text = text.replace(name, name.lower() + ("f" if kind == "f32" else ""))
    built = made(tmp_path, text, target)
    random = Random(kind)
    for n in (1, 2, 40, 40):
        check(built, arrays(kind, random, n))


SUM = """double f(const double *in, int n) {
    double sum = 0, product = 1;
    for (int i = 0; i < n; i++) { sum += in[i]; product *= in[i] * 0.5; }
    return sum / product;
}"""
STRAIGHT = """double f(double a, double b, double c, double d) {
    return (a + b) * (c + d) - (a * d + b * c) * (a - d) + (b - c);
}"""
NEST = """void f(const double *in, double *out, int n) {
    for (int i = 0; i < n; i++) {
        double x = in[i];
        for (int j = 0; j < 3 + (i & 1); j++) x = x * x - in[j % n] + 0.25;
        out[i] = x;
    }
}"""


def made(folder: Path, text: str, target: Target) -> Build:
    source = folder / "f.c"
    source.write_text(HEAD + text)
    return build(source, "f", target, CLOCK_PS, folder, slower_clock=True)


def schedule(folder: Path, text: str, target: Target) -> KernelSchedule:
    source = folder / "f.c"
    source.write_text(HEAD + text)
    return compile_kernel(Program.of(source), "f", target, CLOCK_PS).schedule


def cores(found: KernelSchedule) -> dict[str, int]:
    """How many there are of each kind."""
    ports = {(op.slug, port) for s in found.blocks.values() for op, port in s.ports.items()}
    kinds = [kind for kind, _ in ports if kind in FLOATS]
    return {kind: kinds.count(kind) for kind in kinds}


@pytest.mark.parametrize("text", [SUM, NEST])
def test_recurrences(tmp_path: Path, target: Target, text: str) -> None:
    built = made(tmp_path, text, target)
    for n in (1, 2, 9):
        numbers = np.array([Random(n).uniform(-1, 1) for _ in range(n)])
        check(built, {"in": numbers.tobytes(), "out": bytes(8 * n), "n": n})


def test_straight_code_shares_one_core_of_each_kind(tmp_path: Path, target: Target) -> None:
    assert cores(schedule(tmp_path, STRAIGHT, target)) == {"f64_add": 1, "f64_mul": 1}
    built = made(tmp_path, STRAIGHT, target)
    random = Random(5)
    for _ in range(10):
        numbers = {n: np.float64(random.uniform(-9, 9)) for n in "abcd"}
        check(built, {n: int.from_bytes(v.tobytes(), "little") for n, v in numbers.items()})


def test_a_recurrence_is_named_and_shares_cores(tmp_path: Path, target: Target) -> None:
    """What it waits for is itself, not the cores: of these there are no more than it keeps busy."""
    found = schedule(tmp_path, SUM, target)
    loop = max(found.blocks.values(), key=lambda s: s.ii)
    assert loop.limits.binding is not None and loop.limits.binding.kind is LimitKind.RECURRENCE
    assert cores(found) == {"f64_add": 1, "f64_mul": 1, "f64_div": 1}


def test_a_pipeline_has_as_many_cores_as_it_needs(tmp_path: Path, target: Target) -> None:
    text = """void f(const float *in, float *out, int n) {
        for (int i = 0; i < n; i++) out[i] = (in[i] + 1.5f) * in[i] + in[i] * 3.5f;
    }"""
    found = schedule(tmp_path, text, target)
    assert found.ii == 1 and cores(found) == {"f32_add": 2, "f32_mul": 2}


def test_a_core_has_its_operands_every_cycle(target: Target) -> None:
    """They are parameters of its one block, as a pipeline's; a call gives it nothing."""
    kernel = with_cores(target, CLOCK_PS, {}).core("f32_add").schedule.kernel
    assert [a.is_result for a in kernel.arguments] == [True]
    assert [p.width for p in kernel.entry.parameters] == [32, 32] and len(kernel.blocks) == 1


PRODUCT = """void f(const double a[16][16], const double b[16][16], double c[16][16]) {
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            double sum = 0;
#pragma tandem unroll
            for (int k = 0; k < 16; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}"""


def test_what_waits_for_a_chain_of_sums_is_made_late(tmp_path: Path, target: Target) -> None:
    """Products are made when their sum is near, not all at the start of an iteration: they would
    wait in registers."""
    found = schedule(tmp_path, PRODUCT, target)
    assert found.ii == 16 and cores(found) == {"f64_add": 1, "f64_mul": 1}
    assert estimate_area(found)["ff"] < 7_000


def test_constants_are_rounded_after_each_operation(tmp_path: Path, target: Target) -> None:
    text = """
    static double rest(double x) { return x * x - 0.01; }
    double f(double x) { return rest(0.1) - rest(x); }
    """
    built = made(tmp_path, text, target)
    data = check(built, {"x": int.from_bytes(struct.pack("<d", 0.1), "little")}).data
    assert struct.unpack("<d", data["result"])[0] == 0
