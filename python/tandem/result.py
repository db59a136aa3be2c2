# SPDX-License-Identifier: Apache-2.0
"""What the functions of `tandem` return: the plain data of a command's `--json`, which also shows
itself in notebooks, and gives its tables as frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from tandem.report.tables import Library, frame_of, tables_of

if TYPE_CHECKING:
    from tandem.report.notebook import PageView

Arguments = ParamSpec("Arguments")


class Result(dict[str, Any]):
    """A result of `run`, `compile` and others: a dict as docs/schemas describes it."""

    @property
    def tables(self) -> list[str]:
        """The names that `frame` takes."""
        return list(tables_of(self))

    def frame(self, table: str, library: Library | None = None) -> Any:
        """A table as a frame of `pandas` or `polars`, of whichever is installed if none is named:
        a row a loop, a kernel, a category of the breakdown, and so on.

        Raises UserError for a table that the result has not got, and without such a library."""
        return frame_of(tables_of(self), table, library)

    def page(self, height: int = 720) -> PageView:
        """The page of `--report` (docs/report.md) in a notebook, `height` pixels high.

        Raises UserError if the page's own program is not there."""
        from tandem.report.notebook import page_view

        return page_view(self, _packages(self), height)

    def _repr_html_(self) -> str:
        from tandem.report.notebook import summary

        return summary(self)


def _packages(result: dict[str, Any]) -> list[Path]:
    """The package that a result names, if it is still there."""
    place = Path(result.get("package") or "")
    return [place] if result.get("package") and place.is_dir() else []


def returns_result(function: Callable[Arguments, dict[str, Any]]) -> Callable[Arguments, Result]:
    """The function with its plain data as a `Result`."""

    @wraps(function)
    def called(*values: Arguments.args, **named: Arguments.kwargs) -> Result:
        return Result(function(*values, **named))

    called.__annotations__ = {**function.__annotations__, "return": "Result"}
    return called
