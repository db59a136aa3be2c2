# SPDX-License-Identifier: Apache-2.0
"""What decides how often a loop runs, and what it does, is seen however it is spelled."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Store, Sum
from tandem.ir.wiring import bits_of, leading_zeros
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target

MACHINES = {
    "switch": """switch (state) {
        case 0: if (c > ' ') { words++; state = 1; } break;
        case 1: if (c == '"') state = 2; else if (c <= ' ') state = 0; break;
        case 2: if (c == '"') state = 1; break;
        }""",
    "default": """switch (state) {
        case 0: if (c > ' ') { words++; state = 1; } break;
        case 1: if (c == '"') state = 2; else if (c <= ' ') state = 0; break;
        default: if (c == '"') state = 1;
        }""",
    "never": """switch (state) {
        case 0: if (c > ' ') { words++; state = 1; } break;
        case 1: if (c == '"') state = 2; else if (c <= ' ') state = 0; break;
        case 2: if (c == '"') state = 1; break;
        default: __builtin_unreachable();
        }""",
    "ifs": """if (state == 0) { if (c > ' ') { words++; state = 1; } }
        else if (state == 1) { if (c == '"') state = 2; else if (c <= ' ') state = 0; }
        else if (c == '"') state = 1;""",
}


@pytest.mark.parametrize("spelling", MACHINES)
def test_a_machine_is_one_counted_loop(spelling: str, target: Target, tmp_path: Path) -> None:
    """Whatever chooses its state: control comes to no other one."""
    source = tmp_path / "top.c"
    source.write_text(f"""int top(const char in[256])
{{
    int state = 0, words = 0;
    for (int i = 0; i < 256; i++) {{
        char c = in[i];
        {MACHINES[spelling]}
    }}
    return words;
}}
""")
    made = compile_kernel(Program.of(source), "top", target, 10_000)
    (loop,) = (block for block in made.kernel.blocks if block.is_loop)
    assert loop.known_trips == 256 and made.schedule.blocks[loop].ii == 1
    text = b'it "is said" so'.ljust(256)
    assert interpret(made.kernel, {"in": bytearray(text)}) == 3


SEARCHES = {
    "break": "int n = 32; for (int b = 31; b >= 0; b--) if (x >> b & 1) { n = 31 - b; break; }",
    "a mask": "int n = 0; for (unsigned m = 1u << 31; m && !(x & m); m >>= 1) n++;",
    "shifted": "int n = 0; for (unsigned y = x; n < 32 && !(y >> 31); y <<= 1) n++;",
    "while": "int n = 0; while (n < 32 && !(x >> (31 - n) & 1)) n++;",
    "upwards": "int n = 0; for (; n < 32; n++) if (x & 1u << (31 - n)) break;",
    "a flag": """int n = 0, found = 0;
        for (int b = 31; b >= 0 && !found; b--)
            if (x >> b & 1) found = 1; else n++;""",
}


@pytest.mark.parametrize("spelling", SEARCHES)
def test_a_search_of_bits_is_no_loop(spelling: str, target: Target, tmp_path: Path) -> None:
    """But logic of the pipeline around it, whatever ends it."""
    source = tmp_path / "top.c"
    source.write_text(f"""int top(const unsigned in[64])
{{
    int sum = 0;
    for (int i = 0; i < 64; i++) {{
        unsigned x = in[i];
        {SEARCHES[spelling]}
        sum = sum * 3 + n;
    }}
    return sum;
}}
""")
    made = compile_kernel(Program.of(source), "top", target, 10_000)
    (loop,) = natural_loops(made.kernel)
    assert loop.known_trips == 64
    words = [Random(spelling).getrandbits(32) >> i % 33 for i in range(64)]
    wanted = 0
    for word in words:
        wanted = (wanted * 3 + 32 - word.bit_length()) % 2**32
    data = bytearray(b"".join(word.to_bytes(4, "little") for word in words))
    assert interpret(made.kernel, {"in": data}) == wanted


PLACES = {
    "and": "if (x >= 0 && x < 64 && y >= 0 && y < 32) at[y * 64 + x] = 1;",
    "continue": "if (x < 0 || x >= 64 || y < 0 || y >= 32) continue; at[y * 64 + x] = 1;",
    "nested": "if (x >= 0) if (x < 64) if (y >= 0) if (y < 32) at[y * 64 + x] = 1;",
    "rows": "if (x >= 0 && x < 64 && y >= 0 && y < 32) ((char (*)[64])at)[y][x] = 1;",
    "unsigned": "unsigned u = x, v = y; if (u < 64 && v < 32) at[v * 64 + u] = 1;",
    "helper": "if (inside(x, 64) && inside(y, 32)) at[y * 64 + x] = 1;",
    "pointer": "char *row = at + y * 64; if (x >= 0 && x < 64 && y >= 0 && y < 32) row[x] = 1;",
    "before": "int i = y * 64 + x; if (x >= 0 && x < 64 && y >= 0 && y < 32) at[i] = 1;",
    "flag": """int ok = 1;
        if (x < 0) ok = 0;
        if (x > 63) ok = 0;
        if (y < 0 || y > 31) ok = 0;
        if (ok) at[y * 64 + x] = 1;""",
    "last": "if (0 <= x && x <= 63 && 0 <= y && y <= 31) at[x + y * 64] = 1;",
}


@pytest.mark.parametrize("spelling", PLACES)
def test_a_place_has_the_bits_of_its_picture(spelling: str, target: Target, tmp_path: Path) -> None:
    """Where it is tested whether it lies in it, and nothing is stored elsewhere."""
    source = tmp_path / "top.c"
    source.write_text(f"""static int inside(int n, int size) {{ return n >= 0 && n < size; }}
void top(const short in[512], char at[32 * 64])
{{
    for (int i = 0; i < 256; i++) {{
        int x = in[2 * i] - 1, y = in[2 * i + 1] + 1;
        {PLACES[spelling]}
    }}
}}
""")
    made = compile_kernel(Program.of(source), "top", target, 10_000)
    (index,) = (bits_of(op.index) for _, op in made.kernel.ops() if isinstance(op, Store))
    assert len(index) - leading_zeros(index) == 11
    sums = [op for _, op in made.kernel.ops() if isinstance(op, Sum)]
    assert max(op.width for op in sums) <= 17
    assert estimate_area(made.schedule)["ff"] < 20
