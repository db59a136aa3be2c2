# SPDX-License-Identifier: Apache-2.0
"""Values in nests of counted loops: a base and, for each loop, a step."""

from __future__ import annotations

from dataclasses import dataclass, field

from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.ops import Add, Mul, Op, Select, constant

POINTER_BITS = 64
"""No product of sizes that an array has wraps in so many bits."""
WRAPS_BITS = 32
"""C counts with `int` and more without wrapping; a narrower signed value may well wrap."""


@dataclass
class Form:
    """base + sum(steps[loop] * iteration), modulo 2^width. `narrow` are the fewest bits from which
    a part was extended that may have wrapped there, 0 for none; so many hold in any case."""

    base: Op
    steps: dict[Block, Op] = field(default_factory=dict)
    narrow: int = 0


class FormMaker:
    """Forms of others, made with a builder."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def resized(self, form: Form, width: int, is_signed: bool = True) -> Form:
        """A form in another width."""
        resize = self.builder.resize
        steps = {h: resize(s, width, True) for h, s in form.steps.items()}
        narrow = form.narrow if form.narrow < width else 0
        return Form(resize(form.base, width, is_signed), steps, narrow)

    def scaled(self, form: Form, factor: Op) -> Form:
        """A form so many times."""

        def times(op: Op) -> Op:
            return self.builder.build(Mul, [op, factor], op.width)

        return Form(times(form.base), {h: times(s) for h, s in form.steps.items()}, form.narrow)

    def plus(self, a: Form, b: Form) -> Form:
        """The sum of two forms."""

        def plus(x: Op, y: Op) -> Op:
            return self.builder.build(Add, [x, y], x.width)

        steps = dict(a.steps)
        for header, step in b.steps.items():
            steps[header] = plus(steps[header], step) if header in steps else step
        return Form(plus(a.base, b.base), steps, narrower(a.narrow, b.narrow))

    def chosen(self, condition: Op, a: Form, b: Form) -> Form:
        """One of two forms."""
        zero = constant(0, a.base.width)

        def choice(x: Op, y: Op) -> Op:
            return self.builder.build(Select, [condition, x, y], x.width)

        steps = {
            h: choice(a.steps.get(h, zero), b.steps.get(h, zero))
            for h in dict.fromkeys([*a.steps, *b.steps])
        }
        return Form(choice(a.base, b.base), steps, narrower(a.narrow, b.narrow))


def narrower(a: int, b: int) -> int:
    """The smaller of two numbers of bits, 0 standing for none."""
    return min(a, b) if a and b else a or b
