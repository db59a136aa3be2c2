# SPDX-License-Identifier: Apache-2.0
"""The IR: its text form, its verifier, and the folding builder against plain evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_ir import KINDS, TwinKernels, numbers_for, twins
from tandem.compiler import compile_kernel, import_c
from tandem.diagnostics import InternalError, UserError
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.ir.verifier import verify
from tandem.schedule.delays import Target

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.c"))


@pytest.mark.parametrize("source", KERNELS, ids=lambda path: path.stem)
def test_imported_text_reads_back(source: Path) -> None:
    kernel = import_c(Program.of(source), source.stem).kernel
    verify(kernel)
    text = print_kernel(kernel)
    again = parse(text)
    verify(again)
    assert print_kernel(again) == text


@pytest.mark.parametrize("source", KERNELS, ids=lambda path: path.stem)
def test_finished_text_reads_back(source: Path, target: Target) -> None:
    text = print_kernel(
        compile_kernel(Program.of(source), source.stem, target, 10_000, True).kernel
    )
    again = parse(text)
    verify(again)
    assert print_kernel(again) == text


def test_kernel_read_from_text_computes_the_same() -> None:
    source = next(path for path in KERNELS if path.stem == "crc32")
    kernel = import_c(Program.of(source), "crc32").kernel
    data = {"data": bytearray(b"123456789"), "bytes": 9}
    assert interpret(kernel, data) == interpret(parse(print_kernel(kernel)), data) == 0xCBF43926


HEAD = """kernel @broken
  argument @a : scalar in i8 "uint8_t"
  argument @b : scalar in i4 "uint8_t"
  argument @result : scalar out i8 "uint8_t"
  memory @table : rom 2 x i8 = [1, 2]
"""
BROKEN = {
    "widths differ": ("%0 = add @a, @b : i8", "differ in width"),
    "operand missing": ("%0 = sub @a : i8", "takes 2 operands"),
    "comparison too wide": ("%0 = eq @a, @a : i8", "compares"),
    "extract beyond": ("%0 = extract @a {low=4} : i5", "beyond its operand"),
    "concat too narrow": ("%0 = concat @a, @b : i8", "do not add up"),
    "select by a number": ("%0 = select @a, @a, @a : i8", "operands"),
    "no such table": ("%0 = rom @b {memory=none} : i8", "none"),
    "table is wider": ("%0 = rom @b {memory=table} : i4", "table"),
    "no width": ("%0 = add @a, @a : i0", "has width 0"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_verifier_rejects_operation(name: str) -> None:
    line, message = BROKEN[name]
    kernel = parse(f"{HEAD}^entry:\n  {line}\n  return 0:i8\n")
    with pytest.raises(InternalError, match=message):
        verify(kernel)


BROKEN_FLOW = {
    "value of the other branch": (
        """^entry:
  %0 = extract @a {low=0} : i1
  branch %0, ^left(), ^right()
^left:
  %1 = add @a, @a : i8
  jump ^end()
^right:
  jump ^end()
^end:
  return %1
""",
        "before its definition",
    ),
    "value defined later": (
        """^entry:
  jump ^loop(0:i8)
^loop(%0:i8):
  %1 = add %0, @a : i8
  %2 = eq %1, 0:i8 : i1
  branch %2, ^loop(%1), ^end(%0)
^end(%3:i8):
  return %1
""",
        None,
    ),
    "argument missing": ("^entry:\n  jump ^end()\n^end(%0:i8):\n  return %0\n", "passes"),
    "argument of another width": (
        "^entry:\n  jump ^end(@b)\n^end(%0:i8):\n  return %0\n",
        "passes",
    ),
    "branch with one edge": (
        "^entry:\n  %0 = eq @a, @a : i1\n  branch %0, ^end()\n^end:\n  return @a\n",
        "needs 2 edges",
    ),
    "condition of eight bits": (
        "^entry:\n  branch @a, ^end(), ^end()\n^end:\n  return @a\n",
        "condition",
    ),
    "result of another width": ("^entry:\n  return @b\n", "return"),
}


@pytest.mark.parametrize("name", BROKEN_FLOW)
def test_verifier_checks_control_flow(name: str) -> None:
    text, message = BROKEN_FLOW[name]
    kernel = parse(HEAD + text)
    if message is None:
        verify(kernel)  # uses that look wrong and are not
    else:
        with pytest.raises(InternalError, match=message):
            verify(kernel)
    assert kernel.blocks


@pytest.mark.parametrize(
    "line",
    [
        "%0 = plus @a, @a : i8",
        "%0 = add @c, @a : i8",
        "%0 = add 7, @a : i8",
        "%0 = add @a, @a : 8",
        "jump ^nowhere()",
    ],
)
def test_parser_names_the_line_it_cannot_read(line: str) -> None:
    with pytest.raises(UserError, match=r"broken\.ir:7"):
        parse(f"{HEAD}^entry:\n  {line}\n  return @a\n", "broken.ir")


@pytest.mark.parametrize("kind", KINDS)
def test_folding_never_changes_a_value(kind: str) -> None:
    _compare_twins((kind,), examples=60)


def test_folding_operations_of_operations() -> None:
    _compare_twins(KINDS, examples=200)


def _compare_twins(kinds: tuple[str, ...], examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(twins(kinds), st.data())
    def compare(made: TwinKernels, data: st.DataObject) -> None:
        plain, folded = made.kernels
        verify(folded)
        for _ in range(4):
            values = data.draw(st.composite(numbers_for)(plain))
            assert interpret(folded, values) == interpret(plain, values)

    compare()


@settings(max_examples=100, deadline=None)
@given(twins(), st.data())
def test_random_kernels_read_back(made: TwinKernels, data: st.DataObject) -> None:
    for kernel in made.kernels:
        text = print_kernel(kernel)
        again = parse(text)
        assert print_kernel(again) == text
        values = data.draw(st.composite(numbers_for)(kernel))
        assert interpret(again, values) == interpret(kernel, values)
