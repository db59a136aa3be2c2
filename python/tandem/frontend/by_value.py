# SPDX-License-Identifier: Apache-2.0
"""Functions that take or return structs, or integers of odd widths, by value, as kernels.

How such a value is passed is the processor's matter: clang makes registers of it, or a copy in
memory. A kernel has plain arguments: numbers of up to 64 bits, and pointers. So a function with
plain arguments takes the place of the C's own, which it calls: to it, a struct or a wide integer is
a pointer to its bytes, and so is such a result. `with_plain_kernel` is what becomes hardware. In
`with_plain_calls`, what becomes software, the program calls a function with the C's own signature,
and that the plain one, in whose place a stub may stand.

Of what a result is made of, C leaves undefined what belongs to no member. Here it is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from tandem.frontend.plain_signature import (
    REGISTER_BYTES,
    Piece,
    Signature,
    Value,
    bits_of,
    fill_with_zeros,
)
from tandem.frontend.symbols import KEPT_TABLES, declares, definition, rename_global
from tandem.llvm import attributes
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import add_attribute, copy_signature, make_internal, rename
from tandem.llvm.module import Module, edited, number_of, opened
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, call, type_of

_STACK_BYTES = 16
"""The alignment of a value's bytes where the program calls."""


def own_name(name: str) -> str:
    """What a function that takes or gives values by value is called beside its plain kernel: calls
    of it are calls of the kernel."""
    return f"{name}.by_value"


def with_plain_kernel(modules: Sequence[str], name: str) -> list[str]:
    """The modules with a plain function in the place of a kernel's."""
    return _with_plain(modules, name, calls=False)


def with_plain_calls(modules: Sequence[str], name: str) -> list[str]:
    """The modules with a plain function in the place of a kernel's, to which all calls lead."""
    return _with_plain(modules, name, calls=True)


def plain_bytes(modules: Sequence[str], name: str) -> dict[str, int]:
    """How many bytes there are behind the pointers that a kernel has in place of values."""
    owner = _owner(modules, name)
    if owner is None:
        return {}
    with opened(owner) as module:
        values = Signature.of(module.function(name) or 0).plain_values
        return {value.name: value.bytes for value in values if value.bytes}


def _owner(modules: Sequence[str], name: str) -> str | None:
    """The module whose function of a name is meant; None where none is defined, or it is plain."""
    found = [(text, d) for text in modules if (d := definition(text, name)) is not None]
    if not found:
        return None
    owner = next((text for text, d in found if not d.is_local), found[0][0])
    return None if _is_plain(owner, name) else owner


@lru_cache(KEPT_TABLES)
def _is_plain(text: str, name: str) -> bool:
    with opened(text) as module:
        return Signature.of(module.function(name) or 0).is_plain


def _with_plain(modules: Sequence[str], name: str, *, calls: bool) -> list[str]:
    if _owner(modules, name) is None:
        return list(modules)
    found = [definition(text, name) for text in modules]
    is_local = all(d is None or d.is_local for d in found)
    result = []
    for text, here in zip(modules, found, strict=True):
        if here is not None:
            text = edited(text, partial(_define_plain, name=name, calls=calls)) or text
        elif not is_local and declares(text, name):
            text = edited(text, partial(_use_own, name=name)) or text
        result.append(text)
    return result


def _use_own(module: Module, name: str) -> bool:
    function = module.function(name)
    if function is not None:
        rename_global(module, function, own_name(name))
    return function is not None


def _define_plain(module: Module, name: str, calls: bool) -> bool:
    function = module.function(name)
    assert function is not None
    signature = Signature.of(function)
    if signature.may_be_undefined:
        fill_with_zeros(module, function)
    linkage = llvm.linkage(function)
    rename_global(module, function, own_name(name))
    plain = _PlainFunction(module, signature, name, linkage)
    plain.call_own()
    if calls:
        _OwnFunction(module, signature, name, linkage).call_plain(plain.made)
    return True


class _PlainFunction:
    """The function with plain arguments, which calls the C's own."""

    def __init__(self, module: Module, signature: Signature, name: str, linkage: int) -> None:
        self.module, self.signature, self.callee = module, signature, signature.function
        values = signature.plain_values
        kinds = [self._kind(value) for value in values]
        self.made = module.declared(name, self._result_kind(), kinds)
        call("SetLinkage", self.made, linkage)
        self.given = dict(
            zip((value.name for value in values), llvm.parameters(self.made), strict=True)
        )
        for index, value in enumerate(values, 1):
            rename(self.given[value.name], value.name)
            self._say(index, value)
        self.make = Builder(module).at_end(module.block(self.made))

    def _kind(self, value: Value) -> Ref:
        """The type of a parameter."""
        if value.bytes:
            return self.module.pointer
        return self.module.integer(value.plain_bits) if value.plain_bits else value.type

    def _result_kind(self) -> Ref:
        result = self.signature.result
        if result is None:
            return llvm.result_type(self.callee)
        return self.module.integer(result.plain_bits) if result.plain_bits else self.module.void

    def _say(self, index: int, value: Value) -> None:
        """Says of a parameter what is known of it."""
        if not value.bytes:
            for attribute in attributes.attributes(self.callee, (value.index or 0) + 1):
                add_attribute(self.made, index, attribute)
            return
        words = {"noalias": 0, "nonnull": 0, "dereferenceable": value.bytes}
        words |= {} if value.is_result else {"readonly": 0}
        if value.index is not None:
            align = attributes.number_attribute(self.callee, value.index + 1, "align")
            words |= {"align": align} if align else {}
        for word, number in words.items():
            add_attribute(self.made, index, self.module.enum_attribute(word, number))

    def call_own(self) -> None:
        arguments: dict[int, Ref] = {}
        for value in self.signature.values:
            given = self.given[value.name]
            for piece in value.pieces:
                arguments[piece.index] = _loaded(self.make, piece, given)
            if value.index is not None:
                narrow = value.plain_bits and self.make.cast(Opcode.TRUNC, given, value.type)
                arguments[value.index] = narrow or given
        made = self.make.call(self.callee, [arguments[i] for i in sorted(arguments)])
        _call_as(made, self.callee)
        self._give_back(made)

    def _give_back(self, made: Ref) -> None:
        result, make = self.signature.result, self.make
        if result is None:
            for attribute in attributes.attributes(self.callee, 0):
                add_attribute(self.made, 0, attribute)
            make.ret(None if llvm.returns_nothing(self.callee) else made)
        elif result.pieces:
            is_struct = call("GetTypeKind", type_of(made)) == llvm.TYPE_STRUCT
            for piece in result.pieces:
                taken = make.take_out(made, piece.index) if is_struct else made
                _store(make, piece, taken, self.given[result.name])
            make.ret()
        else:
            for attribute in attributes.attributes(self.callee, 0):
                add_attribute(self.made, 0, attribute)
            make.ret(_widened(make, result, made))


class _OwnFunction:
    """The function with the C's own signature, which calls the plain one. All that called the C's
    own calls this."""

    def __init__(self, module: Module, signature: Signature, name: str, linkage: int) -> None:
        self.module, self.signature, body = module, signature, signature.function
        kind = call("GlobalGetValueType", body)
        self.made = call("AddFunction", module.ref, b"", kind)
        copy_signature(body, self.made)
        call("SetLinkage", self.made, linkage)
        call("SetVisibility", self.made, call("GetVisibility", body))
        call("SetComdat", self.made, call("GetComdat", body))
        for parameter, other in zip(llvm.parameters(body), llvm.parameters(self.made), strict=True):
            rename(other, llvm.name(parameter))
        plain = module.function(name)
        call("ReplaceAllUsesWith", body, self.made)
        [inner] = [ref for ref in llvm.calls_of(self.made) if llvm.function_of(ref) == plain]
        call("SetOperand", inner, call("GetNumOperands", inner) - 1, body)
        rename(body, f"{name}.body")
        rename(self.made, own_name(name))
        make_internal(body)
        call("SetComdat", body, None)
        self.make = Builder(module).at_end(module.block(self.made))

    def call_plain(self, plain: Ref) -> None:
        make, parameters = self.make, llvm.parameters(self.made)
        given: list[Ref] = []
        places: dict[str, Ref] = {}
        for value in self.signature.plain_values:
            if value.pieces:
                places[value.name] = self._place(value)
                given.append(places[value.name])
            else:
                own = parameters[value.index or 0]
                given.append(_widened(make, value, own) if value.plain_bits else own)
            for piece in value.pieces if value is not self.signature.result else ():
                _store(make, piece, parameters[piece.index], places[value.name])
        made = make.call(plain, given)
        _call_as(made, plain, but=("noalias", "nonnull", "dereferenceable", "readonly", "align"))
        self._give_back(made, places)

    def _place(self, value: Value) -> Ref:
        bytes_ = self.module.array(self.module.integer(8), value.bytes)
        made = self.make.local(bytes_, f"{value.name}.bytes")
        call("SetAlignment", made, _STACK_BYTES)
        return made

    def _give_back(self, made: Ref, places: dict[str, Ref]) -> None:
        result, make = self.signature.result, self.make
        kind = llvm.result_type(self.made)
        if result is None:
            make.ret(None if llvm.returns_nothing(self.made) else made)
        elif not result.pieces:
            make.ret(make.cast(Opcode.TRUNC, made, kind))
        elif call("GetTypeKind", kind) != llvm.TYPE_STRUCT:
            make.ret(_loaded(make, result.pieces[0], places[result.name]))
        else:
            whole = call("GetPoison", kind)
            for piece in result.pieces:
                part = _loaded(make, piece, places[result.name])
                whole = make.put_in(whole, part, piece.index)
            make.ret(whole)


def _call_as(made: Ref, function: Ref, but: Sequence[str] = ()) -> None:
    """Says of a call what a function says of its parameters and its result, but for some words."""
    call("SetInstructionCallConv", made, call("GetFunctionCallConv", function))
    left_out = {attributes.attribute_kind(word) for word in but}
    for index in range(call("CountParams", function) + 1):
        for attribute in attributes.attributes(function, index):
            if not attributes.is_one_of(attribute, left_out):
                call("AddCallSiteAttribute", made, index, attribute)


def _widened(make: Builder, value: Value, given: Ref) -> Ref:
    """A number as it fills a register."""
    how = Opcode.SEXT if value.is_signed else Opcode.ZEXT
    return make.cast(how, given, make.module.integer(value.plain_bits))


def _at(make: Builder, place: Ref, offset: int) -> Ref:
    return make.address(make.module.integer(8), place, [make.module.number(64, offset)])


def _loaded(make: Builder, piece: Piece, place: Ref) -> Ref:
    """Reads a piece from a value's bytes."""
    whole = call("GetPoison", piece.type)
    for i, (offset, kind) in enumerate(piece.parts):
        part = make.load(kind, _at(make, place, offset))
        call("SetAlignment", part, _alignment(kind))
        if not piece.is_several:
            return part
        whole = make.with_part(whole, part, i)
    return whole


def _store(make: Builder, piece: Piece, value: Ref, place: Ref) -> None:
    """Writes a piece to where a value's bytes are."""
    if piece.mask is not None:
        value = make.binary(Opcode.AND, value, number_of(piece.type, piece.mask))
    for i, (offset, kind) in enumerate(piece.parts):
        part = make.part(value, i) if piece.is_several else value
        call("SetAlignment", make.store(part, _at(make, place, offset)), _alignment(kind))


def _alignment(kind: Ref) -> int:
    """What is sure of where a piece is."""
    return min(REGISTER_BYTES, (bits_of(kind) // 8) & -(bits_of(kind) // 8))
