# SPDX-License-Identifier: Apache-2.0
"""The floating-point operators of the library: the C beside the host's own operators, and as
hardware, one operation a cycle, C = IR = RTL."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from agreement import Build, check, packaged
from tandem.compiler.compile import compile_kernel
from tandem.frontend.clang import run_clang
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "library" / "float"
RANDOM_OPERANDS = 1_000_000
ROWS_IN_HARDWARE = 250
CLOCK_PS = 10_000
BYTES = {"f32": 4, "f64": 8, "i32": 4, "u32": 4, "i64": 8, "u64": 8}


@dataclass(frozen=True)
class Map:
    """A kernel that applies operators to all elements of its arrays. `calls`: C expressions of `a`,
    `b` and `c`, one an array of results."""

    operators: str
    operand: str
    calls: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"map_{self.operand}_{self.operators}"

    @property
    def size(self) -> int:
        return BYTES[self.operand]

    def source(self) -> str:
        word = f"uint{8 * self.size}_t"
        inputs = "".join(f"const {word} *{name}_in, " for name in "abc")
        outputs = "".join(f"uint64_t *out{i}, " for i in range(len(self.calls)))
        values = "".join(f"        const {word} {name} = {name}_in[i];\n" for name in "abc")
        results = "".join(f"        out{i}[i] = {call};\n" for i, call in enumerate(self.calls))
        return (
            f'#include "{LIBRARY}/f32.c"\n#include "{LIBRARY}/f64.c"\n'
            f"void {self.name}({inputs}{outputs}uint32_t n)\n{{\n"
            f"    for (uint32_t i = 0; i < n; i++) {{\n{values}{results}    }}\n}}\n"
        )


def _maps() -> list[Map]:
    maps: list[Map] = []
    for f in ("f32", "f64"):
        others = ("i32", "u32", "i64", "u64", "f64" if f == "f32" else "f32")
        binary = tuple(f"{f}_{name}(a, b)" for name in ("add", "mul", "eq", "lt", "le"))
        integral = [f"{f}_{name}(a)" for name in ("floor", "ceil", "trunc", "round", "rint")]
        converted = [f"{to}_from_{f}(a)" for to in others]
        from_integers = [f"{f}_from_{integer}(a)" for integer in others[:4]]
        maps += [
            Map("pairs", f, (*binary, f"{f}_fma(a, b, c)")),
            Map("div", f, (f"{f}_div(a, b)",)),
            Map("sqrt", f, (f"{f}_sqrt(a)",)),
            Map("singles", f, (*integral, *converted, *from_integers)),
        ]
    return maps


def special(f: str) -> list[int]:
    """Zeros, numbers at the ends of the subnormal and normal ones, around 1, infinities, NaNs."""
    fraction, top = (23, 255) if f == "f32" else (52, 2047)
    least, one, infinity = 1 << fraction, top // 2 << fraction, top << fraction
    around = [n + i for n in (least, one, one + (30 << fraction)) for i in (-1, 0, 1)]
    words = [0, 1, *around, infinity - 1, infinity, infinity + 1, infinity + least // 2]
    return words + [word | 1 << 8 * BYTES[f] - 1 for word in words]


def operands(f: str, count: int, random: Random) -> list[tuple[int, ...]]:
    """Columns of operands: half of them special, of the others half close to each other."""
    words, bits = special(f), 8 * BYTES[f]
    rows = [tuple(random.choice(words) for _ in "abc") for _ in range(count // 2)]
    for i in range(count - count // 2):
        a, b, c = (random.getrandbits(bits) for _ in "abc")
        rows.append((a, a ^ b >> bits // 2 if i % 2 else b, c))
    return list(zip(*random.sample(rows, count), strict=True))


def packed(words: tuple[int, ...], size: int) -> bytes:
    return struct.pack(f"<{len(words)}{'I' if size == 4 else 'Q'}", *words)


@pytest.fixture(scope="module")
def beside_the_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("float") / "operators_test"
    sources = [ROOT / "tests" / "float" / "operators_test.c", LIBRARY / "f32.c", LIBRARY / "f64.c"]
    flags = ["-O2", "-fno-fast-math", "-ffp-contract=off", "-fno-sanitize=undefined", "-lm"]
    run_clang([*sources, *flags, "-o", program])
    return program


def test_operators_give_what_the_host_gives(beside_the_host: Path) -> None:
    command = [beside_the_host, str(RANDOM_OPERANDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("compared") == 44


@pytest.mark.parametrize("kernel", _maps(), ids=lambda kernel: kernel.name)
def test_operators_are_pipelined_hardware(kernel: Map, target: Target, tmp_path: Path) -> None:
    source = tmp_path / "map.c"
    source.write_text(kernel.source())
    program = Program.of(source)
    compiled = compile_kernel(program, kernel.name, target, CLOCK_PS)
    assert compiled.schedule.ii == 1
    built = packaged(compiled, tmp_path)
    words = operands(kernel.operand, ROWS_IN_HARDWARE, Random(kernel.name))
    values: dict[str, int | bytes] = {"n": len(words[0])}
    for name, column in zip("abc", words, strict=True):
        values[f"{name}_in"] = packed(column, kernel.size)
    for i in range(len(kernel.calls)):
        values[f"out{i}"] = bytes(8 * len(words[0]))
    check(built, {name: values[name] for name in values if is_argument(built, name)})


def is_argument(built: Build, name: str) -> bool:
    """Operands that no operator reads are none of the hardware's."""
    return any(row["name"] == name for row in built.rows)
