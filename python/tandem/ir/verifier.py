# SPDX-License-Identifier: Apache-2.0
"""Checks that a kernel is well formed. A finding is a bug of ours, never of the user's C."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from tandem.diagnostics import Diagnostic, InternalError
from tandem.ir.blocks import Block, Branch, Call, Join, Jump, Return, Start, reverse_postorder
from tandem.ir.dominators import immediate_dominators
from tandem.ir.functions import blocks_of, calls_in_a_circle, entries, returned
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    MAX_WIDTH_BITS,
    ArgumentOp,
    Concat,
    Constant,
    Divide,
    Extract,
    FloatOp,
    Load,
    MacroOp,
    Op,
    Peek,
    Poll,
    Pop,
    ResultOp,
    Rom,
    Select,
)

EDGES = {Jump: 1, Branch: 2, Call: 2, Start: 2, Join: 1, Return: 0}
"""How many edges there are of each kind of end."""


def verify(kernel: Kernel, after: str = "") -> None:
    """Raises InternalError with every finding; `after` names the pass that ran last."""
    findings = [*_check_structure(kernel), *_check_widths(kernel)]
    findings += [*_check_order(kernel), *_check_calls(kernel), *_check_results(kernel)]
    if findings:
        where = f"@{kernel.name}" + (f" after {after}" if after else "")
        raise InternalError(*(Diagnostic("ir-invalid", f"{where}: {f}") for f in findings))


def _check_structure(kernel: Kernel) -> list[str]:
    known = set(kernel.blocks)
    findings: list[str] = []
    for block in kernel.blocks:
        wanted = EDGES[type(block.end)]
        if len(block.end.edges) != wanted:
            findings.append(f"^{block.name}: {block.end.slug} needs {wanted} edges")
        if block.end.condition is not None and block.end.condition.width != 1:
            findings.append(f"^{block.name}: its condition has {block.end.condition.width} bits")
        for edge in block.end.edges:
            if edge.block not in known:
                findings.append(f"^{block.name}: edge to a block outside the kernel")
            given = [a.width for a in edge.arguments]
            if given != [p.width for p in edge.block.parameters]:
                findings.append(f"^{block.name}: edge to ^{edge.block.name} passes {given}")
    return findings


def _check_calls(kernel: Kernel) -> list[str]:
    """Functions are apart from each other, and none leads to itself."""
    known = entries(kernel)
    bodies = [blocks_of(entry) for entry in (kernel.entry, *known.values())]
    homes = Counter(block for body in bodies for block in body)
    findings = [f"@{name} calls itself" for name in calls_in_a_circle(kernel)]
    findings += [f"^{b.name}: is part of two functions" for b, n in homes.items() if n > 1]
    findings += [
        f"^{block.name}: @{block.end.callee} has two first blocks"
        for block in kernel.blocks
        if block.calls and block.end.edges[0].block is not known[block.end.callee]
    ]
    return findings


def _check_results(kernel: Kernel) -> list[str]:
    """What is returned is as wide as the kernel's result, or as what reads a function's, which
    comes right after a call of it."""
    result = sum(a.width for a in kernel.arguments if a.is_result)
    findings = [
        f"^{block.name}: the return's value is not the {result} bits of the result"
        for block in blocks_of(kernel.entry)
        if isinstance(block.end, Return) and _returned_bits(block) != result
    ]
    widths = {name: set(map(_returned_bits, returned(kernel, name))) for name in entries(kernel)}
    findings += [f"@{n}: returns {found} bits" for n, found in widths.items() if len(found) > 1]
    before = kernel.predecessors()
    for block, op in kernel.ops():
        if isinstance(op, ResultOp):
            function = op.function
            if {source.end.callee for source, _ in before[block]} != {function}:
                findings.append(f"^{block.name}: no call of @{function}")
            elif widths[function] - {op.width}:
                findings.append(f"^{block.name}: a result of i{op.width}")
    return findings


def _returned_bits(block: Block) -> int:
    return block.end.value.width if block.end.value else 0


def _check_widths(kernel: Kernel) -> list[str]:
    findings = []
    for block, op in kernel.ops():
        problem = _width_problem(kernel, op)
        if problem:
            findings.append(f"^{block.name}: {op.slug} (line {op.line}): {problem}")
    return findings


def _width_problem(kernel: Kernel, op: Op) -> str:
    widths = [o.width for o in op.operands]
    if op.arity is not None and op.pure and len(widths) != op.arity:
        return f"takes {op.arity} operands, has {len(widths)}"
    if op.rule == "none":
        return "has a result" if op.width else ""
    if not 1 <= op.width <= MAX_WIDTH_BITS:
        return f"has width {op.width}"
    if op.rule == "same" and widths.count(op.width) < len(widths):
        return f"operands {widths} and result i{op.width} differ in width"
    if op.rule == "bit" and (op.width != 1 or len(set(widths)) != 1):
        return f"compares {widths} into i{op.width}"
    return _free_width_problem(kernel, op, widths) if _has_rule_of_its_own(type(op)) else ""


@cache
def _has_rule_of_its_own(kind: type[Op]) -> bool:
    """Whether `_free_width_problem` knows it."""
    ways = (Extract, Concat, Divide, FloatOp, MacroOp, Select, Rom, Load, Pop, Peek, Poll)
    return issubclass(kind, ways)


def _free_width_problem(kernel: Kernel, op: Op, widths: list[int]) -> str:
    if isinstance(op, Extract) and op.low + op.width > widths[0]:
        return f"reads beyond its operand of i{widths[0]}"
    if isinstance(op, Concat) and sum(widths) != op.width:
        return f"parts {widths} do not add up to i{op.width}"
    if isinstance(op, Divide) and sum(widths) != op.width:
        return f"a quotient and a remainder of {widths} do not make i{op.width}"
    if isinstance(op, FloatOp) and (op.row.widths, op.row.result) != (
        tuple(widths),
        op.width,
    ):
        return f"i{op.width} of operands {widths}"
    macro = kernel.macros.get(op.function) if isinstance(op, MacroOp) else None
    if macro and ([bits for _, bits in macro.parameters], macro.width) != (widths, op.width):
        return f"i{op.width} of operands {widths}"
    if isinstance(op, Select) and widths != [1, op.width, op.width]:
        return f"operands {widths} of a select of i{op.width}"
    if isinstance(op, (Rom, Load, Pop, Peek)):
        is_known = kernel.memories.get(op.memory.name) is op.memory
        if not is_known or op.memory.element_bits != op.width:
            return f"reads i{op.width} from {op.memory.name}"
    if isinstance(op, Poll) and op.width != 1:
        return f"answers with i{op.width}"
    return ""


def _check_order(kernel: Kernel) -> list[str]:
    """Every value is made once, and every use is dominated by that."""
    findings: list[str] = []
    homes: dict[Op, Block] = {}
    for block in kernel.blocks:
        for value in (*block.parameters, *block.ops):
            if homes.setdefault(value, block) is not block:
                findings.append(f"^{block.name}: {value!r} is made in ^{homes[value].name} too")
    above = _blocks_above(kernel)
    for block in reverse_postorder(kernel.entry):
        seen = set(block.parameters)
        for op in block.ops:
            if not seen.issuperset(op.operands):
                seen |= _defined_above(op.operands, homes, above[block])
                findings += _undefined(block, op.operands, seen)
            seen.add(op)
        seen |= _defined_above(block.end.inputs(), homes, above[block])
        findings += _undefined(block, block.end.inputs(), seen)
    return findings


def _defined_above(
    uses: Iterable[Op], homes: Mapping[Op, Block], above: Collection[Block]
) -> set[Op]:
    """Those of some values that are there when a block with these above it is entered."""
    return {
        use for use in uses if homes.get(use) in above or isinstance(use, (Constant, ArgumentOp))
    }


def _undefined(block: Block, uses: Iterable[Op], seen: set[Op]) -> list[str]:
    return [f"^{block.name}: uses {use!r} before its definition" for use in uses if use not in seen]


def _blocks_above(kernel: Kernel) -> dict[Block, set[Block]]:
    """For each block, those of its function that are on every path that leads to it."""
    dominators = immediate_dominators(kernel)
    above: dict[Block, set[Block]] = {kernel.entry: set()}
    above |= {entry: set() for entry in entries(kernel).values()}
    for block in reverse_postorder(kernel.entry):
        if block not in above:
            parent = dominators[block]
            above[block] = {parent, *above[parent]}
    return above
