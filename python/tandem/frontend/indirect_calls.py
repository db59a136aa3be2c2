# SPDX-License-Identifier: Apache-2.0
"""Calls through a choice of known functions become a choice of calls.

After LLVM's passes a call through a pointer is left only where the function is chosen at run time.
Where every function it may be is in sight, the call goes to a dispatcher instead, which compares
the pointer with each; inlined in turn, the comparisons become the conditions of the C's own choice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import llvmlite.binding as llvm

from tandem.diagnostics import Place, user_error
from tandem.frontend.macros import is_macro
from tandem.frontend.symbols import symbol
from tandem.frontend.text import LOCAL_NAME

CHOICES = {"select": 1, "phi": 0, "freeze": 0}
"""Instructions that pass one of their operands on -> the first operand they may pass on."""

_THROUGH = re.compile(rf"(\bcall [^%@]*)({LOCAL_NAME})\(")
_DIRECT = re.compile(r'\bcall [^@%"\n]*@([-\w.$]+)\(')
UNDEFINED = frozenset(
    {
        llvm.ValueKind.undef_value,
        llvm.ValueKind.poison_value,
        llvm.ValueKind.constant_pointer_null,
    }
)
"""Pointers that no call follows."""


def resolve_indirect_calls(module: llvm.ModuleRef, top: str) -> str | None:
    """The module's text with dispatchers in place of the calls of `top` through pointers, None if
    there is no such call whose functions are all known."""
    dispatchers: list[str] = []
    edits: dict[str, str] = {}
    calls = _indirect_calls(module.get_function(top))
    made = _instructions(module.get_function(top)) if calls else {}
    for call in calls:
        known = _known_targets(module, top, call, made)
        through = _THROUGH.search(str(call))
        if known is not None and through is not None:
            name = f"tandem.dispatch.{len(dispatchers)}"
            dispatchers.append(_dispatcher(name, *known))
            edits[str(call)] = _through_dispatcher(str(call), through, name)
    return _edited(str(module), top, edits, dispatchers) if dispatchers else None


def _known_targets(
    module: llvm.ModuleRef,
    top: str,
    call: llvm.ValueRef,
    made: Mapping[llvm.ValueRef, llvm.ValueRef],
) -> tuple[str, list[str]] | None:
    """(type, names) of the functions that a call may lead to, if they are known and of one type."""
    targets = possible_targets(made, list(call.operands)[-1])
    if targets is None:
        targets = _address_taken(module, top, call)
    kinds = {str(module.get_function(name).global_value_type) for name in targets or []}
    if not targets or len(kinds) != 1 or "..." in (kind := kinds.pop()):
        return None
    return kind, [f"@{symbol(name)}" for name in targets]


def _address_taken(module: llvm.ModuleRef, top: str, call: llvm.ValueRef) -> list[str]:
    """The functions that a pointer in memory may lead to: those of the call's type that are still
    there although all that is called by name has been inlined, and macros."""
    *given, _ = call.operands
    wanted = f"{call.type} ({', '.join(str(value.type) for value in given)})"
    return sorted(
        f.name
        for f in module.functions
        if (is_macro(f.name) or not (f.is_declaration or f.name.startswith("tandem.")))
        and f.name != top
        and str(f.global_value_type) == wanted
    )


def _through_dispatcher(line: str, through: re.Match[str], name: str) -> str:
    comma = "" if line[through.end()] == ")" else ", "
    return line.replace(through[0], f"{through[1]}@{name}(ptr {through[2]}{comma}")


def _edited(text: str, top: str, edits: dict[str, str], dispatchers: list[str]) -> str:
    head = re.search(rf"^define [^@]*@{re.escape(symbol(top))}\(", text, re.M)
    assert head is not None, "the kernel is in the module"
    start, end = head.start(), text.index("\n}\n", head.start())
    body = text[start:end]
    for line, replacement in edits.items():
        body = body.replace(f"{line}\n", f"{replacement}\n")
    text = text[:start] + body + text[end:]
    # An address that is compared matters.
    text = re.sub(r"^(define .*?\)) unnamed_addr", r"\1", text, flags=re.M)
    return "\n".join([text, *dispatchers])


def check_no_indirect_call(module: llvm.ModuleRef, top: str, place: Place) -> None:
    """Raises UserError for a call of `top` through a pointer; `place` is where `top` is defined."""
    call = next(iter(_indirect_calls(module.get_function(top))), None)
    if call is None:
        return
    node = re.search(r"!dbg (!\d+)", str(call))
    line = re.search(rf"^{node[1]} = !DILocation\(line: (\d+)", str(module), re.M) if node else None
    # What is neither the kernel nor inlined is still there because its address is used.
    others = [f.name for f in module.functions if not f.is_declaration and f.name != top]
    names = [name for name in others if not name.startswith("tandem.")]
    known = ", ".join(f"`{name}`" for name in sorted(names))
    raise user_error(
        "indirect-call",
        "a call through a function pointer" + (f", which may lead to {known}" if known else ""),
        Place(place.file, int(line[1])) if line else place,
        "call each function by its name, for instance in a switch",
    )


def called_by_name(function: llvm.ValueRef) -> list[str] | None:
    """The names of what a function calls, as its text tells them, None if that is not plain to see.
    Asking LLVM for one instruction after the other takes a hundred times as long."""
    calls = [line for line in str(function).split("\n") if " call " in line]
    found = [_DIRECT.search(line) for line in calls]
    return None if None in found else [match[1] for match in found if match]


def _indirect_calls(function: llvm.ValueRef) -> list[llvm.ValueRef]:
    names = called_by_name(function)
    if names is not None and {f.name for f in function.module.functions}.issuperset(names):
        return []
    calls = [i for b in function.blocks for i in b.instructions if i.opcode == "call"]
    kept = llvm.ValueKind.function, llvm.ValueKind.inline_asm
    return [c for c in calls if list(c.operands)[-1].value_kind not in kept]


def _instructions(function: llvm.ValueRef) -> dict[llvm.ValueRef, llvm.ValueRef]:
    """Each of them by itself: an operand does not tell of its own operands."""
    return {i: i for block in function.blocks for i in block.instructions}


def possible_targets(
    made: Mapping[llvm.ValueRef, llvm.ValueRef], pointer: llvm.ValueRef
) -> list[str] | None:
    """The functions that a pointer may lead to, None if one of its sources is not in sight; `made`:
    the instructions."""
    found: set[str] = set()
    seen: set[llvm.ValueRef] = set()
    work = [pointer]
    while work:
        value = work.pop()
        if value.value_kind == llvm.ValueKind.function:
            found.add(value.name)
        elif value.value_kind == llvm.ValueKind.instruction:
            source = made[value]
            if source.opcode not in CHOICES:
                return None
            if value not in seen:
                seen.add(value)
                work += list(source.operands)[CHOICES[source.opcode] :]
        elif value.value_kind not in UNDEFINED:
            return None
    return sorted(found)


def _dispatcher(name: str, kind: str, targets: list[str]) -> str:
    """A function that calls the target its first argument points to."""
    result, _, rest = kind.partition(" (")
    types = [t for t in rest.rstrip(")").split(", ") if t]
    parameters = ", ".join(["ptr %f", *(f"{t} %a{i}" for i, t in enumerate(types))])
    given = ", ".join(f"{t} %a{i}" for i, t in enumerate(types))
    lines = [f"define internal {result} @{name}({parameters}) alwaysinline {{"]
    for i, target in enumerate(targets):
        if i < len(targets) - 1:
            lines.append(f"  %is{i} = icmp eq ptr %f, {target}")
            lines.append(f"  br i1 %is{i}, label %yes{i}, label %no{i}\nyes{i}:")
        value = "" if result == "void" else f"%r{i} = "
        lines.append(f"  {value}call {result} {target}({given})")
        lines.append(f"  ret {result} %r{i}" if value else "  ret void")
        if i < len(targets) - 1:
            lines.append(f"no{i}:")
    return "\n".join([*lines, "}", ""])
