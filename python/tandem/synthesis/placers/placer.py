# SPDX-License-Identifier: Apache-2.0
"""nextpnr for a family, as all have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tandem.synthesis import tools


@dataclass(frozen=True)
class Placer:
    """`family` is nextpnr's word for it, `title` that of its devices, with an article.

    `part`: what tells nextpnr of a device and its package. `constraints_option`: that of where pins
    are; `constraints`: the text for pins of the harness, by port, None where nextpnr chooses
    them itself."""

    family: str
    title: str
    part: Callable[[str, str], list[str]]
    constraints_option: str
    constraints: Callable[[Mapping[str, str]], str] | None = None

    @property
    def name(self) -> str:
        """The tool's."""
        return f"nextpnr-{self.family}"

    def find(self) -> tools.Tool:
        """Raises SynthesisError when it is not installed."""
        return tools.find(self.name)


def part_option(part: str, package: str) -> list[str]:
    """Where each part is an option."""
    return [f"--{part}", "--package", package]
