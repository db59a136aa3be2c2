# SPDX-License-Identifier: Apache-2.0
"""Verilog of the small circuits whose clock rate tells the delay of an operator.

A chain is `length` operators in a row. Each operator is a module of its own, which keeps yosys from
merging two of them, and every output bit feeds the next one, which keeps it from dropping any. The
operands that do not come from the operator before are inputs, registered by the harness.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

TOP = "chain"
WIDE_BITS = 32


@dataclass(frozen=True)
class Operator:
    """An operator with its size: `chained_bits` come from the one before, `fresh_bits` do not.

    `body` assigns the output `y` from the chained input `x` and the fresh input `f`.
    """

    name: str
    size: int
    chained_bits: int
    fresh_bits: int
    body: str


def chain(operator: Operator, length: int, copies: int) -> str:
    """Verilog of `copies` chains of `length` operators beside each other on the same operands: the
    slowest counts, which evens out the routing."""
    chained, fresh = operator.chained_bits, operator.fresh_bits
    lines = [_module(operator), _header(copies * chained, length * fresh)]
    for copy in range(copies):
        source = f"x[{copy * chained} +: {chained}]"
        for step in range(length):
            wire = f"y{copy}_{step}"
            lines.append(f"  wire [{chained - 1}:0] {wire};")
            operand = f"f[{step * fresh} +: {fresh}]" if fresh else "1'b0"
            lines.append(f"  step u{copy}_{step}(.x({source}), .f({operand}), .y({wire}));")
            source = wire
        lines.append(f"  assign y[{copy * chained} +: {chained}] = {source};")
    return "\n".join([*lines, "endmodule", ""])


def _module(operator: Operator) -> str:
    chained, fresh = operator.chained_bits, max(operator.fresh_bits, 1)
    return (
        f"module step(input [{chained - 1}:0] x, input [{fresh - 1}:0] f, "
        f"output [{chained - 1}:0] y);\n  {operator.body}\nendmodule"
    )


def _header(chained_bits: int, fresh_bits: int) -> str:
    return (
        f"module {TOP}(input clk, input [{chained_bits - 1}:0] x, "
        f"input [{max(fresh_bits, 1) - 1}:0] f, output [{chained_bits - 1}:0] y);"
    )


def _reversed(expression: str, bits: int) -> str:
    """The most significant bit feeds the next carry's start, so each chain link counts whole."""
    return f"wire [{bits - 1}:0] r = {expression}; " + _wiring(bits)


def _wiring(bits: int) -> str:
    return f"assign y = {{{', '.join(f'r[{i}]' for i in range(bits))}}};"


def logic(size: int) -> Operator:
    """A function of four inputs a bit, `size` bits wide."""
    low, middle, high = (f"f[{i * size} +: {size}]" for i in range(3))
    return Operator("logic", size, size, 3 * size, f"assign y = x ^ ({low} & {middle}) ^ {high};")


def add(size: int) -> Operator:
    """A ripple-carry addition."""
    return Operator("add", size, size, size, _reversed("x + f", size))


def eq(size: int) -> Operator:
    """A comparison for equality; one bit comes from the comparison before."""
    return Operator("eq", size, 1, 2 * size - 1, f"assign y = {_compare('==', size)};")


def lt(size: int) -> Operator:
    """An unsigned comparison; its lowest bit, the start of the carry, is the chained one.

    Written as >=, which is the carry itself: the inversion is free in the LUT that follows, but
    not at a module's border.
    """
    return Operator("lt", size, 1, 2 * size - 1, f"assign y = {_compare('>=', size)};")


def _compare(sign: str, size: int) -> str:
    return f"{{f[{2 * size - 2}:{size}], x}} {sign} f[{size - 1}:0]"


def select(size: int) -> Operator:
    """A 2:1 multiplexer; the chain runs through its condition, which drives `size` bits."""
    rotated = f"{{r[0], r[{size - 1}:1]}}"
    body = f"wire [{size - 1}:0] r = x[0] ? x : f; assign y = {rotated};"
    return Operator("select", size, size, size, body)


def shift(size: int) -> Operator:
    """An arithmetic right shift, the largest of the three, chained through amount and data."""
    amount_bits = (size - 1).bit_length()
    data = f"{{x[{size - 1}:{amount_bits}], f}}"
    body = f"wire signed [{size - 1}:0] d = {data}; assign y = d >>> x[{amount_bits - 1}:0];"
    return Operator("shift", size, size, amount_bits, body)


def mul(size: int) -> Operator:
    """A multiplication that keeps the low half."""
    return Operator("mul", size, size, size, _reversed("x * f", size))


def rom(size: int) -> Operator:
    """A table of `size` index bits with random contents, as wide as its index."""
    table = random.Random(size).getrandbits(size << size)
    body = (
        f"wire [{(size << size) - 1}:0] t = {size << size}'h{table:x}; "
        f"assign y = t[x * {size} +: {size}];"
    )
    return Operator("rom", size, size, 0, body)


def ram(size: int, bits: int, length: int, latency: int) -> str:
    """Verilog of a block RAM of 2**`size` words of so many bits, its output through `length` LUTs;
    with a `latency` of two cycles through a register before.

    `no_rw_check` leaves a read of a word just being written undefined, as the hardware does;
    otherwise yosys adds a comparison and a multiplexer behind the memory.
    """
    operator = logic(bits)
    lines = [
        _module(operator),
        f"module {TOP}(input clk, input we, input [{size - 1}:0] waddr,",
        f"  input [{bits - 1}:0] wdata,",
        f"  input [{size - 1}:0] raddr, input [{length * operator.fresh_bits - 1}:0] f,",
        f"  output [{bits - 1}:0] y);",
        '  (* ram_style = "block", no_rw_check *)',
        f"  reg [{bits - 1}:0] memory [0:{(1 << size) - 1}];",
        f"  reg [{bits - 1}:0] q, late;",
        "  always @(posedge clk) begin",
        "    if (we) memory[waddr] <= wdata;",
        "    q <= memory[raddr];",
        "    late <= q;",
        "  end",
    ]
    source = "late" if latency > 1 else "q"
    for step in range(length):
        fresh = f"f[{step * operator.fresh_bits} +: {operator.fresh_bits}]"
        lines.append(f"  wire [{bits - 1}:0] y{step};")
        lines.append(f"  step u{step}(.x({source}), .f({fresh}), .y(y{step}));")
        source = f"y{step}"
    return "\n".join([*lines, f"  assign y = {source};", "endmodule", ""])


PORT = re.compile(r"(input|output) (?:reg )?(?:\[(\d+):0\] )?(\w+)")


def name_of(key: str) -> str:
    """What a circuit's module is called beside others."""
    return f"{TOP}_{key.replace('-', '_')}"


def together(texts: Mapping[str, str]) -> str:
    """Verilog of circuits beside each other, each with ports of its own but for the clock."""
    modules, ports, instances = [], ["input clk"], []
    for key, text in texts.items():
        name = name_of(key)
        modules.append(text.replace(f"module {TOP}(", f"module {name}(", 1))
        head = text[text.index(f"module {TOP}(") :].partition(";")[0]
        own = [found for found in PORT.findall(head) if found[2] != "clk"]
        ports += [f"{way} [{high or 0}:0] {name}_{port}" for way, high, port in own]
        joined = "".join(f", .{port}({name}_{port})" for _, _, port in own)
        has_clock = "input clk" in head
        instances.append(f"  {name} u_{name}({'.clk(clk)' + joined if has_clock else joined[2:]});")
    head = f"module {TOP}({', '.join(ports)});"
    return "\n".join([*modules, head, *instances, "endmodule", ""])


SLOW_STEPS, SLOW_BITS = 5, 32


def unhurried(operator: Operator | None) -> str:
    """Verilog of an operator beside sums in a row that take much longer: synthesis makes small what
    has time to spare. Without an operator the sums alone."""
    chained, fresh, body = 1, 1, "assign y = x;"
    if operator:
        chained, fresh, body = operator.chained_bits, max(operator.fresh_bits, 1), operator.body
    top = SLOW_BITS - 1
    lines = [
        f"module {TOP}(input clk, input [{chained - 1}:0] x, input [{fresh - 1}:0] f,",
        f"  input [{top}:0] s, output [{chained - 1}:0] y, output [{top}:0] last);",
        f"  {body}",
        f"  wire [{top}:0] s0 = s;",
    ]
    for step in range(1, SLOW_STEPS + 1):
        before = f"s{step - 1}"
        turned = f"{{{before}[0], {before}[{top}:1]}}"
        lines.append(f"  wire [{top}:0] s{step} = {turned} + (s ^ {SLOW_BITS}'d{7777 * step});")
    return "\n".join([*lines, f"  assign last = s{SLOW_STEPS};", "endmodule", ""])


def gate(inputs: int) -> str:
    """Verilog of one bit that many decide, alone."""
    return (
        f"module {TOP}(input clk, input [{inputs - 1}:0] x, output y); assign y = |x; endmodule\n"
    )


def table(index_bits: int, width: int) -> str:
    """Verilog of a table with random contents, alone and written as a kernel's are."""
    dice = random.Random(index_bits)
    words = [f"{width}'d{dice.getrandbits(width)}" for _ in range(1 << index_bits)]
    cases = [f"    {index_bits}'d{i}: y = {word};" for i, word in enumerate(words[:-1])]
    return "\n".join(
        [
            f"module {TOP}(input clk, input [{index_bits - 1}:0] x, output reg [{width - 1}:0] y);",
            "  always_comb case (x)",
            *cases,
            f"    default: y = {words[-1]};",
            "  endcase",
            "endmodule",
            "",
        ]
    )


def registered_mul(size: int, latency: int) -> str:
    """Verilog of a product with registers before it, and with a `latency` of two cycles one behind
    it."""
    return f"""module {TOP}(input clk, input [{size - 1}:0] x, f, output [{2 * size - 1}:0] y);
  reg [{size - 1}:0] a, b;
  reg [{2 * size - 1}:0] late;
  wire [{2 * size - 1}:0] product = a * b;
  always @(posedge clk) begin
    a <= x;
    b <= f;
    late <= product;
  end
  assign y = {"late" if latency > 1 else "product"};
endmodule
"""


OPERATORS: dict[str, Callable[[int], Operator]] = {
    "logic": logic,
    "add": add,
    "eq": eq,
    "lt": lt,
    "select": select,
    "shift": shift,
    "mul": mul,
    "rom": rom,
}


def cipher(rounds: int, keyed_before: bool) -> str:
    """Verilog of a large design: a Feistel cipher of DES's shape, one round a stage.

    64 bits, eight 6-to-4 tables with random contents, key static. A stage is table and XOR (two
    operators); with `keyed_before` it is XOR, table and XOR (three), the key being added in the
    same stage.
    """
    dice = random.Random(1)
    stage = _stage_keyed_before() if keyed_before else _stage_keyed_after()
    lines = [_tables(dice), stage, f"module {TOP}(input clk, input [63:0] d, input [167:0] k,"]
    lines.append("  output [63:0] y);")
    lines.append("  wire [111:0] s0 = {d[47:0], d};")
    for n in range(rounds):
        key = ", ".join(f"k[{dice.randrange(168)}]" for _ in range(48))
        lines.append(f"  wire [111:0] s{n + 1};")
        lines.append(f"  stage u{n}(.clk(clk), .s(s{n}), .k({{{key}}}), .q(s{n + 1}));")
    return "\n".join([*lines, f"  assign y = s{rounds}[63:0];", "endmodule", ""])


def _tables(dice: random.Random) -> str:
    parts = []
    for n in range(8):
        parts.append(
            f"module table{n}(input [5:0] x, output [3:0] y);\n"
            f"  wire [255:0] t = 256'h{dice.getrandbits(256):064x};\n"
            "  assign y = t[{x, 2'b0} +: 4];\nendmodule"
        )
    order = dice.sample(range(32), 32)
    calls = " ".join(f"table{n} t{n}(x[{6 * n} +: 6], r[{4 * n} +: 4]);" for n in range(8))
    wiring = ", ".join(f"r[{i}]" for i in order)
    parts.append(
        "module tables(input [47:0] x, output [31:0] y);\n"
        f"  wire [31:0] r; {calls}\n  assign y = {{{wiring}}};\nendmodule"
    )
    return "\n".join(parts)


def _expansion(word: str) -> str:
    """Each table sees its own four bits and one neighbour on either side, as in DES."""
    bits = [(4 * n + i - 1) % 32 for n in range(8) for i in range(6)]
    return "{" + ", ".join(f"{word}[{b}]" for b in reversed(bits)) + "}"


def _stage_keyed_after() -> str:
    """State: left, right, and the right half expanded and keyed for the next table."""
    return f"""module stage(input clk, input [111:0] s, input [47:0] k, output reg [111:0] q);
  wire [31:0] p; tables t(.x(s[111:64]), .y(p));
  wire [31:0] n = s[63:32] ^ p;
  always @(posedge clk) q <= {{{_expansion("n")} ^ k, s[31:0], n}};
endmodule"""


def _stage_keyed_before() -> str:
    return f"""module stage(input clk, input [111:0] s, input [47:0] k, output reg [111:0] q);
  wire [31:0] r = s[31:0];
  wire [47:0] x = {_expansion("r")} ^ k;
  wire [31:0] p; tables t(.x(x), .y(p));
  always @(posedge clk) q <= {{48'b0, r, s[63:32] ^ p}};
endmodule"""
