# SPDX-License-Identifier: Apache-2.0
"""An `int` that says where a row begins is computed as wide as a pointer.

What C counts with a sign does not overflow, so that `(long)(i * n + j)` is `(long)i * n + j`. LLVM
goes by that only for counters whose loop it knows well, and forgets it where it makes `k * (n + 1)`
of `k * n + k`: of such an index it is not known then whether it has wrapped, and when it comes to
another one's element.
"""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.binding as llvmlite

from tandem.llvm import attributes
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.builder import Builder
from tandem.llvm.edit import replace
from tandem.llvm.module import Module, number_of, opened
from tandem.llvm.opcodes import Opcode
from tandem.llvm.passes import Passes, rewritten, run_passes
from tandem.llvm.read import Ref, opcode_of, operands, type_text

INT, LONG = 32, 64
_ARITHMETIC = (Opcode.ADD, Opcode.SUB, Opcode.MUL)
_SUMS = (Opcode.ADD, Opcode.SUB)


def with_wide_indices(module: llvmlite.ModuleRef) -> llvmlite.ModuleRef:
    """A module in which indices that are extended products are products of what is extended, also
    by way of a variable, or of a function of one line; the same one where there are none."""
    with opened(str(module)) as found:
        formulas = formulas_of(found)
    return with_formulas_wide(module, formulas)


def with_formulas_wide(
    module: llvmlite.ModuleRef, formulas: Sequence[str] | None
) -> llvmlite.ModuleRef:
    """The same where it is known what `formulas_of` says."""
    if formulas is None:
        return module
    inlined = llvmlite.parse_assembly(str(module))
    for name in formulas:
        inlined.get_function(name).add_function_attribute("alwaysinline")
    run_passes(inlined, Passes.add_always_inliner_pass, Passes.add_sroa_pass)
    wide = rewritten(inlined, _widen)
    return module if wide is inlined else wide


def formulas_of(module: Module) -> list[str] | None:
    """The functions of one line of a module; None where there are no products at all."""
    defined = module.defined
    if not any(_is_product(ref) for ref in llvm.instructions(defined)):
        return None
    return [llvm.name(function) for function in filter(_is_formula, defined)]


def _is_formula(function: Ref) -> bool:
    """Whether a function computes an `int` without a branch or another function, and the C does not
    ask for it as a function of its own."""
    blocks = list(llvm.children(function, "BasicBlock"))
    if len(blocks) != 1 or llvm.linkage(function) != llvm.INTERNAL:
        return False
    is_int = type_text(llvm.result_type(function)) == f"i{INT}"
    is_alone = not any(opcode_of(ref) == Opcode.CALL for ref in llvm.instructions([function]))
    return (
        is_int and is_alone and not attributes.has_attribute(function, FUNCTION_INDEX, "noinline")
    )


def _widen(module: Module) -> bool:
    found = [ref for function in module.defined for ref in _extensions(function)]
    builder = Builder(module)
    for ref in found:
        builder.before(ref)
        replace(ref, _widened(builder, operands(ref)[0], llvm.type_of(ref)))
    return bool(found)


def _extensions(function: Ref) -> list[Ref]:
    """The products of a function that are made wider to be indices."""
    inside = list(llvm.instructions([function]))
    indices = _indices(inside)
    return [
        ref
        for ref in inside
        if ref in indices and _is_extension(ref) and _has_product(operands(ref)[0])
    ]


def _is_extension(ref: Ref) -> bool:
    return opcode_of(ref) == Opcode.SEXT and llvm.number_bits(llvm.type_of(ref)) == LONG


def _indices(inside: list[Ref]) -> set[Ref]:
    """The indices of elements, and what they are sums of."""
    found: set[Ref] = set()
    for ref in inside:
        found.update(operands(ref)[1:] if opcode_of(ref) == Opcode.ADDRESS else ())
    for ref in reversed(inside):
        if ref in found and opcode_of(ref) in _SUMS:
            found.update(operands(ref))
    return found


def _is_made(value: Ref) -> bool:
    """Whether a value is an `int` that is computed, and does not overflow."""
    if opcode_of(value) not in _ARITHMETIC or llvm.number_bits(llvm.type_of(value)) != INT:
        return False
    return llvm.is_instruction(value) and bool(llvm.call("GetNSW", value))


def _is_product(value: Ref) -> bool:
    return opcode_of(value) == Opcode.MUL and _is_made(value)


def _has_product(value: Ref) -> bool:
    """Whether a product of what are no constants is part of the sum that a value is."""
    if not _is_made(value):
        return False
    parts = operands(value)
    is_variable = all(llvm.constant_number(part) is None for part in parts)
    return (_is_product(value) and is_variable) or any(map(_has_product, parts))


def _widened(builder: Builder, value: Ref, kind: Ref) -> Ref:
    """A value with more bits."""
    if llvm.constant_number(value) is not None:
        return number_of(kind, llvm.signed_number(value))
    if not _is_made(value):
        return builder.cast(Opcode.SEXT, value, kind, "tandem.wide")
    a, b = (_widened(builder, part, kind) for part in operands(value))
    made = builder.binary(Opcode(opcode_of(value)), a, b, "tandem.wide")
    llvm.call("SetNSW", made, 1)
    return made
