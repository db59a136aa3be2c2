# SPDX-License-Identifier: Apache-2.0
"""library/kernels/DOMAIN/NAME/: C, its header, `kernel.toml` and `answers.toml`. A folder may have
several kernels, each a function with its known answers (docs/schemas/kernel.json, answers.json)."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tandem.diagnostics import user_error
from tandem.installation import data_file

MANIFEST, ANSWERS = "kernel.toml", "answers.toml"
PARAMETER, DATA, RESULT, UNITS, BYTES = "parameter", "data", "result", "units", "bytes"
"""What an argument is for: the same for a whole call; so much a unit, read or written; how many
units there are, or how many bytes of data."""


@dataclass(frozen=True)
class Argument:
    """Of a C function. `count`: elements (of each unit, where it is data or a result), 0 for a
    scalar."""

    name: str
    type: str
    count: int = 0
    role: str = PARAMETER

    @property
    def is_buffer(self) -> bool:
        """Whether it grows with the units."""
        return self.role in (DATA, RESULT)


@dataclass(frozen=True)
class Published:
    """A core for the same work that somebody else has published, as far as it is told. `device`: in
    words; `family`: as `--slices` names it; `multipliers`: blocks of 18 by 18 bits."""

    core: str
    source: str
    device: str
    multipliers: int | None = None
    slices: int | None = None
    family: str | None = None
    cycles: int | None = None
    clock_ns: float | None = None


@dataclass(frozen=True)
class LibraryKernel:
    """A kernel of the library. `unit`: what a call works on, one (`plain`) or many; `ii`: cycles a
    unit of a call of many, at most; `cycles`: of a call of one, exactly; `clock_ns`: the clock at
    which that is so; `recurrence`: what makes a unit wait for the one before; `openssl`: the same
    work there."""

    name: str
    title: str
    standard: str
    folder: Path
    source: Path
    header: Path
    unit: str
    clock_ns: float
    arguments: tuple[Argument, ...]
    answers: tuple[dict[str, Any], ...]
    ii: int | None = None
    cycles: int | None = None
    recurrence: str = ""
    openssl: str | None = None
    return_type: str = "void"
    published: tuple[Published, ...] = ()

    @property
    def takes_many(self) -> bool:
        """Whether a call works on as many units as it is told."""
        return any(argument.role in (UNITS, BYTES) for argument in self.arguments)


@functools.cache
def library_kernels() -> dict[str, LibraryKernel]:
    """All there are, by name."""
    folder = data_file("library", "kernels")
    manifests = sorted(folder.glob(f"*/*/{MANIFEST}"))
    kernels = [kernel for path in manifests for kernel in _kernels(path)]
    return {kernel.name: kernel for kernel in sorted(kernels, key=lambda kernel: kernel.name)}


def find_kernel(name: str) -> LibraryKernel:
    """A kernel by name. Raises UserError with those that are alike."""
    found = library_kernels().get(name)
    if found is not None:
        return found
    alike = get_close_matches(name, library_kernels(), n=3)
    cure = f"did you mean {' or '.join(f'`{other}`' for other in alike)}? " if alike else ""
    raise user_error(
        "kernel", f"no kernel `{name}` in the library", help=f"{cure}see `tandem list kernels`"
    )


def _kernels(path: Path) -> list[LibraryKernel]:
    manifest, answers = _read(path), _read(path.with_name(ANSWERS))
    folder = path.parent
    files = {key: folder / manifest[key] for key in ("source", "header")}
    return [
        _kernel(name, row | files, folder, answers[name])
        for name, row in manifest["functions"].items()
    ]


def _kernel(
    name: str, row: dict[str, Any], folder: Path, answers: list[dict[str, Any]]
) -> LibraryKernel:
    parts = {
        "arguments": tuple(Argument(**argument) for argument in row["arguments"]),
        "published": tuple(Published(**core) for core in row.get("published", ())),
        "answers": tuple(answers),
    }
    return LibraryKernel(name=name, folder=folder, **(row | parts))


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)
