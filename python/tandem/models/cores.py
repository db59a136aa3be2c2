# SPDX-License-Identifier: Apache-2.0
"""Processor cores as models of their RTL, for the engine's `cores/rtl`: which Verilog, with which
parameters, and which of its signals the engine looks at."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tandem.cache.builds import contents, open_cache
from tandem.cache.recipe import fingerprint
from tandem.diagnostics import Diagnostic, InternalError, user_error
from tandem.models.verilator import (
    CLASS,
    SHARED,
    Compiler,
    Watch,
    fastest_model,
    link_model,
    model_cpp,
    verilate,
)
from tandem.platforms.engine import c_interface
from tandem.rtl.ports import Signal


@dataclass(frozen=True)
class CoreRtl:
    """A core's Verilog: the package that has it, its file there and its module; parameters; the
    ports, and the signals within that are made visible, each with its bits. Of an array they are
    those of an element."""

    package: str
    file: str
    module: str
    parameters: Mapping[str, int]
    ports: Mapping[str, int]
    inside: Mapping[str, int]


def _wishbone(bus: str) -> dict[str, int]:
    """The ports of one of VexRiscv's buses; addresses are those of words."""
    signals = {"CYC": 1, "STB": 1, "ACK": 1, "WE": 1, "ADR": 30, "SEL": 4, "CTI": 3}
    return {f"{bus}Wishbone_{name}": bits for name, bits in signals.items()} | {
        f"{bus}Wishbone_DAT_MISO": 32,
        f"{bus}Wishbone_DAT_MOSI": 32,
    }


def _vexriscv(file: str) -> CoreRtl:
    return CoreRtl(
        package="pythondata_cpu_vexriscv",
        file=f"verilog/{file}",
        module="VexRiscv",
        parameters={},
        ports={
            "clk": 1,
            "reset": 1,
            "externalResetVector": 32,
            "timerInterrupt": 1,
            "softwareInterrupt": 1,
            "externalInterruptArray": 32,
            **_wishbone("iBus"),
            **_wishbone("dBus"),
        },
        inside={
            "lastStageIsFiring": 1,
            "lastStagePc": 32,
            "lastStageRegFileWrite_valid": 1,
            "lastStageRegFileWrite_payload_address": 5,
            "lastStageRegFileWrite_payload_data": 32,
            "RegFilePlugin_regFile": 32,
            "CsrPlugin_hadException": 1,
            "CsrPlugin_exceptionPortCtrl_exceptionContext_code": 4,
            "CsrPlugin_exceptionPortCtrl_exceptionContext_badAddr": 32,
        },
    )


CORES = {
    "vexriscv": _vexriscv("VexRiscv.v"),
    "vexriscv-lite": _vexriscv("VexRiscv_Lite.v"),
    "picorv32": CoreRtl(
        package="pythondata_cpu_picorv32",
        file="verilog/picorv32.v",
        module="picorv32",
        # For an ECP5 at 50 MHz: shifts and products in a few cycles, from LUTs and DSP blocks that
        # the device has; programs of two thirds the size. `engine/src/cores/picorv32.rs` counts
        # the cycles of just these.
        parameters={
            "ENABLE_COUNTERS": 1,
            "ENABLE_COUNTERS64": 1,
            "ENABLE_REGS_DUALPORT": 1,
            "BARREL_SHIFTER": 1,
            "TWO_CYCLE_COMPARE": 0,
            "TWO_CYCLE_ALU": 0,
            "COMPRESSED_ISA": 1,
            "CATCH_MISALIGN": 1,
            "CATCH_ILLINSN": 1,
            "ENABLE_FAST_MUL": 1,
            "ENABLE_DIV": 1,
            "ENABLE_IRQ": 0,
            # Whose pins are low if there is nothing beside the core.
            "ENABLE_PCPI": 1,
        },
        ports={
            "clk": 1,
            "resetn": 1,
            "trap": 1,
            "mem_valid": 1,
            "mem_instr": 1,
            "mem_ready": 1,
            "mem_addr": 32,
            "mem_wdata": 32,
            "mem_wstrb": 4,
            "mem_rdata": 32,
            "pcpi_valid": 1,
            "pcpi_insn": 32,
            "pcpi_rs1": 32,
            "pcpi_rs2": 32,
            "pcpi_wr": 1,
            "pcpi_rd": 32,
            "pcpi_ready": 1,
        },
        inside={
            "launch_next_insn": 1,
            "cpuregs_write": 1,
            "cpuregs_wrdata": 32,
            "latched_rd": 5,
            "cpuregs": 32,
            "reg_pc": 32,
            "cpu_state": 8,
            "instr_ecall_ebreak": 1,
        },
    ),
}
"""By name."""

INSIDE = Watch(includes=f'#include "{CLASS}___024root.h"')
"""What the C++ wants to see what is inside of a model."""


def build_core(name: str, output: Path, work: Path, compiler: Compiler | None = None) -> None:
    """Makes the shared object `output` from the RTL of a core; `compiler` defaults to
    `fastest_model()`. Verilator's run-time library is compiled once in each folder `work`.

    Raises UserError when there is no such core, its package or Verilator is missing, and
    InternalError when Verilator or the compiler rejects it."""
    core = _core(name)
    folder = work / name
    visible = work / f"{name}.vlt"
    work.mkdir(parents=True, exist_ok=True)
    visible.write_text(_visible(core))
    parameters = [f"-G{parameter}={value}" for parameter, value in core.parameters.items()]
    # VexRiscv's own marks in its source would keep the module from being one with the model.
    options = [*parameters, "--public-ignore", str(visible)]
    verilate(_verilog(core), core.module, folder, options)
    model = folder / "model.cpp"
    model.write_text(model_cpp(_places(name, core), INSIDE))
    link_model(folder, model, output, compiler or fastest_model(), SHARED)


def core_model(name: str, folder: Path) -> Path:
    """The fastest model of a core's RTL: one of an earlier run, if there is a cache of builds, or
    one that is built in `folder`.

    Raises as `build_core`."""
    core, cache = _core(name), open_cache()
    # The code is made for this very machine.
    facts = [name, fingerprint(), platform.uname()]
    facts += [importlib.metadata.version(tool) for tool in ("verilator", "ziglang")]
    recipe = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    found = cache.find(recipe) if cache else None
    if found is not None and (found / MODEL).is_file():
        return found / MODEL
    read = contents([_verilog(core)])
    output = folder / f"{name}.build" / MODEL
    output.parent.mkdir(parents=True, exist_ok=True)
    build_core(name, output, folder)
    if cache and contents([_verilog(core)]) == read:
        cache.store(recipe, read, output.parent)
    return output


MODEL = "rtl.so"
"""The file of a build."""


def _core(name: str) -> CoreRtl:
    if name not in CORES:
        raise user_error(
            "core", f"unknown core `{name}`", help=f"known are: {', '.join(sorted(CORES))}"
        )
    return CORES[name]


def core_verilog(name: str) -> Path:
    """The file of a core's Verilog. Raises UserError as `build_core`."""
    return _verilog(_core(name))


def _verilog(core: CoreRtl) -> Path:
    found = importlib.util.find_spec(core.package)
    if found is None or not found.submodule_search_locations:
        raise user_error(
            "core-missing",
            f"the core's package {core.package} is not installed",
            help="pip install 'tandem-accel[chip]'",
        )
    return Path(found.submodule_search_locations[0]) / core.file


def _visible(core: CoreRtl) -> str:
    """Verilator's configuration, which shows what is inside without another source."""
    rows = [f'public_flat_rd -module "{core.module}" -var "{name}"\n' for name in core.inside]
    return "`verilator_config\n" + "".join(rows)


def _places(name: str, core: CoreRtl) -> list[tuple[Signal, str]]:
    """The signals that the engine looks at, and where each is in Verilator's model."""
    inner = {signal: f"rootp->{core.module}__DOT__{signal}" for signal in core.inside}
    return [
        (Signal(signal, name, "signal", "", bits, None), inner.get(signal, signal))
        for signal, bits in {**core.ports, **core.inside}.items()
    ]


@dataclass(frozen=True)
class Programs:
    """Programs for a lockstep: `programs` random ones, of about `instructions` each before its
    loops, from `seed` on; or, with `words`, that one at address 0. Memory lets the cores wait for
    up to `most_first_cycles`, and `most_interval_cycles` between words of a burst; what a program
    gets of that follows from its seed (one in four waits for nothing). Interrupts come
    up to `interrupts_until_cycle`, where a core has them. `speed_cycles`: how many
    each core then makes alone, to tell how fast it is."""

    programs: int = 1
    instructions: int = 1000
    seed: int = 0
    limit_cycles: int = 1_000_000
    most_first_cycles: int = 3
    most_interval_cycles: int = 2
    interrupts_until_cycle: int = 0
    words: Sequence[int] = ()
    speed_cycles: int = 0


@dataclass(frozen=True)
class Lockstep:
    """What a lockstep has come to: how many programs ran, and how many came to their end;
    instructions that retired alike on both, and cycles; the first difference, or "", and the seed
    of its program. Cycles a second of each alone, where they were asked for. Of the last program
    `registers`, x0 to x31 of the model, and `trap`, why it stopped for good (`cycle`, `pc`,
    `cause`, `address`), if it did."""

    programs: int
    ended: int
    instructions: int
    cycles: int
    seed: int
    difference: str
    seconds: float
    model_hertz: float
    rtl_hertz: float
    registers: Sequence[int]
    trap: Mapping[str, int | str] | None


REPORT_BYTES = 1 << 16
"""More than any report has."""


def lockstep(core: str, rtl: Path | None, programs: Programs) -> Lockstep:
    """Runs programs on the engine's model of a core and on its RTL `rtl`, cycle by cycle; without
    RTL on the model alone, up to the limit of cycles.

    Raises InternalError when the engine cannot."""
    ffi, lib = c_interface()
    request = {"core": core, "rtl": str(rtl or ""), **asdict(programs)}
    report = ffi.new("char[]", REPORT_BYTES)
    if lib.tandem_lockstep(json.dumps(request).encode(), report, REPORT_BYTES) < 0:
        raise InternalError(Diagnostic("lockstep", ffi.string(lib.tandem_error()).decode()))
    return Lockstep(**json.loads(ffi.string(report).decode()))


@dataclass(frozen=True)
class Contents:
    """A memory: its words from `base` on; cycles from a request to its acknowledgement, and from
    one word of a burst to the next."""

    base: int
    words: Sequence[int]
    wait_cycles: int = 0
    burst_cycles: int = 1


@dataclass(frozen=True)
class CoreTrace:
    """What a program has done: the address of each instruction and the cycle in which it retired;
    at its end the cycle, the registers, and the words of the memories; why the core has stopped by
    itself, if it has."""

    instructions: list[tuple[int, int]]
    cycle: int
    registers: list[int]
    memories: list[list[int]]
    trap: str | None


REGISTERS = 32


def trace_core(
    core: str,
    memories: Sequence[Contents],
    instructions: int,
    *,
    pc: int = 0,
    registers: Sequence[int] = (),
    strongarm: Mapping[str, int] | None = None,
    microblaze: Mapping[str, int] | None = None,
    step_cycles: int = 0,
) -> CoreTrace:
    """Runs so many instructions on the engine's model of a core, from `pc` on, with these registers
    at the beginning (zero, where there are fewer; of an ARM, the 17th is the status). `strongarm`,
    `microblaze`: how one is made, if otherwise than docs/chips.md says. `step_cycles`: how many it
    is told to go on for at a time, which makes no difference; 0 for all at once.

    Raises InternalError when the engine cannot."""
    filled = [*registers, *[0] * (REGISTERS - len(registers))]
    request = {
        "core": core,
        "strongarm": dict(strongarm or {}),
        "microblaze": dict(microblaze or {}),
        "pc": pc,
        "registers": filled,
        "memories": [asdict(memory) for memory in memories],
        "instructions": instructions,
        "step_cycles": step_cycles,
    }
    ffi, lib = c_interface()
    text = json.dumps(request).encode()
    room = lib.tandem_trace_core(text, ffi.NULL, 0) + 1
    report = ffi.new("char[]", max(room, 1))
    if lib.tandem_trace_core(text, report, room) < 0:
        raise InternalError(Diagnostic("trace", ffi.string(lib.tandem_error()).decode()))
    found = json.loads(ffi.string(report).decode())
    rows = [(pc, cycle) for pc, cycle in found.pop("instructions")]
    return CoreTrace(instructions=rows, **found)
