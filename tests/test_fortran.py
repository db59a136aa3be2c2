# SPDX-License-Identifier: Apache-2.0
"""Programs in Fortran, alone and beside C: in every mode, built, and told as their authors wrote
them; and what is said where no flang is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tandem.diagnostics import UserError
from tandem.languages.fortran.flang import find_flang
from trial import Done, good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")
ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PROGRAMS = {
    "vectors": (("main.f90", "--source", "vectors.f90"), ("add_product", "inner_product")),
    "heat": (("heat.f90",), ("spread_heat",)),
    "key_schedule": (("key_schedule.f90",), ("make_keys",)),
}
SAID = {"vectors": "-2.564286", "heat": "13.1348", "key_schedule": "1B02EFFC7072"}
OWN_NAMES = re.compile(r"\b_?Q[MFPE][a-z_]+[PE]?|\b(add_product|spread_heat|make_keys)_\b")


def has_flang() -> bool:
    try:
        find_flang()
    except UserError:
        return False
    return True


needs_flang = pytest.mark.skipif(not has_flang(), reason="no flang; apt install flang-19")


def example(command: str, name: str, folder: Path, *options: object) -> Done:
    """One of the three programs, from its own folder; results go into another one."""
    words, functions = PROGRAMS[name]
    files = [EXAMPLES / name / word if word.endswith(".f90") else word for word in words]
    asked = [word for function in functions for word in ("--offload", function)]
    done = tandem(command, *files, *asked, *options, cwd=folder)
    good(done)
    return done


@needs_flang
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_runs_and_is_told(name: str, tmp_path: Path) -> None:
    """Every call against the software; the page says names as the author wrote them."""
    page = tmp_path / "page.html"
    done = example("run", name, tmp_path, "--mode", "simulate", "--report", page)
    assert SAID[name] in done.stdout and ", 0 wrong" in done.stdout
    for function in PROGRAMS[name][1]:
        assert f"{function}: " in done.stdout and function in page.read_text()
    assert OWN_NAMES.search(done.stdout + page.read_text()) is None


@needs_flang
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_is_verified(name: str, tmp_path: Path) -> None:
    done = example("verify", name, tmp_path)
    assert ", ".join(PROGRAMS[name][1]) in done.stdout
    assert "cycles: RTL, schedule and C agree" in done.stdout


@needs_flang
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_is_built(name: str, tmp_path: Path) -> None:
    words, functions = PROGRAMS[name]
    files = [EXAMPLES / name / word if word.endswith(".f90") else word for word in words]
    done = tandem("build", *files, "--top", functions[0], "-o", "made", cwd=tmp_path)
    good(done)
    verilog = (tmp_path / "made" / f"{functions[0]}.tandem").rglob("*.sv")
    assert any(f"module {functions[0]}" in path.read_text() for path in verilog)


PROCEDURES = """
subroutine scale(n, a, x)
  integer, intent(in) :: n
  real(8), intent(in) :: a
  real(8), intent(inout) :: x(*)
  integer :: i, calls
  real(8) :: last
  common /state/ last, calls
  do i = 1, n
    x(i) = a * x(i)
  end do
  calls = calls + 1
  last = x(n)
end subroutine
"""
IN_C = """
#include <stdio.h>
extern void scale_(const int *n, const double *a, double *x);
extern struct { double last; int calls; } state_;
int main(void)
{
    double x[5] = {1, 2, 3, 4, 5}, a = 2;
    int n = 5;
    scale_(&n, &a, x);
    scale_(&n, &a, x);
    return printf("%g %d %g\\n", x[4], state_.calls, state_.last) < 0;
}
"""


@needs_flang
@pytest.mark.parametrize("said", ["scale", "SCALE"])
def test_a_program_in_c_has_a_procedure_offloaded(said: str, tmp_path: Path) -> None:
    source(tmp_path, PROCEDURES, "scale.f90")
    source(tmp_path, IN_C)
    words = ("app.c", "--source", "scale.f90", "--offload", said, "--mode", "simulate")
    done = tandem("run", *words, cwd=tmp_path)
    good(done)
    assert done.stdout.startswith("20 2 20\n") and "2 calls against the C, 0 wrong" in done.stdout


CALLS_C = """
program main
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function weigh(values, n) bind(c)
      use iso_c_binding
      integer(c_int), intent(in) :: values(*)
      integer(c_int), value :: n
    end function
  end interface
  integer(c_int) :: values(4) = [1, 2, 3, 4]
  print *, weigh(values, 4)
end program
"""
WEIGH = """
int weigh(const int *v, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * i;
    return sum;
}
"""


@needs_flang
def test_a_program_in_fortran_has_a_function_of_c_offloaded(tmp_path: Path) -> None:
    source(tmp_path, CALLS_C, "main.f90")
    source(tmp_path, WEIGH, "weigh.c")
    words = ("main.f90", "--source", "weigh.c", "--offload", "weigh", "--mode", "simulate")
    done = tandem("run", *words, cwd=tmp_path)
    good(done)
    assert done.stdout.split()[0] == "20" and "0 wrong" in done.stdout


KINDS = """
module kinds
  implicit none
  integer, parameter :: shifts(4) = [1, 3, 2, 5]
  integer, save :: kept = 7
contains
  integer function all_kinds(flag, small, wide, x, table, count)
    logical, intent(in) :: flag
    integer(1), intent(in) :: small
    integer(8), intent(in) :: wide
    real, intent(in) :: x
    integer(2), intent(inout) :: table(0:2, -1:1)
    integer, intent(out) :: count
    integer :: i, j
    count = 0
    do j = -1, 1
      do i = 0, 2
        if (flag .and. mod(i + j, 2) == 0) cycle
        table(i, j) = int(table(i, j) + small, 2)
        count = count + ishft(1, shifts(i + 1))
      end do
    end do
    kept = kept + count
    all_kinds = int(ibits(wide, 30, 9)) + kept + nint(x)
  end function

  subroutine old(n, k)
    integer n, k(n)
    integer i
    do 10 i = 1, n
      if (k(i)) 20, 10, 30
20    k(i) = -k(i)
      go to 10
30    k(i) = k(i) * 2
10  continue
  end subroutine

  subroutine whole(a, b)
    real, intent(in) :: a(:, :)
    real, intent(inout) :: b(:, :)
    integer :: i, j
    do j = 1, size(b, 2)
      do i = 1, size(b, 1)
        b(i, j) = b(i, j) + 2 * a(i, j)
      end do
    end do
  end subroutine

  subroutine maybe(n, x, by)
    integer, intent(in) :: n
    integer, intent(inout) :: x(n)
    integer, intent(in), optional :: by
    integer :: i, step
    step = 1
    if (present(by)) step = by
    do i = 1, n
      x(i) = x(i) + step
    end do
  end subroutine
end module

program main
  use kinds
  implicit none
  integer(2) :: table(3, 3) = 5_2
  integer :: count, k(4) = [-3, 0, 4, -9]
  real :: a(4, 6), b(4, 6)
  print *, all_kinds(.true., -9_1, 12345678901234_8, 2.5, table, count), count
  print *, all_kinds(.false., 100_1, -1_8, -7.5, table, count), count
  print *, table
  call old(4, k)
  print *, k
  a = 3
  b = 1
  call whole(a, b)
  call whole(a(1:3, 2:5), b(2:4, 1:4))
  print *, b
  call maybe(4, k)
  print *, k
end program
"""


@needs_flang
@pytest.mark.parametrize("function", ["all_kinds", "kinds::old", "whole"])
def test_arguments_of_all_kinds(function: str, tmp_path: Path) -> None:
    source(tmp_path, KINDS, "kinds.f90")
    own = [*find_flang(), "kinds.f90", "-o", "kinds"]
    subprocess.run(own, cwd=tmp_path, check=True)
    printed = subprocess.run("./kinds", cwd=tmp_path, check=True, capture_output=True, text=True)
    done = tandem("run", "kinds.f90", "--mode", "simulate", "--offload", function, cwd=tmp_path)
    good(done)
    assert done.stdout.startswith(printed.stdout) and ", 0 wrong" in done.stdout


@needs_flang
def test_fixed_form_with_no_intents(tmp_path: Path) -> None:
    """What is only read is a number; what is written stays where the caller has it."""
    text = """
      SUBROUTINE RUNS(N, LIMIT, X, LONGEST)
      INTEGER N, LIMIT, X(N), LONGEST, I, L
      L = 0
      LONGEST = 0
      DO 10 I = 1, N
        L = L + 1
        IF (X(I) .GT. LIMIT) L = 0
        IF (L .GT. LONGEST) LONGEST = L
   10 CONTINUE
      END
      PROGRAM MAIN
      INTEGER X(8), K
      DATA X /1, 9, 2, 3, 1, 9, 1, 1/
      CALL RUNS(8, 5, X, K)
      PRINT *, K
      END
"""
    source(tmp_path, text, "runs.f")
    done = tandem("run", "runs.f", "--mode", "simulate", "--offload", "runs", cwd=tmp_path)
    good(done)
    assert done.stdout.split()[0] == "3" and ", 0 wrong" in done.stdout


@needs_flang
def test_modules_of_other_files_whatever_their_order(tmp_path: Path) -> None:
    source(tmp_path, "module b\n  use a\n  integer, parameter :: m = k + 1\nend module\n", "b.f90")
    source(tmp_path, "module a\n  integer, parameter :: k = 4\nend module\n", "a.f90")
    text = """
integer function f(n)
  use b
  integer, intent(in) :: n
  f = n * m
end function
program main
  integer, external :: f
  print *, f(3)
end program
"""
    source(tmp_path, text, "main.f90")
    words = ("main.f90", "--source", "b.f90", "--source", "a.f90", "--offload", "f")
    done = tandem("run", *words, "--mode", "simulate", cwd=tmp_path)
    good(done)
    assert done.stdout.split()[0] == "15"
    refused(tandem("run", *words[:3], "--offload", "f", cwd=tmp_path), "b.f90:2", "[fortran]", "a")


@needs_flang
def test_what_is_wrong_is_told_where_it_stands(tmp_path: Path) -> None:
    source(tmp_path, "subroutine s(n)\n  implicit none\n  n = 1\nend subroutine\n", "s.f90")
    done = tandem("build", "s.f90", "--top", "s", "-o", "made", cwd=tmp_path)
    refused(done, "s.f90:1: error[fortran]", "No explicit type declared for 'n'", "correct")
    text = "subroutine s(n)\n  integer :: n, c[*]\n  save c\n  n = c[1]\nend\n"
    source(tmp_path, text, "s.f90")
    done = tandem("build", "s.f90", "--top", "s", "-o", "made", cwd=tmp_path)
    refused(done, "s.f90:4: error[fortran]: not yet implemented: coarray", "write it otherwise")


@needs_flang
def test_a_name_that_is_none_and_a_library_call(tmp_path: Path) -> None:
    text = """
real function total(n, x)
  integer, intent(in) :: n
  real, intent(in) :: x(n)
  total = sum(x)
end function
program main
  real, external :: total
  real :: x(3) = 1
  print *, total(3, x)
end program
"""
    source(tmp_path, text, "s.f90")
    done = tandem("run", "s.f90", "--offload", "totl", cwd=tmp_path)
    refused(done, "no function named `totl`", "defined are: main, total\n")
    done = tandem("run", "s.f90", "--offload", "total", cwd=tmp_path)
    refused(done, "s.f90:5", "[call]", "_FortranASum", "as loops")


def test_without_flang_it_is_named_with_its_cure(tmp_path: Path) -> None:
    source(tmp_path, "end\n", "s.f90")
    done = tandem("run", "s.f90", "--offload", "s", cwd=tmp_path, PATH="", TANDEM_FLANG=None)
    refused(done, "s.f90: error[flang-missing]", "no flang is on the path", "install flang")


def test_another_compiler_is_no_flang(tmp_path: Path) -> None:
    source(tmp_path, "end\n", "s.f90")
    done = tandem("run", "s.f90", "--offload", "s", cwd=tmp_path, TANDEM_FLANG="/bin/true")
    refused(done, "s.f90: error[flang-missing]", "`/bin/true` is no flang", "$TANDEM_FLANG")
