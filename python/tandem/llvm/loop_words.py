# SPDX-License-Identifier: Apache-2.0
"""What is asked of a loop, as LLVM 22 writes it and as LLVM 24 does, which ends the process where
it reads the other. Both are whole nodes, so that nothing else in a text is like them."""

from __future__ import annotations

_WISHES = ("vectorize", "vectorize.scalable", "vectorize.predicate", "distribute")
_NEWER = {
    f'!{{!"llvm.loop.{wish}.enable", i1 {word}}}': f'!{{!"llvm.loop.{wish}.{newer}"}}'
    for wish in _WISHES
    for word, newer in (("true", "enable"), ("false", "disable"))
}


def newer_wishes(text: str) -> str:
    """A module's text with the words of LLVM 24."""
    for older, newer in _NEWER.items():
        text = text.replace(older, newer)
    return text


def older_wishes(text: str) -> str:
    """... of LLVM 22."""
    for older, newer in _NEWER.items():
        text = text.replace(newer, older)
    return text
