# SPDX-License-Identifier: Apache-2.0
"""`#pragma tandem`: directives on loops, carried through clang to the loop they stand before.

    #pragma tandem pipeline            pipeline the next loop as tightly as it goes
    #pragma tandem pipeline ii(2)      ... and start one at least every 2 cycles, or say why not
    #pragma tandem unroll              make a copy of the next loop's body for each iteration
    #pragma tandem unroll off          ... or none, however few there are

Clang has loop directives of its own; it keeps them on the loop through every optimisation. So ours
are rewritten to such that nobody else reads before clang reads the file.
"""

from __future__ import annotations

import re

from tandem.diagnostics import Place, user_error

BEST_II = 1 << 20
"""What stands for 'as tightly as it goes' in clang's directive, which wants a number."""

WHOLLY, NOT_AT_ALL = 1 << 20, (1 << 20) + 1
"""What stands for the two in clang's directive for interleaving, which only the vectoriser reads:
the ones for unrolling clang would act on itself."""

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+tandem\b(.*)$", re.M)
_UNROLL = re.compile(r"unroll(\s+off)?$")
_PIPELINE = re.compile(r"pipeline(?:\s+ii\s*\(\s*(\d+)\s*\))?$")


def rewrite_pragmas(text: str, file: str) -> str:
    """The C text with Tandem's pragmas in clang's spelling; lines keep their numbers.

    Raises UserError for a pragma that is not known."""

    def replace(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start()) + 1
        words = match[1].split("//")[0].strip()
        if words.startswith("extent"):
            return ""  # read by `annotations.read_extents`; means nothing to clang
        copies = _UNROLL.match(words)
        if copies:
            return f"#pragma clang loop interleave_count({NOT_AT_ALL if copies[1] else WHOLLY})"
        found = _PIPELINE.match(words)
        if not found or found[1] == "0":
            raise user_error(
                "pragma",
                f"unknown directive `#pragma tandem {words}`",
                Place(file, line),
                "known: `pipeline`, `pipeline ii(N)` with N >= 1, `unroll`, `unroll off`, "
                "`extent(ARGUMENT, BYTES)`",
            )
        return f"#pragma clang loop pipeline_initiation_interval({found[1] or BEST_II})"

    quoted = file.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n' + _PRAGMA.sub(replace, text)
