# SPDX-License-Identifier: Apache-2.0
"""One module of all files of a program, and of what they need of the C library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import llvmlite.binding as llvm

from tandem.frontend.barriers import WORDS, drop_barriers
from tandem.frontend.block_loops import block_functions, use_block_loops
from tandem.frontend.by_value import own_name, with_plain_kernel
from tandem.frontend.hooks import call_what_is_set
from tandem.frontend.indirect_calls import mark_alternatives
from tandem.frontend.layouts import with_wide_pointers
from tandem.frontend.libraries import call_ours, library_modules
from tandem.frontend.linking import link
from tandem.frontend.macros import Declared, take_off
from tandem.frontend.partitions import mark_partitions
from tandem.frontend.program import MAIN
from tandem.frontend.sharing import wish
from tandem.frontend.struct_layouts import mark_members
from tandem.frontend.variables import make_constant, own_all, share_all, tell_apart
from tandem.frontend.wide_indices import formulas_of, with_formulas_wide
from tandem.llvm.module import Module, edited, opened


def as_software(modules: Sequence[str], top: str, files: Sequence[str]) -> str:
    """LLVM IR of a program as a processor runs it, with `top` visible."""
    return str(whole_module(modules, top, files)[0])


def whole_module(
    modules: Sequence[str], top: str, files: Sequence[str]
) -> tuple[llvm.ModuleRef, dict[str, Declared]]:
    """One module of all files and of what they need of the C library, in which `top` has plain
    arguments; and the functions of it that are to be modules of the user's."""
    plain = with_plain_kernel(with_wide_pointers(modules, top), top)
    texts = [_prepared(text, number) for number, text in enumerate(plain)]
    text = str(link(texts, top, files))
    with opened(text) as module:
        call_what_is_set(module)
        mark_alternatives(module)
        mark_members(module, module.function(top) or 0)
        asked = take_off(module)
        if top != MAIN:
            make_constant(module, text)
            share_all(module, {top, own_name(top)})
        formulas = formulas_of(module)
        linked = llvm.parse_assembly(module.text())
    if top == MAIN:
        own_all(linked)
    linked = with_formulas_wide(linked, formulas)
    if any("@tandem." in text for text in texts):
        linked.link_in(llvm.parse_assembly(block_functions()))
    _link_libraries(linked, top == MAIN)
    return linked, asked


def _prepared(text: str, number: int) -> str:
    """The module of a file, the `number`-th, as it becomes part of the whole."""
    has_barriers = any(word in text for word in WORDS)
    return edited(text, partial(_prepare, number=number, has_barriers=has_barriers)) or text


def _prepare(module: Module, number: int, has_barriers: bool) -> bool:
    """What is done to the module of each file, before they are one."""
    if has_barriers:
        drop_barriers(module)
    tell_apart(module, number)
    call_ours(module)
    wish(module)
    mark_partitions(module)
    use_block_loops(module)
    return True


def _link_libraries(module: llvm.ModuleRef, is_whole: bool) -> None:
    """Adds the functions of the C library that are called; `is_whole`: by a whole program."""
    asked = sorted(f.name for f in module.functions if f.is_declaration)
    for text in library_modules(asked, is_whole):
        module.link_in(llvm.parse_assembly(text))
