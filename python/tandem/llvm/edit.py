# SPDX-License-Identifier: Apache-2.0
"""LLVM IR that is changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tandem.llvm.binding import Ref, call
from tandem.llvm.read import parse
from tandem.llvm.spelling import older_text


@dataclass(frozen=True)
class Module:
    """What LLVM has read from a text, to be changed and written again."""

    context: Ref
    ref: Ref

    def text(self) -> str:
        """As the LLVM reads it that is in llvmlite and in clang. The module is of no use
        afterwards."""
        return older_text(self.ref)


@contextmanager
def opened(text: str) -> Iterator[Module]:
    """A module of LLVM's text, for as long as it is worked on. Raises InternalError if LLVM cannot
    read it."""
    context, ref = parse(text)
    try:
        yield Module(context, ref)
    finally:
        call("DisposeModule", ref)
        call("ContextDispose", context)
