# SPDX-License-Identifier: Apache-2.0
"""A long function of LLVM IR as many short ones.

CIRCT's model of a kernel is one function, however large the kernel: LLVM's passes look through all
of a block for each of its instructions, so that clang takes minutes for what it does in seconds in
parts. A part is a run of instructions that control enters at its first and leaves at its last; in
its place it is called. What one part computes and another one uses goes through memory.

Requires: control only goes forward, as in what CIRCT writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.binding import Ref, call
from tandem.llvm.builder import Builder
from tandem.llvm.edit import (
    add_attribute,
    make_internal,
    move_block,
    move_instructions,
    redirect,
    set_operand,
)
from tandem.llvm.module import Module, edited
from tandem.llvm.opcodes import Opcode
from tandem.llvm.order import successors
from tandem.llvm.read import (
    VALUE_ARGUMENT,
    called,
    children,
    constant_number,
    first_instruction,
    function_of,
    instructions,
    opcode_of,
    operands,
    parameters,
    type_of,
    users,
)
from tandem.llvm.sizes import size_and_alignment

MOST_LINES = 4_000
"""A module of fewer stays whole."""
PART_LINES = 500
"""Instructions and beginnings of blocks."""
BESIDE = (Opcode.PHI, Opcode.EXTRACT_VALUE)
"""No part begins with these: what a call gives that gives several values stays beside it."""


def in_parts(llvm_ir: str, name: str) -> str:
    """A module in which a function of one pointer is several, if it is long."""
    if llvm_ir.count("\n") < MOST_LINES:
        return llvm_ir
    return edited(llvm_ir, lambda module: _make_parts(module, name)) or llvm_ir


def _make_parts(module: Module, name: str) -> bool:
    function = module.function(name)
    parts = _cut(function) if function else []
    if function and parts:
        _Whole(module, name, function, parts).take_parts()
    return bool(parts)


@dataclass(eq=False)
class _Part:
    """A run of instructions. `first`: the block that it begins in; `following`: the instruction
    behind it."""

    first: Ref
    following: Ref
    own: list[Ref] = field(default_factory=list)
    """Its instructions in the block that it begins in."""
    blocks: list[Ref] = field(default_factory=list)
    """Those that begin in it. It ends in the last of them."""
    ending: list[Ref] = field(default_factory=list)
    """Its instructions in that one."""
    call: Ref = 0
    """What calls it."""
    end: Ref = 0
    """Where it returns."""


def _cut(function: Ref) -> list[_Part]:
    """The parts. Between two places that as many ways lead past, control comes in at the first and
    out at the last."""
    blocks = [*children(function, "BasicBlock")]
    begun: dict[frozenset[Ref], tuple[int, Ref, int]] = {}
    parts: list[_Part] = []
    for place, ref, number, ahead in _places(blocks):
        start, first, block = begun.setdefault(ahead, (place, ref, number))
        if place - start >= PART_LINES:
            parts.append(_part(first, ref, blocks[block : number + 1]))
            begun = {ahead: (place, ref, number)}
    return parts


def _places(blocks: Iterable[Ref]) -> Iterator[tuple[int, Ref, int, frozenset[Ref]]]:
    """Where a part may begin: how far that is, the instruction, the number of its block, and the
    blocks ahead that ways lead to from what is before."""
    place, ahead = 0, frozenset[Ref]()
    for number, block in enumerate(blocks):
        ahead -= {block}
        for ref in children(block, "Instruction"):
            if opcode_of(ref) not in BESIDE:
                yield place, ref, number, ahead
            place += 1
        ahead |= frozenset(successors(block))
        place += 1


def _part(first: Ref, following: Ref, blocks: list[Ref]) -> _Part:
    part = _Part(blocks[0], following, [*_until(first, following)], blocks[1:])
    if part.blocks:
        beginning = call("GetFirstInstruction", part.blocks[-1])
        part.ending += _until(beginning, following)
    return part


def _until(ref: Ref | None, following: Ref) -> Iterator[Ref]:
    """Instructions up to another one, or up to the end of their block."""
    while ref and ref != following:
        yield ref
        ref = call("GetNextInstruction", ref)


class _Whole:
    """A function while parts are taken out of it, which it calls."""

    def __init__(self, module: Module, name: str, function: Ref, parts: list[_Part]) -> None:
        self.module, self.name, self.function, self.parts = module, name, function, parts
        self.make = Builder(module)
        self.owners = {ref: part for part in parts for ref in _instructions(part)}
        """The part that an instruction is of; the others are of none."""
        self.crossing = [ref for ref in instructions([function]) if self._others(ref)]
        """What one part computes and another one uses."""
        self.offsets, size = _layout([ref for ref in self.crossing if not _is_place(ref)])
        self.make.before(first_instruction(function))
        between = self.make.local(module.array(module.integer(8), size), "between")
        call("SetAlignment", between, 16)
        self.given = [*parameters(function), between]
        """The state, and what is between the parts."""

    def take_parts(self) -> None:
        others = {ref: self._others(ref) for ref in self.crossing}
        for number, part in enumerate(self.parts):
            self._take(part, f"{self.name}_{number}")
        for ref, its in others.items():
            self._leave(ref)
            for part, some in its.items():
                self._bring(ref, part, some)
        for given, index in zip(self.given, range(2), strict=True):
            for user in [*users(given)]:
                inside = function_of(user)
                if inside != self.function:
                    _exchange(user, given, parameters(inside)[index])

    def _others(self, ref: Ref) -> dict[_Part | None, list[Ref]]:
        """What uses a value elsewhere than in its own part, by the parts that it is of."""
        own, found = self.owners.get(ref), dict[_Part | None, list[Ref]]()
        for user in users(ref):
            if self.owners.get(user) != own:
                found.setdefault(self.owners.get(user), []).append(user)
        return found

    def _take(self, part: _Part, name: str) -> None:
        """Moves a part into a function, and calls it in its place."""
        function = self._declared(name)
        if part.blocks:
            self._move_blocks(part, function)
        else:
            move_instructions(self.make, part.own, self.module.block(function))
            self.make.before(part.following)
            part.call = self.make.call(function, self.given)
        part.end = self.make.at_end(call("GetLastBasicBlock", function)).ret()

    def _declared(self, name: str) -> Ref:
        pointer = self.module.pointer
        function = self.module.declared(name, self.module.void, [pointer, pointer])
        make_internal(function)
        add_attribute(function, FUNCTION_INDEX, self.module.enum_attribute("noinline"))
        add_attribute(function, 2, self.module.enum_attribute("noalias"))
        return function

    def _move_blocks(self, part: _Part, function: Ref) -> None:
        """Moves the end of the block that a part begins in, all that are in it, and the beginning
        of the one that it ends in. Those at both ends lead to where they have led to."""
        *whole, last = part.blocks
        before = self.module.block_before(part.first)
        head = [*_until(call("GetFirstInstruction", part.first), part.own[0])]
        move_instructions(self.make, head, before)
        redirect(part.first, before)
        for block in (part.first, *whole):
            move_block(block, function)
        ending = self.module.block(function)
        move_instructions(self.make, part.ending, ending)
        redirect(last, ending)
        part.call = self.make.at_end(before).call(function, self.given)
        self.make.jump(last)

    def _leave(self, ref: Ref) -> None:
        """Leaves a value to others, where its part ends, or at once if it is of none."""
        if _is_place(ref):
            return
        part = self.owners.get(ref)
        self.make.before(part.end if part else _behind(ref))
        self.make.store(ref, self._slot(ref))

    def _bring(self, ref: Ref, part: _Part | None, its: list[Ref]) -> None:
        """Gets a value for its users in a part, where that begins; for the others, where the
        value's part has been called."""
        own = self.owners.get(ref)
        if part:
            self.make.before(first_instruction(called(part.call) or 0))
        elif own:
            self.make.before(call("GetNextInstruction", own.call))
        is_place = _is_place(ref)
        got = self.make.copy(ref) if is_place else self.make.load(type_of(ref), self._slot(ref))
        for user in its:
            _exchange(user, ref, got)

    def _slot(self, ref: Ref) -> Ref:
        """Where a value is between the parts."""
        offset = self.module.number(32, self.offsets[ref])
        return self.make.address(self.module.integer(8), self.given[1], [offset])


def _instructions(part: _Part) -> Iterator[Ref]:
    yield from part.own
    for block in part.blocks[:-1]:
        yield from children(block, "Instruction")
    yield from part.ending


def _is_place(ref: Ref) -> bool:
    """Whether a value is a place in the state, which is computed where it is used."""
    if opcode_of(ref) != Opcode.ADDRESS:
        return False
    base, *indices = operands(ref)
    return call("GetValueKind", base) == VALUE_ARGUMENT and all(
        constant_number(index) is not None for index in indices
    )


def _behind(ref: Ref) -> Ref:
    """The first instruction behind one that does not have to stay beside others."""
    following = call("GetNextInstruction", ref)
    while opcode_of(following) in BESIDE:
        following = call("GetNextInstruction", following)
    return following


def _exchange(user: Ref, value: Ref, other: Ref) -> None:
    for index, operand in enumerate(operands(user)):
        if operand == value:
            set_operand(user, index, other)


def _layout(values: Iterable[Ref]) -> tuple[dict[Ref, int], int]:
    """Where each value is between the parts, the largest first, and how many bytes all take."""
    offsets: dict[Ref, int] = {}
    end = 0
    sizes = {value: size_and_alignment(type_of(value))[0] for value in values}
    for value, size in sorted(sizes.items(), key=lambda one: -one[1]):
        offsets[value] = end
        end += size
    return offsets, max(end, 1)
