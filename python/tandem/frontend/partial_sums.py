# SPDX-License-Identifier: Apache-2.0
"""Sums that may be added in another order than the C's.

A sum of floating-point numbers waits in each iteration for the one before. Where the C leaves the
order open (`-ffast-math`, `-fassociative-math`, or a directive before the loop), the loop makes
`PARTS` sums instead, each of every so many terms, and adds them up behind it; a product likewise.
Where an iteration adds several terms one after the other there are more.
That happens here, in LLVM's IR, so that software and hardware have one order and agree in every
bit. Then all that lets LLVM change an order by itself is taken out: what it does would depend on
what it inlines.

Where only flags say so, a loop that is in another one stays: iterations of that can take turns in
it (`passes/interleave.py`), with less to do behind it. A loop qualifies that has no other loop in
it and one way out, where it is closed, and in which nobody reads the sum but what adds to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import llvmlite.binding as llvmlite

from tandem.frontend.simple_loops import Body, SimpleLoop, phis_of, ways_of
from tandem.llvm import attributes, metadata
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.builder import Builder
from tandem.llvm.edit import (
    add_incoming,
    drop_attributes,
    replace,
    set_operand,
    without_flags,
)
from tandem.llvm.module import Module, edited, opened
from tandem.llvm.opcodes import FastMath, Opcode, Predicate
from tandem.llvm.passes import Passes, run_passes
from tandem.llvm.read import DOUBLE, FLOAT, Ref, call, opcode_of, operands, type_of

PARTS, MOST_PARTS = 16, 64
"""More than an addition takes cycles, together with the memory that keeps the sums."""
NAME = "tandem.sum"
MARK = "llvm.loop.vectorize.predicate.enable"
"""What a directive has become."""
_HINTS = (MARK, "llvm.loop.vectorize.enable")
_PROGRESS = "llvm.loop.mustprogress"
_ATTRIBUTES = (
    "unsafe-fp-math",
    "no-nans-fp-math",
    "no-infs-fp-math",
    "no-signed-zeros-fp-math",
    "approx-func-fp-math",
)
NEUTRAL = {Opcode.FADD: -0.0, Opcode.FMUL: 1.0}
_SUMS = {Opcode.FADD: Opcode.FADD, Opcode.FSUB: Opcode.FADD, Opcode.FMUL: Opcode.FMUL}
_KINDS = {FLOAT: 4, DOUBLE: 8}
"""LLVMTypeKind of numbers that are added -> bytes."""


def with_partial_sums(modules: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Modules' texts in which every order is fixed, and what the values of each sum are called of
    which it is another one than the C's -> the C line of its loop."""
    found: dict[str, int] = {}
    return [_with_partial_sums(text, found) for text in modules], found


def _with_partial_sums(text: str, found: dict[str, int]) -> str:
    with opened(text) as module:
        if not _is_open(module):
            return module.text() if _take_freedom(module) else text
    return edited(_in_loops(text), lambda module: _fix(module, found)) or text


def _is_open(module: Module) -> bool:
    """Whether an order is open by what is said of an instruction."""
    defined = module.defined
    has_mark = any(MARK in metadata.loop_wishes(end) for end in llvm.terminators(defined))
    return has_mark or any(map(_flags, llvm.instructions(defined)))


def _flags(ref: Ref) -> int:
    can_have = call("CanValueUseFastMathFlags", ref)
    return call("GetFastMathFlags", ref) if can_have else 0


def _fix(module: Module, found: dict[str, int]) -> bool:
    """Splits the sums of a module, and fixes every order."""
    for function in module.defined:
        _split_sums(Body(module, function), found)
    _take_freedom(module)
    return True


def _take_freedom(module: Module) -> bool:
    """Fixes every order. What is left of the directive would have clang vectorise the loop."""
    changed = sum(map(_drop, module.functions)) > 0
    for ref in [ref for ref in llvm.instructions(module.defined) if _flags(ref)]:
        without_flags(module, ref)
        changed = True
    for end in llvm.terminators(module.defined):
        wishes = metadata.loop_wishes(end)
        if any(hint in wishes for hint in _HINTS):
            kept = metadata.loop_parts(end, but=_HINTS)
            module.set_loop(end, [*kept, module.wish(_PROGRESS)])
            changed = True
    return changed


def _drop(function: Ref) -> bool:
    has_any = any(attributes.string_attribute(function, FUNCTION_INDEX, key) for key in _ATTRIBUTES)
    drop_attributes(function, _ATTRIBUTES)
    return has_any


def _in_loops(text: str) -> str:
    """The text with variables in registers, and loops in the form that LLVM's own passes want."""
    module = llvmlite.parse_assembly(text)
    run_passes(
        module,
        Passes.add_sroa_pass,
        Passes.add_simplify_cfg_pass,
        Passes.add_loop_rotate_pass,
        Passes.add_loop_simplify_pass,
        Passes.add_lcssa_pass,
    )
    return str(module)


def _split_sums(body: Body, found: dict[str, int]) -> None:
    """Splits what can be of a function's loops. `found`: the names of the sums that were before,
    to which these are added."""
    for loop in list(body.loops()):
        end = call("GetBasicBlockTerminator", loop.latch)
        is_marked = MARK in metadata.loop_wishes(end)
        if not (is_marked or loop.is_outermost):
            continue
        for total in list(_sums(loop, is_free=is_marked)):
            name = f"{NAME}.{len(found) + 1}"
            total.split(name)
            found[name] = metadata.loop_place(end)[0]


def _sums(loop: SimpleLoop, *, is_free: bool) -> Iterator[_Sum]:
    """Those of a loop that may be split. `is_free`: whatever LLVM says of their operations."""
    for phi in phis_of(loop.header):
        ways = ways_of(phi)
        is_number = call("GetTypeKind", type_of(phi)) in _KINDS
        if is_number and {loop.before, loop.latch} <= ways.keys():
            made = _Sum(loop, phi, ways[loop.before], ways[loop.latch])
            if made.is_one(is_free):
                yield made


class _Sum:
    """A number that a loop adds to, or multiplies. `first`: what it starts with, `following`: what
    an iteration leaves to the next one."""

    def __init__(self, loop: SimpleLoop, phi: Ref, first: Ref, following: Ref) -> None:
        self.loop, self.module = loop, loop.module
        self.phi, self.kind = phi, type_of(phi)
        self.first, self.following = first, following
        self.operation: Opcode | None = None
        self.parts = PARTS
        self.values = {phi}
        self._counts = {phi: 0}

    def is_one(self, is_free: bool) -> bool:
        """Whether nothing is done to it but what another order may be made of."""
        if not self._follow_users():
            return False
        used = self.values - {self.phi}
        fits = all(self._adds(ref, is_free) for ref in used)
        if not (fits and self.operation and self.following in self.values):
            return False
        terms = self._terms(self.following)
        self.parts = min(MOST_PARTS, PARTS << (terms - 1).bit_length())
        return True

    def _follow_users(self) -> bool:
        """Finds the values that are made of it in the loop; whether what it is in the end, and that
        alone, leaves the loop, and nothing is done with it that has no result."""
        work = [self.phi]
        while work:
            value = work.pop()
            users = set(llvm.users(value)) - {self.phi}
            inside = {user for user in users if _block_of(user) in self.loop.blocks}
            leaving = users - inside
            if leaving and not (value == self.following and all(map(self._leaves, leaving))):
                return False
            if not all(map(_has_result, inside)):
                return False
            new = inside - self.values
            self.values |= new
            work += new
        return True

    def _terms(self, value: Ref) -> int:
        """How many are added one after the other to make a value of an iteration."""
        if value not in self._counts:
            before = [other for other in operands(value) if other in self.values - {value}]
            is_sum = opcode_of(value) not in (Opcode.PHI, Opcode.SELECT)
            self._counts[value] = is_sum + max(self._terms(other) for other in before)
        return self._counts[value]

    def _leaves(self, user: Ref) -> bool:
        return _block_of(user) == self.loop.behind and opcode_of(user) == Opcode.PHI

    def _adds(self, ref: Ref, is_free: bool) -> bool:
        """Whether an instruction adds to it, or hands on one or the other such value."""
        opcode, given = opcode_of(ref), operands(ref)
        own = [value in self.values for value in given]
        if opcode in _SUMS:
            allowed = [[True, False], *([[False, True]] if opcode != Opcode.FSUB else [])]
            return own in allowed and self._is_allowed(_SUMS[Opcode(opcode)], ref, is_free)
        if _is_multiply_add(ref):
            is_last = own[:3] == [False, False, True]
            return is_last and self._is_allowed(Opcode.FADD, ref, is_free)
        if opcode == Opcode.SELECT:
            return own == [False, True, True]
        return opcode == Opcode.PHI and all(own)

    def _is_allowed(self, operation: Opcode, ref: Ref, is_free: bool) -> bool:
        """Whether its order is open, and all that is done is of one kind."""
        self.operation = self.operation or operation
        is_open = is_free or bool(_flags(ref) & FastMath.REASSOC)
        return is_open and self.operation == operation

    def split(self, name: str) -> None:
        """Makes several of it: one an iteration, in turn. `name`: what its values are called."""
        self.name, self.make = name, Builder(self.module)
        self.place = metadata.debug_location(call("GetBasicBlockTerminator", self.loop.latch))
        self.array = self.module.array(self.kind, self.parts)
        self.memory = self._memory()
        turn = self._before(self.phi).phi(self.module.integer(64), f"{name}.turn")
        place = self._hand_out(turn)
        turns = self._take_back(turn, place)
        add_incoming(turn, self._number(0), self.loop.before)
        add_incoming(turn, turns, self.loop.latch)
        self._add_up(turns)

    def _memory(self) -> Ref:
        called = "".join(takewhile(_is_of_word, llvm.name(self.phi))) or "sum"
        entry = call("GetFirstInstruction", self.loop.body.entry)
        make = self._before(entry, with_line=False)
        made = make.local(self.array, f"{called}_parts{self.name.rpartition('.')[2]}")
        call("SetAlignment", made, 16)
        return made

    def _hand_out(self, turn: Ref) -> Ref:
        """Puts the part whose turn it is in the sum's place; where that is kept."""
        named = self.name
        first = next(
            ref
            for ref in llvm.children(self.loop.header, "Instruction")
            if opcode_of(ref) != Opcode.PHI
        )
        make = self._before(first)
        at = make.binary(Opcode.AND, turn, self._number(self.parts - 1), f"{named}.at")
        place = make.address(self.array, self.memory, [self._number(0), at], f"{named}.place")
        old = self._load(place, f"{named}.old")
        is_new = make.compare(Predicate.ULT, turn, self._number(self.parts), f"{named}.is_new")
        own = make.choose(is_new, self._neutral(), old)
        replace(self.phi, own)
        if self.following == self.phi:
            self.following = own
        return place

    def _take_back(self, turn: Ref, place: Ref) -> Ref:
        """Keeps the part, and passes the turn on."""
        make = self._before(call("GetBasicBlockTerminator", self.loop.latch))
        call("SetAlignment", make.store(self.following, place), self._bytes())
        turns = make.binary(Opcode.ADD, turn, self._number(1), f"{self.name}.turns")
        call("SetNSW", turns, 1)
        call("SetNUW", turns, 1)
        return turns

    def _add_up(self, turns: Ref) -> None:
        """Behind the loop: as many of them as there are, in pairs."""
        self._before(call("GetBasicBlockTerminator", self.loop.end))
        level = [self._term(turns, i) for i in range(self.parts)]
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=True)
            named = f"{self.name}.{len(level)}"
            level = [self._add(*pair, f"{named}.{i}") for i, pair in enumerate(pairs)]
        total = self._add(self.first, level[0], f"{self.name}.all")
        for phi in list(phis_of(self.loop.behind)):
            for i, value in enumerate(operands(phi)):
                if value == self.following:
                    set_operand(phi, i, total)

    def _term(self, turns: Ref, i: int) -> Ref:
        make, named = self.make, self.name
        places = [self._number(0), self._number(i)]
        place = make.address(self.array, self.memory, places, f"{named}.place{i}")
        part = self._load(place, f"{named}.part{i}")
        is_there = make.compare(Predicate.UGT, turns, self._number(i), f"{named}.is{i}")
        return make.choose(is_there, part, self._neutral(), f"{named}.term{i}")

    def _add(self, one: Ref, other: Ref, named: str) -> Ref:
        assert self.operation is not None
        return self.make.binary(self.operation, one, other, named)

    def _load(self, place: Ref, named: str) -> Ref:
        made = self.make.load(self.kind, place, named)
        call("SetAlignment", made, self._bytes())
        return made

    def _before(self, ref: Ref, with_line: bool = True) -> Builder:
        self.make.before(ref)
        call("SetCurrentDebugLocation2", self.make.ref, self.place if with_line else None)
        return self.make

    def _neutral(self) -> Ref:
        assert self.operation is not None
        return call("ConstReal", self.kind, NEUTRAL[self.operation])

    def _number(self, value: int) -> Ref:
        return self.module.number(64, value)

    def _bytes(self) -> int:
        return _KINDS[call("GetTypeKind", self.kind)]


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _block_of(ref: Ref) -> Ref:
    return call("GetInstructionParent", ref)


def _has_result(ref: Ref) -> bool:
    return call("GetTypeKind", type_of(ref)) != llvm.TYPE_VOID


def _is_multiply_add(ref: Ref) -> bool:
    return llvm.name_called(ref).startswith("llvm.fmuladd.f")
