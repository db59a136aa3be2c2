# SPDX-License-Identifier: Apache-2.0
"""A kernel as programs beside the chip's own call it: by the signature of the C function, on
machines that may have another C, and without the variables of the chip's program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tandem.frontend.c_types import NUMBERS, CType, Declared, Signature, TypeKind, read_declared
from tandem.frontend.program import Program
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.kernel import Kernel

BOOL_BITS = 8


@dataclass(frozen=True)
class Callee:
    """A kernel and its place among the shells, with the function's signature and what is declared
    beside it."""

    kernel: Kernel
    number: int
    signature: Signature
    declared: Declared

    def types(self) -> list[CType | None]:
        """Of each argument the C's type, in the manifest's order; None for a variable that no
        other file can name."""
        parameters = iter(self.signature.parameters)
        return [self._type(argument, parameters) for argument in self.kernel.arguments]

    def _type(self, argument: Argument, parameters: Iterator[CType]) -> CType | None:
        if argument.is_result:
            return self.signature.result
        if argument.variable is not None:
            return self.declared.variable(argument.variable.symbol)
        return next(parameters)


def callees(program: Program, kernels: Sequence[Kernel]) -> list[Callee | str]:
    """Each kernel as others call it, or why none can. Raises UserError as clang does."""
    declared = read_declared(program.files)
    return [_callee(kernel, number, declared) for number, kernel in enumerate(kernels)]


def _callee(kernel: Kernel, number: int, declared: Declared) -> Callee | str:
    signature = declared.function(kernel.name)
    if signature is None:
        return "no file of the program declares it by that name"
    return _unfit(kernel, signature) or Callee(kernel, number, signature, declared)


def _unfit(kernel: Kernel, signature: Signature) -> str:
    """Why a kernel's arguments are not the function's parameters; empty if they are."""
    result = signature.result
    if result is not None and result.kind is TypeKind.POINTER:
        return "it returns a pointer, which is one of the chip's memory"
    arguments = [a for a in kernel.arguments if a.is_parameter]
    pairs = list(zip(arguments, signature.parameters, strict=False))
    fits = len(arguments) == len(signature.parameters) and all(_fits(*pair) for pair in pairs)
    has_result = any(a.is_result for a in kernel.arguments)
    if fits and (result is None or result.kind in NUMBERS or not has_result):
        return ""
    return "it takes or returns a struct by value, which each machine passes in its own way"


def _fits(argument: Argument, kind: CType) -> bool:
    if argument.kind is not ArgumentKind.SCALAR:
        return kind.kind is TypeKind.POINTER
    bits = argument.width if argument.width > 1 else BOOL_BITS
    return kind.kind in NUMBERS and kind.bits == bits
