# SPDX-License-Identifier: Apache-2.0
"""How many bytes of its arrays a function uses, where the C or its author says so.

    #pragma tandem extent(histogram, 256 * sizeof(*histogram))

before the function or in it: `histogram` points to that many bytes. The size is a C expression over
the function's parameters. What a parameter's type says (`int a[64][64]`, `key[176]`, one object
behind `struct ctx *`) counts as a claim too.

Clang itself evaluates the sizes: each becomes a call at the start of the function's body, in a copy
of the file that is compiled for nothing else, and without the rest of the body where that can go.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tandem.analysis.reaches import REACH_BITS
from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.calls import PROBE
from tandem.frontend.clang import OLD_C, dump_functions, probe_llvm_ir, read_c
from tandem.frontend.comments import blanked
from tandem.frontend.importer import import_kernel
from tandem.frontend.optimise import Optimiser
from tandem.frontend.program import CFile
from tandem.ir.argument import Extent
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.expressions import expression_of
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op
from tandem.stages import stage
from tandem.written import demangled

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+tandem[ \t]+extent\b(.*)$", re.M)
_FORM = re.compile(r"\s*\(\s*(\w+(?:\.\w+)?)\s*,\s*(.+)\)\s*$")
_STRICT = "#pragma clang diagnostic push\n" + "\n".join(
    f'#pragma clang diagnostic error "-W{name}"' for name in OLD_C
)
_AS_BEFORE = "#pragma clang diagnostic pop"
"""What C of old let pass would be no size."""
JSON_LEVELS = 10_000
_BODY_STARTS = re.compile(r"\)\s*\{")
_DIRECTIVE = re.compile(r"^[ \t]*(#(?![ \t]*pragma\b)|%:)", re.M)
"""Of the preprocessor, which what follows the line that it is in may depend on."""
_QUALIFIERS = re.compile(r"\b(static|const|restrict|volatile|__restrict)\b")


@dataclass(frozen=True)
class _Probe:
    """A size that the C gives: in bytes, and where."""

    argument: str
    source: str
    size: str
    line: int
    asked_at: Place | None = None
    """Where it was asked for, if not in the C."""


@dataclass(frozen=True)
class _Function:
    """The definition of a function in a file: byte offsets, its parameters and its body."""

    begin: int
    body: int
    end: int
    parameters: list[dict[str, Any]]
    tree: dict[str, Any]


@stage("annotations")
def read_claims(file: CFile, top: str, place: Place) -> dict[str, Extent]:
    """Argument name to claim. Raises UserError for an annotation that cannot be read, or of
    something that is no pointer parameter of the function."""
    text = read_c(file.path)
    function = _definition(file, top)
    if function is None:
        return {}
    declared = [*_annotations(text, file, function), *_asked(file, top)]
    _check_names(declared, function, file)
    typed = [p for p in _types(text, function) if p.argument not in {d.argument for d in declared}]
    try:
        return _evaluate(text, file, top, (function, [*declared, *typed], place))
    except UserError:
        if not typed:
            raise
        # A type may be incomplete where the function begins; then it claims nothing.
        return _evaluate(text, file, top, (function, declared, place))


def _definition(file: CFile, top: str) -> _Function | None:
    text = dump_functions(file, _plain(top))
    decoder, position = json.JSONDecoder(), text.find("{")
    while position >= 0:
        with _deep():
            tree, end = decoder.raw_decode(text, position)
        body = next((n for n in tree.get("inner", []) if n.get("kind") == "CompoundStmt"), None)
        places = [
            _written(tree.get("range", {}), "begin"),
            body and _written(body["range"], "begin"),
        ]
        if (
            top in (tree.get("mangledName"), tree.get("name"))
            and body
            and all("offset" in p for p in places)
        ):
            parameters = [n for n in tree["inner"] if n["kind"] == "ParmVarDecl"]
            begin, start = places[0]["offset"], places[1]["offset"]
            last = _written(body["range"], "end")["offset"]
            return _Function(begin, start, last, parameters, body)
        position = text.find("{", end)
    return None


def _written(places: dict[str, Any], end: str) -> dict[str, Any]:
    """Where a part of the C begins or ends; of a macro, where that is used."""
    place = places.get(end, {})
    return place.get("expansionLoc", place)


@contextmanager
def _deep() -> Iterator[None]:
    """For clang's trees of nested C, of which each statement takes several levels of JSON: these
    take a few hundred bytes of stack each, and Python allows 1,000 levels of anything."""
    most = sys.getrecursionlimit()
    sys.setrecursionlimit(max(most, JSON_LEVELS))
    try:
        yield
    finally:
        sys.setrecursionlimit(most)


def _plain(top: str) -> str:
    """A function's name as the C has it, without what it is a member of."""
    return re.findall(r"\w+", demangled(top).partition("(")[0])[-1]


# -- what is claimed ----------------------------------------------------------------------------


def _annotations(text: str, file: CFile, function: _Function) -> Iterator[_Probe]:
    """The annotations of the function: in its body, or before it with no other body between."""
    data = text.encode("utf-8", "surrogateescape")
    for match in _PRAGMA.finditer(blanked(text)):
        offset = len(text[: match.start()].encode("utf-8", "surrogateescape"))
        between = data[offset : function.begin].decode("utf-8", "surrogateescape")
        before = offset < function.begin and not _BODY_STARTS.search(blanked(between, strings=True))
        if not before and not function.body < offset < function.end:
            continue
        line = text.count("\n", 0, match.start()) + 1
        found = _FORM.match(match[1])
        if not found:
            raise _unreadable(f"#pragma tandem extent{match[1]}", Place(str(file.path), line))
        yield _Probe(found[1], "declared", found[2].strip(), line)


def _asked(file: CFile, top: str) -> Iterator[_Probe]:
    """The annotations of a function that do not stand in the C."""
    for row in file.asked:
        if row.directive is None and row.names[1] == _plain(top):
            found = _FORM.match(row.say.removeprefix("extent"))
            if not found:
                raise _unreadable(row.say, row.place)
            yield _Probe(found[1], "declared", found[2].strip(), 0, row.place)


def _unreadable(words: str, place: Place) -> UserError:
    return user_error("pragma", f"cannot read `{words}`", place, "write `extent(ARGUMENT, BYTES)`")


def _check_names(probes: list[_Probe], function: _Function, file: CFile) -> None:
    names = [p.get("name", "") for p in function.parameters]
    pointers = [p.get("name", "") for p in function.parameters if "*" in p["type"]["qualType"]]
    for probe in probes:
        struct, dot, _ = probe.argument.partition(".")
        if probe.argument not in pointers and not (dot and struct in names):
            raise user_error(
                "pragma",
                f"extent of `{probe.argument}`, which is no pointer parameter of the function",
                probe.asked_at or Place(str(file.path), probe.line),
                f"pointer parameters are: {', '.join(sorted(filter(None, pointers))) or 'none'}",
            )


def _types(text: str, function: _Function) -> Iterator[_Probe]:
    data = text.encode("utf-8", "surrogateescape")
    for parameter in function.parameters:
        name, kind = parameter.get("name"), parameter["type"]["qualType"]
        size = _outer_size(data, parameter)
        if not name or "*" not in kind:
            continue
        if size:
            yield _Probe(name, "typed", f"(unsigned long long)({size}) * sizeof(*{name})", 0)
        elif _is_record(parameter) and _is_one_object(function.tree, parameter["id"]):
            yield _Probe(name, "typed", f"sizeof(*{name})", 0)


def _is_record(parameter: dict[str, Any]) -> bool:
    kind = parameter["type"]
    canonical = kind.get("desugaredQualType", kind["qualType"])
    return bool(re.match(r"(const |volatile )*(struct|union) ", canonical))


def _outer_size(data: bytes, parameter: dict[str, Any]) -> str:
    """N of a parameter declared as `name[N]...`; empty where it is not."""
    places = [_written(parameter["range"], end) for end in ("begin", "end")]
    name = parameter.get("name")
    if not name or any("offset" not in p for p in places):
        return ""
    stop = places[1]["offset"] + places[1].get("tokLen", 1)
    text = data[places[0]["offset"] : stop].decode("utf-8", "surrogateescape")
    found = re.search(rf"\b{re.escape(name)}\s*\[([^\]]*)\]", text)
    size = _QUALIFIERS.sub("", found[1]).strip() if found else ""
    return "" if size == "*" else size


def _is_one_object(tree: dict[str, Any], parameter: str) -> bool:
    """Whether the body only uses the pointer as `p->member`, `*p` or to hand it on."""
    stack: list[tuple[dict[str, Any], tuple[str, ...]]] = [(tree, ())]
    while stack:
        node, above = stack.pop()
        named = node.get("referencedDecl", {}).get("id") == parameter
        if node.get("kind") == "DeclRefExpr" and named:
            users = [k for k in above if k not in ("ImplicitCastExpr", "ParenExpr")]
            if not users or users[-1] not in ("MemberExpr", "CallExpr", "*"):
                return False
        kind = node.get("kind", "")
        if kind == "UnaryOperator" and node.get("opcode") == "*":
            kind = "*"
        stack += [(child, (*above[-3:], kind)) for child in node.get("inner", [])]
    return True


# -- how much that is ---------------------------------------------------------------------------


def _evaluate(
    text: str, file: CFile, top: str, asked: tuple[_Function, list[_Probe], Place]
) -> dict[str, Extent]:
    function, probes, place = asked
    if not probes:
        return {}
    path = str(file.path)
    may_go = not file.is_cxx  # where a body may tell the type of its function
    module = probe_llvm_ir(file, _with_probes(text, path, function, probes, may_go))
    try:
        kernel = import_kernel(Optimiser([module], top, [path]).optimised().text, top, place)
    except UserError as error:
        lines = [d.place.line for d in error.diagnostics if d.place is not None]
        guilty = next((p for p in probes if p.line in lines and p.line), None)
        raise error if guilty is None else _no_number(guilty, path) from error
    return {
        probe.argument: _claim(probe, kernel.probes.get(f"{PROBE}{i}"), path)
        for i, probe in enumerate(probes)
    }


def _with_probes(
    text: str, path: str, function: _Function, probes: list[_Probe], may_go: bool
) -> str:
    """The text with the sizes in the function, instead of the rest of its body if that `may_go`."""
    data = text.encode("utf-8", "surrogateescape")
    head = data[: function.body + 1].decode("utf-8", "surrogateescape")
    body = data[function.body + 1 : function.end].decode("utf-8", "surrogateescape")
    rest = data[function.end :].decode("utf-8", "surrogateescape")
    may_go = may_go and head[-1] == "{" and rest[0] == "}"  # which a macro may make
    body = "\n" * body.count("\n") if may_go and not _DIRECTIVE.search(body) else body
    here = head.count("\n") + 1
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    calls = [
        f'\n#line {probe.line or here} "{quoted}"\n{{ extern void {PROBE}{i}(unsigned long long); '
        f"{PROBE}{i}({probe.size}); }}"
        for i, probe in enumerate(probes)
    ]
    asked = f"\n{_STRICT}{''.join(calls)}\n{_AS_BEFORE}\n__builtin_unreachable();"
    return f'{head}{asked}\n#line {here} "{quoted}"\n{body}{rest}'


def _claim(probe: _Probe, value: Op | None, path: str) -> Extent:
    builder = Builder(Kernel(""), Block("claims"))
    wide = builder.resize(value, REACH_BITS) if value is not None else None
    found = expression_of(wide) if wide is not None else None
    if found is None:
        raise _no_number(probe, path)
    return Extent(probe.source, found)


def _no_number(probe: _Probe, path: str) -> UserError:
    return user_error(
        "pragma",
        f"the extent `{probe.size}` is not a whole number that the parameters tell",
        probe.asked_at or Place(path, probe.line),
        "use the function's scalar parameters, constants and sizeof",
    )
