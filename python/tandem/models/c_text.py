# SPDX-License-Identifier: Apache-2.0
"""Operations of the IR as C expressions over integers of any width (C23's _BitInt)."""

from __future__ import annotations

from collections.abc import Iterable

from tandem.ir.expressions import Expression
from tandem.ir.floats import F32, F64, FLOATS, Float
from tandem.ir.ops import ArgumentOp, Concat, Constant, Extract, Op
from tandem.ir.ops.c import c_type, literal
from tandem.ir.ops.floats import FLOAT_PREFIX


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


def expression_lines(expression: Expression, prefix: str, names: dict[str, str]) -> list[str]:
    """C statements that compute an expression, a variable a node; the last one is its value.
    `names`: the C variable of each argument."""
    lines = []
    variables: list[str] = []
    for i, node in enumerate(expression.nodes):
        uses = [variables[k] for k in node.operands]
        widths = [expression.nodes[k].width for k in node.operands]
        if node.kind is Constant:
            variables.append(literal(node.value, node.width))
            continue
        if node.kind is ArgumentOp:
            variables.append(names[node.name])
            continue
        variables.append(f"{prefix}{i}")
        text = _node(node.kind, node.width, uses, widths, node.value)
        lines.append(f"const {c_type(node.width)} {prefix}{i} = {text};")
    kind = c_type(expression.width)
    lines.append(f"const {kind} {prefix}value = {variables[-1]};")
    return lines


def _node(kind: type[Op], width: int, uses: list[str], widths: list[int], low: int) -> str:
    result = c_type(width)
    if kind is Extract:
        return f"({result})({uses[0]} >> {low})"
    if kind is Concat:
        parts, position = [], 0
        for use, part_bits in zip(reversed(uses), reversed(widths), strict=True):
            parts.append(f"(({result}){use} << {position})")
            position += part_bits
        return " | ".join(parts)
    return kind.c(width, uses, widths)
