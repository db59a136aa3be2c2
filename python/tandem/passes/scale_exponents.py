# SPDX-License-Identifier: Apache-2.0
"""scale-exponents: a floating-point number times a power of two needs no multiplier.

It is the same number with another exponent, except near both ends of the range: what becomes
infinite, and what is or becomes so small that its fraction moves, is made beside that and chosen.
`x + x` and quotients by powers of two are such products too. A stencil's weights of 2, 1/2 and 1/8
are a few hundred look-up tables then, where each was a pipeline of multiplier blocks.

After keep-operators: a processor multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem import policy
from tandem.ir.builder import Builder
from tandem.ir.floats import FORMATS, Format
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Add, And, Eq, LShr, Ne, Op, Or, Select, Sub, ULt, constant
from tandem.ir.wiring import bits_of, known_number
from tandem.passes.rebuild import remake
from tandem.passes.simplify import refold_and_tidy

SLUG = "scale-exponents"
SUMMARY = "make of a floating-point number's exponent what are products by powers of two"


@dataclass(frozen=True)
class _Product:
    """Of the operand at `position`, 2 ^ `power`, and -1 where it `is_negative`."""

    position: int
    power: int
    is_negative: bool = False


def run(kernel: Kernel) -> bool:
    """Makes all of them; whether there was any."""
    if not any(_as_product(op) for _, op in kernel.ops()):
        return False

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        product = _as_product(op)
        if product is None:
            return remake(builder, op, operands)
        return _Scaling(builder, operands[product.position], product).made()

    return refold_and_tidy(kernel, change)


def _as_product(op: Op) -> _Product | None:
    kind, _, what = op.slug.partition("_")
    if what == "add" and kind in _KINDS and op.operands[0] is op.operands[1]:
        return _Product(0, 1)
    if what not in ("mul", "div") or kind not in _KINDS:
        return None
    for position, factor in enumerate(reversed(op.operands)):
        power = _power(factor)
        is_divided = what == "div"
        if power is not None and not (is_divided and position):
            found = _Product(position, -power if is_divided else power, _is_negative(factor))
            return found if policy.LEAST_POWER <= found.power <= policy.MOST_POWER else None
    return None


_KINDS = {f"f{width}" for width in FORMATS}


def _is_negative(factor: Op) -> bool:
    return bits_of(factor)[-1] == 1


def _power(factor: Op) -> int | None:
    """Of two, that a normal number without its sign is; None for others."""
    form, number = FORMATS[factor.width], known_number(factor)
    if number is None or number & (1 << form.fraction_bits) - 1:
        return None
    exponent = (number & ~form.sign) >> form.fraction_bits
    return exponent - form.bias if number & ~form.sign < form.infinity and exponent else None


class _Scaling:
    """Of one number. `size`: it without its sign; `exponent` and `fraction`: its fields."""

    def __init__(self, builder: Builder, number: Op, product: _Product) -> None:
        self.builder = builder
        self.form: Format = FORMATS[number.width]
        self.product = product
        self.size = builder.extract(number, 0, number.width - 1)
        self.fraction = builder.extract(number, 0, self.form.fraction_bits)
        self.exponent = builder.extract(number, self.form.fraction_bits, self.form.exponent_bits)
        self.sign = builder.extract(number, number.width - 1, 1)

    def made(self) -> Op:
        """The product."""
        form, builder, size = self.form, self.builder, self.size
        finite = self._halved() if self.product.power < 0 else self._doubled()
        is_finite = builder.compare(ULt, size, constant(form.infinity, size.width))
        is_nan = builder.compare(ULt, constant(form.infinity, size.width), size)
        sign = builder.invert(self.sign) if self.product.is_negative else self.sign
        rest = builder.concat(
            constant(form.infinity >> form.fraction_bits, form.exponent_bits),
            is_nan,
            constant(0, form.fraction_bits - 1),
        )
        chosen = self._select(is_finite, finite, rest)
        return builder.concat(builder.logic(And, [sign, builder.invert(is_nan)]), chosen)

    def _select(self, condition: Op, yes: Op, no: Op) -> Op:
        return self.builder.build(Select, [condition, yes, no], yes.width)

    def _is_normal(self) -> Op:
        return self.builder.compare(Ne, self.exponent, constant(0, self.exponent.width))

    # -- less -------------------------------------------------------------------------------

    def _halved(self) -> Op:
        """With an exponent less by `-power`, or, where there is none, with a fraction moved."""
        builder, less = self.builder, -self.product.power
        exponent = self.exponent
        lower = builder.plus(exponent, -less)
        is_normal = builder.compare(ULt, constant(less, exponent.width), exponent)
        return self._select(is_normal, builder.concat(lower, self.fraction), self._moved(less))

    def _moved(self, less: int) -> Op:
        """Of an exponent of no more than `less`: the fraction of a subnormal number, to the nearest
        even one; its carry is the exponent of the least normal number."""
        builder, form = self.builder, self.form
        whole = builder.concat(self._is_normal(), self.fraction, constant(0, less))
        by = self._places(less)
        moved = builder.build(LShr, [whole, builder.resize(by, whole.width)], whole.width)
        kept = builder.extract(moved, less, form.fraction_bits)
        half = builder.extract(moved, less - 1, 1)
        odd = [builder.extract(moved, less, 1)]
        if less > 1:
            below = builder.extract(moved, 0, less - 1)
            odd.append(builder.compare(Ne, below, constant(0, less - 1)))
        up = builder.logic(And, [half, builder.logic(Or, odd)])
        wide = builder.resize(kept, self.size.width)
        return builder.build(Add, [wide, builder.resize(up, wide.width)], wide.width)

    def _places(self, less: int) -> Op:
        """How far the fraction moves: `less`, and one more for a number that was normal, less its
        exponent."""
        builder = self.builder
        width = (less + 1).bit_length()
        exponent = builder.extract(self.exponent, 0, width)
        most = builder.plus(builder.resize(self._is_normal(), width), less)
        return builder.build(Sub, [most, exponent], width)

    # -- more -------------------------------------------------------------------------------

    def _doubled(self) -> Op:
        """With an exponent more by `power`; where there is none, with a fraction moved as far as it
        goes, the rest being its exponent."""
        builder, more, form = self.builder, self.product.power, self.form
        exponent = self.exponent
        higher = builder.concat(builder.plus(exponent, more), self.fraction)
        top = constant((1 << form.exponent_bits) - 1 - more, exponent.width)
        fits = builder.compare(ULt, exponent, top)
        normal = self._select(fits, higher, constant(form.infinity, higher.width))
        return self._select(self._is_normal(), normal, self._grown(more))

    def _grown(self, more: int) -> Op:
        """A fraction of no exponent, doubled."""
        builder, form = self.builder, self.form
        field = more.bit_length()
        value = builder.resize(self.fraction, form.fraction_bits + field)
        for _ in range(more):
            value = self._twice(value, field)
        return builder.resize(value, self.size.width)

    def _twice(self, value: Op, field: int) -> Op:
        builder, form = self.builder, self.form
        exponent = builder.extract(value, form.fraction_bits, field)
        fraction = builder.extract(value, 0, form.fraction_bits)
        moved = builder.extract(builder.concat(value, constant(0, 1)), 0, value.width)
        counted = builder.concat(builder.plus(exponent, 1), fraction)
        is_small = builder.compare(Eq, exponent, constant(0, field))
        return self._select(is_small, moved, counted)
