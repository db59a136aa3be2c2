# SPDX-License-Identifier: Apache-2.0
"""What if a device died, or could not be loaded: the program is told, and others go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from trial import KERNEL, good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")

MAIN = """
int main(void)
{
    static unsigned char a[1000], b[1000];
    for (int i = 0; i < 10; i++)
        scale(a, b, 1000);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("device.dies_after=0s", "no device is left to run scale; run the C function"),
        (
            "device.dies_after=50ms",
            "map-1 died in the middle of a call of scale; no other device is left",
        ),
        ("map-1.dies_after=102ms", "later calls go to the other devices; call again, or run the C"),
        ("configuration.failures=1", "scale could not be loaded into map-1"),
    ],
)
def test_a_call_that_fails_ends_the_program(change: str, told: str, tmp_path: Path) -> None:
    source(tmp_path, KERNEL + MAIN)
    words = ("run", "app.c", "--offload", "scale", "--platform", "src-6e", "--set", change)
    refused(tandem(*words, "--set", "software.call_time=500us", cwd=tmp_path), told)


def test_other_devices_go_on(tmp_path: Path) -> None:
    source(tmp_path, KERNEL + MAIN)
    words = ("run", "app.c", "--offload", "scale", "--platform", "sgi-rasc-rc100", "--json")
    done = tandem(*words, "--set", "fpga-0.dies_after=0s", cwd=tmp_path)
    good(done)
    busy = {row["name"]: row["busy_s"] for row in json.loads(done.stdout)["components"]}
    assert busy["fpga-0"] == 0 < busy["fpga-1"]
