# SPDX-License-Identifier: Apache-2.0
"""Pointers in structs that the caller shares: the kernel's hidden arguments, as the machine sees
them. What programs do is in tests/programs/whole."""

from __future__ import annotations

from pathlib import Path

from tandem.frontend.program import Program
from tandem.ir.argument import Field
from tandem.ir.kernel import Kernel
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.languages.imported import import_c

STREAM = """
struct state { int mode; short *window; };
struct stream { const char *next; int left; struct state *state; };
"""


def imported(body: str, tmp_path: Path) -> Kernel:
    path = tmp_path / "f.c"
    path.write_text(STREAM + body)
    return import_c(Program.of(path), "f").kernel


def test_fields_are_arguments_behind_the_parameters(tmp_path: Path) -> None:
    kernel = imported("int f(struct stream *s, int k) { return s->state->window[k]; }", tmp_path)
    assert [(a.name, a.field, a.is_parameter) for a in kernel.arguments] == [
        ("s", None, True),
        ("k", None, True),
        ("s.state", Field("s", 16), False),
        ("s.state.window", Field("s.state", 8), False),
        ("result", None, False),
    ]


def test_a_field_that_moves_is_written_back_as_an_address(tmp_path: Path) -> None:
    kernel = imported("int f(struct stream *s) { return *s->next++; }", tmp_path)
    assert [a.name for a in kernel.arguments if a.tells_of] == ["s.at0_address"]
    assert parse(print_kernel(kernel)).argument("s.at0").field == Field("s", 0)


def test_a_field_is_open_where_an_index_may_lead_there(tmp_path: Path) -> None:
    body = "int f(struct stream *s, int i) { ((int *)s)[i] = 3; return s->next[1]; }"
    assert imported(body, tmp_path).argument("s.at0").field == Field("s", 0, is_open=True)
    body = "int f(struct stream *s, int i) { s->left = i; return s->next[1]; }"
    kernel = imported(body, tmp_path)
    assert kernel.argument("s.at0").field == Field("s", 0)
    assert parse(print_kernel(kernel)).argument("s.at0").field == Field("s", 0)


def test_fields_in_functions_kept_apart(tmp_path: Path) -> None:
    """A function that reads fields is no more apart: its parameters would not be known."""
    body = """
    __attribute__((noinline)) static int at(struct stream *s, int i) { return s->next[i]; }
    int f(struct stream *s, int k) { return at(s, k) + at(s, at(s, k + 1)); }
    """
    assert imported(body, tmp_path).argument("s.at0").field == Field("s", 0)
    apart = import_c(Program.of(tmp_path / "f.c"), "f").again(frozenset({"at"}))
    assert not apart.apart and apart.kernel.argument("s.at0").field == Field("s", 0)
