# SPDX-License-Identifier: Apache-2.0
"""Directives in other spellings and from outside of the C: one meaning, the same hardware; what has
no effect is told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.diagnostics import UserError
from tandem.frontend.directives.rewrite import Rewritten, rewrite
from tandem.frontend.directives.scopes import names_file
from tandem.frontend.program import Program
from tandem.host.units import units_of
from tandem.languages.discovery import Given, find_program
from tandem.schedule.delays import Target
from trial import good, refused, source, tandem

CLOCK_PS = 10_000
KERNEL = """#include <stdint.h>
#define FOUR 4
#define DO(text) _Pragma(#text)
#define OF(text) DO(text)
@inline@
#line 10
static uint32_t mix(uint32_t x, uint32_t y) {@+inline@
#line 11
    return (x * y ^ x >> 7) * 5;
}
uint32_t f(const uint32_t *in, uint32_t *out, uint32_t n)
{
#line 20
@array@
#line 20
    uint32_t last = 0, sums[16] = {0}; @+array@
@loop@
#line 30
    for (uint32_t i = 0; i < (n & ~3u); i++) { /* { */ @+loop@
#line 31
        sums[i & 15] += in[i];
    }
outer:
@off@
#line 40
    for (uint32_t i = 0; i < n; i++) {
        @+off@
#line 41
        last = last * 3 + sums[(last ^ i) & 15];
        out[i] = mix(mix(last, i), n);
    }
    return last;
}
"""
OWN = {
    "inline": "#pragma tandem inline off",
    "array": "#pragma tandem partition(sums, 4)",
    "loop": "#pragma tandem pipeline ii(3)\n#pragma tandem unroll(4)",
    "off": "#pragma tandem pipeline off",
}
HLS = {
    "+inline": "\n#pragma HLS INLINE off",
    "+array": "\n#pragma HLS array_partition variable=sums cyclic factor=4",
    "+loop": "\n#pragma HLS unroll factor=4\n#pragma HLS PIPELINE II=3",
    "+off": "\n#pragma HLS pipeline off",
}
HLS_BY_MACROS = {
    "+inline": '_Pragma("HLS inline off")',
    "+array": "OF(HLS array_partition variable = sums type=cyclic factor=FOUR dim=1)",
    "+loop": "\n#if FOUR\n#pragma HLS unroll factor=FOUR\n#else\n#pragma HLS unroll factor=2\n"
    "#endif\n\tOF(HLS pipeline II=3)",
    "+off": "\n#pragma   HLS pipeline   off // #pragma HLS pipelime",
}


def spelled(words: dict[str, str]) -> str:
    return re.sub(r"@(\+?\w+)@", lambda match: words.get(match[1], ""), KERNEL)


def hardware(folder: Path, text: str, target: Target, given: Given | None = None) -> Compiled:
    path = folder / "f.c"
    path.write_text(text)
    program = find_program(path, given)
    return compile_kernel(program, "f", target, CLOCK_PS, slower_clock=True)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, target: Target) -> str:
    return hardware(tmp_path_factory.mktemp("own"), spelled(OWN), target).hardware.verilog_text


@pytest.mark.parametrize("words", [HLS, HLS_BY_MACROS])
def test_one_meaning(tmp_path: Path, target: Target, own: str, words: dict[str, str]) -> None:
    made = hardware(tmp_path, spelled(words), target)
    assert made.hardware.verilog_text == own and not made.notes


def test_the_command_line_says_the_same(tmp_path: Path, target: Target, own: str) -> None:
    asked = (
        "mix: inline off",
        "f: partition(sums, 4)",
        "f.c:30: pipeline ii(3)",
        f"{tmp_path}/f.c:30: unroll(4)",
        "f/outer: pipeline off",
    )
    made = hardware(tmp_path, spelled({}), target, Given(directives=asked))
    assert made.hardware.verilog_text == own


def test_a_file_of_directives_says_the_same(tmp_path: Path, target: Target, own: str) -> None:
    """One beside the C and one that is named."""
    text = spelled({"inline": OWN["inline"], "+array": HLS["+array"]})
    beside = rows(("f.c:30", "pipeline ii(3)"), ("outer", "pipeline off"))
    (tmp_path / "f.tandem.toml").write_text(beside)
    more = tmp_path / "more.toml"
    more.write_text(rows(("f.c:30", "unroll(4)")))
    made = hardware(tmp_path, text, target, Given(directive_files=(more,)))
    assert made.hardware.verilog_text == own


def test_a_file_is_named_by_its_path_or_the_end_of_it() -> None:
    here = f"{Path.cwd()}/src/f.c"
    assert all(names_file(name, "src/f.c") for name in ("f.c", "src/f.c", "./src/f.c", here))
    assert not any(names_file(name, "src/f.c") for name in ("ff.c", "c/f.c", "/src/f.c"))


def rows(*said: tuple[str, str]) -> str:
    return "".join(f'[[directive]]\nat = "{at}"\nsay = "{say}"\n' for at, say in said)


def test_an_extent_from_outside(tmp_path: Path, target: Target) -> None:
    text = "int f(const int *a, int n) { return a[a[n & 3] & 3]; }\n"
    given = Given(directives=("f: extent(a, 8 * (n > 0 ? 2 : 2))",))
    made = hardware(tmp_path, text, target, given)
    assert str(made.kernel.argument("a").extent.claim) == "constant 16:128"
    with pytest.raises(UserError, match=r"--directive: .*no pointer parameter"):
        hardware(tmp_path, text, target, Given(directives=("f: extent(b, 4)",)))


LOOP = """int table[8];
int f(const int *in, int n)
{
    int sum = 0;
    @
    for (int i = 0; i < n; i++) {
        %
        if (in[i] > 3) { sum += in[i] * i; }
    }
    return sum;
}
"""


def read(inside: str = "", before: str = "", text: str = LOOP) -> Rewritten:
    said = text.replace("@", before).replace("%", inside)
    return rewrite(f'#line 1 "f.c"\n{said}')


@pytest.mark.parametrize(
    ("pragma", "name", "number", "off"),
    [
        ("HLS pipeline", "pipeline", 0, False),
        ("hls Pipeline ii = 2", "pipeline", 2, False),
        ("HLS PIPELINE OFF", "pipeline", 0, True),
        ("HLS unroll", "unroll", 0, False),
        ("HLS unroll factor=8", "unroll", 8, False),
        ("HLS unroll off=true", "unroll", 0, True),
        ("HLS loop_tripcount min=1 max=64 avg=7", "trips", 7, False),
        ("HLS loop_tripcount min=1 max=64", "trips", 33, False),
        ("HLS LOOP_TRIPCOUNT MAX=9", "trips", 9, False),
        ("HLS inline", "inline", 0, False),
        ("HLS inline off", "inline", 0, True),
        ("CO PIPELINE", "pipeline", 0, False),
        ("CO UNROLL", "unroll", 0, False),
    ],
)
def test_what_each_word_becomes(pragma: str, name: str, number: int, off: bool) -> None:
    found = read(f"\n#pragma {pragma}\n")
    ((directive, function),) = [(p.directive, p.function) for p in found.placed]
    assert (directive.name, directive.number, directive.off) == (name, number, off)
    assert function == "f" and not found.notes
    assert directive.place.line == 8 and directive.shown == f"#pragma {pragma}"
    assert found.text.count("\n") == read("\n\n").text.count("\n")


@pytest.mark.parametrize(
    ("pragma", "told"),
    [
        ("HLS interface m_axi port=in", "how each argument reaches the hardware is inferred"),
        ("HLS stream variable=a depth=2", "take turns"),
        ("HLS dependence variable=in inter false", "shows by itself"),
        ("HLS loop_tripcount min=0 max=0", "it says no number of iterations"),
        ("HLS bind_op variable=sum op=mul impl=dsp", "measured delays"),
        ("HLS latency max=3", "the least that the clock leaves"),
        ("HLS array_partition variable=in complete", "only local arrays"),
        ("HLS array_partition variable=table complete", "only local arrays"),
        ("HLS array_partition variable=s.member complete", "only local arrays"),
        ("CO SET stageDelay 32", "--clock-ns"),
        ("CO SET DontInline 1", "#pragma tandem inline off"),
        ("CO FLATTEN", "become choices"),
    ],
)
def test_what_has_no_effect_is_told(pragma: str, told: str) -> None:
    found = read(f"\n#pragma {pragma}\n")
    ((place, message, severity),) = [(n.place, n.message, n.severity) for n in found.notes]
    assert told in message and message.startswith(f"`#pragma {pragma}` has no effect: ")
    assert str(place) == "f.c:8" and severity == "note" and not found.placed


def test_parts_without_effect_are_told_and_the_rest_holds() -> None:
    found = read("\n#pragma HLS pipeline II=1 rewind style=flp\n")
    assert [p.directive.number for p in found.placed] == [1]
    assert [n.message.partition(" has")[0] for n in found.notes] == [
        f"`{part}` of `#pragma HLS pipeline II=1 rewind style=flp`" for part in ("rewind", "style")
    ]


def test_a_pipeline_of_a_function_is_told() -> None:
    found = read(before="\n#pragma HLS pipeline\n")
    assert not found.placed and "function `f`" in found.notes[0].message


@pytest.mark.parametrize(
    ("array", "words", "banks", "told"),
    [
        ("a[16]", "", 0, ""),
        ("a[16]", "complete", 0, ""),
        ("a[16]", "cyclic factor=4", 4, ""),
        ("a[8][16]", "complete dim=0", 0, ""),
        ("a[8][16]", "complete dim=2", 16, ""),
        ("a[8][16]", "cyclic factor=4 dim=2", 4, ""),
        ("a[8][10]", "cyclic factor=4 dim=2", 4, "as they lie in memory"),
        ("a[8][16]", "cyclic factor=4 dim=0", 4, "as they lie in memory"),
        ("a[8][16]", "complete dim=1", None, "only the last dimension"),
        ("a[8][16]", "cyclic factor=4", None, "only the last dimension"),
        ("a[16]", "block factor=4", None, "try `cyclic`"),
        ("a[16]", "cyclic factor=3", None, "a power of two"),
        ("*p, n2, a[16]", "complete", 0, ""),
    ],
)
def test_partitions(array: str, words: str, banks: int | None, told: str) -> None:
    text = LOOP.replace("int sum = 0;", f"int sum = 0; if (n) sum = g(1, a[3]);\n int {array};")
    found = read(before=f"\n#pragma HLS array_partition variable=a {words}\n", text=text)
    assert [p.directive.number for p in found.placed] == ([] if banks is None else [banks])
    assert all(p.where.line == 5 for p in found.placed)
    assert [told in n.message for n in found.notes] == ([True] if told else [])


@pytest.mark.parametrize(
    ("pragma", "wrong", "cure"),
    [
        ("HLS pipelime", "unknown directive `#pragma HLS pipelime`", "`array_partition`"),
        ("CO PIPELIN", "unknown directive `#pragma CO PIPELIN`", "`UNROLL`"),
        ("HLS pipeline JJ=2", "unknown option `JJ=2`", "`ii`"),
        ("HLS pipeline II=0", "`ii` is `0`", "a number"),
        ("HLS unroll factor=4.5", "`factor` is `4.5`", "a constant"),
        ("HLS pipeline off II=2", "`off` and a number", "leave one"),
        ("HLS array_partition cyclic factor=2", "no variable", "variable=ARRAY"),
        ("HLS array_partition variable=a cyclic", "no factor", "factor=N"),
        ("HLS array_partition variable=a block type=cyclic", "type `block cyclic`", "complete"),
        ("HLS array_partition variable=b", "no array `b` is declared", "declaration"),
        ("HLS unroll\n#pragma HLS pipeline", "are about one loop", "leave one"),
        ("HLS pipeline\n#pragma CO PIPELINE", "are about one loop", "leave one"),
    ],
)
def test_what_is_wrong_is_refused(pragma: str, wrong: str, cure: str) -> None:
    with pytest.raises(UserError) as told:
        read(f"\n#pragma {pragma}\n")
    (found,) = told.value.diagnostics
    assert found.code == "pragma" and wrong in found.message and cure in found.help
    assert found.place is not None and found.place.file == "f.c" and found.place.line in (8, 9)


def test_unroll_in_no_loop_is_refused() -> None:
    for before in ("\n#pragma HLS unroll\n", "if (n) {\n#pragma CO PIPELINE\n}"):
        with pytest.raises(UserError, match="stands in the body of no loop"):
            read(before=before)


def test_an_own_directive_and_another_spelling_contradict_each_other() -> None:
    with pytest.raises(UserError, match="`#pragma HLS pipeline` and `#pragma tandem pipeline off`"):
        read("\n#pragma HLS pipeline\n", "\n#pragma tandem pipeline off\n")


def test_loops_and_functions_of_every_form() -> None:
    text = """
extern "C" { template <int N> int g(int a[N], int n) noexcept {
#pragma HLS inline off
    do { /* } */
#pragma HLS unroll factor=2
        a[n] = '{' + n;
    } while (n--);
    if (n) for (auto x : a) {
#pragma HLS unroll factor=3
    } else while (f("{") < 3) { { const int x = 3; }
#pragma HLS unroll factor=4
    }
    return 0;
} }
"""
    found = rewrite(f'#line 1 "f.cc"\n{text}')
    starts = [found.text.splitlines()[p.where.line] for p in found.placed]
    hint = r'_Pragma\("clang loop interleave_count\(\d+\)"\) '
    assert re.search(r"template <int N> _Pragma.* int g\(", starts[0])
    for line, loop in zip(starts[1:], ("do {", "for (auto", "while (f("), strict=True):
        assert re.search(hint + re.escape(loop), line), line


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("f/inner: pipeline", "`pipeline` is about nothing: no `f/inner`"),
        ("f.c:3: pipeline", "is about nothing"),
        ("twice: pipeline", "`twice` may be any of these: f.c:2, f.c:3"),
        ("f: pipelime", "unknown directive `pipelime`"),
        ("pipeline", "cannot read `pipeline`"),
        ("f g: pipeline", "`f g` is no place"),
    ],
)
def test_what_is_wrong_outside_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, wrong: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "void g(int *a) { \ntwice: while (*a) a++; }\nint f(int *a) { twice: while (*a) a++;\n"
    Path("f.c").write_text(f"{text}return *a; }}\n")
    wanted = row.replace("f.c:3", "f.c:4")
    with pytest.raises(UserError, match=re.escape(wrong)) as told:
        from tandem.languages.imported import import_c

        import_c(find_program(Path("f.c"), Given(directives=(wanted,))), "f")
    assert str(told.value).startswith("--directive: error[pragma]: ")


@pytest.mark.parametrize(
    ("text", "line", "wrong"),
    [
        (rows(("outer", "pipeline"), ("none", "unroll")), 4, "about nothing"),
        (rows(("outer", "pipeline ii(0)")), 1, "unknown directive"),
        ('# rows\n[[directive]]\nat = "f"\n', 2, "this is no directive"),
        ("[[directive]\n", 0, "cannot read the directives"),
    ],
)
def test_what_is_wrong_in_a_file_is_refused(
    tmp_path: Path, text: str, line: int, wrong: str
) -> None:
    source(tmp_path, "int f(int *a) { outer: while (*a) a++; return *a; }\n", "f.c")
    source(tmp_path, text, "f.tandem.toml")
    done = tandem("build", "f.c", "--top", "f", cwd=tmp_path)
    refused(done, f"f.tandem.toml{f':{line}' if line else ''}: error[pragma]", wrong)


STRUCTS = """#include <stdint.h>
struct pair { uint64_t a, b, c; };
#pragma tandem inline off
static uint64_t sum(struct pair p, int n)
{
    uint64_t s = 0;
    for (int i = 0; i < n; i++)
        s += p.a * i ^ p.b + p.c;
    return s;
}
#pragma tandem inline off
static uint64_t shared(uint64_t x) { return x * x ^ x >> 3; }
#pragma tandem inline off
static uint64_t once(uint64_t x) { return x * 5 ^ x >> 3; }
uint64_t f(uint64_t a, uint64_t b, int n)
{
    struct pair p = {a, b, a ^ b}, q = {b, a, a + b};
    return sum(p, n) ^ sum(q, 3) ^ shared(a) ^ shared(b) ^ once(n);
}
"""


def test_functions_that_could_not_be_kept_apart_are_told(tmp_path: Path, target: Target) -> None:
    """And others still are."""
    made = hardware(tmp_path, STRUCTS, target)
    told = [(n.place.line, n.message) for n in made.notes if n.place]
    assert [line for line, _ in told] == [3, 13]
    assert "`sum` is inlined: a struct by value" in told[0][1]
    assert "`once` is inlined: it is called once" in told[1][1]
    assert sum(block.calls for block in made.kernel.blocks) == 2


def test_a_loop_that_is_no_more_is_told(tmp_path: Path, target: Target) -> None:
    text = """
int f(int n) {
    int sum = 0;
#pragma tandem pipeline ii(2)
    for (int i = 0; i < n; i++) sum += i;
    return sum;
}
"""
    (note,) = hardware(tmp_path, text, target).notes
    assert "no loop is left" in note.message and note.place and note.place.line == 4


def test_an_array_that_became_registers_is_told(tmp_path: Path, target: Target) -> None:
    text = """
int f(const int *in) {
#pragma tandem partition(a, 2)
    int a[8], sum = 0;
    for (int i = 0; i < 8; i++) a[i] = in[i] * 3;
    for (int i = 0; i < 8; i++) sum = sum * 3 ^ a[7 - i];
    return sum;
}
"""
    notes = hardware(tmp_path, text, target).notes
    assert [("`a` became registers" in n.message, n.place and n.place.line) for n in notes] == [
        (True, 3)
    ]


NOTED = """
void scale(const unsigned char *in, unsigned char *out, unsigned n)
{
#pragma HLS interface m_axi port=in
    for (unsigned i = 0; i < n; i++) {
#pragma HLS pipeline
        out[i] = 3 * in[i];
    }
}
"""
MAIN = "int main(void) { unsigned char a[4] = {1, 2, 3, 4}, b[4]; scale(a, b, 4); return 0; }\n"


def test_notes_reach_the_user_of_every_command(tmp_path: Path) -> None:
    source(tmp_path, NOTED + MAIN)
    words = {
        "build": ["--top", "scale"],
        "run": ["--offload", "scale"],
        "verify": ["--offload", "scale"],
    }
    wanted = "app.c:4: note[pragma]: `#pragma HLS interface m_axi port=in` has no effect"
    for command, rest in words.items():
        plain = tandem(command, "app.c", *rest, cwd=tmp_path)
        good(plain)
        assert plain.stderr.count(wanted) == 1, plain.stderr
        done = tandem(command, "app.c", *rest, "--json", cwd=tmp_path)
        good(done)
        (note,) = json.loads(done.stdout)["notes"]
        assert (note["severity"], note["file"], note["line"]) == ("note", "app.c", 4)


def test_a_build_of_the_cache_depends_on_directives(tmp_path: Path) -> None:
    source(tmp_path, NOTED + MAIN)
    folder = str(tmp_path / "cache")

    def is_built(*words: str) -> bool:
        base = ["run", "app.c", "--offload", "scale", *words]
        done = tandem(*base, cwd=tmp_path, TANDEM_CACHE=folder, TANDEM_PROGRESS="1")
        good(done)
        assert "app.c:4: note" in done.stderr
        return "compiling scale" in done.stderr

    assert is_built() and not is_built()
    assert is_built("--directive", "app.c:5: unroll(2)")
    beside = source(tmp_path, rows(("app.c:5", "unroll(4)")), "app.tandem.toml")
    assert is_built() and not is_built()
    beside.write_text(rows(("app.c:5", "unroll(2)")))
    assert is_built()
    beside.rename(tmp_path / "more.toml")
    assert is_built("--directives", "more.toml") and not is_built("--directives", "more.toml")
    source(tmp_path, rows(("app.c:5", "unroll(4)")), "more.toml")
    assert is_built("--directives", "more.toml")


def test_directives_beside_a_file_that_tandem_cc_compiles(tmp_path: Path) -> None:
    source(tmp_path, NOTED, "scale.c")
    source(tmp_path, rows(("none", "pipeline")), "scale.tandem.toml")
    done = tandem("cc", "-c", "scale.c", "-o", "scale.o", cwd=tmp_path)
    refused(done, "scale.tandem.toml:1: error[pragma]", "no `none`")
    source(tmp_path, rows(("scale.c:5", "unroll(2)")), "scale.tandem.toml")
    done = tandem("cc", "-c", "scale.c", "-o", "scale.o", cwd=tmp_path)
    good(done)
    assert "scale.c:4: note[pragma]" in done.stderr
    (unit,) = units_of([str(tmp_path / "scale.o")])
    assert "interleave.count" in unit.llvm_ir


def test_a_program_without_directives_asks_nothing(tmp_path: Path) -> None:
    source(tmp_path)
    assert not Program.of(tmp_path / "app.c").files[0].asked
