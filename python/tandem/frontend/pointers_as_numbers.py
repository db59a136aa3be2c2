# SPDX-License-Identifier: Apache-2.0
"""Pointers that are numbers, or stand in memory: the host's addresses, or numbers of ours that say
which memory and how far in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property

from tandem.diagnostics import UserError
from tandem.frontend.addresses import OFFSET_BITS, Pointer, decode, encode, encoded
from tandem.frontend.holders import PointerHolders
from tandem.frontend.host_addresses import SHARED, HostAddresses, is_for_marks, only_source
from tandem.frontend.pointer_numbers import is_compared, is_distance_or_pointer
from tandem.frontend.pointers import PointerFacts, base_and_bytes
from tandem.frontend.state import Importer, value_of
from tandem.frontend.wording import instruction_words
from tandem.ir.builder import Builder
from tandem.ir.memory import Memory
from tandem.ir.ops import Op, Store, constant
from tandem.ir.traps import pointer_trap
from tandem.llvm import read as llvm

FUNCTION = llvm.VALUE_FUNCTION
NOWHERE = (llvm.VALUE_NULL, llvm.VALUE_UNDEF, llvm.VALUE_POISON)


def is_variable(ref: llvm.Ref) -> bool:
    """Whether a value is a variable of the program."""
    return llvm.call("GetValueKind", ref) == llvm.VALUE_GLOBAL


class PointerNumbers(ABC):
    """What pointers are as numbers, in a function under import."""

    state: Importer
    facts: PointerFacts
    host: HostAddresses
    memories: dict[llvm.Ref, Memory]
    codes: dict[llvm.Ref, int]
    """What stands in memory for each place that pointers in memory lead to."""

    @abstractmethod
    def memory(self, base: llvm.Ref) -> Memory | None:
        """The memory that starts at `base`, None for the null pointer."""

    @abstractmethod
    def pointer(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """What a pointer of the C leads to."""

    def _code(self, base: llvm.Ref) -> int:
        """The number of a place; 0 is that of the null pointer."""
        if llvm.call("GetValueKind", base) in NOWHERE:
            return 0
        return self.codes.setdefault(base, len(self.codes) + 1)

    def _encoded(self, pointer: llvm.Ref) -> int:
        """What a pointer that is a constant is in memory. Raises ValueError for one that leads to
        no variable or function."""
        start, offset = base_and_bytes(pointer)
        is_known = llvm.call("GetValueKind", start) in (*NOWHERE, llvm.VALUE_GLOBAL, FUNCTION)
        if offset is None or not is_known:
            raise ValueError(llvm.text(start))
        return encoded(self._code(start), offset)

    def _constant_number(self, pointer: llvm.Ref) -> Op:
        """What a pointer that is a constant is as a number."""
        if not self._are_addresses:
            return constant(self._encoded(pointer), OFFSET_BITS)
        start = self.host.start_of(self.memory(pointer)) if is_variable(pointer) else None
        if start is None:
            raise self.state.error(
                "pointer",
                f"cannot compute with {instruction_words(pointer)} as a number",
                "use an index in its place, or an array that the caller gives",
            )
        return start

    def _held(self) -> dict[Memory | None, int]:
        """The number of every memory that pointers in memory may lead to, if only to none."""
        return self._codes(self.facts.held)

    def _codes(self, bases: Iterable[llvm.Ref]) -> dict[Memory | None, int]:
        """The numbers of the memories of some bases, if only of none."""
        return {self.memory(base): self._code(base) for base in bases} or {None: 0}

    @cached_property
    def _holders(self) -> PointerHolders:
        return PointerHolders(self.state.functions)

    @cached_property
    def _are_addresses(self) -> bool:
        """Whether pointers as numbers are the host's: where more is done with one than computing
        distances, or it is compared with others that the host sees. Else they are what they would
        be in memory."""
        numbers = [
            part
            for ref in llvm.instructions(self.state.functions)
            for operand in (ref, *llvm.operands(ref))
            for part in llvm.parts_of(operand)
            if llvm.numbered_pointer(part) is not None
        ]
        if not all(is_distance_or_pointer(n, self._holds_pointers) for n in numbers):
            return True
        bases = {base for n in numbers for base in self._bases_of(llvm.operands(n)[0])}
        memories = map(self.memory, bases)
        are_seen = all(m is None or m.kind in SHARED for m in memories)
        return are_seen and any(map(is_compared, numbers))

    def _bases_of(self, pointer: llvm.Ref) -> list[llvm.Ref]:
        return list(self.facts.bases(pointer))

    def as_number(self, builder: Builder, ref: llvm.Ref) -> Op:
        """A pointer as a number. Raises UserError for the address of what the host does not see."""
        pointer = self.pointer(builder, llvm.operands(ref)[0])
        if self._are_addresses:
            return self.host.number(builder, pointer, is_for_marks(ref))
        return encode(builder, pointer, self._held())

    def returned(self, builder: Builder, ref: llvm.Ref) -> Op:
        """A pointer that the kernel returns. Raises UserError as `as_number` does."""
        return self.host.number(builder, self.pointer(builder, ref))

    def _holds_pointers(self, target: llvm.Ref) -> bool:
        return all(map(self._holders.may_hold, self.facts.bases(target)))

    def from_number(self, builder: Builder, ref: llvm.Ref) -> Pointer:
        """The pointer that a number stands for. Raises UserError where none has become one, or
        where it is not known which one."""
        held = self._held()
        (number,) = llvm.operands(ref)
        if held.keys() == {None}:
            raise self._untraceable(ref)
        value = builder.resize(value_of(self.state, number), OFFSET_BITS)
        if not self._are_addresses:
            return decode(builder, value, held)
        source = only_source(number, self._bases_of)
        memory = None if source is None else self.memory(source)
        if memory is None:
            raise self._untraceable(ref)
        return self.host.pointer(builder, value, memory)

    def _untraceable(self, ref: llvm.Ref) -> UserError:
        return self.state.error(
            "pointer",
            f"cannot follow {instruction_words(ref)}",
            "reach arrays through the function's arguments, its variables and tables",
        )

    def _holding(self, pointer: Pointer) -> Pointer:
        """A pointer to a pointer, as far as it leads to memories that have some."""
        bases = {memory: base for base, memory in self.memories.items()}
        cases = [
            case
            for case in pointer.cases
            if case.address.memory is None or self._holders.may_hold(bases[case.address.memory])
        ]
        return Pointer(tuple(cases)) if cases else pointer

    def _followable(self, builder: Builder, pointer: Pointer) -> Pointer:
        """A pointer to a pointer, as far as it leads to memories of the kernel's own: what the host
        fills in are addresses of the host. Where it leads there, a trap; raises UserError where it
        leads nowhere else."""
        memories = [(case, case.address.memory) for case in pointer.cases]
        shared = [(case, m) for case, m in memories if m is not None and m.kind in SHARED]
        if shared and not any(m is not None and m.kind not in SHARED for _, m in memories):
            raise self.state.error(
                "pointer",
                f"a pointer in `{shared[0][1].name}`, which the caller shares, at an index that is "
                "not known before the call: hardware cannot follow the host's addresses",
                "use an index in its place, or make `main` the kernel",
            )
        for case, memory in shared:
            trap = pointer_trap(self.state.kernel, memory.name)
            operands = [constant(0, trap.index_bits), constant(1, trap.element_bits), case.chosen]
            builder.raw(Store, operands, 0, memory=trap)
        apart = [case for case, _ in shared]
        return Pointer(tuple(case for case in pointer.cases if case not in apart))
