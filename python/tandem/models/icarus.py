# SPDX-License-Identifier: Apache-2.0
"""Icarus Verilog as the third opinion on the emitted Verilog: a test bench around the kernel, with
the pacing and counting rules of `tandem.models.harness`, for one call.

Icarus knows unknown bits, so a value that depends on a register that was never written shows here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError, user_error
from tandem.ir.kernel import Argument, Kernel
from tandem.manifest import verilog_files
from tandem.models.harness import RESET_CYCLES
from tandem.models.run import Outcome
from tandem.models.verilator import require_ports
from tandem.rtl.text import module_name, port_name

LIMIT_CYCLES = 1 << 20
BENCH = "tandem_bench"
"""The module around what is simulated."""

_PORTS = r"^module {name}\(\n(.*?)\n\);"
_PORT = re.compile(r"(?:(input|output)\s+)?(?:\[(\d+):0\]\s*)?(\w+)")

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
    with tempfile.TemporaryDirectory(prefix="tandem-icarus-") as folder:
        work = Path(folder)
        for argument in _arrays(kernel):
            _write_cells(work, argument, data[argument.name])
        bench = work / "bench.sv"
        bench.write_text(bench_sv(kernel, verilog.read_text(), data, intervals or {}, limit_cycles))
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
    verilog: str,
    data: Mapping[str, bytes],
    intervals: Mapping[str, int],
    limit_cycles: int,
) -> str:
    """The test bench of one call, which reads and writes a file of cells for each array."""
    ports = _ports(module_name(kernel.name), verilog)
    require_ports(kernel, ports)
    lines: dict[str, list[str]] = {key: [] for key in ("before", "after", "late")}
    declarations = [_declaration(name, *port) for name, port in ports.items()]
    declarations.append("reg [63:0] tb_cycles; reg tb_failed;")
    reads = [_constant(a, data[a.name]) for a in kernel.arguments if a.op is not None]
    writes = []
    for argument in _arrays(kernel):
        name, count = argument.name, len(data[argument.name]) // _element_bytes(argument)
        declarations.append(_cells(argument, count))
        reads.append(f'$readmemh("{name}.in", tb_{name}_cells);')
        writes.append(f'$writememh("{name}.out", tb_{name}_cells);')
        _service(argument, count, intervals.get(name, 1), ports, lines)
    result = "result" in ports
    return _BENCH.format(
        name=module_name(kernel.name),
        declarations=_indented(declarations, 2),
        connections=", ".join(f".{name}({name})" for name in ports),
        writes=_indented(writes, 6),
        reads=_indented(reads, 4),
        reset_cycles=RESET_CYCLES,
        limit=limit_cycles,
        result=", result" if result else "",
        result_format=" %h" if result else "",
        **{key: _indented(text, 6) for key, text in lines.items()},
    )


def _indented(lines: Sequence[str], spaces: int) -> str:
    return "".join(f"{' ' * spaces}{line}\n" for line in lines)


def _ports(name: str, verilog: str) -> dict[str, tuple[str, int]]:
    """Port name -> its direction and its width in bits, from the module's header."""
    header = re.search(_PORTS.format(name=re.escape(name)), verilog, re.M | re.S)
    if header is None:
        raise InternalError(Diagnostic("icarus", f"the Verilog has no module `{name}`"))
    ports, direction, width = {}, "", 1
    for declared, high, port in _PORT.findall(header[1]):
        if declared or high:
            direction, width = declared or direction, int(high or 0) + 1
        ports[port] = (direction, width)
    return ports


def _declaration(name: str, direction: str, width: int) -> str:
    return f"{'reg' if direction == 'input' else 'wire'} [{width - 1}:0] {name};"


def _constant(argument: Argument, value: bytes) -> str:
    """The port of a scalar or a block, the same during the whole call."""
    number = int.from_bytes(value, "little") & ((1 << argument.width) - 1)
    return f"{port_name(argument.name)} = {argument.width}'h{number:x};"


def _cells(argument: Argument, count: int) -> str:
    assert argument.memory is not None
    width, name = argument.memory.element_bits, argument.name
    return (
        f"reg [{width - 1}:0] tb_{name}_cells [0:{max(count, 1) - 1}], tb_{name}_word; "
        f"reg tb_{name}_moves; integer tb_{name}_at = 0, tb_{name}_wait = 0;"
    )


def _service(
    argument: Argument,
    count: int,
    interval: int,
    ports: Mapping[str, Any],
    lines: dict[str, list[str]],
) -> None:
    """What the device's memory does for one array in every cycle."""
    assert argument.memory is not None
    kind, port = argument.memory.kind, argument.memory.name
    tb = f"tb_{argument.name}"
    if kind == "external":
        _service_port(port, tb, count, ports, lines)
        return
    if kind == "stream_in":
        lines["before"] += [
            f"{tb}_moves = {tb}_wait == 0 && {tb}_at < {count}; {port}_valid = {tb}_moves;",
            f"if ({tb}_moves) {port}_data = {tb}_cells[{tb}_at];",
        ]
        taken = [f"if ({tb}_moves && {port}_ready === 1'b1) begin {tb}_at = {tb}_at + 1;"]
    else:
        lines["before"].append(f"{tb}_moves = {tb}_wait == 0; {port}_ready = {tb}_moves;")
        taken = [
            f"if ({tb}_moves && {port}_valid === 1'b1) begin",
            f"  if ({tb}_at == {count}) tb_failed = 1;",
            f"  else begin {tb}_cells[{tb}_at] = {port}_data; {tb}_at = {tb}_at + 1; end",
        ]
    lines["after"] += [
        *taken,
        f"  {tb}_wait = {interval - 1};",
        f"end else if ({tb}_wait > 0) {tb}_wait = {tb}_wait - 1;",
    ]


def _service_port(
    port: str, tb: str, count: int, ports: Mapping[str, Any], lines: dict[str, list[str]]
) -> None:
    """A memory port: reads see what was there before this cycle's write, one cycle later."""
    lines["after"] += [
        f"{tb}_moves = {port}_read_enable === 1'b1 && {port}_read_index < {count};",
        f"if ({tb}_moves) {tb}_word = {tb}_cells[{port}_read_index];",
    ]
    lines["late"].append(f"if ({tb}_moves) {port}_read_data = {tb}_word;")
    if f"{port}_write_enable" in ports:
        index = f"{port}_write_index"
        lines["after"] += [
            f"if ({port}_write_enable === 1'b1)",
            f"  if ({index} < {count}) {tb}_cells[{index}] = {port}_write_data;",
            "  else tb_failed = 1;",
        ]


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
        done = subprocess.run(
            command,
            cwd=work,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=most_seconds,
        )
    except subprocess.TimeoutExpired as error:
        text = f"{command[0]} has not ended after {most_seconds} s"
        raise InternalError(Diagnostic("icarus", text)) from error
    if done.returncode:
        text = (done.stderr or done.stdout).strip()[-2000:]
        raise InternalError(Diagnostic("icarus", f"{command[0]} failed: {text}"))
    return done.stdout


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
