# SPDX-License-Identifier: Apache-2.0
"""The IR: its text form, its verifier, and the folding builder against plain evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_ir import KINDS, TwinKernels, numbers_for, twins
from seeds import ALL
from tandem.analysis.readers import read_by
from tandem.compiler.compile import compile_kernel
from tandem.diagnostics import InternalError, UserError
from tandem.frontend.program import Program
from tandem.ir.argument import Extent
from tandem.ir.blocks import Block, Branch, Edge, Jump
from tandem.ir.builder import Builder
from tandem.ir.dominators import immediate_dominators
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.ops import Add, And, Concat, Constant, Op, Or, Parameter, Select, Xor
from tandem.ir.parser import parse
from tandem.ir.printer import HEAD, print_kernel
from tandem.ir.verifier import verify
from tandem.languages.imported import import_c
from tandem.schedule.delays import Target

GOLDEN = sorted((Path(__file__).parent / "passes").glob("*/*.ir"))
ODD_WORDS = ["-1", "²", "9" * 50, '"', "(", ":i0", "@", "%", "^", "\\"]
KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.c"))


@pytest.mark.parametrize("source", KERNELS, ids=lambda path: path.stem)
def test_imported_text_reads_back(source: Path) -> None:
    kernel = import_c(Program.of(source), source.stem).kernel
    verify(kernel)
    _reads_back(kernel)


@pytest.mark.parametrize("source", KERNELS, ids=lambda path: path.stem)
def test_finished_text_reads_back(source: Path, target: Target) -> None:
    kernel = compile_kernel(Program.of(source), source.stem, target, 10_000, True).kernel
    _reads_back(kernel)
    assert kernel.plain is not None
    _reads_back(kernel.plain)


NOT_IN_TEXT = {"pieces", "probes", "plain", "unsplit", "macros", "facts", "deeds"}
"""Members of a kernel that the printer says it leaves out."""


def _reads_back(kernel: Kernel) -> None:
    """The text is all that there is of a kernel: whatever it holds is there again."""
    text = print_kernel(kernel)
    again = parse(text)
    verify(again)
    assert print_kernel(again) == text
    _same(kernel, again)


def _same(one: object, other: object) -> None:
    """Whether all members of all objects that are reached from two are equal, and each stands for
    one of the other's wherever it is met. A loop, for chains of operations are long."""
    partners: dict[int, object] = {}
    work: list[tuple[str, Any, Any]] = [("kernel", one, other)]
    while work:
        path, a, b = work.pop()
        assert type(a) is type(b), path
        if isinstance(a, int | str | Extent | LoopId | None):
            assert a == b, path
        elif isinstance(a, list | tuple | dict | set):
            assert len(a) == len(b), path
            work += [(f"{path}[{i}]", x, y) for i, (x, y) in enumerate(_pairs(a, b))]
        elif id(a) in partners:
            assert partners[id(a)] is b, path
        else:
            if not _is_constant(a):
                partners[id(a)] = b
            work += [(f"{path}.{n}", getattr(a, n), getattr(b, n)) for n in _members(a)]


def _pairs(a: Any, b: Any) -> Iterable[tuple[object, object]]:
    if isinstance(a, dict):
        return zip(sorted(a.items()), sorted(b.items()), strict=True)
    return zip(sorted(a), sorted(b), strict=True) if isinstance(a, set) else zip(a, b, strict=True)


def _is_constant(value: object) -> bool:
    """Constants have no place and no origin: one object may be met as several equal ones."""
    return isinstance(value, Op) and isinstance(value, Constant)


def _members(value: Any) -> list[str]:
    """`bits` and `settled` are what has been found out of an operation, and will be again."""
    if _is_constant(value):
        return ["width", "attributes"]
    if isinstance(value, Op):
        return [name for name in Op.__slots__ if name not in ("bits", "settled")]
    return [f.name for f in fields(value) if f.name not in NOT_IN_TEXT]


def test_kernel_read_from_text_computes_the_same() -> None:
    source = next(path for path in KERNELS if path.stem == "crc32")
    kernel = import_c(Program.of(source), "crc32").kernel
    data = {"data": bytearray(b"123456789"), "bytes": 9}
    assert interpret(kernel, data) == interpret(parse(print_kernel(kernel)), data) == 0xCBF43926


EVERYTHING = """tandem-ir 1
kernel @all "a \\"b\\".c"
  argument @x : memory inout memory=@x "uint8_t *" declared="argument n:8" proof="argument n:8"
  argument @y : stream out memory=@y unread "uint8_t *" exact="constant 4:64"
  argument @z : memory in memory=@z float_bytes=4 "uint8_t *" bound="constant 4:64"
  argument @v : memory in memory=@v variable="v.\\"":4 "uint8_t *" typed="constant 4:64"
  argument @n : scalar in i8 signed "int8_t"
  argument @result : scalar out i8 "uint8_t"
  argument @has_x : scalar in i1 tells_of=@x "_Bool"
  argument @p : place in i32 "void *"
  argument @q : place in i32 "void *"
  argument @p_q : memory in memory=@p_q joins=@p,@q "void *"
  argument @w : memory out memory=@w made "void *"
  memory @x : external ? x i8
  memory @y : stream_out ? x i8
  memory @z : external 4 x i8
  memory @v : external 4 x i8
  memory @p_q : external ? x i8
  memory @w : external ? x i8
  memory @s : trap 1 x i8
  memory @r : ram 8 x i8 banks=2
  memory @t : rom 2 x i8 = [1, 2]
  in_place @x, @y
  overlap @x, @z, @v
  unrolled 3: 4, 5
  unrolled 9:5@7:2@8:1#1: 9
  independent 9:3: 64
  copyable 5:2: 32
  stores_read 6
  windows 5
  divisions 8
  rows 7:1, 8
  nests 9
  while_nests 3, 7
  pairs 3
  mixed 4
  planes 6
  borders 6
  diagonal 6
  pivots 6
  interchangeable 4, 5
  multipliers 3
  least_ii 2
^a:
  %0 = rom @n {memory=t} : i8 !2
  call @f, ^f(%0), ^b() !2
^b: line=3 loop=3:9@7:2#1 part=sums ii=0 copies=4 turns=2 uncounted=1 rounds=7 interleaved=4 trip=@n
  %1 = result {function=f} : i8 !3 "answer"
  store %1, 7:i8, 1:i1 {forwarded=2, memory=x} !4
  %2 = eq %1, @n : i1 "more"
  branch %2, ^b(), ^c(%1, 0:i1) seldom
^c(%3:i8 !5 "größe, \\"), ^", %4:i1): line=5 ii=-1 copies=0
  push %3 {memory=y}
  return %3 !6
^f(%5:i8):
  return %5
"""


def test_every_feature_reads_back() -> None:
    kernel = parse(EVERYTHING)
    assert print_kernel(kernel) == EVERYTHING
    assert all(getattr(kernel, f.name) for f in fields(kernel) if f.name not in NOT_IN_TEXT)


DECLARED = """tandem-ir 1
kernel @broken
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
    "table is wider": ("%0 = rom @b {memory=table} : i4", "table"),
    "no width": ("%0 = add @a, @a : i0", "has width 0"),
}


def test_an_operation_about_no_memory_is_not_read() -> None:
    text = f"{DECLARED}^entry:\n  %0 = rom @b {{memory=none}} : i8\n  return 0:i8\n"
    with pytest.raises(UserError, match="no memory @none"):
        parse(text)


@pytest.mark.parametrize("name", BROKEN)
def test_verifier_rejects_operation(name: str) -> None:
    line, message = BROKEN[name]
    kernel = parse(f"{DECLARED}^entry:\n  {line}\n  return 0:i8\n")
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
    kernel = parse(DECLARED + text)
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
    with pytest.raises(UserError, match=r"broken\.ir:8"):
        parse(f"{DECLARED}^entry:\n  {line}\n  return @a\n", "broken.ir")


def _texts() -> list[str]:
    parts = [path.read_text().split("// after\n") for path in GOLDEN]
    return [part for text in parts for part in text if HEAD in part]


def test_damaged_text_gets_a_diagnostic() -> None:
    random, texts, refused = Random(7), _texts(), 0
    for _ in range(3000):
        words = re.split(r"(\W)", random.choice(texts))
        for place in random.sample(range(len(words)), 2):
            words[place] = random.choice(["", *ODD_WORDS, *random.choices(words, k=8)])
        try:
            parse("".join(words), "damaged.ir")
        except UserError as error:
            assert re.match(r"damaged\.ir:\d+: error\[ir-.*\n  help: ", str(error))
            refused += 1
    assert refused > 1000


@pytest.mark.parametrize("text", ["", "\n// a kernel\nkernel @f\n", "kernel @f\n// tandem-ir 1\n"])
def test_text_without_a_version(text: str) -> None:
    with pytest.raises(UserError, match=rf"old\.ir:\d: .*begin with `{HEAD}`.*\n  help: .*{HEAD}"):
        parse(text, "old.ir")


@pytest.mark.parametrize("version", ["0", "2", "11", "1.1", "x"])
def test_text_of_another_version_is_not_read(version: str) -> None:
    text = f"// later\ntandem-ir {version}\nsomething new\n"
    with pytest.raises(UserError, match=rf"new\.ir:2: .*version.*`{HEAD}`\n  help: "):
        parse(text, "new.ir")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
def test_folding_never_changes_a_value(kind: type[Op]) -> None:
    _compare_twins((kind,), examples=60 if ALL else 30)


def test_folding_operations_of_operations() -> None:
    _compare_twins(KINDS, examples=200)


def _compare_twins(kinds: Sequence[type[Op]], examples: int) -> None:
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


def test_an_operand_that_is_there_twice_is_folded() -> None:
    """Whole, or in some of the bits."""
    block = Block("b", [x := Parameter((), 8)])
    builder = Builder(Kernel("k", blocks=[block]), block)
    low, high = builder.extract(x, 0, 4), builder.extract(x, 4, 4)
    swapped = builder.concat(low, low)  # the upper half is another one, the lower half the same
    assert builder.logic(And, [x, x]) is x
    assert builder.logic(Or, [x, x]) is x
    assert builder.logic(Xor, [x, x]).value == 0
    assert builder.build(Select, [builder.extract(x, 0, 1), x, x], 8) is x
    both = builder.logic(And, [x, swapped])
    assert isinstance(both, Concat)
    made = next(op for op in block.ops if isinstance(op, And))
    assert made.width == 4
    assert set(made.operands) == {low, high}


@pytest.mark.parametrize("seed", range(40))
def test_dominators_are_what_no_path_avoids(seed: int) -> None:
    """Of any graph, with loops of two entries too."""
    random = Random(seed)
    blocks = [Block(f"b{i}") for i in range(7)]
    for i, block in enumerate(blocks):
        goals = random.choices(blocks[1:], k=random.choice((1, 2, 2)))
        edges = [Edge(goal, []) for goal in {*goals, *blocks[i + 1 : i + 2]}]
        block.end = (Branch if len(edges) > 1 else Jump)(edges=edges)
    found = immediate_dominators(Kernel("k", blocks=blocks))
    for block in blocks[1:]:
        strict = {
            other for other in blocks if other is not block and not _leads(blocks, block, other)
        }
        assert found[block] in strict
        assert all(
            other is found[block] or not _leads(blocks, found[block], other) for other in strict
        )


def _leads(blocks: list[Block], goal: Block, without: Block) -> bool:
    """Whether a path from the entry comes to a block past another one."""
    found, work = {without}, [blocks[0]]
    while work:
        block = work.pop()
        if block not in found:
            found.add(block)
            work += [edge.block for edge in block.end.edges]
    return goal in found and goal is not without


def test_a_loop_reads_its_number_of_iterations() -> None:
    count, other, made = Parameter((), 8), Parameter((), 8), Parameter((), 8)
    loop = Block("loop", ops=[Add([count, other], 8)])
    assert list(read_by(loop)) == [count, other]
    loop.trip_count = made
    assert list(read_by(loop)) == [count, other, made]
    assert list(read_by(loop, but=loop.ops)) == [made]
