# SPDX-License-Identifier: Apache-2.0
"""Building the application for this machine: its C files as they are, one function replaced."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tandem.compiler import Compiled
from tandem.diagnostics import Diagnostic, InternalError
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.host.stub import ORIGINAL, stub_c
from tandem.installation import DATA, ENGINE


def build_executable(compiled: Compiled, package: Path, output: Path) -> Path:
    """The application with `package` inside and the stub in place of the function.

    Raises UserError with the linker's or compiler's errors."""
    kernel = compiled.kernel
    if not ENGINE.is_file():
        raise InternalError(Diagnostic("engine-missing", f"the engine is not at {ENGINE}"))
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        work = Path(folder)
        inputs = [work / "stub.c"]
        inputs[0].write_text(stub_c(kernel, package))
        for i, text in enumerate(compiled.modules):
            inputs.append(work / f"application{i}.ll")
            inputs[-1].write_text(with_call_replaced(text, kernel.name))
        run_clang(
            [
                *NATIVE_FLAGS,
                compiled.program.optimisation,
                "-std=c2x",
                f"-I{DATA / 'include'}",
                *map(str, inputs),
                "-o",
                str(output),
                f"-L{ENGINE.parent}",
                "-ltandem",
                f"-Wl,-rpath,{ENGINE.parent}",
                "-Wl,--allow-shlib-undefined",
                *compiled.program.link,
                "-lm",
            ]
        )
    return output


def with_call_replaced(text: str, name: str) -> str:
    """LLVM IR text in which the definition of `name` is called `tandem_original_of_<name>`, and
    every call goes to an external `name`, the stub."""
    pattern = re.compile(rf"^define (.*?)@{re.escape(name)}\((.*)\)(.*)\{{$", re.M)
    found = pattern.search(text)
    if not found:
        return text
    before, parameters, after = found[1].replace("internal ", ""), found[2], found[3]
    renamed = f"define {before}@{ORIGINAL}{name}({parameters}){after}{{"
    kinds = ", ".join(_without_name(p) for p in _split(parameters))
    returned = re.sub(r"\b(dso_local|hidden|internal)\s*", "", before)
    text = text[: found.start()] + renamed + text[found.end() :]
    return f"{text}\ndeclare {returned}@{name}({kinds})\n"


def _split(parameters: str) -> Sequence[str]:
    return [p for p in parameters.split(", ") if p]


def _without_name(parameter: str) -> str:
    return re.sub(r"\s*%[\w.]+$", "", parameter)
