# SPDX-License-Identifier: Apache-2.0
"""C for a processor whose pointers are narrower than this machine's. What C is there (how wide
`long` and `size_t` are, where members lie) clang has said already; how wide a pointer is then only
matters where one lies in memory. A kernel that has none there is compiled as if pointers were as
wide as here: an index of 32 bits that cannot overflow then stays one, where it would else be an
address that may wrap, of which nothing is known. One that has is refused: all that reads memory of
a kernel takes pointers to have the width of this machine's."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import llvmlite.binding as llvmlite

from tandem.diagnostics import user_error
from tandem.frontend.symbols import symbols_of
from tandem.llvm import read as llvm
from tandem.llvm.module import Module, edited, opened
from tandem.llvm.read import Ref, call, type_of

_WIDE_BITS = 64


def with_wide_pointers(modules: Sequence[str], top: str) -> Sequence[str]:
    """The modules, with pointers as wide as this machine's.

    Raises UserError where they are narrower and the function `top`, or what it uses, has some in
    arrays or structs."""
    if not any(_is_narrow(text) for text in modules):
        return modules
    held = next(_held(modules, top), None)
    if held is not None:
        raise user_error(
            "narrow-pointers",
            f"`{top}` uses {held}, which has pointers in it: a kernel for a processor with "
            "pointers of 32 bits takes them as parameters only",
            help="pass what they point to as parameters of their own",
        )
    return [edited(text, _set_layout) or text for text in modules]


def _set_layout(module: Module) -> bool:
    layout, triple = _own()
    call("SetDataLayout", module.ref, layout.encode())
    call("SetTarget", module.ref, triple.encode())
    return True


@functools.lru_cache(64)
def _is_narrow(text: str) -> bool:
    with opened(text) as module:
        words = call("GetDataLayoutStr", module.ref).decode().split("-")
    pointers = (word.split(":") for word in words if word.startswith("p:"))
    return any(int(parts[1]) < _WIDE_BITS for parts in pointers)


def _held(modules: Sequence[str], top: str) -> Iterator[str]:
    """Types with pointers in them, and variables of such, that a function and all that it may lead
    to use. Of two definitions of one name both count."""
    seen, waiting = set(), [top]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for text in modules:
            if name in symbols_of(text):
                held, named = _of_name(text, name)
                yield from held
                waiting += named


def _of_name(text: str, name: str) -> tuple[list[str], list[str]]:
    """What a function or variable of a module has pointers in, and the names that it uses."""
    with opened(text) as module:
        ref = module.named(name)
        assert ref is not None
        if not llvm.is_function(ref):
            initial = call("GetInitializer", ref)
            kinds = [call("GlobalGetValueType", ref)]
            named = [*llvm.globals_in([initial] if initial else [])]
        else:
            inside = list(llvm.instructions([ref]))
            kinds = [kind for made in inside for kind in _types(made)]
            named = [*llvm.globals_in([value for made in inside for value in llvm.operands(made)])]
        names = [llvm.name(one) for one in named]
        held = [_shown(kind) for kind in dict.fromkeys(kinds) if _has_pointer(kind)]
        return held, names


def _types(ref: Ref) -> Iterator[Ref]:
    """The types that an instruction is about."""
    opcode = llvm.opcode_of(ref)
    yield type_of(ref)
    yield from (type_of(value) for value in llvm.operands(ref))
    if opcode == llvm.ALLOCA:
        yield call("GetAllocatedType", ref)
    elif opcode == llvm.ADDRESS:
        yield call("GetGEPSourceElementType", ref)


def _shown(kind: Ref) -> str:
    """A type as its author calls it."""
    name = call("GetStructName", kind) if call("GetTypeKind", kind) == llvm.TYPE_STRUCT else None
    return f"`{name.decode().replace('.', ' ', 1)}`" if name else "an array or struct"


def _has_pointer(kind: Ref) -> bool:
    """Whether an array or a struct has pointers in it."""
    which = call("GetTypeKind", kind)
    if which == llvm.TYPE_ARRAY:
        parts = [call("GetElementType", kind)]
    elif which == llvm.TYPE_STRUCT:
        parts = llvm.member_types(kind)
    else:
        return False
    return any(call("GetTypeKind", p) == llvm.TYPE_POINTER or _has_pointer(p) for p in parts)


@functools.cache
def _own() -> tuple[str, str]:
    """This machine's layout of data, and its name."""
    machine = llvmlite.Target.from_default_triple().create_target_machine()
    return str(machine.target_data), machine.triple
