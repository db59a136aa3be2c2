# SPDX-License-Identifier: Apache-2.0
"""What is around a chip on a board, as Verilog: module `board`, with its pins and its clock."""

from __future__ import annotations

from typing import Any

from tandem.chip.flows.flow import Clocks, Flow
from tandem.diagnostics import user_error

HIGH = "high_pin"
"""Ports of a board that have to be high."""
_BOARD = """// {title}
module board (
  input  clock_pin,
  output uart_pin,
  output lamp_pin{high_ports}
);
{clock}
  reg [7:0] up = 0;
  wire reset = ~&up;
  always @(posedge clk) if (reset) up <= up + 1'b1;
  wire trap;
{high}  assign lamp_pin = {lamp};
  soc chip (.clk(clk), .reset(reset), .uart_tx(uart_pin), .trap(trap));
endmodule
"""


def board_verilog(chip: dict[str, Any], board: dict[str, Any], flow: Flow) -> str:
    """The Verilog of module `board`. Raises UserError for a clock that its PLL does not make."""
    high = [port for port in board_pins(board) if port.startswith(HIGH)]
    return _BOARD.format(
        title=board["title"],
        high_ports="".join(f",\n  output {port}" for port in high),
        high="".join(f"  assign {port} = 1'b1;\n" for port in high),
        lamp="~(reset | trap)" if board["lamp"]["lit"] else "reset | trap",
        clock=_clock(clocks_of(chip, board), flow),
    )


def clocks_of(chip: dict[str, Any], board: dict[str, Any]) -> Clocks:
    """What the board has, and what the chip is to have."""
    return Clocks(board["clock"]["mhz"], chip["clock_hz"] / 1e6)


def board_pins(board: dict[str, Any]) -> dict[str, str]:
    """The pins of module `board`, by port."""
    pins = {f"{part}_pin": board[part]["pin"] for part in ("clock", "uart", "lamp")}
    return pins | {f"{HIGH}{i}": p for i, p in enumerate(board.get("high", {}).get("pins", []))}


def _clock(clocks: Clocks, flow: Flow) -> str:
    if clocks.chip_mhz == clocks.board_mhz:
        return "  wire clk = clock_pin;"
    pll = flow.pll(clocks)
    if pll is None:
        raise user_error(
            "board-clock",
            f"no PLL setting makes {clocks.chip_mhz:g} MHz of the board's {clocks.board_mhz:g}",
            help=f"choose the board's own (--set chip.clock={clocks.board_mhz:g}MHz) or a clock "
            "that is a simple ratio of it",
        )
    return pll
