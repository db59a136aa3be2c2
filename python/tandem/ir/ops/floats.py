# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations: a class for each row of `ir.floats`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tandem.ir.floats import FLOATS, Float
from tandem.ir.ops.op import Op

FLOAT_PREFIX = "tandem_"
"""Before the names of the functions of `models.c_text.floats_c`."""


class FloatOp(Op):
    """In hardware a function of `library/float/`, with a pipeline of its own."""

    __slots__ = ()
    row: ClassVar[Float]

    @property
    def core(self) -> str:
        return self.slug

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        return f"{FLOAT_PREFIX}{cls.slug}({', '.join(uses)})"


def _class_of(slug: str, row: Float) -> type[FloatOp]:
    def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
        return row.evaluate(v)

    name = "".join(part.capitalize() for part in slug.split("_"))
    members = {
        "__slots__": (),
        "__module__": __name__,
        "slug": slug,
        "summary": row.summary,
        "arity": len(row.widths),
        "evaluate": staticmethod(evaluate),
        "row": row,
    }
    return type(name, (FloatOp,), members)


for _slug, _row in FLOATS.items():
    _made = _class_of(_slug, _row)
    globals()[_made.__name__] = _made  # where a copy of a kernel in another process looks for it
