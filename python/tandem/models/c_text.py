# SPDX-License-Identifier: Apache-2.0
"""Operations of the IR as C expressions over integers of any width (C23's _BitInt)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tandem.ir.expressions import Expression
from tandem.ir.floats import F32, F64, FLOATS, Float
from tandem.ir.operations import C_SIGNS, LOGIC, SHIFT

FLOAT_PREFIX = "tandem_"
"""Before the names of the functions of `floats_c`."""


def c_type(width: int, is_signed: bool = False) -> str:
    """The C type of a pattern of `width` bits."""
    if is_signed:
        return f"signed _BitInt({max(width, 2)})"
    return f"unsigned _BitInt({width})"


def as_signed(use: str, width: int) -> str:
    """C of a pattern's number with a sign. One bit is -1 where it is set, which no conversion to a
    type of two bits makes of it."""
    kind = c_type(width, True)
    return f"({kind})-({kind}){use}" if width == 1 else f"({kind}){use}"


def literal(value: int, width: int) -> str:
    """A constant of any width: put together from 32-bit parts."""
    kind = c_type(width)
    if value < 1 << 63:
        return f"(({kind}){value:#x}ull)"
    parts = [
        f"(({kind}){value >> s & 0xFFFFFFFF:#x}u << {s})" for s in range(0, value.bit_length(), 32)
    ]
    return f"({' | '.join(parts)})"


def operation(kind: str, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
    """The result of an operation that needs nothing but its operands: `uses` are their C
    expressions, each of the unsigned type of its width."""
    result = c_type(width)
    if kind in FLOATS:
        return f"{FLOAT_PREFIX}{kind}({', '.join(uses)})"
    if kind in LOGIC:
        return f"({result})({f' {C_SIGNS[kind]} '.join(uses)})"
    if kind in SHIFT:
        return _shift(kind, width, uses)
    if kind == "select":
        return f"{uses[0]} ? {uses[1]} : {uses[2]}"
    if kind[0] == "s" and kind != "sub":
        uses = [f"({as_signed(u, w)})" for u, w in zip(uses, widths, strict=True)]
    if kind in ("sdiv", "srem"):
        # One bit more, so that the least number by -1 does not overflow.
        uses = [f"(({c_type(width + 1, True)}){u})" for u in uses]
    if kind in ("udiv", "sdiv"):
        by_zero = "-1" if kind == "udiv" else f"({uses[0]} < 0 ? 1 : -1)"
        return f"{uses[1]} ? ({result})({uses[0]} / {uses[1]}) : ({result}){by_zero}"
    if kind in ("urem", "srem"):
        return f"{uses[1]} ? ({result})({uses[0]} % {uses[1]}) : ({result}){uses[0]}"
    if kind == "divide":
        return _divide(width, uses, widths)
    return f"({result})({uses[0]} {C_SIGNS[kind]} {uses[1]})"


def floats_c(kinds: Iterable[str]) -> str:
    """C functions of floating-point operations on patterns, computed by the processor."""
    return "".join(_float_c(kind, FLOATS[kind]) for kind in sorted(set(kinds)))


def _float_c(kind: str, row: Float) -> str:
    names = [f"a{i}" for i in range(len(row.widths))]
    given = ", ".join(f"{c_type(w)} p{i}" for i, w in enumerate(row.widths))
    lines = [
        f"uint{w}_t u{i} = (uint{w}_t)p{i}; {t} a{i}; memcpy(&a{i}, &u{i}, sizeof u{i});"
        for i, (w, t) in enumerate(zip(row.widths, row.types[:-1], strict=True))
    ]
    text = row.c
    for i, name in enumerate(names):
        text = text.replace(f"${i}", name)
    last = f"{row.types[-1]} r = ({row.types[-1]})({text}); uint{row.result}_t u;"
    if row.types[-1] in ("float", "double"):
        form = F32 if row.result == 32 else F64
        last += f" memcpy(&u, &r, sizeof u); if (r != r) u = {form.nan:#x}u;"
    else:
        last += " memcpy(&u, &r, sizeof u);"
    body = "\n    ".join([*lines, last, f"return ({c_type(row.result)})u;"])
    return f"static inline {c_type(row.result)} {FLOAT_PREFIX}{kind}({given})\n{{\n    {body}\n}}\n"


def _divide(width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
    result = c_type(width)
    a, b = (f"(({result}){use})" for use in uses)
    rest, quotient = f"({b} ? {a} % {b} : {a})", f"({b} ? {a} / {b} : ~({a} >> {widths[1]}))"
    parts = zip((quotient, rest), widths, (0, widths[0]), strict=True)
    return " | ".join(f"({result})({c_type(bits)}){part} << {low}" for part, bits, low in parts)


def _shift(kind: str, width: int, uses: Sequence[str]) -> str:
    result = c_type(width)
    amount = f"(uint64_t){uses[1]}"
    if kind == "ashr":
        signed = as_signed(uses[0], width)
        return f"({result})(({signed}) >> ({amount} < {width} ? {amount} : {width - 1}))"
    sign = "<<" if kind == "shl" else ">>"
    return f"{amount} < {width} ? ({result})({uses[0]} {sign} {amount}) : ({result})0"


def expression_lines(expression: Expression, prefix: str, names: dict[str, str]) -> list[str]:
    """C statements that compute an expression, a variable a node; the last one is its value.
    `names`: the C variable of each argument."""
    lines = []
    variables: list[str] = []
    for i, node in enumerate(expression.nodes):
        uses = [variables[k] for k in node.operands]
        widths = [expression.nodes[k].width for k in node.operands]
        if node.kind == "constant":
            variables.append(literal(node.value, node.width))
            continue
        if node.kind == "argument":
            variables.append(names[node.name])
            continue
        variables.append(f"{prefix}{i}")
        text = _node(node.kind, node.width, uses, widths, node.value)
        lines.append(f"const {c_type(node.width)} {prefix}{i} = {text};")
    kind = c_type(expression.width)
    lines.append(f"const {kind} {prefix}value = {variables[-1]};")
    return lines


def _node(kind: str, width: int, uses: list[str], widths: list[int], low: int) -> str:
    result = c_type(width)
    if kind == "extract":
        return f"({result})({uses[0]} >> {low})"
    if kind == "concat":
        parts, position = [], 0
        for use, part_bits in zip(reversed(uses), reversed(widths), strict=True):
            parts.append(f"(({result}){use} << {position})")
            position += part_bits
        return " | ".join(parts)
    return operation(kind, width, uses, widths)
