# SPDX-License-Identifier: Apache-2.0
"""Functions of the C library that a program calls and whose C is not part of it: Tandem's own C of
them, in `library/libc`, `library/libm` and `library/open`, becomes part of the kernel; where that
is the whole program, so does what of `library/whole` it calls, which keeps something for itself.

Those of `libm` and `open` may give another result than the system's: round otherwise, or sort
elements that compare alike otherwise. Where a kernel has some of them, the whole program calls
Tandem's under other names, so that hardware and software agree in every bit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable
from functools import cache

from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.program import CFile
from tandem.frontend.symbols import rename_global, renamed, symbols_of
from tandem.installation import DATA
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import replace
from tandem.llvm.module import Module, edited
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import call

MATHEMATICS = "libm"
REPLACED = (MATHEMATICS, "open")
"""The folders of functions whose results are not the same everywhere."""
FOLDERS = ("libc", *REPLACED)
WHOLE = "whole"
"""The folder of functions with a state that no other part of the program can know."""
LINK_ONCE = 3
"""LLVMLinkage of functions of which a program may hold several copies."""
OURS = "tandem_"
"""Before the names of our functions in a program that calls them."""
_FUNCTION = re.compile(r"^(?!static)[a-z][\w *]*?\b(\w+)\([^;{]*(?:\{|$)", re.M)
_REMAINDERS = {2: "fmodf", 3: "fmod"}
"""LLVM's type of a number -> the function of its remainder."""
_SUFFIXES = {"f32": "f", "f64": ""}


@cache
def _files(is_whole: bool = False) -> dict[str, CFile]:
    """The file that defines each function, those for whole programs among them."""
    folders = (*FOLDERS, WHOLE) if is_whole else FOLDERS
    return {name: file for folder in folders for name, file in _files_of(folder).items()}


@cache
def _files_of(folder: str) -> dict[str, CFile]:
    found: dict[str, CFile] = {}
    for path in sorted((DATA / "library" / folder).glob("*.c")):
        found |= dict.fromkeys(_FUNCTION.findall(path.read_text()), CFile(path))
    return found


def mathematical_functions() -> dict[str, CFile]:
    """Those of `math.h` that are C of ours, and the file that defines each."""
    return _files_of(MATHEMATICS)


@cache
def _replaced_functions() -> frozenset[str]:
    """Those that software calls ours of too."""
    return frozenset(name for folder in REPLACED for name in _files_of(folder))


def library_modules(names: Iterable[str], is_whole: bool = False) -> list[str]:
    """LLVM IR of the files that define some functions of a kernel, which may be the whole program,
    as far as there are any, and what these call; those that software calls too under the names
    that `calling_ours` gives them."""
    texts: dict[CFile, str] = {}
    work = list(names)
    while work:
        file = _files(is_whole).get(work.pop().removeprefix(OURS))
        if file is not None and file not in texts:
            texts[file] = _module(file)
            found = symbols_of(texts[file]).values()
            work += [row.name for row in found if row.is_function and not row.is_defined]
    return list(texts.values())


@cache
def copies_of(path: str) -> str:
    """LLVM IR of a file of `library/`, of whose functions a program may hold several copies."""
    text = to_llvm_ir(CFile(DATA / "library" / path))
    return edited(text, _allow_copies) or text


def _allow_copies(module: Module) -> bool:
    for function in module.defined:
        if llvm.linkage(function) not in llvm.LOCAL:
            call("SetLinkage", function, LINK_ONCE)
    return True


@cache
def _module(file: CFile) -> str:
    defined = renamed(to_llvm_ir(file), {n: f"{OURS}{n}" for n in _replaced_functions()})
    return calling_ours(defined)


def replaced(names: Iterable[str]) -> frozenset[str]:
    """The functions that software calls ours of too which are among some of a kernel."""
    ours = (name.removeprefix(OURS) for name in names if name.startswith(OURS))
    return frozenset(name for name in ours if name in _replaced_functions())


def calling_ours(text: str, names: Collection[str] | None = None) -> str:
    """A module that calls our functions, or some of them, in place of the system's."""
    return edited(text, lambda module: call_ours(module, names)) or text


def call_ours(module: Module, names: Collection[str] | None = None) -> bool:
    """Has a module call our functions, or some of them, in place of the system's, and of LLVM's
    that mean the same. LLVM does not know them: it would make of a power what is rounded
    otherwise."""
    wanted = _replaced_functions() if names is None else names
    declared = [f for f in module.functions if not llvm.entry(f)]
    meant = [(f, name) for f in declared if (name := _meant(llvm.name(f))) in wanted]
    for function, name in meant:
        rename_global(module, function, f"{OURS}{name}")
    return bool(_replace_remainders(module, wanted) | len(meant))


def _meant(name: str) -> str:
    """The function of the C library that is called by its own name or by LLVM's for it."""
    prefix, _, rest = name.partition("llvm.")
    plain, _, kind = rest.rpartition(".")
    return f"{plain}{_SUFFIXES[kind]}" if not prefix and kind in _SUFFIXES else name


def _replace_remainders(module: Module, wanted: Container[str]) -> bool:
    """Puts calls in the place of LLVM's own instruction for a remainder."""
    found = [ref for ref in llvm.instructions(module.defined) if _remainder(ref) in wanted]
    builder = Builder(module)
    for ref in found:
        kind = llvm.type_of(ref)
        function = module.declared(f"{OURS}{_remainder(ref)}", kind, [kind, kind])
        replace(ref, builder.before(ref).call(function, llvm.operands(ref)))
    return bool(found)


def _remainder(ref: llvm.Ref) -> str:
    """The function that does what an instruction does, if that is a remainder; else nothing."""
    is_one = llvm.opcode_of(ref) == Opcode.FREM
    return _REMAINDERS.get(call("GetTypeKind", llvm.type_of(ref)), "") if is_one else ""
