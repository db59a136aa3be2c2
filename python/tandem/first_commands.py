# SPDX-License-Identifier: Apache-2.0
"""What to do first in a folder, by what lies in it: results, applications and kernels in C,
packages. Files are only looked at, not compiled."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

WANTED = 3
MOST_FILES = 50
MOST_CHARACTERS = 1 << 20
"""Of a file: more is not looked at."""
HEAD_CHARACTERS = 4096
MAIN = re.compile(r"^(?:\w+\s+)*main\s*\(([^;{}]*)\)\s*\{", re.M)
FUNCTION = re.compile(
    r"^(?!static\b|typedef\b|extern\b)(?:[A-Za-z_]\w*[\s*]+)+([A-Za-z_]\w*)\s*\(([^;{}()]*)\)\s*\{",
    re.M,
)
RESULT = re.compile(r'"format":\s*"tandem-(?:[a-z-]+-result|advise|batches)"')
TEXT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
NEW = "first"
"""The folder of a project that is made to try."""


@dataclass(frozen=True)
class FirstCommand:
    """A command line that works here, and what it does."""

    words: tuple[str, ...]
    meaning: str

    def __str__(self) -> str:
        return shlex.join(self.words)


def first_commands(folder: Path) -> list[FirstCommand]:
    """Three of them, those for what is in the folder first."""
    kinds = (_of_results, _of_applications, _of_kernels, _of_packages, _anywhere)
    found = [command for kind in kinds for command in kind(folder)]
    return found[:WANTED]


def _of_results(folder: Path) -> Iterator[FirstCommand]:
    found = _that(_files(folder, ".json"), lambda text: RESULT.search(text) is not None)
    if found:
        words = ("tandem", "report", found[0], "-o", "report.html")
        yield FirstCommand(words, "this result as a page with pictures")


def _of_applications(folder: Path) -> Iterator[FirstCommand]:
    found = _that(_files(folder, ".c"), lambda text: MAIN.search(text) is not None)
    if not found:
        return
    more = _arguments(folder / found[0])
    words = ("tandem", "advise", found[0])
    yield FirstCommand(words, f"which of its functions are worth offloading{more}")
    name = _kernel_of(folder / found[0])
    if name:
        words = ("tandem", "run", found[0], "--offload", name)
        yield FirstCommand(words, f"{name} as hardware: where the time goes{more}")


def _arguments(path: Path) -> str:
    """Where an application's arguments go, if it takes any."""
    found = MAIN.search(_text(path))
    takes = found[1].strip() if found else ""
    return "" if takes in ("", "void") else "; its arguments behind --"


def _of_kernels(folder: Path) -> Iterator[FirstCommand]:
    for path in _files(folder, ".c"):
        name = _kernel_of(path)
        if name:
            words = ("tandem", "build", path.name, "--top", name)
            yield FirstCommand(words, f"{name} as Verilog, with its cycles and area")
            return


def _of_packages(folder: Path) -> Iterator[FirstCommand]:
    with contextlib.suppress(OSError):
        for place in (folder, folder / "build"):
            for path in sorted(place.glob("*.tandem/manifest.json")):
                name = str(path.parent.relative_to(folder))
                yield FirstCommand(("tandem", "package", name), "what this package holds")
                return


def _anywhere(folder: Path) -> Iterator[FirstCommand]:
    words = ("tandem", "run", "--kernel", "aes128_ctr", "--units", "4096")
    yield FirstCommand(words, "a kernel of the library: where the time goes")
    if not (folder / NEW).exists():
        yield FirstCommand(
            ("tandem", "new", NEW), "a project of your own to begin with, in a folder"
        )
    yield FirstCommand(("tandem", "doctor"), "what is installed, and what is missing")
    yield FirstCommand(("tandem", "list", "kernels"), "the kernels of the library")


def _files(folder: Path, suffix: str) -> list[Path]:
    with contextlib.suppress(OSError):
        found = (path for path in folder.glob(f"*{suffix}") if path.is_file())
        return sorted(path for path in found if not path.name.startswith("-"))[:MOST_FILES]
    return []


def _that(files: Sequence[Path], is_wanted: Callable[[str], bool]) -> list[str]:
    """The names of the files whose text is wanted."""
    return [path.name for path in files if is_wanted(_text(path))]


def _text(path: Path) -> str:
    """Of a C file without its comments, of another one the beginning; empty where it cannot be
    read."""
    is_c = path.suffix == ".c"
    with contextlib.suppress(OSError), path.open(errors="replace") as file:
        text = file.read(MOST_CHARACTERS if is_c else HEAD_CHARACTERS)
        return TEXT.sub(" ", text) if is_c else text
    return ""


def _kernel_of(path: Path) -> str:
    """The first function that others can call and that takes an array, as kernels do."""
    found = (m for m in FUNCTION.finditer(_text(path)) if m[1] != "main")
    return next((m[1] for m in found if "*" in m[2] or "[" in m[2]), "")
