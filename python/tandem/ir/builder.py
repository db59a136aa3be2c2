# SPDX-License-Identifier: Apache-2.0
"""Builds operations, simplifying each as it is made.

Every pass that rebuilds a kernel does so through a `Builder`, so folding happens once, in one
place: known bits, wiring, narrowing by known zeros, tables narrowed to their live columns, and
equal operations made once a block. A builder never changes an existing operation.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tandem.ir import wiring
from tandem.ir.kernel import Block, Kernel, Memory
from tandem.ir.ops import (
    UNSIGNED,
    WIRING,
    Add,
    And,
    AShr,
    Compare,
    Concat,
    Constant,
    Equality,
    Extract,
    Logic,
    LShr,
    Mul,
    Ne,
    Op,
    Or,
    Rom,
    Select,
    Shift,
    Shl,
    Sub,
    Sum,
    UDiv,
    ULe,
    ULt,
    URem,
    Xor,
    constant,
    mask,
)
from tandem.ir.wiring import Bit, Bits, bits_of

SEEN_THROUGH = (*WIRING, Sum, Xor, Select)
"""Operations below which folding looks: what becomes of others does not depend on their operands,
where it reads their results."""


class Builder:
    """Appends simplified operations to `block` of `kernel`."""

    def __init__(self, kernel: Kernel, block: Block, line: int = 0) -> None:
        self.kernel = kernel
        self.block = block
        self.line = line
        self.settled: list[Op] | None = None
        """Operands of which the operation that is to be made again was made, and nothing folds."""
        self._made: dict[Any, Op] = {}

    # -- plain making ---------------------------------------------------------------------------

    def raw(self, kind: type[Op], operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        """The operation as given; an equal pure one made before in this block serves again."""
        return self._add(kind, operands, width, attributes)

    def again(self, op: Op, operands: Sequence[Op]) -> Op:
        """The same of an operation with other operands."""
        return self._add(type(op), operands, op.width, dict(op.attributes))

    def _add(
        self, kind: type[Op], operands: Sequence[Op], width: int, attributes: dict[str, Any]
    ) -> Op:
        key = None
        if kind.pure:
            key = meaning(kind, operands, width, attributes)
            made = self._made.get(key)
            if made is not None:
                return made
        op = kind(operands, width, attributes, self.line)
        self.block.ops.append(op)
        if key is not None:
            self._made[key] = op
        return op

    def wire(self, bits: Bits) -> Op:
        """A value with these bits: an existing one, or extracts and a concat."""
        first = bits[0]
        if type(first) is not int and first[1] == 0 and first[0].width == len(bits):
            source = first[0]
            if bits == bits_of(source):
                return source
        key = ("wire", bits)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._wire(bits)
        return made

    def _wire(self, bits: Bits) -> Op:
        parts = [self._segment(*segment) for segment in wiring.segments(bits)]
        if len(parts) == 1:
            return parts[0]
        return self.raw(Concat, parts[::-1], len(bits))

    def _segment(self, source: Op | None, low: int, width: int) -> Op:
        if source is None:
            return constant(low, width)
        if low == 0 and width == source.width:
            return source
        return self.raw(Extract, [source], width, low=low)

    # -- folding making -------------------------------------------------------------------------

    def build(self, kind: type[Op], operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        """The simplest value equal to the operation."""
        if issubclass(kind, Logic):
            return self.logic(kind, operands)
        if issubclass(kind, Compare):
            return self.compare(kind, *operands)
        if issubclass(kind, Shift):
            return self.shift(kind, *operands)
        fold = getattr(self, f"_fold_{kind.slug}", None)
        if fold is not None:
            return fold(*operands, width=width, **attributes)
        return self._evaluated(kind, operands, width, **attributes)

    def _evaluated(
        self, kind: type[Op], operands: Sequence[Op], width: int, **attributes: Any
    ) -> Op:
        if kind.evaluate and kind.pure and all(wiring.is_constant(bits_of(o)) for o in operands):
            values = [wiring.number(bits_of(o)) for o in operands]
            return constant(kind.evaluate(values, [o.width for o in operands], width), width)
        return self.raw(kind, operands, width, **attributes)

    def extract(self, value: Op, low: int, width: int) -> Op:
        """Bits low .. low + width - 1."""
        return self.wire(bits_of(value)[low : low + width])

    def concat(self, *parts: Op) -> Op:
        """The parts side by side, the first highest."""
        bits: list[Bit] = []
        for part in reversed(parts):
            bits += bits_of(part)
        return self.wire(tuple(bits))

    def resize(self, value: Op, width: int, is_signed: bool = False) -> Op:
        """Truncated, or extended by zeros or copies of the sign."""
        bits = bits_of(value)
        fill = bits[-1] if is_signed else 0
        return self.wire((bits + (fill,) * (width - len(bits)))[:width])

    def _fold_extract(self, value: Op, *, width: int, low: int) -> Op:
        return self.extract(value, low, width)

    def _fold_concat(self, *parts: Op, width: int) -> Op:
        return self.concat(*parts)

    # -- logic ----------------------------------------------------------------------------------

    def logic(self, kind: type[Op], operands: Sequence[Op]) -> Op:
        """and, or, xor of any number of operands of one width."""
        columns = [bits_of(o) for o in operands]
        if len(operands) > 1 and _nothing_folds(operands):
            return self.raw(kind, [self.wire(column) for column in columns], len(columns[0]))
        if kind is Xor:
            columns = _without_inversions(columns)
        terms = [_logic_terms(kind, position) for position in zip(*columns, strict=True)]
        result: list[Bit] = [known for known, _, _ in terms]
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, (known, chosen, _) in enumerate(terms):
            if known is None:
                groups.setdefault(chosen, []).append(i)
        for chosen, positions in groups.items():
            parts = [self.wire(tuple(columns[c][i] for i in positions)) for c in chosen]
            made = parts[0] if len(parts) == 1 else self.raw(kind, parts, len(positions))
            flips = tuple(terms[i][2] for i in positions)
            if any(flips):
                # On its own, so that a second inversion finds it, and both go.
                pattern = constant(wiring.number(flips), len(flips))
                made = self.raw(kind, [made, pattern], len(positions))
            self._place(result, positions, made)
        return self.wire(tuple(result))

    def plus(self, value: Op, number: int) -> Op:
        """A value and a number, in the value's bits."""
        return self.build(Add, [value, constant(number, value.width)], value.width)

    def invert(self, value: Op) -> Op:
        """Every bit flipped."""
        return self.logic(Xor, [value, constant(mask(value.width), value.width)])

    def _fold_select(self, condition: Op, yes: Op, no: Op, *, width: int) -> Op:
        chooser = bits_of(condition)[0]
        if type(chooser) is int:
            return yes if chooser else no
        if width == 1 and (isinstance(yes, Constant) or isinstance(no, Constant)):
            return self._test(condition, yes, no)
        a, b = bits_of(yes), bits_of(no)
        if _nothing_folds([yes, no]):
            return self.raw(Select, [condition, self.wire(a), self.wire(b)], width)
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
        self._place(result, rest, self._select_rest(condition, a, b, rest))
        self._place(result, flips, self._flip(b, flips, condition))
        if inverse_flips:
            inverted = self.invert(condition)
            self._place(result, inverse_flips, self._flip(a, inverse_flips, inverted))
        return self.wire(tuple(result))

    def _test(self, condition: Op, yes: Op, no: Op) -> Op:
        """A select of one bit of which one case is known."""
        if isinstance(yes, Constant):
            if yes.value:
                return self.logic(Or, [condition, no])
            return self.logic(And, [self.invert(condition), no])
        if no.value:
            return self.logic(Or, [self.invert(condition), yes])
        return self.logic(And, [condition, yes])

    def _flip(self, plain: Bits, positions: list[int], condition: Op) -> Op | None:
        """The bits at the positions, each inverted if the condition holds."""
        if not positions:
            return None
        wanted = self.wire(bits_of(condition) * len(positions))
        return self.logic(Xor, [self.wire(tuple(plain[i] for i in positions)), wanted])

    def _place(self, result: list[Bit], positions: list[int], made: Op | None) -> None:
        """The bits of `made` at the given positions of a result."""
        if made is not None:
            for bit, i in zip(bits_of(made), positions, strict=True):
                result[i] = bit

    def _select_rest(self, condition: Op, a: Bits, b: Bits, rest: list[int]) -> Op | None:
        """A select of the positions that no wiring gives."""
        if not rest:
            return None
        parts = [self.wire(tuple(side[i] for i in rest)) for side in (a, b)]
        if wiring.is_constant(bits_of(parts[0])) and wiring.is_constant(bits_of(parts[1])):
            return self._select_constants(condition, parts)
        return self.raw(Select, [condition, *parts], len(rest))

    def _select_constants(self, condition: Op, parts: list[Op]) -> Op:
        """Both known and different in every bit, never (1, 0): each is the inverted condition."""
        flipped = bits_of(self.invert(condition))[0]
        return self.wire((flipped,) * parts[0].width)

    # -- arithmetic -----------------------------------------------------------------------------

    def _fold_add(self, a: Op, b: Op, *, width: int) -> Op:
        x, y = bits_of(a), bits_of(b)
        if wiring.is_constant(x) and wiring.is_constant(y):
            return constant(wiring.number(x) + wiring.number(y), width)
        if wiring.is_constant(x):
            a, b, x, y = b, a, y, x
        if (
            wiring.is_constant(y)
            and isinstance(a, Add)
            and wiring.is_constant(bits_of(a.operands[1]))
        ):
            both = wiring.number(bits_of(a.operands[1])) + wiring.number(y)
            return self._fold_add(a.operands[0], constant(both, width), width=width)
        for plus, minus in ((a, b), (b, a)):
            if _is_negation(minus):
                return self._fold_sub(plus, minus.operands[1], width=width)
        low = max(wiring.trailing_zeros(x), wiring.trailing_zeros(y))
        if low:
            passed = y if wiring.trailing_zeros(x) >= low else x
            if low == width:
                return self.wire(passed)
            high = self._fold_add(self.wire(x[low:]), self.wire(y[low:]), width=width - low)
            return self.wire(passed[:low] + bits_of(high))
        if all(wiring.is_zero(p) or wiring.is_zero(q) for p, q in zip(x, y, strict=True)):
            return self.logic(Or, [a, b])
        spare = min(wiring.leading_zeros(x), wiring.leading_zeros(y)) - 1
        if spare > 0:
            kept = width - spare
            made = self.raw(Add, [self.wire(x[:kept]), self.wire(y[:kept])], kept)
            return self.wire(bits_of(made) + wiring.zeros(spare))
        return self.raw(Add, [a, b], width)

    def _fold_sub(self, a: Op, b: Op, *, width: int) -> Op:
        x, y = bits_of(a), bits_of(b)
        if x == y:
            return constant(0, width)
        if wiring.is_constant(x) and wiring.is_constant(y):
            return constant(wiring.number(x) - wiring.number(y), width)
        low = wiring.trailing_zeros(y)
        if low == width:
            return a
        if low:
            high = self._fold_sub(self.wire(x[low:]), self.wire(y[low:]), width=width - low)
            return self.wire(x[:low] + bits_of(high))
        if wiring.is_constant(y):
            return self._fold_add(a, constant(-wiring.number(y), width), width=width)
        if _is_negation(b):
            return self._fold_add(a, b.operands[1], width=width)
        return self.raw(Sub, [a, b], width)

    def _fold_mul(self, a: Op, b: Op, *, width: int) -> Op:
        x, y = bits_of(a), bits_of(b)
        if wiring.is_constant(x):
            a, b, x, y = b, a, y, x
        if wiring.is_constant(y):
            return self._multiply_by_constant(a, wiring.number(y), width)
        if wiring.is_sign_extended(x) or wiring.is_sign_extended(y):
            return self._multiply_signed(x, y)
        low = wiring.trailing_zeros(x) + wiring.trailing_zeros(y)
        if low >= width:
            return constant(0, width)
        x, y = x[wiring.trailing_zeros(x) :], y[wiring.trailing_zeros(y) :]
        x, y = x[: len(x) - wiring.leading_zeros(x)], y[: len(y) - wiring.leading_zeros(y)]
        kept = min(width - low, len(x) + len(y))
        pad = wiring.zeros(width)
        made = self.raw(Mul, [self.wire((x + pad)[:kept]), self.wire((y + pad)[:kept])], kept)
        return self.wire((wiring.zeros(low) + bits_of(made) + pad)[:width])

    def _multiply_signed(self, x: Bits, y: Bits) -> Op:
        """The product of signed numbers is no wider than both together, less what fills them."""
        width, low = len(x), wiring.trailing_zeros(x) + wiring.trailing_zeros(y)
        if low >= width:
            return constant(0, width)
        factors = [bits[wiring.trailing_zeros(bits) :] for bits in (x, y)]
        factors = [bits[: wiring.signed_width(bits)] for bits in factors]
        kept = min(width - low, sum(map(len, factors)))
        wide = [self.wire((bits + bits[-1:] * kept)[:kept]) for bits in factors]
        bits = bits_of(self.raw(Mul, wide, kept))
        return self.wire((wiring.zeros(low) + bits + bits[-1:] * width)[:width])

    def _fold_udiv(self, a: Op, b: Op, *, width: int) -> Op:
        power = _power_of_two(b)
        if power is None:
            return self._evaluated(UDiv, [a, b], width)
        return self.shift(LShr, a, constant(power, 8))

    def _fold_urem(self, a: Op, b: Op, *, width: int) -> Op:
        power = _power_of_two(b)
        if power is None:
            return self._evaluated(URem, [a, b], width)
        return self.wire(bits_of(a)[:power] + wiring.zeros(width - power))

    def _multiply_by_constant(self, a: Op, factor: int, width: int) -> Op:
        """Shifts and adds while that is cheaper than a multiplier: up to three terms.
        Nothing is added where copies of the constant lie beside each other."""
        if wiring.is_constant(bits_of(a)):
            return constant(wiring.number(bits_of(a)) * factor, width)
        if (placed := _placed(bits_of(a), factor)) is not None:
            return self.wire(placed)
        digits = _signed_digits(factor, width)
        if len(digits) > 3:
            fixed = wiring.constant_bits(factor, width)
            if wiring.is_sign_extended(bits_of(a)) or wiring.is_sign_extended(fixed):
                return self._multiply_signed(bits_of(a), fixed)
            return self.raw(Mul, [a, constant(factor, width)], width)
        total = constant(0, width)
        for position, negative in digits:
            term = self.wire((wiring.zeros(position) + bits_of(a))[:width])
            fold = self._fold_sub if negative else self._fold_add
            total = fold(total, term, width=width)
        return total

    def compare(self, kind: type[Compare], a: Op, b: Op) -> Op:
        """eq, ne, ult, ule, slt, sle on operands of one width."""
        x, y = bits_of(a), bits_of(b)
        if wiring.is_constant(x) and wiring.is_constant(y):
            return self._evaluated(kind, [a, b], 1)
        if x == y:
            return constant(int(kind.holds_of_equals), 1)
        if wiring.is_constant(y) and _has_known_case(a):
            condition, *cases = a.operands
            found = [self.compare(kind, case, b) for case in cases]
            return self.build(Select, [condition, *found], 1)
        if wiring.is_constant(x) and _has_known_case(b):
            condition, *cases = b.operands
            found = [self.compare(kind, a, case) for case in cases]
            return self.build(Select, [condition, *found], 1)
        if issubclass(kind, Equality):
            return self._compare_sum(kind, a, b) or self._compare_equal(kind, x, y)
        return self._compare_order(kind, x, y)

    def _compare_sum(self, kind: type[Compare], a: Op, b: Op) -> Op | None:
        """A sum with a constant is not waited for: `x + 1 == 3` is `x == 2`."""
        if wiring.is_constant(bits_of(a)):
            a, b = b, a
        if not isinstance(a, Add) or not wiring.is_constant(bits_of(b)):
            return None
        x, added = a.operands
        if not wiring.is_constant(bits_of(added)):
            return None
        rest = wiring.number(bits_of(b)) - wiring.number(bits_of(added))
        return self.compare(kind, x, constant(rest, a.width))

    def _compare_equal(self, kind: type[Compare], x: Bits, y: Bits) -> Op:
        rest = [i for i, (p, q) in enumerate(zip(x, y, strict=True)) if p != q]
        if any(type(x[i]) is int and type(y[i]) is int for i in rest):
            return constant(int(kind is Ne), 1)
        pairs = list(dict.fromkeys((x[i], y[i]) for i in rest))
        rest = list(range(len(pairs)))
        a, b = (self.wire(bits) for bits in zip(*pairs, strict=True))
        if len(rest) == 1:
            differ = self.logic(Xor, [a, b])
            return differ if kind is Ne else self.invert(differ)
        return self.raw(kind, [a, b], 1)

    def _compare_order(self, kind: type[Compare], x: Bits, y: Bits) -> Op:
        if kind.is_signed and wiring.is_zero(x[-1]) and wiring.is_zero(y[-1]):
            kind = UNSIGNED[kind]
        if not kind.is_signed:
            while len(x) > 1 and x[-1] == y[-1] and type(x[-1]) is type(y[-1]):
                x, y = x[:-1], y[:-1]
        while kind.is_signed and len(x) > 1 and _repeats_sign(x) and _repeats_sign(y):
            x, y = x[:-1], y[:-1]
        if kind is ULt and wiring.is_constant(y) and wiring.number(y) == 0:
            return constant(0, 1)
        if kind is ULe and wiring.is_constant(x) and wiring.number(x) == 0:
            return constant(1, 1)
        return self.raw(kind, [self.wire(x), self.wire(y)], 1)

    def shift(self, kind: type[Op], value: Op, amount: Op) -> Op:
        """shl, lshr, ashr; a known amount is wiring."""
        bits, by = bits_of(value), bits_of(amount)
        width = len(bits)
        if not wiring.is_constant(by):
            if wiring.is_constant(bits) and wiring.number(bits) == 0:
                return value
            shortened = self.wire(by[: max(1, len(by) - wiring.leading_zeros(by))])
            return self.raw(kind, [value, shortened], width)
        count = min(wiring.number(by), width)
        if kind is Shl:
            return self.wire((wiring.zeros(count) + bits)[:width])
        fill = bits[-1] if kind is AShr else 0
        return self.wire((bits + (fill,) * count)[count:])

    # -- tables ---------------------------------------------------------------------------------

    def _fold_rom(self, index: Op, *, width: int, memory: str) -> Op:
        """A read of a table: narrowed to the index bits that vary and the columns that do."""
        table = self.kernel.memories[memory]
        bits = bits_of(index)[: table.index_bits]
        bits = bits + wiring.zeros(table.index_bits - len(bits))
        varying = [i for i, bit in enumerate(bits) if type(bit) is not int]
        words = _table_words(table, bits, varying)
        differing = _differing(words)
        live = [c for c in range(width) if differing >> c & 1]
        result: list[Bit] = [words[0] >> c & 1 for c in range(width)]
        if live:
            narrowed = self._narrowed_table(table, words, live)
            made = self.raw(
                Rom, [self.wire(tuple(bits[i] for i in varying))], len(live), memory=narrowed.name
            )
            for bit, column in enumerate(live):
                result[column] = (made, bit)
        return self.wire(tuple(result))

    def _narrowed_table(self, table: Memory, words: tuple[int, ...], live: list[int]) -> Memory:
        if live == list(range(len(live))):
            contents = tuple(word & (1 << len(live)) - 1 for word in words)
        else:
            contents = tuple(sum((w >> c & 1) << i for i, c in enumerate(live)) for w in words)
        if contents == table.contents and len(live) == table.element_bits:
            return table
        for memory in self.kernel.memories.values():
            same = memory.kind == "rom" and memory.contents == contents
            if same and memory.element_bits == len(live):
                return memory
        return self.kernel.add_memory(
            Memory(
                f"{_base_name(table.name)}_part",
                "rom",
                len(live),
                len(contents),
                contents,
            )
        )


def _base_name(name: str) -> str:
    return name.split("_part")[0]


def _in_order(attributes: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    if len(attributes) < 2:
        return tuple(attributes.items())
    return tuple(sorted(attributes.items(), key=str))


def meaning(kind: type[Op], operands: Sequence[Op], width: int, attributes: dict[str, Any]) -> Any:
    """What pure operations that compute the same of the same operands have in common."""
    return kind, width, tuple(map(_identity, operands)), _in_order(attributes)


def _identity(op: Op) -> Any:
    return ("constant", op.value, op.width) if isinstance(op, Constant) else id(op)


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
    return bits_of(plain)[bit[1]]


def _repeats_sign(bits: Bits) -> bool:
    """Whether the highest bit is a copy of the one below it, so that it may go."""
    return bits[-1] == bits[-2] and type(bits[-1]) is type(bits[-2])


def _has_known_case(value: Op) -> bool:
    """Whether it is a choice with a constant, which comparing with a constant need not wait for."""
    return isinstance(value, Select) and any(isinstance(o, Constant) for o in value.operands[1:])


def _is_negation(value: Op) -> bool:
    return isinstance(value, Sub) and all(map(wiring.is_zero, bits_of(value.operands[0])))


def _power_of_two(value: Op) -> int | None:
    """The exponent where `value` is a known power of two."""
    bits = bits_of(value)
    if not wiring.is_constant(bits) or sum(bits) != 1:
        return None
    return bits.index(1)


def _placed(bits: Bits, factor: int) -> Bits | None:
    """The bits of a product of a constant with bits that stand alone, of each byte of a word as it
    may be: copies of the constant beside each other. None where some are no neighbours of zeros
    only, or two copies meet."""
    places = [i for i, bit in enumerate(bits) if not wiring.is_zero(bit)]
    if len(places) < 2 or any(b - a == 1 for a, b in pairwise(places)):
        return None
    found = list(wiring.zeros(len(bits)))
    for place in places:
        for at in range(place, len(bits)):
            if factor >> (at - place) & 1:
                if not wiring.is_zero(found[at]):
                    return None
                found[at] = bits[place]
    return tuple(found)


def _signed_digits(factor: int, width: int) -> list[tuple[int, bool]]:
    """Non-adjacent form: (position, negative) of each non-zero digit, the positives first."""
    digits = []
    position = 0
    while factor and position < width:
        if factor & 1:
            negative = factor & 3 == 3
            digits.append((position, negative))
            factor += 1 if negative else -1
        factor >>= 1
        position += 1
    return sorted(digits, key=lambda digit: digit[1])


def _table_words(table: Memory, bits: Bits, varying: list[int]) -> tuple[int, ...]:
    """The elements that the varying index bits reach, in their order; 0 beyond the table."""
    if len(varying) == len(bits):
        size = 1 << len(bits)
        return table.contents[:size] + (0,) * (size - len(table.contents))
    places = [sum(bit << i for i, bit in enumerate(bits) if type(bit) is int)]
    for i in varying:
        places += [place + (1 << i) for place in places]
    return tuple([table.initial(place) for place in places])


@functools.lru_cache(256)
def _differing(words: tuple[int, ...]) -> int:
    """The columns of a table in which its words differ, as a mask. Every pass asks again."""
    return functools.reduce(operator.or_, (word ^ words[0] for word in words))
