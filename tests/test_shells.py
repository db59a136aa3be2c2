# SPDX-License-Identifier: Apache-2.0
"""A kernel's shell as Verilog beside the engine's: random accesses with random pauses are answered
with the same words in the same cycles."""

from __future__ import annotations

import json
import random
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from seeds import ALL
from tandem.chip.build import Parts, compile_parts, result_row
from tandem.chip.design import write_design
from tandem.chip.run import read_chip
from tandem.compiler.goals import find_goal
from tandem.compiler.room import UNLIMITED
from tandem.languages.discovery import Given, find_program
from tandem.models.verilator import CLASS, link_model, quickest_build, verilate
from tandem.platforms.engine import c_interface, find_platform
from tandem.rtl.shell import shell_name
from test_chips import CHIP, application

ACCESSES = 1_000_000 if ALL else 30_000
CONTROL, DATA_IN, DATA_OUT = 0, 4, 8
CHOOSE, START = 1, 2
ROW = struct.Struct("<IIIIQ")
"""`TandemAccess` of tandem.h."""
KERNELS = """#include <stdint.h>
void bytes(const uint8_t in[13], uint8_t out[13], int16_t by) {
    for (int i = 0; i < 13; i++) out[i] = (uint8_t)(in[i] * by);
}
uint64_t long_sum(const uint64_t *x, int n, uint8_t first) {
    uint64_t sum = first;
    for (int i = 0; i < n; i++) sum = sum * 3 + x[i];
    return sum;
}
void turned(uint16_t m[8][8]) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) {
            uint16_t t = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = t;
        }
}
void looked_up(const uint8_t table[256], const uint8_t *at, uint32_t *out, int n) {
    for (int i = 0; i < n; i++) out[i] = table[at[i]] * 0x01010101u;
}
int8_t least(const int8_t key[7], int32_t than) {
    int8_t found = 127;
    for (int i = 0; i < 7; i++) if (key[i] > than && key[i] < found) found = key[i];
    return found;
}
int main(void) { return 0; }
"""
NAMES = ("bytes", "long_sum", "turned", "looked_up", "least")
WINDOW = 256
MAIN = """#include "{name}.h"
#include <cstdint>
#include <cstdio>
struct row {{ uint32_t idle, offset, write, word; uint64_t acknowledged; }};
int main()
{{
    {name} shell;
    uint64_t cycle = 0;
    auto half = [&](int clk) {{ shell.clk = clk; shell.eval(); }};
    shell.reset = 1;
    for (int i = 0; i < 4; i++) half(0), half(1);
    shell.reset = 0;
    for (row a; fread(&a, sizeof a, 1, stdin) == 1;) {{
        for (uint32_t i = cycle ? 1 : 0; i < a.idle; i++, cycle++) half(0), half(1);
        shell.cyc = shell.stb = 1;
        shell.we = a.write, shell.adr = a.offset / 4, shell.dat_w = a.word;
        for (half(0); !shell.ack; half(0)) half(1), cycle++;
        if (!a.write) a.word = shell.dat_r;
        a.acknowledged = cycle;
        fwrite(&a, sizeof a, 1, stdout);
        half(1), cycle++;
        shell.cyc = shell.stb = 0;
    }}
}}
"""


class Made:
    """Shells and where they are; a class of its own, so that pytest does not print kernels."""

    def __init__(self, parts: Parts, folder: Path) -> None:
        self.parts, self.folder = parts, folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("shells")
    chip = read_chip(find_platform(CHIP), [f"shell.window={WINDOW}B"])
    program = find_program(application(folder, KERNELS), Given())
    goal = find_goal("balanced", UNLIMITED, 60)
    parts = compile_parts(program, NAMES, chip, goal, folder, ("rtl.so",))
    (folder / "chip").mkdir()
    write_design(chip, parts, folder / "chip")
    return Made(parts, folder)


class Script:
    """Accesses, as random as a driver could be and more."""

    def __init__(self, row: dict[str, Any], seed: int) -> None:
        self.row = row
        self.random = random.Random(seed)
        self.rows: list[tuple[int, int, int, int, int]] = []

    def access(self, offset: int, word: int | None = None) -> None:
        idle = self.random.choice((1, 1, 1, 2, 3, 7, 40))
        self.rows.append((idle, offset, int(word is not None), word or 0, 0))

    def choose(self, argument: int) -> None:
        self.access(CONTROL, CHOOSE | argument << 8 | self.random.getrandbits(16) << 16)

    def give(self, argument: int, words: int, small: bool) -> None:
        """A number that is small keeps a kernel within its arrays."""
        self.choose(argument)
        for word in range(words):
            least = self.random.randrange(WINDOW // 8 - 8)
            whole = self.random.getrandbits(32)
            self.access(DATA_IN, (0 if word else least) if small else whole)

    def call(self) -> None:
        held = list(enumerate(self.row["arguments"]))
        self.random.shuffle(held)
        for argument, one in held:
            words = -(-one["bytes"] // 4)
            if one["role"] != "result":
                self.give(argument, words, one["role"] == "value" and one["bytes"] == 4)
        self.access(CONTROL, START)
        for _ in range(self.random.randrange(12)):
            self.meanwhile()
        for _ in range(60):
            self.rows.append((40, CONTROL, 0, 0, 0))
        for argument, one in held:
            self.choose(argument)
            for _ in range(self.random.randrange(-(-one["bytes"] // 4) + 1)):
                self.access(DATA_OUT)

    def meanwhile(self) -> None:
        """What a driver would not do while a kernel runs."""
        words = (CHOOSE | 1 << 8, START, 77)
        offset = self.random.choice((CONTROL, CONTROL, DATA_IN, DATA_OUT))
        is_read = offset == DATA_OUT or (offset == CONTROL and self.random.random() < 0.5)
        self.access(offset, None if is_read else self.random.choice(words))


def script(row: dict[str, Any], count: int) -> bytes:
    made = Script(row, len(row["kernel"]))
    while len(made.rows) < count:
        made.call()
    return b"".join(ROW.pack(*row) for row in made.rows)


def of_verilog(shell: str, number: int, folder: Path, accesses: bytes) -> bytes:
    work = folder / f"model{number}"
    files = [folder / "chip" / name for name in (f"kernel{number}.sv", f"{shell}.v")]
    verilate(files[0], shell, work, [str(files[1])])
    (work / "main.cpp").write_text(MAIN.format(name=CLASS))
    link_model(work, work / "main.cpp", work / "shell", quickest_build())
    done = subprocess.run([work / "shell"], input=accesses, capture_output=True, check=True)
    return done.stdout


def of_the_engine(row: dict[str, Any], accesses: bytes) -> bytes:
    ffi, lib = c_interface()
    rows = ffi.new("char[]", accesses)
    count = len(accesses) // ROW.size
    status = lib.tandem_shell_replay(
        json.dumps(row).encode(), ffi.cast("TandemAccess *", rows), count
    )
    assert status == 0, ffi.string(lib.tandem_error())
    return bytes(ffi.buffer(rows, len(accesses)))


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_verilog_and_engine_answer_alike(number: int, made: Made) -> None:
    offload = made.parts.offloads[number]
    row = result_row(offload, number, WINDOW)
    row["model"] = str(made.folder / row["model"])
    accesses = script(row, ACCESSES // len(NAMES))
    told = of_verilog(shell_name(offload.compiled.kernel), number, made.folder, accesses)
    found = list(ROW.iter_unpack(told))
    expected = list(ROW.iter_unpack(of_the_engine(row, accesses)))
    for place, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert one == other, f"access {place}, behind {found[max(0, place - 4) : place]}"
    assert any(one[3] for one in found if one[1] == DATA_OUT and not one[2])
