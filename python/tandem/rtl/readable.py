# SPDX-License-Identifier: Apache-2.0
"""CIRCT's Verilog with lines filled: what it spreads over a line for each bit, port and case stands
side by side, and declarations before the statements that they are for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

WIDTH = 116
_ASIDE = re.compile(r"(?<=\bend) // .*$", re.MULTILINE)
_OPERATORS = frozenset(
    ("|", "&", "^", "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "<<", ">>", ">>>")
) | {"?", ":", "&&", "||"}
_DECLARED = re.compile(r"((?:reg|wire)(?: \[[^]]+\])?) ([\w$]+);")
_NAME = re.compile(r"[A-Za-z_][\w$]*")
_INSTANCE = re.compile(r"[\w$]+ [\w$]+ \(\.")
_PORTS = re.compile(r", (?=\.[\w$]+ \()")
_LABEL = re.compile(r"(?:\d+'b[01]+|default):")
_ENDS = re.compile(r";$|(?<![\w$])(?:begin|end|endcase)$")
_BEGINS = re.compile(r"(?:else )?if \(|else$|case \(|always_(?:ff|comb)(?![\w$])|initial$")


@dataclass
class _Statement:
    """A statement, or a part of one that has a line of its own, and the lines of C it is of."""

    indent: str
    code: str
    places: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        told = f"  // {', '.join(_shortened(self.places))}" if self.places else ""
        *before, last = _filled(self.indent, self.code)
        yield from before
        yield f"{last}{told}"


def readable(verilog: str, first_bits: Mapping[str, Mapping[str, int]]) -> str:
    """`first_bits`: of a module, its registers whose lowest bit has another number than 0."""
    lines = iter(_ASIDE.sub("", verilog).split("\n"))
    made: list[str] = []
    for line in lines:
        made.append(line)
        if line.startswith("module "):
            name = line.removeprefix("module ").rstrip("(); ")
            made += _header(line, lines)
            statements = _numbered(_statements(lines), first_bits.get(name, {}))
            made += (line for statement in _arranged(statements) for line in statement.lines())
            made.append("endmodule")
    return "\n".join(made)


def _header(first: str, lines: Iterator[str]) -> Iterator[str]:
    """A module's ports, as they are."""
    if not first.rstrip().endswith(";"):
        for line in lines:
            yield line
            if line.rstrip().endswith(");"):
                return


def _statements(lines: Iterator[str]) -> Iterator[_Statement]:
    """Those of a module's body."""
    for line in lines:
        if line == "endmodule":
            return
        code, places = _told(line)
        statement = _Statement(line[: len(line) - len(line.lstrip())], code, places)
        while not _is_whole(statement.code):
            code, places = _told(next(lines))
            statement.code = _joined(statement.code, code)
            statement.places += places
        yield statement


def _told(line: str) -> tuple[str, list[str]]:
    """What a line of Verilog says, and the places in the C."""
    code, comment, places = line.partition("  // ")
    code = re.sub(" +", " ", code.strip())
    if not code or not comment:
        return re.sub(" +", " ", line.strip()), []
    file, found = "", list[str]()
    for place in places.split(", "):
        name, _, number = place.rpartition(":")
        file = name or file
        found.append(f"{file}:{number}")
    return code, found


def _shortened(places: Iterable[str]) -> Iterator[str]:
    """Each place once, its file only where it is another than before."""
    before = ""
    for place in dict.fromkeys(places):
        file, _, number = place.rpartition(":")
        yield f":{number}" if file == before else place
        before = file


def _is_whole(code: str) -> bool:
    """Whether no more of a statement comes, or what follows has lines of its own."""
    if not code or code.startswith(("//", "(*", "`")) or _ENDS.search(code):
        return True
    if code.count("(") + code.count("{") > code.count(")") + code.count("}"):
        return False
    return _LABEL.fullmatch(code) is not None or _BEGINS.match(code) is not None


def _joined(before: str, code: str) -> str:
    tight = before.endswith(("(", "{", "~", "!")) or code.startswith((")", "}"))
    return f"{before}{code}" if tight else f"{before} {code}"


def _arranged(statements: Iterable[_Statement]) -> Iterator[_Statement]:
    """Cases on a line each; before each paragraph, which a comment begins, the declarations of what
    it is the first to name, those of one kind together."""
    kinds: dict[str, str] = {}
    paragraphs: list[list[_Statement]] = [[]]
    for statement in _cases(statements):
        found = _DECLARED.fullmatch(statement.code)
        if found and not (paragraphs[-1] and paragraphs[-1][-1].code.startswith("(*")):
            kinds[found[2]] = found[1]
        elif statement.code.startswith("//"):
            paragraphs.append([statement])
        elif statement.code or paragraphs[-1]:
            paragraphs[-1].append(statement)
    for number, paragraph in enumerate(paragraphs):
        while paragraph and not paragraph[-1].code:
            paragraph.pop()
        comment = paragraph[: bool(number)]
        yield from [_Statement("", "")] if paragraph and number else []
        yield from comment
        yield from _declarations(paragraph[len(comment) :], kinds)
        yield from paragraph[len(comment) :]


def _declarations(paragraph: list[_Statement], kinds: dict[str, str]) -> Iterator[_Statement]:
    """Those of what no paragraph before has named; they are taken out of `kinds`."""
    declared: dict[str, list[str]] = {}
    for statement in paragraph:
        for name in _NAME.findall(statement.code):
            if name in kinds:
                declared.setdefault(kinds.pop(name), []).append(name)
    for kind, names in declared.items():
        yield _Statement("  ", f"{kind} {', '.join(names)};")


def _cases(statements: Iterable[_Statement]) -> Iterator[_Statement]:
    label: _Statement | None = None
    for statement in statements:
        if label is not None:
            yield _Statement(label.indent, f"{label.code} {statement.code}", statement.places)
            label = None
        elif _LABEL.fullmatch(statement.code):
            label = statement
        else:
            yield statement


def _numbered(
    statements: Iterable[_Statement], first_bits: Mapping[str, int]
) -> Iterator[_Statement]:
    """Has bits of registers whose lowest has another number than 0 be called so."""
    names = "|".join(map(re.escape, first_bits)) or "(?!)"
    used = re.compile(rf"\b({names})\[(\d+)(:\d+)?\]")
    declared = re.compile(rf"reg \[(\d+):0\] ({names});")

    def counted(found: re.Match[str]) -> str:
        name, high, low = found.groups()
        first = first_bits[name]
        return f"{name}[{int(high) + first}{f':{int(low[1:]) + first}' if low else ''}]"

    for statement in statements:
        if found := declared.fullmatch(statement.code):
            first = first_bits[found[2]]
            statement.code = f"reg [{int(found[1]) + first}:{first}] {found[2]};"
        else:
            statement.code = used.sub(counted, statement.code)
        yield statement


def _filled(indent: str, code: str) -> list[str]:
    """A statement in lines that are not too long, but where a word is; an instance's are not broken
    within a port that has room in one."""
    if len(indent) + len(code) <= WIDTH:
        return [f"{indent}{code}" if code else ""]
    room = WIDTH - len(indent) - 4
    parts = _PORTS.split(code) if _INSTANCE.match(code) else [code]
    parts = [f"{part}," for part in parts[:-1]] + parts[-1:]
    return _wrapped(indent, room, [w for p in parts for w in ([p] if len(p) < room else _words(p))])


def _words(code: str) -> Iterator[str]:
    """What stays together: an operator, or the name of a port, and what it is before."""
    held = ""
    for word in code.split(" "):
        if word in _OPERATORS or word.startswith("."):
            held += f"{word} "
        else:
            yield f"{held}{word}"
            held = ""
    if held:
        yield held.rstrip()


def _wrapped(indent: str, room: int, words: Iterable[str]) -> list[str]:
    lines = [""]
    for word in words:
        further = f"{lines[-1]} {word}" if lines[-1] else word
        if len(further) > room and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = further
    return [f"{indent}{'    ' if number else ''}{line}" for number, line in enumerate(lines)]
