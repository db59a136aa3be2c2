# SPDX-License-Identifier: Apache-2.0
"""Logic, bit by bit, and choices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from tandem.ir import wiring
from tandem.ir.ops.circuit import Circuit, Wire
from tandem.ir.ops.op import Op, Range, joined, mask
from tandem.ir.ops.values import Constant, constant

if TYPE_CHECKING:
    from tandem.ir.builder import Builder
    from tandem.ir.wiring import Bit, Bits


class Logic(Op):
    """Of any number of operands."""

    __slots__ = ()
    rule = "same"
    delay_row = "logic"

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        columns = [wiring.bits_of(o) for o in operands]
        if len(operands) > 1 and _nothing_folds(operands):
            return builder.raw(cls, [builder.wire(column) for column in columns], len(columns[0]))
        if cls is Xor:
            columns = _without_inversions(columns)
        terms = [_logic_terms(cls, position) for position in zip(*columns, strict=True)]
        result: list[Bit] = [known for known, _, _ in terms]
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, (known, chosen, _) in enumerate(terms):
            if known is None:
                groups.setdefault(chosen, []).append(i)
        for chosen, positions in groups.items():
            parts = [builder.wire(tuple(columns[c][i] for i in positions)) for c in chosen]
            made = parts[0] if len(parts) == 1 else builder.raw(cls, parts, len(positions))
            flips = tuple(terms[i][2] for i in positions)
            if any(flips):
                # On its own, so that a second inversion finds it, and both go.
                pattern = constant(wiring.number(flips), len(flips))
                made = builder.raw(cls, [made, pattern], len(positions))
            _place(result, positions, made)
        return builder.wire(tuple(result))

    def hardware(self, circuit: Circuit, wires: Sequence[Wire], name: str) -> Wire:
        return circuit.logic(self, wires, name)

    def demands(self, wanted: int) -> list[int]:
        return [wanted] * len(self.operands)

    def bounds(self, ranges: Sequence[Range]) -> Range:
        return 0, mask(max(high.bit_length() for _, high in ranges))


class And(Logic):
    __slots__ = ()
    slug, summary, sign = "and", "bitwise and", "&"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return reduce(int.__and__, v)

    def bounds(self, ranges: Sequence[Range]) -> Range:
        return 0, min(high for _, high in ranges)


class Or(Logic):
    __slots__ = ()
    slug, summary, sign = "or", "bitwise or", "|"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return reduce(int.__or__, v)

    def bounds(self, ranges: Sequence[Range]) -> Range:
        return max(low for low, _ in ranges), super().bounds(ranges)[1]


class Xor(Logic):
    __slots__ = ()
    slug, summary, sign = "xor", "bitwise exclusive or", "^"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return reduce(int.__xor__, v)


class Select(Op):
    __slots__ = ()
    slug, summary = "select", "the second operand if the first is 1, else the third"
    arity = 3
    delay_row = "select"

    @staticmethod
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return v[1] if v[0] else v[2]

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        return f"{uses[0]} ? {uses[1]} : {uses[2]}"

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        condition, yes, no = operands
        chooser = wiring.bits_of(condition)[0]
        if type(chooser) is int:
            return yes if chooser else no
        if width == 1 and (isinstance(yes, Constant) or isinstance(no, Constant)):
            return _test(builder, condition, yes, no)
        a, b = wiring.bits_of(yes), wiring.bits_of(no)
        if _nothing_folds([yes, no]):
            return builder.raw(Select, [condition, builder.wire(a), builder.wire(b)], width)
        result: list[Bit] = [None] * width
        flips, inverse_flips, rest = [], [], []
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if x == y and type(x) is type(y):
                result[i] = x
            elif (x, y) == (1, 0) and type(x) is int and type(y) is int:
                result[i] = chooser
            elif type(y) is not int and inverse_of(x) == y:
                flips.append(i)
            elif type(x) is not int and inverse_of(y) == x:
                inverse_flips.append(i)
            else:
                rest.append(i)
        _place(result, rest, _select_rest(builder, condition, a, b, rest))
        _place(result, flips, _flip(builder, b, flips, condition))
        if inverse_flips:
            inverted = builder.invert(condition)
            _place(result, inverse_flips, _flip(builder, a, inverse_flips, inverted))
        return builder.wire(tuple(result))

    def hardware(self, circuit: Circuit, wires: Sequence[Wire], name: str) -> Wire:
        return circuit.choose(wires[0], wires[1], wires[2], name)

    def demands(self, wanted: int) -> list[int]:
        return [1, wanted, wanted]

    def bounds(self, ranges: Sequence[Range]) -> Range:
        return joined(ranges[1], ranges[2])


def _test(builder: Builder, condition: Op, yes: Op, no: Op) -> Op:
    """A select of one bit of which one case is known."""
    if isinstance(yes, Constant):
        if yes.value:
            return builder.logic(Or, [condition, no])
        return builder.logic(And, [builder.invert(condition), no])
    if no.value:
        return builder.logic(Or, [builder.invert(condition), yes])
    return builder.logic(And, [condition, yes])


def _flip(builder: Builder, plain: Bits, positions: list[int], condition: Op) -> Op | None:
    """The bits at the positions, each inverted if the condition holds."""
    if not positions:
        return None
    wanted = builder.wire(wiring.bits_of(condition) * len(positions))
    return builder.logic(Xor, [builder.wire(tuple(plain[i] for i in positions)), wanted])


def _place(result: list[Bit], positions: list[int], made: Op | None) -> None:
    """The bits of `made` at the given positions of a result."""
    if made is not None:
        for bit, i in zip(wiring.bits_of(made), positions, strict=True):
            result[i] = bit


def _select_rest(builder: Builder, condition: Op, a: Bits, b: Bits, rest: list[int]) -> Op | None:
    """A select of the positions that no wiring gives."""
    if not rest:
        return None
    parts = [builder.wire(tuple(side[i] for i in rest)) for side in (a, b)]
    if wiring.is_constant(wiring.bits_of(parts[0])) and wiring.is_constant(
        wiring.bits_of(parts[1])
    ):
        return _select_constants(builder, condition, parts)
    return builder.raw(Select, [condition, *parts], len(rest))


def _select_constants(builder: Builder, condition: Op, parts: list[Op]) -> Op:
    """Both known and different in every bit, never (1, 0): each is the inverted condition."""
    flipped = wiring.bits_of(builder.invert(condition))[0]
    return builder.wire((flipped,) * parts[0].width)


def _nothing_folds(operands: Sequence[Op]) -> bool:
    """Whether the operands are seen to have no bit that is known, inverted, or another's too: then
    no position of them is simpler than the others."""
    seen: set[Op] = set()
    for operand in operands:
        sources = wiring.sources_of(operand)
        if sources is None or not seen.isdisjoint(sources) or any(map(_may_invert, sources)):
            return False
        seen |= sources
    return True


def _may_invert(op: Op) -> bool:
    """Whether bits of the operation may be the inverse of others."""
    return isinstance(op, Xor) and len(op.operands) == 2 and isinstance(op.operands[1], Constant)


def _without_inversions(columns: list[Bits]) -> list[Bits]:
    """The operands of an xor with inverted bits replaced by what they invert, and one operand more
    that says how often that happened."""
    if not any(type(b) is not int and isinstance(b[0], Xor) for column in columns for b in column):
        return columns
    parity = [0] * len(columns[0])
    plain = []
    for column in columns:
        bits = list(column)
        for i, bit in enumerate(bits):
            inner = inverse_of(bit)
            if inner is not None:
                bits[i] = inner
                parity[i] ^= 1
        plain.append(tuple(bits))
    return [*plain, tuple(parity)] if any(parity) else columns


def _logic_terms(kind: type[Op], column: tuple[Bit, ...]) -> tuple[Bit, tuple[int, ...], int]:
    """One bit position: (the result if it is wiring, else None; which operands take part; the
    constant that flips an xor)."""
    if kind is Xor:
        return _xor_terms(column)
    absorbing = 0 if kind is And else 1
    chosen: dict[Bit, int] = {}
    for i, bit in enumerate(column):
        if type(bit) is int:
            if bit == absorbing:
                return absorbing, (), 0
        else:
            chosen.setdefault(bit, i)
    if not chosen:
        return 1 - absorbing, (), 0
    if len(chosen) == 1:
        return next(iter(chosen)), (), 0
    return None, tuple(chosen.values()), 0


def _xor_terms(column: tuple[Bit, ...]) -> tuple[Bit, tuple[int, ...], int]:
    parity = 0
    chosen: dict[Bit, int] = {}
    for i, bit in enumerate(column):
        if type(bit) is int:
            parity ^= bit
        elif bit in chosen:
            del chosen[bit]
        else:
            chosen[bit] = i
    if not chosen:
        return parity, (), 0
    if len(chosen) == 1 and not parity:
        return next(iter(chosen)), (), 0
    return None, tuple(chosen.values()), parity


def inverse_of(bit: Bit) -> Bit:
    """The bit that `bit` is the inverse of, None if it is no inverted bit."""
    if type(bit) is int or not isinstance(bit[0], Xor) or len(bit[0].operands) != 2:
        return None
    plain, flip = bit[0].operands
    if not isinstance(flip, Constant) or not flip.value >> bit[1] & 1:
        return None
    return wiring.bits_of(plain)[bit[1]]
