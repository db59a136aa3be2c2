# SPDX-License-Identifier: Apache-2.0
"""What flang knows of the procedures of a Fortran file: their names, and of each dummy argument
what it is, whether it may change, and how large. LLVM's own text has none of it.

It stands in flang's intermediate language (HLFIR), which is read as objects of MLIR; operations
that this MLIR does not know are seen as what they are called, are given and have.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from tandem.languages.fortran.sizes import Size, size_of

ir: Any = importlib.import_module("pycde.circt.ir")

_NUMBER = re.compile(r"(?:i(8|16|32|64)|f(32|64)|!fir\.logical<([1248])>)\Z")
_REFERENCE = re.compile(r"!fir\.ref<(.*)>\Z")
_ARRAY = re.compile(r"!fir\.array<((?:[\d?]+x)*)(.*)>\Z")
_BOX = re.compile(r"!fir\.box<(.*)>\Z")
_PART = re.compile(r"[A-Z][^A-Z]*")
_ATTRIBUTE = re.compile(r"[a-z_]+")
EXTERNAL, MAIN = "_QP", "_QQ"
"""Before the name of a procedure of no module, and of what is the main program's."""
UNSTEADY = frozenset({"optional", "target", "volatile", "asynchronous", "pointer", "allocatable"})
"""Attributes of an argument that may not be there, or may change otherwise than by its name."""


class DummyKind(Enum):
    """How a dummy argument is passed: a number by its place in memory or by its value, an array by
    where it begins, or with a descriptor beside, and anything else."""

    SCALAR = auto()
    VALUE = auto()
    ARRAY = auto()
    DESCRIBED = auto()
    OTHER = auto()


@dataclass(frozen=True)
class Dummy:
    """A dummy argument. `number`: LLVM's type of it, or of its elements; empty where that is no
    number; `rank`: of an array; `attributes`: as Fortran has them; `size`: in bytes, None where it
    is not told."""

    name: str
    kind: DummyKind
    number: str = ""
    is_logical: bool = False
    rank: int = 0
    attributes: frozenset[str] = frozenset()
    size: Size | None = None

    @property
    def bytes(self) -> int:
        """Of the number, or of one element."""
        return number_bytes(self.number)

    @property
    def is_steady(self) -> bool:
        """Whether it is there, and changes by its own name alone."""
        return not self.attributes & UNSTEADY


@dataclass(frozen=True)
class Procedure:
    """A procedure. `symbol`: what linkers call it; `module`: empty for none; `is_bound`: it has a
    name and a signature of C's."""

    symbol: str
    name: str
    module: str
    is_bound: bool
    dummies: tuple[Dummy, ...]


def number_bytes(number: str) -> int:
    """Of LLVM's type of a number; 0 for none."""
    if number.startswith("i"):
        return int(number[1:]) // 8
    return {"float": 4, "double": 8}.get(number, 0)


def read_procedures(text: str) -> list[Procedure]:
    """The procedures that HLFIR in its generic form defines, but those inside of others."""
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        return [made for op in module.body.operations if (made := _procedure(op.operation))]


def _procedure(op: Any) -> Procedure | None:
    if op.name != "func.func" or not len(op.regions[0].blocks):
        return None
    symbol = ir.StringAttr(op.attributes["sym_name"]).value
    if symbol.startswith(MAIN) or symbol == "main" or "fir.host_symbol" in op.attributes:
        return None
    bound = _string(op.attributes, "fir.bindc_name")
    *scopes, name = mangled_parts(symbol) or [("", bound or symbol)]
    module = next((own for kind, own in scopes if kind == "M"), "")
    linked = f"{name[1]}_" if symbol.startswith(EXTERNAL) else symbol
    dummies = tuple(_dummies(op))
    return Procedure(bound or linked, name[1], module, bool(bound), dummies)


def mangled_parts(symbol: str) -> list[tuple[str, str]]:
    """(what it is, its name) of each part of flang's name of a thing, from the outermost on; none
    for other names."""
    if not symbol.startswith("_Q"):
        return []
    return [(part[0], part[1:]) for part in _PART.findall(symbol[2:])]


def _string(attributes: Any, key: str) -> str:
    return ir.StringAttr(attributes[key]).value if key in attributes else ""


def _dummies(op: Any) -> Iterator[Dummy]:
    entry = op.regions[0].blocks[0]
    given = ir.ArrayAttr(op.attributes["arg_attrs"]) if "arg_attrs" in op.attributes else []
    told = [ir.DictAttr(one) for one in given] or [{} for _ in entry.arguments]
    for place, argument in enumerate(entry.arguments):
        declared = _declaration(argument)
        attributes = _attributes(declared) | (
            {"optional"} if "fir.optional" in told[place] else set()
        )
        name = _string(told[place], "fir.bindc_name") or f"argument{place}"
        yield _described(name, str(argument.type), frozenset(attributes), declared)


def _declaration(argument: Any) -> Any:
    """The operation that makes a name of Fortran's of an argument; None where there is none."""
    owners = (use.owner.operation for use in argument.uses)
    return next((owner for owner in owners if owner.name == "hlfir.declare"), None)


def _attributes(declared: Any) -> set[str]:
    if declared is None or "fortran_attrs" not in declared.attributes:
        return set()
    text = str(declared.attributes["fortran_attrs"])
    return set(_ATTRIBUTE.findall(text.partition("<")[2]))


def _described(name: str, kind: str, attributes: frozenset[str], declared: Any) -> Dummy:
    """A dummy argument of a type of FIR's."""
    number, is_logical = _number(kind)
    if number:
        return Dummy(name, DummyKind.VALUE, number, is_logical, 0, attributes)
    reference, box = _REFERENCE.match(kind), _BOX.match(kind)
    pointed = (reference or box or [kind, ""])[1]
    number, is_logical = _number(pointed)
    if reference and number:
        return Dummy(name, DummyKind.SCALAR, number, is_logical, 0, attributes)
    array = _ARRAY.match(pointed)
    number, is_logical = _number(array[2]) if array else ("", False)
    if array is None or not number:
        return Dummy(name, DummyKind.OTHER, attributes=attributes)
    rank = array[1].count("x")
    size = size_of(declared, array[1], number_bytes(number)) if reference else None
    which = DummyKind.ARRAY if reference else DummyKind.DESCRIBED
    return Dummy(name, which, number, is_logical, rank, attributes, size)


def _number(kind: str) -> tuple[str, bool]:
    """LLVM's type of a number of FIR's, and whether it is a truth value; empty for anything
    else."""
    found = _NUMBER.match(kind)
    if found is None:
        return "", False
    integer, floating, logical = found.groups()
    if floating:
        return ("float" if floating == "32" else "double"), False
    return f"i{integer or 8 * int(logical)}", bool(logical)
