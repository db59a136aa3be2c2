# SPDX-License-Identifier: Apache-2.0
"""Building the application for this machine: its C files as they are, some functions replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.compiler.compile import Compiled
from tandem.diagnostics import Diagnostic, InternalError
from tandem.files import temporary_folder
from tandem.frontend.by_value import with_plain_calls
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.libraries import calling_ours, library_modules
from tandem.frontend.program import Program
from tandem.frontend.symbols import declares, definition, redirected
from tandem.frontend.variables import made_visible
from tandem.host.stub import original_symbol, package_link, stub_name, stubs_c
from tandem.installation import DATA, ENGINE


@dataclass(frozen=True)
class Offload:
    """A compiled function and the folder of its package."""

    compiled: Compiled
    package: Path


def build_executable(program: Program, offloads: Sequence[Offload], output: Path) -> Path:
    """The application with the packages inside and a stub in place of each function.

    Raises UserError with the linker's or compiler's errors."""
    with temporary_folder() as work:
        modules = redirected_modules(offloads[0].compiled.modules, offloads)
        modules = [*modules, *library_modules(replaced_in(offloads))]
        files = [write_module(text, work / f"module{i}.ll") for i, text in enumerate(modules)]
        run_clang(
            [
                *NATIVE_FLAGS,
                program.optimisation,
                *files,
                build_stubs(offloads, work),
                "-o",
                output,
                *engine_flags(),
                *program.link,
                "-lm",
            ],
            program.is_cxx,
        )
    return output


def write_module(text: str, path: Path) -> Path:
    """LLVM IR as a file for clang."""
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return path


def build_stubs(offloads: Sequence[Offload], work: Path, platform: Path | None = None) -> Path:
    """The object with the stubs and their packages, made in the folder `work`; `platform`: the one
    that counts where the environment names none."""
    for number, offload in enumerate(offloads):
        (work / package_link(number)).symlink_to(offload.package.resolve())
    source, stubs = work / "stubs.c", work / "stubs.o"
    source.write_text(stubs_c([offload.compiled.kernel for offload in offloads], platform))
    include = f"-I{DATA / 'include'}"
    run_clang([*NATIVE_FLAGS, "-std=c2x", include, "-c", source, "-o", stubs])
    return stubs


def engine_flags() -> list[str]:
    """What the linker needs for the engine. Raises InternalError if it is not installed."""
    if not ENGINE.is_file():
        raise InternalError(Diagnostic("engine-missing", f"the engine is not at {ENGINE}"))
    folder = ENGINE.parent
    return [f"-L{folder}", "-ltandem", f"-Wl,-rpath,{folder}", "-Wl,--allow-shlib-undefined"]


def replaced_in(offloads: Sequence[Offload]) -> list[str]:
    """The functions in the kernels that software calls ours of too."""
    return sorted({name for offload in offloads for name in offload.compiled.replaced})


def redirected_modules(modules: Sequence[str], offloads: Sequence[Offload]) -> Sequence[str]:
    """The application's modules with every use of each function led to its stub, and of functions
    of the C library of which a kernel has ours to these."""
    if found := replaced_in(offloads):
        modules = [calling_ours(text, found) for text in modules]
    for number, offload in enumerate(offloads):
        shared = [a.variable for a in offload.compiled.kernel.arguments if a.variable is not None]
        modules = made_visible(modules, [variable.symbol for variable in shared])
        modules = with_plain_calls(modules, offload.compiled.kernel.name)
        modules = with_call_replaced(modules, offload.compiled.kernel.name, number)
    return modules


def with_call_replaced(modules: Sequence[str], name: str, number: int) -> list[str]:
    """The modules with every use of the function led to its stub, and its definition kept under
    another name. A function that is local to its file, or to several as a header's are, is replaced
    in those; other files may have another one of that name."""
    found = [definition(text, name) for text in modules]
    is_local = all(d is None or d.is_local for d in found)
    visible = next((i for i, d in enumerate(found) if d is not None), None)
    result = []
    for i, text in enumerate(modules):
        if found[i] is not None or (not is_local and declares(text, name)):
            names = original_symbol(name), stub_name(number)
            text = redirected(text, name, *names, make_visible=i == visible)
        result.append(text)
    return result
