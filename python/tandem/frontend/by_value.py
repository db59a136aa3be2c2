# SPDX-License-Identifier: Apache-2.0
"""Functions that take or return structs, or integers of odd widths, by value, as kernels.

How such a value is passed is the processor's matter: clang makes registers of it, or a copy in
memory. A kernel has plain arguments: numbers of up to 64 bits, and pointers. So a function with
plain arguments takes the place of the C's own, which it calls: to it, a struct or a wide integer is
a pointer to its bytes, and so is such a result. `with_plain_kernel` is what becomes hardware. In
`with_plain_calls`, what becomes software, the program calls a function with the C's own signature,
and that the plain one, in whose place a stub may stand.

Of what a result is made of, C leaves undefined what belongs to no member. Here it is zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import llvmlite.binding as llvm

from tandem.frontend.symbols import declares, renamed, symbol
from tandem.frontend.text import (
    LOCAL_NAME,
    Definition,
    definition,
    function_text,
    is_plain_name,
    made_internal,
    parameters_of,
    renamed_text,
    without_linkage,
)
from tandem.ir.names import unused_name

PLAIN_BITS = (1, 8, 16, 32, 64)
REGISTER_BYTES = 8
RESULT = "result"
_TYPE = re.compile(r"\{[^{}]*\}|<[^<>]*>|\[[^\[\]]*\]|[^\s(]+")
_RESULT_ATTRIBUTES = re.compile(r"^(?:(?:noundef|signext|zeroext|noalias|nonnull|inreg) )*")
_PARAMETER_NAME = re.compile(r'\s*%([-a-zA-Z$._0-9]+|"[^"]*")$')
_MEMORY = re.compile(r"\b(byval|sret)\(((?:[^()]|\([^()]*\))*)\)")
_VARIABLE = re.compile(r"^  %retval = alloca (.+?), align \d+", re.M)
_LINKAGE = re.compile(
    r"^define (internal |private |weak_odr |weak |linkonce_odr |linkonce |available_externally )?"
)


_SEVERAL = re.compile(r"[<\[](\d+) x (\w+)[>\]]")
_OF_VECTORS = ("insertelement", "extractelement", "i64 ")


@dataclass(frozen=True)
class _Piece:
    """What of a value one register holds, from byte `offset` of it on. `mask`: the bits of it that
    belong to a member, None if all do."""

    name: str
    type: str
    offset: int
    mask: int | None = None

    @property
    def bits(self) -> int:
        return _bits(self.type)

    @property
    def parts(self) -> list[tuple[int, str]]:
        """(offset, type) of the numbers that it consists of."""
        several = _SEVERAL.match(self.type)
        if several is None:
            return [(self.offset, self.type)]
        step = _bits(several[2]) // 8
        return [(self.offset + i * step, several[2]) for i in range(int(several[1]))]

    @property
    def access(self) -> tuple[str, str, str]:
        """The instructions that put a part in and take one out, and what is before its number."""
        is_array = self.type.startswith("[")
        return ("insertvalue", "extractvalue", "") if is_array else _OF_VECTORS


@dataclass
class _Value:
    """A parameter of the kernel, or its result. `type`, `attributes`: of the one parameter of the
    C's function that it is, empty where it is in `pieces`. `bytes`: of what is behind a pointer
    here; 0 for a number and for the C's own pointers. `is_result`: it is where the result goes."""

    name: str
    type: str = ""
    attributes: str = ""
    pieces: list[_Piece] = field(default_factory=list)
    bytes: int = 0
    is_result: bool = False

    @property
    def plain_type(self) -> str:
        if self.bytes:
            return "ptr"
        bits = _bits(self.type)
        if not self.type.startswith("i") or bits in PLAIN_BITS:
            return self.type
        return f"i{next(b for b in PLAIN_BITS if b >= bits)}"

    @property
    def sign(self) -> str:
        """How a number fills a register."""
        return next((w for w in ("signext", "zeroext") if w in self.attributes.split()), "")

    @property
    def is_changed(self) -> bool:
        """Whether the kernel has it otherwise than the C's own function."""
        return bool(self.bytes) or self.plain_type != self.type


@dataclass
class _Signature:
    """How a function is called, in C and as a kernel. `returned`: LLVM's type of its result."""

    name: str
    owner: int
    found: Definition
    returned: str
    returned_attributes: str
    values: list[_Value]
    result: _Value | None = None
    """None where the result, if there is any, is as the C has it, or behind a pointer."""

    @property
    def is_plain(self) -> bool:
        return self.result is None and not any(v.is_changed for v in self.values)

    @property
    def own_name(self) -> str:
        """What the function with the C's signature is called instead."""
        return own_name(self.name)

    @property
    def plain_values(self) -> list[_Value]:
        behind = self.result is not None and self.result.bytes
        return [*self.values, self.result] if behind and self.result else self.values


def own_name(name: str) -> str:
    """What a function that takes or gives values by value is called beside its plain kernel: calls
    of it are calls of the kernel."""
    return f"{name}.by_value"


def with_plain_kernel(modules: Sequence[str], name: str) -> list[str]:
    """The modules with a plain function in the place of a kernel's."""
    signature = _signature(modules, name)
    if signature is None:
        return list(modules)
    result = _with_own_name(modules, signature)
    for i, text in enumerate(result):
        if definition(text, signature.own_name) is not None:
            result[i] = f"{text}\n{_plain_function(signature, signature.own_name)}"
    return result


def with_plain_calls(modules: Sequence[str], name: str) -> list[str]:
    """The modules with a plain function in the place of a kernel's, to which all calls lead."""
    signature = _signature(modules, name)
    if signature is None:
        return list(modules)
    body = f"{name}.body"
    result = _with_own_name(modules, signature)
    for i, text in enumerate(result):
        found = definition(text, signature.own_name)
        if found is not None:
            hidden = renamed_text(made_internal(found.line), {signature.own_name: body})
            text = text.replace(found.line, hidden, 1)
            result[i] = "\n".join(
                [text, _own_function(signature, found.line), _plain_function(signature, body)]
            )
    return result


def plain_bytes(modules: Sequence[str], name: str) -> dict[str, int]:
    """How many bytes there are behind the pointers that a kernel has in place of values."""
    signature = _signature(modules, name)
    if signature is None:
        return {}
    return {value.name: value.bytes for value in signature.plain_values if value.bytes}


# -- the signature -------------------------------------------------------------------------------


def _signature(modules: Sequence[str], name: str) -> _Signature | None:
    """How a function is called; None where that is plain, or it is not defined."""
    found = [definition(text, name) for text in modules]
    owners = [i for i, d in enumerate(found) if d is not None]
    if not owners:
        return None
    owner = next((i for i in owners if not _is_local(found[i])), owners[0])
    row = found[owner]
    assert row is not None
    before, _, rest = row.line.removeprefix("define ").partition(f"@{symbol(name)}(")
    before = without_linkage(before).strip()
    attributes = _RESULT_ATTRIBUTES.match(before)
    assert attributes is not None
    returned = before[attributes.end() :]
    values = _values(parameters_of(rest), modules[owner])
    signature = _Signature(name, owner, row, returned, attributes[0], values)
    signature.result = _result(signature, modules[owner])
    return None if signature.is_plain else signature


def _is_local(found: Definition | None) -> bool:
    return found is not None and found.is_local


def _values(parameters: list[str], text: str) -> list[_Value]:
    values: dict[str, _Value] = {}
    taken = [m[1].partition(".coerce")[0] for p in parameters if (m := _PARAMETER_NAME.search(p))]
    for position, parameter in enumerate(parameters):
        kind, attributes, full = _taken_apart(parameter, position)
        name, in_pieces, _ = full.partition(".coerce")
        memory = _MEMORY.search(attributes)
        if memory:
            is_result = memory[1] == "sret"
            name = unused_name(RESULT, taken) if is_result else name
            size = _layout(text, memory[2])[0]
            values[name] = _Value(name, kind, attributes, bytes=size, is_result=is_result)
        elif in_pieces or kind.startswith("<") or _is_wide(kind):
            value = values.setdefault(name, _Value(name))
            value.pieces.append(_Piece(full, kind, REGISTER_BYTES * len(value.pieces)))
            value.bytes = _end(value.pieces[-1])
        else:
            values[name] = _Value(name, kind, attributes)
    return list(values.values())


def _taken_apart(parameter: str, position: int) -> tuple[str, str, str]:
    """The type of a parameter, its attributes and its name."""
    name = _PARAMETER_NAME.search(parameter)
    text = parameter[: name.start()] if name else parameter
    kind = _TYPE.match(text)
    assert kind is not None
    full = name[1].strip('"') if name and not name[1].isdigit() else f"argument{position}"
    return kind[0], text[kind.end() :].strip(), full


def _result(signature: _Signature, text: str) -> _Value | None:
    """The result, where the kernel has it otherwise than the C's own function."""
    kind = signature.returned
    variable = _returned_variable(text, signature.name)
    is_struct = kind.startswith(("{", "<")) or (
        variable is not None and variable != kind and not variable.startswith("ptr")
    )
    if kind == "void" or not (is_struct or kind.startswith("i")):
        return None
    name = unused_name(RESULT, [value.name for value in signature.values])
    if not is_struct and _bits(kind) <= PLAIN_BITS[-1]:
        value = _Value(name, kind, signature.returned_attributes)
        return value if value.is_changed else None
    types = [t.strip() for t in kind.strip("{}").split(", ")] if kind.startswith("{") else [kind]
    if kind.startswith("[") or not all(map(_bits, types)):
        return None  # an array or a pointer, which are refused as results
    offsets = accumulate([REGISTER_BYTES] * len(types), initial=0)
    members = _layout(text, variable)[1] if variable else -1
    pieces = [
        _Piece(f"piece{i}", t, offset, _mask(t, members >> (8 * offset)))
        for i, (t, offset) in enumerate(zip(types, offsets, strict=False))
    ]
    return _Value(name, pieces=pieces, bytes=_end(pieces[-1]), is_result=True)


def _returned_variable(text: str, name: str) -> str | None:
    """The type of the variable in which clang puts a function's result together."""
    found = _VARIABLE.search(function_text(text, name) or "")
    return found[1] if found else None


def _mask(kind: str, members: int) -> int | None:
    everything = (1 << _bits(kind)) - 1
    is_whole = not kind.startswith("i") or members & everything == everything
    return None if is_whole else members & everything


def _is_wide(kind: str) -> bool:
    return kind.startswith("i") and _bits(kind) > PLAIN_BITS[-1]


def _end(piece: _Piece) -> int:
    return piece.offset + -(-piece.bits // 8)


def _bits(kind: str) -> int:
    """Of a number, or a vector or an array of numbers; 0 of anything else."""
    several = _SEVERAL.match(kind)
    if several:
        return int(several[1]) * _bits(several[2])
    if re.match(r"i\d+$", kind):
        return int(kind[1:])
    return {"float": 32, "double": 64}.get(kind, 0)


def _layout(text: str, kind: str) -> tuple[int, int]:
    """The size of a type in bytes, and a mask of the bits that its members are made of."""
    types = [line for line in text.splitlines() if re.match(rf"{LOCAL_NAME} = type ", line)]
    layout = next(line for line in text.splitlines() if line.startswith("target datalayout"))
    module = llvm.parse_assembly("\n".join([layout, *types, f"@v = external global {kind}"]))
    data = llvm.create_target_data(module.data_layout)
    found = module.get_global_variable("v").global_value_type
    return data.get_abi_size(found), _members(data, found)


def _members(data: llvm.TargetData, kind: llvm.TypeRef) -> int:
    if kind.is_struct:
        parts = enumerate(kind.elements)
        placed = [(data.get_element_offset(kind, i), part) for i, part in parts]
    elif kind.is_array:
        part = next(iter(kind.elements))
        step = data.get_abi_size(part)
        placed = [(i * step, part) for i in range(kind.element_count)]
    elif kind.type_kind == llvm.TypeKind.integer:
        return (1 << kind.type_width) - 1
    else:
        return (1 << (8 * data.get_abi_size(kind))) - 1
    found = 0
    for offset, part in placed:
        found |= _members(data, part) << (8 * offset)
    return found


# -- the functions -------------------------------------------------------------------------------


def _with_own_name(modules: Sequence[str], signature: _Signature) -> list[str]:
    """The modules in which the C's own function has another name, and what its result is put
    together in starts as zeros."""
    name = signature.name
    found = [definition(text, name) for text in modules]
    is_local = all(d is None or d.is_local for d in found)
    result = []
    for text, here in zip(modules, found, strict=True):
        if here is not None and _may_be_undefined(signature.result):
            text = _zeroed(text, signature)
        if here is not None or (not is_local and declares(text, name)):
            text = renamed(text, {name: signature.own_name})
        result.append(text)
    return result


def _may_be_undefined(result: _Value | None) -> bool:
    """Whether there may be bits in a result that belong to no member."""
    return result is not None and any(piece.type.startswith("i") for piece in result.pieces)


def _zeroed(text: str, signature: _Signature) -> str:
    """The module with every variable of the result's type filled with zeros at first, and never
    taken for unwritten afterwards."""
    kind = _returned_variable(text, signature.name)
    if kind is None:
        return text
    variable = re.compile(rf"^(  (%\S+) = alloca {re.escape(kind)}, align \d+.*)$", re.M)
    size = _layout(text, kind)[0]
    parts = re.split(r"(?<=\n\}\n)", text)
    for i, part in enumerate(parts):
        names = [re.escape(m[2]) for m in variable.finditer(part)]
        if names:
            markers = rf"^  call void @llvm\.lifetime\.\w+\.p0\([^%\n]*(?:{'|'.join(names)})\).*\n"
            part = re.sub(markers, "", part, flags=re.M)
            filled = rf"\1\n  store [{size} x i8] zeroinitializer, ptr \2, align 1"
            parts[i] = variable.sub(filled, part)
    return "".join(parts)


def _plain_function(signature: _Signature, callee: str) -> str:
    """The function with plain arguments, which calls the C's own."""
    linkage = _LINKAGE.match(signature.found.line)
    word = (linkage[1] if linkage else "") or ""
    parameters, before, arguments = [], [], []
    for value in signature.plain_values:
        parameters.append(_plain_parameter(value))
        if value is signature.result:
            continue
        if value.pieces:
            loaded = [_loaded(piece, f"%{_quoted(value.name)}") for piece in value.pieces]
            before += [line for lines, _ in loaded for line in lines]
            arguments += [
                f"{piece.type} {name}"
                for piece, (_, name) in zip(value.pieces, loaded, strict=True)
            ]
        elif value.plain_type != value.type and not value.bytes:
            before.append(
                f"%{_quoted(value.name + '.narrow')} = trunc {value.plain_type} "
                f"%{_quoted(value.name)} to {value.type}"
            )
            arguments.append(f"{value.type} {value.attributes} %{_quoted(value.name + '.narrow')}")
        else:
            arguments.append(f"{value.type} {value.attributes} %{_quoted(value.name)}")
    call = f"call {signature.returned_attributes}{signature.returned} @{symbol(callee)}"
    call += f"({', '.join(arguments)})"
    head, after = _plain_result(signature)
    assigned = call if signature.returned == "void" else f"%value.returned = {call}"
    return _function(
        f"{word}{head} @{symbol(signature.name)}({', '.join(parameters)})",
        [*before, assigned, *after],
    )


def _plain_parameter(value: _Value) -> str:
    if not value.bytes:
        attributes = value.attributes
        return f"{value.plain_type} {attributes} %{_quoted(value.name)}"
    align = re.search(r"\balign \d+", value.attributes)
    words = ["ptr noalias nonnull", f"dereferenceable({value.bytes})", align[0] if align else ""]
    words.append("" if value.is_result else "readonly")
    return f"{' '.join(filter(None, words))} %{_quoted(value.name)}"


def _plain_result(signature: _Signature) -> tuple[str, list[str]]:
    """The type of the plain function's result, and what it does with that of the C's."""
    result, value = signature.result, "%value.returned"
    if result is None:
        ends = ["ret void" if signature.returned == "void" else f"ret {signature.returned} {value}"]
        return f"{signature.returned_attributes}{signature.returned}", ends
    if result.pieces:
        lines = []
        for i, piece in enumerate(result.pieces):
            taken = value
            if signature.returned.startswith("{"):
                taken = f"%{piece.name}.taken"
                lines.append(f"{taken} = extractvalue {signature.returned} {value}, {i}")
            lines += _stored(piece, taken, f"%{_quoted(result.name)}")
        return "void", [*lines, "ret void"]
    wide = "sext" if result.sign == "signext" else "zext"
    kind = result.plain_type
    lines = [f"%wide = {wide} {result.type} {value} to {kind}", f"ret {kind} %wide"]
    return f"{result.attributes}{kind}", lines


def _own_function(signature: _Signature, line: str) -> str:
    """The function with the C's own signature, which calls the plain one; `line` defined it."""
    lines, arguments = [], []
    for value in signature.plain_values:
        name = f"%{_quoted(value.name)}"
        if value.pieces:
            place = f"%{_quoted(value.name + '.bytes')}"
            lines += [f"{place} = alloca [{value.bytes} x i8], align 16"]
            if value is not signature.result:
                for piece in value.pieces:
                    lines += _stored(piece, f"%{_quoted(piece.name)}", place)
            arguments.append(f"ptr {place}")
        elif value.plain_type != value.type:
            wide = "sext" if value.sign == "signext" else "zext"
            other = f"%{_quoted(value.name + '.wide')}"
            lines.append(f"{other} = {wide} {value.type} {name} to {value.plain_type}")
            arguments.append(f"{value.plain_type} {value.attributes} {other}")
        else:
            attributes = "" if value.bytes else value.attributes
            arguments.append(f"{value.type} {attributes} {name}")
    kind, _ = _plain_result(signature)
    call = f"call {kind} @{symbol(signature.name)}({', '.join(arguments)})"
    lines.append(call if kind == "void" else f"%value.returned = {call}")
    name = f"@{symbol(signature.own_name)}"
    before, _, rest = line.removeprefix("define ").partition(f"{name}(")
    comdat = re.search(r" comdat\b(?:\(\$[^)]*\))?", rest)
    head = f"{before}{name}({', '.join(_own_parameters(signature))}){comdat[0] if comdat else ''}"
    return _function(head, [*lines, *_own_result(signature)])


def _own_parameters(signature: _Signature) -> Iterator[str]:
    for value in signature.values:
        if value.type:
            yield f"{value.type} {value.attributes} %{_quoted(value.name)}"
        for piece in value.pieces:
            yield f"{piece.type} %{_quoted(piece.name)}"


def _own_result(signature: _Signature) -> Iterator[str]:
    """How the function with the C's own signature returns what the plain one did."""
    result, kind = signature.result, signature.returned
    if result is None:
        yield "ret void" if kind == "void" else f"ret {kind} %value.returned"
    elif not result.pieces:
        yield f"%narrow = trunc {result.plain_type} %value.returned to {kind}"
        yield f"ret {kind} %narrow"
    else:
        place, whole = f"%{_quoted(result.name + '.bytes')}", "poison"
        for i, piece in enumerate(result.pieces):
            lines, value = _loaded(piece, place)
            yield from lines
            if not kind.startswith("{"):
                whole = value
                continue
            yield f"%whole{i} = insertvalue {kind} {whole}, {piece.type} {value}, {i}"
            whole = f"%whole{i}"
        yield f"ret {kind} {whole}"


def _loaded(piece: _Piece, place: str) -> tuple[list[str], str]:
    """Instructions that read a piece from a value's bytes, and what they leave it in."""
    lines, value = [], "poison"
    for i, (offset, kind) in enumerate(piece.parts):
        part = f"{piece.name}.{i}"
        at, name = f"%{_quoted(part + '.at')}", f"%{_quoted(part + '.loaded')}"
        lines.append(f"{at} = getelementptr i8, ptr {place}, i64 {offset}")
        lines.append(f"{name} = load {kind}, ptr {at}, align {_alignment(kind)}")
        if kind == piece.type:
            return lines, name
        whole = f"%{_quoted(part + '.with')}"
        insert, _, before = piece.access
        lines.append(f"{whole} = {insert} {piece.type} {value}, {kind} {name}, {before}{i}")
        value = whole
    return lines, value


def _stored(piece: _Piece, value: str, place: str) -> list[str]:
    """Instructions that write a piece to where a value's bytes are."""
    lines = []
    if piece.mask is not None:
        known = f"%{_quoted(piece.name + '.members')}"
        lines.append(f"{known} = and {piece.type} {value}, {piece.mask}")
        value = known
    for i, (offset, kind) in enumerate(piece.parts):
        part = f"{piece.name}.{i}"
        at, stored = f"%{_quoted(part + '.to')}", value
        if kind != piece.type:
            stored = f"%{_quoted(part + '.part')}"
            _, extract, before = piece.access
            lines.append(f"{stored} = {extract} {piece.type} {value}, {before}{i}")
        lines.append(f"{at} = getelementptr i8, ptr {place}, i64 {offset}")
        lines.append(f"store {kind} {stored}, ptr {at}, align {_alignment(kind)}")
    return lines


def _alignment(kind: str) -> int:
    """What is sure of where a piece is."""
    return min(REGISTER_BYTES, (_bits(kind) // 8) & -(_bits(kind) // 8))


def _quoted(name: str) -> str:
    """A local name as LLVM writes it, without the `%`."""
    return name if is_plain_name(name) else f'"{name}"'


def _function(head: str, lines: Sequence[str]) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"define {head} {{\n{body}}}\n"
