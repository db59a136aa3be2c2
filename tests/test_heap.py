# SPDX-License-Identifier: Apache-2.0
"""Blocks from the heap inside of a kernel: how large they are, and which are refused. What programs
do is in tests/programs/whole/heap_inside.c."""

from __future__ import annotations

from pathlib import Path

import pytest
import tandem
import trial
from tandem.diagnostics import UserError
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.ir.traps import traps
from tandem.languages.imported import import_c
from trial import good, refused, source

USE = "p[n / 2] = k; k += p[n / 3]; free(p); return k;"


def imported(body: str, tmp_path: Path) -> Kernel:
    path = tmp_path / "f.c"
    path.write_text(f"#include <stdlib.h>\n{body}")
    return import_c(Program.of(path), "f").kernel


@pytest.mark.parametrize(
    ("parameter", "before", "size", "most"),
    [
        ("unsigned n", "", "n & 31", 31),
        ("unsigned n", "if (n > 32) return 0;", "n", 32),
        ("unsigned n", "if (n <= 32)", "n + 7", 39),
        ("unsigned n", "if (n < 3 || n >= 32) return 0;", "n", 31),
        ("unsigned n", "if (n != 12) return 0;", "n", 12),
        ("int n", "if (n < 0 || n > 32) return 0;", "n", 32),
        ("int n", "if (n <= 0) return 1; if (k > 3 && n < 32)", "n", 31),
        ("unsigned char n", "", "n", 255),
        ("unsigned long n", "if (n - 8 > 24) return 0;", "n", 32),
    ],
)
def test_the_largest_size_counts(
    parameter: str, before: str, size: str, most: int, tmp_path: Path
) -> None:
    body = (
        f"int f({parameter}, int k) {{ {before} {{ char *p = malloc({size}); {USE} }} return 0; }}"
    )
    memories = imported(body, tmp_path).memories.values()
    assert [(m.kind, m.depth) for m in memories] == [("ram", most)]


UNBOUNDED = "int f(unsigned n, int k) { char *p = malloc(n);" + USE + "}"
# the branch is about another one than the phi hands on
OLDER = (
    "int f(unsigned n, int k) { unsigned m = n; for (;;) { unsigned next = m * 3 + 1; "
    "if (next < 9) { char *p = malloc(m); p[m / 2] = k; k += p[m / 3]; free(p); } "
    "else if (k > 5) return k; m = next; k++; } }"
)
SIDE_BY_SIDE = (
    "int f(int n, int k) { char *p[2]; for (int i = 0; i < (k & 1) + 1; i++) "
    "{ p[i] = calloc(8, 1); p[i][n & 7] = k + i; } return p[k & 1][3]; }"
)
AGAIN = (
    "int f(unsigned n, int k) { int *p = calloc(2, 4), *o = malloc(4); p[n & 1] = *o = k; "
    "p = realloc(p, n * 4); k = p[1] + p[0]; free(p); free(o); return k; }"
)


@pytest.mark.parametrize(
    ("body", "known"), [(UNBOUNDED, 0), (OLDER, 0), (SIDE_BY_SIDE, 16), (AGAIN, 32)]
)
@pytest.mark.parametrize("given", [0, 100])
def test_other_blocks_have_what_they_are_given(
    body: str, known: int, given: int, tmp_path: Path
) -> None:
    """Or 65,536 bytes beside those of which the C says how large they are."""
    path = tmp_path / "f.c"
    directive = f"#pragma tandem heap({given})\n" if given else ""
    path.write_text(f"#include <stdlib.h>\n{directive}{body}")
    found = import_c(Program.of(path), "f")
    room = given or 65_536 + known
    sizes = {(m.depth or 0) * m.element_bits // 8 for m in found.kernel.memories.values()}
    assert sizes <= {room, 1, 16, 8} and room in sizes
    needed = [] if body == SIDE_BY_SIDE else [f"trap_blocks_{room}_f"]  # 2 blocks of 16 bytes
    assert [m.name for m in traps(found.kernel)] == needed
    assert [d.code for d in found.notes] == ([] if given else ["heap"])
    assert all(f"{room:,} bytes" in d.message for d in found.notes)


def test_a_block_is_as_wide_as_its_elements(tmp_path: Path) -> None:
    """Clearing it, and moving it, takes nothing from that."""
    clear = "int f(unsigned n, int k) { int *p = calloc(n & 63, 4); p[k & 7]++; return p[3]; }"
    for body in (clear, AGAIN):
        memories = imported(body, tmp_path).memories.values()
        assert [m.element_bits for m in memories if m.kind is MemoryKind.RAM] == [32]


def test_a_directive_that_no_block_needs_has_no_effect(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "#include <stdlib.h>\n#pragma tandem heap(64)\n"
        "int f(unsigned n, int k) { n &= 31; char *p = malloc(n);" + USE + "}"
    )
    (note,) = import_c(Program.of(path), "f").notes
    assert note.code == "pragma" and "no block needs more than the C says" in note.message


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("int f(char *p, int n, int k) {" + USE + "}", "call"),
        ("char *f(int n, int k) { char *p = malloc(8); p[n & 7] = k; return p + 4; }", "pointer"),
        (
            "char *f(long n, char **to) { char *p = malloc(8); p[n & 7] = 1; return *to = p; }",
            "pointer",
        ),
        ("char *f(long n) { char *p = malloc(8); p[(n ^ (long)p) & 7] = 1; return p; }", "pointer"),
    ],
)
def test_what_cannot_be_inside_is_refused(body: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        imported(body, tmp_path)
    assert [d.code for d in error.value.diagnostics] == [code]


SET = """
#include <stdlib.h>
#include <string.h>
int f(int n, int k)
{
    long *first = malloc(2 * sizeof *first);
    memset(first, 77, 2 * sizeof *first);
    short *other = realloc(NULL, (n + 1) * sizeof *other);
    for (int i = 0; i <= n; i++)
        other[i] = (short)(first[(n & 31) != 0] | first[(k & 31) != 0]) + i;
    return other[n < 24 ? n : 24];
}
"""


def test_a_block_that_a_function_sets_is_set(tmp_path: Path) -> None:
    assert interpret(imported(SET, tmp_path), {"n": 5, "k": 2}) == 77 * 257 + 5


RETURNED = """
#include <stdlib.h>
#include <string.h>
char *top(const char *in, unsigned n)
{
    if (!n)
        return NULL;
    char *own = malloc(n), *out = malloc(n);
    for (unsigned i = 0; i < n; i++)
        own[i] = in[n - 1 - i];
    memcpy(out, own, n);
    free(own);
    return out;
}
"""


def test_a_block_that_is_returned_is_an_argument(tmp_path: Path) -> None:
    path = tmp_path / "top.c"
    path.write_text(RETURNED)
    kernel = import_c(Program.of(path), "top").kernel
    assert print_kernel(parse(print_kernel(kernel))) == print_kernel(kernel)
    assert [(a.name, a.made, a.is_parameter) for a in kernel.arguments if a.memory] == [
        ("in", False, True),
        ("block", True, False),
    ]
    block = bytearray(4)
    given = {"in": bytearray(b"abcd"), "n": 4, "block": block}
    assert interpret(kernel, given) == 1 and block == b"dcba"
    assert interpret(kernel, given | {"n": 0}) == 0


MADE_IN_PARTS = """
#include <stdlib.h>
char *top(int n, int k)
{
    char *block = malloc(n), *made = NULL;
    block[0] = 1;
    if (n > 5) {
        block[n - 1] = 2;
        made = block;
    }
    block[k] = n;
    if (k > 3)
        made = block;
    if (!made)
        free(block);
    return made;
}
"""


def test_no_call_tells_whether_the_block_is_there_that_it_makes(tmp_path: Path) -> None:
    path = tmp_path / "top.c"
    path.write_text(MADE_IN_PARTS)
    kernel = import_c(Program.of(path), "top").kernel
    assert [a.name for a in kernel.arguments] == ["n", "k", "block", "result"]
    found = [
        interpret(kernel, {"n": n, "k": k, "block": bytearray(9)})
        for n, k in [(9, 1), (5, 4), (5, 1)]
    ]
    assert found == [1, 1, 0]


MADE_ONE_WAY_OR_THE_OTHER = """
#include <stdlib.h>
char *top(int n, int k)
{
    char *block = n > 5 ? calloc(n, 1) : malloc(9);
    char *made = k > 6 ? NULL : block;
    if (n <= 5)
        for (int i = 0; i < 9; i++) block[i] = 4;
    block[k] = n;
    if (!made)
        free(block);
    return made;
}
"""


def test_the_block_that_is_returned_may_be_asked_for_at_either_of_two_places(
    tmp_path: Path,
) -> None:
    path = tmp_path / "top.c"
    path.write_text(MADE_ONE_WAY_OR_THE_OTHER)
    kernel = import_c(Program.of(path), "top").kernel
    assert [a.name for a in kernel.arguments] == ["n", "k", "block", "result"]
    found = []
    for n, k in [(9, 1), (5, 4), (9, 7), (5, 7)]:
        block = bytearray(9)
        found.append((interpret(kernel, {"n": n, "k": k, "block": block}), bytes(block)))
    assert [returned for returned, _ in found] == [1, 1, 0, 0]
    assert found[0][1] == bytes([0, 9, *[0] * 7])
    assert found[1][1] == bytes([*[4] * 4, 5, *[4] * 4])


TWO_AT_A_TIME = """
#include <stdlib.h>
char *top(int n)
{
    char *one = malloc(4), *other = NULL;
    one[0] = n;
    if (n > 3) {
        other = malloc(4);
        other[0] = one[0] + 1;
    }
    return n & 1 ? one : other;
}
"""


def test_two_blocks_of_a_call_are_not_one_that_is_returned(tmp_path: Path) -> None:
    path = tmp_path / "top.c"
    path.write_text(TWO_AT_A_TIME)
    with pytest.raises(UserError, match="as a number"):
        import_c(Program.of(path), "top")


GIVEN_BACK_AS_EITHER = """
#include <stdlib.h>
char *top(int n, int k)
{
    char *one = malloc(n), *other = malloc(4);
    one[0] = n;
    other[k & 3] = one[0];
    if (k > 9) {
        free(n & 1 ? one : other);
        return NULL;
    }
    free(other);
    return one;
}
"""


def test_a_block_that_is_given_back_as_one_of_two_is_not_the_callers(tmp_path: Path) -> None:
    path = tmp_path / "top.c"
    path.write_text(GIVEN_BACK_AS_EITHER)
    with pytest.raises(UserError, match="as a number"):
        import_c(Program.of(path), "top")


def test_what_only_the_c_can_place_a_program_cannot_give(tmp_path: Path) -> None:
    path = tmp_path / "top.c"
    path.write_text(RETURNED)
    built = tandem.compile(path, "top", output=tmp_path, models=True)
    with (
        tandem.reserve("src-6e") as machine,
        pytest.raises(UserError, match="it returns a block from the heap"),
    ):
        machine.open(built["package"])


def test_what_sizes_are_multiples_of(tmp_path: Path) -> None:
    """Through loops that double them, and as often as ways lead to one."""
    turns = "".join(f"if (k & {1 << i}) n = 2 * n + {4 * i}; " for i in range(30))
    for size, bits in [("n", 32), ("(int)n", 32), ("n + 2", 16), ("n | 1", 8)]:
        body = (
            "int f(unsigned k, int at) { unsigned n = 4; void *p = 0; int sum = 0; "
            f"while (k & 1) {{ {turns} p = realloc(p, {size}); k >>= 3; }} "
            f"int{bits}_t *q = p; q[0] = 3; q[at] = at; sum = q[0] + q[1]; free(p); return sum; }}"
        )
        memories = imported("#include <stdint.h>\n" + body, tmp_path).memories.values()
        assert [m.element_bits for m in memories if m.kind is MemoryKind.RAM] == [bits]


def test_a_block_that_never_has_room(tmp_path: Path) -> None:
    """Every call is the C's, whatever it would do with the block."""
    body = (
        "int f(int n) { int *a = malloc(400), *b = realloc(NULL, n); for (int i = 0; i < 100; i++) "
        "a[i] = n + i; b[0] = a[n & 63]; n = b[0]; free(a); free(b); return n; }"
        "int main(void) { return f(8) != 16; }"
    )
    text = "#include <stdlib.h>\n#pragma tandem heap(128)\n" + body
    done = trial.tandem("verify", source(tmp_path, text), "--offload", "f", cwd=tmp_path)
    refused(done, "no call ran on the hardware", "have no room in `heap(128)`")


REFUSED_BY_C = """
#include <stdio.h>
#include <stdlib.h>
int *top(const int *in, long n)
{
    int *out = malloc(n * sizeof *out);
    if (!out)
        return NULL;
    for (long i = 0; i < 4; i++)
        out[i] = in[i];
    return out;
}
#pragma tandem heap(100)
int again(int n)
{
    int *p = malloc(8), *q = malloc(8);
    p[0] = q[0] = n;
    p = realloc(p, 4 * (n & 3));
    if (!p)
        return -1;
    n = p[0] + q[0];
    free(p);
    free(q);
    return n;
}
int main(void)
{
    int in[4] = {1, 2, 3, 4}, *one = top(in, 4), *other = top(in, 1L << 60);
    printf("%d %d %d %d\\n", one[3], other != NULL, again(4), again(6));
    free(one);
    return 0;
}
"""


def test_blocks_that_there_are_none_of(tmp_path: Path) -> None:
    application = source(tmp_path, REFUSED_BY_C)
    both = ("--offload", "top", "--offload", "again")
    done = trial.tandem("verify", application, *both, cwd=tmp_path)
    good(done)
    assert done.stdout.startswith("4 0 -1 12\n")
    assert "top, again: 3 calls, " in done.stdout
    assert "1 calls (it asks for a block from the heap that no memory has room for)" in done.stdout
