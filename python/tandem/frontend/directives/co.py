# SPDX-License-Identifier: Apache-2.0
"""`#pragma CO`, the words of Impulse C: each stands in the body that it is about."""

from __future__ import annotations

import re

from tandem.diagnostics import Place, user_error
from tandem.frontend.directives.directive import Directive, no_effect
from tandem.frontend.directives.spelling import Read, Spelling

_ACTED_ON = ("pipeline", "unroll")
_KEEPS_APART = "`#pragma tandem inline off` before a function keeps it apart"
_NO_EFFECT = {
    "set stagedelay": "a stage has as much logic as fits the clock period (--clock-ns), by delays "
    "that were measured",
    "set dontinline": f"it is an option of another compiler; {_KEEPS_APART}",
    "set": "it is an option of another compiler's optimiser",
    "nonrecursive": "which accesses are independent is found by itself, and only that is used",
    "flatten": "branches inside a loop become choices in any case",
    "primitive": f"functions are inlined or not by what time and area come to; {_KEEPS_APART}",
}
"""What a pragma begins with that does nothing here, and why."""
_KNOWN = (
    "known: `PIPELINE`, `UNROLL`; without effect: `SET stageDelay N`, `SET DontInline`, other "
    "`SET NAME VALUE`, `NONRECURSIVE`, `FLATTEN`, `PRIMITIVE`"
)


def read_co(words: str, shown: str, place: Place) -> Read:
    """Raises UserError for what is not known."""
    said = re.sub(r'[\s"]+', " ", words).strip().lower()
    if said in _ACTED_ON:
        return Read(Directive(said, shown, place))
    reason = next((why for begin, why in _NO_EFFECT.items() if said.startswith(begin)), None)
    if reason is None:
        raise user_error("pragma", f"unknown directive `{shown}`", place, _KNOWN)
    return Read(notes=[no_effect(shown, place, reason)])


SPELLING = Spelling("CO", read_co)
