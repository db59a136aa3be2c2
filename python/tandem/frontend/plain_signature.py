# SPDX-License-Identifier: Apache-2.0
"""How a function is called, in C and as a kernel: which of its values are structs, or integers of
odd widths, and in what registers or in whose memory the processor's rules put them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

from tandem.ir.names import unused_name
from tandem.llvm import attributes, sizes
from tandem.llvm import read as llvm
from tandem.llvm.edit import fill
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, call, opcode_of, type_of

PLAIN_BITS = (1, 8, 16, 32, 64)
REGISTER_BYTES = 8
RESULT = "result"
_SEVERAL = (llvm.TYPE_ARRAY, llvm.TYPE_VECTOR)
_PART = ".coerce"
"""Behind the name of a struct, in the names of the registers that clang puts it in."""


@dataclass(frozen=True)
class Piece:
    """What of a value one register holds, from byte `offset` of it on. `index`: of the parameter
    that it is, or of the member of the result; `mask`: the bits of it that belong to a member, None
    if all do."""

    index: int
    type: Ref
    offset: int
    mask: int | None = None

    @property
    def is_several(self) -> bool:
        """Whether it is several numbers."""
        return call("GetTypeKind", self.type) in _SEVERAL

    @property
    def parts(self) -> list[tuple[int, Ref]]:
        """(offset, type) of the numbers that it consists of."""
        if not self.is_several:
            return [(self.offset, self.type)]
        kind = call("GetElementType", self.type)
        step = bits_of(kind) // 8
        return [(self.offset + i * step, kind) for i in range(_count(self.type))]

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.offset + -(-bits_of(self.type) // 8)


@dataclass
class Value:
    """A parameter of the kernel, or its result. `index`: of the one parameter of the C's function
    that it is, None where it is in `pieces`; `type`: of that, or of the C's result. `bytes`: of
    what is behind a pointer here; 0 for a number and for the C's own pointers. `is_result`: it is
    where the result goes; `is_signed`: how a number fills a register."""

    name: str
    index: int | None = None
    type: Ref = 0
    pieces: list[Piece] = field(default_factory=list)
    bytes: int = 0
    is_result: bool = False
    is_signed: bool = False

    @property
    def plain_bits(self) -> int:
        """The width of the number that it is as a kernel has it; 0 for what stays as it is."""
        if self.bytes or call("GetTypeKind", self.type) != llvm.TYPE_INTEGER:
            return 0
        width = bits_of(self.type)
        return 0 if width in PLAIN_BITS else next(b for b in PLAIN_BITS if b >= width)

    @property
    def is_changed(self) -> bool:
        """Whether the kernel has it otherwise than the C's own function."""
        return bool(self.bytes or self.plain_bits)


@dataclass
class Signature:
    """A function's values, and its result: None where that, if there is any, is as the C has it, or
    behind a pointer."""

    function: Ref
    values: list[Value]
    result: Value | None = None

    @classmethod
    def of(cls, function: Ref) -> Signature:
        found = cls(function, _values(function))
        found.result = _result(function, [value.name for value in found.values])
        return found

    @property
    def is_plain(self) -> bool:
        return self.result is None and not any(value.is_changed for value in self.values)

    @property
    def plain_values(self) -> list[Value]:
        """The parameters of the kernel."""
        behind = [self.result] if self.result is not None and self.result.bytes else []
        return [*self.values, *behind]

    @property
    def may_be_undefined(self) -> bool:
        """Whether there may be bits in the result that belong to no member."""
        pieces = self.result.pieces if self.result else []
        return any(call("GetTypeKind", piece.type) == llvm.TYPE_INTEGER for piece in pieces)


def _values(function: Ref) -> list[Value]:
    values: dict[str, Value] = {}
    parameters = llvm.parameters(function)
    taken = [llvm.name(parameter).partition(_PART)[0] for parameter in parameters]
    for index, parameter in enumerate(parameters):
        kind, full = type_of(parameter), llvm.name(parameter) or f"argument{index}"
        name, is_part, _ = full.partition(_PART)
        place = _memory(function, index + 1)
        if place is not None:
            is_result = attributes.has_attribute(function, index + 1, "sret")
            name = unused_name(RESULT, taken) if is_result else name
            size = sizes.size_and_alignment(place)[0]
            values[name] = Value(name, index, kind, bytes=size, is_result=is_result)
        elif is_part or llvm.is_vector(parameter) or _is_wide(kind):
            value = values.setdefault(name, Value(name))
            value.pieces.append(Piece(index, kind, REGISTER_BYTES * len(value.pieces)))
            value.bytes = value.pieces[-1].end
        else:
            is_signed = attributes.has_attribute(function, index + 1, "signext")
            values[name] = Value(name, index, kind, is_signed=is_signed)
    return list(values.values())


def _memory(function: Ref, index: int) -> Ref | None:
    """The type of what a parameter points to that stands for a value."""
    found = (attributes.type_attribute(function, index, word) for word in ("byval", "sret"))
    return next(filter(None, found), None)


def _result(function: Ref, taken: list[str]) -> Value | None:
    """The result, where the kernel has it otherwise than the C's own function."""
    kind = llvm.result_type(function)
    which = call("GetTypeKind", kind)
    variable = returned_variable(function)
    is_struct = which in (llvm.TYPE_STRUCT, llvm.TYPE_VECTOR) or (
        variable not in (None, kind) and call("GetTypeKind", variable) != llvm.TYPE_POINTER
    )
    if which == llvm.TYPE_VOID or not (is_struct or which == llvm.TYPE_INTEGER):
        return None
    name = unused_name(RESULT, taken)
    if not is_struct and bits_of(kind) <= PLAIN_BITS[-1]:
        is_signed = attributes.has_attribute(function, 0, "signext")
        value = Value(name, None, kind, is_signed=is_signed)
        return value if value.is_changed else None
    pieces = _pieces(kind, variable)
    return Value(name, None, kind, pieces, pieces[-1].end, is_result=True) if pieces else None


def _pieces(kind: Ref, variable: Ref | None) -> list[Piece]:
    """The registers that a result is in; none for an array or a pointer, which are refused."""
    kinds = [kind]
    if call("GetTypeKind", kind) == llvm.TYPE_STRUCT:
        kinds = llvm.member_types(kind)
    if call("GetTypeKind", kind) == llvm.TYPE_ARRAY or not all(map(bits_of, kinds)):
        return []
    offsets = accumulate([REGISTER_BYTES] * len(kinds), initial=0)
    members = members_of(variable) if variable else -1
    return [
        Piece(i, member, offset, mask_of(member, members >> (8 * offset)))
        for i, (member, offset) in enumerate(zip(kinds, offsets, strict=False))
    ]


def returned_variable(function: Ref) -> Ref | None:
    """The type of the variable in which clang puts a function's result together."""
    for ref in llvm.instructions([function]):
        if opcode_of(ref) == Opcode.ALLOCA and llvm.name(ref) == "retval":
            return call("GetAllocatedType", ref)
    return None


def mask_of(kind: Ref, members: int) -> int | None:
    """The bits of a number that belong to members, of which a mask tells; None if all do."""
    everything = (1 << bits_of(kind)) - 1
    is_number = call("GetTypeKind", kind) == llvm.TYPE_INTEGER
    is_whole = not is_number or members & everything == everything
    return None if is_whole else members & everything


def _is_wide(kind: Ref) -> bool:
    is_number = call("GetTypeKind", kind) == llvm.TYPE_INTEGER
    return is_number and bits_of(kind) > PLAIN_BITS[-1]


def _count(kind: Ref) -> int:
    is_vector = call("GetTypeKind", kind) == llvm.TYPE_VECTOR
    return call("GetVectorSize" if is_vector else "GetArrayLength2", kind)


def bits_of(kind: Ref) -> int:
    """Of a number, or a vector or an array of numbers; 0 of anything else."""
    if call("GetTypeKind", kind) in _SEVERAL:
        return _count(kind) * bits_of(call("GetElementType", kind))
    return llvm.number_bits(kind)


def members_of(kind: Ref) -> int:
    """A mask of the bits that a type's members are made of."""
    which = call("GetTypeKind", kind)
    if which == llvm.TYPE_STRUCT:
        placed = [(sizes.field_offset(kind, i), m) for i, m in enumerate(llvm.member_types(kind))]
    elif which == llvm.TYPE_ARRAY:
        part = call("GetElementType", kind)
        step = sizes.size_and_alignment(part)[0]
        placed = [(i * step, part) for i in range(_count(kind))]
    elif which == llvm.TYPE_INTEGER:
        return (1 << llvm.number_bits(kind)) - 1
    else:
        return (1 << (8 * sizes.size_and_alignment(kind)[0])) - 1
    found = 0
    for offset, part in placed:
        found |= members_of(part) << (8 * offset)
    return found


def fill_with_zeros(module: Module, function: Ref) -> None:
    """Fills every variable of the type of a function's result with zeros at first, and never takes
    it for unwritten afterwards."""
    kind = returned_variable(function)
    if kind is None:
        return
    size = sizes.size_and_alignment(kind)[0]
    for ref in [*llvm.instructions(module.defined)]:
        if opcode_of(ref) == Opcode.ALLOCA and call("GetAllocatedType", ref) == kind:
            fill(module, ref, size)
