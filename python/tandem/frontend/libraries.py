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
from tandem.frontend.symbols import declares, definition, renamed
from tandem.installation import DATA

MATHEMATICS = "libm"
REPLACED = (MATHEMATICS, "open")
"""The folders of functions whose results are not the same everywhere."""
FOLDERS = ("libc", *REPLACED)
WHOLE = "whole"
"""The folder of functions with a state that no other part of the program can know."""
OURS = "tandem_"
"""Before the names of our functions in a program that calls them."""
_FUNCTION = re.compile(r"^(?!static)[a-z][\w *]*?\b(\w+)\([^;{]*(?:\{|$)", re.M)
_DECLARED = re.compile(r"^declare .*@(\w+)\(", re.M)
_DECLARATION = re.compile(r"^declare .*", re.M)
_INTRINSIC = re.compile(r"^declare .*@(llvm\.(\w+)\.(f32|f64))\(.*", re.M)


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
            work += _DECLARED.findall(texts[file])
    return list(texts.values())


@cache
def copies_of(path: str) -> str:
    """LLVM IR of a file of `library/`, of whose functions a program may hold several copies."""
    text = to_llvm_ir(CFile(DATA / "library" / path))
    return re.sub(r"^define (?:dso_local )?(?!internal)", "define linkonce_odr ", text, flags=re.M)


@cache
def _module(file: CFile) -> str:
    defined = renamed(to_llvm_ir(file), {n: f"{OURS}{n}" for n in _replaced_functions()})
    return calling_ours(defined)


def replaced(names: Iterable[str]) -> frozenset[str]:
    """The functions that software calls ours of too which are among some of a kernel."""
    ours = (name.removeprefix(OURS) for name in names if name.startswith(OURS))
    return frozenset(name for name in ours if name in _replaced_functions())


def calling_ours(module: str, names: Collection[str] | None = None) -> str:
    """A module that calls our functions, or some of them, in place of the system's, and of LLVM's
    that mean the same. LLVM does not know them: it would make of a power what is rounded
    otherwise."""
    wanted = _replaced_functions() if names is None else names
    others: dict[str, str] = {}
    for line in _INTRINSIC.finditer(module):
        name = line[2] + ("f" if line[3] == "f32" else "")
        if name in wanted:
            others[line[1]] = f"{OURS}{name}"
            ours = definition(module, f"{OURS}{name}")
            if ours is not None or declares(module, name):
                module = module.replace(f"{line[0]}\n", "\n", 1)
    declared = "\n".join(_DECLARATION.findall(module))
    others |= {name: f"{OURS}{name}" for name in wanted if declares(declared, name)}
    return _with_remainders(renamed(module, others), wanted)


def _with_remainders(module: str, wanted: Container[str]) -> str:
    """The module with calls in place of LLVM's own instruction for a remainder."""
    for kind, name in (("double", "fmod"), ("float", "fmodf")):
        instruction = re.compile(rf"= frem (?:\w+ )*?{kind} ([^,\n]+), ([^,\n]+)")
        if name not in wanted or not instruction.search(module):
            continue
        module = instruction.sub(rf"= call {kind} @{OURS}{name}({kind} \1, {kind} \2)", module)
        if not declares(module, f"{OURS}{name}"):
            module += f"\ndeclare {kind} @{OURS}{name}({kind}, {kind})\n"
    return module
