# SPDX-License-Identifier: Apache-2.0
"""Drivers in Python: what moves words (library/chip/drivers.py), and behind it each kernel as data
and a method of class `Chip`."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Sequence

from tandem.chip.build import SHELL_BYTES
from tandem.chip.callee import Callee
from tandem.chip.held import held, is_given, is_taken
from tandem.chip.refusals import is_only_bound, meetings
from tandem.frontend.c_types import CType, TypeKind
from tandem.installation import data_file
from tandem.ir.argument import Argument
from tandem.ir.expressions import Expression, Node
from tandem.ir.names import plain, spelled, unused_name
from tandem.ir.ops import (
    ArgumentOp,
    AShr,
    Concat,
    Constant,
    Divide,
    Extract,
    SDiv,
    Select,
    Shift,
    SLe,
    SLt,
    SRem,
    UDiv,
    URem,
    mask,
)
from tandem.package import element_bytes, extent_text
from tandem.rtl.buses import PROTOCOLS
from tandem.written import demangled

BYTE_BITS = 8
_INTEGERS = {1: "b", 2: "h", 4: "i", 8: "q"}
_FLOATS = {4: "f", 8: "d"}
_OWN = ("self", "registers")
"""Names that the class has itself."""

_TAIL = '''
{extents}

KERNELS = (
{kernels})


class Chip:
    """Kernels in shells on a chip, a method each. `registers`: how the shells are reached; by
    Linux UIO if nothing else is said.

    Arrays are bytes, bytearrays, or anything else that has its bytes in a row (array.array,
    memoryview, NumPy's). All that a call reads is read before anything is written. Methods raise
    ValueError where an array is too short, has no room in the shell, or overlaps another one in a
    way that would matter, or a number is none that the kernel serves: such calls are the C
    function's. They raise OverflowError for numbers that the C type does not have, and TypeError
    for arrays that have to be written and cannot."""

    def __init__(self, registers: Registers | None = None) -> None:
        self.registers = Uio({size}) if registers is None else registers
{methods}'''


def drivers_py(callees: Sequence[Callee], size: int, window_bytes: int, protocol: str) -> str:
    """The module. A shell has `window_bytes` for each array; `protocol`: how shells are asked;
    `size`: bytes that all shells have.

    Raises UserError for an argument that no shell can hold."""
    taken: list[str] = [*_OWN]
    kernels, methods, extents = [], [], []
    for callee in callees:
        name = _name(demangled(callee.kernel.name).partition("(")[0], taken)
        taken.append(name)
        made = _Method(callee, len(kernels), window_bytes, PROTOCOLS[protocol].is_link)
        kernels.append(made.data())
        methods.append(made.text(name))
        extents += made.extents()
    tail = _TAIL.format(
        size=size,
        extents="".join(extents),
        kernels="".join(kernels),
        methods="".join(methods),
    )
    return data_file("library", "chip/drivers.py").read_text() + tail


def _name(name: str, taken: Collection[str]) -> str:
    """A name of the C as Python has it: no keyword, none that is taken, and none that classes
    would change."""
    if not name.isidentifier():
        name = plain(name.replace("::", "_"), spelled(name))
    if name.startswith("__") and not name.endswith("__"):
        name += "__"
    return unused_name(name, {*taken, *keyword.kwlist})


class _Method:
    """A kernel's data, and its method."""

    def __init__(self, callee: Callee, place: int, window_bytes: int, is_link: bool) -> None:
        self.callee, self.place, self.is_link = callee, place, is_link
        self.arguments = list(enumerate(callee.kernel.arguments))
        self.types = callee.types()
        self.rooms = [row.bytes for row in held(callee.kernel, window_bytes)]
        self.given = [(i, a) for i, a in self.arguments if not a.is_result]
        self.names: dict[int, str] = {}
        for i, argument in self.given:
            self.names[i] = _name(argument.name, [*_OWN, *self.names.values()])
        claims = [a.extent.claim for _, a in self.arguments if a.extent.claim]
        self.asked = {name for claim in claims for name in claim.names()}

    def data(self) -> str:
        rows = "".join(f"            {i}: {self._row(i, a)},\n" for i, a in self.given)
        result = [f"({i}, {self._format(i, a)!r})" for i, a in self.arguments if a.is_result]
        return (
            f"    Kernel(\n        {SHELL_BYTES * self.callee.number},\n        {{\n{rows}"
            f"        }},\n        {''.join(result) or None},\n"
            f"        {meetings(self.callee.kernel)},\n        {self.is_link},\n    ),\n"
        )

    def _row(self, number: int, argument: Argument) -> str:
        name = repr(argument.name)
        if argument.is_number:
            form = repr(self._format(number, argument))
            served = "" if argument.most is None else f", {argument.least}, {argument.most}"
            return f"Number({name}, {form}{served})"
        flags = {
            "is_given": is_given(argument),
            "is_taken": is_taken(argument),
            "is_bound": is_only_bound(argument),
            "is_number": argument.name in self.asked,
        }
        words = [name, str(self.rooms[number]), self._used(number)]
        words += [f"{flag}=True" for flag, is_set in flags.items() if is_set]
        return f"Array({', '.join(words)})"

    def _format(self, number: int, argument: Argument) -> str:
        """How `struct` packs it."""
        kind = self.types[number]
        assert kind is not None
        if argument.width == 1:
            return "<?"
        letters = _FLOATS if kind.kind is TypeKind.FLOAT else _INTEGERS
        letter = letters[kind.bits // BYTE_BITS]
        return f"<{letter if kind.is_signed or kind.kind is TypeKind.FLOAT else letter.upper()}"

    def _used(self, number: int) -> str:
        return f"_used{self.place}_{number}"

    def extents(self) -> list[str]:
        """A function of each array."""
        return [
            f"\n\ndef {self._used(i)}(values: dict[str, int]) -> int:\n{_body(a.extent.claim)}"
            for i, a in self.given
            if not a.is_number
        ]

    def text(self, name: str) -> str:
        parameters = [self.names[i] for i, a in self.given if a.is_parameter]
        variables = [self.names[i] for i, a in self.given if not a.is_parameter]
        rows = ["self", *(f"{one}: Any" for one in parameters), *["*"][: len(variables)]]
        rows += [f"{one}: Any" for one in variables]
        result = next((self.types[i] for i, a in self.arguments if a.is_result), None)
        told = "".join(f"        {self.names[i]}: {self._words(i, a)}.\n" for i, a in self.given)
        values = ", ".join(self.names[i] for i, _ in self.given)
        returned = "None" if result is None else _python_type(result)
        return (
            f"\n    def {name}({', '.join(rows)}) -> {returned}:\n"
            f'        """Calls `{self._declared(result)}`.\n\n{told}        """\n'
            f"        return call(self.registers, KERNELS[{self.place}], [{values}])\n"
        )

    def _declared(self, result: CType | None) -> str:
        pairs = [(a.name, self.types[i]) for i, a in self.given if a.is_parameter and self.types[i]]
        parameters = ", ".join(kind.declared(name) for name, kind in pairs if kind) or "void"
        name = demangled(self.callee.kernel.name).partition("(")[0]
        head = f"{name}({parameters})"
        return f"void {head}" if result is None else result.declared(head)

    def _words(self, number: int, argument: Argument) -> str:
        if argument.is_number:
            kind = self.types[number]
            assert kind is not None
            served = f", {argument.served}" if argument.served else ""
            return f"{_python_type(kind)} of {self.rooms[number]} bytes{served}"
        ways = {"in": "read", "out": "written", "inout": "read and written"}
        of = "array" if argument.variable is None else "the program's variable, an array"
        used = "bytes at most" if is_only_bound(argument) else "bytes"
        return (
            f"{of} of elements of {element_bytes(argument)} bytes, {ways[argument.direction]}; "
            f"{used}: {extent_text(argument)}, with room for {self.rooms[number]}"
        )


def _python_type(kind: CType) -> str:
    return "float" if kind.kind is TypeKind.FLOAT else "int"


def _body(claim: Expression | None) -> str:
    """Python that computes an extent: patterns of bits until the result, which has a sign."""
    if claim is None:
        return "    return 0\n"
    lines, uses = [], list[str]()
    for place, node in enumerate(claim.nodes):
        if node.kind is Constant:
            uses.append(str(node.value))
            continue
        uses.append(f"x{place}")
        operands = [uses[i] for i in node.operands]
        widths = [claim.nodes[i].width for i in node.operands]
        text = _python(node, operands, widths)
        lines.append(f"    x{place} = ({text}) & {mask(node.width):#x}\n")
    return f"{''.join(lines)}    return signed({uses[-1]}, {claim.width})\n"


def _python(node: Node, uses: Sequence[str], widths: Sequence[int]) -> str:
    """The operation on patterns of bits, before its result is cut to its width."""
    kind = node.kind
    if kind is ArgumentOp:
        return f"values[{node.name!r}]"
    if kind is Extract:
        return f"{uses[0]} >> {node.value}"
    if kind is Select:
        return f"{uses[1]} if {uses[0]} else {uses[2]}"
    if kind is Concat:
        lows = [sum(widths[i + 1 :]) for i in range(len(widths))]
        return " | ".join(f"{use} << {low}" for use, low in zip(uses, lows, strict=True))
    if issubclass(kind, Shift):
        value = f"signed({uses[0]}, {widths[0]})" if kind is AShr else uses[0]
        return f"{value} {kind.sign} min({uses[1]}, {max(widths[0], node.width)})"
    if kind in (SLt, SLe, SDiv, SRem):
        uses = [f"signed({use}, {width})" for use, width in zip(uses, widths, strict=True)]
    if kind in (UDiv, SDiv):
        otherwise = "-1" if kind is UDiv else f"1 if {uses[0]} < 0 else -1"
        return f"quotient({uses[0]}, {uses[1]}, {otherwise})"
    if kind in (URem, SRem):
        return f"{uses[0]} - {uses[1]} * quotient({uses[0]}, {uses[1]}, 0)"
    if kind is Divide:
        rest = f"{uses[0]} - {uses[1]} * quotient({uses[0]}, {uses[1]}, 0)"
        by_zero = f"{mask(widths[0])} ^ {uses[0]} >> {widths[1]}"
        return (
            f"({rest} & {mask(widths[1])}) << {widths[0]} | "
            f"quotient({uses[0]}, {uses[1]}, {by_zero})"
        )
    return f" {kind.sign} ".join(uses)
