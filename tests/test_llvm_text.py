# SPDX-License-Identifier: Apache-2.0
"""What one LLVM writes after a module was read and changed as objects, the other reads as if it had
written it itself."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.optimise import Optimiser
from tandem.frontend.program import CFile, Program
from tandem.languages.imported import import_c
from tandem.llvm import module as llvm_module
from tandem.llvm.binding import call
from tandem.llvm.module import Module, Unknown, edited, opened
from tandem.llvm.read import parse

ROOT = Path(__file__).parents[1]
C_FILES = [
    *sorted((ROOT / "bench" / "kernels").glob("*.c")),
    *sorted((ROOT / "library").glob("*/*.c")),
]

KERNELS = sorted((ROOT / "tests" / "kernels").glob("*.c"))
CONSTANTS = {
    "float": "0x3FB99999A0000000 0x7FF0000000000000 0xFFF0000000000000 0x7FF8000000000000"
    " 0x7FF8000020000000 0xFFF8000000000000 0x36A0000000000000 0x380FFFFFC0000000 1.500000e+00",
    "double": "0x3FB999999999999A 0x7FF0000000000000 0x7FF8000000000001 0x0000000000000001"
    " 0x8000000000000000 0x7FF0000000000001 1.000000e-01",
    "half": "0xH7C00 0xHFC00 0xH7E01 0xH0001 0xH3C00 0xH2E66",
    "bfloat": "0xR7F80 0xR7FC1 0xR0001 0xR3F80 0xR3DCD",
    "x86_fp80": "0xK4000C8F5C28F5C28F800 0xK7FFF8000000000000000 0xK00000000000000000001",
    "fp128": "0xL00000000000000014000000000000000 0xL00000000000000007FFF000000000000",
}
EFFECTS = (
    "read",
    "argmem: readwrite, inaccessiblemem: none",
    "read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none",
    "write, target_mem0: none, target_mem1: read",
    "readwrite, errnomem: none, target_mem0: write",
)


def read(text: str) -> list[str]:
    """The lines of a module as llvmlite's LLVM writes it again."""
    module = llvm.parse_assembly(text, llvm.create_context())
    lines = str(module).splitlines()
    return [line for line in lines if not line.startswith(("; ModuleID", "source_filename"))]


def check_same(text: str) -> None:
    with opened(text) as module:
        made = module.text()
    assert read(made) == read(text)


@pytest.mark.parametrize("kind", CONSTANTS)
def test_numbers_are_the_same_to_the_bit(kind: str) -> None:
    numbers = CONSTANTS[kind].split()
    stores = "".join(f"  store {kind} {number}, ptr %p\n" for number in numbers)
    listed = ", ".join(f"{kind} {number}" for number in numbers)
    count = len(numbers)
    check_same(
        f"@array = constant [{count} x {kind}] [{listed}]\n"
        f"%s = type {{ i32, <{count} x {kind}> }}\n"
        f"@struct = global %s {{ i32 7, <{count} x {kind}> <{listed}> }}\n"
        f"@other = global <{{ {kind}, i8 }}> <{{ {kind} {numbers[0]}, i8 1 }}>\n"
        f"define void @f(ptr %p) {{\n{stores}  ret void\n}}\n"
    )


@pytest.mark.parametrize("effects", EFFECTS)
def test_effects_are_the_same(effects: str) -> None:
    check_same(
        f"declare void @g() memory({effects})\n"
        f"define void @f() memory({effects}) nounwind {{\n"
        f"  call void @g() memory({effects})\n  ret void\n}}\n"
    )


@pytest.mark.parametrize("path", C_FILES, ids=lambda path: path.stem)
def test_what_clang_writes_is_the_same(path: Path) -> None:
    if path.parent.name == "chip":
        pytest.skip("is of chips, with headers made for each")
    check_same(to_llvm_ir(CFile(path)))


def test_what_llvm_has_improved_is_the_same() -> None:
    path = ROOT / "tests" / "kernels" / "blend.c"
    optimiser = Optimiser([to_llvm_ir(CFile(path))], "blend", [str(path)])
    texts = optimiser.optimised(with_texts=True).texts
    assert any("target_mem0: none" in text for _, text in texts)
    for _, text in texts:
        check_same(text)


@pytest.mark.parametrize(
    "wish",
    [
        "vectorize(enable)",
        "vectorize_width(4, scalable)",
        "vectorize_width(4)",
        "vectorize_predicate(enable)",
        "vectorize_predicate(disable)",
        "interleave_count(2)",
        "distribute(enable)",
        "distribute(disable)",
        "unroll(full)",
        "pipeline(disable)",
    ],
)
def test_what_is_asked_of_loops_is_the_same(wish: str, tmp_path: Path) -> None:
    path = tmp_path / "loop.c"
    pragma = f"#pragma clang loop {wish}"
    path.write_text(f"void f(int *a, int n) {{\n{pragma}\nfor (int i = 0; i < n; i++) a[i] = i; }}")
    check_same(to_llvm_ir(CFile(path)))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_what_a_stage_leaves_unchanged_is_as_it_was_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next stage works on it where the text is the same."""
    kept = llvm_module._keep_at_hand
    seen: list[str] = []

    def check(text: str, module: Module) -> None:
        seen.append(text)
        _, again = parse(text)
        assert printed(module.ref) == printed(again)
        kept(text, module)

    monkeypatch.setattr(llvm_module, "_keep_at_hand", check)
    import_c(Program.of(path), path.stem)
    assert len(seen) > len(set(seen)) > 1


def test_a_change_that_gives_up_leaves_the_text_as_it_was() -> None:
    """What it has done by then is not there for the next one."""
    text = "@left = global i32 0\n"

    def give_up(module: Module) -> bool:
        call("DeleteGlobal", module.variable("left"))
        raise Unknown

    assert edited(text, give_up) is None
    with opened(text) as module:
        assert module.variable("left") is not None


def printed(module: int) -> str:
    return ctypes.string_at(call("PrintModuleToString", module)).decode()


def test_where_llvm_gives_up_that_is_told() -> None:
    """It would end the process with a signal."""
    broken = to_llvm_ir(CFile(ROOT / "tests" / "kernels" / "blend.c")).replace(
        '!{!"llvm.loop.mustprogress"}', '!{!"llvm.loop.distribute.enable", i32 5}'
    )
    code = "import sys; from tandem.llvm.read import parse; parse(sys.stdin.read())"
    done = subprocess.run(
        [sys.executable, "-c", code], input=broken, capture_output=True, text=True
    )
    assert done.returncode == 70
    assert "error[llvm-ir]: LLVM gives up" in done.stderr and "please report it" in done.stderr
