# SPDX-License-Identifier: Apache-2.0
"""Icarus Verilog as the third opinion on the emitted Verilog: a test bench around the kernel, with
the pacing and counting rules of the engine's own (engine/src/harness.rs), for one call.

Icarus knows unknown bits, so a value that depends on a register that was never written shows here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tandem.children import captured
from tandem.diagnostics import Diagnostic, InternalError, user_error
from tandem.files import temporary_folder
from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.manifest import verilog_files
from tandem.models.run import Outcome
from tandem.rtl.ports import (
    PROTOCOLS,
    RESET_CYCLES,
    Signal,
    protocols_of,
    signals_of,
    stem_of,
)
from tandem.rtl.ports.served import Lines, Served
from tandem.rtl.text import module_name

LIMIT_CYCLES = 1 << 20
BENCH = "tandem_bench"
"""The module around what is simulated."""

_BENCH = """module tandem_bench;
{declarations}
  {name} dut({connections});

  task finish(input integer status);
    begin
{writes}      $display("tandem %0d %0d{result_format}", status, tb_cycles{result});
      $finish;
    end
  endtask

  initial begin
{reads}    tb_cycles = 0; tb_failed = 0; reset = 1; start = 0;
    repeat ({reset_cycles}) begin clk = 0; #1 clk = 1; #1; end
    reset = 0; start = 1;
    repeat ({limit}) begin
{before}      clk = 0; #1;
      tb_cycles = tb_cycles + 1;
{after}      if (tb_failed) finish(-1);
      if (done === 1'b1) finish(1);
      clk = 1; #1;
{late}      start = 0;
    end
    finish(0);
  end
endmodule
"""


def run_icarus(
    rows: Sequence[Mapping[str, Any]],
    kernel: Kernel,
    verilog: Path,
    values: Mapping[str, Any],
    intervals: Mapping[str, int] | None = None,
    limit_cycles: int = LIMIT_CYCLES,
) -> Outcome:
    """Runs one call of `kernel`. `rows`: the manifest's arguments; `values`: name -> int or bytes;
    `intervals`: cycles between two records of a stream, 1 where not given.

    Raises UserError when Icarus is missing; InternalError when it rejects the Verilog, when the
    kernel leaves its buffers or does not end within `limit_cycles`, or when a bit that it wrote is
    unknown."""
    data = {row["name"]: _bytes_of(row, values) for row in rows}
    with temporary_folder() as work:
        for argument in _arrays(kernel):
            _write_cells(work, argument, data[argument.name])
        bench = work / "bench.sv"
        bench.write_text(bench_sv(kernel, data, intervals or {}, limit_cycles))
        printed = _simulate(bench, verilog_files(verilog.resolve()), work)
        return _outcome(kernel, data, printed, work)


def _bytes_of(row: Mapping[str, Any], values: Mapping[str, Any]) -> bytes:
    value = values.get(row["name"], 0)
    if not isinstance(value, int):
        return bytes(value)
    size = row["element_bytes"]
    return (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def _arrays(kernel: Kernel) -> list[Argument]:
    return [argument for argument in kernel.arguments if argument.memory is not None]


def _element_bytes(argument: Argument) -> int:
    assert argument.memory is not None
    return argument.memory.element_bits // 8


# -- the test bench -----------------------------------------------------------------------------


def bench_sv(
    kernel: Kernel,
    data: Mapping[str, bytes],
    intervals: Mapping[str, int],
    limit_cycles: int,
) -> str:
    """The test bench of one call, which reads and writes a file of cells for each array."""
    signals = signals_of(kernel)
    lines: Lines = {key: [] for key in ("reads", "before", "after", "late")}
    declarations = [_declaration(signal) for signal in signals]
    declarations.append("reg [63:0] tb_cycles; reg tb_failed;")
    writes = []
    for argument in kernel.arguments:
        name = argument.name
        served = Served(argument, stem_of(argument), data.get(name, b""), intervals.get(name, 1))
        if argument.memory is not None:
            declarations.append(_cells(served))
            lines["reads"].append(f'$readmemh("{name}.in", {served.tb}_cells);')
            writes.append(f'$writememh("{name}.out", {served.tb}_cells);')
        for protocol in protocols_of(kernel, argument):
            PROTOCOLS[protocol].serve(served, lines)
    result = any(signal.protocol == "result" for signal in signals)
    return _BENCH.format(
        name=module_name(kernel.name),
        declarations=_indented(declarations, 2),
        connections=", ".join(f".{signal.name}({signal.name})" for signal in signals),
        writes=_indented(writes, 6),
        reset_cycles=RESET_CYCLES,
        limit=limit_cycles,
        result=", result" if result else "",
        result_format=" %h" if result else "",
        **{key: _indented(text, 4 if key == "reads" else 6) for key, text in lines.items()},
    )


def _indented(lines: Sequence[str], spaces: int) -> str:
    return "".join(f"{' ' * spaces}{line}\n" for line in lines)


def _declaration(signal: Signal) -> str:
    return f"{'reg' if signal.direction == 'in' else 'wire'} [{signal.bits - 1}:0] {signal.name};"


def _cells(served: Served) -> str:
    """What is behind an array's ports, and what of it is on its way."""
    memory, tb = served.argument.memory, served.tb
    assert memory is not None
    return (
        f"reg [{memory.element_bits - 1}:0] {tb}_cells [0:{max(served.count, 1) - 1}], {tb}_word; "
        f"reg {tb}_moves; integer {tb}_at = 0, {tb}_wait = 0;"
    )


# -- files and tools ----------------------------------------------------------------------------


def _write_cells(work: Path, argument: Argument, data: bytes) -> None:
    """The array as $readmemh reads it; an empty one has one cell that nobody asks for."""
    size = _element_bytes(argument)
    words = [data[i : i + size][::-1].hex() for i in range(0, len(data) // size * size, size)]
    (work / f"{argument.name}.in").write_text("\n".join(words or ["0"]) + "\n")


def _read_cells(work: Path, argument: Argument, before: bytes) -> bytes:
    size = _element_bytes(argument)
    lines = (work / f"{argument.name}.out").read_text().splitlines()
    words = [line for line in lines if line and not line.startswith("//")]
    cells = [_known_bytes(word, size, argument.name) for word in words[: len(before) // size]]
    return b"".join(cells) + before[len(before) // size * size :]


def _known_bytes(digits: str, size: int, name: str) -> bytes:
    try:
        return int(digits, 16).to_bytes(size, "little")
    except ValueError:
        raise InternalError(Diagnostic("icarus", f"unknown bits in `{name}`: {digits}")) from None


def _simulate(bench: Path, verilog: Sequence[Path], work: Path) -> list[str]:
    """The words of the test bench's line: status, cycles and, where there is one, the result."""
    simulation = compiled(BENCH, [bench, *verilog], work)
    printed = run_tool(["vvp", "-n", simulation.name], work)
    found = re.search(r"^tandem (.*)$", printed, re.M)
    if found is None:
        raise InternalError(Diagnostic("icarus", f"the simulation broke off: {printed[-2000:]}"))
    return found[1].split()


def compiled(
    top: str, verilog: Sequence[Path], work: Path, most_seconds: float | None = None
) -> Path:
    """Module `top` as Icarus runs it. Raises as `run_tool`."""
    words = ["iverilog", "-g2012", "-s", top, "-o", f"{top}.vvp", *map(str, verilog)]
    run_tool(words, work, most_seconds)
    return work / f"{top}.vvp"


def run_tool(command: Sequence[str], work: Path, most_seconds: float | None = None) -> str:
    """What one of Icarus's programs prints. Raises UserError where it is missing, InternalError
    where it fails, or takes longer."""
    if shutil.which(command[0]) is None:
        raise user_error(
            "icarus-missing",
            f"Icarus Verilog (`{command[0]}`) is not installed",
            help="install your distribution's `iverilog` package",
        )
    try:
        done = captured(command, cwd=work, most_seconds=most_seconds)
    except subprocess.TimeoutExpired as error:
        text = f"{command[0]} has not ended after {most_seconds} s"
        raise InternalError(Diagnostic("icarus", text)) from error
    out, errors = (stream.decode(errors="replace") for stream in (done.stdout, done.stderr))
    if done.returncode:
        text = (errors or out).strip()[-2000:]
        raise InternalError(Diagnostic("icarus", f"{command[0]} failed: {text}"))
    return out


def _outcome(
    kernel: Kernel, before: Mapping[str, bytes], printed: Sequence[str], work: Path
) -> Outcome:
    status, cycles = int(printed[0]), int(printed[1])
    if status < 0:
        raise InternalError(Diagnostic("outside-buffer", "the RTL left its buffers"))
    if status == 0:
        raise InternalError(Diagnostic("rtl-hangs", f"the RTL has not ended after {cycles} cycles"))
    data = dict(before)
    for argument in _arrays(kernel):
        data[argument.name] = _read_cells(work, argument, before[argument.name])
    if len(printed) > 2:
        data["result"] = _known_bytes(printed[2], len(before["result"]), "result")
    return Outcome(data, cycles)
