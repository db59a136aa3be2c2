# SPDX-License-Identifier: Apache-2.0
"""Numbers of 16 bits: `_Float16` and `__bf16` are for memory, and computed with as `float`.

In a module's text their values become integers, and conversions calls of C of ours
(`library/half`), which the module gets a copy of. So the importer knows of no other type, and
software converts as the hardware does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import llvmlite.binding as llvm

from tandem.frontend.libraries import copies_of
from tandem.frontend.text import FAST, LOCAL_NAME, part_of

KINDS = ("half", "bfloat")
"""LLVM's types, of which the names of our functions speak."""
_TYPE = re.compile(r'"[^"\n]*"|(?<![%@$.\w-])(half|bfloat)(?![\w.$-])')
_NUMBER = re.compile(r"\b0x[HR]([0-9A-F]{4})\b")
_VALUE = rf"(?:{LOCAL_NAME}|0x[HR][0-9A-F]{{4}}|undef|poison)"
_RESULT = rf"  ({LOCAL_NAME}) = "
_FLAGS = rf"((?: (?:{FAST}|nneg))*)"
_WIDER = re.compile(rf"^{_RESULT}fpext{_FLAGS} (half|bfloat) ({_VALUE}) to (float|double)(.*)$")
_NARROWER = re.compile(rf"^{_RESULT}fptrunc{_FLAGS} (float|double) (\S+) to (half|bfloat)(.*)$")
_COMPARED = re.compile(rf"^{_RESULT}fcmp{_FLAGS} (\w+) (half|bfloat) ({_VALUE}), ({_VALUE})(.*)$")
_OPERATION = re.compile(
    rf"^{_RESULT}(fadd|fsub|fmul|fdiv){_FLAGS} (half|bfloat) ({_VALUE}), ({_VALUE})(.*)$"
)
_NEGATED = re.compile(rf"^{_RESULT}fneg{_FLAGS} (half|bfloat) ({_VALUE})(.*)$")
_INTEGER = re.compile(rf"^{_RESULT}(fpto[su]i) (half|bfloat) ({_VALUE}) to (i\d+)(.*)$")
_FROM_INTEGER = re.compile(rf"^{_RESULT}([su]itofp){_FLAGS} (i\d+) (\S+) to (half|bfloat)(.*)$")
_UNKNOWN = re.compile(r"^declare .*@llvm\.[\w.]*\.(?:v\d+)?b?f16\b|<\d+ x (?:half|bfloat)>", re.M)
"""What there is no C for."""


def with_halves(text: str) -> str:
    """A module's text in which they are integers; where more is done with them than is known, it
    stays as it is, and is refused later."""
    if not any(kind in text for kind in KINDS):
        return text
    if not any(match[1] for match in _TYPE.finditer(text)) or _UNKNOWN.search(text):
        return text
    lines = [line for before in text.split("\n") for line in _rewritten(before)]
    declared = _DECLARED if "@tandem_" in "\n".join(lines) else ""
    module = llvm.parse_assembly("\n".join(lines) + declared)
    if declared:
        module.link_in(llvm.parse_assembly(copies_of("half/half.c")))
    return str(module)


_DECLARED = "".join(
    f"\ndeclare float @tandem_{name}_to_float(i16)"
    f"\ndeclare i16 @tandem_float_to_{name}(float)"
    f"\ndeclare i16 @tandem_double_to_{name}(double)"
    for name in KINDS
)


def _rewritten(line: str) -> Iterator[str]:
    """The lines in the place of one."""
    if line.startswith("!") or not _TYPE.search(line):
        yield line
    elif found := _WIDER.match(line):
        name, _, kind, value, wider, rest = found.groups()
        yield from _widened(name, kind, value, wider, rest)
    elif found := _NARROWER.match(line):
        name, _, wider, value, kind, rest = found.groups()
        yield f"  {name} = call i16 @tandem_{wider}_to_{kind}({wider} {value}){rest}"
    elif found := _COMPARED.match(line):
        name, flags, how, kind, one, other, rest = found.groups()
        a, b = part_of(name, "a"), part_of(name, "b")
        yield from _widened(a, kind, one, "float", rest)
        yield from _widened(b, kind, other, "float", rest)
        yield f"  {name} = fcmp{flags} {how} float {a}, {b}{rest}"
    elif found := _OPERATION.match(line):
        name, operation, flags, kind, one, other, rest = found.groups()
        a, b, wide = part_of(name, "a"), part_of(name, "b"), part_of(name, "wide")
        yield from _widened(a, kind, one, "float", rest)
        yield from _widened(b, kind, other, "float", rest)
        yield f"  {wide} = {operation}{flags} float {a}, {b}{rest}"
        yield f"  {name} = call i16 @tandem_float_to_{kind}(float {wide}){rest}"
    elif found := _NEGATED.match(line):
        name, _, _, value, rest = found.groups()
        yield f"  {name} = xor i16 {_plain(value)}, -32768{rest}"
    elif found := _INTEGER.match(line):
        name, operation, kind, value, integer, rest = found.groups()
        wide = part_of(name, "wide")
        yield from _widened(wide, kind, value, "float", rest)
        yield f"  {name} = {operation} float {wide} to {integer}{rest}"
    elif found := _FROM_INTEGER.match(line):
        name, operation, flags, integer, value, kind, rest = found.groups()
        wide = part_of(name, "wide")
        yield f"  {wide} = {operation}{flags} {integer} {value} to double{rest}"
        yield f"  {name} = call i16 @tandem_double_to_{kind}(double {wide}){rest}"
    else:
        yield _TYPE.sub(lambda m: "i16" if m[1] else m[0], _plain(line))


def _widened(name: str, kind: str, value: str, wider: str, rest: str) -> Iterator[str]:
    near = name if wider == "float" else part_of(name, "near")
    yield f"  {near} = call float @tandem_{kind}_to_float(i16 {_plain(value)}){rest}"
    if near != name:
        yield f"  {name} = fpext float {near} to double{rest}"


def _plain(text: str) -> str:
    """Text with numbers as integers."""
    return _NUMBER.sub(lambda m: str(int(m[1], 16)), text)
