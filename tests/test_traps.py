# SPDX-License-Identifier: Apache-2.0
"""Calls that need more than hardware was given are left to the C, and told; all others agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.diagnostics import InternalError
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.ir.memory import MemoryKind
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.languages.imported import import_c
from trial import good, source, tandem

DEEP = """
#include <stdio.h>
#pragma tandem recursion(3)
static int ways(int n, int *calls)
{
    ++*calls;
    return n < 2 ? n : ways(n - 1, calls) + ways(n - 2, calls);
}
int top(int n, int *a)
{
    int calls = 0;
    a[n & 1] += ways(n, &calls);
    return calls;
}
int main(void)
{
    int a[2] = {0};
    for (int n = 0; n < 7; n++)
        printf("%d %d %d\\n", top(n, a), a[0], a[1]);
    return 0;
}
"""
TOO_DEEP = "`ways` calls itself deeper than `recursion(3)` says"


def test_a_call_that_goes_too_deep_is_left_to_the_c(tmp_path: Path) -> None:
    done = tandem("verify", source(tmp_path, DEEP), "--offload", "top", cwd=tmp_path)
    good(done)
    assert "top: 4 calls, " in done.stdout
    assert f"on the host: 3 calls ({TOO_DEEP})" in done.stdout
    assert done.stdout.splitlines()[6] == "25 12 8", "the program goes on with the C's results"


def test_the_interpreter_ends_at_a_trap(tmp_path: Path) -> None:
    kernel = import_c(Program.of(source(tmp_path, DEEP)), "top").kernel
    assert [memory.name for memory in kernel.memories.values() if memory.kind is MemoryKind.TRAP]
    kernel = parse(print_kernel(kernel))
    assert interpret(kernel, {"n": 3, "a": bytearray(8)}) == 5
    with pytest.raises(InternalError) as error:
        interpret(kernel, {"n": 4, "a": bytearray(8)})
    assert error.value.diagnostics[0].message == TOO_DEEP


LISTS = """
#include <stdio.h>
struct node { struct node *next; int value; };
int top(struct node *given, int n)
{
    struct node own[8];
    for (int i = 0; i < 8; i++) {
        own[i].next = i < (n & 7) ? &own[i + 1] : 0;
        own[i].value = i + n;
    }
    int sum = 0;
    for (struct node *at = n < 3 ? own : given; at; at = at->next)
        sum = sum * 3 + at->value;
    return sum;
}
int main(void)
{
    struct node two = {0, 9}, one = {&two, 5};
    for (int n = 0; n < 6; n++)
        printf("%d ", top(&one, n));
    printf("%d\\n", top(0, 4));
    return 0;
}
"""


def test_a_pointer_that_the_caller_has_filled_in_is_followed_by_the_c(tmp_path: Path) -> None:
    done = tandem("verify", source(tmp_path, LISTS), "--offload", "top", cwd=tmp_path)
    good(done)
    assert "top: 4 calls, " in done.stdout
    assert "on the host: 3 calls (it follows a pointer that it reads from `given`" in done.stdout
    assert done.stdout.startswith("0 5 31 24 24 24 0\n")
