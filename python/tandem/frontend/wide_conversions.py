# SPDX-License-Identifier: Apache-2.0
"""Conversions between floating point and integers of more than 64 bits (`__int128`, `_BitInt`)
become calls of C of ours (`library/wide`), which a module gets a copy of."""

from __future__ import annotations

import re
from collections.abc import Iterator

import llvmlite.binding as llvm

from tandem.frontend.libraries import copies_of
from tandem.frontend.symbols import LOCAL_NAME, part_of

WIDEST, NARROW = 128, 64
_FROM = re.compile(
    rf"^  ({LOCAL_NAME}) = ([us])itofp(?: nneg)? i(\d+) (\S+) to (float|double)(.*)$"
)
_TO = re.compile(rf"^  ({LOCAL_NAME}) = fpto[us]i (float|double) (\S+) to i(\d+)(.*)$")
_DECLARED = "\n".join(
    [
        *(
            f"declare {kind} @tandem_{sign}_to_{kind}(i64, i64)"
            for kind in ("float", "double")
            for sign in ("signed", "unsigned")
        ),
        *(f"declare i64 @tandem_double_to_{half}(double)" for half in ("high", "low")),
    ]
)


def with_wide_conversions(text: str) -> str:
    """A module's text with calls in place of those conversions."""
    before = text.split("\n")
    lines = [line for one in before for line in _rewritten(one)]
    if lines == before:
        return text
    module = llvm.parse_assembly("\n".join([*lines, _DECLARED]))
    module.link_in(llvm.parse_assembly(copies_of("wide/convert.c")))
    return str(module)


def _rewritten(line: str) -> Iterator[str]:
    """The lines in the place of one."""
    if (found := _FROM.match(line)) and NARROW < int(found[3]) <= WIDEST:
        yield from _from_integer(*found.groups())
    elif (found := _TO.match(line)) and NARROW < int(found[4]) <= WIDEST:
        yield from _to_integer(*found.groups())
    else:
        yield line


def _from_integer(
    name: str, sign: str, width: str, value: str, kind: str, rest: str
) -> Iterator[str]:
    wide, above, high, low = (part_of(name, what) for what in ("wide", "above", "high", "low"))
    if int(width) == WIDEST:
        wide = value
    else:
        yield f"  {wide} = {'sext' if sign == 's' else 'zext'} i{width} {value} to i{WIDEST}{rest}"
    yield f"  {above} = lshr i{WIDEST} {wide}, {NARROW}{rest}"
    yield f"  {high} = trunc i{WIDEST} {above} to i{NARROW}{rest}"
    yield f"  {low} = trunc i{WIDEST} {wide} to i{NARROW}{rest}"
    function = f"tandem_{'signed' if sign == 's' else 'unsigned'}_to_{kind}"
    yield f"  {name} = call {kind} @{function}(i64 {high}, i64 {low}){rest}"


def _to_integer(name: str, kind: str, value: str, width: str, rest: str) -> Iterator[str]:
    parts = ("double", "high", "low", "above", "below", "upper", "whole")
    double, high, low, above, below, upper, whole = (part_of(name, what) for what in parts)
    if kind == "double":
        double = value
    else:
        yield f"  {double} = fpext float {value} to double{rest}"
    yield f"  {high} = call i64 @tandem_double_to_high(double {double}){rest}"
    yield f"  {low} = call i64 @tandem_double_to_low(double {double}){rest}"
    yield f"  {above} = zext i64 {high} to i{WIDEST}{rest}"
    yield f"  {below} = zext i64 {low} to i{WIDEST}{rest}"
    yield f"  {upper} = shl i{WIDEST} {above}, {NARROW}{rest}"
    if int(width) == WIDEST:
        whole = name
    yield f"  {whole} = or i{WIDEST} {upper}, {below}{rest}"
    if whole != name:
        yield f"  {name} = trunc i{WIDEST} {whole} to i{width}{rest}"
