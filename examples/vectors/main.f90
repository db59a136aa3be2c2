! SPDX-License-Identifier: Apache-2.0
program main
  use vectors
  implicit none
  integer, parameter :: rows = 12, columns = 8
  real(8) :: a(rows, columns), x(columns), y(rows)
  integer :: i, j

  do j = 1, columns
    x(j) = 1.0d0 / j
    do i = 1, rows
      a(i, j) = i - j
    end do
  end do
  y = 1
  call add_product(rows, 10, columns, a, x, y)
  call add_scaled(rows, -2.0d0, a(:, 3), y)
  print '(4f12.6)', y
  print '(f12.6)', inner_product(columns, a(2, 1), rows, x)
  print '(2f12.6)', largest(y), largest(y(1:rows:2))
end program main
