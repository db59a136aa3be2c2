# SPDX-License-Identifier: Apache-2.0
"""Finding and running yosys and nextpnr.

The WebAssembly wheels come first because their versions are pinned by this package; a native tool
on PATH is the fallback. The wheels cannot see absolute paths in the system's temporary folder, so
every tool runs inside its work folder and is given relative file names only.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .. import children
from .errors import SynthesisError, synthesis_error

INSTALL_HELP = "pip install 'tandem-accel[synthesis]'"
SHOWN_LINES = 15
VERSION = re.compile(r"Yosys \d[\w.+]*|nextpnr-\d[\w.-]*")


@dataclass(frozen=True)
class Tool:
    """How to start a tool: its name for messages and the first words of its command line."""

    name: str
    command: tuple[str, ...]


def find_yosys() -> Tool:
    """Raises SynthesisError when yosys is not installed."""
    return find("yosys")


def find(name: str, package: str = "") -> Tool:
    """A tool of a package, by default of its own. Raises SynthesisError when not installed."""
    function = name.replace("-", "_")
    package = package or f"yowasp_{function}"
    if importlib.util.find_spec(package):
        start = f"import sys, {package} as p; sys.exit(p.run_{function}(sys.argv[1:]))"
        # -P: the current folder is not searched for modules.
        return Tool(name, (sys.executable, "-P", "-c", start))
    native = shutil.which(name)
    if native:
        return Tool(name, (native,))
    raise synthesis_error("tool-missing", f"{name} is not installed", help=INSTALL_HELP)


@contextmanager
def work_folder(prefix: str) -> Iterator[Path]:
    """A folder for a tool's files, which goes again, unless the tool fails: its output is there."""
    work = Path(tempfile.mkdtemp(prefix=prefix))
    is_kept = False
    try:
        yield work
    except SynthesisError:
        is_kept = True
        raise
    finally:
        if not is_kept:
            shutil.rmtree(work, ignore_errors=True)


def run(tool: Tool, arguments: Sequence[str], work: Path, log: str) -> None:
    """Run `tool` inside `work`, its output into the file `log` there.

    Raises SynthesisError with the last lines of the output when the tool fails. The tool is
    stopped when this process is interrupted.
    """
    with (work / log).open("w") as out:
        command = [*tool.command, *arguments]
        status = children.run(command, cwd=work, out=out, errors=subprocess.STDOUT).returncode
    if status:
        raise _failure(tool, status, work / log)


def filter_file(
    tool: Tool, arguments: Sequence[str], work: Path, given: str, made: str, log: str
) -> None:
    """Run a `tool` inside `work` that reads its input, the file `given` there, and prints the file
    `made`; what it says beside that goes into the file `log`. Raises as `run`."""
    with (work / made).open("w") as out, (work / log).open("w") as errors:
        command, text = [*tool.command, *arguments], (work / given).read_bytes()
        done = children.run(command, cwd=work, out=out, errors=errors, given=text)
    if done.returncode:
        raise _failure(tool, done.returncode, work / log)


def _failure(tool: Tool, status: int, log: Path):
    lines = log.read_text(errors="replace").rstrip().splitlines()
    # A crash inside WebAssembly ends with the runtime's traceback; the tool's own words come first.
    errors = [line for line in lines if line.startswith("ERROR")]
    last = "\n  ".join(errors or lines[-SHOWN_LINES:])
    message = f"{tool.name} ended with status {status}; its last lines:\n  {last}"
    return synthesis_error("tool-failed", message, help=f"the whole output is in {log}")


@functools.cache
def version(tool: Tool) -> str:
    """The tool's name and version, as `Yosys 0.70`; `unknown` when it names none."""
    done = subprocess.run(
        [*tool.command, "--version"],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    # yosys names itself on the output, nextpnr on the error stream.
    found = VERSION.search(done.stdout + done.stderr)
    return found.group() if found else "unknown"
