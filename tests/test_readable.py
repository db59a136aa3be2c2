# SPDX-License-Identifier: Apache-2.0
"""The Verilog as it is read: lines, the order in modules, and what things are called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.frontend.program import Program
from tandem.frontend.value_names import name_values
from tandem.llvm.module import edited
from tandem.rtl.circt import to_verilog
from tandem.rtl.readable import WIDTH, readable
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
APPLICATIONS = Path(__file__).with_name("applications")

FROM_CIRCT = """module m(
  input  clk,
  output q
);

  reg  [2:0] way_end;
  reg        plain;
  (* ram_style = "block" *)
  reg  [7:0] cells[0:3];
  wire       made =
    way_end
    | plain;  // a.c:3
  always_ff @(posedge clk) begin
    if (plain)
      way_end <= {way_end[1:0],
                  plain};  // a.c:3, b.c:4
  end // always_ff @(posedge)

  // second
  always_comb begin
    case (made)
      2'b00:
        chosen = 4'hE;
      default:
        chosen = 4'h0;
    endcase
  end // always_comb
  inner one (
    .clk (clk),
    .in  ({way_end[2],
           plain})
  );
endmodule
"""

READABLE = """module m(
  input  clk,
  output q
);
  reg [3:1] way_end;
  reg plain;
  (* ram_style = "block" *)
  reg [7:0] cells[0:3];
  wire made = way_end | plain;  // a.c:3
  always_ff @(posedge clk) begin
    if (plain)
      way_end <= {way_end[2:1], plain};  // a.c:3, b.c:4
  end

  // second
  always_comb begin
    case (made)
      2'b00: chosen = 4'hE;
      default: chosen = 4'h0;
    endcase
  end
  inner one (.clk (clk), .in ({way_end[3], plain}));
endmodule
"""


def test_lines_are_filled() -> None:
    assert readable(FROM_CIRCT, {"m": {"way_end": 1}}) == READABLE


@pytest.mark.parametrize("names", [40, 400])
def test_a_long_statement_has_lines_of_the_width(names: int) -> None:
    items = [f"name_{number}[0]" for number in range(names)]
    told = "\n".join(f"     {item}," for item in items[:-1])
    text = f"module m();\n  assign x =\n    {{\n{told}\n     {items[-1]}}};\nendmodule\n"
    made = readable(text, {})
    assert re.sub(r"\s", "", made) == re.sub(r"\s", "", text)
    assert max(map(len, made.split("\n"))) <= WIDTH
    assert made.count("\n") < 2 * len(made) / WIDTH + 5


@pytest.fixture(scope="module")
def sobel(target: Target) -> Compiled:
    program = Program.of(APPLICATIONS / "sobel.c")
    return compile_kernel(program, "sobel", target, CLOCK_PS, slower_clock=True)


def test_the_registers_of_a_cycle_are_written_together(sobel: Compiled) -> None:
    text = to_verilog(sobel.hardware)
    told = re.findall(r"\n\n  // (.*)\n", text)
    assert told[0].startswith("Control") and told[-1] == "Ports"
    assert len(set(told)) == len(told)
    inside = text[text.index("\nmodule sobel(") :]
    # Where one of a stage is reset, and another is not, there are two.
    assert len(told) - 1 <= inside.count("always_ff") <= len(told) + 1


def test_enables_are_enables(sobel: Compiled) -> None:
    assert not re.search(r"(\w+) <= [^;]*\?[^;]*: \1;", to_verilog(sobel.hardware))


def test_values_are_called_as_variables(sobel: Compiled) -> None:
    assert re.search(r"\bmagnitude\w* <?= ", to_verilog(sobel.hardware))


def test_what_is_only_written_is_not_read(sobel: Compiled) -> None:
    text = to_verilog(sobel.hardware)
    assert "dst_write_data" in text and "dst_read" not in text


def test_names_go_from_variables_to_what_is_stored() -> None:
    given = """define void @f(i32 %n, i32 %0, i32 %1, i32 %2, i32 %mul, ptr %elsewhere) {
  %n.addr = alloca i32, align 4
  %sum = alloca i32, align 4
  %small = alloca i8, align 1
  %add = add i32 %0, %1
  store i32 %add, ptr %sum, align 4
  %add1 = add i32 %add, 1
  %conv = trunc i32 %add1 to i8
  store i8 %conv, ptr %small, align 1
  %shr = lshr i32 %2, 1
  store i32 %shr, ptr %n.addr, align 4
  %mine = add i32 %2, 1
  store i32 %mine, ptr %sum, align 4
  store i32 %mul, ptr %elsewhere, align 4
  ret void
}
"""
    made = edited(given, name_values)
    assert made is not None
    for before, after in [
        ("%add ", "%sum.add "),
        ("%add,", "%sum.add,"),
        ("%add1 ", "%small.add1 "),
        ("%conv ", "%small.conv "),
        ("%shr ", "%n.shr "),
    ]:
        assert before in given and before not in made and after in made
    assert "%mine," in made and "%mul," in made and "ptr %n.addr" in made
