# SPDX-License-Identifier: Apache-2.0
"""The C of each operation means what the table says, where signs are at their worst."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

from tandem.frontend.clang import run_clang
from tandem.ir.ops import OPERATIONS, OPPOSITE, Compare, Division, Logic, Mul, Op, Shift, Sum, mask
from tandem.ir.ops.c import c_type, literal

MOST_BITS = 3
ALIKE = [op for op in OPERATIONS.values() if issubclass(op, (Sum, Mul, Logic, Shift, Division))]
"""Whose result is as wide as their operands."""


def test_c_of_an_operation_is_its_meaning(tmp_path: Path) -> None:
    """All values of all operands of one to three bits."""
    lines, expected = [], []
    for width in range(1, MOST_BITS + 1):
        for kind in (*ALIKE, *OPPOSITE):
            result = 1 if issubclass(kind, Compare) else width
            for values in product(range(1 << width), repeat=2):
                uses = [literal(value, width) for value in values]
                text = kind.c(result, uses, [width, width])
                lines.append(f"    r = ({c_type(result)})({text}); putchar('0' + (int)r);")
                expected.append(_meaning(kind, values, width, result))
    source, program = tmp_path / "operations.c", tmp_path / "operations"
    body = "\n".join(["    unsigned r;", *lines])
    source.write_text(f"#include <stdint.h>\n#include <stdio.h>\nint main(void)\n{{\n{body}\n}}\n")
    run_clang(["-std=c2x", "-O1", "-w", source, "-o", program])
    got = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert [int(digit) for digit in got] == expected


def _meaning(kind: type[Op], values: tuple[int, ...], width: int, result: int) -> int:
    evaluate = kind.evaluate
    assert evaluate is not None
    return evaluate(values, [width, width], result) & mask(result)
