# SPDX-License-Identifier: Apache-2.0
"""Finding flang, and running it: Fortran to LLVM IR, and to what it knows of procedures.

Flang is the first of `NAMES` on the path, or the command in `$TANDEM_FLANG`.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tandem.children import captured
from tandem.diagnostics import Diagnostic, InternalError, Place, UserError, user_error

COMMAND = "TANDEM_FLANG"
"""The environment variable that names a flang."""
LEAST = 19
"""The first version that tells debuggers of procedures' arguments."""
VERSIONS = range(30, LEAST - 1, -1)
NAMES = (
    *("flang", "flang-new"),
    *(f"{name}-{version}" for version in VERSIONS for name in ("flang", "flang-new")),
)
RUNTIME = ("FortranRuntime", "FortranDecimal")
"""Flang's own libraries up to version 20; later ones have one, `LATER_RUNTIME`."""
LATER_RUNTIME = "flang_rt.runtime"
OF_OTHERS = (
    *("-O", "-W", "-g", "-std=", "-pthread", "-w", "-fPIC", "-fpic", "-fPIE", "-pipe", "-fcommon"),
    *("-march=", "-mtune=", "-m64", "-funroll", "-fno-strict-aliasing"),
)
"""Flags of C compilers in a program of several languages that say nothing of what Fortran means."""
NO_MODULE = "module file for module"
"""What flang says of one that it looks for."""
NOT_YET = "not yet implemented"
"""What it says of Fortran that it cannot compile."""
CURE_MODULE = "give the file that has the module with --source, or its folder with -I"
FOR = "this file is Fortran"
CURE = "install flang (`apt install flang-19`), or name one in $TANDEM_FLANG"
_VERSION = re.compile(r"version (\d+)\.")
_PLACED = re.compile(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", re.M)
_NOT_YET = re.compile(rf'error: loc\("(.*?)":(\d+):\d+\): .*?({NOT_YET}.*)$', re.M)
_UNPLACED = re.compile(r"^(?:\S+: )?error: (.*)$", re.M)
_READ = re.compile(r'^#line "((?:[^"\\]|\\.)*)" \d+', re.M)


def find_flang(file: Path | None = None) -> list[str]:
    """Flang's command, for a file. Raises UserError where there is none, or an old one."""
    place = None if file is None else Place(str(file))
    named = os.environ.get(COMMAND)
    if named:
        command = shlex.split(named)
    else:
        found = next((path for name in NAMES if (path := shutil.which(name))), None)
        if found is None:
            raise user_error("flang-missing", f"no flang is on the path, and {FOR}", place, CURE)
        command = [found]
    told = version_of(command)
    version = _VERSION.search(told)
    if "flang" not in told.lower() or version is None or int(version[1]) < LEAST:
        text = f"`{command[0]}` is no flang of LLVM {LEAST} or later, and {FOR}"
        raise user_error("flang-missing", text, place, CURE)
    return command


def version_of(command: Sequence[str]) -> str:
    """What a flang says of itself; nothing where it does not run."""
    return _answer(tuple(command), "--version")


@functools.cache
def _answer(command: tuple[str, ...], *words: str) -> str:
    try:
        done = captured([*command, *words])
    except OSError:
        return ""
    return os.fsdecode(done.stdout)


def run_flang(words: Sequence[str | Path], file: Path) -> str:
    """Runs flang over a file; what it prints. Raises UserError with its own errors."""
    command = [*find_flang(file), *map(str, words), str(file.absolute())]
    done = captured(command)
    if done.returncode:
        raise _failure(os.fsdecode(done.stderr), file)
    return os.fsdecode(done.stdout)


def _failure(said: str, file: Path) -> UserError | InternalError:
    """What flang says is wrong, at the places where it stands."""
    placed = [*_PLACED.findall(said), *_NOT_YET.findall(said)]
    if placed:
        return UserError(*(_told(name, line, text, file) for name, line, text in placed))
    texts = dict.fromkeys(_UNPLACED.findall(said))
    if texts:
        cure = "look at the flags of --cflags, and at $TANDEM_FLANG"
        return UserError(*(Diagnostic("fortran", text, Place(str(file)), cure) for text in texts))
    words = said.strip()[-2000:] or "it said nothing"
    return InternalError(Diagnostic("flang", f"flang failed: {words}"))


def _told(name: str, line: str, text: str, file: Path) -> Diagnostic:
    """One of flang's errors, with what helps."""
    cures = {NO_MODULE: CURE_MODULE, NOT_YET: "write it otherwise, or name a later flang"}
    cure = next((cure for words, cure in cures.items() if words in text), "correct the Fortran")
    place = Place(str(file) if name == str(file.absolute()) else name, int(line))
    return Diagnostic("fortran", text, place, cure)


def own_flags(flags: Sequence[str]) -> list[str]:
    """Those of a program's flags that say something of Fortran."""
    return [flag for flag in flags if not flag.startswith(OF_OTHERS)]


def files_read(words: Sequence[str], file: Path) -> Iterator[Path]:
    """A file and what it includes, but modules. Raises UserError as flang does."""
    told = run_flang([*words, "-E"], file)
    own = str(file.absolute())
    for name in dict.fromkeys([own, *_READ.findall(told)]):
        yield file if name == own else Path(name)


def runtime_words(file: Path) -> tuple[str, ...]:
    """What a linker needs for a program with a file in Fortran. Raises UserError where flang has
    none."""
    resources = Path(_answer(tuple(find_flang(file)), "-print-resource-dir").strip())
    for folder in (resources / "lib", resources.parents[1], *_below(resources / "lib")):
        for names in (RUNTIME, (LATER_RUNTIME,)):
            if all((folder / f"lib{name}.a").is_file() for name in names):
                return tuple(str(folder / f"lib{name}.a") for name in names)
    text = f"flang's libraries are not beside it: no lib{RUNTIME[0]}.a around {resources}"
    raise user_error("flang-missing", text, Place(str(file)), CURE)


def _below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.is_dir()) if folder.is_dir() else []
