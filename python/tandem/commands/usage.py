# SPDX-License-Identifier: Apache-2.0
"""A command line that does not say what it should, as a diagnostic like any other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer

from tandem.diagnostics import UserError, user_error

UsageError: Any = typer.BadParameter.__mro__[1]
"""What all errors of usage are, wherever this version of typer has it."""
NUMBERS = (
    (re.compile(r"valid number|valid float"), "a number"),
    (re.compile(r"valid int"), "a whole number"),
    (re.compile(r"(?:greater than or equal to |x>=)(-?[\d.]+)"), "{} or more"),
)
"""What typer says of a value that is no such number, and what it should be."""


def is_only_help(error: Any) -> bool:
    """Whether nothing was asked for, so that the help, which has been shown, is all there is."""
    return type(error).__name__ == "NoArgsIsHelpError"


def diagnosed(error: Any, words: Sequence[str]) -> UserError:
    """What is wrong with a command line of some words, and the cure."""
    parameter = getattr(error, "param", None)
    if parameter is None:
        return user_error("option", _text(error), help=_where_to_look(error, words))
    name = _name(parameter)
    if type(error).__name__ == "MissingParameter":
        meaning = f": {parameter.help}" if getattr(parameter, "help", None) else ""
        return user_error("option", f"{name} is missing", help=f"give {name}{meaning}")
    wanted = _wanted(error.message)
    if wanted is None:
        return user_error("option", _text(error), help=_where_to_look(error, words))
    given = _given(parameter.opts, words)
    return user_error("option", f"`{name}{given}` is not {wanted}", help=f"give {name} {wanted}")


def _name(parameter: Any) -> str:
    """As it is written: the long form of an option, the name of an argument."""
    return max(parameter.opts, key=len) if parameter.opts[0][:1] == "-" else parameter.name


def _wanted(said: str) -> str | None:
    """What a value should be that is a number; None of any other."""
    found = ((form.search(said), wanted) for form, wanted in NUMBERS)
    return next((wanted.format(*match.groups()) for match, wanted in found if match), None)


def _given(options: Sequence[str], words: Sequence[str]) -> str:
    """The value that an option was given last, with a space before it."""
    found = ""
    for i, word in enumerate(words):
        name, _, value = word.partition("=")
        if name in options:
            found = value if value or "=" in word else "".join(words[i + 1 : i + 2])
    return f" {found}" if found else ""


def _text(error: Any) -> str:
    """Typer's own sentence, as ours are: without a capital and a full stop."""
    text = error.message or error.format_message()
    return f"{text[:1].lower()}{text[1:].rstrip('.')}"


def _where_to_look(error: Any, words: Sequence[str]) -> str:
    own = [word for word in words[1:2] if not word.startswith("-")]
    command = error.ctx.command_path if error.ctx is not None else " ".join(["tandem", *own])
    close = ", ".join(sorted(getattr(error, "possibilities", None) or ()))
    return f"{f'perhaps {close}; ' if close else ''}`{command} -h` tells what there is"
