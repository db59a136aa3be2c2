# SPDX-License-Identifier: Apache-2.0
"""A module of LLVM IR, to be read, changed and written again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from tandem.llvm.attributes import attribute_kind
from tandem.llvm.binding import Ref, array, call
from tandem.llvm.metadata import kind_of
from tandem.llvm.read import (
    children,
    entry,
    parse,
)
from tandem.llvm.signatures import TEXT
from tandem.llvm.spelling import older_text

MOST_AT_HAND = 4
"""Modules."""


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
        return call("GetNamedFunctionWithLength", self.ref, *counted(called)) or None

    def variable(self, called: str) -> Ref | None:
        """The global variable of a name; None where there is none."""
        return call("GetNamedGlobalWithLength", self.ref, *counted(called)) or None

    def named(self, called: str) -> Ref | None:
        """The function, variable or alias of a name; None where there is none."""
        alias = call("GetNamedGlobalAlias", self.ref, *counted(called))
        return self.function(called) or self.variable(called) or alias or None

    def declared(self, called: str, result: Ref, parameters: Sequence[Ref] = ()) -> Ref:
        """The function of a name, made a declaration of one where there is none."""
        kind = call("FunctionType", result, array(parameters), len(parameters), 0)
        return self.function(called) or call("AddFunction", self.ref, called.encode(), kind)

    def intrinsic(self, called: str, *kinds: Ref) -> Ref:
        """The intrinsic of a name, of some types where it is overloaded."""
        number = call("LookupIntrinsicID", *counted(called))
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
        text = call("MDStringInContext2", self.context, *counted(words))
        return call("MDNodeInContext2", self.context, array([text]), 1)

    def annotate(self, instruction: Ref, words: str) -> None:
        """Attaches a text to an instruction, for `annotated_with`."""
        text = call("MDStringInContext2", self.context, *counted(words))
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
        return call("CreateStringAttribute", self.context, *counted(key), *counted(value))

    def enum_attribute(self, called: str, value: int = 0) -> Ref:
        """An attribute that LLVM knows, with its number if it has one."""
        return call("CreateEnumAttribute", self.context, attribute_kind(called), value)


def number_of(kind: Ref, value: int) -> Ref:
    """An integer of a type, of at most 64 bits."""
    return call("ConstInt", kind, value & (1 << 64) - 1, value < 0)


def undefined(kind: Ref) -> Ref:
    """A value of a type that may be any."""
    return call("GetUndef", kind)


def counted(text: str) -> tuple[bytes, int]:
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


def unchecked(text: str) -> Module:
    """A module for who disposes of it. LLVM does not look whether all is right, and keeps all that
    debuggers are told: of a static variable in a function the older LLVM tells it in a way that
    makes this one drop everything."""
    _set_option(b"-disable-auto-upgrade-debug-info=true")
    try:
        return Module(*parse(text))
    finally:
        _set_option(b"-disable-auto-upgrade-debug-info=false")


def _set_option(option: bytes) -> None:
    """As on a command line: LLVM-C has no other way."""
    words = (TEXT * 2)(b"tandem", option)
    call("ParseCommandLineOptions", len(words), words, None)


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


class Unknown(Exception):
    """More is done in a module than a change of it knows."""


def edited(text: str, change: Callable[[Module], bool]) -> str | None:
    """The text of a module after a change; None where `change` says that there is none, and has
    left everything as it was, or raises Unknown, whatever it has done by then."""
    with opened(text) as module:
        try:
            return module.text() if change(module) else None
        except Unknown:  # before the module goes: builders of the change go first
            module.is_as_read = False
    return None
