# SPDX-License-Identifier: Apache-2.0
"""The functions that procedures of Fortran's become, and what calls them in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tandem.frontend.symbols import STOOD_FOR
from tandem.ir.names import unused_name
from tandem.languages.fortran.descriptors import (
    BASE,
    EXTENT,
    SIZE,
    STRIDE,
    describe,
    descriptor,
    dimension_of,
    is_box,
    member_of,
)
from tandem.languages.fortran.names import strided_name
from tandem.languages.fortran.plain import PLACE, Plain
from tandem.languages.fortran.procedures import Dummy, DummyKind
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.binding import call
from tandem.llvm.builder import Builder
from tandem.llvm.copies import Copies
from tandem.llvm.edit import (
    add_attribute,
    copy_properties,
    forget_lines,
    make_internal,
    move_body,
    rename,
)
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.llvm.read import Ref, first_instruction, parameters, result_type


def make_functions(module: Module, plains: Sequence[Plain]) -> bool:
    """Makes the functions of some procedures; whether there are any."""
    for plain in plains:
        _Making(module, plain).run()
    return bool(plains)


class _Parameter(NamedTuple):
    """Of a function: its type and name, and what is said of it."""

    kind: Ref
    name: str
    said: str = ""


class _Box(NamedTuple):
    """What a descriptor says: where the array is, and of each dimension how many elements, and
    bytes from one to the next."""

    base: Ref
    extents: list[Ref]
    steps: list[Ref]


class _Making:
    """One procedure that becomes a function, which it calls from then on."""

    def __init__(self, module: Module, plain: Plain) -> None:
        own = module.function(plain.procedure.symbol)
        assert own is not None
        self.module, self.plain, self.own = module, plain, own
        self.make = Builder(module)
        self.dummies = [*zip(plain.procedure.dummies, parameters(own), strict=True)]

    def run(self) -> None:
        """The procedure's own text is the function's then."""
        strided = self._copied() if self.plain.strided else None
        made = self._function()
        self._call(made, strided)

    def _copied(self) -> Ref:
        """A copy of the procedure, for arrays that are not contiguous."""
        copies = Copies(self.module)
        copy = copies.made(self.own, strided_name(self.plain.name))
        self._stand_for(copy, "noinline")
        copies.finish()
        return copy

    # -- the function ----------------------------------------------------------------------------

    def _function(self) -> Ref:
        """The function, with the procedure's body; only its module knows it."""
        wanted = [one for dummy, _ in self.dummies for one in self._parameters(dummy)]
        kinds = [one.kind for one in wanted]
        made = self.module.declared(self.plain.name, result_type(self.own), kinds)
        for index, (one, parameter) in enumerate(zip(wanted, parameters(made), strict=True)):
            rename(parameter, one.name)
            if one.said:
                add_attribute(made, index + 1, self.module.enum_attribute(one.said))
        copy_properties(self.own, made)
        forget_lines(self.own)
        make_internal(made)
        move_body(self.own, made)
        self._begin(made)
        return made

    def _parameters(self, dummy: Dummy) -> Iterator[_Parameter]:
        """What an argument of the procedure becomes."""
        if dummy.name in self.plain.numbers or dummy.kind is DummyKind.VALUE:
            is_signed = dummy.number.startswith("i") and not dummy.is_logical
            yield _Parameter(self._type(dummy), dummy.name, "signext" if is_signed else "")
        else:
            alone = "noalias" if dummy.is_steady else ""
            yield _Parameter(self.module.pointer, dummy.name, alone)
        for extent in self._extents(dummy) if is_box(dummy) else ():
            yield _Parameter(self.module.integer(SIZE), extent, "signext")

    def _type(self, dummy: Dummy) -> Ref:
        """Of an argument's number."""
        known = {"float": self.module.float, "double": self.module.double}
        return known.get(dummy.number) or self.module.integer(8 * dummy.bytes)

    def _extents(self, dummy: Dummy) -> list[str]:
        """What the extents of an array with a descriptor are called."""
        base = unused_name(f"{dummy.name}_extent", [one.name for one, _ in self.dummies])
        return [base] if dummy.rank == 1 else [f"{base}{i + 1}" for i in range(dummy.rank)]

    def _begin(self, made: Ref) -> None:
        """Puts the arguments where the procedure's text looks for them."""
        self.make.before(first_instruction(made))
        given = iter(parameters(made))
        for dummy, own in self.dummies:
            value = next(given)
            if dummy.name in self.plain.numbers:
                place = self.make.local(self._type(dummy), f"{dummy.name}{PLACE}")
                self.make.store(value, place)
                value = place
            elif is_box(dummy):
                kind = descriptor(self.module, dummy.rank)
                place = self.make.local(kind, f"{dummy.name}{PLACE}")
                describe(self.make, dummy, place, value, [next(given) for _ in range(dummy.rank)])
                value = place
            call("ReplaceAllUsesWith", own, value)

    # -- what calls it ---------------------------------------------------------------------------

    def _call(self, made: Ref, strided: Ref | None) -> None:
        """Has the procedure read what the function takes by value, and call that; the copy where an
        array is not contiguous. In its own file it is part of its callers: a procedure that calls
        itself is a function that does."""
        self.make.at_end(self.module.block(self.own, "entry"))
        boxes = {dummy: self._read(dummy, own) for dummy, own in self.dummies if is_box(dummy)}
        given = [value for one in self.dummies for value in self._given(*one, boxes)]
        if strided is not None:
            blocks = [self.module.block(self.own, name) for name in ("plain", "strided")]
            self.make.branch(self._is_contiguous(boxes), *blocks)
            self.make.at_end(blocks[1])
            self._return(strided, [own for _, own in self.dummies])
            self.make.at_end(blocks[0])
        self._return(made, given)
        self._stand_for(self.own, "alwaysinline")

    def _stand_for(self, function: Ref, inlined: str) -> None:
        """Says of a function that software calls it in the place of the other; `inlined`: whether
        it is part of its callers."""
        for attribute in (self.module.enum_attribute(inlined), self.module.attribute(STOOD_FOR)):
            add_attribute(function, FUNCTION_INDEX, attribute)

    def _read(self, dummy: Dummy, own: Ref) -> _Box:
        """What an array's descriptor says."""
        at = member_of(self.make, dummy.rank, own, (BASE,))
        base = self.make.load(self.module.pointer, at, f"{dummy.name}.base")
        extents, steps = (
            [dimension_of(self.make, dummy, own, i, part) for i in range(dummy.rank)]
            for part in (EXTENT, STRIDE)
        )
        return _Box(base, extents, steps)

    def _given(self, dummy: Dummy, own: Ref, boxes: dict[Dummy, _Box]) -> list[Ref]:
        """What the function is given for an argument."""
        if dummy in boxes:
            return [boxes[dummy].base, *boxes[dummy].extents]
        is_number = dummy.name in self.plain.numbers
        return [self.make.load(self._type(dummy), own, f"{dummy.name}.value") if is_number else own]

    def _is_contiguous(self, boxes: dict[Dummy, _Box]) -> Ref:
        """Whether all arrays are that may be otherwise: from one element to the next of each
        dimension there are the bytes of all dimensions before."""
        whole = self.module.number(1, 1)
        for dummy in self.plain.strided:
            wide = self.module.number(SIZE, dummy.bytes)
            for extent, step in zip(boxes[dummy].extents, boxes[dummy].steps, strict=True):
                is_next = self.make.compare(Predicate.EQ, step, wide)
                whole = self.make.binary(Opcode.AND, whole, is_next)
                wide = self.make.binary(Opcode.MUL, wide, extent)
        return whole

    def _return(self, callee: Ref, given: Sequence[Ref]) -> None:
        is_void = result_type(self.own) == self.module.void
        result = self.make.call(callee, given, "" if is_void else "result")
        self.make.ret(None if is_void else result)
