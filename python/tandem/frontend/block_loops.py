# SPDX-License-Identifier: Apache-2.0
"""memset, memcpy and memmove of a large or unknown size become loops.

Clang makes calls of LLVM's intrinsics of them, also for initialisers and for struct assignments.
Before anything is inlined, those that are too long for straight-line code call one of the functions
below instead, which LLVM then inlines. What goes by bytes because only the callers of its function
know what it fills, and how much of it, waits until these have it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import llvmlite.binding as llvmlite

from tandem import policy
from tandem.frontend.clang import own_functions
from tandem.frontend.struct_layouts import declared_layout
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import erase
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.passes import rewritten
from tandem.llvm.read import Ref

WORD_BYTES = (8, 4, 2, 1)

IS_BELOW = "tandem.below"
"""Whether a pointer is below another in one array. Between arrays either answer will do, so the
import, which could not tell, must still find the call."""

# One function a word size: the last bytes of a size that is no multiple of it go one by one. Where
# LLVM knows the size, it removes that part.
_SOURCE = """
typedef unsigned long long u64;
_Bool below(const void *, const void *) __asm__("tandem.below");
__attribute__((const, noinline)) _Bool below(const void *a, const void *b) { return a < b; }

#define FILL(W, T) \\
    void fill##W(T *to, unsigned char byte, u64 n) __asm__("tandem.memset." #W); \\
    void fill##W(T *to, unsigned char byte, u64 n) { \\
        T word = (T)(byte * 0x0101010101010101ull); \\
        for (u64 i = 0; i < n / W; i++) to[i] = word; \\
        for (u64 i = n / W * W; i < n; i++) ((unsigned char *)to)[i] = byte; \\
    }
#define COPY(W, T) COPY_AS(copy##W, #W, W, T)
#define COPY_ANYWHERE(W, T) \\
    typedef T any##W __attribute__((aligned(1))); \\
    COPY_AS(copy_any##W, "any." #W, W, any##W)
#define COPY_AS(NAME, SUFFIX, W, T) \\
    void NAME(T *to, const T *from, u64 n) __asm__("tandem.memcpy." SUFFIX); \\
    void NAME(T *to, const T *from, u64 n) { \\
        for (u64 i = 0; i < n / W; i++) to[i] = from[i]; \\
        for (u64 i = n / W * W; i < n; i++) \\
            ((unsigned char *)to)[i] = ((const unsigned char *)from)[i]; \\
    }
#define MOVE(W, T) \\
    void move##W(T *to, const T *from, u64 n) __asm__("tandem.memmove." #W); \\
    void move##W(T *to, const T *from, u64 n) { \\
        if (below(to, from)) { copy##W(to, from, n); return; } \\
        for (u64 i = n; i > n / W * W; i--) \\
            ((unsigned char *)to)[i - 1] = ((const unsigned char *)from)[i - 1]; \\
        for (u64 i = n / W; i > 0; i--) to[i - 1] = from[i - 1]; \\
    }
#define ALL(W, T) FILL(W, T) COPY(W, T) MOVE(W, T)
ALL(1, unsigned char)
ALL(2, unsigned short)
ALL(4, unsigned int)
ALL(8, u64)
COPY_ANYWHERE(2, unsigned short)
COPY_ANYWHERE(4, unsigned int)
COPY_ANYWHERE(8, u64)
"""
_KINDS = ("memset", "memcpy", "memmove")
_SIZE_BITS = 64


def use_block_loops(module: Module) -> bool:
    """Has a module call `block_functions` for long and unknown sizes."""
    return _use_loops(module, _known_word)


def with_arrays_in_loops(module: llvmlite.ModuleRef, top: str) -> llvmlite.ModuleRef:
    """The module with loops for what fills or copies more than a few elements of what has stayed an
    array when all was inlined into `top`, to be inlined again; the same one where there is nothing
    of the kind."""
    looped = rewritten(module, partial(_loop_over_arrays, top=top))
    if looped is not module:
        looped.link_in(llvmlite.parse_assembly(block_functions()))
    return looped


def _loop_over_arrays(module: Module, top: str) -> bool:
    kernel = module.function(top) or 0
    return _use_loops(module, partial(_last_word, kernel))


def _use_loops(module: Module, word_of: Callable[[Ref, str], str]) -> bool:
    """`word_of`: by what words a call is to go, none where it stays; whether any does not."""
    calls = [(ref, kind) for ref in llvm.calls(module.defined) if (kind := _kind(ref))]
    found = [(ref, kind, word) for ref, kind in calls if (word := word_of(ref, kind))]
    builder = Builder(module)
    for ref, kind, word in found:
        given = llvm.operands(ref)[:3]
        kinds = [llvm.type_of(value) for value in given]
        function = module.declared(f"tandem.{kind}.{word}", module.void, kinds)
        builder.before(ref).call(function, given)
        erase(ref)
    return bool(found)


def _kind(ref: Ref) -> str | None:
    """Which of these a call is of, unless the memory is another device's."""
    function = llvm.called(ref)
    parts = llvm.name(function).split(".") if function else []
    if parts[:1] != ["llvm"] or len(parts) < 2 or parts[1] not in _KINDS:
        return None
    is_volatile = llvm.constant_number(llvm.operands(ref)[3]) != 0
    return None if is_volatile else parts[1]


def _known_word(ref: Ref, kind: str) -> str:
    """By what words what is long goes. Bytes of unknown size may yet be words of a known one."""
    word = _word(ref, kind) if _is_long(ref) else 0
    return str(word) if word > 1 or (word and _size(ref) is not None) else ""


def _last_word(kernel: Ref, ref: Ref, kind: str) -> str:
    """The same once all is inlined. Structs of several members stay parted, if that can be."""
    word = _element_word(kernel, ref, kind)
    if word or not _is_long(ref):
        return word
    is_known = _size(ref) is not None
    return "" if is_known and 0 in _elements(kernel, ref, kind) else str(_word(ref, kind))


def _size(ref: Ref) -> int | None:
    """How many bytes a call is about, where that is known."""
    return llvm.constant_number(llvm.operands(ref)[2])


def _is_long(ref: Ref) -> bool:
    """Whether it is too long for straight-line code, or of unknown size."""
    number = _size(ref)
    is_wide = llvm.number_bits(llvm.type_of(llvm.operands(ref)[2])) == _SIZE_BITS
    return is_wide and (number is None or number > policy.STRAIGHT_BYTES)


def _word(ref: Ref, kind: str) -> int:
    """The bytes of the largest word that all it touches is made of."""
    number = _size(ref) or 0
    aligned = min(_aligned(ref, kind))
    return next(w for w in WORD_BYTES if aligned % w == 0 and number % w == 0)


def _aligned(ref: Ref, kind: str) -> list[int]:
    """The alignment of each pointer that a call has: a fill has no source."""
    count = 1 if kind == "memset" else 2
    return [llvm.alignment_given(ref, i) for i in range(count)]


def _element_word(kernel: Ref, ref: Ref, kind: str) -> str:
    """The elements of an array that is filled, or of both that are copied, if it is more than some
    of them; where they may lie anywhere, that is said."""
    number = _size(ref)
    if kind == "memmove" or number is None or number <= policy.STRAIGHT_ARRAY_BYTES:
        return ""
    aligned, elements = _aligned(ref, kind), _elements(kernel, ref, kind)
    word = elements.pop() if len(elements) == 1 else 0
    if word not in WORD_BYTES or number % word:
        return ""
    if all(known % word == 0 for known in aligned):
        return str(word)
    return f"any.{word}" if kind == "memcpy" else ""


def _elements(kernel: Ref, ref: Ref, kind: str) -> set[int]:
    """How many bytes the elements have of what is filled or copied, as `_element_bytes` says."""
    aligned = _aligned(ref, kind)
    bases = [_base(pointer) for pointer in llvm.operands(ref)[: len(aligned)]]
    return set[int]().union(*map(partial(_element_bytes, kernel), bases, aligned))


def _base(pointer: Ref) -> Ref:
    """What a pointer is somewhere in."""
    while llvm.opcode_of(pointer) == Opcode.ADDRESS:
        pointer = llvm.operands(pointer)[0]
    return pointer


def _element_bytes(kernel: Ref, base: Ref, aligned: int) -> set[int]:
    """Of the numbers that a variable is made of, none of which is 0; of what a parameter of the
    kernel leads to, what it is aligned to says so, unless that is a byte."""
    if llvm.opcode_of(base) == Opcode.ALLOCA:
        return _number_bytes(llvm.call("GetAllocatedType", base))
    if llvm.call("IsAGlobalVariable", base):
        is_table = bool(llvm.call("IsGlobalConstant", base))
        return _number_bytes(llvm.call("GlobalGetValueType", base), is_table)
    if base not in llvm.parameters(kernel):
        return set()
    if declared_layout(kernel, base) is not None:
        return {0}
    return {aligned} if aligned > 1 else set()


def _number_bytes(kind: Ref, is_table: bool = False) -> set[int]:
    """Of the numbers that a type is made of; 0 stands for what is none, and for members of a struct
    unless it `is_table`, of which LLVM makes a struct where it ends in zeros."""
    which = llvm.call("GetTypeKind", kind)
    if which == llvm.TYPE_ARRAY:
        return _number_bytes(llvm.call("GetElementType", kind), is_table)
    if which == llvm.TYPE_STRUCT:
        members = llvm.member_types(kind)
        known = members if is_table or len(members) == 1 else []
        return {b for member in known for b in _number_bytes(member, is_table)} or {0}
    return {llvm.number_bits(kind) // 8}


@cache
def block_functions() -> str:
    """LLVM IR of the functions that the calls lead to."""
    return own_functions(_SOURCE)
