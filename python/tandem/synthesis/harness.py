# SPDX-License-Identifier: Apache-2.0
"""A wrapper that lets a module of any port width be placed and timed alone.

All inputs come from one shift register and all outputs are registered, then folded by XOR into
one bit, four to one a stage with a register between. So the part's pins neither limit the width
nor appear in the timing: every path through the module runs from register to register.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import synthesis_error

HARNESS = "tandem_harness"
INSTANCE = "design"
"""What the harness calls the wrapped module."""
FOLD = 4  # inputs of one XOR: one LUT


@dataclass(frozen=True)
class Port:
    """A port of the wrapped module; `direction` is `input` or `output`."""

    name: str
    direction: str
    width_bits: int


def harness_text(top: str, ports: Sequence[Port], clock: str) -> str:
    """Verilog of the module `tandem_harness` around `top`.

    Raises SynthesisError when `top` has no input `clock`, no output, or a port of another
    direction.
    """
    _check(top, ports, clock)
    inputs = [p for p in ports if p.direction == "input" and p.name != clock]
    outputs = [p for p in ports if p.direction == "output"]
    width_in = sum(p.width_bits for p in inputs)
    lines = [
        f"module {HARNESS}(input clk, input shift, input serial_in, output serial_out);",
        *_shift_register(width_in),
        *_capture(sum(p.width_bits for p in outputs)),
        f"  {top} {INSTANCE}({_connections(clock, inputs, outputs)});",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def _check(top: str, ports: Sequence[Port], clock: str) -> None:
    if not any(p.name == clock and p.direction == "input" for p in ports):
        raise synthesis_error(
            "no-clock", f"{top} has no input named {clock}", help="name the clock input"
        )
    if not any(p.direction == "output" for p in ports):
        raise synthesis_error("no-output", f"{top} has no output, so nothing of it would remain")
    for port in ports:
        if port.direction not in ("input", "output"):
            raise synthesis_error("port-direction", f"{top}.{port.name} is {port.direction}")


def _shift_register(width_bits: int) -> list[str]:
    """The enable matters: without it yosys merges the module's own delay lines into it."""
    if not width_bits:
        return []
    return [
        f"  reg [{width_bits - 1}:0] in_q;",
        "  always @(posedge clk) if (shift) in_q <= {in_q, serial_in};",
    ]


def _capture(width_bits: int) -> list[str]:
    lines = [
        f"  wire [{width_bits - 1}:0] out;",
        f"  reg [{width_bits - 1}:0] fold0;",
        "  always @(posedge clk) fold0 <= out;",
    ]
    stage = 0
    while width_bits > 1:
        lines += _fold(stage, width_bits)
        width_bits = -(-width_bits // FOLD)
        stage += 1
    return [*lines, f"  assign serial_out = fold{stage}[0];"]


def _fold(stage: int, width_bits: int) -> list[str]:
    folded_bits = -(-width_bits // FOLD)
    lines = [f"  reg [{folded_bits - 1}:0] fold{stage + 1};", "  always @(posedge clk) begin"]
    for bit in range(folded_bits):
        low, high = bit * FOLD, min(bit * FOLD + FOLD, width_bits) - 1
        lines.append(f"    fold{stage + 1}[{bit}] <= ^fold{stage}[{high}:{low}];")
    return [*lines, "  end"]


def _connections(clock: str, inputs: Sequence[Port], outputs: Sequence[Port]) -> str:
    parts = [f".{clock}(clk)", *_slices("in_q", inputs), *_slices("out", outputs)]
    return ", ".join(parts)


def _slices(vector: str, ports: Sequence[Port]) -> list[str]:
    low, parts = 0, []
    for port in ports:
        parts.append(f".{port.name}({vector}[{low + port.width_bits - 1}:{low}])")
        low += port.width_bits
    return parts
