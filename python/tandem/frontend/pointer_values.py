# SPDX-License-Identifier: Apache-2.0
"""What pointers of a function under import lead to, as values."""

from __future__ import annotations

from tandem.diagnostics import UserError
from tandem.frontend.addresses import (
    OFFSET_BITS,
    Incomparable,
    Pointer,
    choose,
    compare,
    difference,
    is_below,
    moved,
    phi_arguments,
    phi_parameters,
    phi_pointer,
    pointer_to,
)
from tandem.frontend.arrays import Arrays
from tandem.frontend.pointers import gep_terms
from tandem.frontend.state import value_of
from tandem.ir.builder import Builder
from tandem.ir.memory import Memory
from tandem.ir.ops import Compare, Constant, Op
from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode


class PointerValues(Arrays):
    """Pointers as one of some memories and an offset, and what is done with them."""

    def pointer(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """What an LLVM pointer stands for; an undefined one for the null pointer."""
        found = self.state.values.get(ref)
        if isinstance(found, Pointer):
            return found
        kind = llvm.call("GetValueKind", ref)
        if kind == llvm.VALUE_EXPRESSION and llvm.call("GetConstOpcode", ref) == Opcode.ADDRESS:
            return self.address(builder, ref)
        if kind in (llvm.VALUE_UNDEF, llvm.VALUE_POISON):
            return pointer_to(None)
        return pointer_to(self.memory(ref))

    def address(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """The pointer that a getelementptr computes."""
        known, indices = gep_terms(ref)
        terms = []
        for index, size in indices:
            value = builder.resize(value_of(self.state, index), OFFSET_BITS, is_signed=True)
            if isinstance(value, Constant):
                known += (value.value - (value.value >> 63 << 64)) * size
            else:
                terms.append((value, size))
        return moved(self.pointer(builder, llvm.operands(ref)[0]), known, terms)

    def select(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """One of two pointers."""
        condition, *sides = llvm.operands(ref)
        yes, no = (self.pointer(builder, side) for side in sides)
        return choose(builder, value_of(self.state, condition), yes, no)

    def create_phi(self, builder: Builder, ref: llvm.Ref) -> list[Op]:
        """The block parameters that carry an LLVM phi of pointers."""
        memories = self._phi_memories(ref)
        parameters = phi_parameters(memories)
        self.state.values[ref] = phi_pointer(builder, memories, parameters)
        return parameters

    def phi_values(self, builder: Builder, phi: llvm.Ref, incoming: llvm.Ref) -> list[Op]:
        """What an edge passes to those parameters."""
        return phi_arguments(builder, self._phi_memories(phi), self.pointer(builder, incoming))

    def _phi_memories(self, ref: llvm.Ref) -> list[Memory | None]:
        return [self.memory(base) for base in self.facts.bases(ref)] or [None]

    def compare(
        self, builder: Builder, predicate: type[Compare], left: llvm.Ref, right: llvm.Ref
    ) -> Op:
        """The outcome of a comparison of two pointers."""
        sides = self.pointer(builder, left), self.pointer(builder, right)
        try:
            return compare(builder, predicate, sides, self.host)
        except Incomparable as pair:
            raise self._pointer_compare(pair.memories, "compared") from None

    def is_below(self, builder: Builder, left: llvm.Ref, right: llvm.Ref) -> Op:
        """Whether a pointer is below another, if both lead to one array or may."""
        sides = self.pointer(builder, left), self.pointer(builder, right)
        return is_below(builder, *sides, self.host)

    def difference(self, builder: Builder, left: llvm.Ref, right: llvm.Ref) -> Op:
        """The bytes between two pointers."""
        sides = self.pointer(builder, left), self.pointer(builder, right)
        try:
            return difference(builder, *sides, self.host)
        except Incomparable as pair:
            raise self._pointer_compare(pair.memories, "subtracted") from None

    def _pointer_compare(self, pair: tuple[Memory | None, Memory | None], verb: str) -> UserError:
        names = [m.name for m in pair if m is not None]
        if len(names) == 1:
            return self.state.error(
                "pointer-compare",
                f"`{names[0]}` is {verb} with the null pointer: hardware sees no addresses",
                "test it in the caller, and pass the outcome as an argument",
            )
        return self.state.error(
            "pointer-compare",
            f"`{names[0]}` and `{names[1]}` are {verb} as addresses, which hardware does not see",
            "do so in the caller and pass the outcome, or pass a number of elements in place of a "
            "pointer to the end",
        )
