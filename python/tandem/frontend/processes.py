# SPDX-License-Identifier: Apache-2.0
"""Processes and streams (`tandem/stream.h`) in LLVM IR: what of the header is hardware, and what
only makes it run in software.

The header's functions that a kernel knows become declarations, and each call that starts a process
gets a copy of its function, which is the process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import llvmlite.binding as llvm

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.linking import find_definition
from tandem.frontend.sharing import APART
from tandem.frontend.symbols import renamed, symbol
from tandem.frontend.text import Copies, function_text
from tandem.llvm.passes import Passes, run_passes

WRITE, READ, WORD, DEPTH, TRY_WRITE, TRY_READ, EMPTY, FULL = (
    f"tandem_stream_{name}"
    for name in ("write", "read", "word", "depth", "try_write", "try_read", "empty", "full")
)
STREAM_CALLS = frozenset({WRITE, READ, WORD, DEPTH, TRY_WRITE, TRY_READ, EMPTY, FULL})
JOIN = "tandem_join"
STARTING, STARTED = "tandem_starting", "tandem_started"
_HARDWARE = "tandem_is_hardware"
KNOWN = (*sorted(STREAM_CALLS), JOIN, STARTING, STARTED)
"""Functions of the header that become hardware."""
PROCESS = ".process"
"""What the name of a process has behind its function's, with its number."""

_IS_HARDWARE = re.compile(rf"^(  %\S+ = )call [^@\n]*@{_HARDWARE}\(\).*$", re.M)
_CALLED = re.compile(r"^  (?:%\S+ = )?(?:tail )?call [^@\n]*@([^\s(]+)\(", re.M)


def is_process(name: str) -> bool:
    """Whether a function is one of the copies that are processes."""
    return PROCESS in name


def has_streams(module: llvm.ModuleRef) -> bool:
    """Whether the module includes `tandem/stream.h`, and uses it."""
    return any(function.name == _HARDWARE for function in module.functions)


def with_processes(module: llvm.ModuleRef, files: Sequence[str]) -> llvm.ModuleRef:
    """A module with streams as hardware sees it. Raises UserError where what is started is no
    function of the program."""
    text = str(module)
    for name in KNOWN:
        text = _declared(text, name)
    text = _IS_HARDWARE.sub(r"\1add i32 0, 1", text)
    module = llvm.parse_assembly(text)
    _drop_software(module)
    return llvm.parse_assembly(_with_copies(str(module), files))


def _declared(text: str, name: str) -> str:
    """The module in which a function of the header is only declared. No call of it is copied: a
    loop that takes a record to know whether it goes on would take two of them. No two are made one,
    which could be about either of two streams."""
    body = function_text(text, name)
    if body is None:
        return text
    head = body.partition("\n")[0]
    kinds = re.sub(r"\s%[\w.]+(?=[,)])", "", head.partition(f"@{name}")[2].partition(")")[0] + ")")
    result = "void" if " void @" in head else head.partition(f" @{name}")[0].split()[-1]
    return text.replace(body, f"declare {result} @{name}{kinds} noduplicate nomerge nounwind\n", 1)


def _drop_software(module: llvm.ModuleRef) -> None:
    """Leaves out what is never reached in hardware."""
    run_passes(
        module,
        Passes.add_simplify_cfg_pass,
        Passes.add_instruction_combine_pass,
        Passes.add_simplify_cfg_pass,
    )


def _with_copies(text: str, files: Sequence[str]) -> str:
    """The module's text in which each start calls a copy of its function."""
    parts, copies, position = [], Copies(text), 0
    for number, (begin, end) in enumerate(_starts(text)):
        called = list(_CALLED.finditer(text, begin, end))
        body = function_text(text, _plain(called[-1][1])) if called else None
        if body is None:
            raise _no_process(text, begin, files)
        name = _plain(called[-1][1])
        copy = f"{name}{PROCESS}{number}"
        parts += [text[position : called[-1].start(1)], symbol(copy)]
        position = called[-1].end(1)
        copies.add(renamed(body, {name: copy}), APART)
    rest = text[position:]
    made = "".join([*parts, rest])
    marks = re.compile(rf"^  call void @(?:{STARTING}|{STARTED})\(.*\n", re.M)
    return f"{marks.sub('', made)}\n{copies.text()}"


def _starts(text: str) -> Iterator[tuple[int, int]]:
    """Where each start of a process begins and ends."""
    for begin in re.finditer(rf"^  call void @{STARTING}\(", text, re.M):
        end = text.find(f"@{STARTED}(", begin.end())
        yield begin.end(), end


def _plain(written: str) -> str:
    return written.strip('"')


def _no_process(text: str, position: int, files: Sequence[str]) -> UserError:
    head = text.rfind("\ndefine ", 0, position)
    found = re.search(r"@([^\s(]+)\(", text[head:position])
    place = find_definition(_plain(found[1]), files, text) if found else Place(files[0])
    return user_error(
        "process",
        "what `tandem_start` starts is no function of the program",
        place,
        "start a call of a function that has its C here: `tandem_start(filter(&a, &b))`",
    )
