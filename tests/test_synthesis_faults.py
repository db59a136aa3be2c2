# SPDX-License-Identifier: Apache-2.0
"""Synthesis tools that fail: their output is where the message says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tandem.compiler.compile import find_target
from tandem.synthesis import SynthesisError, tools
from tandem.synthesis.device import device_of
from tandem.synthesis.flow import tool_versions
from tandem.synthesis.place import place_kernel


def test_the_output_of_a_tool_that_failed_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    verilog = tmp_path / "bad.sv"
    verilog.write_text("module top(input clk; nonsense")
    with pytest.raises(SynthesisError) as caught:
        place_kernel(verilog, "top", find_target("ecp5"), 10)
    found = re.search(r"output is in (\S+)", str(caught.value))
    assert found and "ERROR" in Path(found[1]).read_text()
    shutil.rmtree(Path(found[1]).parent)


def test_both_tools_tell_their_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "version", lambda tool: f"{tool.name} 0.1")
    wanted = {name: f"{name} 0.1" for name in ("yosys", "nextpnr-ecp5")}
    assert tool_versions(device_of(find_target("ecp5"))) == wanted
