# SPDX-License-Identifier: Apache-2.0
"""What the branches on the way to an instruction say of numbers: `if (n > 64) return;`."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.llvm import read as llvm
from tandem.llvm.order import successors

BRANCHES = (2, 71)
ADD, AND, OR, ICMP, SELECT = 8, 23, 24, 42, 46
INVERSE = {32: 33, 34: 37, 35: 36, 38: 41, 39: 40}
INVERSE |= {inverse: predicate for predicate, inverse in INVERSE.items()}
EQ, UGT, UGE, ULT, ULE, SGT, SGE, SLT, SLE = 32, 34, 35, 36, 37, 38, 39, 40, 41


class Guards:
    """What is so wherever an instruction is reached."""

    def __init__(self, where: llvm.Ref) -> None:
        self.facts: dict[llvm.Ref, list[tuple[int, int, int]]] = {}
        """Value -> (predicate, what is added to it, the number with which it is compared)."""
        home = llvm.call("GetInstructionParent", where)
        first = llvm.entry(llvm.call("GetBasicBlockParent", home))
        for block in llvm.children(llvm.call("GetBasicBlockParent", home), "BasicBlock"):
            end = llvm.call("GetBasicBlockTerminator", block)
            sides = successors(block)
            if llvm.opcode_of(end) in BRANCHES and len(sides) == 2 and sides[0] != sides[1]:
                for taken in (True, False):
                    edge = (block, sides[0 if taken else 1])
                    if not _reaches(first, home, edge):
                        self._note(llvm.operands(end)[0], taken)

    def _note(self, condition: llvm.Ref, is_so: bool) -> None:
        opcode = llvm.opcode_of(condition)
        if opcode == ICMP:
            self._compared(condition, is_so)
        elif (AND if is_so else OR) in _joined(condition):
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
        if llvm.opcode_of(value) == ADD:
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
        if any(
            predicate in (SGT, SGE) and not added and _is_positive(number, predicate, width)
            for predicate, added, number in facts
        ):
            found += [m for p, added, n in facts if not added for m in _most_signed(p, n, width)]
        return min(found, default=None)


def _joined(condition: llvm.Ref) -> set[int]:
    """Which of and and or a condition is; LLVM writes them as choices too."""
    opcode = llvm.opcode_of(condition)
    if opcode != SELECT:
        return {opcode} & {AND, OR}
    _, yes, no = llvm.operands(condition)
    found = {AND} if llvm.constant_number(no) == 0 else set[int]()
    return found | ({OR} if llvm.constant_number(yes) == 1 else set[int]())


def _most(fact: tuple[int, int, int], width: int) -> Iterator[int]:
    """The greatest x for which x + added, without its carry, compares so with a number."""
    predicate, added, number = fact
    end = 1 << width
    low, high = {
        EQ: (number, number + 1),
        ULT: (0, number),
        ULE: (0, number + 1),
        UGT: (number + 1, end),
        UGE: (number, end),
    }.get(predicate, (0, 0))
    start, count = (low - added) % end, high - low
    if count > 0 and start + count <= end:
        yield start + count - 1


def _is_positive(number: int, predicate: int, width: int) -> bool:
    return number >> (width - 1) == 0 or (predicate == SGT and number == (1 << width) - 1)


def _most_signed(predicate: int, number: int, width: int) -> Iterator[int]:
    if predicate in (SLT, SLE) and number >> (width - 1) == 0:
        yield max(0, number - (predicate == SLT))


def _reaches(start: llvm.Ref, target: llvm.Ref, without: tuple[llvm.Ref, llvm.Ref]) -> bool:
    """Whether one block leads to another by other edges than one."""
    seen, work = {start}, [start]
    while work:
        block = work.pop()
        following = [s for s in successors(block) if (block, s) != without and s not in seen]
        seen.update(following)
        work += following
    return target in seen
