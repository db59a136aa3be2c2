# SPDX-License-Identifier: Apache-2.0
"""Building the two shared objects of a package: native.so (the C, and what is known of a call
before it happens) and rtl.so (the RTL, and the loop that feeds it)."""

from __future__ import annotations

from pathlib import Path

from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.symbols import renamed
from tandem.models.ahead import ahead_c
from tandem.models.c_interface import prototype, trampoline
from tandem.models.harness import harness_c
from tandem.rtl.circt import to_model
from tandem.rtl.emit import Hardware
from tandem.schedule.scheduler import KernelSchedule

# No vector code: clang 22's vectoriser for AVX-512 gave wrong values for integers of odd widths
# that lie side by side in the model's state, and bought no speed (bench "simulate").
MODEL_FLAGS = ["-O2", "-fno-slp-vectorize", "-fno-vectorize", "-fno-sanitize=undefined", "-fPIC"]


FUNCTION = "tandem_function"


def build_native(
    schedule: KernelSchedule, hardware: Hardware, function_ir: str, folder: Path, work: Path
) -> None:
    """native.so; `function_ir`: the LLVM IR of the function and all that it calls."""
    kernel = schedule.kernel
    function = work / "function.ll"
    function.write_text(renamed(function_ir, kernel.name, FUNCTION), errors="surrogateescape")
    glue = work / "ahead.c"
    glue.write_text(
        ahead_c(schedule, hardware.fifo_depths)
        + f"\n{prototype(kernel, FUNCTION)};\n\nvoid tandem_native(void *const data[])\n"
        + f"{{\n    (void)data;\n    {trampoline(kernel, FUNCTION)}\n}}\n"
    )
    run_clang(
        [
            *NATIVE_FLAGS,
            "-shared",
            "-std=c2x",
            "-Wl,-Bsymbolic",
            str(glue),
            str(function),
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
