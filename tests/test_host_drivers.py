# SPDX-License-Identifier: Apache-2.0
"""Drivers for Linux and in Python at the Verilog of shells: calls on random arguments leave what
the C function leaves. The register map is what the drivers use."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from seeds import ALL, sampled
from shells_model import HEADER, SHELL_BYTES, Model, shells_model
from systemrdl.compiler import RDLCompiler
from systemrdl.messages import MessagePrinter
from tandem.chip.registers import write_registers
from tandem.chip.run import read_chip
from tandem.diagnostics import UserError
from tandem.frontend.clang import zig
from tandem.platforms.engine import find_platform
from tandem.rtl.text import module_name
from test_buses import chip_file
from test_chips import CHIP, offloads
from trial import good, tandem

CALLS = 200 if ALL else 20
APPLICATION = """#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef struct { int16_t x; uint16_t y; } point;
struct line { point from, to; };
int16_t table[20];
static int16_t hidden[8];
void scale(const uint16_t *in, uint32_t *out, int n, uint32_t by) {
    for (int i = 0; i < n; i++) out[i] = in[i] * by + 1;
}
void stepped(uint8_t *data, int n) {
    for (int i = 0; i < n; i++) data[i] = (uint8_t)(data[i] * 3 + i);
}
int16_t least(int n) {
    int16_t found = 32767;
    for (int i = 0; i < 20; i++) if (i < n && table[i] < found) found = table[i];
    return found;
}
uint64_t mix(const uint8_t key[11], uint64_t x) {
    for (int i = 0; i < 11; i++) x = (x ^ key[i]) * 0x100000001b3u;
    return x;
}
void reversed(const uint8_t *from, uint8_t *to) {
    for (int i = 0; i < 9; i++) to[i] = from[8 - i];
}
float dot(const float *a, const float *b, unsigned n) {
    float sum = 0;
    for (unsigned i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
double half(double x) { return x / 2; }
int8_t small(int8_t lambda, bool self) { return self ? -lambda : lambda; }
int whole(int in, short reg) { return in - 2 * reg; }
void Turned(uint16_t m[8][8]) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) {
            uint16_t t = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = t;
        }
}
int turned(const int *field) { return field[2] - field[0]; }
void moved(point *p, const struct line *by, int n) {
    for (int i = 0; i < n; i++) { p[i].x += by->from.x; p[i].y -= by->to.y; }
}
int secret(int n) { return hidden[n & 7]; }
"""
MAIN = """int main(void) { hidden[1] = 3; return secret(0) + whole(0, 0); }
"""
NAMES = (
    *("scale", "stepped", "least", "mix", "reversed", "dot", "half", "small", "whole"),
    *("Turned", "turned", "moved"),
)
WINDOW = 256
PROTOCOLS = ("wishbone", "axi4-lite", "axi4-stream", "dma-ring")
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Werror", "-std=c11", "-O2")
MACHINES = ("x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf")
REACHED = """
#define TANDEM_LOAD(from) model_load((uint32_t)((uintptr_t)(from) & 4095))
#define TANDEM_STORE(to, word) model_store((uint32_t)((uintptr_t)(to) & 4095), word)
"""
Values = list[Any]
Arguments = Callable[[random.Random], Values]


def bytes_(source: random.Random, count: int) -> bytearray:
    return bytearray(source.randbytes(count))


def floats(source: random.Random, count: int) -> bytearray:
    values = [source.uniform(-9, 9) for _ in range(count)]
    return bytearray((ctypes.c_float * count)(*values))


def scaled(source: random.Random) -> Values:
    n = source.randrange(-2, 65)
    return [bytes_(source, 130), bytes_(source, 260), n, source.getrandbits(32)]


def dotted(source: random.Random) -> Values:
    return [floats(source, 64), floats(source, 64), source.randrange(65)]


C = ctypes
CALLED: dict[str, tuple[Any, list[Any], Arguments]] = {
    "scale": (None, [None, None, C.c_int, C.c_uint32], scaled),
    "stepped": (None, [None, C.c_int], lambda s: [bytes_(s, 256), s.randrange(257)]),
    "mix": (C.c_uint64, [None, C.c_uint64], lambda s: [bytes_(s, 11), s.getrandbits(64)]),
    "reversed": (None, [None, None], lambda s: [bytes_(s, 9), bytes_(s, 12)]),
    "dot": (C.c_float, [None, None, C.c_uint], dotted),
    "half": (C.c_double, [C.c_double], lambda s: [s.uniform(-1e9, 1e9)]),
    "small": (C.c_int8, [C.c_int8, C.c_bool], lambda s: [s.randrange(-128, 128), s.random() < 0.5]),
    "whole": (
        C.c_int,
        [C.c_int, C.c_short],
        lambda s: [s.randrange(-(1 << 30), 1 << 30), s.randrange(-(1 << 15), 1 << 15)],
    ),
    "Turned": (None, [None], lambda s: [bytes_(s, 128)]),
    "turned": (C.c_int, [None], lambda s: [bytes_(s, 4) + bytearray(4) + bytes_(s, 3) + b"\0"]),
    "moved": (
        None,
        [None, None, C.c_int],
        lambda s: [bytes_(s, 200), bytes_(s, 8), s.randrange(51)],
    ),
}
"""Of each function its result, its parameters (None: an array), and random arguments."""


class Made:
    """A chip, the model of its shells, and the C: functions and drivers in one library."""

    def __init__(self, folder: Path, protocol: str) -> None:
        (folder / "app.c").write_text(APPLICATION + MAIN)
        (folder / "functions.c").write_text(APPLICATION)
        self.chip = built(folder, protocol, *NAMES, "secret")
        library = shells_model(self.chip, protocol, folder)
        self.model = Model(library)
        (folder / "reached.h").write_text(HEADER + REACHED)
        renamed = [f"-D{name}=tandem_original_{name}" for name in NAMES]
        compiled(folder, "functions.c", *renamed, "-O2", "-ffp-contract=off")
        linux = self.chip / "linux" / "tandem_drivers.c"
        compiled(folder, linux, "-include", folder / "reached.h", *STRICT)
        objects = [folder / "functions.o", folder / "tandem_drivers.o"]
        output = folder / "libdrivers.so"
        run([zig(), "cc", "-shared", *objects, library, "-o", output], folder)
        self.registers = folder / "registers"
        self.registers.write_bytes(bytes(4096))
        self.c: Any = ctypes.CDLL(str(output))
        self.python = module(self.chip / "python" / "drivers.py")

    def function(self, name: str, prefix: str = "") -> Callable[[Values], Any]:
        """A C function, on values of Python."""
        result, kinds, _ = CALLED[name]
        found = getattr(self.c, prefix + name)
        found.restype = result
        found.argtypes = [kind or ctypes.c_void_p for kind in kinds]

        def called(values: Values) -> Any:
            given = [
                ctypes.addressof(ctypes.c_char.from_buffer(value)) if kind is None else value
                for value, kind in zip(values, kinds, strict=True)
            ]
            return found(*given)

        return called


def built(folder: Path, protocol: str, *names: str) -> Path:
    platform = CHIP if protocol == "wishbone" else chip_file(folder, protocol)
    words = ["--platform", platform, "--set", f"shell.window={WINDOW}B"]
    good(tandem("build", "app.c", *offloads(*names), *words, cwd=folder))
    return folder / "build" / "app.chip"


def run(words: list[Any], folder: Path) -> None:
    done = subprocess.run([*map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def compiled(folder: Path, source: Path | str, *flags: Any) -> None:
    output = folder / f"{Path(source).stem}.o"
    plain = ["-fPIC", "-funsigned-char", "-fno-sanitize=undefined"]
    run([zig(), "cc", *plain, *flags, "-c", source, "-o", output], folder)


def module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("drivers", file)
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    sys.modules["drivers"] = found
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module", params=sampled(PROTOCOLS))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("drivers"), request.param)


@pytest.fixture
def opened(made: Made, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setenv("TANDEM_UIO", str(made.registers))
    assert made.c.tandem_open(None) == 0
    return made


def test_drivers_leave_what_the_c_leaves(opened: Made) -> None:
    """Those of Linux, and those in Python, which have methods of the same names."""
    chip = opened.python.Chip(opened.model)
    source = random.Random(3)
    for name, (_, _, arguments) in CALLED.items():
        original = opened.function(name, "tandem_original_")
        for way in (opened.function(name), lambda v, n=name: getattr(chip, n)(*v)):
            for _ in range(CALLS):
                values = arguments(source)
                ours = [bytearray(v) if isinstance(v, bytearray) else v for v in values]
                before = opened.model.accesses
                assert way(ours) == original(values), name
                assert ours == values, name
                assert opened.model.accesses > before, name


def test_variables_of_the_program(opened: Made) -> None:
    table = (ctypes.c_int16 * 20).in_dll(opened.c, "table")
    source = random.Random(4)
    chip = opened.python.Chip(opened.model)
    for n in range(1, 21):
        table[:] = [source.randrange(-500, 500) for _ in range(20)]
        expected = min([32767, *table[:n]])
        opened.c.least.restype = ctypes.c_int16
        before = opened.model.accesses
        assert opened.c.least(n) == expected == chip.least(n, table=table)
        assert opened.model.accesses > before
    hidden = (ctypes.c_int16 * 8)(*range(-4, 4))
    assert [chip.secret(n, hidden=hidden) for n in range(8)] == list(range(-4, 4))


def test_what_a_shell_does_not_serve_the_c_function_does(opened: Made) -> None:
    source = random.Random(5)
    large = [bytes_(source, 400), bytes_(source, 800), 200, 3]
    data = bytes_(source, 60)
    chip = opened.python.Chip(opened.model)
    before = opened.model.accesses
    mine = [bytearray(large[0]), bytearray(large[1]), *large[2:]]
    opened.function("scale")(mine)
    opened.function("scale", "tandem_original_")(large)
    assert mine == large
    first = ctypes.addressof(ctypes.c_char.from_buffer(data))
    expected = bytearray(data)
    second = ctypes.addressof(ctypes.c_char.from_buffer(expected))
    opened.c.reversed(ctypes.c_void_p(first), ctypes.c_void_p(first + 3))
    opened.c.tandem_original_reversed(ctypes.c_void_p(second), ctypes.c_void_p(second + 3))
    assert data == expected
    with pytest.raises(ValueError, match="room for 256"):
        chip.scale(*large)
    view = memoryview(data)
    with pytest.raises(ValueError, match="`from` and `to` overlap"):
        chip.reversed(view, view[3:])
    with pytest.raises(ValueError, match="`key` has 4 bytes, and the call uses 11"):
        chip.mix(b"1234", 1)
    with pytest.raises(TypeError, match="`to` is written"):
        chip.reversed(b"123456789", b"123456789")
    with pytest.raises(TypeError, match="`from`"):
        chip.reversed([1, 2], bytearray(9))
    with pytest.raises(OverflowError, match="`lambda`"):
        chip.small(128, False)
    with pytest.raises(OverflowError, match="`x`"):
        chip.half("much")
    assert opened.model.accesses == before


def test_without_a_device_the_c_functions_serve(made: Made, tmp_path: Path) -> None:
    """In a process of its own, as a device that is open stays so."""
    code = f"import ctypes; c = ctypes.CDLL({str(made.registers.with_name('libdrivers.so'))!r})\n"
    code += "print(c.whole(7, 2), c.whole(7, 3), c.tandem_open(b'/no/such'))"
    environment = {**os.environ, "TANDEM_UIO": str(tmp_path / "none")}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "1", "2"]
    assert done.stderr.count("tandem: no UIO device: No such file") == 1


def test_python_reaches_registers_by_a_map(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANDEM_UIO", str(made.registers))
    chip = made.python.Chip()
    chip.registers.write(20, 0x12345678)
    assert chip.registers.read(20) == 0x12345678
    assert made.registers.read_bytes()[20:24] == bytes.fromhex("78563412")
    monkeypatch.setenv("TANDEM_UIO", str(made.registers / "none"))
    with pytest.raises(OSError):
        made.python.Chip()
    monkeypatch.delenv("TANDEM_UIO")
    monkeypatch.setattr(made.python, "SYSTEM", made.registers.parent / "uio")
    with pytest.raises(FileNotFoundError, match="TANDEM_UIO"):
        made.python.Chip()


@pytest.mark.parametrize("machine", MACHINES)
def test_other_machines_compile_the_drivers(made: Made, machine: str, tmp_path: Path) -> None:
    source = made.chip / "linux" / "tandem_drivers.c"
    run([zig(), "cc", "-target", machine, *STRICT, "-c", source, "-o", "x.o"], tmp_path)
    header = tmp_path / "x.cc"
    header.write_text(f'#include "{source.with_suffix(".h")}"\n')
    run([zig(), "c++", "-target", machine, "-Wall", "-Werror", "-c", header, "-o", "x.o"], tmp_path)


class Heard(MessagePrinter):
    def __init__(self) -> None:
        self.messages: list[str] = []

    def print_message(self, severity: Any, text: str, src_ref: Any) -> None:
        self.messages.append(text)


def test_the_register_map_is_what_drivers_use(made: Made) -> None:
    heard = Heard()
    compiler = RDLCompiler(message_printer=heard)
    compiler.compile_file(str(made.chip / "registers.rdl"))
    top = compiler.elaborate().top
    assert heard.messages == []
    found: dict[str, Any] = {child.inst_name: child for child in top.children()}
    names = json.loads((made.chip / "chip.json").read_text())["kernels"]
    base = 0x80000000
    for number, name in enumerate(names):
        shell = found[f"{module_name(name)}_shell"]
        assert shell.absolute_address == base + SHELL_BYTES * number
        offsets = {r.inst_name: r.address_offset for r in shell.registers()}
        python = made.python
        own = {"control": python.CONTROL, "data_in": python.DATA_IN, "data_out": python.DATA_OUT}
        assert own.items() <= offsets.items() and offsets.keys() - own.keys() <= {"ring"}
        (control,) = (r for r in shell.registers() if r.inst_name == "control")
        encoded = {f.inst_name: f.get_property("encode") for f in control.fields()}
        values = {one.name: one.value for one in encoded["instruction"] or ()}
        assert values["choose"] == python.CHOOSE and values["start"] == python.START
        assert values.get("send", python.SEND) == python.SEND
    assert found["serial_line"].absolute_address == 0xE0000000
    run([zig(), "cc", *STRICT, "-c", "-xc", made.chip / "registers.h", "-o", "x.o"], made.chip)
    (made.chip / "x.o").unlink()
    text = (made.chip / "registers.h").read_text()
    assert re.search(r"#define turned_shell \(.*\)0x800000a0UL\)", text), text
    spaces = {"i": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
    root = ElementTree.parse(made.chip / "registers.xml").getroot()
    files = root.findall(".//i:registerFile", spaces)
    assert [f.findtext("i:name", "", spaces) for f in files] == list(found)
    assert (made.chip / "registers.html" / "index.html").is_file()
    tree = (made.chip / "linux" / "tandem.dtsi").read_text()
    assert f"tandem@{base:x} {{" in tree
    assert f"reg = <{base:#x} {SHELL_BYTES * len(names):#x}>;" in tree


def test_instructions_have_no_addresses(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text("int twice(int x) { return 2 * x; }\nint main(void) {}\n")
    platform = chip_file(tmp_path, "pcpi")
    done = tandem("build", "app.c", *offloads("twice"), "--platform", platform, cwd=tmp_path)
    good(done)
    assert "note[no-driver]: `twice` has no driver for Linux or Python" in done.stderr
    chip = tmp_path / "build" / "app.chip"
    assert not (chip / "linux").exists() and not (chip / "python").exists()
    text = (chip / "registers.rdl").read_text()
    assert "serial_line" in text and "twice" not in text


REFUSED = """#include <stddef.h>
struct pair { int a, b; };
struct wide { long a; };
int first(struct pair p) { return p.a; }
static int hers(int x) { return x + 1; }
int tandem_open(int x) { return x + 2; }
int of_rows(const char *s, size_t n) {
    int k = 0;
    for (size_t i = 0; i < n; i++) k += s[i];
    return k;
}
int of_wide(const struct wide *w) { return w->a; }
int main(void) {
    struct pair p = {1, 2};
    struct wide w = {3};
    return first(p) + hers(1) + tandem_open(1) + of_rows("", 0) + of_wide(&w);
}
"""


def test_what_has_no_driver_is_told(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(REFUSED)
    names = ("first", "hers", "tandem_open", "of_rows", "of_wide")
    done = tandem("build", "app.c", *offloads(*names), "--platform", CHIP, cwd=tmp_path)
    good(done)
    assert "`first` has no driver for Linux or Python: it takes or returns a struct" in done.stderr
    assert "`hers` has no driver for Linux: it is static" in done.stderr
    assert "`tandem_open` has no driver for Linux: names that begin" in done.stderr
    chip = tmp_path / "build" / "app.chip"
    result = json.loads((chip / "chip.json").read_text())
    assert result["drivers"] == {"linux": ["of_rows", "of_wide"], "python": list(names[1:])}
    words = [zig(), "cc", "-target", MACHINES[0], "-c", chip / "linux" / "tandem_drivers.c"]
    done = subprocess.run([*map(str, words), "-o", "x.o"], cwd=tmp_path, capture_output=True)
    told = done.stderr.decode()
    for text in ("`n` of `of_rows`", "`s` of `of_rows`", "-funsigned-char", "`w` of `of_wide`"):
        assert text in told, told
    words[3] = MACHINES[2]
    run([*words, "-o", "x.o"], tmp_path)


def test_names_of_others(tmp_path: Path) -> None:
    """Keywords of Python and SystemRDL, names that Python changes, letters of other alphabets."""
    text = """int import(int lambda, int field, int signal) { return lambda - field * signal; }
int __own(int self) { return self + 1; }
int registers(int __x) { return __x + 2; }
int größe(int überall) { return 3 * überall; }
int main(void) { return import(0, 0, 0) + __own(0) + registers(0) + größe(0); }
"""
    (tmp_path / "app.c").write_text(text)
    names = ("import", "__own", "registers", "größe")
    good(tandem("build", "app.c", *offloads(*names), "--platform", CHIP, cwd=tmp_path))
    chip = tmp_path / "build" / "app.chip"
    library = shells_model(chip, "wishbone", tmp_path)
    python = module(chip / "python" / "drivers.py").Chip(Model(library))
    assert python.import_(7, 2, 3) == 1 and python.__own__(4) == 5
    assert python.registers_(5) == 7 and python.größe(-2) == -6
    assert python.import_(**{"lambda_": 7, "field": 2, "signal": 3}) == 1
    source = chip / "linux" / "tandem_drivers.c"
    run([zig(), "cc", *STRICT, "-c", source, "-o", "x.o"], tmp_path)


def test_without_peakrdl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "peakrdl_html", None)
    chip = read_chip(find_platform(CHIP), ())
    with pytest.raises(UserError, match=r"peakrdl-missing(.|\n)*tandem-accel\[chip\]"):
        write_registers(chip, (), "app", tmp_path)


def test_an_application_of_cpp(tmp_path: Path) -> None:
    text = """namespace ns { unsigned twice(const unsigned &x) { return 2 * x; } }
int main() { return ns::twice(0); }
"""
    (tmp_path / "app.cpp").write_text(text)
    words = ["--offload", "ns::twice", "--platform", CHIP]
    done = tandem("build", "app.cpp", *words, cwd=tmp_path)
    good(done)
    assert "has no driver for Linux: it is C++" in done.stderr
    text = (tmp_path / "build" / "app.chip" / "python" / "drivers.py").read_text()
    assert "def ns_twice(self, x: Any)" in text


STRUCTS = """#include <stdint.h>
struct al { int8_t k; double d; };
int asum(const struct al *p) { return (int)(p[0].k + p[1].k); }
typedef struct { int32_t x, y; } pt;
int psum(const pt *p, int class) { return p[0].x + class; }
int nsum(const void *p, int n, int8_t (*rows)[n]) {
    return *(const int8_t *)p + rows[1][0];
}
int main(void) {
    struct al a[2] = {{1, 2}, {3, 4}};
    pt q[1] = {{5, 6}};
    static int8_t r[2][1] = {{7}, {8}};
    return asum(a) + psum(q, 2) + nsum(a, 1, r);
}
"""


def test_structs_that_lie_otherwise_and_words_of_others(tmp_path: Path) -> None:
    """Of a 32-bit x86 a double in a struct begins at a multiple of 4, and not of 8 as here. No
    other file can write what has no name, and rows of a length that is another parameter."""
    (tmp_path / "s.c").write_text(STRUCTS)
    words = ["build", "s.c", *offloads("asum", "psum", "nsum"), "--platform", CHIP]
    good(tandem(*words, cwd=tmp_path))
    source = tmp_path / "build" / "s.chip" / "linux" / "tandem_drivers.c"
    header = source.with_suffix(".h").read_text()
    assert "int psum(const void *p, int class_);" in header
    assert "int nsum(const void *p, int n, void *rows);" in header
    command = [zig(), "cc", "-c", source, "-o", tmp_path / "x.o", "-target"]
    run([*command, "x86_64-linux-gnu"], tmp_path)
    done = subprocess.run([*command, "x86-linux-gnu"], capture_output=True, text=True)
    assert done.returncode and "`p` of `asum` is another type" in done.stderr
    (tmp_path / "h.cc").write_text(f'#include "{source.with_suffix(".h")}"\n')
    run([zig(), "c++", "-c", tmp_path / "h.cc", "-o", tmp_path / "h.o"], tmp_path)
