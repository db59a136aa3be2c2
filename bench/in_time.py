# SPDX-License-Identifier: Apache-2.0
"""A plug-in of pytest: tests that would begin when `BUDGET_S` seconds have passed are left out."""

from __future__ import annotations

import os
import time
from typing import Any

END_S = time.monotonic() + float(os.environ["BUDGET_S"])


def pytest_runtest_protocol(item: Any, nextitem: Any) -> bool | None:
    """True: done with."""
    return True if time.monotonic() > END_S else None
