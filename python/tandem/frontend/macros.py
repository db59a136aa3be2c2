# SPDX-License-Identifier: Apache-2.0
"""Functions that are modules of the user's in hardware: `#pragma tandem macro("f.v", latency 2)`.

An annotation of clang's carries the declaration to the function in LLVM's text. Before anything is
inlined the function becomes one that is only declared, without side effects; software keeps its C.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import llvmlite.binding as llvmlite

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.macro_marks import ANNOTATION
from tandem.llvm import attributes
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.edit import add_attribute
from tandem.llvm.module import Module, opened
from tandem.llvm.passes import rewritten
from tandem.llvm.read import Ref, call, operands
from tandem.written import demangled

PREFIX = "tandem.macro."
"""Before the name of a function that is only declared."""
WIDTHS = (1, 8, 16, 32, 64)
LARGEST_VERILOG_BYTES = 16 << 20
NUMBERS = "a macro takes numbers of 8, 16, 32 or 64 bits, and `_Bool`, and returns one"

_LIST = "llvm.global.annotations"
_NUMBER = re.compile(r"\.\d+\Z")
"""Behind the names of static functions of several files."""
_PORT = re.compile(r"[A-Za-z_]\w*\Z")
_WORDS = {
    llvm.TYPE_POINTER: "a pointer",
    **dict.fromkeys(llvm.FLOATING_BYTES, "a floating-point number"),
}
_NO_EFFECTS = ("nounwind", "willreturn", "nosync", "nofree", "speculatable", "memory")
"""The attributes of a function that only computes: `memory` without a value is of none."""


@dataclass(frozen=True)
class Declared:
    """A function that a directive makes a macro: the `file` that it names, which is at `path`, and
    the module in it, the cycles from operands to result, and what the C has: name and bits of each
    parameter, and the bits of the result."""

    function: str
    file: str
    path: str
    module: str
    latency: int
    place: Place
    parameters: tuple[tuple[str, int], ...] = ()
    width: int = 0

    def error(self, message: str, cure: str) -> UserError:
        """What is wrong with it, told at the directive."""
        return user_error("macro", f"macro `{self.shown}`: {message}", self.place, cure)

    def agreeing(self, other: Declared) -> Declared:
        """This, which is to say the same of the function as another declaration. Raises UserError
        where it does not."""
        if replace(other, place=self.place) != self:
            raise self.error(f"it is declared otherwise in {other.place}", "declare it once")
        return self

    @property
    def shown(self) -> str:
        """The function as its author calls it."""
        return demangled(self.function).partition("(")[0]

    def verilog(self) -> str:
        """The text of its file. Raises UserError for one that cannot be read."""
        path = Path(self.path)
        cure = "its place counts from the file in which the directive stands"
        try:
            if not path.is_file():
                raise self.error(f"there is no file `{self.file}`", cure)
            if path.stat().st_size > LARGEST_VERILOG_BYTES:
                raise self.error(f"`{self.file}` is too large for Verilog", cure)
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise self.error(f"cannot read `{self.file}`: {error}", cure) from error


def is_macro(name: str) -> bool:
    """Whether a function is a macro, and only declared."""
    return name.startswith(PREFIX)


def take_off(module: Module) -> dict[str, Declared]:
    """Takes annotations of functions off a module, which would keep them as they are. What
    directives say of functions, by their names in it: static ones of several files have numbers.
    Raises UserError where two say something else of one."""
    found: dict[str, Declared] = {}
    annotations = module.variable(_LIST)
    listed = operands(call("GetInitializer", annotations)) if annotations else []
    rows = [operands(row) for row in listed]
    marks = [(f, mark) for f, string, *_ in rows if (mark := _mark(string))]
    for function, mark in marks:
        name = llvm.name(function)
        words = json.loads(bytes.fromhex(mark))
        place = Place(*words.pop("place"))
        made = Declared(function=_NUMBER.sub("", name), place=place, **words)
        found[name] = made.agreeing(found.get(name, made))
    if annotations and marks:
        call("DeleteGlobal", annotations)
    return found


def _mark(string: Ref) -> str:
    """What an annotation tells of a macro, nothing if it tells of something else."""
    _, is_ours, mark = (llvm.string_in(string) or "").partition(f"{ANNOTATION} ")
    return mark if is_ours else ""


def with_macros(
    module: llvmlite.ModuleRef, asked: Mapping[str, Declared], top: str
) -> tuple[llvmlite.ModuleRef, list[Declared]]:
    """The module in which macros are only declared, and the macros with their parameters. Raises
    UserError for a function that can be none, as the kernel `top`."""
    if top in asked:
        raise asked[top].error("it is no kernel", "offload a function that calls it")
    found: dict[str, Declared] = {}
    made = rewritten(module, lambda module: _declare(module, asked, found)) if asked else module
    return made, list(found.values())


def _declare(module: Module, asked: Mapping[str, Declared], found: dict[str, Declared]) -> bool:
    for name, declared in asked.items():
        function = module.function(name)
        if function is None or not llvm.entry(function):  # of a file's own, and in no use
            continue
        macro = _with_signature(declared, function)
        _check_modules(macro, found.values())
        found[macro.function] = macro
        call("ReplaceAllUsesWith", function, _declaration(module, macro))
        call("DeleteFunction", function)
    return bool(found)


def _declaration(module: Module, macro: Declared) -> Ref:
    kinds = [module.integer(bits) for _, bits in macro.parameters]
    made = module.declared(f"{PREFIX}{macro.function}", module.integer(macro.width), kinds)
    for word in _NO_EFFECTS:
        add_attribute(made, FUNCTION_INDEX, module.enum_attribute(word))
    return made


def _check_modules(macro: Declared, others: Iterable[Declared]) -> None:
    """Raises UserError where another macro has the module, or the function is declared twice and
    differently."""
    for other in others:
        if macro.function == other.function:
            macro.agreeing(other)
        elif macro.module == other.module:
            text = f"its module `{macro.module}` is that of `{other.shown}` too"
            raise macro.error(text, "call one of the two functions, or give each its own module")


def called(macros: Sequence[Declared], text: str) -> tuple[Declared, ...]:
    """Those of some macros that a module calls."""
    if not macros:
        return ()
    with opened(text) as module:
        return tuple(macro for macro in macros if _is_called(module, macro))


def _is_called(module: Module, macro: Declared) -> bool:
    function = module.function(f"{PREFIX}{macro.function}")
    return function is not None and bool(llvm.calls_of(function))


def _with_signature(declared: Declared, function: Ref) -> Declared:
    if llvm.returns_nothing(function):
        raise declared.error("it returns nothing", NUMBERS)
    width = _width(declared, llvm.result_type(function), "it returns")
    if call("IsFunctionVarArg", call("GlobalGetValueType", function)):
        raise declared.error("it has an argument beyond the named ones", NUMBERS)
    parameters = []
    for i, parameter in enumerate(llvm.parameters(function), 1):
        name = llvm.name(parameter)
        is_struct = attributes.has_attribute(function, i, "byval")
        if is_struct or name.endswith((".coerce", ".coerce0", ".coerce1")):
            raise declared.error("a parameter is a struct, or has more than 64 bits", NUMBERS)
        bits = _width(declared, llvm.type_of(parameter), f"`{name}` is")
        if not _PORT.match(name) or name in ("clock", "result"):
            raise declared.error(
                f"a parameter is called `{name}`, as no input of its module can be",
                "name it with letters, digits and underscores; `clock` and `result` are taken",
            )
        parameters.append((name, bits))
    if not parameters:
        raise declared.error("it has no parameters", NUMBERS)
    module = declared.module or declared.shown
    if not _PORT.match(module):
        cure = 'add `, module "NAME"` to the directive'
        raise declared.error(f"no module can be called `{module}`", cure)
    return replace(declared, module=module, parameters=tuple(parameters), width=width)


def _width(declared: Declared, kind: Ref, what: str) -> int:
    """The bits of a number. Raises UserError for anything else."""
    which = call("GetTypeKind", kind)
    if which != llvm.TYPE_INTEGER:
        words = _WORDS.get(which, "a struct or a vector")
        raise declared.error(f"{what} {words}", NUMBERS)
    bits = llvm.number_bits(kind)
    if bits not in WIDTHS:
        raise declared.error(f"{what} an integer of {bits} bits", NUMBERS)
    return bits
