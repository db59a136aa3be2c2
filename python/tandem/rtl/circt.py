# SPDX-License-Identifier: Apache-2.0
"""Running CIRCT: hardware text -> Verilog, and hardware text -> LLVM IR of a model."""

from __future__ import annotations

import importlib
import io
import re
from dataclasses import dataclass
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError
from tandem.garbage import uncollected
from tandem.rtl.emit import Hardware
from tandem.rtl.layout import arrange
from tandem.rtl.readable import readable
from tandem.stages import stage

# The bindings are made at run time: no types.
circt: Any = importlib.import_module("pycde.circt")
ir: Any = importlib.import_module("pycde.circt.ir")
passmanager: Any = importlib.import_module("pycde.circt.passmanager")

VERILOG_OPTIONS = "locationInfoStyle=plain,disallowLocalVariables,emittedLineLength=120"
# Tables become nested ?: because yosys does not read packed array literals. Memories first lower to
# generic memory modules, then to plain arrays of registers.
VERILOG_PASSES = (
    "hw.module(hw-aggregate-to-comb)",
    "hw.module(canonicalize,cse)",
    "lower-seq-firmem",
    "lower-seq-to-sv{disable-reg-randomization}",
    "hw-memory-sim{disable-mem-randomization disable-reg-randomization}",
    "hw.module(prettify-verilog)",
)
# The order that CIRCT's own arcilator runs, without arc-infer-state-properties: that pass rewrites
# an arc for one of its users although arc-dedup made others share it, which gave wrong values
# (tests/kernels/find_byte.c). And without arc-canonicalizer behind arc-lower-state, where
# operations have an order: of `a ? x : b & x` it makes an `or` in front of what that reads
# (tests/test_random_pointers.py). The print before the last step shows where each signal lies in
# the model's state.
MODEL_PASSES = (
    "hw.module(canonicalize,cse,lower-seq-compreg-ce),lower-seq-firmem",
    "arc-strip-sv,arc-infer-memories,cse,arc-canonicalizer",
    "convert-to-arcs,arc-dedup,hw-flatten-modules,cse,arc-canonicalizer",
    "arc-split-loops,arc-dedup,cse,arc-canonicalizer,arc-make-tables,cse,arc-canonicalizer",
    "arc-lower-state,arc-inline,cse,arc-merge-ifs,cse",
    "arc-lower-arcs-to-funcs,arc.model(arc-allocate-state),arc-lower-clocks-to-funcs,cse",
)
_KEEPING = ("convert-to-arcs", "convert-to-arcs{tap-registers=true}")
LLVM_PASSES = "hw-convert-bitcasts,convert-comb-to-arith,lower-arc-to-llvm,cse"

_PORT = re.compile(r'arc\.root_(?:input|output) "([^"]+)", %\w+ \{offset = (\d+)')
_MEMORY = re.compile(
    r'arc\.alloc_memory %\w+ \{name = "(\w+)_ext", offset = (\d+) : i32, stride = (\d+) : i32\}'
)
_REGISTER = re.compile(
    r'arc\.alloc_state %\w+ \{name = "([^"/]+)", offset = (\d+) : i32\} : \(!arc\.storage\) -> '
    r"!arc\.state<i(\d+)>"
)
"""Names with strokes are those of memories' ports."""
_STORAGE = re.compile(r"storageBytes (\d+)|!arc\.storage<(\d+)>")


@dataclass(frozen=True)
class ModelCode:
    """A model as LLVM IR: `<name>_eval(ptr state)` computes one half of a clock cycle. `offsets`:
    where each port lies in the state, in bytes; `memories`: where each memory does, and how many
    bytes a word of it takes; `registers`: where each register does, and its bits, if it was asked
    for; `state_bytes`: the state's size."""

    llvm_ir: str
    offsets: dict[str, int]
    memories: dict[str, tuple[int, int]]
    registers: dict[str, tuple[int, int]]
    state_bytes: int
    has_initial: bool


def _module(text: str, attributes: str = "") -> Any:
    return ir.Module.parse(f"module {attributes} {{\n{text}\n}}\n")


def _run(module: Any, passes: str) -> None:
    passmanager.PassManager.parse(f"builtin.module({passes})").run(module.operation)


def _failed(what: str, error: Exception) -> InternalError:
    return InternalError(Diagnostic("circt", f"CIRCT cannot {what}: {error}"))


@stage("verilog")
@uncollected()
def to_verilog(hardware: Hardware) -> str:
    """SystemVerilog that Verilator, yosys and Icarus read."""
    context = ir.Context()
    circt.register_dialects(context)
    with context, ir.Location.unknown():
        try:
            module = _module(
                hardware.verilog_text, f'attributes {{circt.loweringOptions = "{VERILOG_OPTIONS}"}}'
            )
            for step in VERILOG_PASSES:
                _run(module, step)
            arrange(module, hardware.stages)
            out = io.StringIO()
            circt.export_verilog(module, out)
        except Exception as error:
            raise _failed("write Verilog", error) from error
    told = "\n".join(map(_with_c_lines, out.getvalue().split("\n")))
    return readable(told, {hardware.name: hardware.first_bits})


def _with_c_lines(line: str) -> str:
    """A line of Verilog with the places in the C that it comes from; those in the hardware text,
    whose file is `-`, are left out."""
    code, comment, places = line.partition("\t// ")
    if not comment:
        return line
    kept: list[str] = []
    file, told = "", ""
    for place in places.split(", "):
        name, _, number = place.partition(":")
        file = name or file
        if file != "-":
            kept.append(f":{number}" if file == told else f"{file}:{number}")
            told = file
    return f"{code}  // {', '.join(kept)}" if kept else code


@uncollected()
def to_model(text: str, *, keeps_registers: bool = False) -> ModelCode:
    """A cycle-accurate model as LLVM IR; with all registers of the Verilog under their names, or
    with those alone that it needs."""
    context = ir.Context()
    circt.register_dialects(context)
    with context, ir.Location.unknown():
        try:
            module = _module(text)
            for step in MODEL_PASSES:
                _run(module, step.replace(*(_KEEPING if keeps_registers else ("", ""))))
            allocated = str(module)
            _run(module, LLVM_PASSES)
            out = io.StringIO()
            circt.export_llvm_ir(module, out)
        except Exception as error:
            raise _failed("make a model", error) from error
    llvm_ir = out.getvalue()
    if "_eval" not in llvm_ir:  # export_llvm_ir writes nothing, and does not raise, when it fails
        raise _failed("make a model", RuntimeError("no code was written"))
    size = next(int(a or b) for a, b in _STORAGE.findall(allocated))
    offsets = {name: int(offset) for name, offset in _PORT.findall(allocated)}
    memories = {name: (int(at), int(stride)) for name, at, stride in _MEMORY.findall(allocated)}
    found = _REGISTER.findall(allocated) if keeps_registers else []
    registers = {name: (int(at), int(bits)) for name, at, bits in found}
    return ModelCode(llvm_ir, offsets, memories, registers, size, "_initial" in llvm_ir)
