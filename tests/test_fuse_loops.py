# SPDX-License-Identifier: Apache-2.0
"""fuse-loops: stages over an array, in many spellings, are one pipeline; random loops that follow
each other compute the same."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from random import Random

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Branch, Edge, Jump, Return
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import OPERATIONS, Add, Load, Mul, Op, Parameter, constant
from tandem.ir.verifier import verify
from tandem.languages.discovery import find_program
from tandem.passes import fuse_loops
from tandem.schedule.delays import Target
from trial import source

CLOCK_PS = 10_000
HEAD = "void f(const int in[64], int out[64], int n, int m)\n{"
STAGES = {
    "for": "int p[64]; for (int i = 0; i < 64; i++) p[i] = in[i] * 3;\n"
    "for (int i = 0; i < 64; i++) out[i] = p[i] + 7;",
    "while": "int p[64], i = 0; while (i < 64) { p[i] = in[i] * 3; i++; }\n"
    "i = 0; while (i < 64) { out[i] = p[i] ^ m; i++; }",
    "three": "int p[64], q[64]; for (int i = 0; i < 64; i++) p[i] = in[i] * 3;\n"
    "for (int i = 0; i < 64; i++) q[i] = p[i] - m;\n"
    "for (int i = 0; i < 64; i++) out[i] = q[i] * 5;",
    "pointers": "int p[64], *a = p; for (int i = 0; i < 64; i++) *a++ = in[i] + m;\n"
    "a = p; for (int i = 0; i < 64; i++) out[i] = *a++ * 9;",
    "from one": "int p[65]; for (int i = 1; i <= 64; i++) p[i] = in[i - 1] & m;\n"
    "for (int i = 1; i <= 64; i++) out[i - 1] = p[i] + 1;",
    "down": "int p[64]; for (int i = 63; i >= 0; i--) p[i] = in[i] * 3;\n"
    "for (int i = 63; i >= 0; i--) out[i] = p[i] + m;",
    "a neighbour before": "int p[65]; p[0] = m;\n"
    "for (int i = 1; i < 65; i++) p[i] = in[i - 1] * 3;\n"
    "for (int i = 1; i < 65; i++) out[i - 1] = p[i] - p[i - 1];",
    "in place": "int p[64]; for (int i = 0; i < 64; i++) p[i] = in[i];\n"
    "for (int i = 0; i < 64; i++) p[i] *= m;\nfor (int i = 0; i < 64; i++) out[i] = p[i] + 2;",
    "a variable number": "int p[64]; for (int i = 0; i < (n & 63); i++) p[i] = in[i] * 3;\n"
    "for (int i = 0; i < (n & 63); i++) out[i] = p[i] + 7;",
    "any number": "for (int i = 0; i < n; i++) out[i] = in[i] * 3;\n"
    "for (int i = 0; i < n; i++) out[i] += 7;",
    "no array": "int s = 0; for (int i = 0; i < 64; i++) s += in[i] * m;\n"
    "int x = m; for (int i = 0; i < 64; i++) out[i] = x = x * 5 + n;\nout[0] += s;",
}
APART = {
    "a ring": "int p[64]; for (int i = 0; i < n; i++) p[i & 63] = in[i] * 3;\n"
    "for (int i = 0; i < n; i++) out[i] = p[i & 63] + 7;",
    "backwards": "int p[64]; for (int i = 0; i < 64; i++) p[i] = in[i] * 3;\n"
    "for (int i = 0; i < 64; i++) out[i] = p[63 - i] + 7;",
    "a neighbour behind": "int p[65]; p[64] = m; for (int i = 0; i < 64; i++) p[i] = in[i] * 3;\n"
    "for (int i = 0; i < 64; i++) out[i] = p[i] - p[i + 1];",
    "the sum is needed": "int s = 0; for (int i = 0; i < 64; i++) s += in[i] * m;\n"
    "for (int i = 0; i < 64; i++) out[i] = s + i;",
    "other numbers": "int p[64]; for (int i = 0; i < 64; i++) p[i] = in[i] * 3;\n"
    "for (int i = 0; i < 63; i++) out[i] = p[i] + 7;",
    "an unknown place": "int p[64]; for (int i = 0; i < 64; i++) p[in[i] & 63] = i;\n"
    "for (int i = 0; i < 64; i++) out[i] = p[i] + 7;",
    "a directive": "int p[64];\n#pragma tandem pipeline off\nfor (int i = 0; i < 64; i++)\n"
    "p[i] = in[i] * 3;\nfor (int i = 0; i < 64; i++) out[i] = p[i] + 7;",
}


def loops(folder: Path, body: str, target: Target) -> int:
    path = source(folder, f"{HEAD}\n{body}\n}}\n", "f.c")
    found = compile_kernel(find_program(path, None), "f", target, CLOCK_PS)
    return sum(block.is_loop for block in found.schedule.kernel.blocks)


@pytest.mark.parametrize("name", STAGES)
def test_stages_are_one_pipeline(name: str, tmp_path: Path, target: Target) -> None:
    assert loops(tmp_path, STAGES[name], target) == 1


@pytest.mark.parametrize("name", APART)
def test_they_stay_apart(name: str, tmp_path: Path, target: Target) -> None:
    assert loops(tmp_path, APART[name], target) == 2


def loop(random: Random, name: str, trips: int, arrays: list[Memory]) -> Block:
    """A loop that counts and sums, and loads and stores at places that move with the count."""
    block = Block(name)
    count, left = (Parameter((), 4) for _ in range(2))
    total = Parameter((), 8)
    block.parameters = [count, left, total]
    block.trip_count = constant(trips, 4)

    def op(kind: str, operands: list[Op], width: int, **attributes: Memory) -> Op:
        block.ops.append(OPERATIONS[kind](operands, width, dict(attributes)))
        return block.ops[-1]

    for _ in range(random.randint(1, 3)):
        place = count
        if random.random() < 0.2:
            place = op("sub", [constant(random.randrange(16), 4), count], 4)
        place = op("add", [place, constant(random.choice((0, 0, 1, 2, 15, 14)), 4)], 4)
        memory = random.choice(arrays)
        if random.random() < 0.5:
            total = op("add", [op("load", [place], 8, memory=memory), total], 8)
        else:
            total = op("add", [total, constant(random.randrange(256), 8)], 8)
            op("store", [place, total], 0, memory=memory)
    onward = [op("add", [count, constant(random.choice((1, 1, 1, 2, 15)), 4)], 4)]
    onward += [op("sub", [left, constant(1, 4)], 4), total]
    more = op("ne", [left, constant(1, 4)], 1)
    block.end = Branch(more, [Edge(block, onward)])
    return block


def followed(random: Random) -> Kernel:
    """Two or three loops, and the sum of what they have made."""
    kernel = Kernel("f", "f.c")
    kernel.arguments = [Argument("result", ArgumentKind.SCALAR, "out", "uint8_t", width=8)]
    for name in ("a", "b"):
        kernel.add_memory(Memory(name, MemoryKind.RAM, 8, 16, tuple(random.randbytes(16))))
    trips = random.randint(2, 12)
    arrays = list(kernel.memories.values())
    blocks = [loop(random, f"l{i}", trips, arrays) for i in range(random.randint(2, 3))]
    last = Block("last")
    total = constant(0, 8)
    for value in [b.back_edge.arguments[2] for b in blocks]:
        last.ops.append(Add([total, value], 8))
        total = last.ops[-1]
    for array in arrays:
        for place in range(16):
            last.ops.append(Load([constant(place, 4)], 8, {"memory": array}))
            last.ops.append(Mul([total, constant(37, 8)], 8))
            last.ops.append(Add(last.ops[-2:], 8))
            total = last.ops[-1]
    last.end = Return(value=total)
    entry = Block("entry")
    for before, block in zip([entry, *blocks], [*blocks, last], strict=True):
        start = [constant(random.randrange(16), 4), constant(trips, 4), constant(0, 8)]
        edge = Edge(block, start if block is not last else [])
        before.end.edges.append(edge)
        if before is entry:
            before.end = Jump(edges=[edge])
    kernel.blocks = [entry, *blocks, last]
    return kernel


def test_random_loops_compute_the_same() -> None:
    fused = 0
    for seed in range(400):
        kernel = followed(Random(seed))
        verify(kernel)
        before = deepcopy(kernel)
        fused += fuse_loops.run(kernel)
        verify(kernel, fuse_loops.SLUG)
        assert interpret(kernel, {}) == interpret(before, {}), seed
    assert 40 < fused < 360
