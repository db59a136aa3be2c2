# SPDX-License-Identifier: Apache-2.0
"""Arguments of a kernel: what the C function is given, and what the hardware needs besides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tandem.ir.memory import Memory
from tandem.ir.ops import Op

if TYPE_CHECKING:
    from tandem.ir.expressions import Expression


class ArgumentKind(StrEnum):
    """How the hardware gets an argument, as docs/package.md has it."""

    SCALAR = "scalar"
    POINTER = "pointer"
    """Not yet bound."""
    MEMORY = "memory"
    STREAM = "stream"
    BLOCK = "block"
    PLACE = "place"


@dataclass(frozen=True)
class Extent:
    """How many bytes of an array a call uses. `source`: 'exact' (proven, each call), 'bound'
    (proven, at most), 'declared' (by an annotation), 'typed' (by the parameter's type), 'observed'
    (only the call itself tells). `claim` is the number that a driver goes by, `proof` the exact one
    where there is one; both as `analysis.extents` makes them. `line`: of an access of which it is
    not told, if only the call tells."""

    source: str = "observed"
    claim: Expression | None = None
    proof: Expression | None = None
    line: int = 0


@dataclass(frozen=True)
class Variable:
    """A variable of the program, by the name that linkers know, its size, and whether nothing but
    the kernel uses it."""

    symbol: str
    bytes: int
    is_private: bool = False


@dataclass(frozen=True)
class Field:
    """A pointer in what the array of another argument, the `parent`, holds, at byte `offset`.
    `is_open`: the kernel may write there too when it writes to that array at some index."""

    parent: str
    offset: int
    is_open: bool = False


@dataclass(frozen=True)
class Part:
    """So many bytes of the array of another argument, the `parent`, from byte `offset` on."""

    parent: str
    offset: int
    bytes: int


@dataclass(eq=False)
class Argument:
    """One C argument, the result (`name` is 'result'), a `variable` of the program that the kernel
    shares with it, what a `field` of another argument points to, a member of a struct that another
    argument is (`part`), what a call tells of an argument (`tells_of`), a block that it returns
    (`made`), or the one array that others are parts of (`joins`). `memory` is its array; `op` its
    value when it is a scalar, a block or a place."""

    name: str
    kind: ArgumentKind
    direction: str
    c_type: str
    width: int = 0
    memory: Memory | None = None
    op: Op | None = None
    extent: Extent = Extent()
    signed: bool = False
    reads: bool = True
    """Whether the kernel reads what the caller's array holds."""
    float_bytes: int = 0
    """Bytes of the floating-point numbers that it consists of; 0 for anything else."""
    variable: Variable | None = None
    field: Field | None = None
    part: Part | None = None
    is_volatile: bool = False
    """Whether another part of the program may change the array during a call."""
    tells_of: str = ""
    """The array of which it says whether it is not null (a `_Bool`), or else at which address of
    the host it lies."""
    joins: tuple[str, ...] = ()
    """The arguments whose arrays are parts of its own, which may overlap; each is a 'place'."""
    made: bool = False
    """Whether it is a block from the heap that the function asks for and returns: the result is
    then 1 in place of its address."""
    least: int = 0
    most: int | None = None
    """Of a number: only calls in which it is from one to the other are served, the host has all
    that are not; of no bound, where there is no greatest one."""

    @property
    def served(self) -> str:
        """Between what a number is in the calls that are served, or empty."""
        return "" if self.most is None else f"from {self.least} to {self.most}"

    @property
    def is_parameter(self) -> bool:
        """Whether the C function has a parameter for it."""
        added = self.variable or self.field or self.part or self.tells_of or self.joins or self.made
        return not (self.is_result or added)

    @property
    def is_number(self) -> bool:
        """Whether the hardware gets a number for it that is as wide in every call."""
        return self.kind in (ArgumentKind.SCALAR, ArgumentKind.PLACE)

    @property
    def is_result(self) -> bool:
        """Whether it is the function's result."""
        return self.kind is ArgumentKind.SCALAR and self.direction == "out"
