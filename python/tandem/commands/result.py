# SPDX-License-Identifier: Apache-2.0
"""The one JSON that a command prints with `--json`: its result, or why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tandem
from tandem.diagnostics import Diagnostic, TandemError, diagnostic_json


def require_report(place: Path | None) -> None:
    """Before anything is computed: raises UserError where no page could be put there."""
    if place is not None:
        from tandem.report.gather import Gathered

        Gathered.into(place)


def write_report(place: Path | None, result: Any, **parts: Any) -> None:
    """Writes a page of a result, with parts as `tandem.write_report` takes them, if one was asked
    for."""
    if place is not None:
        tandem.write_report(place, result, **parts)


def show_json(data: Any) -> None:
    """Prints a result."""
    print(json.dumps(data, indent=1))


@contextmanager
def showing_failed(show: Callable[[dict[str, Any]], None]) -> Iterator[None]:
    """What a failure leaves of a result is shown before the failure is told."""
    try:
        yield
    except TandemError as failed:
        if failed.result is not None:
            show(failed.result)
        raise


def show_errors(found: Sequence[Diagnostic], status: int, command: Sequence[str]) -> None:
    """Prints errors (docs/schemas/errors.json) where the command line asks for JSON."""
    own = command[: command.index("--")] if "--" in command else command
    if "--json" not in own:
        return
    show_json(
        {
            "format": "tandem-errors",
            "format_version": 1,
            "exit_status": status,
            "errors": [diagnostic_json(one) for one in found],
        }
    )
