# SPDX-License-Identifier: Apache-2.0
"""A user's module against the C that it stands for, before it becomes part of a package: Icarus
gives it other operands in every cycle, and its results are to be the C's, `latency` cycles later.
"""

from __future__ import annotations

import re
import signal
import struct
import subprocess
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random

from tandem.children import captured
from tandem.diagnostics import InternalError
from tandem.files import temporary_folder
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.symbols import renamed
from tandem.ir.kernel import Macro
from tandem.ir.ops import mask
from tandem.models.c_interface import prototype
from tandem.models.icarus import BENCH, compiled, run_tool
from tandem.rtl.macros import verilog_of
from tandem.rtl.text import told_name

RANDOM_TRIALS, MOST_CORNERS = 4096, 1024
SLACK_CYCLES = 64
"""How many cycles later than declared a result is looked for, to tell what the latency is."""
MOST_SECONDS = 120

DATA_ONLY = "a macro has registers and logic, and nothing that ends or holds up a simulation"

Operands = tuple[int, ...]

FUNCTION = "tandem_function"
_MAIN = """#include <stdint.h>
#include <stdio.h>
{prototype};
int main(void)
{{
    uint64_t v[{count}];
    while (fread(v, sizeof v, 1, stdin) == 1) {{
        printf("%llx\\n", (unsigned long long)({result})({call}));
        fflush(stdout);
    }}
    return 0;
}}
"""
_BENCH = """module tandem_bench;
  reg clock = 0;
  reg [{bits}:0] rows [0:{last}];
  reg [{bits}:0] row;
  wire [{result_bits}:0] result;
  integer cycle;
  {module} macro({connections}, .clock(clock), .result(result));
  initial begin
    $readmemh("rows", rows);
    for (cycle = 0; cycle < {cycles}; cycle = cycle + 1) begin
      row = rows[cycle % {count}];
      #1 $display("tandem %h", result);
      clock = 1;
      #1 clock = 0;
    end
    $finish;
  end
endmodule
"""
_PORT = re.compile(r'\.port_info \d+ /(INPUT|OUTPUT|INOUT) (\d+) "([^"]+)";')


def check_macros(macros: Sequence[Macro], kernel: str) -> None:
    """Raises UserError where a macro's module is not there, has other ports than the C has
    parameters, or computes something else, or later or sooner than it says; where two files, or one
    and the module `kernel`, have modules of one name; and where Icarus is missing."""
    for macro in macros:
        _check(macro)
    if macros:
        _check_names(macros, kernel)


def _check_names(macros: Sequence[Macro], kernel: str) -> None:
    with temporary_folder() as work:
        design = work / "macros.sv"
        design.write_text(f"{verilog_of(macros)}\nmodule {kernel}(); endmodule\n")
        try:
            compiled(kernel, [Path(design.name)], work, MOST_SECONDS)
        except InternalError as error:
            text = f"its Verilog cannot be in one design with all else: {_said(error)}"
            cure = f"give modules other names than those of other macros' and than `{kernel}`"
            raise macros[-1].error(text, cure) from None


def _said(error: InternalError) -> str:
    """What Icarus says, in one line."""
    return "; ".join(error.diagnostics[0].message.split("\n"))


def _check(macro: Macro) -> None:
    with temporary_folder() as work:
        verilog = work / "macro.sv"
        verilog.write_text(macro.verilog)
        _check_ports(macro, verilog, work)
        trials = list(_trials(macro))
        wanted = _of_c(macro, trials, work)
        _compare(macro, trials, wanted, _of_module(macro, trials, verilog, work))


def _shown(macro: Macro, operands: Operands) -> str:
    """A call, as a reader of the C knows it."""
    named = zip(macro.parameters, operands, strict=True)
    return f"{macro.name}({', '.join(f'{name} = {value:#x}' for (name, _), value in named)})"


# -- ports --------------------------------------------------------------------------------------


def _check_ports(macro: Macro, verilog: Path, work: Path) -> None:
    wanted = {"clock": ("INPUT", 1), "result": ("OUTPUT", macro.width)}
    wanted |= {name: ("INPUT", width) for name, width in macro.parameters}
    ports = _ports(macro, verilog, work)
    words = ", ".join(
        f"{way.lower()} {f'[{bits - 1}:0] ' if bits > 1 else ''}{name}"
        for name, (way, bits) in wanted.items()
    )
    cure = f"its ports are to be: {words}"
    for name, (way, bits) in wanted.items():
        if name not in ports:
            raise macro.error(f"module `{macro.module}` has no port `{name}`", cure)
        if ports[name] != (way, bits):
            found = f"an {ports[name][0].lower()} of {ports[name][1]} bits"
            text = f"port `{name}` of module `{macro.module}` is {found}"
            raise macro.error(text, cure)
    if more := [name for name in ports if name not in wanted]:
        text = f"module `{macro.module}` has a port `{more[0]}` that the C has no parameter for"
        raise macro.error(text, cure)


def _ports(macro: Macro, verilog: Path, work: Path) -> dict[str, tuple[str, int]]:
    """Port -> its direction and its bits, as Icarus understands the file."""
    try:
        simulation = compiled(macro.module, [Path(verilog.name)], work, MOST_SECONDS)
    except InternalError as error:
        said = _said(error).replace(verilog.name, told_name(macro.file))
        if "Unable to find the root module" in said:
            text, cure = (
                f"`{told_name(macro.file)}` has no module `{macro.module}`",
                'say which with `module "N"`',
            )
        else:
            text, cure = (
                f"Icarus cannot read `{told_name(macro.file)}`: {said}",
                "one file holds all of a macro",
            )
        raise macro.error(text, cure) from None
    text = simulation.read_text(errors="replace")
    scopes = re.split(r"^S_\w+ \.scope ", text, flags=re.M)
    own = next(s for s in scopes if s.startswith(f'module, "{macro.module}" "{macro.module}"'))
    return {name: (way, int(bits)) for way, bits, name in _PORT.findall(own)}


# -- operands and results -----------------------------------------------------------------------


def _trials(macro: Macro) -> Iterator[Operands]:
    """Corners of all parameters together, then numbers of any size."""
    chance = Random(macro.name)
    widths = [width for _, width in macro.parameters]
    corners = [sorted({0, 1, mask(w), mask(w - 1), mask(w - 1) + 1}) for w in widths]
    together = product(*corners)
    yield from (row for row, _ in zip(together, range(MOST_CORNERS), strict=False))
    for _ in range(RANDOM_TRIALS):
        yield tuple(
            chance.getrandbits(w) >> chance.choice((0, 0, 0, chance.randrange(w))) for w in widths
        )


def _of_c(macro: Macro, trials: Sequence[Operands], work: Path) -> list[int]:
    """What the C makes of the operands. Raises UserError where it stops."""
    body = macro.body
    kinds = [a.c_type for a in body.arguments if a.is_parameter]
    uses = ", ".join(f"({kind})v[{i}]" for i, kind in enumerate(kinds))
    result = f"uint{max(8, macro.width)}_t"
    text = _MAIN.format(
        prototype=prototype(body, FUNCTION),
        count=len(kinds),
        result=result,
        call=f"{FUNCTION}({uses})",
    )
    main, function, program = work / "main.c", work / "function.ll", work / "function"
    main.write_text(text)
    code = renamed(macro.llvm_ir, {macro.name: FUNCTION})
    function.write_text(code, errors="surrogateescape")
    run_clang([*NATIVE_FLAGS, main, function, "-o", program])
    given = b"".join(struct.pack(f"={len(kinds)}Q", *row) for row in trials)
    try:
        done = captured([program], given=given, most_seconds=MOST_SECONDS)
    except subprocess.TimeoutExpired as error:
        found = len((error.stdout or b"").split())
        raise _stopped(macro, trials[found], "does not end") from error
    results = [int(word, 16) & mask(macro.width) for word in done.stdout.split()]
    if len(results) < len(trials):
        name = signal.Signals(-done.returncode).name if done.returncode < 0 else "exit"
        raise _stopped(macro, trials[len(results)], f"stops ({name})")
    return results


def _stopped(macro: Macro, operands: Operands, what: str) -> Exception:
    cure = "hardware computes it where the C does not, too: give it a value for all operands"
    return macro.error(f"the C {what} at {_shown(macro, operands)}", cure)


def _of_module(macro: Macro, trials: Sequence[Operands], verilog: Path, work: Path) -> list[str]:
    """What the module's result is in each cycle, in hexadecimal."""
    rows, connections, low = [0] * len(trials), [], 0
    for i, (name, width) in enumerate(macro.parameters):
        rows = [row | operands[i] << low for row, operands in zip(rows, trials, strict=True)]
        connections.append(f".{name}(row[{low + width - 1}:{low}])")
        low += width
    (work / "rows").write_text("\n".join(f"{row:x}" for row in rows))
    bench = work / "bench.sv"
    bench.write_text(
        _BENCH.format(
            bits=low - 1,
            last=len(trials) - 1,
            result_bits=macro.width - 1,
            module=macro.module,
            connections=", ".join(connections),
            cycles=len(trials) + macro.latency + SLACK_CYCLES,
            count=len(trials),
        )
    )
    try:
        simulation = compiled(BENCH, [bench, verilog], work, MOST_SECONDS)
        printed = run_tool(["vvp", "-n", simulation.name], work, MOST_SECONDS)
    except InternalError as error:
        said = _said(error)
        raise macro.error(
            f"module `{macro.module}` cannot be simulated: {said}", DATA_ONLY
        ) from None
    found = re.findall(r"^tandem (\S+)$", printed, re.M)
    if len(found) != len(trials) + macro.latency + SLACK_CYCLES:
        text = f"the simulation of module `{macro.module}` broke off"
        raise macro.error(text, DATA_ONLY)
    return found


def _compare(
    macro: Macro, trials: Sequence[Operands], wanted: Sequence[int], found: Sequence[str]
) -> None:
    digits = -(-macro.width // 4)
    words = [f"{value:0{digits}x}" for value in wanted]

    def fits(latency: int) -> bool:
        return all(found[i + latency] == word for i, word in enumerate(words))

    if fits(macro.latency):
        return
    others = [cycles for cycles in range(macro.latency + SLACK_CYCLES + 1) if fits(cycles)]
    if others:
        text = (
            f"module `{macro.module}` gives the result of the C after {_cycles(others[0])}, not "
            f"after {_cycles(macro.latency)}"
        )
        cure = (
            f"write `latency {others[0]}`" if others[0] else "put a register in front of `result`"
        )
        raise macro.error(text, cure)
    at = next(i for i, word in enumerate(words) if found[i + macro.latency] != word)
    got = found[at + macro.latency]
    gives = "unknown bits" if not re.fullmatch("[0-9a-f]+", got) else ""
    text = (
        f"for {_shown(macro, trials[at])} the C gives {wanted[at]:#x}, and module "
        f"`{macro.module}` {f'{gives} ({got})' if gives else f'{int(got, 16):#x}'} "
        f"{_cycles(macro.latency)} later"
    )
    raise macro.error(text, "correct the module, its latency, or the C: nothing else is packaged")


def _cycles(count: int) -> str:
    return f"{count} cycle{'' if count == 1 else 's'}"
