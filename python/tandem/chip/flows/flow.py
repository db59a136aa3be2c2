# SPDX-License-Identifier: Apache-2.0
"""The tools of a family around nextpnr, as all have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Clocks:
    """The board's oscillator and the chip's clock, in MHz."""

    board_mhz: float
    chip_mhz: float


@dataclass(frozen=True)
class Flow:
    """`config_option` is nextpnr's for the configuration that it makes. `constraints`: the text
    that tells it of ports of module `board` with their pins, and of clocks; `pll`: Verilog that
    makes `clk` of `clock_pin`, None where there is no setting.

    `put_content(work, config, made, old, new)`: `made` is then the configuration with another
    content of one memory; all are files of the folder `work`, `old` and `new` as $readmemh reads
    them. `pack(work, config, files)`: makes `files`, what boards are configured with. Both raise
    SynthesisError where a tool fails. `has_two_writers`: whether both ports of a block RAM
    write."""

    config_option: str
    files: tuple[str, ...]
    constraints: Callable[[Mapping[str, str], Clocks], str]
    pll: Callable[[Clocks], str | None]
    put_content: Callable[[Path, str, str, str, str], None]
    pack: Callable[[Path, str, Sequence[str]], None]
    has_two_writers: bool
