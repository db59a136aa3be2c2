# SPDX-License-Identifier: Apache-2.0
"""What the branches on the way to an instruction say of numbers: `if (n > 64) return;`."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.llvm.order import successors

INVERSE: dict[int, int] = {
    Predicate.EQ: Predicate.NE,
    Predicate.UGT: Predicate.ULE,
    Predicate.UGE: Predicate.ULT,
    Predicate.SGT: Predicate.SLE,
    Predicate.SGE: Predicate.SLT,
}
INVERSE |= {inverse: predicate for predicate, inverse in INVERSE.items()}


class Guards:
    """What is so wherever an instruction is reached."""

    def __init__(self, where: llvm.Ref) -> None:
        self.facts: dict[llvm.Ref, list[tuple[int, int, int]]] = {}
        """Value -> (predicate, what is added to it, the number with which it is compared)."""
        home = llvm.call("GetInstructionParent", where)
        function = llvm.call("GetBasicBlockParent", home)
        first = llvm.entry(function)
        for block, side, is_so, condition in _sides(function):
            if not _reaches(first, home, (block, side)):
                self._note(condition, is_so)

    def _note(self, condition: llvm.Ref, is_so: bool) -> None:
        opcode = llvm.opcode_of(condition)
        if opcode == Opcode.ICMP:
            self._compared(condition, is_so)
        elif (Opcode.AND if is_so else Opcode.OR) in _joined(condition):
            for part in llvm.operands(condition):
                self._note(part, is_so)

    def _compared(self, condition: llvm.Ref, is_so: bool) -> None:
        value, other = llvm.operands(condition)
        number = llvm.constant_number(other)
        if number is None:
            return
        predicate = llvm.call("GetICmpPredicate", condition)
        predicate = predicate if is_so else INVERSE[predicate]
        self.facts.setdefault(value, []).append((predicate, 0, number))
        if llvm.opcode_of(value) == Opcode.ADD:
            start, step = llvm.operands(value)
            added = llvm.constant_number(step)
            if added is not None:
                self.facts.setdefault(start, []).append((predicate, added, number))

    def greatest(self, value: llvm.Ref) -> int | None:
        """The greatest number that a value can be, taken as unsigned; None where nothing is
        known."""
        facts = self.facts.get(value, [])
        width = llvm.number_bits(llvm.type_of(value))
        found = [m for fact in facts for m in _most(fact, width)]
        plain = [(predicate, number) for predicate, added, number in facts if not added]
        if any(_is_positive(number, predicate, width) for predicate, number in plain):
            found += [m for predicate, n in plain for m in _most_signed(predicate, n, width)]
        return min(found, default=None)


def _sides(function: llvm.Ref) -> Iterator[tuple[llvm.Ref, llvm.Ref, bool, llvm.Ref]]:
    """(block, where it leads, whether that is where its condition holds, the condition)."""
    for block in llvm.children(function, "BasicBlock"):
        end, sides = llvm.call("GetBasicBlockTerminator", block), successors(block)
        if llvm.opcode_of(end) == Opcode.BRANCH and sides[0] != sides[1]:
            [condition] = llvm.operands(end)[:1]
            yield block, sides[0], True, condition
            yield block, sides[1], False, condition


def _joined(condition: llvm.Ref) -> set[int]:
    """Which of and and or a condition is; LLVM writes them as choices too."""
    opcode = llvm.opcode_of(condition)
    if opcode != Opcode.SELECT:
        return {opcode} & {Opcode.AND, Opcode.OR}
    _, yes, no = llvm.operands(condition)
    ways = ((Opcode.AND, no, 0), (Opcode.OR, yes, 1))
    return {opcode for opcode, side, number in ways if llvm.constant_number(side) == number}


def _most(fact: tuple[int, int, int], width: int) -> Iterator[int]:
    """The greatest x for which x + added, without its carry, compares so with a number."""
    predicate, added, number = fact
    end = 1 << width
    between: dict[int, tuple[int, int]] = {
        Predicate.EQ: (number, number + 1),
        Predicate.ULT: (0, number),
        Predicate.ULE: (0, number + 1),
        Predicate.UGT: (number + 1, end),
        Predicate.UGE: (number, end),
    }
    low, high = between.get(predicate, (0, 0))
    start, count = (low - added) % end, high - low
    if count > 0 and start + count <= end:
        yield start + count - 1


def _is_positive(number: int, predicate: int, width: int) -> bool:
    """Whether what compares so with a number has no sign."""
    if predicate not in (Predicate.SGT, Predicate.SGE):
        return False
    return number >> (width - 1) == 0 or (predicate == Predicate.SGT and number == (1 << width) - 1)


def _most_signed(predicate: int, number: int, width: int) -> Iterator[int]:
    if predicate in (Predicate.SLT, Predicate.SLE) and number >> (width - 1) == 0:
        yield max(0, number - (predicate == Predicate.SLT))


def _reaches(start: llvm.Ref, target: llvm.Ref, without: tuple[llvm.Ref, llvm.Ref]) -> bool:
    """Whether one block leads to another by other edges than one."""
    seen, work = {start}, [start]
    while work:
        block = work.pop()
        following = [s for s in successors(block) if (block, s) != without and s not in seen]
        seen.update(following)
        work += following
    return target in seen
