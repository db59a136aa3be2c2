# SPDX-License-Identifier: Apache-2.0
"""An `int` that says where a row begins is computed as wide as a pointer.

What C counts with a sign does not overflow, so that `(long)(i * n + j)` is `(long)i * n + j`. LLVM
goes by that only for counters whose loop it knows well, and forgets it where it makes `k * (n + 1)`
of `k * n + k`: of such an index it is not known then whether it has wrapped, and when it comes to
another one's element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import llvmlite.binding as llvm

from tandem.frontend.symbols import LOCAL_NAME, part_of
from tandem.llvm.passes import Passes, run_passes

_PRODUCT = re.compile(r" = mul (?:nuw )?nsw i32 ")
_MADE = re.compile(rf"^  ({LOCAL_NAME}) = (add|sub|mul) (?:nuw )?nsw i32 (\S+), ([^\s,]+)")
_EXTENDED = re.compile(rf"^  ({LOCAL_NAME}) = sext i32 ({LOCAL_NAME}) to i64(.*)$")
_INDEX = re.compile(rf" = getelementptr .*, i64 ({LOCAL_NAME})(?:,|$)")
_SUM = re.compile(rf"^  ({LOCAL_NAME}) = (?:add|sub) (?:nuw )?(?:nsw )?i64 (\S+), ([^\s,]+)")
_NUMBER = re.compile(r"-?\d+")

Made = Mapping[str, tuple[str, str, str]]
"""What is made by which operation, of what."""


def with_wide_indices(module: llvm.ModuleRef) -> llvm.ModuleRef:
    """A module in which indices that are extended products are products of what is extended, also
    by way of a variable, or of a function of one line; the same one where there are none."""
    text = str(module)
    if not _PRODUCT.search(text):
        return module
    copy = llvm.parse_assembly(text)
    for function in filter(_is_formula, copy.functions):
        function.add_function_attribute("alwaysinline")
    run_passes(copy, Passes.add_always_inliner_pass, Passes.add_sroa_pass)
    text = str(copy)
    functions = re.split(r"^(?=define )", text, flags=re.M)
    wide = "".join(["\n".join(_rewritten(function.split("\n"))) for function in functions])
    return module if wide == text else llvm.parse_assembly(wide)


def _is_formula(function: llvm.ValueRef) -> bool:
    """Whether a function computes an `int` without a branch or another function."""
    blocks = list(function.blocks)
    if len(blocks) != 1 or function.linkage != llvm.Linkage.internal:
        return False
    last = list(blocks[0].instructions)[-1]
    is_alone = all(i.opcode != "call" for i in blocks[0].instructions)
    return is_alone and str(last).strip().startswith("ret i32 ") and not _is_kept(function)


def _is_kept(function: llvm.ValueRef) -> bool:
    """Whether the C asks for a function of its own."""
    return any(b"noinline" in bytes(attributes) for attributes in function.attributes)


def _rewritten(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a function."""
    found = filter(None, map(_MADE.match, lines))
    made = {match[1]: (match[2], match[3], match[4]) for match in found}
    indices = _indices(lines) if made else set()
    for line in lines:
        extended = _EXTENDED.match(line)
        if extended and extended[1] in indices and _has_product(extended[2], made):
            yield from _widened(extended[1], extended[2], extended[3], made)
        else:
            yield line


def _indices(lines: Sequence[str]) -> set[str]:
    """The indices of elements, and what they are sums of."""
    found = {match[1] for line in lines if (match := _INDEX.search(line))}
    for line in reversed(lines):
        total = _SUM.match(line)
        if total and total[1] in found:
            found.update((total[2], total[3]))
    return found


def _has_product(value: str, made: Made) -> bool:
    """Whether a product of what are no constants is part of the sum that a value is."""
    if value not in made:
        return False
    opcode, *operands = made[value]
    is_product = opcode == "mul" and not any(map(_NUMBER.fullmatch, operands))
    return is_product or any(_has_product(operand, made) for operand in operands)


def _widened(name: str, value: str, rest: str, made: Made) -> Iterator[str]:
    """The lines that compute a value of more bits, under a name."""
    opcode, *operands = made[value]
    wide: list[str] = []
    for i, operand in enumerate(operands):
        if _NUMBER.fullmatch(operand):
            wide.append(operand)
            continue
        wide.append(part_of(name, str(i)))
        if operand in made:
            yield from _widened(wide[-1], operand, rest, made)
        else:
            yield f"  {wide[-1]} = sext i32 {operand} to i64{rest}"
    yield f"  {name} = {opcode} nsw i64 {', '.join(wide)}{rest}"
