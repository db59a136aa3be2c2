# SPDX-License-Identifier: Apache-2.0
"""Modules in which some types are others of as many bits, in memory and as values.

Every instruction is made anew for itself: what it is given and what it gives are cast to bits and
back, and at last such casts meet and go. So nothing depends on the order of instructions.
"""

from __future__ import annotations

from collections.abc import Callable

from tandem.llvm.attributes import attribute_kind, attributes, attributes_given
from tandem.llvm.binding import Ref, array, call
from tandem.llvm.builder import Builder
from tandem.llvm.edit import (
    add_incoming,
    copy_notes,
    copy_properties,
    copy_variable,
    erase,
    move_body,
    rename,
    replace,
    say_of_call,
    set_operand,
)
from tandem.llvm.module import Module, Unknown, undefined
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import (
    TYPE_ARRAY,
    TYPE_FUNCTION,
    TYPE_STRUCT,
    TYPE_VECTOR,
    VALUE_AGGREGATES,
    VALUE_POISON,
    VALUE_UNDEF,
    children,
    entry,
    first_instruction,
    incoming_blocks,
    instructions,
    is_instruction,
    member_types,
    name,
    opcode_of,
    operands,
    parameter_types,
    parameters,
    type_of,
    users,
)
from tandem.llvm.spelling import aggregate, parts_of_constant

OF_FLOATS = "nofpclass"
"""What is said of floating-point numbers alone."""


def retype(module: Module, types: dict[Ref, Ref]) -> bool:
    """Puts some types in the place of others; says whether there are such. Raises Unknown, with
    some of it done."""
    change = _Change(module, types)
    for variable in module.variables:
        change.variable(variable)
    for function in module.functions:
        change.function(function)
    for ref in [*instructions(module.defined)]:
        change.instruction(ref)
    for ref in [one for one in instructions(module.defined) if type_of(one) in types]:
        change.join(ref)
    return change.is_any


class _Change:
    def __init__(self, module: Module, types: dict[Ref, Ref]) -> None:
        self.module, self.make = module, Builder(module)
        self.plain = types
        """The numbers that become others."""
        self.types: dict[Ref, Ref] = {}
        """Each type that has been asked for, and what is in its place."""

    @property
    def is_any(self) -> bool:
        return any(kind != other for kind, other in self.types.items())

    # types and constants

    def type(self, kind: Ref) -> Ref:
        """What is in a type's place: itself, if nothing in it is another one."""
        if kind not in self.types:
            self.types[kind] = self._made_type(kind)
        return self.types[kind]

    def _made_type(self, kind: Ref) -> Ref:
        which = call("GetTypeKind", kind)
        if kind in self.plain:
            return self.plain[kind]
        if which == TYPE_ARRAY:
            element = self.type(call("GetElementType", kind))
            return self.module.array(element, call("GetArrayLength2", kind))
        if which == TYPE_VECTOR and self.is_changed(call("GetElementType", kind)):
            raise Unknown
        if which == TYPE_FUNCTION:
            result, given = call("GetReturnType", kind), [*map(self.type, parameter_types(kind))]
            is_open = call("IsFunctionVarArg", kind)
            return call("FunctionType", self.type(result), array(given), len(given), is_open)
        return self._made_struct(kind) if which == TYPE_STRUCT else kind

    def _made_struct(self, kind: Ref) -> Ref:
        own = member_types(kind)
        members = [*map(self.type, own)]
        if members == own:
            return kind
        packed, called = call("IsPackedStruct", kind), call("GetStructName", kind)
        given = (array(members), len(members), packed)
        if not called:
            return call("StructTypeInContext", self.module.context, *given)
        made = call("StructCreateNamed", self.module.context, called)
        call("StructSetBody", made, *given)
        return made

    def is_changed(self, kind: Ref) -> bool:
        return self.type(kind) != kind

    def constant(self, value: Ref) -> Ref:
        """A constant as one of the type in its type's place."""
        before = type_of(value)
        kind, which = self.type(before), call("GetValueKind", value)
        if kind == before:
            return value
        if which in VALUE_AGGREGATES:
            return aggregate(kind, [*map(self.constant, parts_of_constant(value))])
        if which in (VALUE_UNDEF, VALUE_POISON):
            return undefined(kind) if which == VALUE_UNDEF else call("GetPoison", kind)
        is_number = before in self.plain
        return call("ConstBitCast", value, kind) if is_number else call("ConstNull", kind)

    # what has a type, a signature or a body

    def variable(self, variable: Ref) -> None:
        before = call("GlobalGetValueType", variable)
        if not self.is_changed(before):
            return
        made = call("AddGlobal", self.module.ref, self.type(before), b"")
        initial = call("GetInitializer", variable)
        if initial:
            call("SetInitializer", made, self.constant(initial))
        copy_variable(variable, made)
        _put_in_place(variable, made, "DeleteGlobal")

    def function(self, function: Ref) -> None:
        before = call("GlobalGetValueType", function)
        if not self.is_changed(before):
            self._say(function, function)
            return
        if name(function).startswith("llvm."):
            raise Unknown
        made = call("AddFunction", self.module.ref, b"", self.type(before))
        call("SetFunctionCallConv", made, call("GetFunctionCallConv", function))
        self._say(function, made)
        for index, kind in enumerate(_kinds(before)):
            if self.is_changed(kind):
                call("RemoveEnumAttributeAtIndex", made, index, attribute_kind(OF_FLOATS))
        copy_properties(function, made)
        move_body(function, made)
        for own, other in zip(parameters(function), parameters(made), strict=True):
            rename(other, name(own))
            if entry(made):
                call("ReplaceAllUsesWith", own, self._at_first(made, other, type_of(own)))
        _put_in_place(function, made, "DeleteFunction")

    def _at_first(self, function: Ref, parameter: Ref, kind: Ref) -> Ref:
        self.make.before(first_instruction(function))
        return self._back(parameter, kind)

    def _say(self, function: Ref, made: Ref) -> None:
        """Says of the parameters and the result of a function what is said of those of one."""
        for index in range(call("CountParams", function) + 1):
            for attribute in attributes(function, index):
                call("AddAttributeAtIndex", made, index, self.attribute(attribute))

    def attribute(self, attribute: Ref) -> Ref:
        if not call("IsTypeAttribute", attribute):
            return attribute
        kind = self.type(call("GetTypeAttributeValue", attribute))
        which = call("GetEnumAttributeKind", attribute)
        return call("CreateTypeAttribute", self.module.context, which, kind)

    # instructions

    def instruction(self, ref: Ref) -> None:
        opcode = opcode_of(ref)
        self.make.before(ref)
        rule = _RULES.get(opcode)
        if rule and opcode in _OF_MEMORY:
            rule(self, ref)
        elif any(self.is_changed(type_of(value)) for value in (ref, *operands(ref))):
            if rule is None:
                raise Unknown
            rule(self, ref)

    def bits(self, value: Ref) -> Ref:
        """A value, cast to what is in its type's place."""
        kind = type_of(value)
        if not self.is_changed(kind):
            return value
        if kind not in self.plain:
            raise Unknown
        return self.make.cast(Opcode.BIT_CAST, value, self.type(kind))

    def _back(self, made: Ref, kind: Ref) -> Ref:
        """What was made, as a value of the type before."""
        if type_of(made) == kind:
            return made
        if kind not in self.plain:
            raise Unknown
        return self.make.cast(Opcode.BIT_CAST, made, kind)

    def put(self, ref: Ref, made: Ref) -> None:
        """Puts what was made in an instruction's place."""
        replace(ref, self._back(made, type_of(ref)))

    def join(self, ref: Ref) -> None:
        """Has the casts of a value go, of which one makes it and all others use it."""
        if opcode_of(ref) != Opcode.BIT_CAST:
            raise Unknown
        self.make.before(ref)
        bits = self.make.cast(Opcode.BIT_CAST, operands(ref)[0], self.type(type_of(ref)))
        for user in [*users(ref)]:
            if opcode_of(user) != Opcode.BIT_CAST or type_of(user) in self.plain:
                raise Unknown
            self.make.before(user)
            replace(user, self.make.cast(Opcode.BIT_CAST, bits, type_of(user)))
        called = name(ref)
        erase(ref)
        if called and is_instruction(bits) and not name(bits):
            rename(bits, called)


def _kinds(kind: Ref) -> list[Ref]:
    """The types of what a function returns, and of what it takes."""
    return [call("GetReturnType", kind), *parameter_types(kind)]


def _put_in_place(value: Ref, made: Ref, delete: str) -> None:
    called = name(value)
    call("ReplaceAllUsesWith", value, made)
    call(delete, value)
    rename(made, called)


# -- an instruction each ---------------------------------------------------------------------------


def _local(change: _Change, ref: Ref) -> None:
    kind = call("GetAllocatedType", ref)
    if change.is_changed(kind):
        [count] = operands(ref)
        made = call("BuildArrayAlloca", change.make.ref, change.type(kind), count, b"")
        call("SetAlignment", made, call("GetAlignment", ref))
        change.put(ref, made)


def _address(change: _Change, ref: Ref) -> None:
    kind = call("GetGEPSourceElementType", ref)
    if change.is_changed(kind):
        base, *indices = operands(ref)
        given = (array(indices), len(indices), b"", call("GEPGetNoWrapFlags", ref))
        kind = change.type(kind)
        change.put(ref, call("BuildGEPWithNoWrapFlags", change.make.ref, kind, base, *given))


def _called(change: _Change, ref: Ref) -> None:
    kind = call("GetCalledFunctionType", ref)
    indices = range(call("GetNumOperands", ref))
    said = {index: attributes_given(ref, index) for index in indices}
    is_same = all(change.attribute(one) == one for some in said.values() for one in some)
    if is_same and not change.is_changed(kind):
        return
    *given, callee = operands(ref)
    made = change.make.call_through(change.type(kind), callee, [*map(change.bits, given)])
    say_of_call(ref, made)
    for index, some in said.items():
        for one in some:
            call("AddCallSiteAttribute", made, index, change.attribute(one))
    for index, value in enumerate((ref, *given)):
        if change.is_changed(type_of(value)):
            call("RemoveCallSiteEnumAttribute", made, index, attribute_kind(OF_FLOATS))
    copy_notes(ref, made)
    change.put(ref, made)


def _phi(change: _Change, ref: Ref) -> None:
    made = change.make.phi(change.type(type_of(ref)))
    for value, block in zip(operands(ref), incoming_blocks(ref), strict=True):
        change.make.before(call("GetBasicBlockTerminator", block))
        add_incoming(made, change.bits(value), block)
    behind = children(call("GetInstructionParent", ref), "Instruction")
    change.make.before(next(one for one in behind if opcode_of(one) != Opcode.PHI))
    change.put(ref, made)


def _chosen(change: _Change, ref: Ref) -> None:
    condition, a, b = operands(ref)
    change.put(ref, change.make.choose(condition, change.bits(a), change.bits(b)))


def _frozen(change: _Change, ref: Ref) -> None:
    change.put(ref, change.make.unary(Opcode.FREEZE, change.bits(operands(ref)[0])))


def _loaded(change: _Change, ref: Ref) -> None:
    made = change.make.load(change.type(type_of(ref)), operands(ref)[0])
    for what in ("Alignment", "Volatile", "Ordering"):
        call(f"Set{what}", made, call(f"Get{what}", ref))
    copy_notes(ref, made)
    change.put(ref, made)


def _given(change: _Change, ref: Ref) -> None:
    """What is stored or returned."""
    set_operand(ref, 0, change.bits(operands(ref)[0]))


def _cast(change: _Change, ref: Ref) -> None:
    """It is joined with the others."""


_OF_MEMORY = frozenset({Opcode.ALLOCA, Opcode.ADDRESS, Opcode.CALL})
"""What may be about the types though no value is."""
_RULES: dict[int, Callable[[_Change, Ref], None]] = {
    Opcode.ALLOCA: _local,
    Opcode.ADDRESS: _address,
    Opcode.CALL: _called,
    Opcode.PHI: _phi,
    Opcode.SELECT: _chosen,
    Opcode.FREEZE: _frozen,
    Opcode.LOAD: _loaded,
    Opcode.STORE: _given,
    Opcode.RET: _given,
    Opcode.BIT_CAST: _cast,
}
