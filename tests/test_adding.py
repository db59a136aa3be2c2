# SPDX-License-Identifier: Apache-2.0
"""What is added has the places that docs/adding.md says, and no others: a toy of each kind is put
just there, and does what it should everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
import tandem
from agreement import Build, build_text, check
from tandem import installation, interface
from tandem.commands import listing
from tandem.compiler.compile import find_target
from tandem.describe.lines import line_json
from tandem.diagnostics import Place, UserError
from tandem.frontend import instructions
from tandem.frontend.clang import Translated, own_functions
from tandem.frontend.directives import known as spellings
from tandem.frontend.directives.directive import Directive
from tandem.frontend.directives.rewrite import Rewritten
from tandem.frontend.directives.spelling import Read, Spelling
from tandem.frontend.program import CFile
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import OPERATIONS, Add, Op, constant
from tandem.ir.ops.circuit import Circuit, Wire
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.languages import known
from tandem.languages.base import Language
from tandem.languages.discovery import Given
from tandem.passes import pipelines
from tandem.passes.rebuild import rebuild, remake
from tandem.schedule.delays import Target
from tandem.synthesis import tools
from tandem.synthesis.errors import SynthesisError
from tandem.synthesis.placers import PLACERS
from tandem.synthesis.placers.placer import Placer, part_option

CLOCK_PS = 10_000
COUNTED = """
unsigned top(const unsigned a[64], unsigned least)
{
    unsigned sum = least;
    for (int i = 0; i < 64; i++)
        sum += __builtin_popcount(a[i]) << 3 ^ least;
    return sum;
}
"""
COUNTED_LINE = 6


@pytest.fixture
def ones() -> Iterator[type[Op]]:
    """An operation, as one class: how many ones a value has."""

    class Ones(Op):
        __slots__ = ()
        slug, summary, arity = "ones", "how many ones there are", 1
        rule, delay_row = "same", "add"

        @staticmethod
        def evaluate(v: Sequence[int], w: Sequence[int], width: int) -> int:
            return v[0].bit_count()

        @classmethod
        def c(cls, width: int, uses: Sequence[str], widths: Sequence[int]) -> str:
            return f"__builtin_popcountll({uses[0]})"

        def hardware(self, circuit: Circuit, wires: Sequence[Wire], name: str) -> Wire:
            bits = [circuit.extract(wires[0], place, 1) for place in range(self.width)]
            total, *others = (circuit.resize(bit, self.width) for bit in bits)
            for other in others:
                total = circuit.binary("add", total, other, name)
            return total

    yield Ones
    del OPERATIONS[Ones.slug]


@pytest.fixture
def counted(
    ones: type[Op], monkeypatch: pytest.MonkeyPatch, target: Target, tmp_path: Path
) -> Build:
    """A kernel with the operation in it, which the import makes of LLVM's intrinsic."""
    made = {"ctpop": lambda builder, parts: builder.build(ones, parts, parts[0].width)}
    monkeypatch.setattr(instructions, "_BUILDERS", instructions._BUILDERS | made)
    return build_text(COUNTED, target, CLOCK_PS, tmp_path, slower_clock=True)


def test_an_operation_is_one_class(counted: Build, ones: type[Op]) -> None:
    """C, interpreter, RTL and cycles agree, and nothing else has heard of it."""
    random = Random(3)
    assert any(isinstance(op, ones) for _, op in counted.finished.ops())
    for least in (0, 1, 77):
        words = [random.getrandbits(32) for _ in range(64)]
        data = b"".join(word.to_bytes(4, "little") for word in words)
        outcome = check(counted, {"a": data, "least": least})
        sums = sum((word.bit_count() << 3) ^ least for word in words)
        result = int.from_bytes(outcome.data["result"], "little")
        assert result == (least + sums) % (1 << 32)


def test_an_operation_is_read_and_told(counted: Build, ones: type[Op]) -> None:
    text = print_kernel(counted.finished)
    assert " = ones %" in text
    assert print_kernel(parse(text, "toy.ir")) == text
    told = [row["operation"] for row in line_json(counted.schedule, COUNTED_LINE)]
    assert ones.slug in told


def test_a_known_value_of_an_operation_folds(ones: type[Op]) -> None:
    kernel = Kernel("k", blocks=[Block("b")])
    made = Builder(kernel, kernel.blocks[0]).build(ones, [constant(0b10110, 8)], 8)
    assert made.value == 3 and not kernel.blocks[0].ops


@pytest.fixture
def turned() -> Iterator[list[str]]:
    """A pass at its place in the list, which turns sums round; the kernels that it has run on."""
    ran: list[str] = []

    def run(kernel: Kernel) -> None:
        def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
            return remake(builder, op, operands[::-1] if isinstance(op, Add) else operands)

        ran.append(kernel.name)
        rebuild(kernel, change)

    pipelines.DEFAULT.append(("turn-sums", lambda kernel, _: run(kernel)))
    yield ran
    pipelines.DEFAULT.pop()


def test_a_pass_is_a_function_and_a_place_in_the_list(
    turned: list[str], target: Target, tmp_path: Path
) -> None:
    built = build_text(COUNTED, target, CLOCK_PS, tmp_path, slower_clock=True)
    check(built, {"a": bytes(range(256)), "least": 5})
    assert "top" in turned


class Squares(Language):
    """A language of one statement, `NAME squares N`: the sum of the squares of N numbers."""

    name, suffixes = "squares", (".squares",)

    def translate(self, files: Sequence[CFile]) -> list[Translated]:
        return [Translated(own_functions(self._c(file.path)), Rewritten("")) for file in files]

    def _c(self, path: Path) -> str:
        name, _, count = path.read_text().split()
        loop = f"for (int i = 0; i < {count}; i++) sum += v[i] * v[i];"
        return f"int squares_{name}(const int *v) {{ int sum = 0; {loop} return sum; }}"

    def files_read(self, file: CFile) -> list[Path]:
        return [file.path]

    def said(self, name: str, modules: Sequence[str]) -> Iterator[str]:
        yield f"squares_{name}"


CALLS_SQUARES = """
int squares_all(const int *v);
int main(void)
{
    int v[5] = {1, 2, 3, 4, 5};
    return squares_all(v) != 55;
}
"""


def test_a_language_is_a_class_and_a_place_in_the_list(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its files are sources like any other's, and functions have the names that it says."""
    (tmp_path / "main.c").write_text(CALLS_SQUARES)
    (tmp_path / "sum.squares").write_text("all squares 5\n")
    given = Given(sources=(tmp_path / "sum.squares",))
    with pytest.raises(UserError, match="language"):
        tandem.verify(tmp_path / "main.c", "all", given=given)
    monkeypatch.setattr(known, "LANGUAGES", [*known.LANGUAGES, Squares()])
    result = tandem.verify(tmp_path / "main.c", "all", given=given)
    (kernel,) = result["kernels"]
    assert (kernel["name"], result["checked_calls"], result["mismatches"]) == ("squares_all", 1, 0)


def read_toy(words: str, shown: str, place: Place) -> Read:
    """Of a spelling with one directive, `twice`: two copies of the body of the loop around it."""
    assert words == "twice"
    return Read(Directive("unroll", shown, place, number=2))


SUMS = """
unsigned top(const unsigned a[64])
{
    unsigned sum = 0;
#pragma BEFORE
    for (int i = 0; i < 64; i++) {
#pragma INSIDE
        sum = sum * a[i] ^ a[i] >> 3;
    }
    return sum;
}
"""


def test_a_spelling_of_directives_is_a_reader_and_a_place_in_the_list(
    monkeypatch: pytest.MonkeyPatch, target: Target, tmp_path: Path
) -> None:
    """Its words are others' words; clang takes them for its own to ignore until it is there."""

    def verilog(before: str = "nobody", inside: str = "nobody") -> str:
        text = SUMS.replace("BEFORE", before).replace("INSIDE", inside)
        build = build_text(text, target, CLOCK_PS, tmp_path, slower_clock=True)
        check(build, {"a": bytes(range(256))})
        return (build.package / "kernel.sv").read_text().partition("module")[2]

    plain, twice = verilog(), verilog(before="tandem unroll(2)")
    assert verilog(inside="TOY twice") == plain != twice
    monkeypatch.setattr(spellings, "SPELLINGS", [*spellings.SPELLINGS, Spelling("toy", read_toy)])
    assert verilog(inside="TOY twice") == twice


@pytest.fixture
def toy_target(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Target:
    """A family whose file is one among the others': its sums take six times as long."""
    folder = tmp_path / "data"
    (folder / "targets").mkdir(parents=True)
    for file in installation.data_file("targets", "").iterdir():
        (folder / "targets" / file.name).symlink_to(file.resolve())
    for other in installation.DATA.iterdir():
        if other.name != "targets":
            (folder / other.name).symlink_to(other.resolve())
    text = (folder / "targets" / "ecp5.toml").read_text()
    slow = [str(6 * delay) for delay in find_target("ecp5").rows["add"].delay_ps]
    head, row = text.split("[operators.add]")
    row = re.sub(r"delay_ps = .*", f"delay_ps = [{', '.join(slow)}]", row, count=1)
    text = f"{head}[operators.add]{row}".replace('nextpnr = "ecp5"', 'nextpnr = "toy"')
    text = text.replace('name = "ecp5"', 'name = "toy"').replace("Lattice ECP5", "A toy")
    (folder / "targets" / "toy.toml").write_text(text)
    monkeypatch.setattr(installation, "DATA", folder)
    return find_target("toy")


class Toy(Placer):
    """It places with what there is for another family."""

    def find(self) -> tools.Tool:
        return tools.find("nextpnr-ecp5")


def test_a_target_is_a_file_and_what_places_for_it(
    toy_target: Target,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """It is listed, compiled for, estimated by, and placed for, as any other is."""
    listing.show("targets")
    assert re.search(r"(?m)^toy +A toy, speed grade 6$", capsys.readouterr().out)
    source = tmp_path / "top.c"
    source.write_text(SUMS.replace("*", "+"))
    fast, slow = (
        tandem.compile(source, "top", clock_ns=40, target=name, output=tmp_path / name)
        for name in ("ecp5", "toy")
    )
    assert slow["fmax_mhz"] < fast["fmax_mhz"] / 3
    with pytest.raises(SynthesisError, match="no placer for `toy`"):
        interface.place(slow)
    monkeypatch.setitem(PLACERS, "toy", Toy("toy", "a toy", part_option, "--lpf"))
    assert interface.place(slow)["resources"]["lut4"] > 0
