# SPDX-License-Identifier: Apache-2.0
"""Programs of several files: statics keep to their file, and one function is the kernel."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tandem.diagnostics import UserError
from tandem.frontend.linking import WEAK, definitions_of
from tandem.frontend.program import CFile, Program
from tandem.frontend.symbols import symbol
from tandem.host.archives import members
from tandem.host.relink import _with_replaced
from tandem.host.units import Unit
from tandem.ir.interpreter import interpret
from tandem.languages.imported import import_c

HEADER = """
struct pair { int a, b; };
static const int weights[4] = {1, 3, 5, 7};
static inline int part(struct pair p) { return p.a * weights[p.b & 3] + STEP; }
static inline int mix(int x) { struct pair p = {x, x + 1}; return part(p) + "abcd"[x & 3]; }
"""


def write(folder: Path, **files: str) -> list[Path]:
    paths = []
    for name, text in files.items():
        path = folder / f"{name}.c"
        path.write_text(text)
        paths.append(path)
    return paths


def run(sources: list[Path], top: str, x: int) -> int | None:
    kernel = import_c(Program.of(*sources), top).kernel
    return interpret(kernel, {"x": x})


def test_a_function_of_a_header_is_one_kernel(tmp_path: Path) -> None:
    (tmp_path / "kernel.h").write_text(HEADER)
    sources = write(
        tmp_path,
        main='#define STEP 2\nstatic const char *s = "before";\n#include "kernel.h"\n'
        "int main(void) { return mix(*s); }",
        other='#define STEP (1 + 1)\n#include "kernel.h"\nint other(int x) { return mix(x) + 1; }',
    )
    assert run(sources, "mix", 2) == 2 * 7 + 2 + ord("c")
    assert run(sources, "other", 2) == 2 * 7 + 2 + ord("c") + 1


@pytest.mark.parametrize("order", [1, -1])
def test_a_header_that_means_two_things_is_ambiguous(tmp_path: Path, order: int) -> None:
    """The function itself is the same in both files; a function it calls is not."""
    (tmp_path / "kernel.h").write_text(HEADER)
    text = '#define STEP {}\n#include "kernel.h"\nint {}(int x) {{ return mix(x); }}'
    sources = write(tmp_path, a=text.format(1, "f"), b=text.format(2, "g"))[::order]
    with pytest.raises(UserError, match=r"ambiguous.*`mix`.*[ab]\.c"):
        import_c(Program.of(*sources), "mix")


def test_statics_of_one_name_keep_to_their_files(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        a="static const int k = 5;\nstatic int help(int x) { return x + k; }\nint b(int x);\n"
        "int a(int x) { return 1000 * help(x) + b(x); }",
        b="static const int k = 70;\nstatic int help(int x) { return x * k; }\n"
        "int b(int x) { return help(x); }",
    )
    assert run(sources, "a", 3) == 8000 + 210
    with pytest.raises(UserError, match=r"b\.c:2: error.ambiguous.*a\.c:2"):
        import_c(Program.of(*sources), "help")


def test_a_static_kernel_in_the_second_file(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        a="int b(int x);\nint main(void) { return b(1); }",
        b="static int top(int x) { return x - 1; }\nint b(int x) { return top(x); }",
    )
    assert run(sources, "top", 8) == 7


@pytest.mark.parametrize("second", ["int f(int x) { return x; }", "int f = 3;"])
def test_a_name_defined_twice(tmp_path: Path, second: str) -> None:
    sources = write(
        tmp_path,
        a="\nint f(int x) { return x + 1; }",
        b=f"int top(int x) {{ return x; }}\n{second}",
    )
    with pytest.raises(UserError, match=r"b\.c:2: error.multiply-defined.*a\.c:2"):
        import_c(Program.of(*sources), "top")


def test_a_strong_function_wins_over_a_weak_one(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        a="__attribute__((weak)) int f(int x) { return x + 1; }\n"
        "int top(int x) { return f(x) * 10; }",
        b="int f(int x) { return x + 2; }",
    )
    assert run(sources, "top", 3) == 50
    assert run(sources, "f", 3) == 5


def test_a_function_whose_name_is_an_attribute_of_llvm(tmp_path: Path) -> None:
    text = "int noinline(int x) { return x ^ 5; }\nint top(int x) { return noinline(x) + 1; }"
    assert run(write(tmp_path, a=text), "top", 3) == 7
    assert run(write(tmp_path, a=text), "noinline", 3) == 6


def test_names_in_quotes() -> None:
    text = (
        '@"gr\\C3\\B6" = internal constant i32 1\n@x = external global i32\n@y = weak global i32 2'
    )
    found = definitions_of(text)
    assert found.keys() == {"grö", "y"}
    assert found["grö"].is_local and found["y"].linkage in WEAK


def test_an_unknown_name_is_told_with_the_nearest(tmp_path: Path) -> None:
    text = "".join(f"int step{i}(int x) {{ return x + {i}; }}\n" for i in range(40))
    sources = write(tmp_path, main=text + "int blur(int x) { return x; }\n")
    with pytest.raises(UserError, match="nearest of the 41 that are defined: blur, ") as raised:
        import_c(Program.of(*sources), "blurr")
    assert str(raised.value).count("step") < 8


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("top", "top"),
        ("f.1", "f.1"),
        ("1f", '"1f"'),
        ("a b~", '"a b~"'),
        ("é$", '"\\C3\\A9$"'),
        ("a\x7f\x1f", '"a\\7F\\1F"'),
        ('"ü\\', '"\\22\\C3\\BC\\5C"'),
    ],
)
def test_a_symbol_is_written_as_llvm_does(name: str, written: str) -> None:
    assert symbol(name) == written
    (function,) = llvm.parse_assembly(f"declare void @{written}()\n").functions
    assert function.name == name


def test_new_objects_come_in_place_of_old_ones_and_before_an_archive() -> None:
    def unit(position: int, is_member: bool) -> Unit:
        return Unit("u", position, is_member, CFile(Path("u.c")), "", "")

    words = ["cc", "a.o", "lib.a", "b.o"]
    new = [(unit(at, at == 2), Path(f"new{at}.o")) for at in (1, 2, 3)]
    assert _with_replaced(words, new) == ["cc", "new1.o", "new2.o", "lib.a", "new3.o"]
    assert words == ["cc", "a.o", "lib.a", "b.o"]


def entry(field: str, content: bytes, size: int | None = None) -> bytes:
    """A member of an archive: its header, and what is behind it."""
    length = len(content) if size is None else size
    header = f"{field:16}{'0':12}{'0':6}{'0':6}{'644':8}{length:<10}`\n".encode()
    return header + content + b"\n" * (len(content) % 2)


LONG = b"a-name-of-some-length.o/\n"
ARCHIVES = {
    "gnu": b"!<arch>\n" + entry("/", b"odd") + entry("//", LONG) + entry("x.o/", b"one")
    + entry("/0", b"four"),
    "bsd": b"!<arch>\n" + entry("__.SYMDEF", b"even") + entry("x.o", b"one")
    + entry("#1/24", LONG[:23] + b"\0four"),
    "thin": b"!<thin>\n" + entry("/", b"odd") + entry("//", LONG) + entry("x.o/", b"", 3)
    + entry("/0", b"", 4),
}  # fmt: skip


@pytest.mark.parametrize("kind", ARCHIVES)
def test_members_of_each_kind_of_archive(kind: str, tmp_path: Path) -> None:
    objects = {"x.o": b"one", LONG[:-2].decode(): b"four"}
    for name, content in objects.items():
        (tmp_path / name).write_bytes(content)
    archive = tmp_path / "lib.a"
    archive.write_bytes(ARCHIVES[kind])
    assert {m.name: m.data for m in members(archive)} == objects
    archive.write_bytes(ARCHIVES[kind][:-70] + b"damaged " * 10)
    assert len(list(members(archive))) < 2


CXX = """
namespace ns {
static int apply(int a, int b) { return a - b; }
int smooth(int a, int b)
{
    auto both = [](int x, int y) { return x * y; };
    return both(a, b) + apply(a, b);
}
struct scale { int by; int operator()(int a) const { return a * by; } };
}
namespace { int hidden(int a, int b) { return a ? 7 : b; } }
int of_itself(int a) { return a; }
int main() { return ns::smooth(1, 2) + ns::scale{3}(4) + hidden(of_itself(1), 1); }
"""


NAMES = {
    "ns::smooth": "_ZN2ns6smoothEii",
    "ns::smooth(int, int)": "_ZN2ns6smoothEii",
    "ns::scale::operator()": "_ZNK2ns5scaleclEi",
    "(anonymous namespace)::hidden": "_ZN12_GLOBAL__N_16hiddenEii",
    "of_itself": "_Z9of_itselfi",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_function_of_cxx_by_its_name(name: str, tmp_path: Path) -> None:
    """What stands in a function, as a lambda does, is no second one of its name."""
    source = tmp_path / "names.cpp"
    source.write_text(CXX)
    assert import_c(Program.of(source), name).kernel.name == NAMES[name]
