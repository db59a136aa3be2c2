# SPDX-License-Identifier: Apache-2.0
"""Local arrays that are to be several memories: `#pragma tandem partition(ARRAY, BANKS)`.

An annotation of clang's carries that from the declaration to the array's address, which LLVM would
take for lost with it. So it goes before any optimisation, and the array's name says it instead:
that one outlives inlining.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tandem.diagnostics import Place, UserError, user_error

ANNOTATION = "tandem partition"
"""What clang's annotation begins with; the array's name and the number of banks follow."""
MOST_BANKS = 1024

_MARK = ".banks."
_STRING = re.compile(rf'^(@\S+) = .* c"{ANNOTATION} (\w+) (\d+)\\00"', re.M)
_FILE = re.compile(r'^(@\S+) = .* c"(.*)\\00", section "llvm.metadata"', re.M)
_FUNCTION = re.compile(r"^define .*?^}$", re.M | re.S)
_NAME = re.compile(r"define [^@]*@(\w+)\(")
_ARRAY = re.compile(r"^  %([A-Za-z_]\w*) = alloca \[", re.M)
_USE = re.compile(
    r"^  call void @llvm\.var\.annotation[^(]*\(ptr (%[-\w.$]+), ptr (@[^,]+), ptr (@[^,]+), "
    r"i32 (\d+), .*\n",
    re.M,
)


def with_partitions(text: str) -> str:
    """A module's text in which the names of arrays say of how many banks they are to be. Raises
    UserError where a directive stands before the declaration of something else."""
    asked = {name: (array, int(banks)) for name, array, banks in _STRING.findall(text)}
    if not asked:
        return text
    files = dict(_FILE.findall(text))
    return _FUNCTION.sub(lambda match: _renamed(match[0], asked, files), text)


def _renamed(text: str, asked: dict[str, tuple[str, int]], files: dict[str, str]) -> str:
    uses = [use for use in _USE.findall(text) if use[1] in asked]
    declared: dict[tuple[str, str, str], list[str]] = {}
    for variable, string, file, line in uses:
        declared.setdefault((string, file, line), []).append(variable)
    for (string, file, line), variables in declared.items():
        array, banks = asked[string]
        variable = _variable_of(text, array, variables)
        if variable is None:
            raise _no_array(array, Place(files.get(file, ""), int(line)))
        text = re.sub(rf"{re.escape(variable)}(?![-\w.$])", f"{variable}{_MARK}{banks}", text)
    return _USE.sub(lambda use: "" if use[2] in asked else use[0], text)


def _variable_of(text: str, array: str, variables: list[str]) -> str | None:
    """Which of the variables that are declared together is the array. Where another one has its
    name, a number is behind it, as may be behind the name of one that is not it."""
    arrays = [v for v in variables if re.search(rf"^  {re.escape(v)} = alloca \[", text, re.M)]
    named = [v for v in arrays if re.fullmatch(rf"%{array}\d*", v)]
    return f"%{array}" if f"%{array}" in named else next(iter(named), None)


def banks_of(name: str) -> tuple[str, int]:
    """A variable's name without the mark, and its number of banks: 0 for one an element."""
    plain, mark, rest = name.partition(_MARK)
    number = re.match(r"\d+", rest)
    return (plain, int(number[0])) if mark and number else (name, 1)


def local_arrays(text: str) -> Iterator[tuple[str, str]]:
    """The functions of a module with each of their arrays, by the names that a directive gives
    them."""
    for function in _FUNCTION.findall(text):
        name = _NAME.match(function)
        if name:
            yield from ((name[1], array) for array in _ARRAY.findall(function))


def _no_array(name: str, place: Place) -> UserError:
    return user_error(
        "pragma",
        f"`partition` of `{name}`, which is no array that is declared here",
        place,
        "put the directive on the line before the array's declaration",
    )
