# SPDX-License-Identifier: Apache-2.0
"""How long the machine takes of a newcomer's first time: all commands of the tutorial, in a
checkout that is set up, with nothing built before."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from unittest.mock import patch

from figures import Figure, at_most

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from documents import copy_into, unlike

MOST_S = 600.0
"""A newcomer's patience: ten minutes, with two processors."""


def newcomer(work: Path) -> list[Figure]:
    """The tutorial from its first command to its last."""
    checkout = work / "checkout"
    copy_into(checkout)
    with patch.dict(os.environ, {"TANDEM_CACHE": str(work / "cache")}):
        began = time.monotonic()
        wrong = unlike("docs/tutorial.md", checkout)
        took_s = time.monotonic() - began
    if wrong:
        raise RuntimeError("\n".join(wrong))
    return [at_most("newcomer: the tutorial", took_s, "s", MOST_S)]
