# SPDX-License-Identifier: Apache-2.0
"""Bad input: a diagnostic with place, cause and cure, exit status 2, nothing half-written."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tandem import commands
from trial import TANDEM, Done, refused, tandem

ROOT = Path(__file__).parents[1]

GOOD = """
void scale(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = 3 * in[i];
}
"""
MAIN = (
    "int main(void) { unsigned char a[4] = {1, 2, 3, 4}, b[4]; scale(a, b, 4); return b[3] != 12; }"
)


def run(*arguments: object, cwd: Path, limit_bytes: int | None = None) -> Done:
    """Runs the command line; with a limit on the size of files in a process of its own."""
    if limit_bytes is None:
        return tandem(*arguments, cwd=cwd)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    words = [TANDEM, *map(str, arguments)]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, preexec_fn=limit)


def source(folder: Path, text: str, name: str = "kernel.c") -> Path:
    path = folder / name
    path.write_text(text)
    return path


CASES = sorted((ROOT / "tests" / "diagnostics").glob("*.c"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_c_that_cannot_be_hardware(
    tmp_path: Path,
    case: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """tests/diagnostics/NAME.c is refused with exactly NAME.txt. All of them by one process: to
    begin takes longer than to refuse."""
    out = tmp_path / "out"
    words = ["tandem", "build", case.name, "--top", "top", "-o", str(out)]
    monkeypatch.chdir(case.parent)
    monkeypatch.setattr(sys, "argv", words)
    status, said = commands.exit_status(), capsys.readouterr().err
    expected = case.with_suffix(".txt")
    if request.config.getoption("--update"):
        expected.write_text(said)
    assert (status, said) == (2, expected.read_text())
    assert not out.exists()


def test_a_clock_that_no_operation_meets(tmp_path: Path) -> None:
    text = "unsigned long long top(unsigned a, unsigned b) { return (unsigned long long)a * b; }"
    done = run(
        "build", source(tmp_path, text).name, "--top", "top", "--clock-ns", "2", cwd=tmp_path
    )
    refused(done, "kernel.c:1", "add", "--clock-ns")


def test_no_such_file(tmp_path: Path) -> None:
    refused(run("build", "none.c", "--top", "f", cwd=tmp_path), "none.c")


def test_unknown_platform_lists_the_known_ones(tmp_path: Path) -> None:
    main = source(tmp_path, GOOD + MAIN)
    done = run("run", main.name, "--offload", "scale", "--platform", "vax", cwd=tmp_path)
    refused(done, "vax", "src-6e", "pcie3-x16")


def broken_platform(folder: Path, old: str, new: str) -> Path:
    text = (ROOT / "platforms" / "src-6e.toml").read_text()
    assert old in text
    return source(folder, text.replace(old, new), "broken.toml")


def test_a_platform_with_a_wrong_unit(tmp_path: Path) -> None:
    main = source(tmp_path, GOOD + MAIN)
    platform = broken_platform(tmp_path, '"206.2 MB/s"', '"206.2 MB"')
    done = run("run", main.name, "--offload", "scale", "--platform", platform.name, cwd=tmp_path)
    refused(done, "broken.toml:", "MB/s")


def test_a_platform_with_a_missing_number(tmp_path: Path) -> None:
    text = (ROOT / "platforms" / "src-6e.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("clock =")]
    platform = source(tmp_path, "\n".join(lines), "broken.toml")
    refused(run("platform", "check", platform.name, cwd=tmp_path), "broken.toml:", "clock")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    done = run("build", source(folder, GOOD).name, "--top", "scale", "-o", folder, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "scale.tandem"


def test_a_package_of_another_version(tmp_path: Path, package: Path) -> None:
    copy = shutil.copytree(package, tmp_path / "scale.tandem")
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["tandem_version"] = "99.0.0"  # the format's version alone decides
    (copy / "manifest.json").write_text(json.dumps(manifest))
    done = run("package", copy, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    manifest["format_version"] += 1
    (copy / "manifest.json").write_text(json.dumps(manifest))
    refused(run("package", copy, cwd=tmp_path), "manifest.json", "version", "tandem build")


def test_a_package_cut_short(tmp_path: Path, package: Path) -> None:
    copy = shutil.copytree(package, tmp_path / "scale.tandem")
    data = (copy / "kernel.sv").read_bytes()
    (copy / "kernel.sv").write_bytes(data[: len(data) // 2])
    refused(run("package", copy, cwd=tmp_path), "kernel.sv", "cut short", "tandem build")
    (copy / "manifest.json").unlink()
    refused(run("package", copy, cwd=tmp_path), "incomplete")


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """A limit on file sizes stands for the full disk: writes fail in the same way."""
    out = tmp_path / "out"
    done = run(
        "build",
        source(tmp_path, GOOD).name,
        "--top",
        "scale",
        "-o",
        out,
        "--models",
        cwd=tmp_path,
        limit_bytes=6000,
    )
    refused(done, "disk" if "disk" in done.stderr else "cannot write")
    assert not out.exists() or not list(out.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_really_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk])
    if mounted.returncode:
        pytest.skip("this machine does not let us mount a small disk")
    try:
        words = ["build", source(tmp_path, GOOD).name, "--top", "scale", "--models", "-o", disk]
        done = run(*words, cwd=tmp_path)
        refused(done, "help:")
        assert not list(disk.iterdir())
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize(
    ("body", "status", "wanted"),
    [
        ("return 3;", 3, "ended with status 3"),
        ("__builtin_trap();", 132, "SIGILL"),
        ("*(volatile int *)0 = 1;", 139, "SIGSEGV"),
    ],
)
def test_an_application_that_fails_passes_its_status_on(
    tmp_path: Path, body: str, status: int, wanted: str
) -> None:
    head = "int main(void) { unsigned char a[4] = {0}, b[4]; scale(a, b, 4); "
    text = f"{GOOD}{head}{body} }}"
    done = run("run", source(tmp_path, text).name, "--offload", "scale", cwd=tmp_path)
    refused(done, wanted, "kernel.c", status=status)


def test_an_application_that_never_calls(tmp_path: Path) -> None:
    main = source(tmp_path, GOOD + "int main(void) { return 0; }")
    refused(run("run", main.name, "--offload", "scale", cwd=tmp_path), "without calling `scale`")


def test_a_call_larger_than_the_devices_memory(tmp_path: Path) -> None:
    text = GOOD + (
        "#include <stdlib.h>\nint main(void) { unsigned n = 20000000;\n"
        "unsigned char *a = calloc(n, 2); scale(a, a + n, n); return 0; }\n"
    )
    done = run(
        "run",
        source(tmp_path, text).name,
        "--offload",
        "scale",
        "--platform",
        "src-6e",
        cwd=tmp_path,
    )
    refused(done, "40000000", "24000000")


def test_overlapping_buffers_run_on_the_host(tmp_path: Path) -> None:
    text = GOOD + (
        "int main(void) { unsigned char a[9] = {1}; scale(a, a + 1, 8);\n"
        "return a[8] != (unsigned char)6561; }\n"
    )
    done = run("run", source(tmp_path, text).name, "--offload", "scale", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["host_calls"]["calls"] == 1
    reason = report["host_calls"]["reasons"][0]["reason"]
    assert reason.startswith("`in` and `out` overlap: `in` is read in line ")
    assert reason.endswith(" where `out` was written before")
    assert report["host_calls"]["reasons"][0]["example"] == "byte 1 of `in`"


def test_deeply_nested_statements(tmp_path: Path) -> None:
    depth = 400
    conditions = "".join(f"if (a > {i}) {{" for i in range(depth))
    text = f"int top(int a) {{ int r = 0; {conditions} r = a; {'}' * depth} return r; }}\n"
    words = ["build", source(tmp_path, text).name, "--top", "top", "-o", tmp_path / "out"]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
