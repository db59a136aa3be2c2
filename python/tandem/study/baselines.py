# SPDX-License-Identifier: Apache-2.0
"""Software to compare with, measured here and now."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import UserError, user_error
from tandem.library.manifests import library_kernels

REPEATS = 3
LEAST_BYTES = 1 << 16
BLOCK_BYTES = 16
"""Of the largest block of a cipher."""


@dataclass(frozen=True)
class Measured:
    """A baseline by name: the least and the greatest time of its runs."""

    name: str
    least_s: float
    greatest_s: float


def openssl_baseline(kernel: str, sources: list[Path], size_bytes: int) -> Measured | None:
    """OpenSSL doing the same work on `size_bytes`, on data made up here; None where it has no such
    cipher."""
    found = library_kernels().get(kernel)
    if found is None or found.openssl is None or found.source.name not in {s.name for s in sources}:
        return None
    size = max(LEAST_BYTES, size_bytes // BLOCK_BYTES * BLOCK_BYTES)
    run = _cipher(found.openssl, os.urandom(size))
    least_s, greatest_s = _seconds(run)
    scale = size_bytes / size
    return Measured(f"OpenSSL {found.openssl}", least_s * scale, greatest_s * scale)


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
    """What does the work of a cipher by OpenSSL's name and a direction, such as `des-ede3-ecb
    encrypt`."""
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
    from cryptography.hazmat.primitives.ciphers import Cipher, modes
    from cryptography.hazmat.primitives.ciphers.algorithms import AES

    family, direction = name.rsplit(" ", 1)
    algorithm, size, mode = family.split("-")
    if algorithm == "aes":
        chosen, block_bytes = AES(bytes(range(int(size) // 8))), 16
    else:
        chosen, block_bytes = TripleDES(bytes(range(1, 25))), 8
    chained = {"cbc": modes.CBC, "ctr": modes.CTR}
    kind = chained[mode](bytes(block_bytes)) if mode in chained else modes.ECB()
    cipher = Cipher(chosen, kind)
    worker = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
    return lambda: worker.update(data)


def _seconds(run: Callable[[], object]) -> tuple[float, float]:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times), max(times)
