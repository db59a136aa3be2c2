! SPDX-License-Identifier: Apache-2.0
! Sums over vectors, and of a matrix and a vector, with the arguments that programs in Fortran give
! such procedures. Arrays may be parts of larger ones: `step` is from one element to the next, and
! `rows` is how many elements a column of the matrix has in memory.

module vectors
  implicit none
contains

  ! y = y + factor * x
  subroutine add_scaled(n, factor, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: factor, x(n)
    real(8), intent(inout) :: y(n)
    integer :: i
    do i = 1, n
      y(i) = y(i) + factor * x(i)
    end do
  end subroutine add_scaled

  ! The sum of all x * y.
  function inner_product(n, x, step, y) result(total)
    integer, intent(in) :: n, step
    real(8), intent(in) :: x(*), y(*)
    real(8) :: total
    integer :: i, place
    total = 0
    place = 1
    do i = 1, n
      total = total + x(place) * y(i)
      place = place + step
    end do
  end function inner_product

  ! y = y + a * x, column by column.
  subroutine add_product(rows, m, n, a, x, y)
    integer, intent(in) :: rows, m, n
    real(8), intent(in) :: a(rows, n), x(n)
    real(8), intent(inout) :: y(m)
    integer :: i, j
    do j = 1, n
      do i = 1, m
        y(i) = y(i) + a(i, j) * x(j)
      end do
    end do
  end subroutine add_product

  ! The largest magnitude of any vector.
  function largest(x) result(most)
    real(8), intent(in) :: x(:)
    real(8) :: most
    integer :: i
    most = 0
    do i = 1, size(x)
      if (abs(x(i)) > most) most = abs(x(i))
    end do
  end function largest

end module vectors
