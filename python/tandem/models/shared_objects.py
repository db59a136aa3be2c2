# SPDX-License-Identifier: Apache-2.0
"""Building the shared objects of a package: ahead.so (what is known of a call before it happens),
function.so (the C function, for programs that have none) and rtl.so (the RTL, and its port map)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.symbols import renamed, without_constructors
from tandem.installation import data_file
from tandem.ir.argument import Variable
from tandem.ir.kernel import Kernel
from tandem.ir.processes import has_polls
from tandem.manifest import Registers
from tandem.models.ahead import ahead_c
from tandem.models.c_interface import prototype, trampoline
from tandem.models.parts import in_parts
from tandem.models.rtl_model import eval_name, rtl_model_c
from tandem.rtl.circt import to_model
from tandem.rtl.emit import Hardware
from tandem.schedule.scheduled import KernelSchedule

# No vector code: clang 22's vectoriser for AVX-512 gave wrong values for integers of odd widths
# that lie side by side in the model's state, and bought no speed (bench "simulate").
MODEL_FLAGS = ["-O2", "-fno-slp-vectorize", "-fno-vectorize", "-fno-sanitize=undefined", "-fPIC"]

# A walk is one long function without numbers side by side: looking for them took minutes where a
# kernel has ten thousand operations.
WALK_FLAGS = ["-fno-slp-vectorize"]

# LLVM's time for a walk grows with its branches times its variables: minutes, above so many lines.
MOST_OPTIMISED_LINES = 100_000
AS_WRITTEN = ["-O0"]

# What nobody steps through has no lines: for functions of ten thousand variables, which they are,
# telling of them took four fifths of the time, and 5 GB.
NO_LINES = ["-g0"]

FUNCTION, VARIABLE = "tandem_original", "tandem_variable"


def build_ahead(
    schedule: KernelSchedule,
    hardware: Hardware,
    as_imported: Kernel,
    folder: Path,
    work: Path,
    *,
    loops: bool = False,
) -> None:
    """ahead.so: nothing of the program's own is in it. `loops`: whether it tells when each loop is
    entered and left."""
    source = work / "ahead.c"
    text = ahead_c(schedule, hardware.fifo_depths, as_imported, loops=loops)
    source.write_text(text)
    flags = [*WALK_FLAGS, *AS_WRITTEN] if text.count("\n") > MOST_OPTIMISED_LINES else WALK_FLAGS
    _link([*flags, source], folder / "ahead.so", work)


def build_function(kernel: Kernel, function_ir: str, folder: Path, work: Path) -> None:
    """function.so; `function_ir`: the LLVM IR of the function and all that it calls. What else the
    program does when it begins and ends is no part of it."""
    shared = {i: a.variable for i, a in enumerate(kernel.arguments) if a.variable is not None}
    names = {variable.symbol: f"{VARIABLE}{i}" for i, variable in shared.items()}
    text = without_constructors(renamed(function_ir, {kernel.name: FUNCTION, **names}))
    function, around = work / "function.ll", work / "function.c"
    function.write_text(text, errors="surrogateescape")
    around.write_text(_function_c(kernel, shared, text))
    _link([around, function], folder / "function.so", work)


def _link(sources: Sequence[str | Path], output: Path, work: Path) -> None:
    """A shared object of which only our own names are seen: what it calls otherwise is its own, and
    nobody else calls what is in it."""
    names = work / "names.map"
    names.write_text("{ global: tandem_*; local: *; };\n")
    flags = ["-shared", "-std=c2x", "-Wl,-Bsymbolic", f"-Wl,--version-script={names}"]
    flags += ["-isystem", str(data_file("include", ""))]
    run_clang([*NATIVE_FLAGS, *NO_LINES, *flags, *sources, "-o", output])


_KNOW_C = """
#include "tandem/stream.h"

void tandem_know(const struct tandem_answers_ *processes, uint32_t count)
{
    tandem_known_ = (struct tandem_known_){processes, count, 0};
}
"""
"""What has the processes of the C be given the hardware's answers to their polls."""


def _function_c(kernel: Kernel, shared: Mapping[int, Variable], text: str) -> str:
    """`tandem_function`: the C on the arguments, and on copies of the program's variables, which
    are not those of the C itself. `text`: its LLVM IR, which does not define them all."""
    declared = ["#include <stdint.h>", "#include <string.h>", prototype(kernel, FUNCTION) + ";"]
    before, after = ["(void)data;"], []
    for i, variable in shared.items():
        external = f"@{VARIABLE}{i} = external " in text
        # Of an array whose size it sees, clang takes for granted that it is aligned.
        own = f"_Alignas(16) char {VARIABLE}{i}[{variable.bytes}];"
        declared.append(own if external else f"extern char {VARIABLE}{i}[];")
        before.append(f"memcpy({VARIABLE}{i}, data[{i}], {variable.bytes});")
        after.append(f"memcpy(data[{i}], {VARIABLE}{i}, {variable.bytes});")
    if has_polls(kernel):
        declared.append(_KNOW_C)
    body = "\n    ".join([*before, trampoline(kernel, FUNCTION), *after])
    return "\n".join(
        [*declared, "", f"void tandem_function(void *const data[])\n{{\n    {body}\n}}\n"]
    )


def build_rtl(
    schedule: KernelSchedule,
    hardware: Hardware,
    folder: Path,
    work: Path,
    registers: Registers = "needed",
) -> None:
    """rtl.so: CIRCT's model of the RTL and its port map; `registers`: which it has."""
    code = to_model(hardware.model_text, keeps_registers=registers != "needed")
    model, around = work / "rtl_model.ll", work / "rtl_model.c"
    model.write_text(in_parts(code.llvm_ir, eval_name(schedule.kernel)))
    around.write_text(rtl_model_c(schedule.kernel, code, hardware, registers))
    flags = [*MODEL_FLAGS, *NO_LINES, "-shared"]
    run_clang([*flags, str(around), str(model), "-o", str(folder / "rtl.so")])
