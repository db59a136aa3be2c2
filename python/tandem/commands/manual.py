# SPDX-License-Identifier: Apache-2.0
"""Pages of the manual (man), made from the command line's own definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tandem.commands import cc
from tandem.installation import tandem_version

NAME = "tandem"
STATUSES = (
    ("0", "all is well"),
    ("2", "the input, the request or the system is at fault; nothing was left half-written"),
    ("70", "a fault of Tandem's own; the message says what to report"),
    ("128+n", "stopped by signal n"),
)


def pages(root: Any) -> dict[str, str]:
    """The name of each page of a command and all below it, such as `tandem-platform-check`, and its
    text."""
    return {"-".join(path): _page(path, command) for path, command in _walk((NAME,), root)}


def _walk(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """A command and all below it."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _walk((*path, name), inner)


def _page(path: tuple[str, ...], command: Any) -> str:
    about = " ".join((command.help or "").split())
    title = "-".join(path)
    parts = [
        f'.TH "{_plain(title.upper())}" "1" "" "{NAME} {tandem_version()}" "Tandem"',
        *(".SH NAME", f"{_plain(title)} \\- {_plain(_first_sentence(about))}"),
        *_body(path, command, about),
        *(".SH EXIT STATUS", *_terms(STATUSES)),
        *(".SH SEE ALSO", _plain(", ".join(_beside(path, command)))),
    ]
    return "\n".join(parts) + "\n"


def _body(path: tuple[str, ...], command: Any, about: str) -> list[str]:
    if path[-1] in cc.NAMES:  # whose options are a compiler's
        return [".SH DESCRIPTION", ".nf", *map(_line, cc.USAGE.splitlines()), ".fi"]
    shown = [p for p in command.params if not getattr(p, "hidden", False)]
    arguments = [(_argument(p), p.help or "") for p in shown if p.opts[0][:1] != "-"]
    options = [(_option(p), p.help or "") for p in shown if p.opts[0][:1] == "-"]
    below = getattr(command, "commands", {})
    told = [(name, " ".join((inner.help or "").split())) for name, inner in below.items()]
    usage = " ".join(
        [*path, "[OPTIONS]", *(["COMMAND"] if below else []), *(name for name, _ in arguments)]
    )
    return [
        *(".SH SYNOPSIS", f".B {_plain(usage)}", ".SH DESCRIPTION", _line(about)),
        *_section("COMMANDS", told),
        *_section("ARGUMENTS", arguments),
        *_section("OPTIONS", [*options, ("-h, --help", "the same in short")]),
    ]


def _argument(parameter: Any) -> str:
    name = (getattr(parameter, "metavar", None) or parameter.name).upper()
    name = name if getattr(parameter, "nargs", 1) == 1 else f"{name}..."
    return name if parameter.required else f"[{name}]"


def _option(parameter: Any) -> str:
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    if getattr(parameter, "is_flag", False):
        return names
    value = getattr(parameter, "metavar", None) or parameter.name.upper()
    return f"{names} {value}"


def _section(title: str, rows: list[tuple[str, str]]) -> list[str]:
    return [f".SH {title}", *_terms(rows)] if rows else []


def _terms(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, meaning in rows:
        yield from (".TP", f".B {_plain(name)}", _line(meaning))


def _beside(path: tuple[str, ...], command: Any) -> list[str]:
    """The pages above and below a command's."""
    below = ["-".join((*path, name)) for name in getattr(command, "commands", {})]
    names = [*(["-".join(path[:-1])] if path[1:] else []), *below]
    return [f"{name}(1)" for name in names]


def _first_sentence(text: str) -> str:
    found = re.match(r"(.*?)[.:;](?: |$)", text)
    return found[1] if found else text


def _plain(text: str) -> str:
    """As it is, for man: it takes a minus for a hyphen, and reads backslashes."""
    return text.replace("\\", "\\e").replace("-", "\\-")


def _line(text: str) -> str:
    """A line of text, which could begin like a request of man's own."""
    return f"\\&{_plain(text)}" if text[:1] in (".", "'") else _plain(text)
