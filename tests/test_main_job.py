# SPDX-License-Identifier: Apache-2.0
"""The main job, as its users run it: triple DES of a file becomes hardware, end to end."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trial
from Crypto.Cipher import DES3
from Crypto.Util.Padding import pad
from trial import Done

pytestmark = pytest.mark.usefixtures("cache")
ROOT = Path(__file__).parents[1]
APPLICATION = ROOT / "examples" / "encrypt_file" / "main.c"
KEY = "0123456789abcdef23456789abcdef01456789abcdef0123"
FOUR_MB = 4 * 1000 * 1000 + 3


def tandem(*arguments: object) -> Done:
    return trial.tandem(*arguments, cwd=Path.cwd())


def tandem_json(*arguments: object) -> Any:
    done = tandem(*arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "plain.bin"
    path.write_bytes(os.urandom(FOUR_MB))
    return path


def encrypted(plain: Path) -> bytes:
    return DES3.new(bytes.fromhex(KEY), DES3.MODE_ECB).encrypt(pad(plain.read_bytes(), 8))


@pytest.mark.parametrize("mode", ["native", "emulate", "simulate"])
def test_a_file_of_4_mb_in_each_mode(plain: Path, tmp_path: Path, mode: str) -> None:
    out = tmp_path / "out.bin"
    run = tandem_json(
        "run",
        APPLICATION,
        "--offload",
        "des3_encrypt",
        "--platform",
        "src-6e",
        "--mode",
        mode,
        "--json",
        "--",
        plain,
        out,
        KEY,
    )
    assert out.read_bytes() == encrypted(plain)
    assert run["mode"] == mode and run["calls"] == 1
    assert run["software_s"] > 0
    if mode != "native":
        assert run["platform"] == "src-6e"
        assert sum(run["breakdown_s"].values()) == pytest.approx(run["total_s"])
        assert run["no_config_s"] == pytest.approx(run["total_s"] - run["breakdown_s"]["configure"])
        assert run["device_s"] == run["breakdown_s"]["compute"]
        assert run["bytes_in"] == run["bytes_out"] == len(encrypted(plain))
    if mode == "simulate":
        assert (run["checked_calls"], run["mismatches"]) == (1, 0)


def test_emulate_and_simulate_count_the_same_cycles(plain: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.bin"
    small.write_bytes(plain.read_bytes()[:4001])
    runs = [
        tandem_json(
            "run",
            APPLICATION,
            "--offload",
            "des3_encrypt",
            "--platform",
            platform,
            "--clock-ns",
            "10",
            "--mode",
            mode,
            "--json",
            "--",
            small,
            tmp_path / "out.bin",
            KEY,
        )
        for platform in ("src-6e", "pcie3-x16")
        for mode in ("emulate", "simulate")
    ]
    assert runs[0]["cycles"] == runs[1]["cycles"] > 501
    assert runs[2]["cycles"] == runs[3]["cycles"] > 501
    assert runs[0]["total_s"] == runs[1]["total_s"]


def test_the_executable_alone_asks_tandem_mode(tmp_path: Path) -> None:
    done = tandem("run", APPLICATION, "--offload", "des3_encrypt", "-o", tmp_path)
    assert done.returncode == 0 and "known answer: right" in done.stdout
    for mode in ("native", "emulate", "simulate"):
        platform = ROOT / "platforms" / "src-6e.toml"
        environment = dict(os.environ, TANDEM_MODE=mode, TANDEM_PLATFORM=str(platform))
        alone = subprocess.run([tmp_path / "main"], env=environment, capture_output=True, text=True)
        assert (alone.returncode, alone.stdout) == (0, "known answer: right\n")


def test_verify_runs_the_rtl_on_the_applications_own_calls() -> None:
    done = tandem("verify", APPLICATION, "--offload", "des3_encrypt")
    assert done.returncode == 0, done.stderr
    assert "RTL, schedule and C agree" in done.stdout


def test_build_reports_one_block_a_cycle_and_leaves_a_package(tmp_path: Path) -> None:
    result = tandem_json(
        "build",
        ROOT / "library" / "kernels" / "crypto" / "des3" / "des3.c",
        "--top",
        "des3_encrypt",
        "--clock-ns",
        "6",
        "-o",
        tmp_path,
        "--json",
    )
    assert result["ii"] == 1 and result["latency_cycles"] < 60
    assert {"lut4", "ff"} <= result["resources"].keys()
    assert result["fmax_mhz"] > 1000 / result["clock_ns"]
    streams = {a["name"]: a for a in result["arguments"]}
    assert streams["in"]["kind"] == streams["out"]["kind"] == "stream"
    files = {p.name for p in (tmp_path / "des3_encrypt.tandem").iterdir()}
    assert files == {"manifest.json", "kernel.sv", "kernel.ir", "schedule.json"}
    assert tandem("package", tmp_path / "des3_encrypt.tandem").returncode == 0
    manifest = json.loads((Path(result["package"]) / "manifest.json").read_text())
    widths = {a["name"]: a["element_bytes"] for a in manifest["arguments"]}
    assert widths["in"] == widths["out"] == 8


def test_a_trace_for_perfetto(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    done = tandem(
        "run", APPLICATION, "--offload", "des3_encrypt", "--trace", trace, "--platform", "src-6e"
    )
    assert done.returncode == 0, done.stderr
    events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
    assert {"configure", "transfer_in", "compute", "transfer_out"} <= {e["name"] for e in events}
    assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in events)


@pytest.mark.parametrize("kind", ["platforms", "targets", "kernels"])
def test_list(kind: str) -> None:
    names = {row["name"] for row in tandem_json("list", kind, "--json")}
    assert names & {"src-6e", "ecp5", "des3_encrypt"}
