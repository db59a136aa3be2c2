# SPDX-License-Identifier: Apache-2.0
"""A file in Fortran with all that no hardware is made of, and what is made of the rest: the program
does what flang alone makes of it, and what is refused is told in the author's words."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tandem.languages.fortran.flang import find_flang
from test_fortran import needs_flang
from trial import good, refused, source, tandem

pytestmark = [pytest.mark.usefixtures("cache"), needs_flang]

PROGRAM = """
module types
  implicit none
  type point
    real :: x, y
    integer :: tag
  end type
  type(point) :: saved
contains
  subroutine label(text, p)
    character(*), intent(in) :: text
    type(point), intent(inout) :: p
    p%tag = len(text)
    saved = p
  end subroutine
  function make(n) result(a)
    integer, intent(in) :: n
    real, allocatable :: a(:)
    integer :: i
    allocate(a(n))
    do i = 1, n
      a(i) = i
    end do
  end function
  subroutine grow(a)
    real, allocatable, intent(inout) :: a(:)
    a = [a, 1.0]
  end subroutine
  complex function turn(z)
    complex, intent(in) :: z
    turn = z * (0.0, 1.0)
  end function
  subroutine apply(f, n, v)
    interface
      real function f(x)
        real, intent(in) :: x
      end function
    end interface
    integer, intent(in) :: n
    real, intent(inout) :: v(n)
    integer :: i
    do i = 1, n
      v(i) = f(v(i))
    end do
  end subroutine
  real function half(x)
    real, intent(in) :: x
    half = x / 2
  end function
  subroutine switch(int, for, wire, module)
    integer, intent(in) :: int, for(int)
    integer, intent(inout) :: wire(int)
    integer, intent(out) :: module
    integer :: i
    module = 0
    do i = 1, int
      wire(i) = wire(i) + for(i)
      module = module + wire(i)
    end do
  end subroutine
  subroutine auto(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    real :: w(n)
    integer :: i
    do i = 1, n
      w(i) = a(n + 1 - i)
    end do
    do i = 1, n
      a(i) = w(i) + a(i)
    end do
  end subroutine
  subroutine tail(n, m, a, b)
    integer, intent(in) :: n
    integer, value :: m
    real, intent(inout), contiguous :: a(:)
    real, intent(in), contiguous, target :: b(:)
    integer :: i
    do i = 1, min(n, m, size(a))
      a(i) = a(i) + b(i)
    end do
  end subroutine
end module
program main
  use types
  implicit none
  type(point) :: p
  real, allocatable :: a(:)
  real :: v(4) = [1., 2., 3., 4.], b(8) = 1
  integer :: w(3) = 1, m
  call label('hello', p)
  a = make(4)
  call grow(a)
  print *, p%tag, saved%tag, a, turn((1., 2.))
  call apply(half, 4, v)
  print *, v
  call switch(3, [1, 2, 3], w, m)
  print *, w, m
  call auto(4, v)
  print *, v
  call tail(4, 3, b(1:8:2), a)
  print *, b
end program
"""


@pytest.fixture
def printed(tmp_path: Path) -> str:
    """What the program prints as flang alone compiles it."""
    source(tmp_path, PROGRAM, "app.f90")
    subprocess.run([*find_flang(), "app.f90", "-o", "app"], cwd=tmp_path, check=True)
    done = subprocess.run("./app", cwd=tmp_path, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("function", ["switch", "half", "tail"])
def test_the_rest_of_the_file_does_not_matter(function: str, printed: str, tmp_path: Path) -> None:
    """Names of arguments that are words of C or Verilog neither."""
    done = tandem("run", "app.f90", "--mode", "simulate", "--offload", function, cwd=tmp_path)
    good(done)
    assert done.stdout.startswith(printed) and ", 0 wrong" in done.stdout


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("apply", "error[indirect-call]: a call through a function pointer"),
        ("auto", "error[array-size]: nothing says how large the local array `w` can become"),
        ("types::grow", "error["),
    ],
)
def test_what_is_refused_is_told(function: str, told: str, tmp_path: Path) -> None:
    source(tmp_path, PROGRAM, "app.f90")
    refused(tandem("run", "app.f90", "--offload", function, cwd=tmp_path), "app.f90:", told)


def test_an_array_that_is_not_contiguous_stays_in_software(tmp_path: Path) -> None:
    text = """
subroutine both(a)
  integer, intent(inout) :: a(:)
  integer :: i
  do i = 1, size(a)
    a(i) = a(i) + 1
  end do
end subroutine
program main
  interface
    subroutine both(a)
      integer, intent(inout) :: a(:)
    end subroutine
  end interface
  integer :: v(8) = 1
  call both(v)
  call both(v(1:8:2))
  print *, v
end program
"""
    source(tmp_path, text, "app.f90")
    done = tandem("run", "app.f90", "--mode", "simulate", "--offload", "both", cwd=tmp_path)
    good(done)
    assert done.stdout.split()[:8] == ["3", "2"] * 4 and "1 calls against the C" in done.stdout
    assert "app.f90:2: note[strided]" in done.stderr and "CONTIGUOUS" in done.stderr


SEVERAL = """
module {module}
contains
  integer function total(n)
    integer, intent(in) :: n
    total = n * {factor}
  end function
end module
"""


def test_procedures_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """In two files; a name of C's library is nobody else's."""
    source(tmp_path, SEVERAL.format(module="a", factor=3), "a.f90")
    source(tmp_path, SEVERAL.format(module="b", factor=5), "b.f90")
    text = """
integer function index(n)
  integer, intent(in) :: n
  index = n + 1
end function
program main
  use a, only: first => total
  use b, only: second => total
  integer, external :: index
  print *, first(2), second(2), index(2)
end program
"""
    source(tmp_path, text, "main.f90")
    words = ("run", "main.f90", "--source", "a.f90", "--source", "b.f90", "--mode", "simulate")
    for said, kernel in (("a::total", "a_total"), ("B::Total", "b_total"), ("index", "index_proc")):
        done = tandem(*words, "--offload", said, cwd=tmp_path)
        good(done)
        assert done.stdout.split()[:3] == ["6", "10", "3"] and "1 calls against" in done.stdout
        assert f"\n{kernel}" in done.stdout
    refused(
        tandem(*words, "--offload", "total", cwd=tmp_path), "no function named `total`", "a_total"
    )
