# SPDX-License-Identifier: Apache-2.0
"""The front end: what the unofficial LLVM-C view must be able to read, sources, directives."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvmlite
import pytest
from tandem.compiler.compile import compile_kernel
from tandem.diagnostics import Place, UserError
from tandem.frontend.directives.asked import Asked
from tandem.frontend.directives.directive import BEST_II
from tandem.frontend.directives.rewrite import rewrite
from tandem.frontend.importer import import_kernel
from tandem.frontend.plain_signature import mask_of
from tandem.frontend.program import CFile, Program
from tandem.frontend.vectors import without_vectors
from tandem.ir.argument import Extent
from tandem.ir.interpreter import interpret
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Shl
from tandem.ir.printer import print_kernel
from tandem.languages.annotations import read_claims
from tandem.languages.discovery import find_program
from tandem.languages.imported import import_c
from tandem.llvm import attributes, metadata, sizes
from tandem.llvm import read as llvm
from tandem.llvm.module import opened
from tandem.schedule.delays import Target

NUMBERED = """
#include <stddef.h>
static int a[2], b[3], c[4], d[5], e[6], f[7], *seen[2] = {a, b};
int main(void)
{
    volatile int n = 1;
    int *p = n & 1 ? a + n : b, *q = n & 2 ? c + n : d, *r = n & 4 ? e + n : f;
    int *from = seen[n & 1];
    ptrdiff_t sum = (n & 8 ? p - a : p - b) + (n & 8 ? q - c : q - d) + (n & 8 ? r - e : r - f);
    return (int)sum + *from;
}
"""
ONE_OF_EVERYTHING = """
%pair = type { i8, i32 }
@table = internal constant [2 x %pair] [%pair { i8 1, i32 2 }, %pair { i8 3, i32 -4 }]
@words = constant [3 x i16] [i16 1, i16 2, i16 65535]
@gaps = constant [3 x i16] [i16 1, i16 poison, i16 undef]
@zeros = constant [2 x i16] zeroinitializer
@nothing = constant ptr null

define signext i16 @f(ptr %p, i16 signext %x) !dbg !5 {
entry:
  %c = icmp slt i16 %x, 7
  br i1 %c, label %loop, label %other, !dbg !6
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  %a = getelementptr inbounds %pair, ptr @table, i64 %i, i32 1
  %v = load i32, ptr %a
  store i32 %v, ptr %p
  %n = add i64 %i, 1
  %e = icmp eq i64 %n, 2
  br i1 %e, label %other, label %loop, !llvm.loop !7
other:
  switch i16 %x, label %last [ i16 5, label %last
                               i16 9, label %last ]
last:
  ret i16 %x
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!9}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1)
!1 = !DIFile(filename: "source.c", directory: "/folder")
!4 = !DISubroutineType(types: !{null})
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !4, unit: !0)
!6 = !DILocation(line: 42, column: 7, scope: !5)
!7 = distinct !{!7, !8}
!8 = !{!"llvm.loop.pipeline.initiationinterval", i32 3}
!9 = !{i32 2, !"Debug Info Version", i32 3}
"""


@pytest.fixture(scope="module")
def module() -> tuple[llvm.Ref, llvm.Ref]:
    return llvm.parse(ONE_OF_EVERYTHING)


def instructions(module: llvm.Ref) -> list[llvm.Ref]:
    function = next(llvm.children(module, "Function"))
    blocks = llvm.children(function, "BasicBlock")
    return [i for block in blocks for i in llvm.children(block, "Instruction")]


def test_constants_with_their_layout(module: tuple[llvm.Ref, llvm.Ref]) -> None:
    images = {
        llvm.name(g): sizes.constant_bytes(
            llvm.call("GetInitializer", g), llvm.call("GlobalGetValueType", g), lambda ref: 77
        )
        for g in llvm.children(module[1], "Global")
        if llvm.name(g) != "nothing"
    }
    assert images["gaps"].hex() == "010000000000" and images["zeros"] == bytes(4)
    assert images["table"].hex() == "0100000002000000" + "03000000fcffffff"
    assert images["words"].hex() == "01000200ffff"


def test_kinds_of_values(module: tuple[llvm.Ref, llvm.Ref]) -> None:
    nothing = next(g for g in llvm.children(module[1], "Global") if llvm.name(g) == "nothing")
    assert llvm.call("GetValueKind", nothing) == llvm.VALUE_GLOBAL
    null = llvm.call("GetInitializer", nothing)
    assert llvm.call("GetValueKind", null) == llvm.VALUE_NULL
    kinds = {llvm.call("GetValueKind", i) for i in instructions(module[1])}
    assert kinds == {llvm.VALUE_INSTRUCTION}


def test_predicates_types_and_cases(module: tuple[llvm.Ref, llvm.Ref]) -> None:
    every = {llvm.name(i): i for i in instructions(module[1])}
    assert llvm.call("GetICmpPredicate", every["c"]) == 40
    kind = llvm.call("GetGEPSourceElementType", every["a"])
    assert sizes.size_and_alignment(kind) == (8, 4) and sizes.field_offset(kind, 1) == 4
    switch = next(i for i in instructions(module[1]) if llvm.call("GetInstructionOpcode", i) == 3)
    cases = [llvm.call("GetSwitchCaseValue", switch, i) for i in (1, 2)]
    assert [llvm.call("ConstIntGetZExtValue", c) for c in cases] == [5, 9]


def test_locations_metadata_and_attributes(module: tuple[llvm.Ref, llvm.Ref]) -> None:
    context, parsed = module
    function = next(llvm.children(parsed, "Function"))
    branches = [i for i in instructions(parsed) if llvm.call("GetInstructionOpcode", i) == 71]
    assert metadata.location(branches[0]) == ("/folder/source.c", 42)
    kind = llvm.call("GetMDKindIDInContext", context, b"llvm.loop", 9)
    key = "llvm.loop.pipeline.initiationinterval"
    assert [metadata.metadata_number(b, kind, key) for b in branches] == [None, 3]
    assert [attributes.has_attribute(function, i, "signext") for i in range(3)] == [
        True,
        False,
        True,
    ]


def test_a_header_brings_the_c_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "main.c").write_text(
        '#include "part/a.h"\n#include <stdint.h>\nint main(void) { return a(); }'
    )
    (tmp_path / "part" / "a.h").write_text("int a(void);")
    (tmp_path / "part" / "a.c").write_text(
        '#include "a.h"\n#include "b.h"\nint a(void) { return b(); }'
    )
    (tmp_path / "part" / "b.h").write_text("static inline int b(void) { return 0; }")
    assert [s.name for s in find_program(tmp_path / "main.c").paths] == ["main.c", "a.c"]


def test_directives_keep_their_lines() -> None:
    text = rewrite("a\n  #pragma tandem pipeline ii(2)\nb\n#pragma tandem pipeline\n").text
    lines = text.splitlines()
    assert lines[1].endswith('pipeline_initiation_interval(2)") ')
    assert lines[3].endswith(f'pipeline_initiation_interval({BEST_II})") ')


ROUNDS = """# 1 "app.c"
int f(int n) { int sums[4]; outer: for (;;) sums[n & 3]++; }
int g(int n) { int sums[4], more[4]; for (;;) sums[n & 3]++; }
"""


@pytest.mark.parametrize(
    ("at", "say", "line"),
    [
        ("g", "partition(sums, 4)", 2),
        ("app.c:1", "partition(sums, 2)", 1),
        ("f/outer", "pipeline ii(2)", 1),
        ("app.c:2", "unroll(4)", 2),
        ("g", "inline off", 2),
        ("f", "partition(more, 4)", 0),
        ("g/outer", "unroll(4)", 0),
        ("app.c:3", "unroll(4)", 0),
    ],
)
def test_what_is_asked_from_outside_is_about_one_thing(at: str, say: str, line: int) -> None:
    row = Asked(at, say, Place("app.tandem.toml"))
    found = rewrite(ROUNDS, [row])
    assert found.followed == ({row} if line else set())
    assert [placed.where.line for placed in found.placed] == ([line] if line else [])


CLAIMS = """
#include <stdint.h>
struct state { int word[5]; char tag; };
#pragma tandem extent(a, 7)
void other(char *a) { a[0] = 1; }
/* f(x) { is no body */
#pragma tandem extent(a, 4 * (n + 1))
static void f(int *a, struct state *s, const uint8_t key[176], int m[][8], char *free,
              struct state *many, int n, short image[n][n])
{
#pragma tandem extent(m, n * sizeof(*m))  // a row a turn
    a[n] = s->word[2] + key[n] + m[n][1] + free[n] + many[n].tag + image[n][1];
}
void g(int *a) { f(a, 0, 0, 0, 0, 0, 0, 0); }
"""


def claims_of(folder: Path, text: str, name: str = "k.c") -> dict[str, Extent]:
    source = folder / name
    source.write_text(text)
    return read_claims(CFile(source), "f", Place(str(source)))


def test_extents_from_annotations_and_types(tmp_path: Path) -> None:
    claims = claims_of(tmp_path, CLAIMS)
    values = {"n": 9}
    found = {n: (c.source, c.claim and c.claim.evaluate(values)) for n, c in claims.items()}
    assert found == {
        "a": ("declared", 40),
        "m": ("declared", 9 * 32),
        "s": ("typed", 24),
        "key": ("typed", 176),
        "image": ("typed", 9 * 9 * 2),
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("k.c", "void f(int a[4])\n{\n#define N 8\n    a[0] = N;\n}\nint g[N];\n"),
        ("k.c", "void f(int a[4])\n{\n#ifdef N\n}\n#else\n    a[0] = 1;\n}\n#endif\n"),
        (
            "k.cpp",
            'extern "C" auto f(int a[4]) { return a[0]; }\nint g(int *b) { return f(b) + 1; }\n',
        ),
    ],
)
def test_an_extent_where_the_rest_depends_on_the_body(tmp_path: Path, name: str, text: str) -> None:
    (found,) = claims_of(tmp_path, text, name).values()
    assert found.claim is not None and found.claim.evaluate({}) == 16


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        ("extent a", "k.c:1: error[pragma]: cannot read"),
        ("extent(n, 4)", "k.c:1: error[pragma]: extent of `n`, which is no pointer parameter"),
        ("extent(a, 4 * m)", "k.c:1: error[c]: use of undeclared identifier 'm'"),
        ("extent(a, *a)", "k.c:1: error[pragma]: the extent `*a` is not a whole number"),
        ('extent(a, system("touch gone"))', "k.c:1: error"),
        ('extent(a, "abc")', "k.c:1: error[c]: incompatible pointer to integer conversion"),
    ],
)
def test_annotations_that_say_nothing(tmp_path: Path, annotation: str, wanted: str) -> None:
    text = f"#pragma tandem {annotation}\nvoid f(int *a, int n) {{ a[n] = 1; }}\n"
    with pytest.raises(UserError) as refused:
        claims_of(tmp_path, text)
    assert wanted in str(refused.value)


def test_a_directive_reaches_its_loop(tmp_path: Path) -> None:
    source = tmp_path / "k.c"
    source.write_text(
        "unsigned f(unsigned n, unsigned x)\n{\n    unsigned s = 1;\n"
        "    for (unsigned i = 0; i < n; i++)\n        s ^= s * x;\n#pragma tandem pipeline ii(5)\n"
        "    for (unsigned i = 0; i < n; i++)\n"
        "        s ^= s + x;\n    return s;\n}\n"
    )
    kernel = import_c(Program.of(source), "f").kernel
    assert [b.wanted_ii for b in kernel.blocks if b.is_loop] == [None, 5]


def test_the_kernel_as_imported_computes_what_the_c_says(tmp_path: Path) -> None:
    source = tmp_path / "k.c"
    source.write_text("short f(signed char a, unsigned short b) { return a * 3 - (b >> 2); }\n")
    kernel = import_c(Program.of(source), "f").kernel
    assert interpret(kernel, {"a": -5, "b": 400}) == (-115) & 0xFFFF


def test_words_begin_wherever_an_argument_says(tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    source.write_text(
        "int f(const short *p, long n) { int x; __builtin_memcpy(&x, p + n, 4); return x; }"
    )
    kernel = import_c(Program.of(source), "f").kernel
    for n in range(4):
        found = interpret(kernel, {"p": bytearray(range(12)), "n": n})
        assert found == int.from_bytes(range(2 * n, 2 * n + 4), "little")


def test_a_shift_has_a_stage_for_each_bit_of_a_defined_amount(tmp_path: Path) -> None:
    source = tmp_path / "top.c"
    source.write_text("unsigned long top(unsigned long x, unsigned long n) { return x << n; }\n")
    shifts = [
        op for _, op in import_c(Program.of(source), "top").kernel.ops() if isinstance(op, Shl)
    ]
    assert [op.operands[1].width for op in shifts] == [6]


NESTED = """unsigned f(const unsigned char *in, int n)
{{
    unsigned s = 0;
    for (int i = 0; i < n; i++) {{
#pragma tandem unroll{off}
        for (int j = 0; j < {trips}; j++)
            s = s * 3 ^ in[{trips} * i + j];
    }}
    return s;
}}
"""


@pytest.mark.parametrize(("off", "trips", "loops"), [("", 100, 1), (" off", 2, 2)])
def test_a_directive_unrolls_or_keeps_a_loop(
    off: str, trips: int, loops: int, tmp_path: Path, target: Target
) -> None:
    """However many, or few, iterations it has: else a hundred are too many and two few enough."""
    source = tmp_path / "k.c"
    source.write_text(NESTED.format(off=off, trips=trips))
    kernel = compile_kernel(Program.of(source), "f", target, 10_000).kernel
    assert len(natural_loops(kernel)) == loops
    source.write_text(NESTED.format(off="", trips=trips).replace("#pragma tandem unroll", ""))
    kernel = compile_kernel(Program.of(source), "f", target, 10_000).kernel
    assert len(natural_loops(kernel)) == 3 - loops


def test_what_is_made_of_pointers_does_not_depend_on_addresses(tmp_path: Path) -> None:
    path = tmp_path / "top.c"
    path.write_text(NUMBERED)
    made = {print_kernel(import_c(Program.of(path), "main").kernel) for _ in range(6)}
    assert len(made) == 1


@pytest.mark.parametrize(
    ("kind", "bytes_"), [("i1", 1), ("i8", 1), ("i24", 3), ("i64", 8), ("i65", 9), ("i128", 16)]
)
def test_a_number_touches_whole_bytes_and_no_more(kind: str, bytes_: int) -> None:
    _, module = llvm.parse(f"@x = external global {kind}\n")
    variable = llvm.call("GetNamedGlobal", module, b"x")
    assert sizes.stored_bytes(llvm.call("GlobalGetValueType", variable)) == bytes_


@pytest.mark.parametrize(
    ("made", "is_needed"),
    [
        ("(uintptr_t)p & 7", True),
        ("((uintptr_t)p + n) >> 2 & 7", True),
        ("(2 * (uintptr_t)p - (uintptr_t)(p + n)) % 12", True),
        ("p[(uintptr_t)(p + n) - (uintptr_t)p]", False),
        ("*(const char *)((uintptr_t)p + n)", False),
    ],
)
def test_the_hosts_address_is_given_where_more_than_a_distance_is_made_of_it(
    made: str, is_needed: bool, tmp_path: Path
) -> None:
    source = tmp_path / "f.c"
    text = f"#include <stdint.h>\nint f(const char *p, int n) {{ return (int)({made}); }}\n"
    source.write_text(text)
    arguments = import_c(Program.of(source), "f").kernel.arguments
    assert [a.tells_of for a in arguments if a.tells_of] == (["p"] if is_needed else [])


@pytest.mark.parametrize(
    ("kind", "size", "alignment"),
    [
        ("i1", 1, 1),
        ("i9", 2, 2),
        ("i24", 4, 4),
        ("i64", 8, 8),
        ("i128", 16, 16),
        ("i200", 32, 16),
        ("float", 4, 4),
        ("ptr", 8, 8),
        ("[3 x i16]", 6, 2),
        ("<3 x i16>", 8, 8),
        ("{ i8, i32, i8 }", 12, 4),
        ("<{ i8, i32, i8 }>", 6, 1),
    ],
)
def test_a_type_takes_what_the_abi_says(kind: str, size: int, alignment: int) -> None:
    _, module = llvm.parse(f"@x = external global {kind}\n")
    variable = llvm.call("GetNamedGlobal", module, b"x")
    found = sizes.size_and_alignment(llvm.call("GlobalGetValueType", variable))
    assert found == (size, alignment)


@pytest.mark.parametrize(
    ("bits", "members", "mask"),
    [(16, 0xFF, 0xFF), (16, -1, None), (24, 0xF00FF00, 0xFF00), (0, 0, None)],
)
def test_gaps_between_members_are_masked(bits: int, members: int, mask: int | None) -> None:
    with opened("") as module:
        kind = module.integer(bits) if bits else module.float
        assert mask_of(kind, members) == mask


CASTS = """
define i32 @f(i32 %x) {
  %v = bitcast i32 %x to <4 x i8>
  %w = add <4 x i8> %v, <i8 1, i8 2, i8 3, i8 4>
  %h = bitcast <4 x i8> %w to <2 x i16>
  %s = add <2 x i16> %h, <i16 256, i16 256>
  %p = bitcast <2 x i16> %s to <2 x half>
  %q = bitcast <2 x half> %p to <2 x i16>
  %f = bitcast <2 x i16> %q to float
  %r = bitcast float %f to i32
  ret i32 %r
}
"""


def test_the_same_bits_are_lanes_of_any_width() -> None:
    text = str(without_vectors(llvmlite.parse_assembly(CASTS)))
    kernel = import_kernel(text, "f", Place("f.c", 1))
    assert interpret(kernel, {"x": 0x01020304}) == 0x06050605
