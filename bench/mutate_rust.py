# SPDX-License-Identifier: Apache-2.0
"""Small changes to the engine's Rust, as `cargo mutants` lists them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from mutate_python import Mutant

TOOL = "cargo install cargo-mutants --locked"


def _byte(source: bytes, heads: list[int], place: dict[str, int]) -> int:
    """Lines and columns begin with 1, and columns are those of characters."""
    head = heads[place["line"] - 1]
    line = source[head : heads[place["line"]]].decode()
    return head + len(line[: place["column"] - 1].encode())


def rust_mutants(root: Path) -> list[Mutant]:
    """All mutants of the engine."""
    command = os.environ.get("CARGO_MUTANTS", "cargo-mutants")
    options = ["mutants", "--list", "--json", "--no-config"]
    try:
        done = subprocess.run([command, *options], cwd=root, check=True, capture_output=True)
    except FileNotFoundError:
        raise SystemExit(f"error: cargo-mutants not found; {TOOL}") from None
    mutants = []
    for row in json.loads(done.stdout):
        path, span = Path(row["file"]), row["span"]
        source = (root / path).read_bytes()
        heads = [0]
        for line in source.splitlines(keepends=True):
            heads.append(heads[-1] + len(line))
        start, end = (_byte(source, heads, span[name]) for name in ("start", "end"))
        function = (row["function"] or {}).get("function_name", "")
        was, line = source[start:end].decode(), span["start"]["line"]
        mutants.append(Mutant(path, line, function, start, end, row["replacement"], was))
    return mutants
