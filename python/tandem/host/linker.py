# SPDX-License-Identifier: Apache-2.0
"""The words for the linker that ours takes. The compiler in the `ziglang` wheel ends at those that
it does not know, although some only ask to be told more, or for nothing that it would do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from tandem.diagnostics import Diagnostic

_LEFT_OUT = frozenset(
    (
        *("-Map", "-M", "-print-map", "-cref", "-verbose", "-trace", "-t", "-stats"),
        *("-print-memory-usage", "-warn-common", "-no-warn-mismatch", "-threads", "-no-threads"),
        *("-relax", "-no-relax", "-push-state", "-pop-state", "-exclude-libs", "-icf"),
    )
)
"""Options with which a program is the same, or larger, or told more of."""
_WITH_VALUE = frozenset(["-Map", "-exclude-libs"])


def taken_words(words: Sequence[str]) -> list[str]:
    """A compiler's words without the linker's options that are left out; a note tells of those that
    ask for a file. With `$TANDEM_CLANG` the linker is another one."""
    if os.environ.get("TANDEM_CLANG"):
        return list(words)
    return [taken for word in _joined(words) for taken in _taken(word)]


def _joined(words: Sequence[str]) -> Iterator[str]:
    """`-Xlinker WORD`s as `-Wl,WORD,...`."""
    stream, pending = iter(words), list[str]()
    for word in stream:
        if word == "-Xlinker":
            pending.append(next(stream, ""))
            continue
        if pending:
            yield ",".join(["-Wl", *pending])
            pending = []
        yield word
    if pending:
        yield ",".join(["-Wl", *pending])


def _taken(word: str) -> Iterator[str]:
    if not word.startswith("-Wl,"):
        yield word
        return
    kept, options = [], iter(word.split(",")[1:])
    for option in options:
        name, equals, value = option.partition("=")
        name = name.removeprefix("-") if name.startswith("--") else name
        if name not in _LEFT_OUT:
            kept.append(option)
            continue
        if name in _WITH_VALUE and not equals:
            value = next(options, "")
        if name == "-Map":
            _tell(value)
    if kept:
        yield ",".join(["-Wl", *kept])


def _tell(file: str) -> None:
    message = f"the linker writes no map: `{file}` is not made"
    cure = "a linker of your own does, through $TANDEM_CLANG"
    print(Diagnostic("linker", message, None, cure, "note"), file=sys.stderr)
