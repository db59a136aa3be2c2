# SPDX-License-Identifier: Apache-2.0
"""Buses of other protocols than the core's own: files that make them, and that do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tandem.rtl.bus import BRIDGED
from test_chips import CHIP, application
from test_schemas import holds
from trial import good, refused, tandem

FILE = """format = 1
name = "my-chip"
title = "A chip with two buses"

[chip]
clock = { value = "50 MHz", source = "a test" }
target = "ecp5"

[core]
model = "CORE"

[[bus]]
name = "memory"

[[bus]]
name = "devices"
protocol = "PROTOCOL"

[[ram]]
name = "ram"
size = "128 KiB"

[shell]
bus = "devices"

[uart]
bus = "devices"
"""


def chip_file(folder: Path, protocol: str, core: str = "picorv32") -> Path:
    """A chip whose shells and serial line are on a bus of a protocol."""
    file = folder / "my-chip.toml"
    file.write_text(FILE.replace("PROTOCOL", protocol).replace("CORE", core))
    return file


@pytest.mark.parametrize("protocol", BRIDGED)
def test_a_files_protocol_is_in_the_numbers(protocol: str, tmp_path: Path) -> None:
    file = chip_file(tmp_path, protocol)
    done = tandem("platform", "check", file.name, "--json", cwd=tmp_path)
    good(done)
    numbers = json.loads(done.stdout)
    holds("chip", numbers)
    found = {(numbers[one]["bus"], numbers[one]["protocol"]) for one in ("shell", "uart")}
    assert found == {("devices", protocol)}


def test_files_that_make_no_such_bus(tmp_path: Path) -> None:
    protocol = BRIDGED[0]
    file = chip_file(tmp_path, "ahb")
    line = FILE[: FILE.index("protocol")].count("\n") + 1
    done = tandem("platform", "check", file.name, cwd=tmp_path)
    refused(done, f"{file.name}:{line}", '"ahb"', protocol)
    chip_file(tmp_path, protocol)
    words = ["--set", "ram.bus=devices"]
    refused(tandem("platform", "check", file.name, *words, cwd=tmp_path), "a [[bus]] without")
    words = ["--set", f"memory.protocol={protocol}"]
    done = tandem("platform", "check", file.name, *words, cwd=tmp_path)
    refused(done, "--set", '"memory" speaks', "answers wishbone only", 'bus = "memory"')
    words = ["--platform", CHIP, "--set", f"bus.protocol={protocol}"]
    application(tmp_path)
    refused(tandem("run", "app.c", "--offload", "mix", *words, cwd=tmp_path), "wishbone only")
