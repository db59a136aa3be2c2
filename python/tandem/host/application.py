# SPDX-License-Identifier: Apache-2.0
"""Building the application for this machine: its C files as they are, some functions replaced."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.compiler import Compiled
from tandem.diagnostics import Diagnostic, InternalError
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.program import Program
from tandem.frontend.symbols import declares, definition, redirected
from tandem.host.stub import original_name, package_link, stub_name, stubs_c
from tandem.installation import DATA, ENGINE


@dataclass(frozen=True)
class Offload:
    """A compiled function and the folder of its package."""

    compiled: Compiled
    package: Path


def build_executable(program: Program, offloads: Sequence[Offload], output: Path) -> Path:
    """The application with the packages inside and a stub in place of each function.

    Raises UserError with the linker's or compiler's errors."""
    if not ENGINE.is_file():
        raise InternalError(Diagnostic("engine-missing", f"the engine is not at {ENGINE}"))
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        inputs = _inputs(offloads, Path(folder))
        run_clang(
            [
                *NATIVE_FLAGS,
                program.optimisation,
                "-std=c2x",
                f"-I{DATA / 'include'}",
                *map(str, inputs),
                "-o",
                output,
                f"-L{ENGINE.parent}",
                "-ltandem",
                f"-Wl,-rpath,{ENGINE.parent}",
                "-Wl,--allow-shlib-undefined",
                *program.link,
                "-lm",
            ]
        )
    return output


def _inputs(offloads: Sequence[Offload], work: Path) -> list[Path]:
    """The stubs' C and the application's modules, calls redirected."""
    for number, offload in enumerate(offloads):
        (work / package_link(number)).symlink_to(offload.package.resolve())
    stubs = work / "stubs.c"
    stubs.write_text(stubs_c([offload.compiled.kernel for offload in offloads]))
    modules = offloads[0].compiled.modules
    for number, offload in enumerate(offloads):
        modules = with_call_replaced(modules, offload.compiled.kernel.name, number)
    inputs = [stubs]
    for i, text in enumerate(modules):
        inputs.append(work / f"application{i}.ll")
        inputs[-1].write_text(text, encoding="utf-8", errors="surrogateescape")
    return inputs


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
            names = original_name(number), stub_name(number)
            text = redirected(text, name, *names, make_visible=i == visible)
        result.append(text)
    return result
