# SPDX-License-Identifier: Apache-2.0
"""LLVM IR that is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from tandem.llvm.binding import Ref, array, call
from tandem.llvm.opcodes import BINARY, CASTS, Opcode, Predicate
from tandem.llvm.read import (
    FUNCTION_INDEX,
    attribute_kind,
    attributes,
    attributes_given,
    children,
    debug_location,
    entry,
    incoming_blocks,
    is_function,
    is_vector,
    kind_of,
    name,
    opcode_of,
    operands,
    parameters,
    parse,
    result_type,
    type_of,
    users,
)
from tandem.llvm.read import called as callee_of
from tandem.llvm.spelling import older_text

MOST_AT_HAND = 4


@dataclass
class Module:
    """What LLVM has read from a text, to be changed and written again."""

    context: Ref
    ref: Ref
    is_as_read: bool = True
    """Whether it still is what the text says: who changes a module writes it, or says so."""

    def text(self) -> str:
        """As the LLVM reads it that is in llvmlite and in clang. The module is of no use
        afterwards."""
        self.is_as_read = False
        return older_text(self.ref)

    def dispose(self) -> None:
        """Gives back all that LLVM has read."""
        call("DisposeModule", self.ref)
        call("ContextDispose", self.context)

    @property
    def functions(self) -> list[Ref]:
        """All functions, those that are only declared among them."""
        return [*children(self.ref, "Function")]

    @property
    def defined(self) -> list[Ref]:
        """Those that have a body."""
        return [function for function in self.functions if entry(function)]

    @property
    def variables(self) -> list[Ref]:
        """All global variables."""
        return [*children(self.ref, "Global")]

    def function(self, called: str) -> Ref | None:
        """The function of a name, defined or declared; None where there is none."""
        return call("GetNamedFunctionWithLength", self.ref, *_counted(called)) or None

    def variable(self, called: str) -> Ref | None:
        """The global variable of a name; None where there is none."""
        return call("GetNamedGlobalWithLength", self.ref, *_counted(called)) or None

    def named(self, called: str) -> Ref | None:
        """The function, variable or alias of a name; None where there is none."""
        alias = call("GetNamedGlobalAlias", self.ref, *_counted(called))
        return self.function(called) or self.variable(called) or alias or None

    def declared(self, called: str, result: Ref, parameters: Sequence[Ref] = ()) -> Ref:
        """The function of a name, made a declaration of one where there is none."""
        kind = call("FunctionType", result, array(parameters), len(parameters), 0)
        return self.function(called) or call("AddFunction", self.ref, called.encode(), kind)

    def intrinsic(self, called: str, *kinds: Ref) -> Ref:
        """The intrinsic of a name, of some types where it is overloaded."""
        number = call("LookupIntrinsicID", *_counted(called))
        return call("GetIntrinsicDeclaration", self.ref, number, array(kinds), len(kinds))

    def block(self, function: Ref, called: str = "") -> Ref:
        """A new block at the end of a function."""
        return call("AppendBasicBlockInContext", self.context, function, called.encode())

    def set_loop(self, branch: Ref, parts: Sequence[Ref]) -> None:
        """Says of the loop that a branch closes what some nodes say; it is no other one."""
        first = call("TemporaryMDNode", self.context, None, 0)
        node = call("MDNodeInContext2", self.context, array([first, *parts]), len(parts) + 1)
        value = call("MetadataAsValue", self.context, node)
        call("ReplaceMDNodeOperandWith", value, 0, node)
        call("DisposeTemporaryMDNode", first)
        call("SetMetadata", branch, kind_of("llvm.loop"), value)

    def block_before(self, block: Ref, called: str = "") -> Ref:
        """A new block before another one."""
        return call("InsertBasicBlockInContext", self.context, block, called.encode())

    def wish(self, words: str) -> Ref:
        """A node that asks something of a loop, for `set_loop`."""
        text = call("MDStringInContext2", self.context, *_counted(words))
        return call("MDNodeInContext2", self.context, array([text]), 1)

    def fill(self, variable: Ref, size: int) -> None:
        """Fills a local variable of so many bytes with zeros where it is made, and takes away where
        it would begin to live."""
        for user in [*users(variable)]:
            function = callee_of(user)
            if function and is_function(function) and name(function).startswith("llvm.lifetime."):
                erase(user)
        builder = Builder(self).before(call("GetNextInstruction", variable))
        call("SetCurrentDebugLocation2", builder.ref, None)
        zeros = call("ConstNull", self.array(self.integer(8), size))
        call("SetAlignment", builder.store(zeros, variable), 1)

    def annotate(self, instruction: Ref, words: str) -> None:
        """Attaches a text to an instruction, for `annotated_with`."""
        text = call("MDStringInContext2", self.context, *_counted(words))
        node = call("MDNodeInContext2", self.context, array([text]), 1)
        value = call("MetadataAsValue", self.context, node)
        call("SetMetadata", instruction, kind_of("annotation"), value)

    # types and constants

    def integer(self, bits: int) -> Ref:
        """The type of integers of so many bits."""
        return call("IntTypeInContext", self.context, bits)

    def array(self, element: Ref, count: int) -> Ref:
        """The type of arrays of so many elements of a type."""
        return call("ArrayType2", element, count)

    def function_type(self, result: Ref, kinds: Sequence[Ref]) -> Ref:
        """The type of functions that take so many arguments and no more."""
        return call("FunctionType", result, array(kinds), len(kinds), 0)

    def struct(self, members: Sequence[Ref]) -> Ref:
        """The type of structs of members of some types."""
        return call("StructTypeInContext", self.context, array(members), len(members), 0)

    @cached_property
    def pointer(self) -> Ref:
        return call("PointerTypeInContext", self.context, 0)

    @cached_property
    def float(self) -> Ref:
        return call("FloatTypeInContext", self.context)

    @cached_property
    def double(self) -> Ref:
        return call("DoubleTypeInContext", self.context)

    @cached_property
    def void(self) -> Ref:
        return call("VoidTypeInContext", self.context)

    def number(self, bits: int, value: int) -> Ref:
        """An integer of at most 64 bits."""
        return number_of(self.integer(bits), value)

    def attribute(self, key: str, value: str = "") -> Ref:
        """An attribute of ours, which LLVM hands on."""
        return call("CreateStringAttribute", self.context, *_counted(key), *_counted(value))

    def enum_attribute(self, called: str, value: int = 0) -> Ref:
        """An attribute that LLVM knows, with its number if it has one."""
        return call("CreateEnumAttribute", self.context, attribute_kind(called), value)


def number_of(kind: Ref, value: int) -> Ref:
    """An integer of a type, of at most 64 bits."""
    return call("ConstInt", kind, value & (1 << 64) - 1, value < 0)


def undefined(kind: Ref) -> Ref:
    """A value of a type that may be any."""
    return call("GetUndef", kind)


def _counted(text: str) -> tuple[bytes, int]:
    data = text.encode("utf-8", "surrogateescape")
    return data, len(data)


@contextmanager
def opened(text: str) -> Iterator[Module]:
    """A module of LLVM's text, for as long as it is worked on. Raises InternalError if LLVM cannot
    read it."""
    module = _at_hand.pop(text, None) or Module(*parse(text))
    try:
        yield module
    except BaseException:
        module.is_as_read = False
        raise
    finally:
        if module.is_as_read:
            _keep_at_hand(text, module)
        else:
            module.dispose()


_at_hand: dict[str, Module] = {}
"""Modules that nobody works on and that are as they were read, by their texts: most stages find
nothing to do, and the next one looks at the same module."""


def _keep_at_hand(text: str, module: Module) -> None:
    others = [_at_hand.pop(text)] if text in _at_hand else []
    _at_hand[text] = module
    if len(_at_hand) > MOST_AT_HAND:
        others.append(_at_hand.pop(next(iter(_at_hand))))
    for other in others:
        other.dispose()


def edited(text: str, change: Callable[[Module], bool]) -> str | None:
    """The text of a module after a change; None where `change` says that there is none, and has
    left everything as it was."""
    with opened(text) as module:
        return module.text() if change(module) else None


class Builder:
    """Makes instructions, each at a place that was said before, and with its line of C."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.ref = call("CreateBuilderInContext", module.context)

    def __del__(self) -> None:
        call("DisposeBuilder", self.ref)

    def before(self, instruction: Ref) -> Builder:
        """Instructions from now on come before one, and are of its line."""
        call("PositionBuilderBefore", self.ref, instruction)
        call("SetCurrentDebugLocation2", self.ref, debug_location(instruction))
        return self

    def at_end(self, block: Ref, line: Ref | None = None) -> Builder:
        """... at the end of a block, and are of a line: a debugger's node, None for no line."""
        call("PositionBuilderAtEnd", self.ref, block)
        call("SetCurrentDebugLocation2", self.ref, line)
        return self

    def binary(self, opcode: Opcode, a: Ref, b: Ref, called: str = "") -> Ref:
        return call("BuildBinOp", self.ref, opcode, a, b, called.encode())

    def cast(self, opcode: Opcode, value: Ref, kind: Ref, called: str = "") -> Ref:
        return call("BuildCast", self.ref, opcode, value, kind, called.encode())

    def compare(self, how: Predicate, a: Ref, b: Ref, called: str = "") -> Ref:
        return call("BuildICmp", self.ref, how, a, b, called.encode())

    def compare_floats(self, how: int, a: Ref, b: Ref, called: str = "") -> Ref:
        """`how`: LLVM's number of the comparison."""
        return call("BuildFCmp", self.ref, how, a, b, called.encode())

    def choose(self, condition: Ref, a: Ref, b: Ref, called: str = "") -> Ref:
        return call("BuildSelect", self.ref, condition, a, b, called.encode())

    def part(self, several: Ref, index: int) -> Ref:
        """A number of a vector or an array."""
        if not is_vector(several):
            return self.take_out(several, index)
        number = self.module.number(64, index)
        return call("BuildExtractElement", self.ref, several, number, b"")

    def with_part(self, several: Ref, value: Ref, index: int) -> Ref:
        """A vector or an array with another number in it."""
        if not is_vector(several):
            return self.put_in(several, value, index)
        number = self.module.number(64, index)
        return call("BuildInsertElement", self.ref, several, value, number, b"")

    def unary(self, opcode: Opcode, value: Ref, called: str = "") -> Ref:
        """`FNEG` or `FREEZE`."""
        what = {Opcode.FNEG: "BuildFNeg", Opcode.FREEZE: "BuildFreeze"}[opcode]
        return call(what, self.ref, value, called.encode())

    def take_out(self, struct: Ref, index: int, called: str = "") -> Ref:
        return call("BuildExtractValue", self.ref, struct, index, called.encode())

    def put_in(self, struct: Ref, value: Ref, index: int, called: str = "") -> Ref:
        return call("BuildInsertValue", self.ref, struct, value, index, called.encode())

    def phi(self, kind: Ref, called: str = "") -> Ref:
        return call("BuildPhi", self.ref, kind, called.encode())

    def call(self, function: Ref, given: Sequence[Ref], called: str = "") -> Ref:
        kind = call("GlobalGetValueType", function)
        return self.call_through(kind, function, given, called)

    def call_through(self, kind: Ref, pointer: Ref, given: Sequence[Ref], called: str = "") -> Ref:
        """A call of what is behind a pointer. `kind`: the function's type."""
        return call(
            "BuildCall2", self.ref, kind, pointer, array(given), len(given), called.encode()
        )

    def local(self, kind: Ref, called: str = "") -> Ref:
        return call("BuildAlloca", self.ref, kind, called.encode())

    def load(self, kind: Ref, pointer: Ref, called: str = "") -> Ref:
        return call("BuildLoad2", self.ref, kind, pointer, called.encode())

    def store(self, value: Ref, pointer: Ref) -> Ref:
        return call("BuildStore", self.ref, value, pointer)

    def address(self, kind: Ref, base: Ref, indices: Sequence[Ref], called: str = "") -> Ref:
        """The address of a part, within what the base points to, of a type."""
        given = (array(indices), len(indices), called.encode())
        return call("BuildInBoundsGEP2", self.ref, kind, base, *given)

    def jump(self, block: Ref) -> Ref:
        return call("BuildBr", self.ref, block)

    def branch(self, condition: Ref, then: Ref, other: Ref) -> Ref:
        return call("BuildCondBr", self.ref, condition, then, other)

    def ret(self, value: Ref | None = None) -> Ref:
        return call("BuildRet", self.ref, value) if value else call("BuildRetVoid", self.ref)

    def unreachable(self) -> Ref:
        return call("BuildUnreachable", self.ref)

    def copy(self, instruction: Ref, called: str = "") -> Ref:
        """The same instruction once more, of its own line."""
        made = call("InstructionClone", instruction)
        call("InsertIntoBuilderWithName", self.ref, made, called.encode())
        call("InstructionSetDebugLoc", made, debug_location(instruction))
        return made


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
        call("RemoveBasicBlockFromParent", block)
        call("AppendExistingBasicBlock", other, block)


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


def rename(value: Ref, called: str) -> None:
    """Gives a value another name, with a number behind it where that is taken."""
    call("SetValueName2", value, *_counted(called))


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
        call("RemoveStringAttributeAtIndex", function, FUNCTION_INDEX, *_counted(key))
