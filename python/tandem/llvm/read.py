# SPDX-License-Identifier: Apache-2.0
"""A view of LLVM IR: values, types, metadata and debug locations of what LLVM has parsed."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Container, Iterable, Iterator
from functools import cache
from pathlib import Path

from tandem.diagnostics import Diagnostic, InternalError, Place
from tandem.llvm import binding
from tandem.llvm.binding import Ref, call
from tandem.llvm.loop_words import newer_wishes
from tandem.llvm.signatures import INT, REF, SIZE, UINT

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


def result_type(function: Ref) -> Ref:
    """The type of what a function returns."""
    return call("GetReturnType", call("GlobalGetValueType", function))


def result_bits(function: Ref) -> int:
    """The width of the number that a function returns, 0 for any other type."""
    return number_bits(result_type(function))


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


def location(instruction: Ref) -> tuple[str, int]:
    """(file, line) of an instruction, ('', 0) where LLVM has lost it."""
    line = call("GetDebugLocLine", instruction)
    if not line:
        return "", 0
    length = UINT()
    address = call("GetDebugLocFilename", instruction, ctypes.byref(length))
    file = ctypes.string_at(address, length.value)
    address = call("GetDebugLocDirectory", instruction, ctypes.byref(length))
    return _path(ctypes.string_at(address, length.value), file), line


def debug_location(instruction: Ref) -> Ref:
    """The node that says where an instruction comes from, None where LLVM has lost it; where that
    is the same, so is the node."""
    return call("InstructionGetDebugLoc", instruction)


def places(node: Ref) -> list[tuple[int, int]]:
    """Line and column of such a node, and of the calls through which that was taken in, the
    innermost first."""
    found = []
    while node:
        found.append((call("DILocationGetLine", node), call("DILocationGetColumn", node)))
        node = call("DILocationGetInlinedAt", node)
    return found


@cache
def _path(folder: bytes, file: bytes) -> str:
    """Asked for every instruction, of few files."""
    name = file.decode()
    return name if Path(name).exists() else str(Path(folder.decode()) / name)


def first_index(instruction: Ref) -> int:
    """The first member that an extractvalue names."""
    return call("GetIndices", instruction)[0]


FUNCTION_INDEX = 0xFFFFFFFF
"""Of attributes that are neither a parameter's nor the result's."""


@cache
def attribute_kind(attribute: str) -> int:
    """LLVM's number of an enum attribute."""
    return call("GetEnumAttributeKindForName", attribute.encode(), len(attribute))


def has_attribute(function: Ref, index: int, attribute: str) -> bool:
    """Whether parameter `index` - 1 of a function (0: its result) has an enum attribute."""
    return bool(call("GetEnumAttributeAtIndex", function, index, attribute_kind(attribute)))


def number_attribute(function: Ref, index: int, attribute: str) -> int:
    """The number that an attribute of parameter `index` - 1 of a function has; 0 without it."""
    found = call("GetEnumAttributeAtIndex", function, index, attribute_kind(attribute))
    return call("GetEnumAttributeValue", found) if found else 0


def type_attribute(function: Ref, index: int, attribute: str) -> Ref | None:
    """The type that an attribute of parameter `index` - 1 of a function has; None without it."""
    found = call("GetEnumAttributeAtIndex", function, index, attribute_kind(attribute))
    return call("GetTypeAttributeValue", found) if found else None


def string_attribute(function: Ref, index: int, key: str) -> str | None:
    """What an attribute of parameter `index` - 1 of a function says; None where it has none."""
    found = call("GetStringAttributeAtIndex", function, index, key.encode(), len(key))
    length = UINT()
    text = found and call("GetStringAttributeValue", found, ctypes.byref(length))
    return ctypes.string_at(text, length.value).decode() if text else None


def attributes(function: Ref, index: int) -> list[Ref]:
    """What is said of parameter `index` - 1 of a function, of its result (0), or of itself."""
    count = call("GetAttributeCountAtIndex", function, index)
    found = (REF * count)()
    call("GetAttributesAtIndex", function, index, found)
    return list(found)


def is_one_of(attribute: Ref, kinds: Container[int]) -> bool:
    """Whether an attribute is one that LLVM knows, of some kinds."""
    is_of_llvm = not call("IsStringAttribute", attribute)
    return is_of_llvm and call("GetEnumAttributeKind", attribute) in kinds


def attributes_given(made: Ref, index: int) -> list[Ref]:
    """What a call says of argument `index` - 1, of its result (0), or of itself."""
    count = call("GetCallSiteAttributeCount", made, index)
    found = (REF * count)()
    call("GetCallSiteAttributes", made, index, found)
    return list(found)


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


def definition_place(function: Ref) -> Place | None:
    """Where the C has a function; None where no debugger is told, and of one that is declared."""
    about = call("GetSubprogram", function)
    file = about and call("DIScopeGetFile", about)
    if not file:
        return None
    length = UINT()
    parts = [
        ctypes.string_at(call(f"DIFileGet{part}", file, ctypes.byref(length)), length.value)
        for part in ("Directory", "Filename")
    ]
    return Place(_path(*parts), call("DISubprogramGetLine", about))


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


def metadata_number(instruction: Ref, kind: int, key: str) -> int | None:
    """The number beside `key` in a loop's metadata node, None if the key is absent."""
    node = call("GetMetadata", instruction, kind)
    if not node:
        return None
    for entry in _node_operands(node):
        if entry and entry != node and call("IsAMDNode", entry):
            parts = _node_operands(entry)
            if len(parts) == 2 and parts[0] and _md_string(parts[0]) == key:
                return call("ConstIntGetZExtValue", parts[1])
    return None


def of_loop(branch: Ref) -> Ref | None:
    """What LLVM is told of the loop that a branch closes."""
    return call("GetMetadata", branch, kind_of("llvm.loop")) or None


def loop_place(branch: Ref) -> tuple[int, int]:
    """Line and column where the loop begins that a branch closes, 0 where nobody told it."""
    for part in loop_parts(branch):
        if call("GetMetadataKind", part) == DI_LOCATION:
            return call("DILocationGetLine", part), call("DILocationGetColumn", part)
    return 0, 0


def loop_wishes(branch: Ref) -> list[str]:
    """What is asked of the loop that a branch closes, each without its number."""
    return [wish for part in _loop_nodes(branch) if (wish := _wish(part))]


def loop_parts(branch: Ref, but: Container[str] = ()) -> list[Ref]:
    """What is told of the loop that a branch closes, but for some wishes: nodes, without the one
    that is the loop."""
    return [_as_metadata(part) for part in _loop_nodes(branch) if _wish(part) not in but]


def _loop_nodes(branch: Ref) -> list[Ref]:
    node = of_loop(branch)
    return _node_operands(node)[1:] if node else []


def _wish(part: Ref) -> str:
    """What a node asks of a loop; nothing if it is a place."""
    parts = _node_operands(part) if call("IsAMDNode", part) else []
    return _md_string(parts[0]) if parts and parts[0] else ""


def _as_metadata(value: Ref) -> Ref:
    return call("ValueAsMetadata", value)


DI_LOCATION = 5
"""LLVMMetadataKind of a place in the source."""


def annotated_with(instruction: Ref) -> list[str]:
    """The texts that are attached to an instruction as `!annotation`."""
    node = call("GetMetadata", instruction, kind_of("annotation"))
    return [_md_string(part) for part in _node_operands(node)] if node else []


@cache
def kind_of(called: str) -> int:
    """The number of a kind of metadata that LLVM knows by itself: it is the same everywhere."""
    return call("GetMDKindIDInContext", call("ContextCreate"), called.encode(), len(called))


def _node_operands(node: Ref) -> list[Ref]:
    count = call("GetMDNodeNumOperands", node)
    array = (REF * count)()
    call("GetMDNodeOperands", node, array)
    return list(array)


def _md_string(value: Ref) -> str:
    if not call("IsAMDString", value):
        return ""
    length = UINT()
    return ctypes.string_at(call("GetMDString", value, ctypes.byref(length)), length.value).decode()


# LLVMValueKind of the LLVM in the library (tests/test_frontend.py reads one of each)
VALUE_ARGUMENT, VALUE_BLOCK = 0, 1
VALUE_FUNCTION, VALUE_GLOBAL, VALUE_EXPRESSION = 5, 8, 10
HIDDEN = 1
VALUE_AGGREGATES = frozenset({11, 12, 13, 16, 17})
"""Arrays, structs and vectors of constants."""
VALUE_UNDEF, VALUE_ZERO, VALUE_INTEGER, VALUE_FLOAT = 14, 15, 18, 20
VALUE_NULL, VALUE_INLINE_ASM, VALUE_INSTRUCTION, VALUE_POISON = 21, 24, 25, 26
# LLVMTypeKind
TYPE_INTEGER, TYPE_STRUCT, TYPE_ARRAY, TYPE_POINTER, TYPE_VOID, TYPE_VECTOR = 8, 10, 11, 12, 0, 13
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


def pointers_in(value: Ref) -> list[Ref]:
    """The pointers that are part of a constant."""
    kind = call("TypeOf", value)
    which = call("GetTypeKind", kind)
    if which == TYPE_POINTER:
        return [value]
    plain = call("GetValueKind", value) in (VALUE_UNDEF, VALUE_ZERO, VALUE_POISON)
    if plain or which not in (TYPE_ARRAY, TYPE_STRUCT):
        return []
    if which == TYPE_ARRAY:
        if number_bits(call("GetElementType", kind)):
            return []
        count = call("GetArrayLength2", kind)
    else:
        count = call("CountStructElementTypes", kind)
    parts = (call("GetAggregateElement", value, i) for i in range(count))
    return [pointer for part in parts for pointer in pointers_in(part)]


def declared_variables(context: Ref, function: Ref) -> dict[Ref, str]:
    """What a debugger is told that local variables of a function are called."""
    found: dict[Ref, str] = {}
    for instruction in instructions([function]):
        record = call("GetFirstDbgRecord", instruction)
        while record:
            node = call("DbgVariableRecordGetVariable", record)
            parts = _node_operands(call("MetadataAsValue", context, node)) if node else []
            name = next((text for part in parts if part and (text := _md_string(part))), "")
            value = call("DbgVariableRecordGetValue", record, 0)
            if name and value:
                found[value] = name
            record = call("GetNextDbgRecord", record)
    return found
