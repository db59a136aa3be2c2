# SPDX-License-Identifier: Apache-2.0
"""LLVM IR of a program with calls at the beginning and the end of its functions, and of the loops
of these that are in no other: the program tells by itself what it spends its time in.

The calls are there before any optimisation. A function that is watched is never inlined, as one
that is offloaded is not; where that would say little of the program as it is, it can be left
out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tandem.diagnostics import Place
from tandem.frontend.linking import OF_HEADERS
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.llvm import attributes, metadata
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.builder import Builder
from tandem.llvm.edit import add_attribute
from tandem.llvm.module import Module, edited
from tandem.llvm.opcodes import Opcode
from tandem.llvm.order import successors
from tandem.llvm.read import Ref, call, opcode_of

ENTER, LEAVE = "tandem_profile_enter", "tandem_profile_leave"
_MUST_TAIL = 2
"""LLVMTailCallKind of a call that only a return may follow."""
_AT_BEGIN = (Opcode.PHI, Opcode.LANDING_PAD)


@dataclass(frozen=True)
class Watched:
    """A function that is watched, or a `loop` of one."""

    function: str
    place: Place
    loop: LoopId = NO_LOOP


def with_watches(
    modules: Sequence[str], left_out: Collection[str] = ()
) -> tuple[list[str], list[Watched]]:
    """The modules with their functions watched, but some, and what is watched in the order of its
    numbers."""
    watched: list[Watched] = []
    return [_of_module(text, watched, left_out) for text in modules], watched


def _of_module(text: str, watched: list[Watched], left_out: Collection[str]) -> str:
    return edited(text, lambda module: _watch_all(module, watched, left_out)) or text


def _watch_all(module: Module, watched: list[Watched], left_out: Collection[str]) -> bool:
    for function in module.defined:
        if not left_out:
            kind = attributes.attribute_kind("alwaysinline")
            call("RemoveEnumAttributeAtIndex", function, FUNCTION_INDEX, kind)
        if llvm.linkage(function) != OF_HEADERS and llvm.name(function) not in left_out:
            _Watching(module, function).watch(watched)
    return True


@dataclass(frozen=True)
class _Loop:
    """A loop: where it begins, `NO_LOOP` where nobody told it, the block that it begins with, and
    all its blocks."""

    id: LoopId
    header: Ref
    body: frozenset[Ref]


class _Watching:
    """A function that gets the calls."""

    def __init__(self, module: Module, function: Ref) -> None:
        self.module, self.function, self.builder = module, function, Builder(module)
        self.blocks = list(llvm.children(function, "BasicBlock"))
        self.before: dict[Ref, list[Ref]] = {block: [] for block in self.blocks}
        for block in self.blocks:
            for other in dict.fromkeys(successors(block)):
                self.before[other].append(block)

    def watch(self, watched: list[Watched]) -> None:
        number, name = len(watched), llvm.name(self.function)
        place = metadata.definition_place(self.function) or Place("")
        watched.append(Watched(name, place))
        add_attribute(self.function, FUNCTION_INDEX, self.module.enum_attribute("noinline"))
        for loop in self._outer_loops():
            if loop.id != NO_LOOP:
                self._watch_loop(loop, len(watched))
                watched.append(Watched(name, place, loop.id))
        self._watch_ends(number)

    def _watch_ends(self, number: int) -> None:
        self._call(ENTER, number, _first(self.blocks[0]))
        for block in self.blocks:
            end = call("GetBasicBlockTerminator", block)
            before = call("GetPreviousInstruction", end)
            if opcode_of(end) == Opcode.RET:
                self._call(LEAVE, number, before if _must_be_last(before) else end)

    def _watch_loop(self, loop: _Loop, number: int) -> None:
        for block in self.before[loop.header]:
            if block not in loop.body and len(successors(block)) == 1:
                self._call(ENTER, number, call("GetBasicBlockTerminator", block))
        ends = {other for block in loop.body for other in successors(block)} - loop.body
        for block in sorted(ends, key=self.blocks.index):
            self._call(LEAVE, number, _first(block))

    def _call(self, called: str, number: int, before: Ref) -> None:
        call("PositionBuilderBefore", self.builder.ref, before)
        call("SetCurrentDebugLocation2", self.builder.ref, None)
        function = self.module.declared(called, self.module.void, [self.module.integer(32)])
        self.builder.call(function, [self.module.number(32, number)])

    def _outer_loops(self) -> list[_Loop]:
        """The loops that are in no other."""
        loops = list(self._loops())
        return [one for one in loops if not any(one.body < other.body for other in loops)]

    def _loops(self) -> Iterator[_Loop]:
        places = {block: place for place, block in enumerate(self.blocks)}
        for latch in self.blocks:
            end = call("GetBasicBlockTerminator", latch)
            headers = [t for t in successors(latch) if places[t] <= places[latch]]
            if headers and metadata.of_loop(end):
                body = frozenset(self._body(headers[0], latch))
                line, column = metadata.loop_place(end)
                known = LoopId(line, column) if line else NO_LOOP
                yield _Loop(known, headers[0], body)

    def _body(self, header: Ref, latch: Ref) -> set[Ref]:
        """The blocks from which the latch is reached without the header."""
        body, left = {header, latch}, [latch]
        while left:
            block = left.pop()
            new = [p for p in self.before[block] if p not in body and block != header]
            body.update(new)
            left += new
        return body


def _first(block: Ref) -> Ref:
    """What a block does first."""
    inside = llvm.children(block, "Instruction")
    return next(ref for ref in inside if opcode_of(ref) not in _AT_BEGIN)


def _must_be_last(ref: Ref | None) -> bool:
    """Whether nothing may be between an instruction and the return behind it."""
    is_call = ref is not None and opcode_of(ref) == Opcode.CALL
    return is_call and call("GetTailCallKind", ref) == _MUST_TAIL
