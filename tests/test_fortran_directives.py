# SPDX-License-Identifier: Apache-2.0
"""What users ask for in Fortran: comments before loops and procedures, and from outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_fortran import needs_flang
from trial import good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")

ASKED = """
subroutine mix(n, a, b)
  implicit none
  integer, intent(in) :: n, a(n)
  integer, intent(inout) :: b(n)
  integer :: i, k
  !$tandem unroll(4)

  ! in two steps
  do i = 1, n
    b(i) = b(i) + 3 * a(i)
  end do
  k = 1
  !$tandem pipeline off
  do while (k < n)
    k = k + 1
    b(k) = ieor(b(k), ishft(b(k - 1), 1))
  end do
end subroutine

!$tandem recursion(16)
recursive integer function fib(n) result(f)
  integer, intent(in) :: n
  if (n < 2) then
    f = n
  else
    f = fib(n - 1) + fib(n - 2)
  end if
end function

program main
  integer :: a(32), b(32), i
  integer, external :: fib
  a = [(i, i = 1, 32)]
  b = 1
  call mix(32, a, b)
  print *, b(32), fib(10)
end program
"""


@needs_flang
def test_directives_are_comments_before_loops(tmp_path: Path) -> None:
    source(tmp_path, ASKED, "asked.f90")
    done = tandem("run", "asked.f90", "--offload", "mix", "--mode", "simulate", cwd=tmp_path)
    good(done)
    told = [line.split() for line in done.stdout.splitlines() if line.startswith("line ")]
    rows = {words[1]: words[2:4] for words in told}
    assert rows["10"][1] == "8" and rows["15"] == ["2", "31"] and ", 0 wrong" in done.stdout
    assert "directive `pipeline off`" in done.stdout


@needs_flang
def test_a_directive_before_a_procedure_that_calls_itself(tmp_path: Path) -> None:
    source(tmp_path, ASKED, "asked.f90")
    done = tandem("run", "asked.f90", "--offload", "fib", "--mode", "simulate", cwd=tmp_path)
    good(done)
    assert "1 calls against the C, 0 wrong" in done.stdout
    without = ASKED.replace("!$tandem recursion(16)", "")
    source(tmp_path, without, "asked.f90")
    asked = ("--directive", "fib: recursion(16)")
    good(tandem("run", "asked.f90", "--offload", "fib", *asked, cwd=tmp_path))
    done = tandem("run", "asked.f90", "--offload", "fib", cwd=tmp_path)
    refused(done, "asked.f90:22: error[recursion]: `fib` calls itself: fib -> fib")


@needs_flang
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("unrol(4)", "asked.f90:7: error[pragma]: unknown directive `!$tandem unrol(4)`"),
        ('macro("f.v", latency 2)', "asked.f90:7: error[pragma]: `!$tandem macro"),
        ("extent(a, 4)", "is not there in Fortran"),
        ("inline", "`!$tandem inline` stands before no procedure"),
    ],
)
def test_a_directive_that_is_none_is_told(words: str, told: str, tmp_path: Path) -> None:
    source(tmp_path, ASKED.replace("unroll(4)", words), "asked.f90")
    refused(tandem("run", "asked.f90", "--offload", "mix", cwd=tmp_path), told)


@needs_flang
def test_a_directive_from_outside_and_one_before_no_loop(tmp_path: Path) -> None:
    source(tmp_path, ASKED, "asked.f90")
    words = ("run", "asked.f90", "--offload", "mix", "--directive")
    good(tandem(*words, "asked.f90:10: pipeline ii(5)", cwd=tmp_path))
    done = tandem(*words, "asked.f90:13: unroll(2)", cwd=tmp_path)
    refused(done, "`unroll(2)` is about nothing: no `asked.f90:13`")
    source(tmp_path, ASKED.replace("  k = 1\n", "  !$tandem unroll\n  k = 1\n"), "asked.f90")
    refused(tandem(*words[:4], cwd=tmp_path), "asked.f90:13", "stands before no loop", "`do`")
