# SPDX-License-Identifier: Apache-2.0
"""Calls through a choice of known functions become a choice of calls.

After LLVM's passes a call through a pointer is left only where the function is chosen at run time.
Where every function it may be is in sight, the call goes to a dispatcher instead, which compares
the pointer with each; inlined in turn, the comparisons become the conditions of the C's own choice.
"""

from __future__ import annotations

from collections.abc import Collection

import llvmlite.binding as llvmlite

from tandem.diagnostics import Place, user_error
from tandem.frontend.macros import is_macro
from tandem.frontend.own_pointers import CHOICES, UNDEFINED, is_own_pointer
from tandem.llvm import attributes, metadata
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.builder import Builder
from tandem.llvm.edit import add_attribute, make_internal, replace
from tandem.llvm.module import Module, edited, opened
from tandem.llvm.opcodes import Predicate
from tandem.llvm.read import Ref, call, opcode_of, operands

OURS = "tandem."
"""What the functions begin with that no C names."""
_ALTERNATIVES = "tandem.alternatives"
"""The attribute of a function that memory may hold: its number, and how many there are of its
type."""


def resolve_indirect_calls(module: llvmlite.ModuleRef, top: str) -> str | None:
    """The module's text with dispatchers in place of the calls of `top` through pointers, None if
    there is no such call whose functions are all known."""
    return edited(str(module), lambda module: _resolve(module, top))


def _resolve(module: Module, top: str) -> bool:
    function = module.function(top)
    known = [
        (ref, targets) for ref in _indirect_calls(function) if (targets := _targets(module, ref))
    ]
    for number, (ref, targets) in enumerate(known):
        _lead_through(module, ref, _dispatcher(module, f"{OURS}dispatch.{number}", targets))
    for other in module.defined if known else ():
        call("SetUnnamedAddress", other, 0)  # an address that is compared matters
    return bool(known)


def _targets(module: Module, ref: Ref) -> list[Ref]:
    """The functions that a call may lead to, if they are known and of one type; else none."""
    pointer = operands(ref)[-1]
    targets = _possible_targets(pointer)
    if targets is None:
        targets = _address_taken(module, ref)
        if not (_are_all(targets) or is_own_pointer(module, llvm.function_of(ref), pointer)):
            return []
    kinds = {call("GlobalGetValueType", target) for target in targets}
    is_one = len(kinds) == 1 and not any(call("IsFunctionVarArg", kind) for kind in kinds)
    return sorted(targets, key=llvm.name) if is_one else []


def _address_taken(module: Module, ref: Ref) -> set[Ref]:
    """The functions that a pointer in memory may lead to: those of the call's type that are still
    there although all that is called by name has been inlined, and macros."""
    here = llvm.function_of(ref)
    wanted = call("GetCalledFunctionType", ref)
    return {
        f
        for f in module.functions
        if (is_macro(llvm.name(f)) or (llvm.entry(f) and not llvm.name(f).startswith(OURS)))
        and f != here
        and call("GlobalGetValueType", f) == wanted
    }


def mark_alternatives(module: Module) -> None:
    """Has functions of a whole program that memory may hold say how many of their type it may hold,
    and which of them they are: what the kernel does not come to is gone once that is asked, though
    the host may set it there."""
    by_type: dict[Ref, list[Ref]] = {}
    for function in filter(_is_held, module.functions):
        by_type.setdefault(call("GlobalGetValueType", function), []).append(function)
    for functions in by_type.values():
        for number, function in enumerate(functions):
            said = module.attribute(_ALTERNATIVES, f"{number} {len(functions)}")
            add_attribute(function, FUNCTION_INDEX, said)


def _is_held(function: Ref) -> bool:
    """Whether a function's address is used, and not only called."""
    return any(
        llvm.called(user) != function or function in operands(user)[:-1]
        for user in llvm.users(function)
    )


def _are_all(targets: Collection[Ref]) -> bool:
    """Whether the program knows no other functions to which a pointer may lead than some."""
    texts = [attributes.string_attribute(f, FUNCTION_INDEX, _ALTERNATIVES) for f in targets]
    said = [[*map(int, text.split())] for text in texts if text]
    counts = {count for _, count in said}
    return all({*range(count)} == {number for number, _ in said} for count in counts)


def _lead_through(module: Module, ref: Ref, dispatcher: Ref) -> None:
    """Puts a call of a dispatcher in the place of a call through a pointer, which it is given
    first, with what is said of that one's result and arguments."""
    *given, pointer = operands(ref)
    builder = Builder(module).before(ref)
    made = builder.call(dispatcher, [pointer, *given])
    for index in range(len(given) + 1):
        for attribute in attributes.attributes_given(ref, index):
            call("AddCallSiteAttribute", made, index and index + 1, attribute)
    replace(ref, made)


def check_no_indirect_call(module: llvmlite.ModuleRef, top: str, place: Place) -> None:
    """Raises UserError for a call of `top` through a pointer; `place` is where `top` is defined."""
    with opened(str(module)) as found:
        ref = next(iter(_indirect_calls(found.function(top))), None)
        if ref is None:
            return
        place = metadata.place_of(ref, place)
        # What is neither the kernel nor inlined is still there because its address is used.
        names = {llvm.name(function) for function in found.defined} - {top}
    known = ", ".join(f"`{name}`" for name in sorted(names) if not name.startswith(OURS))
    raise user_error(
        "indirect-call",
        "a call through a function pointer" + (f", which may lead to {known}" if known else ""),
        place,
        "call each function by its name, for instance in a switch",
    )


def _indirect_calls(function: Ref | None) -> list[Ref]:
    found = llvm.calls([function] if function else [])
    kinds = (llvm.VALUE_FUNCTION, llvm.VALUE_INLINE_ASM)
    return [ref for ref in found if call("GetValueKind", llvm.called(ref) or 0) not in kinds]


def _possible_targets(pointer: Ref) -> set[Ref] | None:
    """The functions that a pointer may lead to, None if one of its sources is not in sight."""
    found, seen, work = set[Ref](), set[Ref](), [pointer]
    while work:
        value = work.pop()
        kind, opcode = call("GetValueKind", value), opcode_of(value)
        if kind == llvm.VALUE_FUNCTION:
            found.add(value)
        elif opcode in CHOICES:
            work += () if value in seen else operands(value)[CHOICES[opcode] :]
            seen.add(value)
        elif kind not in UNDEFINED:
            return None
    return found


def _dispatcher(module: Module, name: str, targets: list[Ref]) -> Ref:
    """A function that calls the target its first argument points to."""
    kind = call("GlobalGetValueType", targets[0])
    given = [llvm.type_of(parameter) for parameter in llvm.parameters(targets[0])]
    made = module.declared(name, call("GetReturnType", kind), [module.pointer, *given])
    make_internal(made)
    add_attribute(made, FUNCTION_INDEX, module.enum_attribute("alwaysinline"))
    builder = Builder(module)
    *others, last = targets
    builder.at_end(module.block(made))
    for target in others:
        yes, no = module.block(made), module.block(made)
        is_it = builder.compare(Predicate.EQ, llvm.parameters(made)[0], target)
        builder.branch(is_it, yes, no)
        _call_and_return(builder.at_end(yes), target, made)
        builder.at_end(no)
    _call_and_return(builder, last, made)
    return made


def _call_and_return(builder: Builder, target: Ref, dispatcher: Ref) -> None:
    result = builder.call(target, llvm.parameters(dispatcher)[1:])
    builder.ret(None if llvm.returns_nothing(dispatcher) else result)
