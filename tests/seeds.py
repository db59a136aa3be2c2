# SPDX-License-Identifier: Apache-2.0
"""Which seeds the tests with random programs try."""

from __future__ import annotations

import os


def seeds(count: int) -> range:
    """So many from 0 on; $TANDEM_FUZZ of them from $TANDEM_FUZZ_FIRST on, where these are set."""
    first = int(os.environ.get("TANDEM_FUZZ_FIRST", "0"))
    return range(first, first + int(os.environ.get("TANDEM_FUZZ", count)))
