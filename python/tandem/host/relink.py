# SPDX-License-Identifier: Apache-2.0
"""Linking a project's objects with some of its functions offloaded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tandem.compiler.compile import compile_kernel, find_target
from tandem.diagnostics import Diagnostic, UserError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.libraries import library_modules
from tandem.frontend.program import Program
from tandem.frontend.symbols import is_defined
from tandem.host.application import (
    Offload,
    build_stubs,
    engine_flags,
    redirected_modules,
    replaced_in,
    write_module,
)
from tandem.host.compiling import compiled_inputs, run_compiler
from tandem.host.invocation import Invocation
from tandem.host.units import Unit, units_of
from tandem.manifest import CALLED
from tandem.package import write_package
from tandem.platforms.engine import find_platform, read_platform

# What a link takes of a file's own flags to compile its changed module.
_KEPT_FLAGS = ("-O", "-g", "-m", "-f", "-pthread")
_NOT_KEPT = ("-flto",)


def link(call: Invocation) -> int:
    """Links; the compiler's exit status. A function that the environment names and the program does
    not have is told, and no more: a project links other programs too, to see what there is.

    Raises UserError where a function cannot be offloaded."""
    with temporary_folder() as folder:
        words = compiled_inputs(call, folder)
        if isinstance(words, int):
            return words
        units = units_of(words)
        platform = find_platform(call.platform)
        offloads = _compile(call, units, platform, folder)
        if not offloads:
            return run_compiler(words, call.cxx)
        replaced = _replaced(units, offloads, folder, call.cxx)
        if isinstance(replaced, int):
            return replaced
        words = _with_replaced(words, replaced)
        for number, text in enumerate(library_modules(replaced_in(offloads))):
            words.append(str(_our_object(text, folder / f"mathematics{number}.o")))
        stubs = build_stubs(offloads, folder, platform)
        return run_compiler([*words, str(stubs), *engine_flags()], call.cxx)


def _replaced(
    units: Sequence[Unit], offloads: Sequence[Offload], folder: Path, cxx: bool
) -> list[tuple[Unit, Path]] | int:
    """New objects of the units whose calls are led to stubs; the compiler's exit status where it
    fails."""
    before = [unit.llvm_ir for unit in units]
    after = redirected_modules(before, offloads)
    replaced = []
    for number, (unit, text) in enumerate(zip(units, after, strict=True)):
        if text != unit.llvm_ir:
            output = folder / f"module{number}.o"
            status = _compile_module(text, unit, output, cxx)
            if status:
                return status
            replaced.append((unit, output))
    return replaced


def _with_replaced(words: Sequence[str], replaced: Sequence[tuple[Unit, Path]]) -> list[str]:
    """The words of a link with new objects: in the place of the old ones, or before the archive
    whose member is not taken then, as all that it defines is there."""
    result = list(words)
    for unit, output in reversed(replaced):
        end = unit.position if unit.is_member else unit.position + 1
        result[unit.position : end] = [str(output)]
    return result


def _our_object(text: str, output: Path) -> Path:
    """An object of a module of ours."""
    source = write_module(text, output.with_suffix(".ll"))
    run_clang([*NATIVE_FLAGS, "-c", source, "-o", output])
    return output


def _compile(
    call: Invocation, units: Sequence[Unit], platform: Path, folder: Path
) -> list[Offload]:
    device = read_platform(platform)["devices"][0]
    target, clock_ps = find_target(device["target"]), device["clock_ps"]
    offloads = []
    for name in _functions(call, units):
        files = tuple(unit.file for unit in units)
        program = Program(files[0].path, files, modules=tuple(unit.llvm_ir for unit in units))
        compiled = compile_kernel(program, name, target, clock_ps, slower_clock=True)
        package = write_package(compiled, folder / f"{compiled.kernel.name}.tandem", models=CALLED)
        offloads.append(Offload(compiled, package))
    return offloads


def _functions(call: Invocation, units: Sequence[Unit]) -> list[str]:
    """The functions to offload. Raises UserError where the command line names some, and Tandem made
    no object."""
    if call.is_demand and not units:
        raise _no_units(call)
    if call.is_demand:
        return list(call.offloads)
    modules = [unit.llvm_ir for unit in units]
    found = [name for name in call.offloads if is_defined(modules, name)]
    for name in (name for name in call.offloads if name not in found):
        text = f"TANDEM_OFFLOAD names `{name}`, which this program does not have: linked without it"
        print(Diagnostic("no-function", text, severity="note"), file=sys.stderr)
    return found


def _no_units(call: Invocation) -> UserError:
    return user_error(
        "no-function",
        f"no object that `tandem cc` made defines {', '.join(call.offloads)}",
        help="compile the file that defines it with `tandem cc -c`",
    )


def _compile_module(text: str, unit: Unit, output: Path, cxx: bool) -> int:
    source = write_module(text, output.with_suffix(".ll"))
    flags = [
        flag
        for flag in unit.file.flags
        if flag.startswith(_KEPT_FLAGS) and not flag.startswith(_NOT_KEPT)
    ]
    words = [*flags, "-fPIC", "-fno-sanitize=undefined", "-c", str(source), "-o", str(output)]
    return run_compiler(words, cxx)
