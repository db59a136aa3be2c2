# SPDX-License-Identifier: Apache-2.0
"""What every operation is: a value and the operation that makes it are one object, an `Op`. Each
operation is a class, which says all that there is to say of it; groups of them have a class above.

Values are unsigned bit patterns held in Python integers; `signed` gives their two's-complement
meaning where an operation asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tandem.ir.ops.c import c_type
from tandem.ir.ops.circuit import Circuit, Wire

if TYPE_CHECKING:
    from tandem.ir.builder import Builder
    from tandem.ir.memory import Memory

MAX_WIDTH_BITS = 1 << 16


def mask(width: int) -> int:
    """All ones in `width` bits."""
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """The two's-complement meaning of a `width`-bit pattern."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


Range = tuple[int, int]
"""The least and the greatest number that a value may be."""


def joined(a: Range, b: Range) -> Range:
    """The least range with both in it."""
    return min(a[0], b[0]), max(a[1], b[1])


Evaluate = Callable[[Sequence[int], Sequence[int], int], int]
"""(operand values, operand widths, result width) -> result before truncation."""


class Op:
    """One operation and its result of `width` bits (0: no result). `line` is its C line or 0."""

    __slots__ = ("attributes", "bits", "line", "meaning", "name", "operands", "settled", "width")

    slug: ClassVar[str] = ""
    """What the IR's text calls it; empty of a group."""
    summary: ClassVar[str] = ""
    arity: ClassVar[int | None] = None
    """How many operands it has, or None for any number from 1 up."""
    rule: ClassVar[str] = "free"
    """'same' (all operands and the result have one width), 'bit' (operands of one width give 1
    bit), 'free' (checked by the verifier's own rule), 'none' (no result)."""
    pure: ClassVar[bool] = True
    has_memory: ClassVar[bool] = False
    """Whether it is about a memory: a table, an array, a stream."""
    evaluate: ClassVar[Evaluate | None] = None
    """None for what needs more than operand values: memories, streams, ports."""
    commutes: ClassVar[bool] = False
    """Whether its two operands may change places."""
    sign: ClassVar[str] = ""
    """How C writes it between its operands; what the sign means differs with their types."""
    comb: ClassVar[str] = ""
    """What it is in CIRCT's `comb` dialect, if it is one operation of two operands there."""
    delay_row: ClassVar[str] = ""
    """The row of a target's operators that it is measured under; empty of what has no look-up
    tables of its own: a core's are counted with the core."""
    enable_at: ClassVar[int | None] = None
    """Which operand is the condition that it may be bound to; None where there is none."""

    def __init_subclass__(cls) -> None:
        if "slug" in cls.__dict__:
            OPERATIONS[cls.slug] = cls

    def __init__(
        self,
        operands: Sequence[Op] = (),
        width: int = 0,
        attributes: dict[str, Any] | None = None,
        line: int = 0,
        name: str = "",
    ) -> None:
        self.operands = list(operands)
        self.width = width
        self.attributes = attributes or {}
        self.line = line
        self.name = name
        self.bits: tuple[Any, ...] | None = None
        """Where each bit comes from, filled by `ir.wiring` when first asked."""
        self.settled: list[Op] | None = None
        """The operands, where the folding builder has been seen to make just this of them: as long
        as they are what they were, it would again (`passes/rebuild.py`). None where it has not been
        asked yet; others where they have been exchanged since."""

        self.meaning: Any = None
        """What it has in common with operations that compute the same (`ir.builder.meaning`), once
        that has been asked; what reads other operands forgets it."""

    def read(self, operands: list[Op]) -> None:
        """Reads other operands from now on. What reads the result may fold otherwise then."""
        self.operands = operands
        self.settled, self.meaning = [], None

    @classmethod
    def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
        """C of the result, where that follows from the operands: `uses` are their C expressions,
        each of the unsigned type of its width."""
        return f"({c_type(width)})({f' {cls.sign} '.join(uses)})"

    @classmethod
    def fold(cls, builder: Builder, operands: Sequence[Op], width: int, **attributes: Any) -> Op:
        """The simplest value equal to the operation."""
        return builder.evaluated(cls, operands, width, **attributes)

    def demands(self, wanted: int) -> list[int]:
        """The bits of each operand that the `wanted` bits of the result depend on."""
        return [mask(o.width) for o in self.operands]

    def bounds(self, ranges: Sequence[Range]) -> Range:
        """Between which numbers the result is before it wraps, by those of the operands."""
        return 0, mask(self.width)

    def hardware(self, circuit: Circuit, wires: Sequence[Wire], name: str) -> Wire:
        """What makes the result of what is on wires, where that is no access and no call."""
        return circuit.binary(self.comb, wires[0], wires[1], name)

    @property
    def value(self) -> int:
        """The value of a constant."""
        return self.attributes["value"]

    @property
    def core(self) -> str:
        """The name of what is a pipeline of its own and does the operation; empty where there is
        none."""
        return ""

    # What a load, store, pop, peek or push says besides its value.

    @property
    def memory(self) -> Memory:
        """What the operation is about, if it `has_memory`."""
        return self.attributes["memory"]

    def is_about(self, memory: Memory) -> bool:
        """Whether it reads or writes that memory, or asks of it."""
        return self.attributes.get("memory") is memory

    @property
    def index(self) -> Op:
        """The element that a load, store or look-up is about."""
        return self.operands[0]

    @property
    def stored(self) -> Op:
        """What a store writes."""
        return self.operands[1]

    @property
    def enable(self) -> Op | None:
        """The 1-bit condition of an access, or of what is about a stream; None where it always
        happens."""
        at = self.enable_at
        return None if at is None or len(self.operands) <= at else self.operands[at]

    def like(self, operands: Sequence[Op] = ()) -> Op:
        """The same of other operands: of the same width, line and name."""
        return type(self)(operands, self.width, dict(self.attributes), self.line, self.name)

    def __repr__(self) -> str:
        return f"<{self.slug} i{self.width} {self.name or hex(id(self))}>"


OPERATIONS: dict[str, type[Op]] = {}
"""Slug -> operation, in the order in which docs/ir.md has them."""
