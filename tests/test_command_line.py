# SPDX-License-Identifier: Apache-2.0
"""What a command line of today has: version, help, completion, progress, a quick start."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tandem.commands.failures import errors_of, told
from tandem.diagnostics import Diagnostic, InternalError
from tandem.installation import DEFAULT_PLATFORM, tandem_version
from trial import KERNEL, TANDEM, good, refused, source, tandem

COMMANDS = ["run", "cc", "c++", "build", "verify", "reproduce", "list", "package", "platform"]


def test_the_version(tmp_path: Path) -> None:
    assert tandem("--version", cwd=tmp_path).stdout == f"tandem {tandem_version()}\n"


@pytest.mark.parametrize("words", [[], *[[c] for c in COMMANDS], ["platform", "check"]])
def test_short_help_everywhere(tmp_path: Path, words: list[str]) -> None:
    done = tandem(*words, "-h", cwd=tmp_path)
    good(done)
    assert "Usage: tandem" in done.stdout


@pytest.mark.parametrize(
    ("words", "error", "cure"),
    [
        (["--clock-ns", "zero"], "`--clock-ns zero` is not a number", "give --clock-ns a number"),
        (["--clock-ns=zero"], "`--clock-ns zero` is not a number", "give --clock-ns a number"),
        (["--why", "x"], "`--why x` is not a whole number", "give --why a whole number"),
        (["--max-lut4", "0"], "`--max-lut4 0` is not 1 or more", "give --max-lut4 1 or more"),
        (["--budget", "-3"], "`--budget -3` is not 0 or more", "give --budget 0 or more"),
        (["--clock-ns"], "option '--clock-ns' requires an argument", "`tandem build -h` tells"),
        (["--clok-ns", "3"], "no such option: --clok-ns", "perhaps --clock-ns; `tandem build -h`"),
        (["other"], "got unexpected extra argument(s) (other)", "`tandem build -h` tells what"),
    ],
)
def test_options_that_are_wrong_are_told_as_all_errors_are(
    tmp_path: Path, words: list[str], error: str, cure: str
) -> None:
    source(tmp_path)
    done = tandem("build", "app.c", "--top", "scale", *words, cwd=tmp_path)
    refused(done, f"error[option]: {error}", f"  help: {cure}")
    assert not done.stdout


def test_what_is_missing_is_told_with_what_it_means(tmp_path: Path) -> None:
    done = tandem("build", "app.c", "--json", cwd=tmp_path)
    refused(done, "error[option]: --top is missing", "give --top: the function that becomes")
    (error,) = json.loads(done.stdout)["errors"]
    assert error["code"] == "option"
    refused(tandem("build", cwd=tmp_path), "error[option]: source is missing")


def test_a_command_alone_shows_its_help_once(tmp_path: Path) -> None:
    done = tandem("platform", cwd=tmp_path)
    assert done.returncode == 2 and not done.stderr
    assert done.stdout.count("Usage: tandem") == 1


def test_the_compilers_are_among_the_commands(tmp_path: Path) -> None:
    listed = tandem("--help", cwd=tmp_path).stdout
    assert "The C compiler" in listed and "The C++ compiler" in listed


@pytest.mark.parametrize("words", [["cc", "--help"], ["c++", "-h"], ["cc", "--help", "-c"]])
def test_the_compilers_tell_what_is_theirs(tmp_path: Path, words: list[str]) -> None:
    done = tandem(*words, cwd=tmp_path)
    good(done)
    for name in ("--offload FUNCTION", "--platform", "TANDEM_OFFLOAD", "TANDEM_MODE", "cmake -B"):
        assert name in done.stdout
    assert "OPTIONS:" in tandem("cc", "-help", cwd=tmp_path).stdout


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake on this machine")
def test_cmake_as_the_help_says(tmp_path: Path) -> None:
    source(tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(app C CXX)\nadd_executable(app app.c)\n"
    )
    said = tandem("cc", "--help", cwd=tmp_path).stdout
    commands = re.findall(r"^  ((?:\w+=\w+ )?cmake .*)$", said, re.M)
    path = f"{Path(TANDEM).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    for command in commands:
        words = command.replace("FUNCTION", "scale")
        subprocess.run(words, shell=True, cwd=tmp_path, env=environment, check=True)
    done = tandem("run", "build/app", "--json", cwd=tmp_path)
    good(done)
    assert len(commands) == 2 and json.loads(done.stdout)["calls"] == 1


def test_the_example_of_a_change_in_the_help_works(tmp_path: Path) -> None:
    said = " ".join(tandem("run", "--help", cwd=tmp_path, COLUMNS="400").stdout.split())
    example = re.search(r"for example (\w+\.\w+=[\w./]+);", said)
    assert example is not None, said
    good(tandem("platform", "check", "src-6e", "--set", example[1], cwd=tmp_path))


def test_programs_that_drive_kernels_are_built_with_config(tmp_path: Path) -> None:
    source(tmp_path, '#include "tandem.h"\nint main(void) { return !*tandem_version(); }\n')
    flags = tandem("config", cwd=tmp_path).stdout
    subprocess.run(f"cc app.c {flags.strip()} -o app", shell=True, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "app"], check=True)


def test_completion(tmp_path: Path) -> None:
    variables = {"_TANDEM_COMPLETE": "complete_bash", "COMP_WORDS": "tandem ver", "COMP_CWORD": "1"}
    assert tandem(cwd=tmp_path, **variables).stdout.strip() == "verify"


def test_little_is_loaded_for_little(tmp_path: Path) -> None:
    code = "import sys, tandem.commands.application; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"llvmlite", "numpy", "highspy", "pycde", "cffi", "rich", "cryptography"}


def test_the_kernels_clock(tmp_path: Path) -> None:
    source(tmp_path)
    options = ["app.c", "--offload", "scale", "--clock-ns", "20", "--json"]
    run = tandem("run", *options, cwd=tmp_path)
    good(run)
    assert json.loads(run.stdout)["clock_mhz"] == 50
    good(tandem("verify", *options, cwd=tmp_path))


def test_a_platform_that_nobody_named_is_told_to_be_the_default(tmp_path: Path) -> None:
    source(tmp_path)
    words = ["run", "app.c", "--offload", "scale"]
    told = "(the default; --platform names another), mode emulate"
    by_default = tandem(*words, cwd=tmp_path).stdout.splitlines()[1]
    named = tandem(*words, "--platform", DEFAULT_PLATFORM, cwd=tmp_path).stdout.splitlines()[1]
    assert by_default == named.replace(", mode emulate", f" {told}") and told in by_default
    assert "default" not in tandem(*words, "--mode", "native", cwd=tmp_path).stdout


def test_progress_where_it_is_wanted(tmp_path: Path) -> None:
    source(tmp_path)
    words = ["build", "app.c", "--top", "scale"]
    assert tandem(*words, cwd=tmp_path).stderr == ""
    told = tandem(*words, cwd=tmp_path, TANDEM_PROGRESS="1").stderr
    assert re.search(r"tandem: compiling scale \.\.\.\ntandem: compiling scale: \d+\.\d s\n", told)


def test_progress_on_a_terminal_only_of_what_takes_long(tmp_path: Path) -> None:
    code = (
        "import time\nfrom tandem import progress\nprogress.PATIENCE_SECONDS = 0.1\n"
        "with progress.stage('quick'): pass\nwith progress.stage('slow'): time.sleep(0.3)\n"
        "with progress.stage('after'): pass\n"
    )
    said = on_a_terminal(tmp_path, "-c", code, program=sys.executable)
    left = re.sub(r"[^\r\n]*\r\x1b\[K", "", said)  # what is erased again
    assert re.sub(r"\d\.\d", "N", left).split("\r\n") == [
        *("tandem: slow: N s", "tandem: after: N s", ""),
    ]


def test_a_terminal_has_a_bar_with_the_time_left_which_goes_again(tmp_path: Path) -> None:
    code = (
        "import time\nfrom tandem import progress\n"
        "progress.PATIENCE_SECONDS = progress.DRAWN_SECONDS = 0.05\n"
        "with progress.stage('trying'):\n"
        "    for done in range(4):\n"
        "        progress.count(done, 4); progress.step(f'kernel {done}'); time.sleep(0.3)\n"
        "    with progress.stage('app', True): time.sleep(0.3); print('its own', file=sys.stderr)\n"
    )
    said = on_a_terminal(tmp_path, "-c", f"import sys\n{code}", program=sys.executable)
    drawn = [text for text in said.split("\r\x1b[K") if text]
    assert any(text.startswith("tandem: trying [.....") for text in drawn)
    half = [text for text in drawn if "[##########..........] 2 of 4, 1 s, about 1 s left" in text]
    assert half and all(text.endswith(", kernel 2") for text in half)
    # Beside a program that prints there are lines alone, and in the end nothing is left but lines.
    lines = re.sub(r"\d\.\d", "N", drawn[-1]).split("\r\n")
    assert lines[-2:] == ["tandem: trying: N s", ""] and "its own\r\n" in said
    assert not re.search("kernel \\d[^\r]*its own", said)


def test_a_bar_that_is_interrupted_leaves_no_half_a_line(tmp_path: Path) -> None:
    code = (
        "import os, signal, time\nfrom tandem import progress, signals\nsignals.install()\n"
        "progress.PATIENCE_SECONDS = progress.DRAWN_SECONDS = 0.05\n"
        "try:\n    with progress.stage('long'):\n        time.sleep(0.4)\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n        time.sleep(5)\n"
        "except signals.Stopped: pass\n"
    )
    said = on_a_terminal(tmp_path, "-c", code, program=sys.executable)
    assert "tandem: long" in said and said.endswith("\r\x1b[K")


def test_a_terminal_that_knows_no_codes_has_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    code = (
        "import time\nfrom tandem import progress\nprogress.PATIENCE_SECONDS = 0.1\n"
        "with progress.stage('slow'): time.sleep(0.4)\n"
    )
    said = on_a_terminal(tmp_path, "-c", code, program=sys.executable)
    assert re.sub(r"\d\.\d", "N", said) == "tandem: slow ...\r\ntandem: slow: N s\r\n"


def on_a_terminal(folder: Path, *arguments: str, program: str = TANDEM) -> str:
    """What a program says on standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [program, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            data = os.read(ours, 4096)
        except OSError:  # how a terminal says that nobody is left
            break
        said += data
    os.close(ours)
    assert child.wait() == 0
    return said.decode()


@pytest.mark.parametrize("as_json", [False, True])
def test_a_placement_that_is_stopped_loses_nothing(tmp_path: Path, as_json: bool) -> None:
    source(tmp_path, KERNEL)
    words = ["build", "app.c", "--top", "scale", "--place", *(["--json"] if as_json else [])]
    tool = subprocess.Popen(
        [TANDEM, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TANDEM_PROGRESS": "1"},
    )
    assert tool.stdout and tool.stderr
    until(tool.stderr.fileno(), b"placing scale ...")
    if not as_json:
        assert b"scale.tandem" in until(tool.stdout.fileno(), b"package: ")
    tool.send_signal(signal.SIGTERM)
    out, _ = tool.communicate(timeout=20)
    assert tool.returncode == 128 + signal.SIGTERM
    if as_json:
        assert json.loads(out)["resources"]["estimated"]
    assert (tmp_path / "build" / "scale.tandem" / "manifest.json").is_file()


def until(descriptor: int, wanted: bytes, seconds: float = 30) -> bytes:
    """What comes from a pipe, up to and with the line that has `wanted`."""
    seen, end = b"", time.monotonic() + seconds
    while wanted not in seen:
        assert select.select([descriptor], [], [], max(0.0, end - time.monotonic()))[0], seen
        seen += os.read(descriptor, 4096)
    return seen


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), "memory", "there is not enough memory"),
        (OSError("x.so: failed to map segment from object"), "memory", "not enough memory"),
        (RecursionError(), "too-deep", "the C nests too deeply"),
        (ImportError("x"), "installation", "cannot load a part of Tandem: x"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "encoding", "cannot read a text"),
        (OSError(errno.ENOSPC, "full", "a.c"), "disk-full", "cannot write: full: a.c"),
        (PermissionError(errno.EACCES, "not yours", b"a.c"), "system", "not yours: a.c"),
    ],
)
def test_the_system_is_blamed_by_name_and_with_a_cure(
    error: Exception, code: str, words: str
) -> None:
    status, text = told(error, ["tandem", "run"])
    assert status == 2 and text.startswith(f"error[{code}]: ") and words in text
    (diagnostic,) = errors_of(error)
    assert diagnostic.code == code and diagnostic.help


def test_a_fault_of_ours_asks_for_a_report() -> None:
    status, text = told(
        InternalError(Diagnostic("llvm-type", "no size")), ["tandem", "run", "a b.c"]
    )
    assert status == InternalError.exit_status != 2
    assert text.splitlines()[0].endswith("no size")
    assert "please report it" in text and text.endswith("command: tandem run 'a b.c'")
