# SPDX-License-Identifier: Apache-2.0
"""Names of functions in LLVM IR text: who defines them, and giving their definition and their uses
other names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tandem.written import demangled, own_name

LOCAL_NAME = r'%(?:"[^"\n]*"|[-\w.$]+)'
"""A pattern of what LLVM's text calls a value, a block or a type."""
FAST = r"(?:fast|reassoc|nnan|ninf|nsz|arcp|contract|afn)"
"""A pattern of what that text allows with floating-point numbers beyond IEEE 754."""
_LINKAGE = re.compile(
    r"\b(?:internal|private|weak_odr|weak|linkonce_odr|linkonce|available_externally|common|"
    r"dso_local|hidden|protected|unnamed_addr|local_unnamed_addr)\b\s*"
)
_PLAIN = re.compile(r"[-a-zA-Z._][-a-zA-Z._0-9]*\Z")
_MANGLED = re.compile(r"^define [^@\n]*@(_[ZQ][\w$.]+)\(", re.M)
_PARAMETER_NAME = re.compile(r'\s*%(?:[-a-zA-Z$._0-9]+|"[^"]*")$')


_AT_BEGIN_AND_END = re.compile(r"^@llvm\.global_[cd]tors = .*\n", re.M)


def without_constructors(text: str) -> str:
    """The module with nothing in it that runs when it is loaded or given back."""
    return _AT_BEGIN_AND_END.sub("", text)


def symbol(name: str) -> str:
    """A global name as LLVM writes it, without the `@`."""
    if _PLAIN.match(name):
        return name
    escaped = "".join(
        c if 32 <= b < 127 and c not in '"\\' else f"\\{b:02X}"
        for b in name.encode("utf-8", "surrogateescape")
        for c in [chr(b)]
    )
    return f'"{escaped}"'


def is_plain_name(name: str) -> bool:
    """Whether LLVM writes a name as it is, without quotes."""
    return bool(_PLAIN.match(name))


def _uses(text: str, *names: str) -> Iterator[re.Match[str]]:
    """Where one of some globals or its comdat is named, outside of strings."""
    written = "|".join(_written(name) for name in names if symbol(name) in text)
    if not written:
        return
    for match in re.finditer(rf'([@$])({written})|"[^"\n]*"', text):
        if match[1]:
            yield match


def _written(name: str) -> str:
    """A pattern of a global name as LLVM writes it."""
    written = re.escape(symbol(name))
    return written if written.startswith('"') else rf"{written}(?![-a-zA-Z$._0-9])"


@dataclass(frozen=True)
class Definition:
    """A function's definition in the text of a module: its line, and whether other modules see
    it."""

    line: str
    is_local: bool


def definition(text: str, name: str) -> Definition | None:
    """The definition of a function, None if the module has none."""
    for match in _uses(text, name):
        line, _ = _line_of(text, match.start())
        if line.startswith("define ") and _is_defined_here(line, name):
            return Definition(line, bool(re.match(r"define (?:internal|private)\b", line)))
    return None


_METADATA = re.compile(r"^!(\d+) = ", re.M)
_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\((line: \d+(?:, column: \d+)?)", re.M)
_SUBPROGRAM = re.compile(r"^!(\d+) = (distinct !DISubprogram\(.*\))$", re.M)
_LOOP = re.compile(r"^!(\d+) = distinct !\{!\d+, (.*)\}$", re.M)
_OF_LOOP = re.compile(r"!llvm\.loop !(\d+)")
_ATTACHED = re.compile(r",? !dbg !(\d+)")
_VARIABLES = re.compile(r"^ *(?:#dbg_|(?:tail )?call void @llvm\.dbg\.).*\n", re.M)
"""What a debugger is told of variables."""


def function_text(text: str, name: str) -> str | None:
    """A function of a module's text, from its first line to its last; None if it is not defined."""
    head = re.search(rf"^define [^@\n]*@{re.escape(symbol(name))}\(.*\n", text, re.M)
    return None if head is None else text[head.start() : text.index("\n}\n", head.start()) + 3]


class Copies:
    """Copies of a module's functions, each with the C lines that its instructions come from: what a
    debugger is told of one function cannot be of another one too."""

    def __init__(self, text: str) -> None:
        self._located = dict(_LOCATION.findall(text))
        self._described = {m[1]: m[2] for m in _SUBPROGRAM.finditer(text)}
        self._loops = dict(_LOOP.findall(text))
        self._number = max(map(int, _METADATA.findall(text)), default=0)
        self._made: list[str] = []

    def add(self, body: str, attribute: str) -> None:
        """Adds a function's text as a copy, internal to the module."""
        head, _, rest = _VARIABLES.sub("", body).partition("\n")
        head = made_internal(head)
        described = _ATTACHED.search(head)
        own = self._node(self._described.get(described[1], "")) if described else ""
        head = _ATTACHED.sub(f" !dbg {own}" if own else "", head).removesuffix(" {")
        before, _, behind = head.partition(" !dbg ")
        head = f"{before} {attribute}{' !dbg ' + behind if behind else ''} {{"
        self._made.append(f"{head}\n{self._relocated(rest, own)}")

    def text(self) -> str:
        """All copies, and what is told of them."""
        return "\n".join(self._made)

    def _relocated(self, rest: str, scope: str) -> str:
        """Instructions at the places where they are, and loops, in the function `scope`."""
        places: dict[str, str] = {}

        def place(number: str) -> str:
            if number not in places and scope and number in self._located:
                places[number] = self._node(f"!DILocation({self._located[number]}, scope: {scope})")
            return places.get(number, "")

        def loop(match: re.Match[str]) -> str:
            told = [place(word[1:]) or word for word in self._loops[match[1]].split(", ")]
            told = [word for word in told if word[1:] not in self._located]
            own = f"!{self._number + 1}"
            return "!llvm.loop " + self._node(f"distinct !{{{', '.join([own, *told])}}}")

        def attached(match: re.Match[str]) -> str:
            found = place(match[1])
            return f"{match[0].partition('!')[0].rstrip()} !dbg {found}" if found else ""

        return _ATTACHED.sub(attached, _OF_LOOP.sub(loop, rest))

    def _node(self, described: str) -> str:
        if not described:
            return ""
        self._number += 1
        self._made.append(f"!{self._number} = {described}")
        return f"!{self._number}"


def declares(text: str, name: str) -> bool:
    """Whether the module uses a function that another one defines."""
    return any(_line_of(text, m.start())[0].startswith("declare ") for m in _uses(text, name))


def _line_of(text: str, position: int) -> tuple[str, int]:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : end if end >= 0 else len(text)], start


def _is_defined_here(line: str, name: str) -> bool:
    first = next(_uses(line, name), None)
    return first is not None and "@" not in re.sub(r'"[^"]*"', "", line[: first.start()])


def redirected(text: str, name: str, original: str, stub: str, make_visible: bool) -> str:
    """The module with the definition of `name` called `original` and every use of it `stub`, which
    another module defines. An alias stays one of the definition."""
    found = definition(text, name)
    parts, position = [], 0
    for match in _uses(text, name):
        line, start = _line_of(text, match.start())
        is_alias = bool(re.match(r"@\S+ = .*\b(?:alias|ifunc)\b", line))
        defines = (
            found is not None and line == found.line and "@" not in line[: match.start() - start]
        )
        kept = defines or is_alias or match[1] == "$"
        parts += [text[position : match.start()], match[1], symbol(original if kept else stub)]
        position = match.end()
    result = "".join([*parts, text[position:]])
    if found is None:
        return result
    if make_visible:
        line = found.line.replace(f"@{symbol(name)}", f"@{symbol(original)}", 1)
        result = result.replace(line, re.sub(r"^define (?:internal|private)\b", "define", line), 1)
    return f"{result}\n{_declaration(found.line, name, stub)}\n"


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The module with some globals called otherwise, at their definitions and everywhere."""
    if not names:
        return text
    others = {symbol(name): symbol(other) for name, other in names.items()}
    parts, position = [], 0
    for match in _uses(text, *names):
        parts += [text[position : match.start()], match[1], others[match[2]]]
        position = match.end()
    return "".join([*parts, text[position:]])


def _declaration(line: str, name: str, stub: str) -> str:
    """The declaration of `stub` with the signature of a definition."""
    before, _, rest = line.removeprefix("define ").partition(f"@{symbol(name)}(")
    kinds = ", ".join(_PARAMETER_NAME.sub("", p) for p in parameters_of(rest))
    return f"declare {without_linkage(before)}@{symbol(stub)}({kinds})"


def without_linkage(head: str) -> str:
    """What stands between `define` and a function's name, without who sees it."""
    return _LINKAGE.sub("", head)


def made_internal(line: str) -> str:
    """The first line of a definition, for a function that only its module knows."""
    before, at, rest = line.removeprefix("define ").partition("@")
    rest = re.sub(r" comdat\b(?:\([^)]*\))?", "", rest)
    return f"define internal {without_linkage(before).strip()} {at}{rest}"


def parameters_of(rest: str) -> list[str]:
    """The parameters of a definition's line, from behind the opening parenthesis on."""
    parts, depth, current = [], 0, ""
    for c in rest:
        if c == ")" and depth == 0:
            break
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    return [*parts, current.strip()] if current.strip() else parts


def resolved(modules: Sequence[str], name: str) -> str:
    """The symbol of a function that the user names: as in C, or a C++ function as it is written
    (`ns::f(int const*, int)`, or `ns::f` where there is one). Names of no function stay."""
    if any(definition(text, name) is not None for text in modules):
        return name
    symbols = {m[1] for text in modules for m in _MANGLED.finditer(text)}
    written = {demangled(symbol): symbol for symbol in symbols}
    wanted = _spaceless(name)
    fitting = [s for d, s in written.items() if wanted in (_spaceless(d), _spaceless(_head(d)))]
    fitting = fitting or [
        s for d, s in written.items() if s.startswith("_Q") and own_name(s) == wanted
    ]
    return fitting[0] if len(fitting) == 1 else name


def is_defined(modules: Sequence[str], name: str) -> bool:
    """Whether a function that the user names is in a program."""
    symbol = resolved(modules, name)
    return any(definition(text, symbol) is not None for text in modules)


def _head(written: str) -> str:
    """A C++ name without its parameters."""
    return written.partition("(")[0]


def _spaceless(text: str) -> str:
    return "".join(text.split())


def part_of(name: str, what: str) -> str:
    """The name of a value on the way to another one."""
    plain = name[1:].strip('"')
    return f'%"tandem.{plain}.{what}"'
