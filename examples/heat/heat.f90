! SPDX-License-Identifier: Apache-2.0
! Heat in a plate, step by step: each place takes some of the difference to its four neighbours.
! The plate is a COMMON block, which the program and the kernel share.

subroutine spread_heat(steps)
  implicit none
  integer, intent(in) :: steps
  integer, parameter :: width = 32, height = 24
  real :: plate(width, height), next(width, height), share
  common /field/ plate, next, share
  integer :: step, i, j

  do step = 1, steps
    do j = 2, height - 1
      do i = 2, width - 1
        next(i, j) = plate(i, j) + share * (plate(i - 1, j) + plate(i + 1, j) &
          + plate(i, j - 1) + plate(i, j + 1) - 4 * plate(i, j))
      end do
    end do
    do j = 2, height - 1
      do i = 2, width - 1
        plate(i, j) = next(i, j)
      end do
    end do
  end do
end subroutine spread_heat

program heat
  implicit none
  integer, parameter :: width = 32, height = 24
  real :: plate(width, height), next(width, height), share
  common /field/ plate, next, share

  plate = 0
  plate(16, 12) = 100
  share = 0.125
  call spread_heat(4)
  call spread_heat(1)
  print '(7f9.4)', plate(13:19, 12)
end program heat
