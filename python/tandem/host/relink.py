# SPDX-License-Identifier: Apache-2.0
"""Linking a project's objects with some of its functions offloaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tandem.compiler import compile_kernel, find_target
from tandem.diagnostics import UserError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.libraries import library_modules
from tandem.frontend.program import Program
from tandem.host.application import (
    Offload,
    build_stubs,
    engine_flags,
    redirected_modules,
    replaced_in,
    write_module,
)
from tandem.host.driver import Invocation, Unit, compiled_inputs, run_compiler
from tandem.host.engine import find_platform, read_platform
from tandem.manifest import CALLED
from tandem.package import write_package

# What a link takes of a file's own flags to compile its changed module.
_KEPT_FLAGS = ("-O", "-g", "-m", "-f", "-pthread")
_NOT_KEPT = ("-flto",)


def link(call: Invocation) -> int:
    """Links; the compiler's exit status. Raises UserError where a function cannot be offloaded."""
    with temporary_folder() as folder:
        found = compiled_inputs(call, folder)
        if isinstance(found, int):
            return found
        platform = find_platform(call.platform)
        offloads = _compile(call, found.units, platform, folder)
        words = list(found.words)
        for unit, text in zip(found.units, _redirected(found.units, offloads), strict=True):
            if text is not None:
                replaced = folder / f"module{len(words)}-{unit.object.name}"
                status = _compile_module(text, unit, replaced, call.cxx)
                if status:
                    return status
                words = [str(replaced) if w == str(unit.object) else w for w in words]
        for number, text in enumerate(library_modules(replaced_in(offloads))):
            words.append(str(_our_object(text, folder / f"mathematics{number}.o")))
        stubs = build_stubs(offloads, folder, platform)
        return run_compiler([*words, str(stubs), *engine_flags()], call.cxx)


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
    files = tuple(unit.file for unit in units)
    if not files:
        raise _no_units(call)
    program = Program(files[0].path, files, modules=tuple(unit.llvm_ir for unit in units))
    offloads = []
    for name in call.offloads:
        compiled = compile_kernel(program, name, target, clock_ps, slower_clock=True)
        package = write_package(compiled, folder / f"{compiled.kernel.name}.tandem", models=CALLED)
        offloads.append(Offload(compiled, package))
    return offloads


def _no_units(call: Invocation) -> UserError:
    return user_error(
        "no-function",
        f"no object that `tandem cc` made defines {', '.join(call.offloads)}",
        help="compile the file that defines it with `tandem cc -c`; objects inside an archive do "
        "not count",
    )


def _redirected(units: Sequence[Unit], offloads: Sequence[Offload]) -> list[str | None]:
    """Each module with calls led to stubs; None where there is nothing to lead."""
    before = [unit.llvm_ir for unit in units]
    after = redirected_modules(before, offloads)
    return [None if a == b else a for a, b in zip(after, before, strict=True)]


def _compile_module(text: str, unit: Unit, output: Path, cxx: bool) -> int:
    source = write_module(text, output.with_suffix(".ll"))
    flags = [
        flag
        for flag in unit.file.flags
        if flag.startswith(_KEPT_FLAGS) and not flag.startswith(_NOT_KEPT)
    ]
    words = [*flags, "-fPIC", "-fno-sanitize=undefined", "-c", str(source), "-o", str(output)]
    return run_compiler(words, cxx)
