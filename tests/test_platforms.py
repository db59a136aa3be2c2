# SPDX-License-Identifier: Apache-2.0
"""Platforms beside what is published of them and does not calibrate them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tandem.platforms.engine import find_platform, platforms, read_platform
from trial import KERNEL, good, source, tandem

MAIN = """
#include <stdlib.h>
int main(int argc, char **argv)
{
    static unsigned char a[1 << 20], b[1 << 20];
    scale(a, b, atoi(argv[1]));
    return 0;
}
"""


def run(folder: Path, size_bytes: int, platform: str, *changes: str) -> dict[str, Any]:
    source(folder, KERNEL + MAIN)
    words = [word for change in changes for word in ("--set", change)]
    done = tandem(
        *("run", "app.c", "--offload", "scale", "--platform", platform, "--json"),
        *(*words, "--", size_bytes),
        cwd=folder,
    )
    good(done)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", platforms())
def test_every_platform_names_its_sources(name: str) -> None:
    platform = read_platform(find_platform(name))
    assert platform["name"] == name
    assert all(len(text) > 5 for text in platform["sources"].values())


@pytest.mark.parametrize(("size_bytes", "mb_s"), [(512, 9.2), (4096, 68.5)])
def test_small_transfers_by_xdma(tmp_path: Path, cache: None, size_bytes: int, mb_s: float) -> None:
    """github.com/RHSResearchLLC/NiteFury-and-LiteFury thread 51; 8 bytes are what calibrates."""
    busy = run(tmp_path, size_bytes, "pcie3-x16-xdma")["busy_s"]
    assert size_bytes / busy["transfer_in"] / 1e6 == pytest.approx(mb_s, rel=0.1)


def test_the_ports_of_the_zynq(tmp_path: Path, cache: None) -> None:
    size_bytes = 1 << 20
    direct = "transfer.io=direct"
    ports = {
        "hp": run(tmp_path, size_bytes, "zynq-7000"),
        "acp": run(tmp_path, size_bytes, "zynq-7000", "device.link=acp", direct),
        "gp": run(tmp_path, size_bytes, "zynq-7000", "device.link=gp", direct),
    }
    assert ports["hp"]["busy_s"]["copy"] > ports["acp"]["busy_s"]["copy"] == 0
    # A record of a byte a cycle is what the ports have to keep up with.
    compute_s = size_bytes / 125e6
    assert ports["acp"]["no_config_s"] == pytest.approx(compute_s, rel=0.01)
    assert ports["gp"]["no_config_s"] == pytest.approx(2 * size_bytes / 25e6, rel=0.1)
    assert ports["acp"]["no_config_s"] < ports["hp"]["no_config_s"] < ports["gp"]["no_config_s"]
    # XC7Z020 by way of the processor's configuration port.
    assert ports["hp"]["breakdown_s"]["configure"] == pytest.approx(4045564 / 145e6, rel=1e-6)
