# SPDX-License-Identifier: Apache-2.0
"""Writing results: whole or not at all, and never over something that is not ours to replace."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tandem.diagnostics import Place, TandemError, UserError, user_error
from tandem.signals import deferred

TEMPORARY = "tandem-"
"""How the names of temporary folders begin."""

SOURCE_SUFFIXES = (
    *(".c", ".h", ".i", ".s", ".S"),
    *(".cc", ".cpp", ".cxx", ".C", ".hh", ".hpp", ".hxx", ".ii"),
    *(".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f", ".F", ".for", ".mod"),
    ".ll",
)
"""Of what a compiler reads."""


def cannot_write(path: Path, error: OSError) -> UserError:
    """What is said when a file or folder cannot be written."""
    return user_error(
        "cannot-write",
        f"cannot write: {error.strerror or error}",
        Place(str(path)),
        "free some space there, or choose another place with -o or $TMPDIR",
    )


def in_the_way(path: Path, what: str, option: str = "-o") -> UserError:
    """What is said when something that Tandem did not make has the name of a result, which an
    option gives."""
    return user_error(
        "in-the-way",
        f"{what}, which Tandem did not make",
        Place(str(path)),
        f"choose another place with {option}, or move it away",
    )


def beside(path: Path) -> Path:
    """A name in the folder of `path` that nothing else has."""
    return path.with_name(f".{path.name[:100]}-{secrets.token_hex(6)}")


@contextmanager
def temporary_folder(prefix: str = TEMPORARY) -> Iterator[Path]:
    """A folder that goes again: at the latest at the end of the process, where a signal arrived
    before this function's first word or between its last ones."""
    with deferred():
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        _FOLDERS.add(folder)
    try:
        yield folder
    finally:
        with deferred():
            shutil.rmtree(folder, ignore_errors=True)
            _FOLDERS.discard(folder)


def folder_of_the_process() -> Path:
    """A new folder that goes at the end of the process."""
    with deferred():
        folder = Path(tempfile.mkdtemp(prefix=TEMPORARY))
        _FOLDERS.add(folder)
    return folder


_FOLDERS: set[Path] = set()
"""Temporary folders of this process that are there."""

os.register_at_fork(after_in_child=_FOLDERS.clear)


@atexit.register
def _remove_folders() -> None:
    for folder in _FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def complete_or_absent(path: Path) -> Iterator[Path]:
    """A folder to fill; it takes its name only when it is full, and goes if anything fails. What
    has the name before must be known to be ours to replace.

    Raises UserError when the disk is full or the place cannot be written."""
    work, old = beside(path), beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        work.mkdir()
        yield work
        with deferred():
            if path.is_dir():
                path.rename(old)
            work.rename(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        with deferred():
            if old.is_dir() and not path.is_dir():
                old.rename(path)
            for folder in (work, old):
                shutil.rmtree(folder, ignore_errors=True)


def replace_file(path: Path, data: Iterable[bytes], mode: int = 0o666) -> None:
    """Writes a file, given in parts, beside its place and renames it; `mode` is narrowed by the
    umask. What is there and is no regular file (a device, a FIFO, a link) is written through.

    Raises UserError if it cannot."""
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            with path.open("wb") as out:
                out.writelines(data)
        else:
            with complete_file(path, data, mode):
                pass
    except OSError as error:
        raise cannot_write(path, error) from error


@contextmanager
def complete_file(path: Path, data: Iterable[bytes], mode: int) -> Iterator[None]:
    """A file that is written whole at the beginning, and takes its name at the end if all goes
    well; `mode` is narrowed by the umask.

    Raises UserError if it cannot be written."""
    partial = beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(handle, "wb") as out:
            out.writelines(data)
        yield
        partial.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def file_of_a_run(path: Path) -> Iterator[Path]:
    """An empty file beside `path`, for what writes while it runs. It takes its name at the end,
    also where the run fails, with what it has by then; where it is interrupted nothing is left.

    Raises UserError if it cannot be written."""
    partial, place = beside(path), path.resolve()
    try:
        partial.touch()
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        try:
            yield partial
        except TandemError:
            partial.replace(place)
            raise
        partial.replace(place)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        partial.unlink(missing_ok=True)


def require_replaceable(path: Path, head: bytes, option: str) -> None:
    """Before anything is computed: whether a result that begins with `head` may be written to
    `path`, over a former one if need be.

    Raises UserError for a folder, a place without one, and a file that begins otherwise."""
    if path.is_dir() or not path.name:
        raise _bad_output(path, f"{option} names a folder")
    if not path.parent.is_dir():
        raise _bad_output(path, f"{option}: there is no folder `{path.parent}`")
    if path.is_file() and _head(path, len(head)) not in (b"", head):
        raise _bad_output(path, f"{option} would replace a file of another kind")


def _head(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise cannot_write(path, error) from error


def require_no_source(
    path: Path, inputs: Iterable[Path], option: str, results: Sequence[str] = ()
) -> None:
    """Whether a compiler may write to `path`, whose output may be anything; `results`: the suffixes
    of sources that are results this time.

    Raises UserError for a source and each of the `inputs`."""
    if not path.is_file():
        return
    is_source = path.suffix in SOURCE_SUFFIXES and path.suffix not in results
    if is_source or any(_same(path, other) for other in inputs):
        raise _bad_output(path, f"{option} would replace a source or an input")


def _bad_output(path: Path, message: str) -> UserError:
    return user_error("in-the-way", message, Place(str(path)), "give the name of a new file")


def _same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return False
