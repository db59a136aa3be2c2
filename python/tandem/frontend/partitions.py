# SPDX-License-Identifier: Apache-2.0
"""Local arrays that are to be several memories: `#pragma tandem partition(ARRAY, BANKS)`.

An annotation of clang's carries that from the declaration to the array's address, which LLVM would
take for lost with it. So it goes before any optimisation, and the array's name says it instead:
that one outlives inlining.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile

from tandem.diagnostics import Place, UserError, user_error
from tandem.llvm import read as llvm
from tandem.llvm.edit import erase, rename
from tandem.llvm.module import Module, opened
from tandem.llvm.read import Ref, call

ANNOTATION = "tandem partition"
"""What clang's annotation begins with; the array's name and the number of banks follow."""
MOST_BANKS = 1024

_MARK = ".banks."
_ANNOTATE = "llvm.var.annotation"


def mark_partitions(module: Module) -> bool:
    """Has the names of arrays say of how many banks they are to be. Raises UserError where a
    directive stands before the declaration of something else."""
    uses = [ref for ref in _annotations(module) if _asked(ref)]
    declared: dict[tuple[Ref, ...], list[Ref]] = defaultdict(list)
    for ref in uses:
        variable, string, file, line = llvm.operands(ref)[:4]
        declared[(llvm.function_of(ref), string, file, line)].append(variable)
    for (_, string, file, line), variables in declared.items():
        array, banks = _words(string)
        variable = _variable_of(array, variables)
        if variable is None:
            place = Place(llvm.string_in(file) or "", llvm.signed_number(line))
            raise _no_array(array, place)
        rename(variable, f"{llvm.name(variable)}{_MARK}{banks}")
    for ref in uses:
        erase(ref)
    return bool(uses)


def _annotations(module: Module) -> list[Ref]:
    functions = [f for f in module.functions if llvm.name(f).startswith(_ANNOTATE)]
    return [ref for function in functions for ref in llvm.calls_of(function)]


def _asked(ref: Ref) -> bool:
    """Whether an annotation is one of ours."""
    return (llvm.string_in(llvm.operands(ref)[1]) or "").startswith(f"{ANNOTATION} ")


def _words(string: Ref) -> tuple[str, int]:
    """The array and the number of banks that an annotation tells of."""
    _, _, words = (llvm.string_in(string) or "").partition(f"{ANNOTATION} ")
    array, _, banks = words.partition(" ")
    return array, int(banks)


def _variable_of(array: str, variables: list[Ref]) -> Ref | None:
    """Which of the variables that are declared together is the array. Where another one has its
    name, a number is behind it, as may be behind the name of one that is not it."""
    named = {llvm.name(v): v for v in variables if _is_array(v)}
    numbered = [v for name, v in named.items() if _is_numbered(name, array)]
    return named.get(array) or next(iter(numbered), None)


def _is_numbered(name: str, array: str) -> bool:
    """Whether a name is another one with nothing but a number behind it."""
    rest = name.removeprefix(array)
    return name.startswith(array) and (not rest or rest.isdigit())


def _is_array(variable: Ref) -> bool:
    """Whether a value is a local array."""
    if llvm.opcode_of(variable) != llvm.ALLOCA:
        return False
    return call("GetTypeKind", call("GetAllocatedType", variable)) == llvm.TYPE_ARRAY


def banks_of(name: str) -> tuple[str, int]:
    """A variable's name without the mark, and its number of banks: 0 for one an element."""
    plain, mark, rest = name.partition(_MARK)
    digits = "".join(takewhile(str.isdigit, rest))
    return (plain, int(digits)) if mark and digits else (name, 1)


def local_arrays(text: str) -> Iterator[tuple[str, str]]:
    """The functions of a module with each of their arrays, by the names that a directive gives
    them."""
    with opened(text) as module:
        for function in module.defined:
            arrays = filter(_is_array, llvm.instructions([function]))
            yield from [(llvm.name(function), llvm.name(array)) for array in arrays]


def _no_array(name: str, place: Place) -> UserError:
    return user_error(
        "pragma",
        f"`partition` of `{name}`, which is no array that is declared here",
        place,
        "put the directive on the line before the array's declaration",
    )
