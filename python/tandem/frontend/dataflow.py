# SPDX-License-Identifier: Apache-2.0
"""Loops whose calls run beside each other, each with the arrays of another iteration:
`#pragma tandem dataflow`.

    for (n = 0; n < frames; n++) {      round 0:  load(0)
        int a[64], b[64];               round 1:  load(1)  filter(0)
        load(in, n, a);                 round 2:  load(2)  filter(1)  save(0)
        filter(a, b);                   round 3:           filter(2)  save(1)
        save(b, n, out);                round 4:                      save(2)
    }

Every call is a process. A round starts those that have something to do, and ends when all of them
have returned. A call that uses an array of an earlier one's runs a round later; of such an array
there are as many as there are rounds from its first call to its last, one more: they take turns.
What a call is given waits as many rounds as the call does.

The loop is LLVM IR when it becomes one of rounds: a header that tests, and a body that calls.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import llvmlite.binding as llvmlite

from tandem.diagnostics import Place
from tandem.frontend.dataflow_loop import DataflowLoop
from tandem.frontend.directives.directive import DATAFLOW_II
from tandem.frontend.processes import JOIN, STARTED, STARTING
from tandem.llvm import metadata
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.builder import Builder
from tandem.llvm.edit import add_attribute, add_incoming, erase, set_operand, with_ways
from tandem.llvm.module import Module, number_of, opened
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.llvm.order import successors
from tandem.llvm.passes import Passes, rewritten, run_passes
from tandem.llvm.read import Ref, call, opcode_of, operands, type_of

TURNS = ".turns"
"""What is behind the name of an array that calls of several iterations use in turns."""

_WISH = "llvm.loop.pipeline.initiationinterval"


def in_turns(name: str) -> bool:
    """Whether a variable is an array of which every iteration has another one."""
    return TURNS in name


def has_dataflow(module: llvmlite.ModuleRef, names: Collection[str]) -> bool:
    """Whether some functions have loops that a directive wants so."""
    with opened(str(module)) as found:
        functions = [f for f in found.defined if llvm.name(f) in names]
        return any(_latch(function) for function in functions)


def with_rounds(
    module: llvmlite.ModuleRef, names: Collection[str], files: Sequence[str]
) -> llvmlite.ModuleRef:
    """The module in which the loops of some functions that a directive wants so are rounds, with
    every call marked as the start of a process. Raises UserError for a loop that cannot be."""
    run_passes(
        module,
        Passes.add_sroa_pass,
        Passes.add_instruction_combine_pass,
        Passes.add_simplify_cfg_pass,
        Passes.add_instruction_namer_pass,
    )
    return rewritten(module, lambda module: _make_rounds(module, names, files))


def _make_rounds(module: Module, names: Collection[str], files: Sequence[str]) -> bool:
    numbers = iter(range(len(names) << 16))
    for function in [f for f in module.defined if llvm.name(f) in names]:
        while (latch := _latch(function)) is not None:
            place = metadata.definition_place(function) or Place(files[0])
            loop = DataflowLoop(function, latch, place)
            _Rounds(module, loop, f"flow{next(numbers)}").make()
    return True


def _latch(function: Ref) -> Ref | None:
    """The branch with which a loop of a function goes back that a directive wants so."""
    wanted = (ref for ref in llvm.terminators([function]) if _is_wanted(ref))
    return next(wanted, None)


def _is_wanted(ref: Ref) -> bool:
    if opcode_of(ref) not in (Opcode.JUMP, Opcode.BRANCH):
        return False
    return metadata.metadata_number(ref, metadata.kind_of("llvm.loop"), _WISH) == DATAFLOW_II


class _Rounds:
    """The loop of rounds that one becomes."""

    def __init__(self, module: Module, loop: DataflowLoop, prefix: str) -> None:
        self.module, self.loop, self.prefix = module, loop, prefix

    def make(self) -> None:
        """Makes the loop one of rounds."""
        self.make_ = Builder(self.module)
        self.condition, outside = self._goes_on()
        self.round = self.module.block_before(self.loop.body, self._named("round"))
        names = [
            "merge",
            *(w for s in range(1, self.loop.last + 1) for w in (f"test{s}", f"start{s}")),
        ]
        self.parts = {n: self.module.block_before(outside, self._named(n)) for n in [*names, "end"]}
        self._at(self.round).branch(self.condition, self.loop.body, self.parts["merge"])
        self.turns = {count: self._phi(self._number(0), f"turn{count}") for count in self._counts()}
        self.now = self._take_turns()
        self._tell_tests()
        self.held = self._hold()
        self._merge_carried()
        self._start_all()
        self._test_all(outside)
        self._end()

    def _goes_on(self) -> tuple[Ref, Ref]:
        """The condition on which the body runs, and where the loop leads to."""
        [condition] = operands(self.loop.branch)[:1]
        yes, no = successors(self.loop.header)
        if yes == self.loop.body:
            return condition, no
        truth = number_of(type_of(condition), 1)
        make = self.make_.before(self.loop.branch)
        return make.binary(Opcode.XOR, condition, truth, self._named("goes")), yes

    def _named(self, what: str) -> str:
        return f"{self.prefix}.{what}"

    def _at(self, block: Ref) -> Builder:
        """Makes what comes at the end of a block."""
        return self.make_.at_end(block, self.loop.line)

    def _number(self, value: int) -> Ref:
        return self.module.number(64, value)

    def _phi(self, first: Ref, what: str) -> Ref:
        """What is `first` before the first round; for each later one `_then` tells."""
        start = call("GetFirstInstruction", self.loop.header)
        made = self.make_.before(start).phi(type_of(first), self._named(what))
        for block in self.loop.before:
            add_incoming(made, first, block)
        return made

    def _then(self, phi: Ref, value: Ref) -> None:
        add_incoming(phi, value, self.parts["end"])

    def _counts(self) -> list[int]:
        return sorted({count for count in self.loop.copies.values() if count > 1})

    def _take_turns(self) -> dict[Ref, Ref]:
        """Of each array that takes turns the one of this iteration."""
        found = {}
        for array, count in self.loop.copies.items():
            if count < 2:
                continue
            kind, name = call("GetAllocatedType", array), llvm.name(array)
            many = self.make_.before(array).local(self.module.array(kind, count), f"{name}{TURNS}")
            call("SetAlignment", many, call("GetAlignment", array))
            first = self._first_of_body()
            turn = self.turns[count]
            own = self.make_.before(first).address(kind, many, [turn], f"{name}.now")
            for ref in self.loop.pure:
                _lead(ref, array, own)
            found[array] = own
            self._use_first(array, many)
        return found

    def _first_of_body(self) -> Ref:
        return next(r for r in self.loop.in_body() if opcode_of(r) != Opcode.PHI)

    def _use_first(self, array: Ref, many: Ref) -> None:
        """Leads what else names an array, but the calls, to the first of those in its place."""
        calls = {one.ref for one in self.loop.calls}
        for user in set(llvm.users(array)) - calls:
            _lead(user, array, many)

    def _tell_tests(self) -> None:
        """Whether the calls of each stage have something to do."""
        no = number_of(type_of(self.condition), 0)
        self.tests = [self._phi(no, f"on{stage}") for stage in range(1, self.loop.last + 1)]
        for test, earlier in zip(self.tests, [self.condition, *self.tests], strict=False):
            self._then(test, earlier)

    def _hold(self) -> dict[tuple[Ref, int], Ref]:
        """Values as they were some rounds before."""
        held: dict[tuple[Ref, int], Ref] = {}
        for value, rounds in self.loop.delayed.items():
            nothing = call("GetPoison", type_of(value))
            held[value, 0] = self.now.get(value, value)
            younger = held[value, 0]
            if rounds and value not in self.loop.in_header:
                younger = self._merged(held[value, 0], nothing, f"{llvm.name(value)}.0")
            for age in range(1, rounds + 1):
                held[value, age] = self._phi(nothing, f"{llvm.name(value)}.{age}")
                self._then(held[value, age], younger)
                younger = held[value, age]
        return held

    def _merged(self, with_body: Ref, without: Ref, what: str) -> Ref:
        """What is known behind the body, or where it had nothing to do."""
        first = call("GetFirstInstruction", self.parts["merge"])
        merge = self.parts["merge"]
        make = self.make_.before(first) if first else self._at(merge)
        made = make.phi(type_of(with_body), self._named(what))
        add_incoming(made, with_body, self.loop.body)
        add_incoming(made, without, self.round)
        return made

    def _merge_carried(self) -> None:
        """What the loop hands on from one iteration to the next."""
        for phi in [r for r in self.loop.in_header if opcode_of(r) == Opcode.PHI]:
            ways = llvm.incoming_blocks(phi)
            if self.loop.body not in ways:
                continue
            place, name = ways.index(self.loop.body), llvm.name(phi)
            following = operands(phi)[place]
            made = self._merged(following, phi, f"{name}.next")
            other = with_ways(self.module, phi, {self.loop.body: self.parts["end"]})
            set_operand(other, place, made)
            self._exchange(phi, other)

    def _exchange(self, value: Ref, other: Ref) -> None:
        """Keeps in mind that a value is another one now."""
        if self.condition == value:
            self.condition = other
        self.held |= {(other, age): v for (v0, age), v in self.held.items() if v0 == value}
        self.held |= {key: other for key, v in self.held.items() if v == value}

    def _start_all(self) -> None:
        """Marks every call as a start, with what it is given as old as it is."""
        given = {one.ref: operands(one.ref) for one in self.loop.calls}
        for one in self.loop.calls:
            if one.stage:
                call("InstructionRemoveFromParent", one.ref)
                self._at(self.parts[f"start{one.stage}"])
                call("InsertIntoBuilderWithName", self.make_.ref, one.ref, b"")
            self._mark(one.ref)
            for i, value in enumerate(given[one.ref]):
                if (value, one.stage) in self.held:
                    set_operand(one.ref, i, self.held[value, one.stage])
        for ref in [
            r for r in self.loop.in_body() if llvm.name_called(r).startswith("llvm.lifetime.")
        ]:
            erase(ref)
        erase(self.loop.latch)
        self._at(self.loop.body).jump(self.parts["merge"])

    def _mark(self, ref: Ref) -> None:
        block, following = call("GetInstructionParent", ref), call("GetNextInstruction", ref)
        self.make_.before(ref).call(self._told(STARTING), [])
        (self.make_.before(following) if following else self._at(block)).call(
            self._told(STARTED), []
        )

    def _told(self, name: str) -> Ref:
        """A function of the header that is not there yet where only a directive asks for rounds."""
        if (found := self.module.function(name)) is not None:
            return found
        made = self.module.declared(name, self.module.void)
        for word in ("noduplicate", "nounwind"):
            add_attribute(made, FUNCTION_INDEX, self.module.enum_attribute(word))
        return made

    def _test_all(self, outside: Ref) -> None:
        some = self.condition
        for stage, test in enumerate(self.tests, 1):
            following = self.parts.get(f"test{stage + 1}", self.parts["end"])
            start = self.parts[f"start{stage}"]
            self._at(self.parts[f"test{stage}"]).branch(test, start, following)
            self._at(start).jump(following)
            make = self.make_.before(self.loop.branch)
            some = make.binary(Opcode.OR, some, test, self._named(f"some{stage}"))
        self._at(self.parts["merge"]).jump(self.parts.get("test1", self.parts["end"]))
        self.make_.before(self.loop.branch).branch(some, self.round, outside)
        erase(self.loop.branch)

    def _end(self) -> None:
        """The end of a round: whose turn it is next, and that all have returned."""
        make = self._at(self.parts["end"])
        for count, turn in self.turns.items():
            is_last = make.compare(Predicate.EQ, turn, self._number(count - 1))
            other = make.binary(Opcode.ADD, turn, self._number(1))
            call("SetNSW", other, 1)
            call("SetNUW", other, 1)
            name = self._named(f"turned{count}")
            self._then(turn, make.choose(is_last, self._number(0), other, name))
        make.call(self._told(JOIN), [])
        make.jump(self.loop.header)


def _lead(user: Ref, value: Ref, other: Ref) -> None:
    """Gives an instruction another value in place of one."""
    for i, operand in enumerate(operands(user)):
        if operand == value:
            set_operand(user, i, other)
