# SPDX-License-Identifier: Apache-2.0
"""Functions that are modules of the user's in hardware: `#pragma tandem macro("f.v", latency 2)`.

An annotation of clang's carries the declaration to the function in LLVM's text. Before anything is
inlined the function becomes one that is only declared, without side effects; software keeps its C.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import llvmlite.binding as llvm

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.linking import c_name
from tandem.frontend.macro_marks import ANNOTATION
from tandem.frontend.symbols import function_text, parameters_of, renamed, symbol
from tandem.written import demangled

PREFIX = "tandem.macro."
"""Before the name of a function that is only declared."""
WIDTHS = (1, 8, 16, 32, 64)
LARGEST_VERILOG_BYTES = 16 << 20
NUMBERS = "a macro takes numbers of 8, 16, 32 or 64 bits, and `_Bool`, and returns one"

_STRING = re.compile(rf'^(@\S+) = .* c"{ANNOTATION} ((?:[0-9a-f]{{2}})+)\\00"', re.M)
_ALL = re.compile(r"^@llvm\.global\.annotations = .*\n", re.M)
_ONE = re.compile(r'\{ ptr (@(?:"[^"]*"|[^\s,]+)), ptr (@[^\s,]+), ')
_HEAD = re.compile(r"define (?P<before>.*?)@(?P<name>\"[^\"]*\"|[^\s(]+)\((?P<rest>.*)")
_NUMBER = re.compile(r"\.\d+\Z")
_CALLED = re.compile(r'^  %\S+ = (?:tail |notail )?call [^@\n]*@("[^"]*"|[^\s(]+)\(', re.M)
_PORT = re.compile(r"[A-Za-z_]\w*\Z")
_WORDS = {
    "ptr": "a pointer",
    "float": "a floating-point number",
    "double": "a floating-point number",
    "x86_fp80": "a floating-point number",
    "...": "an argument beyond the named ones",
}
_NO_EFFECTS = "nounwind willreturn nosync nofree speculatable memory(none)"


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


def taken_off(module: llvm.ModuleRef) -> tuple[llvm.ModuleRef, dict[str, Declared]]:
    """The module without annotations of functions, which would keep them as they are, and what
    directives say of functions, by their names in it: static ones of several files have numbers.
    Raises UserError where two say something else of one."""
    text = str(module)
    marks = dict(_STRING.findall(text))
    line = _ALL.search(text) if marks else None
    if line is None:
        return module, {}
    found: dict[str, Declared] = {}
    for name, string in _ONE.findall(line[0]):
        if string in marks:
            symbol_name = c_name(name)
            words = json.loads(bytes.fromhex(marks[string]))
            function = _NUMBER.sub("", symbol_name)
            place = Place(*words.pop("place"))
            made = Declared(function=function, place=place, **words)
            found[symbol_name] = made.agreeing(found.get(symbol_name, made))
    return llvm.parse_assembly(_ALL.sub("", text)), found


def with_macros(
    module: llvm.ModuleRef, asked: Mapping[str, Declared], top: str
) -> tuple[llvm.ModuleRef, list[Declared]]:
    """The module in which macros are only declared, and the macros with their parameters. Raises
    UserError for a function that can be none, as the kernel `top`."""
    if top in asked:
        raise asked[top].error("it is no kernel", "offload a function that calls it")
    found: dict[str, Declared] = {}
    text, names = str(module), {}
    for name, declared in asked.items():
        body = function_text(text, name)
        if body is None:  # of a file's own, and in no use
            continue
        macro = _with_signature(declared, body.partition("\n")[0])
        _check_modules(macro, found.values())
        found[macro.function] = macro
        names[name] = f"{PREFIX}{macro.function}"
        text = text.replace(body, "", 1)
    if not found:
        return module, []
    lines = [
        f"declare i{macro.width} @{symbol(PREFIX + macro.function)}"
        f"({', '.join(f'i{bits}' for _, bits in macro.parameters)}) {_NO_EFFECTS}"
        for macro in found.values()
    ]
    text = "\n".join([renamed(text, names), *lines, ""])
    return llvm.parse_assembly(text), list(found.values())


def _check_modules(macro: Declared, others: Iterable[Declared]) -> None:
    """Raises UserError where another macro has the module, or the function is declared twice and
    differently."""
    for other in others:
        if macro.function == other.function:
            macro.agreeing(other)
        elif macro.module == other.module:
            text = f"its module `{macro.module}` is that of `{other.shown}` too"
            raise macro.error(text, "call one of the two functions, or give each its own module")


def called(macros: Iterable[Declared], text: str) -> tuple[Declared, ...]:
    """Those of some macros that a module's text calls."""
    used = set(_CALLED.findall(text))
    return tuple(macro for macro in macros if symbol(f"{PREFIX}{macro.function}") in used)


def _with_signature(declared: Declared, line: str) -> Declared:
    head = _HEAD.match(line)
    assert head is not None
    result = head["before"].split()[-1]
    if result == "void":
        raise declared.error("it returns nothing", NUMBERS)
    width = _width(declared, result, "it returns")
    parameters = []
    for part in parameters_of(head["rest"]):
        words = part.split()
        name = words[-1].lstrip("%").strip('"')
        if "byval" in part or name.endswith((".coerce", ".coerce0", ".coerce1")):
            raise declared.error("a parameter is a struct, or has more than 64 bits", NUMBERS)
        bits = _width(declared, words[0], f"`{name}` is")
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


def _width(declared: Declared, kind: str, what: str) -> int:
    """The bits of a number. Raises UserError for anything else."""
    number = re.fullmatch(r"i(\d+)", kind)
    if number and int(number[1]) in WIDTHS:
        return int(number[1])
    words = (
        f"an integer of {number[1]} bits" if number else _WORDS.get(kind, "a struct or a vector")
    )
    raise declared.error(f"{what} {words}", NUMBERS)
