# SPDX-License-Identifier: Apache-2.0
"""A ladder as files: the point of each step, and the edit that leads there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tandem.compiler.source import LOSSLESS
from tandem.diagnostics import Place, user_error
from tandem.files import complete_or_absent, in_the_way

_NAME = re.compile(r"\d{2,}-[\w-]+\.(?:json|patch)")


def require_ladder_place(path: Path) -> None:
    """Before anything is computed: whether a ladder may take the name. Raises UserError where
    something is there that is no former one."""
    if path.is_dir() and not path.is_symlink():
        others = [entry.name for entry in path.iterdir() if not _NAME.fullmatch(entry.name)]
        if others:
            raise in_the_way(path, f"there is a folder with `{min(others)}` in it")
    elif path.exists() or path.is_symlink():
        raise in_the_way(path, "something of this name is there already")
    elif not path.name:
        raise user_error("in-the-way", "this names no new folder", Place(str(path)), "name one")


def write_ladder(steps: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Writes the folder, whole or not at all. Raises UserError if it cannot be written."""
    require_ladder_place(path)
    with complete_or_absent(path) as folder:
        for number, step in enumerate(steps):
            stem = f"{number:02}-{'-'.join(r['refine'] for r in step['taken'][:3]) or 'base'}"
            (folder / f"{stem}.json").write_text(json.dumps(step["point"], indent=1) + "\n")
            if step["edit"]:
                (folder / f"{stem}.patch").write_bytes(step["edit"].encode(*LOSSLESS))
