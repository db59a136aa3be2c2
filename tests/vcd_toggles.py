# SPDX-License-Identifier: Apache-2.0
"""Toggles as a VCD file tells them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from vcdvcd import VCDVCD


def toggles_of(file: Path) -> dict[str, int]:
    """By signal of the module under the top one, those behind its reset."""
    dump: Any = VCDVCD(str(file))
    reset = next(name for name in dump.signals if re.fullmatch(r"\w+\.reset", name))
    begun = next(time for time, value in dump[reset].tv if value == "0") - 1
    found = {}
    for name in dump.signals:
        scopes = name.split(".")
        if len(scopes) == 3:
            changes = [(time, int(value, 2)) for time, value in dump[name].tv]
            found[re.sub(r"\[[\d:]+\]$", "", scopes[2])] = sum(
                (old ^ new).bit_count()
                for (_, old), (time, new) in pairwise(changes)
                if time > begun
            )
    return found
