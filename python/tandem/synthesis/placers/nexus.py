# SPDX-License-Identifier: Apache-2.0
"""Lattice Nexus (CrossLink-NX): nextpnr."""

from __future__ import annotations

from collections.abc import Mapping

from tandem.synthesis.placers.placer import Placer


def _part(part: str, package: str) -> list[str]:
    """One word, as Lattice orders them: `LIFCL-40-9BG400C`."""
    return ["--device", f"{part}{package}"]


def _constraints(pins: Mapping[str, str]) -> str:
    """A place for every pin: nextpnr chooses none."""
    rows = [f"ldc_set_location -site {{{pin}}} [get_ports {port}]" for port, pin in pins.items()]
    return "\n".join(rows) + "\n"


PLACER = Placer("nexus", "a CrossLink-NX", _part, "--pdc", _constraints)
