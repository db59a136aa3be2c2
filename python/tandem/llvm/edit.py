# SPDX-License-Identifier: Apache-2.0
"""LLVM IR that is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tandem.llvm.attributes import FUNCTION_INDEX, attributes, attributes_given
from tandem.llvm.binding import Ref, array, call
from tandem.llvm.builder import Builder
from tandem.llvm.metadata import kind_of, notes
from tandem.llvm.module import Module, counted
from tandem.llvm.opcodes import BINARY, CASTS, Opcode
from tandem.llvm.read import (
    DEFAULT_VISIBILITY,
    INTERNAL,
    children,
    incoming_blocks,
    is_function,
    name,
    opcode_of,
    operands,
    parameters,
    result_type,
    type_of,
    users,
)
from tandem.llvm.read import called as callee_of


def with_signature(
    module: Module, function: Ref, more: Sequence[tuple[Ref, str]], result: Ref | None = None
) -> Ref:
    """A function in another one's place, with its body and all that is said of it, and with some
    parameters behind its own (types and names), and another type of result if one is given."""
    own = parameters(function)
    kinds = [*map(type_of, own), *(kind for kind, _ in more)]
    kind = call("FunctionType", result or result_type(function), array(kinds), len(kinds), 0)
    made = call("AddFunction", module.ref, b"", kind)
    copy_signature(function, made, with_result=result is None)
    copy_properties(function, made)
    move_body(function, made)
    named = [*map(name, own), *(called for _, called in more)]
    for parameter, called in zip(parameters(made), named, strict=True):
        rename(parameter, called)
    for before, after in zip(own, parameters(made), strict=False):
        call("ReplaceAllUsesWith", before, after)
    called = name(function)
    call("ReplaceAllUsesWith", function, made)
    call("DeleteFunction", function)
    rename(made, called)
    return made


def move_body(function: Ref, other: Ref) -> None:
    """Gives another function the blocks of one."""
    for block in [*children(function, "BasicBlock")]:
        move_block(block, other)


def move_block(block: Ref, function: Ref) -> None:
    """Puts a block at the end of another function."""
    call("RemoveBasicBlockFromParent", block)
    call("AppendExistingBasicBlock", function, block)


def move_instructions(make: Builder, moved: Sequence[Ref], block: Ref) -> None:
    """Puts instructions without names at the end of a block."""
    make.at_end(block)
    for ref in moved:
        call("InstructionRemoveFromParent", ref)
        call("InsertIntoBuilder", make.ref, ref)


def redirect(block: Ref, other: Ref) -> None:
    """Has all that leads to a block lead to another one."""
    for branch in [*users(call("BasicBlockAsValue", block))]:
        for index in range(call("GetNumSuccessors", branch)):
            if call("GetSuccessor", branch, index) == block:
                call("SetSuccessor", branch, index, other)


def copy_signature(function: Ref, other: Ref, with_result: bool = True) -> None:
    """Has a function be called as another one is: conventions, and what is said of parameters and
    of the result."""
    call("SetFunctionCallConv", other, call("GetFunctionCallConv", function))
    for index in range(0 if with_result else 1, call("CountParams", function) + 1):
        for attribute in attributes(function, index):
            call("AddAttributeAtIndex", other, index, attribute)


def copy_properties(function: Ref, other: Ref) -> None:
    """Says of another function what is said of one: attributes, who sees it, and its lines."""
    for attribute in attributes(function, FUNCTION_INDEX):
        call("AddAttributeAtIndex", other, FUNCTION_INDEX, attribute)
    call("SetLinkage", other, call("GetLinkage", function))
    call("SetVisibility", other, call("GetVisibility", function))
    call("SetUnnamedAddress", other, call("GetUnnamedAddress", function))
    if call("HasPersonalityFn", function):
        call("SetPersonalityFn", other, call("GetPersonalityFn", function))
    if call("GetSubprogram", function):
        call("SetSubprogram", other, call("GetSubprogram", function))


def copy_variable(variable: Ref, other: Ref) -> None:
    """Says of another global variable what is said of one: who sees it, where it lies, and its
    line."""
    for what in ("Linkage", "Visibility", "UnnamedAddress", "Alignment", "ThreadLocalMode"):
        call(f"Set{what}", other, call(f"Get{what}", variable))
    call("SetGlobalConstant", other, call("IsGlobalConstant", variable))
    call("SetExternallyInitialized", other, call("IsExternallyInitialized", variable))
    call("SetSection", other, call("GetSection", variable) or b"")
    if call("GetComdat", variable):
        call("SetComdat", other, call("GetComdat", variable))
    for kind, node in notes("GlobalCopyAllMetadata", variable):
        call("GlobalSetMetadata", other, kind, node)


def copy_notes(ref: Ref, other: Ref) -> None:
    """Says of another instruction what metadata says of one."""
    context = call("GetTypeContext", type_of(ref))
    for kind, node in notes("InstructionGetAllMetadataOtherThanDebugLoc", ref):
        call("SetMetadata", other, kind, call("MetadataAsValue", context, node))


def add_incoming(phi: Ref, value: Ref, block: Ref) -> None:
    """A value that a phi has where it is reached from a block."""
    call("AddIncoming", phi, array([value]), array([block]), 1)


def with_ways(module: Module, phi: Ref, blocks: Mapping[Ref, Ref]) -> Ref:
    """A phi in another one's place, which is reached from other blocks in the place of some."""
    made = Builder(module).before(phi).phi(type_of(phi))
    copy_flags(phi, made)
    for value, block in zip(operands(phi), incoming_blocks(phi), strict=True):
        add_incoming(made, value, blocks.get(block, block))
    replace(phi, made)
    return made


def without_flags(module: Module, ref: Ref) -> Ref:
    """An instruction of floating-point numbers in another one's place, of which nothing is allowed
    beyond IEEE 754. LLVM-C only adds to what is."""
    make, opcode, given = Builder(module).before(ref), Opcode(opcode_of(ref)), operands(ref)
    if opcode == Opcode.PHI:
        made = make.phi(type_of(ref))
        for value, block in zip(given, incoming_blocks(ref), strict=True):
            add_incoming(made, value, block)
    elif opcode == Opcode.CALL:
        made = make.call_through(call("GetCalledFunctionType", ref), given[-1], given[:-1])
        say_of_call(ref, made)
    elif opcode == Opcode.SELECT:
        made = make.choose(given[0], given[1], given[2])
    elif opcode == Opcode.FCMP:
        made = make.compare_floats(call("GetFCmpPredicate", ref), given[0], given[1])
    elif opcode in CASTS:
        made = make.cast(opcode, given[0], type_of(ref))
    elif opcode in BINARY:
        made = make.binary(opcode, given[0], given[1])
    else:
        made = make.unary(opcode, given[0])
    replace(ref, made)
    return made


def say_of_call(ref: Ref, made: Ref) -> None:
    """Says of a call all that is said of another one with the same arguments."""
    call("SetTailCallKind", made, call("GetTailCallKind", ref))
    call("SetInstructionCallConv", made, call("GetInstructionCallConv", ref))
    for index in (FUNCTION_INDEX, *range(call("GetNumOperands", ref))):
        for attribute in attributes_given(ref, index):
            call("AddCallSiteAttribute", made, index, attribute)


def make_internal(function: Ref) -> None:
    """Has only the function's own module know it."""
    call("SetVisibility", function, DEFAULT_VISIBILITY)
    call("SetLinkage", function, INTERNAL)


def forget_lines(function: Ref) -> None:
    """Has a function be of no lines of C: two cannot be of the same."""
    call("GlobalEraseMetadata", function, kind_of("dbg"))


def rename(value: Ref, called: str) -> None:
    """Gives a value another name, with a number behind it where that is taken."""
    call("SetValueName2", value, *counted(called))


def set_operand(user: Ref, index: int, value: Ref) -> None:
    call("SetOperand", user, index, value)


def erase(instruction: Ref) -> None:
    """Takes out an instruction that nothing uses, or whose users go too."""
    if call("GetFirstUse", instruction):
        call("ReplaceAllUsesWith", instruction, call("GetPoison", type_of(instruction)))
    call("InstructionEraseFromParent", instruction)


def replace(instruction: Ref, by: Ref) -> None:
    """Puts a value in an instruction's place, with its name if nothing has used that before."""
    called = name(instruction)
    is_new = opcode_of(by) and not call("GetFirstUse", by)
    call("ReplaceAllUsesWith", instruction, by)
    call("InstructionEraseFromParent", instruction)
    if called and is_new:
        rename(by, called)


_FLAGS = {
    **dict.fromkeys((Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL), ("NSW", "NUW")),
    **dict.fromkeys((Opcode.UDIV, Opcode.SDIV, Opcode.LSHR, Opcode.ASHR), ("Exact",)),
    **dict.fromkeys((Opcode.ZEXT, Opcode.UI_TO_FP), ("NNeg",)),
    Opcode.OR: ("IsDisjoint",),
    Opcode.ICMP: ("ICmpSameSign",),
}


def copy_flags(ref: Ref, other: Ref) -> None:
    """Says of an instruction what is said of another one of its kind: what does not overflow, and
    what is allowed with floating-point numbers. Of a constant nothing is said."""
    if opcode_of(ref) != opcode_of(other):
        return
    for flag in _FLAGS.get(Opcode(opcode_of(ref)), ()):
        call(f"Set{flag}", other, call(f"Get{flag}", ref))
    if call("CanValueUseFastMathFlags", ref):
        call("SetFastMathFlags", other, call("GetFastMathFlags", ref))


def add_attribute(function: Ref, index: int, attribute: Ref) -> None:
    """`index`: `FUNCTION_INDEX`, 0 for the result, and from 1 for parameters."""
    call("AddAttributeAtIndex", function, index, attribute)


def drop_attributes(function: Ref, keys: Sequence[str]) -> None:
    """Takes attributes that LLVM does not know away from a function."""
    for key in keys:
        call("RemoveStringAttributeAtIndex", function, FUNCTION_INDEX, *counted(key))


def fill(module: Module, variable: Ref, size: int) -> None:
    """Fills a local variable of so many bytes with zeros where it is made, and takes away where
    it would begin to live."""
    for user in [*users(variable)]:
        function = callee_of(user)
        if function and is_function(function) and name(function).startswith("llvm.lifetime."):
            erase(user)
    builder = Builder(module).before(call("GetNextInstruction", variable))
    call("SetCurrentDebugLocation2", builder.ref, None)
    zeros = call("ConstNull", module.array(module.integer(8), size))
    call("SetAlignment", builder.store(zeros, variable), 1)
