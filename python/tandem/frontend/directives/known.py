# SPDX-License-Identifier: Apache-2.0
"""The spellings of directives in the C."""

from __future__ import annotations

from tandem.frontend.directives import co, hls, own
from tandem.frontend.directives.spelling import Spelling

SPELLINGS = [own.SPELLING, hls.SPELLING, co.SPELLING]


def spelling_called(word: str) -> Spelling | None:
    """The spelling of a name, if it is one."""
    return next((one for one in SPELLINGS if one.is_called(word)), None)
