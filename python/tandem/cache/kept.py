# SPDX-License-Identifier: Apache-2.0
"""What the cache of builds holds, how it is emptied, and which other folders keep things for it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.cache.builds import (
    FORGOTTEN_SECONDS,
    LARGEST_BYTES,
    BuildCache,
    cache_place,
    open_cache,
    size_bytes,
)
from tandem.diagnostics import TandemError, user_error
from tandem.frontend.clang import zig_cache

HASH = re.compile(r"[0-9a-f]{64}")
UNFINISHED = re.compile(r"\.[0-9a-f]{16}")
NOTE = re.compile(r"[0-9a-f]{64}\.json")
APPLICATION = "application"
MARKS = {"result.json": APPLICATION, "rtl.so": "core", "cells.json": "placement"}
"""A file of an entry -> its kind: an application with its kernels, a model of a processor, a chip
that was placed on a device."""


@dataclass(frozen=True)
class Entry:
    """One thing that is kept, and that was made by the cache: its name has the cache's form."""

    path: Path
    kind: str
    size_bytes: int
    age_s: float
    """Since it was used last."""


def entries(cache: BuildCache) -> list[Entry]:
    """All that the cache made, the latest first. Links, and what has other names, are not ours."""
    now, found = time.time(), []
    for path, kind in _own(cache.root):
        with contextlib.suppress(OSError):  # another process has removed it
            state = path.stat()
            size = size_bytes(path) if path.is_dir() else state.st_size
            found.append(Entry(path, kind, size, max(0.0, now - state.st_mtime)))
    return sorted(found, key=lambda entry: entry.age_s)


def _own(root: Path) -> Iterator[tuple[Path, str]]:
    for path in _listed(root / "builds", is_folder=True):
        if HASH.fullmatch(path.name):
            yield path, _kind(path)
        elif UNFINISHED.fullmatch(path.name):
            yield path, "unfinished"
    for path in _listed(root / "recipes", is_folder=False):
        if NOTE.fullmatch(path.name) or UNFINISHED.fullmatch(path.name):
            yield path, "recipe"
    for path in _listed(root / "made", is_folder=True):
        if HASH.fullmatch(path.name):
            yield path, "source"


def _listed(folder: Path, is_folder: bool) -> Iterator[Path]:
    """The folders, or the files, in a folder; none where there is no such folder."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            right = path.is_dir() if is_folder else path.is_file()
            if right and not path.is_symlink():
                yield path


def _kind(build: Path) -> str:
    return next((kind for name, kind in MARKS.items() if (build / name).is_file()), "damaged")


def describe() -> dict[str, Any]:
    """Where builds are kept and what there is (docs/schemas/cache.json)."""
    place = cache_place()
    # Looking makes no folder.
    is_there = place is not None and place.exists()
    cache = open_cache() if is_there else None
    rows = [_row(entry) for entry in entries(cache)] if cache else []
    return {
        "format": "tandem-cache",
        "format_version": 1,
        "state": _state(place, is_there, cache),
        "folder": str(place or ""),
        "size_bytes": sum(row["size_bytes"] for row in rows),
        "most_bytes": LARGEST_BYTES,
        "entries": rows,
        "others": list(_others()),
    }


def _state(place: Path | None, is_there: bool, cache: BuildCache | None) -> str:
    if place is None:
        return "off"
    return "unusable" if is_there and cache is None else "used"


def _row(entry: Entry) -> dict[str, Any]:
    kernels = sorted(path.stem for path in entry.path.glob("*.tandem"))
    return {
        "name": entry.path.name,
        "kind": entry.kind,
        "kernels": kernels if entry.kind == APPLICATION else [],
        "size_bytes": entry.size_bytes,
        "age_s": round(entry.age_s, 1),
    }


def _others() -> Iterator[dict[str, Any]]:
    """Folders that tools keep for themselves, and that other programs may use as well."""
    places = {"zig": os.environ.get("ZIG_GLOBAL_CACHE_DIR") or _zig(), "YoWASP": _yowasp()}
    holds = {
        "zig": "libraries that the C compiler has built, and a chip's C library",
        "YoWASP": "yosys and nextpnr, translated for this machine",
    }
    for name, place in places.items():
        with contextlib.suppress(OSError):  # a tool is at work there
            if place and Path(place).is_dir():
                size = size_bytes(Path(place))
                yield {"name": name, "folder": place, "size_bytes": size, "holds": holds[name]}


def _zig() -> str:
    try:
        return zig_cache()
    except TandemError:
        return ""


def _yowasp() -> str:
    """As `yowasp_runtime` chooses it; empty where that is not installed."""
    try:
        from platformdirs import user_cache_dir
    except ModuleNotFoundError:
        return ""
    return os.environ.get("YOWASP_CACHE_DIR") or user_cache_dir("YoWASP", appauthor=False)


def clear() -> dict[str, Any]:
    """Removes what the cache made and nothing else; what other processes are making now stays.
    What was removed, and what is left (docs/schemas/cache-clear.json).

    Raises UserError where builds are not kept, or not by us alone."""
    place = cache_place()
    cache = open_cache() if place is not None and place.exists() else None
    if cache is None and (place is None or place.exists()):
        raise _not_ours(place)
    removed = [e for e in entries(cache) if _is_removed(e)] if cache else []
    left = [path for path in _left(cache.root) if path.name not in FOLDERS] if cache else []
    return {
        "format": "tandem-cache-clear",
        "format_version": 1,
        "folder": str(place),
        "removed": len(removed),
        "removed_bytes": sum(entry.size_bytes for entry in removed),
        "left": sorted(str(path) for path in left),
    }


FOLDERS = ("builds", "recipes", "made")


def _not_ours(place: Path | None) -> TandemError:
    if place is None:
        text = "no builds are kept: the cache is off"
        return user_error("cache", text, help="unset TANDEM_CACHE, or name the folder there")
    text = f"{place} is no folder that this user alone can write: nothing is kept there, or removed"
    return user_error("cache", text, help="name the cache's folder in TANDEM_CACHE")


def _is_removed(entry: Entry) -> bool:
    """Removes an entry, unless a process may be at work on it; whether it is gone."""
    if entry.path.name.startswith(".") and entry.age_s < FORGOTTEN_SECONDS:
        return False
    if entry.path.is_dir():
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        entry.path.unlink(missing_ok=True)
    return not entry.path.exists()


def _left(root: Path) -> Iterator[Path]:
    """What is in the folder and in its own ones."""
    for folder in (root, *(root / name for name in FOLDERS)):
        with contextlib.suppress(OSError):
            yield from folder.iterdir()
