# SPDX-License-Identifier: Apache-2.0
"""What a command that names a kernel of the library is to build: the user's application with the
library's C beside it, or an application that is made for the kernel."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tandem.cache.builds import open_cache
from tandem.diagnostics import UserError, user_error
from tandem.files import replace_file, temporary_folder
from tandem.languages.discovery import Given
from tandem.library.driver import driver_text
from tandem.library.manifests import LibraryKernel, find_kernel


@dataclass(frozen=True)
class Asked:
    """An application, its functions to offload, its arguments and its program."""

    application: Path
    offload: tuple[str, ...]
    arguments: tuple[str, ...]
    given: Given


@contextmanager
def asked(
    name: str | None,
    application: Path | None,
    offload: Sequence[str] = (),
    arguments: Sequence[str] = (),
    *,
    given: Given,
    units: int | None = None,
) -> Iterator[Asked]:
    """What to build for the kernel `name` of the library, or without one for what is said beside
    it. `units`: how many an application that is made gives to the kernel.

    Raises UserError for a kernel that is not there, and where there is no application at all."""
    if units is not None and (name is None or application is not None):
        raise _no_units(name)
    if name is None:
        if application is None:
            raise user_error(
                "option",
                "application is missing",
                help="give application: the application's main C file; or --kernel NAME",
            )
        yield Asked(application, tuple(offload), tuple(arguments), given)
        return
    kernel = find_kernel(name)
    functions = (name, *(other for other in offload if other != name))
    beside = with_kernel(kernel, given)
    if application is not None:
        yield Asked(application, functions, tuple(arguments), beside)
        return
    with made_application(kernel) as made:
        yield Asked(made, functions, () if units is None else (str(units),), beside)


def with_kernel(kernel: LibraryKernel, given: Given) -> Given:
    """The program with a kernel's folder among those of headers, and its C where it has none."""
    return replace(
        given,
        flags=(*given.flags, "-I", str(kernel.folder)),
        offered=(*given.offered, (kernel.name, kernel.source)),
    )


@contextmanager
def made_application(kernel: LibraryKernel) -> Iterator[Path]:
    """The file of the application that is made for a kernel: under a name that stays, for which a
    finished build is found again, where builds are kept."""
    text = driver_text(kernel).encode()
    cache = open_cache()
    if cache is None:
        with temporary_folder() as folder:
            yield _written(folder, kernel, text)
    else:
        yield _written(cache.root / "made" / hashlib.sha256(text).hexdigest(), kernel, text)


def _written(folder: Path, kernel: LibraryKernel, text: bytes) -> Path:
    path = folder / f"{kernel.name}.c"
    if not path.is_file() or path.read_bytes() != text:
        replace_file(path, [text])
    return path


def _no_units(name: str | None) -> UserError:
    text = "--units is of the application that is made for --kernel"
    cure = "give --kernel" if name is None else "leave out the application, or --units"
    return user_error("option", text, help=cure)
