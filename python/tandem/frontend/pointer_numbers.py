# SPDX-License-Identifier: Apache-2.0
"""Pointers that the C or LLVM takes for numbers, and computes with.

Where all that is made of them are distances and pointers again, hardware may have other numbers for
them than the host; else it needs the host's (host_addresses.py). What is made of pointers by adding
and subtracting has a degree: how many of them it counts in all. Of degree 0 it is a distance, and a
number like any other; of degree 1 it is a pointer again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tandem.llvm import read as llvm
from tandem.llvm.opcodes import Opcode

CHOICES: dict[int, int] = {Opcode.TRUNC: 0, Opcode.PHI: 0, Opcode.SELECT: 1, Opcode.FREEZE: 0}
"""What hands on one of its operands, and the first that may be handed on. A distance that is
shortened is made of shortened addresses."""
EXTREMES = ("llvm.umax.", "llvm.umin.", "llvm.smax.", "llvm.smin.")


def is_distance_or_pointer(number: llvm.Ref, holds_pointers: Callable[[llvm.Ref], bool]) -> bool:
    """Whether all that is made of a pointer as a number is a pointer or a distance between two.
    `holds_pointers`: whether there are pointers where one leads to, so that a number that is stored
    there is one."""
    for made, user in _uses(number):
        opcode = llvm.opcode_of(user)
        is_stored = opcode == llvm.STORE and _degree(made) == 1
        if is_stored and holds_pointers(llvm.operands(user)[1]):
            continue
        if opcode not in (Opcode.ICMP, Opcode.INT_TO_PTR) and _made_degree(user) is None:
            return False
    return True


def is_compared(number: llvm.Ref) -> bool:
    """Whether a pointer as a number, or another one that is made of it, is compared."""
    return any(llvm.opcode_of(user) == Opcode.ICMP for _, user in _uses(number))


def _uses(number: llvm.Ref) -> Iterator[tuple[llvm.Ref, llvm.Ref]]:
    """What is made of a pointer as a number and is no distance, each with what uses it."""
    seen, work = {number}, [number]
    while work:
        made = work.pop()
        for user in llvm.users(made):
            yield made, user
            if user not in seen and _made_degree(user):
                seen.add(user)
                work.append(user)


def _made_degree(user: llvm.Ref) -> int | None:
    """The degree of what uses a number; None for what has none."""
    return _degree(user) if _parts(user) else None


def _degree(number: llvm.Ref) -> int | None:
    """The degree of a number; None where one way to it gives another than the next. Where it cannot
    be told, it is that of a pointer, of which the least may be made."""
    cone = _cone(number)
    found: dict[llvm.Ref, int | None] = {}
    for _ in range(2 * len(cone) + 2):
        before = dict(found)
        for ref in cone:
            degrees = _possible(ref, found)
            if degrees:
                found[ref] = degrees.pop() if len(degrees) == 1 else None
        if found == before:
            counter = next((ref for ref in cone if ref not in found and _may_be_zero(ref)), None)
            if counter is None:
                return found.get(number, 1)
            found[counter] = 0
    return None


def _may_be_zero(ref: llvm.Ref) -> bool:
    """Whether a number is chosen among others, of which one is 0."""
    return llvm.opcode_of(ref) in CHOICES and any(_is(part, 0) for part in _parts(ref))


def _cone(number: llvm.Ref) -> list[llvm.Ref]:
    """What the degree of a number follows from, itself last."""
    seen: dict[llvm.Ref, None] = {}
    work = [number]
    while work:
        ref = work.pop()
        if ref not in seen:
            seen[ref] = None
            work += _parts(ref)
    return list(seen)[::-1]


def _possible(ref: llvm.Ref, found: dict[llvm.Ref, int | None]) -> set[int | None]:
    """The degrees that a number has by what is known of its parts: none as long as that is too
    little, several if it has no degree."""
    if llvm.numbered_pointer(ref) is not None:
        return {1}
    parts = _parts(ref)
    if not parts:
        return {0}
    opcode = llvm.opcode_of(ref)
    known = [found[part] for part in parts if part in found]
    if opcode == Opcode.XOR:  # -1 - x
        return {None if degree is None else -degree for degree in known}
    if opcode not in llvm.SIGNS:
        # 0 is the null pointer too.
        others = [part for part in parts if not _is(part, 0)]
        return {found[part] for part in others if part in found} if others else {0}
    if len(known) < len(parts):
        return set()
    left, right = known
    if _is(parts[0], 0) and right != 0:
        return set()
    return {None if left is None or right is None else left + llvm.SIGNS[opcode] * right}


def _parts(ref: llvm.Ref) -> list[llvm.Ref]:
    """The operands whose degrees a number's follows from; none of any other number."""
    if not llvm.opcode_of(ref):
        return []
    opcode, operands = llvm.opcode_of(ref), llvm.operands(ref)
    if opcode in llvm.SIGNS:
        return operands
    if opcode == Opcode.XOR and _is(operands[1], -1):
        return operands[:1]
    if opcode in CHOICES:
        return operands[CHOICES[opcode] :]
    if opcode == Opcode.CALL and llvm.name(operands[-1]).startswith(EXTREMES):
        return operands[:2]
    return []


def _is(value: llvm.Ref, number: int) -> bool:
    return llvm.constant_number(value) is not None and llvm.signed_number(value) == number
