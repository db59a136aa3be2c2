# SPDX-License-Identifier: Apache-2.0
"""A protocol of a kernel's ports has the places that docs/adding.md says: a toy is put there, and
its hardware computes what the C does."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import Build, build_text
from tandem.manifest import read_manifest
from tandem.models import icarus
from tandem.models.run import run_c
from tandem.rtl.found import found
from tandem.rtl.ports import PROTOCOLS, protocols
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
TEXT = """
unsigned top(const unsigned a[16], unsigned secret)
{
    unsigned sum = 0;
    for (int i = 0; i < 16; i++)
        sum = (sum << 1) + (a[i] ^ secret);
    return sum;
}
"""


MASKED = """# SPDX-License-Identifier: Apache-2.0
'''For arguments that nobody is to see: a value and a mask, which change it.'''

from tandem.rtl.ports.protocol import ELEMENT, Protocol


def serve(served, lines):
    value, mask = served.ports("value", "mask")
    number = int.from_bytes(served.value, "little")
    lines["reads"].append(f"{value} = 32'h{number ^ MASK:x}; {mask} = 32'h{MASK:x};")


MASK = 0x5A5A5A5A
PROTOCOL = Protocol(
    "masked",
    25,
    "masked by the other one",
    lambda kernel, argument: argument.name == "secret",
    {"value": ELEMENT, "mask": ELEMENT},
    in_place_of=("value",),
    value=lambda module, wires: module.logic("xor", [wires["value"], wires["mask"]]),
    serve=serve,
)
"""


def masked(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A file among those of the protocols."""
    (folder / "protocols").mkdir()
    (folder / "protocols" / "masked.py").write_text(MASKED)
    monkeypatch.setattr(protocols, "__path__", [*protocols.__path__, str(folder / "protocols")])
    for name, one in found(protocols, "PROTOCOL").items():
        monkeypatch.setitem(PROTOCOLS, name, one)


def build(target: Target, folder: Path) -> Build:
    return build_text(TEXT, target, CLOCK_PS, folder, slower_clock=True)


VALUES = {"a": bytes(range(64)), "secret": 0xC0FFEE11}


def test_a_protocol_of_ports_is_a_file(
    monkeypatch: pytest.MonkeyPatch, target: Target, tmp_path: Path
) -> None:
    """Verilog, its head, the port map and Icarus's test bench have heard of it."""
    masked(monkeypatch, tmp_path)
    built = build(target, tmp_path)
    ports = {port["name"]: port for port in read_manifest(built.package)["ports"]}
    assert [ports[name]["protocol"] for name in ("secret", "secret_mask")] == ["masked"] * 2
    verilog = built.package / "kernel.sv"
    assert "masked by the other one" in verilog.read_text()
    wanted = run_c(built.package, built.rows, VALUES)
    found = icarus.run_icarus(built.rows, built.finished, verilog, VALUES)
    assert found.data["result"] == wanted.data["result"]
    assert found.cycles == wanted.cycles
