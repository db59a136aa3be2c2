# SPDX-License-Identifier: Apache-2.0
"""A protocol of a kernel's ports has the places that docs/adding.md says: a toy is put there, and
its hardware computes what the C does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from agreement import Build, build_text
from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.manifest import read_manifest
from tandem.models import icarus
from tandem.models.run import run_c
from tandem.rtl import emit
from tandem.rtl.ports import ELEMENT, PROTOCOLS, Protocol
from tandem.rtl.text import Module, Wire
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
MASK = 0x5A5A5A5A
TEXT = """
unsigned top(const unsigned a[16], unsigned secret)
{
    unsigned sum = 0;
    for (int i = 0; i < 16; i++)
        sum = (sum << 1) + (a[i] ^ secret);
    return sum;
}
"""


def is_secret(kernel: Kernel, argument: Argument) -> bool:
    return argument.name == "secret"


def joined(module: Module, wires: Mapping[str, Wire]) -> Wire:
    return module.logic("xor", [wires["value"], wires["mask"]])


def gives_both(served: icarus.Served, lines: icarus.Lines) -> None:
    value, mask = served.ports("value", "mask")
    number = int.from_bytes(served.value, "little")
    lines["reads"].append(f"{value} = 32'h{number ^ MASK:x}; {mask} = 32'h{MASK:x};")


def masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A protocol for arguments that nobody is to see: a value and a mask, which change it."""
    value = PROTOCOLS["value"]

    def is_plain(kernel: Kernel, argument: Argument) -> bool:
        return value.speaks(kernel, argument) and not is_secret(kernel, argument)

    monkeypatch.setitem(PROTOCOLS, "value", replace(value, speaks=is_plain))
    row = Protocol("masked by the other one", is_secret, {"value": ELEMENT, "mask": ELEMENT})
    monkeypatch.setitem(PROTOCOLS, "masked", row)
    monkeypatch.setitem(emit.VALUES, "masked", joined)
    monkeypatch.setitem(icarus.AGENTS, "masked", gives_both)


def build(target: Target, folder: Path) -> Build:
    return build_text(TEXT, target, CLOCK_PS, folder, slower_clock=True)


VALUES = {"a": bytes(range(64)), "secret": 0xC0FFEE11}


def test_a_protocol_of_ports_is_a_row_its_hardware_and_who_serves_it(
    monkeypatch: pytest.MonkeyPatch, target: Target, tmp_path: Path
) -> None:
    """Verilog, its head, the port map and Icarus's test bench have heard of it."""
    masked(monkeypatch)
    built = build(target, tmp_path)
    ports = {port["name"]: port for port in read_manifest(built.package)["ports"]}
    assert [ports[name]["protocol"] for name in ("secret", "secret_mask")] == ["masked"] * 2
    verilog = built.package / "kernel.sv"
    assert "masked by the other one" in verilog.read_text()
    wanted = run_c(built.package, built.rows, VALUES)
    found = icarus.run_icarus(built.rows, built.finished, verilog, VALUES)
    assert found.data["result"] == wanted.data["result"]
    assert found.cycles == wanted.cycles
