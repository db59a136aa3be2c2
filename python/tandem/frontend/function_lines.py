# SPDX-License-Identifier: Apache-2.0
"""A function of LLVM's text as the lines of its blocks, to be made into others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import llvmlite.binding as llvm

from tandem.frontend.text import LOCAL_NAME

NAMES = re.compile(LOCAL_NAME)
MADE = re.compile(rf"^  ({LOCAL_NAME}) = ")
PHI = re.compile(rf"^  ({LOCAL_NAME}) = phi (.*?) (\[.*\])")
ALLOCA = re.compile(rf"^  ({LOCAL_NAME}) = alloca (.*)$")
"""A local variable: its name, and behind that its type and more, `apart`."""
CALL = re.compile(r"^  (?:%\S+ = )?(?:tail |notail |musttail )?call [^@\n]*@([^\s(]+)\(")
_TAIL = re.compile(r"^(  (?:%\S+ = )?)tail (?=call )", re.M)
DBG = re.compile(r", !dbg !(\d+)")
_LABEL = re.compile(r'^("[^"\n]*"|[-\w.$]+):(?:\s*; preds = (.*))?$')


@dataclass
class Blocks:
    """Its first line and, by their labels, the lines of its blocks, each an instruction or what a
    debugger is told. Of text as LLVM prints it, with a name for every value."""

    head: str
    lines: dict[str, list[str]] = field(default_factory=dict)
    before: dict[str, list[str]] = field(default_factory=dict)
    """The labels of the blocks that lead to each."""

    @classmethod
    def of(cls, body: str) -> Blocks:
        """Reads the text of a function."""
        head, *rest = body.rstrip("\n").removesuffix("}").splitlines()
        found, label, is_open = cls(head), "", False
        for line in rest:
            named = _LABEL.match(line)
            if named:
                label = named[1]
                found.lines[label] = []
                found.before[label] = [p[1:] for p in NAMES.findall(named[2] or "")]
            elif is_open:  # a switch has a line for each case
                found.lines[label][-1] += f"\n{line}"
                is_open = not line.startswith("  ]")
            elif line:
                found.lines[label].append(line)
                is_open = line.startswith("  switch ") and line.endswith("[")
        return found

    def text(self) -> str:
        """The function's text."""
        blocks = (f"{label}:\n" + "\n".join(lines) for label, lines in self.lines.items())
        return "\n".join([self.head, "\n\n".join(blocks)]) + "\n}\n"


def without_tails(text: str) -> str:
    """Lines of which no call promises to leave the function's own variables alone: what was
    another's, a block from the heap or a caller's variable, has become one of them."""
    return _TAIL.sub(r"\1", text)


def is_told(line: str) -> bool:
    """Whether a line only tells a debugger something."""
    return line.lstrip().startswith("#dbg_")


def call_parts(line: str) -> tuple[str, str, str]:
    """What is before, in and behind the brackets of a call."""
    call = CALL.match(line)
    assert call is not None
    depth, position = 1, call.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(line[position], 0)
        position += 1
    return line[: call.end()], line[call.end() : position - 1], line[position - 1 :]


def apart(text: str) -> list[str]:
    """What commas part, but for those in brackets."""
    found, depth, start = [], 0, 0
    for i, character in enumerate(f"{text},"):
        if character == "," and not depth:
            found.append(text[start:i].strip())
            start = i + 1
        depth += (character in "([{<") - (character in ")]}>")
    return found


def behind(name: str, more: str) -> str:
    """A name with more behind it."""
    return f'{name[:-1]}{more}"' if name.endswith('"') else f"{name}{more}"


def with_names(line: str, names: Mapping[str, str]) -> str:
    """A line with other names for some of its values."""
    return NAMES.sub(lambda name: names.get(name[0], name[0]), line)


def types_of(module: llvm.ModuleRef, name: str) -> dict[str, str]:
    """The types of a function's values by their names."""
    function = module.get_function(name)
    made = [i for block in function.blocks for i in block.instructions if i.name]
    return {written(value.name): str(value.type) for value in [*made, *function.arguments]}


def written(name: str) -> str:
    """A value's name as LLVM writes it."""
    plain = re.fullmatch(r"[-\w.$]+", name, re.A)
    if plain:
        return f"%{name}"
    escaped = "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:02X}"
        for b in name.encode("utf-8", "surrogateescape")
    )
    return f'%"{escaped}"'
