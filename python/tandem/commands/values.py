# SPDX-License-Identifier: Apache-2.0
"""The values that options may have, for a shell that completes them. Where none begins as what was
typed, the shell offers files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tandem.installation import known

Values = Callable[[str], list[str]]
"""What was typed -> the values that begin so."""


def these(names: Callable[[], Iterable[str]]) -> Values:
    """Those of some names, which are asked for when it is time."""

    def values(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return values


def _kernels() -> Iterable[str]:
    from tandem.library.manifests import library_kernels

    return library_kernels()


platforms = these(lambda: known("platforms"))
targets = these(lambda: known("targets"))
boards = these(lambda: known("boards"))
studies = these(lambda: known("studies"))
kernels = these(_kernels)
kinds = these(lambda: ("platforms", "targets", "kernels"))
goals = these(lambda: ("time", "balanced", "area"))
modes = these(lambda: ("native", "emulate", "simulate"))
clocks = these(lambda: ("scheduled", "stepped"))
families = these(lambda: ("xc2v", "xc3s", "xc3se", "xc4v"))
shells = these(lambda: ("bash", "zsh", "fish"))
