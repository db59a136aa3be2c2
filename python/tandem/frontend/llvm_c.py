# SPDX-License-Identifier: Apache-2.0
"""A read-only view of LLVM IR through the LLVM-C functions inside PyCDE's CIRCT library.

llvmlite runs passes but cannot show predicates, types of address computations, initialisers or
debug locations; this library's LLVM-C can. It is not an official interface of PyCDE, so the version
is pinned and tests/test_frontend.py reads one of everything.
"""

from __future__ import annotations

import ctypes
import importlib.util
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError

Ref = int
"""An LLVM object: its address."""
RET, CALL, PTR_TO_INT, ALLOCA, LOAD, STORE = 1, 45, 39, 26, 27, 28
"""The opcodes of a call, of a pointer as a number, and of a store."""
SIGNS = {8: 1, 10: -1}
"""Opcodes of addition and subtraction, and how the right operand counts."""

POINTER_BYTES = 8

_P, _U, _I = ctypes.c_void_p, ctypes.c_uint, ctypes.c_int
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "ContextCreate": (_P,),
    "CreateMemoryBufferWithMemoryRangeCopy": (
        _P,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_char_p,
    ),
    "ParseIRInContext": (_I, _P, _P, ctypes.POINTER(_P), ctypes.POINTER(_P)),
    "GetFirstFunction": (_P, _P),
    "GetNextFunction": (_P, _P),
    "GetFirstGlobal": (_P, _P),
    "GetNextGlobal": (_P, _P),
    "GetFirstBasicBlock": (_P, _P),
    "GetNextBasicBlock": (_P, _P),
    "GetFirstInstruction": (_P, _P),
    "GetNextInstruction": (_P, _P),
    "GetBasicBlockTerminator": (_P, _P),
    "ValueAsBasicBlock": (_P, _P),
    "GetValueName2": (_P, _P, ctypes.POINTER(ctypes.c_size_t)),
    "GetInstructionParent": (_P, _P),
    "GetBasicBlockParent": (_P, _P),
    "GetBasicBlockName": (ctypes.c_char_p, _P),
    "PrintValueToString": (_P, _P),
    "PrintTypeToString": (_P, _P),
    "TypeOf": (_P, _P),
    "GetTypeKind": (_U, _P),
    "GetIntTypeWidth": (_U, _P),
    "GetVectorSize": (_U, _P),
    "GetArrayLength2": (ctypes.c_uint64, _P),
    "GetElementType": (_P, _P),
    "CountStructElementTypes": (_U, _P),
    "GetStructName": (ctypes.c_char_p, _P),
    "StructGetTypeAtIndex": (_P, _P, _U),
    "IsPackedStruct": (_I, _P),
    "GetAllocatedType": (_P, _P),
    "GlobalGetValueType": (_P, _P),
    "GetReturnType": (_P, _P),
    "CountParamTypes": (_U, _P),
    "IsFunctionVarArg": (_I, _P),
    "GetInstructionOpcode": (_U, _P),
    "GetNumOperands": (_I, _P),
    "GetOperand": (_P, _P, _U),
    "GetGEPSourceElementType": (_P, _P),
    "GetICmpPredicate": (_U, _P),
    "GetFCmpPredicate": (_U, _P),
    "ConstRealGetDouble": (ctypes.c_double, _P, ctypes.POINTER(_I)),
    "CountIncoming": (_U, _P),
    "GetIncomingBlock": (_P, _P, _U),
    "GetIncomingValue": (_P, _P, _U),
    "GetNumSuccessors": (_U, _P),
    "GetSuccessor": (_P, _P, _U),
    "GetSwitchCaseValue": (_P, _P, _U),
    "GetInitializer": (_P, _P),
    "IsGlobalConstant": (_I, _P),
    "IsThreadLocal": (_I, _P),
    "GetVisibility": (_U, _P),
    "GetAggregateElement": (_P, _P, _U),
    "GetValueKind": (_U, _P),
    "GetConstOpcode": (_U, _P),
    "ConstIntGetZExtValue": (ctypes.c_ulonglong, _P),
    "GetMDKindIDInContext": (_U, _P, ctypes.c_char_p, _U),
    "GetMetadata": (_P, _P, _U),
    "GetMDNodeNumOperands": (_U, _P),
    "GetMDNodeOperands": (None, _P, ctypes.POINTER(_P)),
    "GetMDString": (_P, _P, ctypes.POINTER(_U)),
    "IsAMDNode": (_P, _P),
    "IsAMDString": (_P, _P),
    "GetDebugLocLine": (_U, _P),
    "InstructionGetDebugLoc": (_P, _P),
    "DILocationGetLine": (_U, _P),
    "DILocationGetColumn": (_U, _P),
    "DILocationGetInlinedAt": (_P, _P),
    "GetDebugLocFilename": (_P, _P, ctypes.POINTER(_U)),
    "GetDebugLocDirectory": (_P, _P, ctypes.POINTER(_U)),
    "CountParams": (_U, _P),
    "GetParam": (_P, _P, _U),
    "GetVolatile": (_I, _P),
    "GetOrdering": (_I, _P),
    "GetIndices": (ctypes.POINTER(_U), _P),
    "GetEnumAttributeKindForName": (_U, ctypes.c_char_p, ctypes.c_size_t),
    "GetEnumAttributeAtIndex": (_P, _P, _U, _U),
    "GetStringAttributeAtIndex": (_P, _P, _U, ctypes.c_char_p, _U),
    "GetStringAttributeValue": (_P, _P, ctypes.POINTER(_U)),
    "GetNamedGlobal": (_P, _P, ctypes.c_char_p),
    "GetCalledValue": (_P, _P),
    "GetFirstUse": (_P, _P),
    "GetNextUse": (_P, _P),
    "GetUser": (_P, _P),
    "IsConstant": (_I, _P),
    "ConstNull": (_P, _P),
    "GetFirstDbgRecord": (_P, _P),
    "GetNextDbgRecord": (_P, _P),
    "DbgVariableRecordGetValue": (_P, _P, _U),
    "DbgVariableRecordGetVariable": (_P, _P),
    "MetadataAsValue": (_P, _P, _P),
}


@cache
def _library() -> ctypes.CDLL:
    spec = importlib.util.find_spec("pycde")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent / "circt" / "_mlir_libs"
    library = ctypes.CDLL(str(folder / "libPyCDE_CIRCTPythonCAPI.so"))
    for name, (result, *arguments) in _SIGNATURES.items():
        function = getattr(library, f"LLVM{name}")
        function.restype, function.argtypes = result, arguments
    return library


def call(name: str, *arguments: Any) -> Any:
    """The LLVM-C function `LLVM<name>`."""
    return getattr(_library(), f"LLVM{name}")(*arguments)


def parse(text: str) -> tuple[Ref, Ref]:
    """(context, module) of LLVM IR text. Raises InternalError if LLVM cannot read it."""
    context = call("ContextCreate")
    data = text.encode()
    buffer = call("CreateMemoryBufferWithMemoryRangeCopy", data, len(data), b"kernel")
    module, error = _P(), _P()
    if call("ParseIRInContext", context, buffer, ctypes.byref(module), ctypes.byref(error)):
        reason = ctypes.string_at(error.value or 0).decode(errors="replace")
        raise InternalError(Diagnostic("llvm-ir", f"cannot read LLVM IR: {reason}"))
    assert module.value is not None
    return context, module.value


def children(parent: Ref, what: str) -> Iterator[Ref]:
    """Functions and globals of a module, blocks of a function, instructions of a block."""
    item = call(f"GetFirst{what}", parent)
    while item:
        yield item
        item = call(f"GetNext{what}", item)


def name(value: Ref) -> str:
    length = ctypes.c_size_t()
    return ctypes.string_at(
        call("GetValueName2", value, ctypes.byref(length)), length.value
    ).decode()


def text(value: Ref) -> str:
    return ctypes.string_at(call("PrintValueToString", value)).decode().strip()


def type_text(kind: Ref) -> str:
    return ctypes.string_at(call("PrintTypeToString", kind)).decode()


def entry(function: Ref) -> Ref:
    """The first block of a function, 0 where it is only declared."""
    return call("GetFirstBasicBlock", function) or 0


def parameters(function: Ref) -> list[Ref]:
    """The parameters of a function."""
    return [call("GetParam", function, i) for i in range(call("CountParams", function))]


def result_bits(function: Ref) -> int:
    """The width of the number that a function returns, 0 for any other type."""
    return number_bits(call("GetReturnType", call("GlobalGetValueType", function)))


def returns_nothing(function: Ref) -> bool:
    """Whether a function is `void`."""
    kind = call("GetReturnType", call("GlobalGetValueType", function))
    return call("GetTypeKind", kind) == TYPE_VOID


def instructions(functions: Iterable[Ref]) -> Iterator[Ref]:
    """All instructions of some functions."""
    for function in functions:
        for block in children(function, "BasicBlock"):
            yield from children(block, "Instruction")


def calls(functions: Iterable[Ref]) -> Iterator[Ref]:
    """The call instructions of some functions."""
    return (ref for ref in instructions(functions) if call("GetInstructionOpcode", ref) == CALL)


def users(value: Ref) -> Iterator[Ref]:
    """What uses a value."""
    use = call("GetFirstUse", value)
    while use:
        yield call("GetUser", use)
        use = call("GetNextUse", use)


def passed(instruction: Ref) -> list[tuple[Ref, Ref]]:
    """Each parameter of the function that a call is of, with what it is given; nothing of a call
    through a pointer."""
    function = call("GetCalledValue", instruction)
    if call("GetValueKind", function) != VALUE_FUNCTION:
        return []
    # What is given beyond the parameters, and last the function itself, has none.
    found = parameters(function)
    return list(zip(found, operands(instruction), strict=False))


def operands(value: Ref) -> list[Ref]:
    return [call("GetOperand", value, i) for i in range(call("GetNumOperands", value))]


def location(instruction: Ref) -> tuple[str, int]:
    """(file, line) of an instruction, ('', 0) where LLVM has lost it."""
    line = call("GetDebugLocLine", instruction)
    if not line:
        return "", 0
    length = _U()
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


def has_attribute(function: Ref, index: int, attribute: str) -> bool:
    """Whether parameter `index` - 1 of a function (0: its result) has an enum attribute."""
    kind = call("GetEnumAttributeKindForName", attribute.encode(), len(attribute))
    return bool(call("GetEnumAttributeAtIndex", function, index, kind))


def string_attribute(function: Ref, index: int, key: str) -> str | None:
    """What an attribute of parameter `index` - 1 of a function says; None where it has none."""
    found = call("GetStringAttributeAtIndex", function, index, key.encode(), len(key))
    length = _U()
    text = found and call("GetStringAttributeValue", found, ctypes.byref(length))
    return ctypes.string_at(text, length.value).decode() if text else None


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


def annotated_with(instruction: Ref) -> list[str]:
    """The texts that are attached to an instruction as `!annotation`."""
    node = call("GetMetadata", instruction, _annotation_kind())
    return [_md_string(part) for part in _node_operands(node)] if node else []


@cache
def _annotation_kind() -> int:
    """One of the kinds that LLVM knows by itself have the same number everywhere."""
    return call("GetMDKindIDInContext", call("ContextCreate"), b"annotation", 10)


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


def _node_operands(node: Ref) -> list[Ref]:
    count = call("GetMDNodeNumOperands", node)
    array = (_P * count)()
    call("GetMDNodeOperands", node, array)
    return list(array)


def _md_string(value: Ref) -> str:
    if not call("IsAMDString", value):
        return ""
    length = _U()
    return ctypes.string_at(call("GetMDString", value, ctypes.byref(length)), length.value).decode()


# LLVMValueKind of the LLVM in the library (tests/test_frontend.py reads one of each)
VALUE_ARGUMENT = 0
VALUE_FUNCTION, VALUE_GLOBAL, VALUE_EXPRESSION = 5, 8, 10
HIDDEN = 1
VALUE_UNDEF, VALUE_ZERO, VALUE_INTEGER, VALUE_FLOAT = 14, 15, 18, 20
VALUE_NULL, VALUE_INSTRUCTION, VALUE_POISON = 21, 25, 26
# LLVMTypeKind
TYPE_INTEGER, TYPE_STRUCT, TYPE_ARRAY, TYPE_POINTER, TYPE_VOID, TYPE_VECTOR = 8, 10, 11, 12, 0, 13
FLOATING_BYTES = {1: 2, 2: 4, 3: 8, 4: 16, 5: 16}
"""half, float, double, and the long doubles of x86-64 and RV32."""


def is_pointer(value: Ref) -> bool:
    """Whether a value is a pointer."""
    return call("GetTypeKind", call("TypeOf", value)) == TYPE_POINTER


def is_integer(value: Ref) -> bool:
    """Whether a value is an integer."""
    return call("GetTypeKind", call("TypeOf", value)) == TYPE_INTEGER


FLOAT_BITS = {2: 32, 3: 64}
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
    number = call("ConstRealGetDouble", value, ctypes.byref(_I()))
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


def stored_bytes(kind: Ref) -> int:
    """Bytes that a load or a store of a number touches. In an array it may take more."""
    return -(-number_bits(kind) // 8)


def size_and_alignment(kind: Ref) -> tuple[int, int]:
    """Bytes that a type takes in memory, and its alignment, on x86-64 and RV32 alike."""
    which = call("GetTypeKind", kind)
    if which == TYPE_INTEGER:
        size = max(1, 1 << (call("GetIntTypeWidth", kind) - 1).bit_length() >> 3)
        return size, min(size, 16)
    if which == TYPE_ARRAY:
        size, alignment = size_and_alignment(call("GetElementType", kind))
        return size * call("GetArrayLength2", kind), alignment
    if which == TYPE_STRUCT:
        return _struct_layout(kind)[1:]
    if which == TYPE_POINTER:
        return 8, 8
    if which in FLOATING_BYTES:
        return FLOATING_BYTES[which], FLOATING_BYTES[which]
    if which == TYPE_VECTOR:
        size = size_and_alignment(call("GetElementType", kind))[0] * call("GetVectorSize", kind)
        size = 1 << (size - 1).bit_length()
        return size, size
    raise InternalError(Diagnostic("llvm-type", f"no size for {type_text(kind)}"))


def _struct_layout(kind: Ref) -> tuple[list[int], int, int]:
    packed = bool(call("IsPackedStruct", kind))
    offsets, end, strictest = [], 0, 1
    for i in range(call("CountStructElementTypes", kind)):
        size, alignment = size_and_alignment(call("StructGetTypeAtIndex", kind, i))
        alignment = 1 if packed else alignment
        end = -(-end // alignment) * alignment
        offsets.append(end)
        end += size
        strictest = max(strictest, alignment)
    return offsets, -(-end // strictest) * strictest, strictest


def field_offset(kind: Ref, index: int) -> int:
    """Byte offset of a struct's field."""
    return _struct_layout(kind)[0][index]


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


STORAGE = (8, 64)
"""Widths of the integers whose arrays C programs take memory from for what they like."""


def has_place_for_pointers(base: Ref) -> bool:
    """Whether a variable's type has pointers in it, or tells nothing: a union, what memory is taken
    from as bytes or as the largest integers, or what is behind an argument."""
    kind = call("GetValueKind", base)
    if kind == VALUE_GLOBAL:
        return _has_pointers(call("GlobalGetValueType", base))
    return kind != VALUE_INSTRUCTION or _has_pointers(call("GetAllocatedType", base))


def _has_pointers(kind: Ref) -> bool:
    which = call("GetTypeKind", kind)
    if which == TYPE_ARRAY:
        element = call("GetElementType", kind)
        is_integer = call("GetTypeKind", element) == TYPE_INTEGER
        return (is_integer and number_bits(element) in STORAGE) or _has_pointers(element)
    if which == TYPE_STRUCT:
        members = range(call("CountStructElementTypes", kind))
        found = any(_has_pointers(call("StructGetTypeAtIndex", kind, i)) for i in members)
        return found or _is_large_union(kind)
    return which == TYPE_POINTER


def _is_large_union(kind: Ref) -> bool:
    """Whether a union has place for a pointer."""
    return is_union(kind) and size_and_alignment(kind)[0] >= POINTER_BYTES


def is_union(kind: Ref) -> bool:
    """Whether a struct is a union: clang names it, and tells of one member alone."""
    return (call("GetStructName", kind) or b"").startswith(b"union.")


Encode = Callable[[Ref], int]
"""The number that stands for a pointer in memory."""


def constant_bytes(value: Ref, kind: Ref, encode: Encode) -> bytes:
    """The memory image of a constant of numbers, pointers, vectors, arrays and structs. Raises
    ValueError for what has none."""
    size = size_and_alignment(kind)[0]
    which = call("GetTypeKind", kind)
    if call("GetValueKind", value) in (VALUE_UNDEF, VALUE_ZERO, VALUE_POISON):
        return bytes(size)
    if which == TYPE_INTEGER:
        if size > 8 or call("GetValueKind", value) != VALUE_INTEGER:
            raise ValueError(text(value))
        return call("ConstIntGetZExtValue", value).to_bytes(8, "little")[:size]
    if which == TYPE_POINTER:
        return encode(value).to_bytes(size, "little")
    if which in FLOAT_BITS:
        return float_pattern(value).to_bytes(size, "little")
    if which in (TYPE_ARRAY, TYPE_VECTOR):
        element = call("GetElementType", kind)
        count = call("GetArrayLength2" if which == TYPE_ARRAY else "GetVectorSize", kind)
        parts = (call("GetAggregateElement", value, i) for i in range(count))
        image = b"".join(constant_bytes(part, element, encode) for part in parts)
        return image.ljust(size, b"\0")
    if which == TYPE_STRUCT:
        return _struct_bytes(value, kind, encode)
    raise ValueError(text(value))


def _struct_bytes(value: Ref, kind: Ref, encode: Encode) -> bytes:
    image = bytearray(size_and_alignment(kind)[0])
    for i, offset in enumerate(_struct_layout(kind)[0]):
        field_type = call("StructGetTypeAtIndex", kind, i)
        part = constant_bytes(call("GetAggregateElement", value, i), field_type, encode)
        image[offset : offset + len(part)] = part
    return bytes(image)
