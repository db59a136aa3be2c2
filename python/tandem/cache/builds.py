# SPDX-License-Identifier: Apache-2.0
"""Finished builds, kept for the next run of an unchanged program.

A build is found by its recipe (all that is known before any file is read) and by the contents of
every file that was read for it. Several processes may use the cache at once: an entry is made
beside its place and renamed, and one that is damaged counts as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

LARGEST_BYTES = 1 << 30
MOST_RECIPES = 4096
FORGOTTEN_SECONDS = 24 * 3600
"""After so long an unfinished entry belongs to a process that is no more."""

SEAL = "seal.json"

Contents = dict[str, str | None]
"""Path -> SHA-256, or None for a file that is not there and would be read if it were."""


def digest(path: Path) -> str | None:
    """The SHA-256 of a file; None for what is no file or cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def contents(paths: Iterable[Path]) -> Contents:
    """What the files hold now."""
    return {str(path.absolute()): digest(path) for path in paths}


def cache_place() -> Path | None:
    """Where builds are kept: $TANDEM_CACHE, else in the user's folder of caches; None where that is
    `off` or no place at all."""
    wanted = os.environ.get("TANDEM_CACHE")
    if wanted == "off":
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    root = Path(wanted).absolute() if wanted else Path(base) / "tandem"
    return root if root.is_absolute() else None


def open_cache() -> BuildCache | None:
    """The cache in `cache_place`; None where there is none, or it cannot be written by us alone."""
    root = cache_place()
    if root is None:
        return None
    try:
        for folder in (root, root / "builds", root / "recipes"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = root.stat()
    except OSError:
        return None
    is_ours = state.st_uid == os.getuid() and not state.st_mode & 0o022
    return BuildCache(root) if is_ours and os.access(root / "builds", os.W_OK) else None


@dataclass(frozen=True)
class BuildCache:
    """A folder with `recipes/RECIPE.json`, the files that the recipe's last build read, and
    `builds/KEY/`, the finished builds."""

    root: Path

    def find(self, recipe: str) -> Path | None:
        """The folder of the build that a recipe makes of the files as they are; None without."""
        try:
            read = json.loads((self.root / "recipes" / f"{recipe}.json").read_bytes())
            entry = self._entry(recipe, contents(Path(name) for name in read))
        except (OSError, ValueError, TypeError):
            return None
        if not _is_whole(entry):
            shutil.rmtree(entry, ignore_errors=True)
            return None
        with contextlib.suppress(OSError):
            os.utime(entry)
        return entry

    def store(self, recipe: str, read: Contents, folder: Path) -> None:
        """Keeps a copy of a finished build that read these files. Without a word where the disk
        is full: the next run builds again."""
        entry = self._entry(recipe, read)
        work = self.root / "builds" / f".{secrets.token_hex(8)}"
        with contextlib.suppress(OSError):
            self._make_room(size_bytes(folder))
            try:
                shutil.copytree(folder, work)
                (work / SEAL).write_text(json.dumps(_seal(work)))
                work.rename(entry)
            finally:
                shutil.rmtree(work, ignore_errors=True)
        with contextlib.suppress(OSError):
            self._note(recipe, read)

    def _entry(self, recipe: str, read: Contents) -> Path:
        text = json.dumps([recipe, sorted(read.items())])
        return self.root / "builds" / hashlib.sha256(text.encode()).hexdigest()

    def _note(self, recipe: str, read: Contents) -> None:
        place = self.root / "recipes" / f"{recipe}.json"
        work = place.with_name(f".{secrets.token_hex(8)}")
        try:
            work.write_text(json.dumps(sorted(read)))
            work.replace(place)
        finally:
            work.unlink(missing_ok=True)

    def _make_room(self, wanted_bytes: int) -> None:
        """Removes the builds that were not used for longest, and what was never finished."""
        builds = sorted(_dated(self.root / "builds"), reverse=True)
        total = wanted_bytes
        for date, entry in builds:
            if entry.name.startswith("."):
                is_kept = time.time() - date < FORGOTTEN_SECONDS
            else:
                total += size_bytes(entry)
                is_kept = total <= LARGEST_BYTES
            if not is_kept:
                shutil.rmtree(entry, ignore_errors=True)
        for _, note in sorted(_dated(self.root / "recipes"), reverse=True)[MOST_RECIPES:]:
            note.unlink(missing_ok=True)


def _dated(folder: Path) -> list[tuple[float, Path]]:
    found = []
    for entry in folder.iterdir():
        with contextlib.suppress(OSError):  # another process has removed it
            found.append((entry.stat().st_mtime, entry))
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SEAL)


def size_bytes(folder: Path) -> int:
    """Of all files in a folder but the seal."""
    return sum(path.stat().st_size for path in _files(folder))


def _seal(folder: Path) -> Mapping[str, str | None]:
    return {str(path.relative_to(folder)): digest(path) for path in _files(folder)}


def _is_whole(entry: Path) -> bool:
    try:
        return json.loads((entry / SEAL).read_bytes()) == _seal(entry)
    except (OSError, ValueError):
        return False
