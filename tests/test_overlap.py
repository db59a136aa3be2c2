# SPDX-License-Identifier: Apache-2.0
"""Arrays that may overlap, and are one array of the device (`#pragma tandem overlap`): whatever way
they lie, C, RTL and schedule agree, and no call is left to the host."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
import tandem as tandem_module
from tandem.diagnostics import UserError
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.languages.imported import import_c
from tandem.passes import join_arrays
from trial import good, refused, source, tandem

COPY = """
#include <stdint.h>
void copy_match(const uint8_t *window, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = window[i];
}
"""
DIRECTIVE = "copy_match: overlap(window, out)"

SHIFTS = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#pragma tandem overlap(to, from)
void up(int *to, const int *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}
#pragma tandem overlap(to, from)
void down(int *to, const int *from, int n)
{
    for (int i = n; i-- > 0;)
        to[i] = from[i] + 1;
}
#pragma tandem overlap(bytes, words)
uint32_t views(uint8_t *bytes, uint32_t *words, int n)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++) {
        bytes[5 * i] ^= (uint8_t)(i + 1);
        sum = sum * 3 + words[i];
        words[i] = sum;
        sum += bytes[i];
    }
    return sum;
}
#pragma tandem overlap(to, from)
void moved(char *to, char *from, unsigned n)
{
    memmove(to, from, n);
}
#pragma tandem overlap(p, q)
int where(int *p, int *q, int n)
{
    int *end = p + n;
    if (q >= end)
        return 77;
    for (int i = 0; i < n; i++)
        p[i] = q[i - 1] * 2;
    return (int)(q - p) + (p == q);
}
static int table[40];
#pragma tandem overlap(table, x)
void with_table(int *x, int n)
{
    for (int i = 0; i < n; i++)
        table[i + 1] = x[i] + table[i];
}
#pragma tandem overlap(a, b)
void maybe(int *a, int *b, const int *c, int n)
{
    for (int i = 0; a && i < n; i++)
        a[i] = c[i];
    for (int i = 0; b && i < n; i++)
        b[i] += i;
}
static int ints[100];
static uint32_t words[64];
static char text[200];
static int far_away[100];
int main(void)
{
    int *heap = malloc(sizeof far_away), stack[50] = {3, 1, 4};
    for (int i = 0; i < 100; i++)
        ints[i] = far_away[i] = heap[i] = 7 * i;
    for (int i = 0; i < 64; i++)
        words[i] = i * 0x01020304u;
    memset(text, 'x', 50);
    up(ints, ints + 1, 90), up(ints + 1, ints, 90), up(ints, ints, 10), up(ints + 50, ints, 20);
    up(stack, far_away, 40), up(heap, stack, 40);
    down(ints, ints + 1, 80), down(ints + 1, ints, 80), down(ints + 4, stack + 1, 30);
    unsigned sum = views((uint8_t *)words, words, 30);
    sum += views((uint8_t *)(words + 10) + 3, words, 30);
    sum += views((uint8_t *)(words + 10) + 2, words + 11, 9);
    sum += views((uint8_t *)heap, words + 11, 9);
    moved(text, text + 3, 100), moved(text + 3, text, 100), moved(text, text, 5);
    moved(text + 100, text, 50), moved((char *)heap, text, 44), moved(text, (char *)heap, 44);
    sum += where(ints, ints + 1, 20) + where(ints + 1, ints + 1, 20) + where(ints, ints + 50, 20);
    sum += where(ints + 40, ints + 30, 20);
    with_table(table, 10), with_table(table + 2, 10), with_table(ints, 10), with_table(heap, 5);
    maybe(ints, 0, heap, 5), maybe(0, ints, heap, 5), maybe(ints, ints + 1, ints + 70, 5);
    free(heap);
    return sum == 0;
}
"""
FUNCTIONS = ("up", "down", "views", "moved", "where", "with_table", "maybe")


def test_a_run_of_one_byte_and_whatever_lies_apart(tmp_path: Path) -> None:
    """A match that overlaps its own output, one behind it, and others in memory that is gigabytes
    away: what lies between is neither moved nor looked at."""
    main = """
#include <sys/mman.h>
static uint8_t near_by[300] = "a";
int main(void)
{
    uint8_t *pages = mmap(0, 3 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + (1 << 12), 1 << 12);
    copy_match(near_by, near_by + 1, 200);
    copy_match(near_by + 5, near_by + 2, 50);
    copy_match(near_by, near_by, 20);
    copy_match(near_by, pages + (1 << 12) - 100, 100);
    copy_match(pages + (1 << 12) - 100, pages + (2 << 12) + 1, 100);
    copy_match(pages + (2 << 12), near_by + 100, 7);
    copy_match(near_by, pages, 0);
    return near_by[200] != 'a' || near_by[101] != 'a' || near_by[100];
}
"""
    source(tmp_path, COPY + main)
    options = ("--offload", "copy_match", "--directive", DIRECTIVE, "--json")
    done = tandem("verify", "app.c", *options, cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    assert (found["checked_calls"], found["host_calls"]) == (7, 0)
    (kernel,) = found["kernels"]
    rows = {row["name"]: row for row in kernel["arguments"]["rows"]}
    assert {name: row["kind"] for name, row in rows.items()} == {
        "window": "place", "out": "place", "n": "scalar", "window_out": "memory",
    }  # fmt: skip
    # Of what overlaps each byte once: 201 + 53 + 20, and twice 100, 100 and 7 of what lies apart.
    assert rows["window_out"]["bytes"] == 201 + 53 + 20 + 2 * (100 + 100 + 7)
    assert not found["annotations"]


def test_all_that_overlaps_agrees(tmp_path: Path) -> None:
    """Shifts up and down, two views of different widths, `memmove`, comparisons and distances of
    pointers, a variable of the program, null."""
    source(tmp_path, SHIFTS)
    words = [word for name in FUNCTIONS for word in ("--offload", name)]
    done = tandem("verify", "app.c", *words, "--json", cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    assert (found["mismatches"], found["host_calls"]) == (0, 0)
    assert found["checked_calls"] == 30


def test_pointers_in_a_struct_into_one_block(tmp_path: Path) -> None:
    """As sorters have them: words and bytes of one block. Extents are asked for of the parts."""
    main = """
#include <stdint.h>
#include <stdlib.h>
struct state { int n; uint32_t *order; uint32_t *ranks; uint8_t *block; };
#pragma tandem overlap(s.order, s.ranks, s.block)
int sort(struct state *s)
{
    int sum = 0;
    for (int i = 0; i < s->n; i++) {
        s->order[i] = s->order[i] * 3 + s->block[i];
        s->block[i + 8] ^= (uint8_t)i;
        sum += s->ranks[i];
    }
    return sum;
}
int main(void)
{
    struct state s = {20, calloc(100, 4)};
    s.ranks = s.order + 2;
    s.block = (uint8_t *)s.order + 7;
    int sum = sort(&s);
    s.ranks = calloc(100, 4);
    return sum + sort(&s) == 0;
}
"""
    source(tmp_path, main)
    done = tandem("verify", "app.c", "--offload", "sort", "--json", cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    assert (found["checked_calls"], found["host_calls"]) == (2, 0)
    asked = {row["name"] for row in found["annotations"]}
    assert asked == {"s.order", "s.ranks", "s.block"}


def test_the_cure_is_named_and_tried(tmp_path: Path) -> None:
    """Of a call that is the C's alone for what its arrays share: the directive that serves it."""
    main = "int main(void) { static uint8_t x[9] = {1}; copy_match(x, x + 1, 8); return 0; }\n"
    source(tmp_path, COPY + main)
    words = ("app.c", "--offload", "copy_match")
    refused(tandem("verify", *words, cwd=tmp_path), f"--directive '{DIRECTIVE}'")
    done = tandem("run", *words, "--advise", "--budget", "1", "--json", cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    assert [row["directive"] for row in found["host_calls"]["reasons"]] == [DIRECTIVE]
    assert found["served"] == {"options": ["--directive", DIRECTIVE], "host_calls": 0}
    page = tandem("run", *words, cwd=tmp_path).stdout
    assert f"--directive '{DIRECTIVE}' has the device serve them" in " ".join(page.split())


@pytest.mark.parametrize("distance", [-3, 0, 1, 30])
def test_the_interpreter_does_as_the_c(distance: int, tmp_path: Path) -> None:
    text = COPY.replace("void", "#pragma tandem overlap(window, out)\nvoid", 1)
    kernel = import_c(Program.of(source(tmp_path, text)), "copy_match").kernel
    join_arrays.run(kernel)
    data = bytearray(Random(distance).randbytes(64))
    expected = bytearray(data)
    for i in range(20):
        expected[8 + distance + i] = expected[8 + i]
    given = {"window_out": data, "window": 8, "out": 8 + distance, "n": 20}
    interpret(kernel, given)
    assert data == expected


def test_what_no_element_divides_is_left_to_the_host(tmp_path: Path) -> None:
    """Words that overlap by halves: told, and the C's result. What lies so but apart is served."""
    main = """
#include <stdint.h>
#include <string.h>
#pragma tandem overlap(a, b)
void add(const uint16_t *a, uint16_t *b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] += a[i];
}
static unsigned char bytes[64] = {1, 2, 3, 4, 5, 6, 7, 8};
int main(void)
{
    add((uint16_t *)bytes, (uint16_t *)(bytes + 1), 3);
    add((uint16_t *)bytes, (uint16_t *)(bytes + 33), 3);
    return 0;
}
"""
    source(tmp_path, main)
    done = tandem("verify", "app.c", "--offload", "add", "--json", cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    assert (found["checked_calls"], found["host_calls"]) == (1, 1)


def test_a_third_array_that_meets_them(tmp_path: Path) -> None:
    """It has a memory of its own: right as long as it reads nothing that they have written."""
    main = """
#pragma tandem overlap(a, b)
void sum(int *a, int *b, const int *c, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] += b[i];
        b[i + 1] = c[i];
    }
}
int main(void)
{
    static int x[64], y[64];
    sum(x, x + 1, x + 2, 20);
    sum(x, x + 1, y, 20);
    sum(x, y, y, 20);
    return 0;
}
"""
    source(tmp_path, main)
    done = tandem("run", "app.c", "--offload", "sum", "--json", cwd=tmp_path)
    good(done)
    calls = json.loads(done.stdout)["host_calls"]
    reasons = {row["reason"].split(" in line")[0] for row in calls["reasons"]}
    assert reasons == {"`c` and `b` overlap: `c` is read"}
    done = tandem("verify", "app.c", "--offload", "sum", "--json", cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    assert (found["checked_calls"], found["host_calls"]) == (2, calls["calls"]) == (2, 1)


SEEN_ONLY = """
#include <stdint.h>
#include <stdio.h>
#pragma tandem overlap(a, b, c)
void both(const uint8_t *a, uint8_t *b, const uint8_t *c, int n)
{
    b[n & 7] += c[0];
    b[n & 7] ^= (uint8_t)(a[31] + 5);
}
int main(void)
{
    static uint8_t pool[200];
    unsigned sum = 0;
    for (int i = 0; i < 200; i++)
        pool[i] = (uint8_t)(i * 7 + 3);
    for (int n = 0; n < 8; n++)
        both(pool + 60, pool + 91 - n, pool + 81, n);
    for (int i = 0; i < 200; i++)
        sum = sum * 31 + pool[i];
    printf("%u\\n", sum);
    return 0;
}
"""


def test_an_array_of_which_a_call_reads_only_what_it_has_written_elsewhere(tmp_path: Path) -> None:
    """No byte of it is sent, but where it lies is told."""
    main = tmp_path / "main.c"
    main.write_text(SEEN_ONLY)
    result = tandem_module.verify(main, "both")
    assert (result["checked_calls"], result["host_calls"]) == (8, 0)


def test_extents_of_the_parts_are_that_of_the_whole(tmp_path: Path) -> None:
    """A build asks for those that nobody knows; they are declared of all parts, or of none."""
    kernel = """
#pragma tandem overlap(a, b)
void walk(unsigned char *a, const unsigned char *b)
{
    for (int i = 0; b[i]; i++)
        a[i] = b[i];
}
"""
    source(tmp_path, kernel)
    build = ("build", "app.c", "--top", "walk")
    refused(tandem(*build, cwd=tmp_path), "`a` a call uses", "`b` a call uses", "extent(b, BYTES)")
    of_one = ("--directive", "walk: extent(a, 16)")
    refused(tandem(*build, *of_one, cwd=tmp_path), "no extent is declared of `b`")
    done = tandem(*build, *of_one, "--directive", "walk: extent(b, 17)", "--json", cwd=tmp_path)
    good(done)
    rows = {row["name"]: row for row in json.loads(done.stdout)["arguments"]}
    assert rows["a_b"]["extent"] == rows["a"]["extent"] == "declared"
    assert rows["b"]["extent_bytes"] == "17"


def test_a_program_that_calls_by_itself_cannot_open_it(tmp_path: Path) -> None:
    text = COPY.replace("void", "#pragma tandem overlap(window, out)\nvoid", 1)
    built = tandem_module.compile(
        source(tmp_path, text), "copy_match", output=tmp_path, models=True
    )
    with (
        tandem_module.reserve("src-6e") as machine,
        pytest.raises(UserError, match="some of its arrays may overlap"),
    ):
        machine.open(built["package"])


@pytest.mark.parametrize(
    ("directive", "wanted"),
    [
        ("overlap(window, other)", "`other` is no array that the function is given"),
        ("overlap(window)", "unknown directive"),
        ("overlap(out, out)", "unknown directive"),
    ],
)
def test_directives_that_say_nothing(directive: str, wanted: str, tmp_path: Path) -> None:
    source(tmp_path, COPY)
    asked = f"copy_match: {directive}"
    refused(
        tandem("build", "app.c", "--top", "copy_match", "--directive", asked, cwd=tmp_path), wanted
    )
