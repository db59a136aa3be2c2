# SPDX-License-Identifier: Apache-2.0
"""What a protocol of a chip's buses is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Wire:
    """A wire of a bus: the pin of a master and that of a slave at its ends, and its bits.
    `at_slave`: the highest and the lowest bit that a slave gets, if not all; `is_selective`:
    whether only the slave that is asked sees it high."""

    master: str
    slave: str
    bits: int = 1
    at_slave: tuple[int, int] | None = None
    is_selective: bool = False


@dataclass(frozen=True)
class Protocol:
    """A protocol: its name in files, its place among them there, its title for people, what masters
    and slaves say, and the Verilog of both ends; the core's port is a master of Wishbone, without a
    bridge. `asked`: what a bridge says to an arbiter, and `granted`: what that says in return, by
    the bridge's pins. `is_link`: whether it leads to one device, and carries no addresses;
    `is_of_instructions`: whether the core asks by instructions of their own, in place of loads and
    stores; `has_memory`: whether a device is master at a port of memory too. `master` and `slave`:
    who talks to a front, and to a bridge, when they are tried (tandem.models.buses), in C++; they
    do all that the protocol allows, at random."""

    name: str
    place: int
    title: str
    down: Sequence[Wire]
    up: Sequence[Wire]
    front: str
    bridge: str = ""
    asked: Sequence[str] = ()
    granted: Mapping[str, str] = field(default_factory=dict)
    is_link: bool = False
    is_of_instructions: bool = False
    has_memory: bool = False
    master: str = ""
    slave: str = ""

    @property
    def module(self) -> str:
        """The bridge's."""
        return f"{self.name.replace('-', '_')}_bridge"
