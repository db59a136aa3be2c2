# SPDX-License-Identifier: Apache-2.0
"""LLVM's floating-point instructions, intrinsics and the C library's functions of their names in
terms of the IR. A number is its bit pattern; what only looks at bits is operations on integers, all
else one of `ir.floats`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from tandem.ir.builder import Builder
from tandem.ir.floats import FLOATS, FORMATS
from tandem.ir.ops import OPERATIONS, And, Eq, Ne, Op, Or, Select, ULe, ULt, Xor, constant
from tandem.llvm.opcodes import Opcode

ARITHMETIC: dict[int, str] = {Opcode.FADD: "add", Opcode.FMUL: "mul", Opcode.FDIV: "div"}
CONVERSIONS = frozenset(
    {
        Opcode.FP_TO_UI,
        Opcode.FP_TO_SI,
        Opcode.UI_TO_FP,
        Opcode.SI_TO_FP,
        Opcode.FP_TRUNC,
        Opcode.FP_EXT,
    }
)

LEAST_INTEGER_BITS = 32
"""Of integers that are converted: narrower ones are made as wide."""

ORDERED = 8
"""In LLVM's numbers of comparisons, what is added where unordered operands compare too."""


def build_arithmetic(builder: Builder, opcode: int, parts: list[Op]) -> Op:
    """An instruction on numbers of one format."""
    if opcode == Opcode.FNEG:
        return negated(builder, parts[0])
    if opcode == Opcode.FSUB:
        return _operation(builder, "add", [parts[0], negated(builder, parts[1])])
    return _operation(builder, ARITHMETIC[opcode], parts)


def _operation(builder: Builder, name: str, parts: list[Op]) -> Op:
    """One of the operations whose result has the format of its operands."""
    width = parts[0].width
    return builder.build(OPERATIONS[f"f{width}_{name}"], parts, width)


def negated(builder: Builder, value: Op) -> Op:
    """The number with the other sign."""
    sign = constant(FORMATS[value.width].sign, value.width)
    return builder.logic(Xor, [value, sign])


def _size(builder: Builder, value: Op) -> Op:
    """The bits of a number without its sign."""
    return builder.extract(value, 0, value.width - 1)


def is_nan(builder: Builder, value: Op) -> Op:
    """Whether a number is none."""
    form = FORMATS[value.width]
    return builder.compare(ULt, constant(form.infinity, value.width - 1), _size(builder, value))


def _is_infinite(builder: Builder, value: Op) -> Op:
    form = FORMATS[value.width]
    return builder.compare(Eq, _size(builder, value), constant(form.infinity, value.width - 1))


def is_of_class(builder: Builder, value: Op, classes: int) -> Op:
    """LLVM's is.fpclass: whether a number is of one of the `classes`, a bit for each: two kinds of
    NaN, infinite, normal, subnormal and zero below zero, and the same above in the other order."""
    form, size = FORMATS[value.width], _size(builder, value)
    normal = form.infinity & -form.infinity
    first = [0, 1, normal, form.infinity, form.infinity + 1, form.infinity + normal // 2]
    reached = [builder.compare(ULe, constant(of, size.width), size) for of in first]
    within = [
        builder.logic(And, [at, builder.invert(beyond)])
        for at, beyond in pairwise([*reached, constant(0, 1)])
    ]
    negative = builder.extract(value, value.width - 1, 1)
    positive = builder.invert(negative)
    zero, subnormal, normals, infinite, signalling, quiet = within
    sizes = [infinite, normals, subnormal, zero]
    found = [signalling, quiet]
    found += [builder.logic(And, [negative, kind]) for kind in sizes]
    found += [builder.logic(And, [positive, kind]) for kind in reversed(sizes)]
    asked = [kind for number, kind in enumerate(found) if classes >> number & 1]
    return builder.logic(Or, asked) if asked else constant(0, 1)


def split(builder: Builder, value: Op) -> list[Op]:
    """LLVM's modf: [what is behind the point, what is before it], both with the number's sign."""
    whole = _operation(builder, "trunc", [value])
    rest = build_arithmetic(builder, Opcode.FSUB, [value, whole])
    nothing = constant(0, value.width)
    rest = builder.build(Select, [_is_infinite(builder, value), nothing, rest], value.width)
    return [_copy_sign(builder, [rest, value], value.width), whole]


def compare(builder: Builder, predicate: int, a: Op, b: Op) -> Op:
    """LLVM's fcmp: bits of `predicate` say whether equal, greater, less and unordered ones do."""
    nan = builder.logic(Or, [is_nan(builder, a), is_nan(builder, b)])
    found = [
        made(builder, a, b)
        for bit, made in ((1, _equal), (2, _greater), (4, _less))
        if predicate & bit
    ]
    ordered = predicate & 7
    if ordered == 7:
        return constant(1, 1) if predicate & ORDERED else builder.invert(nan)
    if not found:
        return nan if predicate & ORDERED else constant(0, 1)
    holds = builder.logic(Or, found)
    if predicate & ORDERED:
        return builder.logic(Or, [holds, nan])
    return builder.logic(And, [holds, builder.invert(nan)])


def _equal(builder: Builder, a: Op, b: Op) -> Op:
    """Of numbers that are some: the same bits, or both zero."""
    some = builder.logic(Or, [_size(builder, a), _size(builder, b)])
    zeros = builder.compare(Eq, some, constant(0, some.width))
    return builder.logic(Or, [zeros, builder.compare(Eq, a, b)])


def _less(builder: Builder, a: Op, b: Op) -> Op:
    """Of numbers that are some. Negative ones are in the opposite order of their bits, and of a
    negative and a positive one only two zeros are not less."""
    signs = [builder.extract(value, value.width - 1, 1) for value in (a, b)]
    sizes = [_size(builder, value) for value in (a, b)]
    both = builder.logic(And, signs)
    below = builder.compare(ULt, sizes[0], sizes[1])
    above = builder.compare(ULt, sizes[1], sizes[0])
    some = builder.logic(Or, sizes)
    not_zeros = builder.compare(Ne, some, constant(0, some.width))
    apart = builder.logic(And, [signs[0], builder.invert(signs[1]), not_zeros])
    neither = builder.invert(builder.logic(Or, signs))
    return builder.logic(
        Or,
        [
            apart,
            builder.logic(And, [neither, below]),
            builder.logic(And, [both, above]),
        ],
    )


def _greater(builder: Builder, a: Op, b: Op) -> Op:
    return _less(builder, b, a)


def build_conversion(builder: Builder, opcode: int, value: Op, width: int) -> Op | None:
    """A conversion into `width` bits; None where there is none of that width."""
    if opcode in (Opcode.FP_TRUNC, Opcode.FP_EXT):
        name = f"f{width}_from_f{value.width}"
        return builder.build(OPERATIONS[name], [value], width) if name in FLOATS else None
    is_signed = opcode in (Opcode.FP_TO_SI, Opcode.SI_TO_FP)
    letter = "i" if is_signed else "u"
    if opcode in (Opcode.UI_TO_FP, Opcode.SI_TO_FP):
        bits = _integer_bits(value.width)
        name = f"f{width}_from_{letter}{bits}"
        if name not in FLOATS:
            return None
        return builder.build(OPERATIONS[name], [builder.resize(value, bits, is_signed)], width)
    bits = _integer_bits(width)
    name = f"{letter}{bits}_from_f{value.width}"
    if name not in FLOATS:
        return None
    return builder.resize(builder.build(OPERATIONS[name], [value], bits), width)


def _integer_bits(width: int) -> int:
    """The width of the integers that are converted in place of some."""
    return LEAST_INTEGER_BITS if width <= LEAST_INTEGER_BITS else 64 if width <= 64 else width


# -- functions ----------------------------------------------------------------------------------


def _absolute(builder: Builder, parts: list[Op], width: int) -> Op:
    return builder.resize(_size(builder, parts[0]), parts[0].width)


def _copy_sign(builder: Builder, parts: list[Op], width: int) -> Op:
    sign = builder.extract(parts[1], parts[1].width - 1, 1)
    return builder.concat(sign, _size(builder, parts[0]))


def _extreme(first_if: Callable[[Builder, Op, Op], Op]) -> Callable[[Builder, list[Op], int], Op]:
    """The one of two numbers that is less, or greater; where one is none, the other."""

    def build(builder: Builder, parts: list[Op], width: int) -> Op:
        a, b = parts
        takes_a = builder.logic(
            Or,
            [
                is_nan(builder, b),
                builder.logic(And, [first_if(builder, a, b), builder.invert(is_nan(builder, a))]),
            ],
        )
        return builder.build(Select, [takes_a, a, b], a.width)

    return build


def _plain(name: str) -> Callable[[Builder, list[Op], int], Op]:
    return lambda builder, parts, width: _operation(builder, name, parts)


def _unfused(builder: Builder, parts: list[Op], width: int) -> Op:
    """What LLVM may fuse the host's processor need not: it rounds twice."""
    product = _operation(builder, "mul", parts[:2])
    return _operation(builder, "add", [product, parts[2]])


def _to_integer(name: str) -> Callable[[Builder, list[Op], int], Op]:
    """Rounded, and then an integer."""

    def build(builder: Builder, parts: list[Op], width: int) -> Op:
        rounded = _operation(builder, name, parts)
        made = build_conversion(builder, Opcode.FP_TO_SI, rounded, width)
        assert made is not None, "C has integers of these widths"
        return made

    return build


FUNCTIONS: dict[str, tuple[int, Callable[[Builder, list[Op], int], Op]]] = {
    "fabs": (1, _absolute),
    "copysign": (2, _copy_sign),
    "sqrt": (1, _plain("sqrt")),
    "fma": (3, _plain("fma")),
    "fmuladd": (3, _unfused),
    "floor": (1, _plain("floor")),
    "ceil": (1, _plain("ceil")),
    "trunc": (1, _plain("trunc")),
    "round": (1, _plain("round")),
    "rint": (1, _plain("rint")),
    "nearbyint": (1, _plain("rint")),
    "roundeven": (1, _plain("rint")),
    "minnum": (2, _extreme(_less)),
    "maxnum": (2, _extreme(_greater)),
    "fmin": (2, _extreme(_less)),
    "fmax": (2, _extreme(_greater)),
    "lround": (1, _to_integer("round")),
    "llround": (1, _to_integer("round")),
    "lrint": (1, _to_integer("rint")),
    "llrint": (1, _to_integer("rint")),
}
"""Function of the C library, or LLVM's intrinsic of it -> operands, and what it is made of."""


def float_function(callee: str) -> str | None:
    """The name in `FUNCTIONS` of what is called: `sqrt`, `sqrtf`, `llvm.sqrt.f64`; None for
    anything else."""
    if callee.startswith("llvm."):
        name = callee.split(".")[1]
    else:
        name = callee if callee in FUNCTIONS else callee.removesuffix("f")
    return name if name in FUNCTIONS else None
