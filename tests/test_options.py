# SPDX-License-Identifier: Apache-2.0
"""What several functions and commands are asked is said once, and is there wherever it counts."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Unpack

import pytest
import tandem
from tandem.commands import options
from tandem.interface.options import DEFAULTS, Building, Running, takes


@takes(Running)
def told(name: str, **asked: Unpack[Running]) -> dict[str, Any]:
    return {"name": name, **asked}


def test_what_is_not_said_is_there() -> None:
    assert told("k") == {"name": "k", **DEFAULTS}
    assert told("k", platform="p")["platform"] == "p"


def test_an_option_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'rooms'"):
        told("k", rooms=3)  # pyright: ignore
    with pytest.raises(TypeError, match="'clock'"):
        tandem.verify(Path("app.c"), "f", clock="stepped")  # pyright: ignore


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        *((tandem.run, Running), (tandem.verify, Running), (tandem.advise, Running)),
        *((tandem.compile, Building), (tandem.build_chip, Building)),
    ],
)
def test_signatures_have_them(function: Any, kind: type[Building]) -> None:
    """As keywords, each with its default and none but these."""
    found = signature(function).parameters
    assert not any(p.kind is Parameter.VAR_KEYWORD for p in found.values())
    for name in kind.__annotations__:
        assert found[name].kind is Parameter.KEYWORD_ONLY
        assert found[name].default == DEFAULTS[name], name


@dataclass(frozen=True)
class Inner(options.Group):
    depth: int = 1


@dataclass(frozen=True, kw_only=True)
class Outer(options.Group):
    before: str = "b"
    inner: Inner
    behind: str = "c"


def test_a_group_of_options_is_where_it_stands() -> None:
    """Groups in groups, too; a command gets each with its values."""
    got: list[Any] = []

    @options.grouped
    def command(*, first: int = 0, outer: Outer, last: bool = False) -> None:
        got.append((first, outer, last))

    assert list(signature(command).parameters) == ["first", "before", "depth", "behind", "last"]
    command(first=3, before="x", depth=7, behind="y", last=True)
    assert got == [(3, Outer(before="x", inner=Inner(7), behind="y"), True)]
