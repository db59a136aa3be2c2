# SPDX-License-Identifier: Apache-2.0
"""A view of LLVM IR: values, types, metadata and debug locations of what LLVM has parsed."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Iterator

from tandem.diagnostics import Diagnostic, InternalError
from tandem.llvm import binding
from tandem.llvm.attributes import attribute_kind
from tandem.llvm.binding import Ref, call
from tandem.llvm.loop_words import newer_wishes
from tandem.llvm.signatures import INT, REF, SIZE

RET, CALL, PTR_TO_INT, ALLOCA, LOAD, STORE, ADDRESS = 1, 45, 39, 26, 27, 28, 29
"""The opcodes of a call, of a pointer as a number, and of a store."""
SIGNS = {8: 1, 10: -1}
"""Opcodes of addition and subtraction, and how the right operand counts."""

POINTER_BYTES = 8


def parse(text: str) -> tuple[Ref, Ref]:
    """(context, module) of LLVM IR text. Raises InternalError if LLVM cannot read it."""
    context = call("ContextCreate")
    data = newer_wishes(text).encode("utf-8", "surrogateescape")
    buffer = call("CreateMemoryBufferWithMemoryRangeCopy", data, len(data), b"kernel")
    module, error = REF(), REF()
    if call("ParseIRInContext", context, buffer, ctypes.byref(module), ctypes.byref(error)):
        reason = ctypes.string_at(error.value or 0).decode(errors="replace")
        raise InternalError(Diagnostic("llvm-ir", f"cannot read LLVM IR: {reason}"))
    assert module.value is not None
    return context, module.value


def children(parent: Ref, what: str) -> Iterator[Ref]:
    """Functions and globals of a module, blocks of a function, instructions of a block."""
    item, following = call(f"GetFirst{what}", parent), binding.function(f"GetNext{what}")
    while item:
        yield item
        item = following(item)


def name(value: Ref) -> str:
    length = ctypes.c_size_t()
    return ctypes.string_at(
        call("GetValueName2", value, ctypes.byref(length)), length.value
    ).decode("utf-8", "surrogateescape")


def text(value: Ref) -> str:
    return ctypes.string_at(call("PrintValueToString", value)).decode().strip()


def type_text(kind: Ref) -> str:
    return ctypes.string_at(call("PrintTypeToString", kind)).decode()


def entry(function: Ref) -> Ref:
    """The first block of a function, 0 where it is only declared."""
    return call("GetFirstBasicBlock", function) or 0


def first_instruction(function: Ref) -> Ref:
    """The first instruction of a function that is defined."""
    return call("GetFirstInstruction", entry(function))


def parameters(function: Ref) -> list[Ref]:
    """The parameters of a function."""
    return [call("GetParam", function, i) for i in range(call("CountParams", function))]


def parameter_types(kind: Ref) -> list[Ref]:
    """What functions of a type take."""
    found = (REF * call("CountParamTypes", kind))()
    call("GetParamTypes", kind, found)
    return list(found)


def result_type(function: Ref) -> Ref:
    """The type of what a function returns."""
    return call("GetReturnType", call("GlobalGetValueType", function))


def result_bits(function: Ref) -> int:
    """The width of the number that a function returns, 0 for any other type."""
    return number_bits(result_type(function))


DEFAULT_VISIBILITY = 0
INTERNAL, PRIVATE = 8, 9
LOCAL = (INTERNAL, PRIVATE)
"""LLVMLinkage of what only its own module knows."""


def linkage(value: Ref) -> int:
    """Who may know of a function or variable, as LLVMLinkage."""
    return call("GetLinkage", value)


def returns_nothing(function: Ref) -> bool:
    """Whether a function is `void`."""
    return call("GetTypeKind", result_type(function)) == TYPE_VOID


def instructions(functions: Iterable[Ref]) -> Iterator[Ref]:
    """All instructions of some functions."""
    for function in functions:
        for block in children(function, "BasicBlock"):
            yield from children(block, "Instruction")


def terminators(functions: Iterable[Ref]) -> Iterator[Ref]:
    """The instructions with which the blocks of some functions end."""
    for function in functions:
        for block in children(function, "BasicBlock"):
            yield call("GetBasicBlockTerminator", block)


def calls(functions: Iterable[Ref]) -> Iterator[Ref]:
    """The call instructions of some functions."""
    opcode = binding.function("GetInstructionOpcode")
    return (ref for ref in instructions(functions) if opcode(ref) == CALL)


def calls_of(function: Ref) -> list[Ref]:
    """The calls of a function."""
    return [user for user in users(function) if called(user) == function]


def called(instruction: Ref) -> Ref | None:
    """The function, or pointer to one, that a call is of; None for any other value."""
    is_call = opcode_of(instruction) == CALL
    return call("GetCalledValue", instruction) if is_call else None


def name_called(ref: Ref) -> str:
    """The function that a call names; nothing for a call through a pointer, and for any other
    instruction."""
    function = called(ref)
    return name(function) if function and is_function(function) else ""


def function_of(instruction: Ref) -> Ref:
    """The function that an instruction is in."""
    return call("GetBasicBlockParent", call("GetInstructionParent", instruction))


def incoming_blocks(phi: Ref) -> list[Ref]:
    """The blocks from which a phi is reached, in the order of its operands."""
    return [call("GetIncomingBlock", phi, i) for i in range(call("CountIncoming", phi))]


def member_types(struct: Ref) -> list[Ref]:
    """The types of the members of a type of structs."""
    count = call("CountStructElementTypes", struct)
    return [call("StructGetTypeAtIndex", struct, i) for i in range(count)]


def users(value: Ref) -> Iterator[Ref]:
    """What uses a value."""
    use = call("GetFirstUse", value)
    while use:
        yield call("GetUser", use)
        use = call("GetNextUse", use)


def passed(instruction: Ref) -> list[tuple[Ref, Ref]]:
    """Each parameter of the function that a call is of, with what it is given; none through a
    pointer."""
    # What is given beyond the parameters, and last the function itself, has none.
    function = call("GetCalledValue", instruction)
    found = parameters(function) if is_function(function) else []
    return list(zip(found, operands(instruction), strict=False))


def operands(value: Ref) -> list[Ref]:
    operand = binding.function("GetOperand")
    return [operand(value, i) for i in range(call("GetNumOperands", value))]


def first_index(instruction: Ref) -> int:
    """The first member that an extractvalue names."""
    return call("GetIndices", instruction)[0]


def is_object(value: Ref) -> bool:
    """Whether a global is a function or a variable, and no alias of one."""
    return call("GetValueKind", value) in (VALUE_FUNCTION, VALUE_GLOBAL)


def is_global(value: Ref) -> bool:
    """Whether a value is a function, a variable or an alias of one."""
    return bool(call("IsAGlobalValue", value))


def globals_in(values: Iterable[Ref]) -> Iterator[Ref]:
    """The functions and variables that some values, and what these are made of as constants, are:
    what a variable begins with is part of what it is made of."""
    seen, left = set[Ref](), list(values)
    while left:
        value = left.pop()
        if value in seen:
            continue
        seen.add(value)
        if is_global(value):
            yield value
        elif call("IsConstant", value):
            left += operands(value)


def section(variable: Ref) -> str:
    """The section of the object that a function or variable is for, empty for the usual one."""
    return (call("GetSection", variable) or b"").decode(errors="replace")


def is_function(value: Ref) -> bool:
    """Whether a global is a function."""
    return call("GetValueKind", value) == VALUE_FUNCTION


def encoded(text: str) -> bytes:
    """A name as LLVM has it."""
    return text.encode("utf-8", "surrogateescape")


def alignment_given(made: Ref, index: int) -> int:
    """The alignment in bytes that a call tells of the pointer that it gives as argument `index`."""
    found = call("GetCallSiteEnumAttribute", made, index + 1, attribute_kind("align"))
    return call("GetEnumAttributeValue", found) if found else 1


def string_in(variable: Ref) -> str | None:
    """The text that a constant variable is, up to its end; None for anything else."""
    value = call("GetInitializer", variable) if call("IsAGlobalVariable", variable) else None
    if not value or not call("IsConstantString", value):
        return None
    length = SIZE()
    data = ctypes.string_at(call("GetAsString", value, ctypes.byref(length)), length.value)
    return data.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def type_of(value: Ref) -> Ref:
    """The type of a value."""
    return call("TypeOf", value)


# LLVMValueKind of the LLVM in the library (tests/test_frontend.py reads one of each)
VALUE_ARGUMENT, VALUE_BLOCK = 0, 1
VALUE_FUNCTION, VALUE_GLOBAL, VALUE_EXPRESSION = 5, 8, 10
HIDDEN = 1
VALUE_AGGREGATES = frozenset({11, 12, 13, 16, 17})
"""Arrays, structs and vectors of constants."""
VALUE_UNDEF, VALUE_ZERO, VALUE_INTEGER, VALUE_FLOAT = 14, 15, 18, 20
VALUE_NULL, VALUE_INLINE_ASM, VALUE_INSTRUCTION, VALUE_POISON = 21, 24, 25, 26
# LLVMTypeKind
TYPE_FUNCTION, TYPE_INTEGER, TYPE_STRUCT, TYPE_ARRAY = 9, 8, 10, 11
TYPE_POINTER, TYPE_VOID, TYPE_VECTOR = 12, 0, 13
FLOATING_BYTES = {1: 2, 2: 4, 3: 8, 4: 16, 5: 16}
"""half, float, double, and the long doubles of x86-64 and RV32."""


def is_pointer(value: Ref) -> bool:
    """Whether a value is a pointer."""
    return call("GetTypeKind", call("TypeOf", value)) == TYPE_POINTER


TAIL = 1
"""LLVMTailCallKind of a call that promises to leave the function's own variables alone."""


def is_block(value: Ref) -> bool:
    """Whether an operand is a block that a branch leads to."""
    return call("GetValueKind", value) == VALUE_BLOCK


def is_instruction(value: Ref) -> bool:
    """Whether a value is made by an instruction, and is no constant that is made as by one."""
    return call("GetValueKind", value) == VALUE_INSTRUCTION


def is_vector(value: Ref) -> bool:
    """Whether a value is a vector."""
    return call("GetTypeKind", call("TypeOf", value)) == TYPE_VECTOR


def is_integer(value: Ref) -> bool:
    """Whether a value is an integer."""
    return call("GetTypeKind", call("TypeOf", value)) == TYPE_INTEGER


FLOAT, DOUBLE = 2, 3
FLOAT_BITS = {FLOAT: 32, DOUBLE: 64}
"""Type -> width of the floating-point numbers that there is hardware for."""


def number_bits(kind: Ref) -> int:
    """The width of an integer or floating-point type, 0 for any other."""
    which = call("GetTypeKind", kind)
    return call("GetIntTypeWidth", kind) if which == TYPE_INTEGER else FLOAT_BITS.get(which, 0)


def is_volatile(instruction: Ref) -> bool:
    """Whether a load or store is one that other parts of the program, or a device, may see or
    answer."""
    if opcode_of(instruction) not in (LOAD, STORE):
        return False
    return bool(call("GetVolatile", instruction) or call("GetOrdering", instruction))


def type_accessed(access: Ref) -> Ref:
    """The type of what a load or store moves."""
    is_store = call("GetInstructionOpcode", access) == STORE
    return call("TypeOf", operands(access)[0] if is_store else access)


def pointer_accessed(access: Ref) -> Ref:
    """The pointer that a load or store follows."""
    return operands(access)[opcode_of(access) == STORE]


def float_bits_accessed(access: Ref) -> int:
    """The width of the floating-point number that a load or store is of, 0 for anything else."""
    return FLOAT_BITS.get(call("GetTypeKind", type_accessed(access)), 0)


def float_pattern(value: Ref) -> int:
    """The bits of a floating-point constant."""
    number = call("ConstRealGetDouble", value, ctypes.byref(INT()))
    layout = {32: ("<f", "<I"), 64: ("<d", "<Q")}[number_bits(call("TypeOf", value))]
    return struct.unpack(layout[1], struct.pack(layout[0], number))[0]


def constant_number(value: Ref) -> int | None:
    """The number that a constant of at most 64 bits is, None for any other value."""
    if call("GetValueKind", value) != VALUE_INTEGER:
        return None
    if call("GetIntTypeWidth", call("TypeOf", value)) > 64:
        return None
    return call("ConstIntGetZExtValue", value)


def numbered_pointer(value: Ref) -> Ref | None:
    """The pointer that a constant or an instruction is as a number; None for anything else."""
    return operands(value)[0] if opcode_of(value) == PTR_TO_INT else None


def opcode_of(value: Ref) -> int:
    """What an instruction or a constant expression does; 0 for other values."""
    kind = call("GetValueKind", value)
    if kind == VALUE_EXPRESSION:
        return call("GetConstOpcode", value)
    return call("GetInstructionOpcode", value) if kind == VALUE_INSTRUCTION else 0


def parts_of(value: Ref) -> list[Ref]:
    """A value, and what it is made of if it is a constant expression."""
    if call("GetValueKind", value) != VALUE_EXPRESSION:
        return [value]
    return [value, *(part for operand in operands(value) for part in parts_of(operand))]


def signed_number(value: Ref) -> int:
    """The number that an integer constant is. Raises ValueError for anything else."""
    number, width = constant_number(value), number_bits(call("TypeOf", value))
    if number is None:
        raise ValueError(text(value))
    return number - (1 << width) if number >> (width - 1) & 1 else number


def null_like(pointer: Ref) -> Ref:
    """The null pointer of a pointer's type."""
    return call("ConstNull", call("TypeOf", pointer))
