# SPDX-License-Identifier: Apache-2.0
"""Numbers that every call gives: `static void f(int n, ...)`, of which all calls say `f(40, ...)`.

Of a function that only its own file can call, and of which nothing but calls speaks, all calls are
known. An integer that is one constant in all of them is that constant in hardware too: loops run a
known number of times, and what depends on it folds away. The argument stays in the signature.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import llvmlite.binding as llvm

from tandem.diagnostics import Diagnostic, Place
from tandem.frontend.function_lines import CALL, NAMES, apart, call_parts, with_names
from tandem.frontend.linking import LOCAL
from tandem.frontend.symbols import LOCAL_NAME, definition
from tandem.llvm.passes import Passes, run_passes

_INTEGER = re.compile(rf"i\d+ .*?({LOCAL_NAME})$")
_NUMBER = re.compile(r"i\d+ (?:.* )?(-?\d+|true|false)$")
"""A number, and no value that has one for a name (`%1`)."""


def with_constant_arguments(
    modules: Sequence[str], top: str, place: Place
) -> tuple[list[str], list[Diagnostic]]:
    """Modules in which those integers that all calls of `top` give the same constant for are
    constants, and a note of them."""
    having = [i for i, text in enumerate(modules) if definition(text, top) is not None]
    found = _constants(modules[having[0]], top) if len(having) == 1 else {}
    if not found:  # or a header's, of which each file has its own
        return list(modules), []
    i = having[0]
    made = [*modules[:i], _with(modules[i], top, found), *modules[i + 1 :]]
    return made, [_note(top, found, place)]


def _constants(text: str, top: str) -> dict[str, str]:
    """LLVM's names of the parameters that are constants, with the text of each."""
    head = _head(top).search(text)
    parameters = apart(call_parts(f"  call{head[1]}")[1]) if head else []
    integers = [name[1] if (name := _INTEGER.match(one)) else "" for one in parameters]
    if not any(integers) or not _calls(text, top):
        return {}
    module = llvm.parse_assembly(text)
    run_passes(module, Passes.add_sroa_pass, Passes.add_sccp_pass)
    given = zip(*_calls(str(module), top), strict=True)
    found = {}
    for name, values in zip(integers, given, strict=False):
        numbers = {number[1] if (number := _NUMBER.match(one)) else "" for one in values}
        if name and len(numbers) == 1 and "" not in numbers:
            found[name] = numbers.pop()
    return found


def _head(top: str) -> re.Pattern[str]:
    """How a function begins that only its own file can call."""
    return re.compile(rf"^define (?:{'|'.join(LOCAL)})\b([^@\n]*@{re.escape(top)}\(.*)$", re.M)


def _calls(text: str, top: str) -> list[list[str]]:
    """What each call gives; empty where more than calls speaks of the function."""
    name = re.compile(rf"@{re.escape(top)}(?![-\w.$])")
    found = []
    for line in filter(name.search, text.splitlines()):
        if _head(top).match(line):
            continue
        call = CALL.match(line)
        if call is None or call[1] != top or len(name.findall(line)) > 1:
            return []
        found.append(apart(call_parts(line)[1]))
    return found


def _with(text: str, top: str, constants: dict[str, str]) -> str:
    head = _head(top).search(text)
    assert head is not None
    end = text.index("\n}", head.end())
    lines = text[head.end() : end].split("\n")
    body = [with_names(line, constants) if NAMES.search(line) else line for line in lines]
    return text[: head.end()] + "\n".join(body) + text[end:]


def _note(top: str, constants: dict[str, str], place: Place) -> Diagnostic:
    told = " and ".join(f"`{name[1:]}` is {number}" for name, number in constants.items())
    return Diagnostic(
        "constant",
        f"in all calls of `{top}` {told}: its hardware is made for that",
        place,
        "take `static` away from the function to have hardware for any numbers",
        severity="note",
    )
