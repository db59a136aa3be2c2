# SPDX-License-Identifier: Apache-2.0
"""Software to compare with, measured here and now."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tandem.installation import data_file

REPEATS = 3
LEAST_BYTES = 1 << 16


def kernel_cards() -> dict[str, dict[str, Any]]:
    """library/kernels.toml: what is known of each kernel of the library."""
    with open(data_file("library", "kernels.toml"), "rb") as handle:
        return tomllib.load(handle)


def openssl_seconds(kernel: str, sources: list[Path], size_bytes: int) -> tuple[str, float] | None:
    """(name, seconds) of OpenSSL doing the same work on `size_bytes`; None where it has no such
    cipher. The least of some repeats, on data made up here."""
    card = kernel_cards().get(kernel)
    if card is None or "openssl" not in card or card["source"] not in {s.name for s in sources}:
        return None
    size = max(LEAST_BYTES, size_bytes // 8 * 8)
    run = _cipher(card["openssl"], os.urandom(size))
    return f"OpenSSL {card['openssl']}", _least_seconds(run) * size_bytes / size


def _cipher(name: str, data: bytes) -> Callable[[], object]:
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
    from cryptography.hazmat.primitives.ciphers import Cipher, modes

    family, direction = name.rsplit(" ", 1)
    mode = modes.CBC(bytes(8)) if family.endswith("cbc") else modes.ECB()
    cipher = Cipher(TripleDES(bytes(range(1, 25))), mode)
    worker = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
    return lambda: worker.update(data)


def _least_seconds(run: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best
