# SPDX-License-Identifier: Apache-2.0
"""Calls that are about vectors: each lane has its own, or the function is given all lanes."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.frontend.lanes import Lanes, joined_type, kinds_of
from tandem.llvm import attributes
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.module import Unknown
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, call, opcode_of, operands, type_of

_SUMS = {
    "add": Opcode.ADD,
    "mul": Opcode.MUL,
    "and": Opcode.AND,
    "or": Opcode.OR,
    "xor": Opcode.XOR,
}
_ORDERED_SUMS = {"fadd": Opcode.FADD, "fmul": Opcode.FMUL}
_CHOICES = frozenset({"smax", "smin", "umax", "umin"})
_REDUCED = "llvm.vector.reduce."
_UNKNOWN = ("llvm.vector.", "llvm.masked.", "llvm.x86.")


def make_call_scalar(lanes: Lanes, ref: Ref) -> None:
    """Puts calls without vectors in the place of one."""
    callee = llvm.called(ref) or 0
    if call("GetValueKind", callee) == llvm.VALUE_INLINE_ASM:
        raise Unknown
    name = llvm.name(callee) if llvm.is_function(callee) else ""
    if name.startswith(_REDUCED):
        _reduce(lanes, ref, name.removeprefix(_REDUCED).partition(".")[0])
    elif name.startswith("llvm."):
        _call_each_lane(lanes, ref, name)
    else:
        _call_with_lanes(lanes, ref, callee)


def _reduce(lanes: Lanes, ref: Ref, how: str) -> None:
    """All lanes made one, the first with the second, that with the third and so on."""
    *first, vector = operands(ref)[:-1]
    sofar, *rest = [*first, *lanes.of(vector)]
    for lane in rest:
        sofar = _together(lanes, ref, how, sofar, lane)
    call("ReplaceAllUsesWith", ref, sofar)


def _together(lanes: Lanes, ref: Ref, how: str, one: Ref, other: Ref) -> Ref:
    make, kind = lanes.make, type_of(one)
    if how in _CHOICES:
        name = f"llvm.{how}.{llvm.type_text(kind)}"
        return make.call(lanes.module.declared(name, kind, [kind, kind]), [one, other])
    if how not in _SUMS and how not in _ORDERED_SUMS:
        raise Unknown
    made = make.binary((_SUMS | _ORDERED_SUMS)[how], one, other)
    if how in _ORDERED_SUMS and opcode_of(made):
        call("SetFastMathFlags", made, call("GetFastMathFlags", ref))
    return made


def _call_each_lane(lanes: Lanes, ref: Ref, name: str) -> None:
    """A function of LLVM's that is one of each lane."""
    *given, _ = operands(ref)
    count = len(kinds_of(type_of(ref)))
    vectors = [value for value in given if llvm.is_vector(value)]
    fits = all(len(kinds_of(type_of(value))) == count for value in vectors)
    if not llvm.is_vector(ref) or not fits or name.startswith(_UNKNOWN):
        raise Unknown
    kind = kinds_of(type_of(ref))[0]
    kinds = [kinds_of(type_of(value))[0] for value in given]
    callee = lanes.module.declared(_of_one_lane(name), kind, kinds)
    made = []
    for parts in zip(*(lanes.of_or_same(value, count) for value in given), strict=True):
        made.append(lanes.make.call(callee, parts))
        if call("CanValueUseFastMathFlags", ref):
            call("SetFastMathFlags", made[-1], call("GetFastMathFlags", ref))
    lanes.are(ref, made)


def _of_one_lane(name: str) -> str:
    """The name of an intrinsic for numbers in place of vectors: `llvm.smax.v4i32` is
    `llvm.smax.i32`."""
    return ".".join(map(_one_lane, name.split(".")))


def _one_lane(part: str) -> str:
    kind = part[1:].lstrip("0123456789")
    is_vector = part.startswith("v") and part[1:2].isdigit() and kind[:1] in ("i", "f")
    return kind if is_vector else part


def _call_with_lanes(lanes: Lanes, ref: Ref, callee: Ref) -> None:
    """Any other function, which is given lanes and returns an integer."""
    module = lanes.module
    *given, _ = operands(ref)
    parts = [lanes.of(v) if llvm.is_vector(v) else [lanes.whole(v)] for v in given]
    result = joined_type(module, type_of(ref))
    flat = [part for some in parts for part in some]
    kind = module.function_type(result, [*map(type_of, flat)])
    made = lanes.make.call_through(kind, callee, flat)
    call("SetTailCallKind", made, call("GetTailCallKind", ref))
    call("SetInstructionCallConv", made, call("GetInstructionCallConv", ref))
    _say_of_call(ref, made, [len(some) for some in parts], result == type_of(ref))
    if llvm.is_vector(ref):
        lanes.are(ref, lanes.split(made, kinds_of(type_of(ref))))
    elif result != type_of(ref):
        lanes.is_whole(ref, made)
    else:
        call("ReplaceAllUsesWith", ref, made)


def _say_of_call(ref: Ref, made: Ref, counts: Sequence[int], has_same_result: bool) -> None:
    """Says of a call what another one says of itself, its result, and each of its arguments."""
    indices = [FUNCTION_INDEX, *([0] if has_same_result else [])]
    places = [(index, index) for index in indices]
    after = 1
    for index, count in enumerate(counts, 1):
        places += [(index, after + lane) for lane in range(count)]
        after += count
    for index, other in places:
        for attribute in attributes.attributes_given(ref, index):
            call("AddCallSiteAttribute", made, other, attribute)
