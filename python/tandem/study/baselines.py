# SPDX-License-Identifier: Apache-2.0
"""Software to compare with, measured here and now."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.diagnostics import UserError, user_error
from tandem.installation import data_file

REPEATS = 3
LEAST_BYTES = 1 << 16


def kernel_cards() -> dict[str, dict[str, Any]]:
    """library/kernels.toml: what is known of each kernel of the library."""
    with open(data_file("library", "kernels.toml"), "rb") as handle:
        return tomllib.load(handle)


@dataclass(frozen=True)
class Measured:
    """A baseline by name: the least and the greatest time of its runs."""

    name: str
    least_s: float
    greatest_s: float


def openssl_baseline(kernel: str, sources: list[Path], size_bytes: int) -> Measured | None:
    """OpenSSL doing the same work on `size_bytes`, on data made up here; None where it has no such
    cipher."""
    card = kernel_cards().get(kernel)
    if card is None or "openssl" not in card or card["source"] not in {s.name for s in sources}:
        return None
    size = max(LEAST_BYTES, size_bytes // 8 * 8)
    run = _cipher(card["openssl"], os.urandom(size))
    least_s, greatest_s = _seconds(run)
    scale = size_bytes / size
    return Measured(f"OpenSSL {card['openssl']}", least_s * scale, greatest_s * scale)


def command_words(command: str) -> list[str]:
    """A command of the user's, taken apart as a shell does.

    Raises UserError for one that cannot be, and for a program that is not there."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise _refused(f"cannot read {command!r}: {error}", "close the quotes") from error
    if not words or shutil.which(words[0]) is None:
        name = words[0] if words else ""
        raise _refused(f"there is no program `{name}`", "give a program that PATH has, or its file")
    return words


def command_baseline(words: list[str]) -> Measured:
    """The user's own command, which does the same work as the run: wall time from its start to its
    end, after one run to warm up. What it prints on standard output is not shown.

    Raises UserError if it fails."""

    def run() -> None:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if done.returncode:
            text = f"`{shlex.join(words)}` ended with status {done.returncode}"
            raise _refused(text, "give a command that works; try it by itself")

    try:
        run()
        return Measured(f"your {Path(words[0]).name}", *_seconds(run))
    except OSError as error:
        text = f"`{shlex.join(words)}` cannot be started: {error.strerror}"
        raise _refused(text, "give a program that can be run") from error


def _refused(message: str, cure: str) -> UserError:
    return user_error("baseline", message, help=cure)


def _cipher(name: str, data: bytes) -> Callable[[], object]:
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
    from cryptography.hazmat.primitives.ciphers import Cipher, modes

    family, direction = name.rsplit(" ", 1)
    mode = modes.CBC(bytes(8)) if family.endswith("cbc") else modes.ECB()
    cipher = Cipher(TripleDES(bytes(range(1, 25))), mode)
    worker = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
    return lambda: worker.update(data)


def _seconds(run: Callable[[], object]) -> tuple[float, float]:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times), max(times)
