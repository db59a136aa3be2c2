# SPDX-License-Identifier: Apache-2.0
"""A page of results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tandem.interface.options import AnyPath


def write_report(
    place: AnyPath,
    *results: dict[str, Any],
    packages: Sequence[AnyPath] = (),
    files: Sequence[AnyPath] = (),
    platform: str | None = None,
    changes: Sequence[str] = (),
) -> None:
    """Writes a page (docs/report.md) of results of `compile`, `run` and others, of `files` that
    have such results, packages or pages, and of a platform's numbers.

    Raises UserError for what no page can be made of, and where it cannot be written."""
    from tandem.report.gather import Gathered

    page = Gathered.into(place)
    page.add_packages(Path(package) for package in packages)
    for file in files:
        page.add_file(Path(file))
    if platform is not None:
        from tandem.platforms.engine import find_platform

        page.add_platform(find_platform(platform), changes)
    page.write(*results)
