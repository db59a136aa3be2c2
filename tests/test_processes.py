# SPDX-License-Identifier: Apache-2.0
"""Signals, ends of applications, streams that do not work, and the last net."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tandem import children, signals
from tandem.commands import failures
from tandem.host import launch, stub
from tandem.manifest import read_manifest
from trial import CALL, KERNEL, TANDEM, good, refused, source, tandem

WAITING = (
    KERNEL
    + f"""
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{{
    {CALL}
    FILE *file = fopen("pid", "w");
    fprintf(file, "%d", getpid());
    fclose(file);
    for (;;)
        pause();
}}
"""
)


def application(body: str) -> str:
    head = "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    return f"{KERNEL}{head}int main(int argc, char **argv) {{ {CALL} {body} }}\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("stubborn", [False, True], ids=["willing", "stubborn"])
def test_a_signal_ends_the_application_too(
    tmp_path: Path, number: signal.Signals, stubborn: bool
) -> None:
    ignoring = "for (int i = 1; i < 32; i++) signal(i, SIG_IGN);\n" if stubborn else ""
    source(tmp_path, WAITING.replace("int main(void)\n{", f"int main(void)\n{{{ignoring}"))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    tool = start(tmp_path, "run", "app.c", "--offload", "scale", TMPDIR=str(temporary))
    pid = int(wait_for(tmp_path / "pid"))
    tool.send_signal(number)
    _, said = tool.communicate(timeout=30)
    assert (tool.returncode, said) == (128 + number, f"tandem: stopped by {number.name}\n")
    assert not Path(f"/proc/{pid}").exists()
    assert not [p.name for p in temporary.iterdir() if not p.name.startswith("tandem-zig")]


def test_what_is_killed_leaves_no_application(tmp_path: Path) -> None:
    source(tmp_path, WAITING)
    tool = start(tmp_path, "run", "app.c", "--offload", "scale")
    pid = wait_for(tmp_path / "pid")
    tool.kill()
    tool.communicate(timeout=30)
    until = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < until
        time.sleep(0.05)


def is_running(pid: str) -> bool:
    """Whether a process is there, and not only its status."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def start(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [TANDEM, *arguments],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        start_new_session=True,
        preexec_fn=heeding,
    )


def heeding() -> None:
    """The signals as a terminal has them, where the tests run without one (`nohup`) too."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def wait_for(path: Path, seconds: float = 30) -> str:
    end = time.monotonic() + seconds
    while not (path.is_file() and path.read_text()):
        assert time.monotonic() < end, path
        time.sleep(0.02)
    return path.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("delay", [0.12, 0.25, 0.4, 0.6, 0.8])
def test_a_signal_at_any_moment_leaves_nothing_half_done(
    tmp_path: Path, number: signal.Signals, delay: float
) -> None:
    source(tmp_path)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    tool = start(tmp_path, "build", "app.c", "--top", "scale", TMPDIR=str(temporary))
    time.sleep(delay)
    tool.send_signal(number)
    _, said = tool.communicate(timeout=30)
    assert "Traceback" not in said and tool.returncode in (0, 128 + number), said
    if tool.returncode:
        assert said == f"tandem: stopped by {number.name}\n"
        assert not [p.name for p in temporary.iterdir() if not p.name.startswith("tandem-zig")]
        for package in (tmp_path / "build").glob("*"):
            read_manifest(package)  # of one that was finished before the signal came


def test_a_signal_within_a_destructor_is_not_lost() -> None:
    code = (
        "import os, signal, sys, time\nfrom tandem import signals\nsignals.install()\n"
        "class Slow:\n    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.1)\n"
        "try:\n    Slow(); time.sleep(5)\nexcept signals.Stopped as s:\n    sys.exit(s.number)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (signal.SIGTERM, "")


def test_nohup_is_respected() -> None:
    code = (
        "import os, signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from tandem import signals\nsignals.install()\nos.kill(os.getpid(), signal.SIGHUP)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    ("body", "status", "wanted"),
    [
        ("raise(SIGRTMIN + 6);", 168, "SIGRTMIN+6"),
        ("raise(SIGKILL);", 137, "SIGKILL"),
        ("abort();", 134, "SIGABRT"),
    ],
)
def test_the_signal_that_killed_the_application_is_named(
    tmp_path: Path, body: str, status: int, wanted: str
) -> None:
    source(tmp_path, application(body))
    refused(tandem("run", "app.c", "--offload", "scale", cwd=tmp_path), wanted, status=status)


@pytest.mark.parametrize(
    "body", ["_exit(0);", "quick_exit(0);", 'execl("/bin/true", "true", (char *)0);']
)
def test_ends_without_a_report_are_told_truly(tmp_path: Path, body: str) -> None:
    source(tmp_path, application(body))
    done = tandem("run", "app.c", "--offload", "scale", cwd=tmp_path)
    if done.returncode:  # an engine that writes its report in time is right as well
        refused(done, "app.c: error[no-call]", "_exit, quick_exit")


def test_the_stubs_status_is_known() -> None:
    assert launch.EXIT_FAILED_CALL == stub.EXIT_FAILED_CALL


SHELL = f"exec {TANDEM} run app.c --offload scale"


@pytest.mark.parametrize(
    ("ending", "status"), [(">&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full", 2), ("2>/dev/full", 0)]
)
def test_streams_that_do_not_work(tmp_path: Path, ending: str, status: int) -> None:
    source(tmp_path)
    done = subprocess.run(
        ["sh", "-c", f"{SHELL} {ending}"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == status and "Traceback" not in done.stderr, done.stderr
    assert ("error[" in done.stderr) == bool(status)


# So much work that configuration is not all of the time.
MANY = """
int main(void)
{
    static unsigned char a[500000], b[500000];
    scale(a, b, 500000);
    return b[7] != 0;
}
"""


def test_a_reader_that_has_gone(tmp_path: Path) -> None:
    source(tmp_path)
    done = subprocess.run(
        ["sh", "-c", f"({SHELL}) | true"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}],
)
def test_output_that_cannot_show_blocks(tmp_path: Path, environment: dict[str, str]) -> None:
    source(tmp_path, KERNEL + MANY)
    done = tandem("run", "app.c", "--offload", "scale", cwd=tmp_path, **environment)
    good(done)
    assert "##########" in done.stdout or "██████████" in done.stdout


@pytest.mark.parametrize("columns", ["20", "40", "300"])
def test_narrow_pages_cut_no_number(tmp_path: Path, columns: str) -> None:
    source(tmp_path, KERNEL + MANY)
    words = ("run", "app.c", "--offload", "scale", "--platform", "src-6e")
    done = tandem(*words, cwd=tmp_path, COLUMNS=columns)
    good(done)
    assert "…" not in done.stdout
    assert re.search(r"configure +100\.000 ms +9\d\.\d%", done.stdout)
    prose = [line for line in done.stdout.splitlines() if "bottleneck" in line]
    assert len(prose[0]) <= int(columns)


def test_a_program_that_does_not_read_what_it_is_given() -> None:
    """Neither ends the process that gives it, whatever libraries of the tests are loaded."""
    done = children.run(["true"], given=bytes(1 << 20))
    assert done.returncode == 0


def test_a_place_with_no_memory(tmp_path: Path) -> None:
    source(tmp_path)
    done = subprocess.run(
        ["sh", "-c", f"ulimit -v 300000; {SHELL}"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk-full"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "Permission denied: /x"),
        (MemoryError(), "memory"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "encoding"),
        (RecursionError(), "too-deep"),
        (ImportError("x.so: failed to map segment from shared object"), "memory"),
        (ImportError("no module named x"), "installation"),
    ],
)
def test_what_the_system_does_is_not_our_fault(error: Exception, wanted: str) -> None:
    status, text = failures.told(error, ["tandem"])
    assert status == 2 and wanted in text and "help:" in text


def test_a_fault_of_ours_says_what_to_report() -> None:
    try:
        {}["a key"]
    except KeyError as error:
        status, text = failures.told(error, ["tandem", "run", "a b.c"])
    assert status == 70 and "error[internal]: KeyError: 'a key'" in text
    assert "command: tandem run 'a b.c'" in text
    found = re.search(r"\S+tandem-fault-\S+\.txt", text)
    assert found
    written = Path(found[0]).read_text()
    Path(found[0]).unlink()
    assert "test_a_fault_of_ours_says_what_to_report" in written and "python 3" in written


@pytest.mark.parametrize("clock", ["nan", "inf", "-inf", "1e300", "-1", "0", "1e-9"])
@pytest.mark.parametrize("command", ["build", "run", "verify"])
def test_clocks_that_no_circuit_has(tmp_path: Path, command: str, clock: str) -> None:
    source(tmp_path)
    kernel = "--top" if command == "build" else "--offload"
    done = tandem(command, "app.c", kernel, "scale", f"--clock-ns={clock}", cwd=tmp_path)
    refused(done, "error[clock]", "--clock-ns")


def test_the_names_of_signals() -> None:
    assert [signals.signal_name(n) for n in (2, 15, 40)] == ["SIGINT", "SIGTERM", "SIGRTMIN+6"]


def test_what_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    """Else it would write into a folder that is being removed."""
    endless = 'i=0; while :; do i=$((i+1)); echo > "$0/file$i"; sleep 0.01; done'
    starts = f"({endless}) & sleep 60"
    with pytest.raises(subprocess.TimeoutExpired):
        children.run(["sh", "-c", starts, tmp_path], most_seconds=0.5)
    written = len(list(tmp_path.iterdir()))
    time.sleep(0.2)
    assert 0 < written == len(list(tmp_path.iterdir()))
