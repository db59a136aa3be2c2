# SPDX-License-Identifier: Apache-2.0
"""Vectors of numbers as numbers of their own: LLVM's `<4 x float>` is four values here.

Who writes no vectors gets them too: clang hands a struct of two floats on as `<2 x float>`, and
LLVM makes one of the struct. So in a module's text every value of such a type becomes a value for
each of its lanes, and an instruction one for each lane. In memory it stays one. What a
function returns, and what is in a struct of values, is an integer with all lanes' bits.

Where more is done with vectors than is known here, the module stays as it is, and is refused later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import llvmlite.binding as llvm

from tandem.frontend.function_lines import Blocks, apart, is_told
from tandem.frontend.text import FAST, LOCAL_NAME, part_of
from tandem.llvm.passes import Passes, run_passes

_LANES = r"<(\d+) x (\w+)>"
_VECTOR = re.compile(_LANES)
_PLAIN = r"(?:i\d+|half|bfloat|float|double|ptr|void|metadata)(?!\w)"
_TYPE = rf"(?:{_LANES}|\{{[^{{}}]*\}}|\[[^\[\]]*\]|{_PLAIN})"
_TYPED = re.compile(rf"^((?:[a-z]\w*(?:\([^()]*\))? )*?)({_TYPE}) (.+)$", re.S)
"""A value, behind its type and what else is said of it."""
_ATTRIBUTE = re.compile(
    r"(?:[a-z]\w*\((?:[^()]|\([^()]*\))*\)|align \d+|noundef|nonnull|noalias|readonly|writeonly|"
    r"readnone|returned|signext|zeroext|inreg|immarg|nofree|writable|dead_on_\w+) "
)
"""What is said of an argument between its type and its name."""
_USED = re.compile(
    r"^(?:define [^!\n]*|  (?!%\S+ = (?:alloca|getelementptr) )[^!\n]*)<\d+ x ", re.M
)
_FUNCTION = re.compile(r"^define .*?^\}\n", re.M | re.S)
_MADE = re.compile(rf"^  (?:({LOCAL_NAME}) = )?(.*)$", re.S)
_SAID = re.compile(r", !(\w+) !\d+")
_OF_ACCESSES = ("tbaa", "alias.scope", "noalias")
"""What is said of an access to a vector that holds for those to its lanes too."""
_FLAGS = re.compile(rf"\b(?:{FAST}) ")
_CALL = re.compile(
    r"^((?:tail |notail |musttail )?)call ([^@%]*?)"
    rf"({_TYPE}) (@(?:\"[^\"]*\"|[^\s(]+)|{LOCAL_NAME})\((.*)\)([^()]*)$"
)
_MANGLED = re.compile(r"\.v\d+(?=[if]\d+)")
_REDUCED = re.compile(r"^@llvm\.vector\.reduce\.(\w+)\.v\d+(\w+)$")
_SUMS = {"add": "add", "mul": "mul", "and": "and", "or": "or", "xor": "xor"}
_ORDERED_SUMS = {"fadd": "fadd", "fmul": "fmul"}
_CHOICES = {"smax", "smin", "umax", "umin"}
_OTHER_BITS = re.compile(r"\b(?:nofpclass|range)\([^()]*\) ?")
"""What is said of a number that does not hold for its bits as an integer."""
_NUMBERS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_BINARY = re.compile(r"f?(?:add|sub|mul|rem)|[usf]div|[us]rem|shl|[la]shr|and|x?or")
_CASTS = re.compile(r"trunc|[zs]ext|fptrunc|fpext|fpto[us]i|[us]itofp|ptrtoint|inttoptr")


class _Unknown(Exception):
    """More is done with vectors than there are lines for."""


def without_vectors(module: llvm.ModuleRef) -> llvm.ModuleRef:
    """The module without vectors; functions that take or return such are called otherwise."""
    if not _USED.search(str(module)):
        return module
    run_passes(module, Passes.add_instruction_namer_pass)
    text = str(module)
    try:
        scalar = _Module(text).text()
        found = llvm.parse_assembly(scalar)
        found.verify()
    except (_Unknown, RuntimeError):
        return module
    return found


@dataclass(frozen=True)
class _Value:
    """An operand: its type, the text of it, and what else is said of it, before and in between."""

    type: str
    text: str
    said: str = ""

    @classmethod
    def of(cls, text: str) -> _Value:
        found = _TYPED.match(text)
        if found is None:
            raise _Unknown(text)
        attributes, value = [], found[5]
        while more := _ATTRIBUTE.match(value):
            attributes.append(more[0])
            value = value[more.end() :]
        return cls(found[2], value, found[1] + "".join(attributes))

    @property
    def is_vector(self) -> bool:
        return self.type.startswith("<")

    @property
    def kinds(self) -> list[str]:
        """The types of its lanes; its own alone where it is no vector."""
        found = _VECTOR.fullmatch(self.type)
        return [found[2]] * int(found[1]) if found else [self.type]

    @property
    def lanes(self) -> list[str]:
        """Its lanes; itself alone where it is no vector."""
        if not self.is_vector:
            return [self.text]
        kinds = self.kinds
        if self.text.startswith("%"):
            return _lane_names(self.text, len(kinds))
        if self.text == "zeroinitializer":
            return [_zero(kind) for kind in kinds]
        if self.text in ("poison", "undef"):
            return [self.text] * len(kinds)
        same = re.fullmatch(r"splat \((\w+) (.*)\)", self.text)
        if same:
            return [same[2]] * len(kinds)
        if not self.text.startswith("<"):
            raise _Unknown(self.text)
        return [part.split(" ", 1)[1] for part in apart(self.text[1:-1])]


@dataclass(frozen=True)
class _Line:
    """An instruction: the name of its result, or one to tell it by, and its text without what is
    said behind it: of its place in the C, and of what else the memory is that it reaches."""

    name: str
    text: str
    place: str
    memory: str

    @classmethod
    def of(cls, line: str, number: int) -> _Line:
        made = _MADE.match(line)
        assert made is not None
        said = {found[1]: found[0] for found in _SAID.finditer(line)}
        memory = "".join(said[kind] for kind in _OF_ACCESSES if kind in said)
        name = made[1] or f"%unnamed{number}"
        return cls(name, _SAID.sub("", made[2]), said.get("dbg", ""), memory)

    @property
    def operation(self) -> str:
        return self.text.partition(" ")[0]

    @property
    def operands(self) -> str:
        return self.text.partition(" ")[2]

    def lane(self, i: int) -> str:
        """The name of a lane of its result."""
        return part_of(self.name, f"lane{i}")

    def on_the_way(self, what: str) -> str:
        """The name of a value that it needs."""
        return part_of(self.name, what)

    def made(self, name: str, text: str) -> str:
        return f"  {name} = {text}{self.place}"


class _Module:
    """The text of a module while its functions are rewritten."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._declared: dict[str, str] = {}
        self._lines = 0

    def text(self) -> str:
        """The module's text without vectors."""
        text = _FUNCTION.sub(lambda function: self._function(function[0]), self._text)
        told = (line for name, line in self._declared.items() if f" {name}(" not in self._text)
        return "\n".join([text, *told, ""])

    def _function(self, body: str) -> str:
        if not _USED.search(body):
            return body
        blocks = Blocks.of(body)
        blocks.head = _head(blocks.head)
        for label, lines in blocks.lines.items():
            blocks.lines[label] = [new for line in lines for new in self._rewritten(line)]
        return blocks.text()

    def _rewritten(self, line: str) -> Iterator[str]:
        """The lines in the place of one."""
        if not _VECTOR.search(line.partition(", !")[0]):
            yield line
            return
        if is_told(line):
            return
        self._lines += 1
        found = _Line.of(line, self._lines)
        operation = found.operation
        if operation in ("tail", "notail", "musttail", "call"):
            yield from self._called(found)
        elif operation in ("alloca", "getelementptr"):
            if _VECTOR.search(", ".join(apart(found.operands)[1:])):
                raise _Unknown(line)
            yield line
        else:
            yield from _LINES.get(operation, _of_lanes)(found)

    def _called(self, line: _Line) -> Iterator[str]:
        call = _CALL.match(line.text)
        if call is None:
            raise _Unknown(line.text)
        tail, flags, returned, *_ = call.groups()
        callee, arguments, behind = call.groups()[-3:]
        values = [_Value.of(text) for text in apart(arguments)] if arguments else []
        reduced = _REDUCED.match(callee)
        if reduced:
            yield from self._reduced(line, reduced[1], reduced[2], values, flags)
        elif callee.startswith("@llvm."):
            yield from self._each_lane(line, f"{tail}call {flags}", returned, callee, values)
        else:
            given = [f"{k} {v.said}{t}" for v in values for k, t in _lanes_of(v)]
            flags = _OTHER_BITS.sub("", _FLAGS.sub("", flags)) if _is_joined(returned) else flags
            text = f"{tail}call {flags}{_joined_type(returned)} {callee}({', '.join(given)})"
            if not returned.startswith("<"):
                head = "" if returned == "void" else f"{line.name} = "
                yield f"  {head}{text}{behind}{line.place}"
                return
            whole = line.on_the_way("whole")
            yield f"  {whole} = {text}{behind}{line.place}"
            yield from _split(line, whole, _Value(returned, "").kinds)

    def _each_lane(
        self, line: _Line, call: str, returned: str, callee: str, values: list[_Value]
    ) -> Iterator[str]:
        """A function of LLVM's that is one of each lane."""
        kinds = _Value(returned, "").kinds
        fits = returned.startswith("<") and all(
            len(v.kinds) == len(kinds) for v in values if v.is_vector
        )
        if not fits or callee.startswith(("@llvm.vector", "@llvm.masked", "@llvm.x86")):
            raise _Unknown(callee)
        name = _MANGLED.sub(".", callee)
        types = [value.kinds[0] for value in values]
        self._declared[name] = f"declare {kinds[0]} {name}({', '.join(types)})"
        for i in range(len(kinds)):
            given = [
                f"{v.kinds[0]} {v.said}{v.lanes[i] if v.is_vector else v.text}" for v in values
            ]
            yield line.made(line.lane(i), f"{call}{kinds[0]} {name}({', '.join(given)})")

    def _reduced(
        self, line: _Line, how: str, mangled: str, values: list[_Value], flags: str
    ) -> Iterator[str]:
        """All lanes made one, the first with the second, that with the third and so on."""
        vector = values[-1]
        kind, lanes = vector.kinds[0], vector.lanes
        if how in _ORDERED_SUMS:
            lanes = [values[0].text, *lanes]
        sofar = lanes[0]
        for i, lane in enumerate(lanes[1:], 1):
            name = line.name if i == len(lanes) - 1 else line.on_the_way(f"sofar{i}")
            if how in _CHOICES:
                choice = f"@llvm.{how}.{mangled}"
                self._declared[choice] = f"declare {kind} {choice}({kind}, {kind})"
                yield line.made(name, f"call {kind} {choice}({kind} {sofar}, {kind} {lane})")
            elif how in _SUMS or how in _ORDERED_SUMS:
                allowed = "".join(_FLAGS.findall(flags)) if how in _ORDERED_SUMS else ""
                yield line.made(name, f"{how} {allowed}{kind} {sofar}, {lane}")
            else:
                raise _Unknown(how)
            sofar = name


# -- values --------------------------------------------------------------------------------------


def _of_lanes(line: _Line) -> Iterator[str]:
    """An operation that does to each lane what it does to a number."""
    operation, parts = line.operation, apart(line.operands)
    if _CASTS.fullmatch(operation):
        before, _, after = line.operands.rpartition(" to ")
        value, kind = _Value.of(before), _Value(after, "").kinds[0]
        for i, lane in enumerate(value.lanes):
            text = f"{operation} {value.said}{value.kinds[0]} {lane} to {kind}"
            yield line.made(line.lane(i), text)
        return
    values = [_Value.of(parts[0])]
    if _BINARY.fullmatch(operation) or operation in ("icmp", "fcmp"):
        values.append(_Value(values[0].type, parts[1]))
    elif operation == "select":
        values += map(_Value.of, parts[1:])
    elif operation not in ("fneg", "freeze"):
        raise _Unknown(line.text)
    for i in range(max(len(v.kinds) for v in values)):
        given = [v.lanes[i] if v.is_vector else v.text for v in values]
        kinds = [v.kinds[0] for v in values]
        if operation == "select":
            typed = [f"{kind} {text}" for kind, text in zip(kinds, given, strict=True)]
            text = f"select {values[0].said}{', '.join(typed)}"
        else:
            text = f"{operation} {values[0].said}{kinds[0]} {', '.join(given)}"
        yield line.made(line.lane(i), text)


def _phi(line: _Line) -> Iterator[str]:
    found = re.match(rf"^((?:{FAST} )*)({_TYPE}) (\[.*\])$", line.operands)
    if found is None:
        raise _Unknown(line.text)
    flags, kind, listed = found[1], found[2], found[5]
    if not kind.startswith("<"):
        yield line.made(line.name, f"phi {flags}{_joined_type(kind)} {listed}")
        return
    ways = [apart(way.strip("[] ")) for way in apart(listed)]
    values = [(_Value(kind, value).lanes, label) for value, label in ways]
    for i, lane_kind in enumerate(_Value(kind, "").kinds):
        given = ", ".join(f"[ {lanes[i]}, {label} ]" for lanes, label in values)
        yield line.made(line.lane(i), f"phi {flags}{lane_kind} {given}")


def _extracted(line: _Line) -> Iterator[str]:
    vector, index = map(_Value.of, apart(line.operands))
    kind, lanes = vector.kinds[0], vector.lanes
    if index.text.isdigit():
        yield line.made(line.name, f"bitcast {kind} {lanes[int(index.text)]} to {kind}")
        return
    sofar = lanes[0]
    for i, lane in enumerate(lanes[1:], 1):
        chosen = line.on_the_way(f"is{i}")
        yield line.made(chosen, f"icmp eq {index.type} {index.text}, {i}")
        name = line.name if i == len(lanes) - 1 else line.on_the_way(f"upto{i}")
        yield line.made(name, f"select i1 {chosen}, {kind} {lane}, {kind} {sofar}")
        sofar = name


def _inserted(line: _Line) -> Iterator[str]:
    vector, value, index = map(_Value.of, apart(line.operands))
    kind = vector.kinds[0]
    for i, lane in enumerate(vector.lanes):
        if index.text.isdigit():
            taken = value.text if i == int(index.text) else lane
            yield line.made(line.lane(i), f"bitcast {kind} {taken} to {kind}")
        else:
            chosen = line.on_the_way(f"is{i}")
            yield line.made(chosen, f"icmp eq {index.type} {index.text}, {i}")
            text = f"select i1 {chosen}, {kind} {value.text}, {kind} {lane}"
            yield line.made(line.lane(i), text)


def _shuffled(line: _Line) -> Iterator[str]:
    one, other, mask = map(_Value.of, apart(line.operands))
    lanes, kind = [*one.lanes, *other.lanes], one.kinds[0]
    for i, place in enumerate(mask.lanes):
        taken = lanes[int(place)] if place.isdigit() else "poison"
        yield line.made(line.lane(i), f"bitcast {kind} {taken} to {kind}")


def _cast(line: _Line) -> Iterator[str]:
    """The same bits as another type."""
    before, _, after = line.operands.rpartition(" to ")
    value, result = _Value.of(before), _Value(after, "")
    if len(value.kinds) == len(result.kinds):
        for i, lane in enumerate(value.lanes):
            name = line.lane(i) if result.is_vector else line.name
            yield line.made(name, f"bitcast {value.kinds[0]} {lane} to {result.kinds[0]}")
        return
    whole = line.on_the_way("whole")
    if not result.is_vector:
        if result.type.startswith("i"):
            whole = line.name
        yield from _joined(line, value, whole)
        if whole != line.name:
            yield line.made(line.name, f"bitcast i{_bits(value)} {whole} to {result.type}")
        return
    yield from _joined(line, value, whole)
    yield from _split(line, whole, result.kinds)


def _returned(line: _Line) -> Iterator[str]:
    value = _Value.of(line.operands)
    if not value.is_vector:
        yield f"  ret {_joined_type(value.type)} {value.text}{line.place}"
        return
    whole = line.on_the_way("whole")
    yield from _joined(line, value, whole)
    yield f"  ret i{_bits(value)} {whole}{line.place}"


def _member(line: _Line) -> Iterator[str]:
    """A value of a struct of values."""
    parts = apart(line.operands)
    struct = _Value.of(parts[0])
    kinds = [kind.strip() for kind in apart(struct.type.strip("{} "))]
    taken = _Value(kinds[int(parts[-1])], "")
    typed = f"{_joined_type(struct.type)} {struct.text}"
    if line.operation == "extractvalue":
        name = line.on_the_way("whole") if taken.is_vector else line.name
        yield line.made(name, f"extractvalue {typed}, {parts[-1]}")
        if taken.is_vector:
            yield from _split(line, name, taken.kinds)
        return
    given = parts[1]
    if taken.is_vector:
        whole, value = line.on_the_way("whole"), _Value.of(parts[1])
        yield from _joined(line, value, whole)
        given = f"i{_bits(value)} {whole}"
    yield line.made(line.name, f"insertvalue {typed}, {given}, {parts[-1]}")


def _loaded(line: _Line) -> Iterator[str]:
    head, pointer, *rest = apart(line.operands)
    volatile, kind = ("volatile ", head[9:]) if head.startswith("volatile ") else ("", head)
    if not kind.startswith("<"):
        raise _Unknown(line.text)
    for i, (lane_kind, place, align, way) in enumerate(_places(line, kind, pointer, rest)):
        yield from way
        text = f"load {volatile}{lane_kind}, ptr {place}, align {align}{line.memory}"
        yield line.made(line.lane(i), text)


def _stored(line: _Line) -> Iterator[str]:
    head, pointer, *rest = apart(line.operands)
    volatile, head = ("volatile ", head[9:]) if head.startswith("volatile ") else ("", head)
    value = _Value.of(head)
    if not value.is_vector:
        raise _Unknown(line.text)
    places = _places(line, value.type, pointer, rest)
    for lane, (kind, place, align, way) in zip(value.lanes, places, strict=True):
        yield from way
        text = f"store {volatile}{kind} {lane}, ptr {place}, align {align}{line.memory}"
        yield f"  {text}{line.place}"


def _places(
    line: _Line, kind: str, pointer: str, rest: list[str]
) -> Iterator[tuple[str, str, int, list[str]]]:
    """Of each lane of a vector in memory: its type, its place, how that is aligned, and the lines
    that find it."""
    kinds = _Value(kind, "").kinds
    bits = _number_bits(kinds[0])
    if bits % 8 or rest[0].partition(" ")[0] != "align":
        raise _Unknown(line.text)
    base, aligned = _Value.of(pointer).text, int(rest[0].split()[1])
    for i, lane_kind in enumerate(kinds):
        offset = i * bits // 8
        if not i:
            yield lane_kind, base, aligned, []
            continue
        place = line.on_the_way(f"place{i}")
        found = line.made(place, f"getelementptr inbounds i8, ptr {base}, i64 {offset}")
        yield lane_kind, place, min(aligned, offset & -offset), [found]


_LINES = {
    "phi": _phi,
    "extractelement": _extracted,
    "insertelement": _inserted,
    "shufflevector": _shuffled,
    "bitcast": _cast,
    "ret": _returned,
    "extractvalue": _member,
    "insertvalue": _member,
    "load": _loaded,
    "store": _stored,
}


# -- all lanes in one ----------------------------------------------------------------------------


def _joined(line: _Line, value: _Value, whole: str) -> Iterator[str]:
    """The bits of all lanes as one integer, the first lane's lowest."""
    kind, bits, lane_bits = value.kinds[0], _bits(value), _number_bits(value.kinds[0])
    sofar = ""
    for i, lane in enumerate(value.lanes):
        number, wide = line.on_the_way(f"number{i}"), line.on_the_way(f"wide{i}")
        yield line.made(number, f"bitcast {kind} {lane} to i{lane_bits}")
        if lane_bits == bits:
            yield line.made(whole, f"bitcast i{bits} {number} to i{bits}")
            return
        yield line.made(wide, f"zext i{lane_bits} {number} to i{bits}")
        if not sofar:
            sofar = wide
            continue
        moved = line.on_the_way(f"moved{i}")
        yield line.made(moved, f"shl i{bits} {wide}, {i * lane_bits}")
        name = whole if i == len(value.lanes) - 1 else line.on_the_way(f"joined{i}")
        yield line.made(name, f"or i{bits} {sofar}, {moved}")
        sofar = name


def _split(line: _Line, whole: str, kinds: list[str]) -> Iterator[str]:
    """The lanes of a result whose bits are an integer's."""
    lane_bits = _number_bits(kinds[0])
    bits = lane_bits * len(kinds)
    for i, kind in enumerate(kinds):
        moved, number = line.on_the_way(f"from{i}"), line.on_the_way(f"number{i}.of")
        yield line.made(moved, f"lshr i{bits} {whole}, {i * lane_bits}")
        how = "trunc" if bits > lane_bits else "bitcast"
        yield line.made(number, f"{how} i{bits} {moved} to i{lane_bits}")
        yield line.made(line.lane(i), f"bitcast i{lane_bits} {number} to {kind}")


def _head(head: str) -> str:
    """A definition's first line."""
    found = re.match(
        r"^(define [^@\n]*@(?:\"[^\"]*\"|[^\s(]+))\((.*)\)([^()]*(?:\([^()]*\)[^()]*)*)$", head
    )
    if found is None:
        raise _Unknown(head)
    before, parameters, behind = found.groups()
    values = [_Value.of(text) for text in apart(parameters)] if parameters else []
    given = [f"{kind} {value.said}{text}" for value in values for kind, text in _lanes_of(value)]
    if _VECTOR.search(before):
        before = _OTHER_BITS.sub("", before)
    return f"{_joined_type(before)}({', '.join(given)}){behind}"


def _lanes_of(value: _Value) -> list[tuple[str, str]]:
    """The type and the text of each lane of an argument."""
    return list(zip(value.kinds, value.lanes, strict=True))


def _lane_names(name: str, count: int) -> list[str]:
    return [part_of(name, f"lane{i}") for i in range(count)]


def _is_joined(kind: str) -> bool:
    return bool(_VECTOR.search(kind))


def _joined_type(kind: str) -> str:
    """A type in which every vector is an integer."""
    return _VECTOR.sub(lambda m: f"i{int(m[1]) * _number_bits(m[2])}", kind)


def _bits(value: _Value) -> int:
    return _number_bits(value.kinds[0]) * len(value.kinds)


def _number_bits(kind: str) -> int:
    if re.fullmatch(r"i\d+", kind):
        return int(kind[1:])
    if kind not in _NUMBERS:
        raise _Unknown(kind)
    return _NUMBERS[kind]


def _zero(kind: str) -> str:
    return "null" if kind == "ptr" else "0" if kind.startswith("i") else "0.000000e+00"
