# SPDX-License-Identifier: Apache-2.0
"""Building the two shared objects of a package: native.so (the C, and the schedule's cycle count)
and rtl.so (the RTL, and the loop that feeds it)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.ir.kernel import Argument, Kernel
from tandem.models.harness import harness_c
from tandem.models.timing import timing_c
from tandem.rtl.circt import to_model
from tandem.rtl.emit import Hardware
from tandem.schedule.scheduler import KernelSchedule

# No vector code: clang 22's vectoriser for AVX-512 gave wrong values for integers of odd widths
# that lie side by side in the model's state, and bought no speed (bench "simulate").
MODEL_FLAGS = ["-O2", "-fno-slp-vectorize", "-fno-vectorize", "-fno-sanitize=undefined", "-fPIC"]


def exported(text: str, name: str) -> str:
    """LLVM IR text in which the function `name` can be linked to, static or not."""
    pattern = rf"^define internal (.*@{re.escape(name)}\()"
    return re.sub(pattern, r"define \1", text, flags=re.M)


def c_parameter(argument: Argument) -> str:
    """The C declaration of an argument, as wide as the caller passes it."""
    kind = "void *" if argument.kind != "scalar" else f"{argument.c_type} "
    return f"{kind}{argument.name}"


def prototype(kernel: Kernel, name: str) -> str:
    """The kernel's C prototype, under another name."""
    result = next((a for a in kernel.arguments if a.is_result), None)
    parameters = ", ".join(c_parameter(a) for a in kernel.arguments if a is not result) or "void"
    return f"{result.c_type if result else 'void'} {name}({parameters})"


def trampoline(kernel: Kernel, callee: str) -> str:
    """The C expression statement that calls `callee` on `data[]`."""
    uses = []
    result = ""
    for i, argument in enumerate(kernel.arguments):
        if argument.kind != "scalar":
            uses.append(f"data[{i}]")
        elif argument.direction == "out":
            result = f"*({argument.c_type} *)data[{i}] = "
        else:
            uses.append(f"*({argument.c_type} *)data[{i}]")
    return f"{result}{callee}({', '.join(uses)});"


def build_native(
    schedule: KernelSchedule,
    hardware: Hardware,
    modules: Sequence[str],
    folder: Path,
    work: Path,
    flags: Sequence[str] = (),
) -> None:
    """native.so from the LLVM IR of the kernel's C files; `flags`: the project's own, which win."""
    kernel = schedule.kernel
    inputs = []
    for i, text in enumerate(modules):
        inputs.append(work / f"native{i}.ll")
        inputs[-1].write_text(exported(text, kernel.name))
    glue = work / "native_glue.c"
    glue.write_text(
        timing_c(schedule, hardware.fifo_depths)
        + f"\n{prototype(kernel, kernel.name)};\n\nvoid tandem_native(void *const data[])\n"
        + f"{{\n    (void)data;\n    {trampoline(kernel, kernel.name)}\n}}\n"
    )
    run_clang(
        [
            *NATIVE_FLAGS,
            *flags,
            "-shared",
            "-std=c2x",
            "-Wl,-Bsymbolic",
            str(glue),
            *map(str, inputs),
            "-o",
            str(folder / "native.so"),
        ]
    )


def build_rtl(schedule: KernelSchedule, hardware: Hardware, folder: Path, work: Path) -> None:
    """rtl.so: CIRCT's model of the RTL and its harness."""
    code = to_model(hardware.model_text)
    model, harness = work / "rtl_model.ll", work / "rtl_harness.c"
    model.write_text(code.llvm_ir)
    harness.write_text(harness_c(schedule.kernel, code, hardware.fixed))
    run_clang(
        [
            *MODEL_FLAGS,
            "-shared",
            str(harness),
            str(model),
            "-o",
            str(folder / "rtl.so"),
        ]
    )
