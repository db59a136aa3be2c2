# SPDX-License-Identifier: Apache-2.0
"""The loop of a dataflow directive as it is written: its calls, the arrays that they hand on, and
for how long what each is given has to be kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tandem.diagnostics import Place, UserError, user_error
from tandem.llvm import metadata
from tandem.llvm import read as llvm
from tandem.llvm.opcodes import BINARY, CASTS, Opcode
from tandem.llvm.order import successors
from tandem.llvm.read import Ref, call, opcode_of, operands

_PURE = BINARY | CASTS | {Opcode.ICMP, Opcode.FCMP, Opcode.SELECT, Opcode.FREEZE, Opcode.ADDRESS}
_PURE |= {Opcode.FNEG}
_PURE_CALLS = ("llvm.umin.", "llvm.umax.", "llvm.smin.", "llvm.smax.", "llvm.abs.")
_FORM = "a `for` loop whose body is calls of functions, and declarations of the arrays they share"


@dataclass
class DataflowCall:
    """`arrays`: those of an iteration's that it reaches; `stage`: how many rounds after the first
    call of its iteration it runs."""

    ref: Ref
    arrays: set[Ref]
    stage: int = 0


class DataflowLoop:
    """A loop whose body is calls. Raises UserError for one that is not."""

    def __init__(self, function: Ref, latch: Ref, place: Place) -> None:
        self.function, self.latch, self.place = function, latch, place
        self.line = metadata.debug_location(latch)
        self.blocks = list(llvm.children(function, "BasicBlock"))
        self.place = self._place_of(latch)
        self.header, self.body = self._shape()
        self.branch = call("GetBasicBlockTerminator", self.header)
        self.before = [b for b in self._leading_to(self.header) if b != self.body]
        self.in_header = set(llvm.children(self.header, "Instruction"))
        self.arrays = self._arrays()
        self.calls, self.pure = self._split()
        self._check_arrays()
        self.copies = {array: self._copies(array) for array in self.arrays}
        self.delayed = self._delays()
        self.last = max(call.stage for call in self.calls)

    def _leading_to(self, block: Ref) -> list[Ref]:
        return [other for other in self.blocks if block in successors(other)]

    def _shape(self) -> tuple[Ref, Ref]:
        """(header, body). Raises UserError for a loop of another shape."""
        body = call("GetInstructionParent", self.latch)
        [header, *others] = successors(body)
        end = call("GetBasicBlockTerminator", header)
        is_one = not others and opcode_of(end) == Opcode.BRANCH and header != body
        if not is_one or self._leading_to(body) != [header]:
            raise self._refused("it has branches, or tests at its end", self.latch)
        for ref in llvm.children(header, "Instruction"):
            if not (opcode_of(ref) == Opcode.PHI or _is_pure(ref) or ref == end):
                raise self._refused("whether it goes on is read from memory, or called", ref)
        return header, body

    def _arrays(self) -> set[Ref]:
        """The arrays that begin to live in the body."""
        begun = [r for r in self.in_body() if llvm.name_called(r).startswith("llvm.lifetime.start")]
        return {ref for made in begun for ref in operands(made) if opcode_of(ref) == Opcode.ALLOCA}

    def in_body(self) -> Iterator[Ref]:
        """The body's instructions."""
        return llvm.children(self.body, "Instruction")

    def _split(self) -> tuple[list[DataflowCall], list[Ref]]:
        """The body's calls, and what it computes beside them."""
        calls: list[DataflowCall] = []
        pure: list[Ref] = []
        reaches: dict[Ref, set[Ref]] = {array: {array} for array in self.arrays}
        for ref in self.in_body():
            if ref == self.latch or llvm.name_called(ref).startswith("llvm.lifetime."):
                continue
            used = set[Ref]().union(*(reaches.get(value, set()) for value in operands(ref)))
            if _is_pure(ref):
                pure.append(ref)
                reaches[ref] = used
                continue
            if not llvm.name_called(ref) or llvm.name_called(ref).startswith("llvm."):
                raise self._refused("its body does more than call", ref)
            calls.append(DataflowCall(ref, used))
        for one in calls:
            homes = [call("GetInstructionParent", user) for user in llvm.users(one.ref)]
            if self.body in homes or self.header in homes:
                raise self._refused("what a call returns is used", one.ref)
        if len(calls) < 2:
            raise self._refused("it has one call only", self.latch)
        for i, one in enumerate(calls):
            before = [other.stage + 1 for other in calls[:i] if other.arrays & one.arrays]
            one.stage = max(before, default=0)
        return calls, pure

    def _check_arrays(self) -> None:
        """Raises UserError for an array of the function's that several calls use, and that lives on
        from one iteration to the next."""
        for ref in llvm.instructions([self.function]):
            users = [one for one in self.calls if ref in operands(one.ref)]
            if opcode_of(ref) == Opcode.ALLOCA and ref not in self.arrays and len(users) > 1:
                why = f"`{llvm.name(ref)}` is declared outside of it"
                raise self._refused(why, users[1].ref)

    def _copies(self, array: Ref) -> int:
        stages = [one.stage for one in self.calls if array in one.arrays]
        return max(stages, default=0) - min(stages, default=0) + 1

    def _delays(self) -> dict[Ref, int]:
        """How many rounds each value has to wait at most that a call is given, and that is another
        one in every iteration."""
        found: dict[Ref, int] = {}
        for one in self.calls:
            for value in operands(one.ref):
                is_made = value in self.pure or value in self.in_header
                if is_made or self.copies.get(value, 1) > 1:
                    found[value] = max(one.stage, found.get(value, 0))
        return found

    def _place_of(self, ref: Ref) -> Place:
        return metadata.place_of(ref, self.place)

    def _refused(self, why: str, ref: Ref) -> UserError:
        return user_error(
            "dataflow",
            f"the loop cannot be one of calls that run beside each other: {why}",
            self._place_of(ref),
            f"`dataflow` is for {_FORM}",
        )


def _is_pure(ref: Ref) -> bool:
    """Whether an instruction only computes."""
    return opcode_of(ref) in _PURE or llvm.name_called(ref).startswith(_PURE_CALLS)
