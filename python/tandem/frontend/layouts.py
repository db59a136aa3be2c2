# SPDX-License-Identifier: Apache-2.0
"""C for a processor whose pointers are narrower than this machine's. What C is there (how wide
`long` and `size_t` are, where members lie) clang has said already; how wide a pointer is then only
matters where one lies in memory. Where none does, LLVM may take pointers to be as wide as here: an
index of 32 bits that cannot overflow then stays one, where it would else be an address that may
wrap, of which nothing is known.

A program with pointers in arrays or structs keeps its own layout: its kernels are as right, but
loops whose counters are 32 bits wide have extents that are only bounds."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

import llvmlite.binding as llvm

_LAYOUT = re.compile(r'^target datalayout = "([^"]*)"$', re.M)
_TRIPLE = re.compile(r'^target triple = "[^"]*"$', re.M)
_POINTER = re.compile(r"(?:^|-)p:(\d+)")
_NARROW = 64
_HELD = re.compile(r"^%\S+ = type .*\bptr\b|[{\[][^\n{}\[\]]*\bptr\b[^\n{}\[\]]*[}\]]", re.M)
"""A type with a pointer in it: one with a name, or one that is spelled out."""
_LISTS = re.compile(r"^(?:@llvm\.|attributes |![0-9]).*$", re.M)
"""What is LLVM's own."""


def with_wide_pointers(modules: Sequence[str]) -> Sequence[str]:
    """The modules, with pointers as wide as this machine's where that changes nothing but what is
    known of them."""
    if not any(_is_narrow(text) for text in modules) or any(_holds(text) for text in modules):
        return modules
    layout, triple = _own()
    return [_TRIPLE.sub(triple, _LAYOUT.sub(layout, text)) for text in modules]


def _is_narrow(text: str) -> bool:
    layout = _LAYOUT.search(text)
    pointer = _POINTER.search(layout[1]) if layout else None
    return pointer is not None and int(pointer[1]) < _NARROW


def _holds(text: str) -> bool:
    return _HELD.search(_LISTS.sub("", text)) is not None


@functools.cache
def _own() -> tuple[str, str]:
    """This machine's two lines."""
    machine = llvm.Target.from_default_triple().create_target_machine()
    layout, triple = str(machine.target_data), machine.triple
    return f'target datalayout = "{layout}"', f'target triple = "{triple}"'
