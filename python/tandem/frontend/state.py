# SPDX-License-Identifier: Apache-2.0
"""What an import of LLVM IR knows so far: the IR that stands for each LLVM value and block."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.addresses import OFFSET_BITS, Pointer
from tandem.frontend.program import MAIN
from tandem.frontend.wording import instruction_words, type_words
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Constant, Op, constant
from tandem.llvm import read as llvm

CURES = {
    "malloc": "use an array of fixed size, or pass a buffer as an argument",
    "calloc": "use an array of fixed size, or pass a buffer as an argument",
    "realloc": "use an array of fixed size, or pass a buffer as an argument",
    "free": "use an array of fixed size, or pass a buffer as an argument",
    **dict.fromkeys(
        ("rand", "srand", "random", "srandom"),
        "its state is the C library's: make `main` the kernel, or write a generator in C",
    ),
}

OF_FLANG = "_Fortran"
"""Before the names of what is in flang's libraries."""
NUMBERS_ONLY = "this version computes with integers, float and double"
LANES_ONLY = "vectors are computed lane by lane: write so what an instruction (`_mm_...`) does"


Tables = Collection[str] | None
"""Names of constant tables; None: all that there are."""


@dataclass
class Importer:
    """The state of one import. `functions`: the kernel's own, and those that are called."""

    module: llvm.Ref
    functions: list[llvm.Ref]
    file: str
    loop_kind: int
    kernel: Kernel = field(default_factory=lambda: Kernel(""))
    values: dict[llvm.Ref, Op | Pointer] = field(default_factory=dict)
    blocks: dict[llvm.Ref, Block] = field(default_factory=dict)
    builders: dict[Block, Builder] = field(default_factory=dict)
    pairs: dict[llvm.Ref, list[Op]] = field(default_factory=dict)
    """Results of two members: value and overflow."""
    names: dict[llvm.Ref, str] = field(default_factory=dict)
    """What called functions are named."""
    ends: dict[llvm.Ref, Block] = field(default_factory=dict)
    """What an LLVM block ends with, where that is behind a call."""
    place: Place = field(default_factory=lambda: Place(""))
    stored_tables: Tables = frozenset()
    taken: dict[llvm.Ref, Op] = field(default_factory=dict)
    """The record that was last taken by way of a pointer to a stream."""
    number: Callable[[llvm.Ref], Op] = lambda _: constant(0, OFFSET_BITS)
    """The number that a pointer is which is a constant."""

    @property
    def function(self) -> llvm.Ref:
        """The kernel's own function."""
        return self.functions[0]

    def is_stored(self, memory: Memory) -> bool:
        """Whether a constant table is to be one memory, with its ports: else each access has a copy
        of what it can reach."""
        tables = self.stored_tables
        return memory.kind is MemoryKind.ROM and (tables is None or memory.name in tables)

    @property
    def is_whole_program(self) -> bool:
        """Whether the kernel is all that ever runs: `main`, which runs once."""
        return llvm.name(self.function) == MAIN

    def end_of(self, block: llvm.Ref) -> Block:
        """The block that an LLVM block ends with."""
        return self.ends.get(block, self.blocks[block])

    def error(self, code: str, message: str, help: str) -> UserError:
        """A diagnostic at the C line of the instruction under import."""
        return user_error(code, message, self.place, help)


def width_of(state: Importer, value: llvm.Ref) -> int:
    """The bits of an LLVM number. Raises UserError for any other value."""
    kind = llvm.call("TypeOf", value)
    width = llvm.number_bits(kind)
    if not width:
        raise no_number(state, kind)
    return width


def no_number(state: Importer, kind: llvm.Ref, where: str = "") -> UserError:
    """A value is of a type that there is no hardware for."""
    words = type_words(kind)
    cure = LANES_ONLY if words == "vector" else NUMBERS_ONLY
    return state.error("type", f"a value of type {words}{where}", cure)


def value_of(state: Importer, ref: llvm.Ref) -> Op:
    """The operation that stands for an LLVM number."""
    found = state.values.get(ref)
    if isinstance(found, Op):
        return found
    kind = llvm.call("GetValueKind", ref)
    if kind == llvm.VALUE_INTEGER:
        width = width_of(state, ref)
        return constant(
            llvm.call("ConstIntGetZExtValue", ref) if width <= 64 else _wide(ref), width
        )
    if kind in (llvm.VALUE_UNDEF, llvm.VALUE_ZERO, llvm.VALUE_POISON):
        return constant(0, width_of(state, ref))
    if kind == llvm.VALUE_EXPRESSION:
        number = _number_of_pointer(state, ref)
        if number is not None:
            return number
    if kind == llvm.VALUE_FLOAT:
        width = width_of(state, ref)  # no other than there is hardware for
        return constant(llvm.float_pattern(ref), width)
    raise state.error(
        "pointer",
        f"cannot compute with {instruction_words(ref)}",
        "pointers may only be used to reach array elements",
    )


def _number_of_pointer(state: Importer, ref: llvm.Ref) -> Op | None:
    """The value of a constant that is made of a pointer; None for any other."""
    width = width_of(state, ref)
    pointer = llvm.numbered_pointer(ref)
    if pointer is not None:
        number = state.number(pointer)
        return constant(number.value, width) if isinstance(number, Constant) else number
    if llvm.opcode_of(ref) not in llvm.SIGNS:
        return None
    left, right = (value_of(state, part) for part in llvm.operands(ref))
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return None
    return constant(left.value + llvm.SIGNS[llvm.opcode_of(ref)] * right.value, width)


def _wide(ref: llvm.Ref) -> int:
    return int(llvm.text(ref).split()[-1])


def outside_call(state: Importer, callee: str) -> UserError:
    """The function calls something that is not part of the program."""
    return state.error(
        "call",
        f"`{callee}` is called, and its C is not part of the program",
        _cure(callee),
    )


def _cure(callee: str) -> str:
    if callee.startswith(OF_FLANG):
        return "flang has a library do it: write it as loops over elements, or do it outside"
    return CURES.get(callee, f"give the C of `{callee}`, or call it outside")
