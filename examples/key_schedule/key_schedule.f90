! SPDX-License-Identifier: Apache-2.0
! The 16 keys that the Data Encryption Standard (FIPS 46-3) makes of one: of the 64 bits of a key,
! counted from the left, 56 are put into two halves, which turn left round by round, and of which
! each round takes 48.

module des_keys
  implicit none
  integer, parameter :: wide = selected_int_kind(18)

  integer, parameter :: chosen(56) = [ &
    57, 49, 41, 33, 25, 17,  9,  1, 58, 50, 42, 34, 26, 18, 10,  2, 59, 51, 43, 35, 27, 19, 11,  3, &
    60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15,  7, 62, 54, 46, 38, 30, 22, 14,  6, 61, 53, 45, 37, &
    29, 21, 13,  5, 28, 20, 12,  4]
  integer, parameter :: taken(48) = [ &
    14, 17, 11, 24,  1,  5,  3, 28, 15,  6, 21, 10, 23, 19, 12,  4, 26,  8, 16,  7, 27, 20, 13,  2, &
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32]
  integer, parameter :: turns(16) = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]
contains

  subroutine make_keys(key, keys)
    integer(wide), intent(in) :: key
    integer(wide), intent(out) :: keys(16)
    integer(wide) :: halves, left, right, bits
    integer :: i, round

    halves = 0
    do i = 1, 56
      halves = ior(ishft(halves, 1), ibits(key, 64 - chosen(i), 1))
    end do
    left = ibits(halves, 28, 28)
    right = ibits(halves, 0, 28)
    do round = 1, 16
      left = ishftc(left, turns(round), 28)
      right = ishftc(right, turns(round), 28)
      halves = ior(ishft(left, 28), right)
      bits = 0
      do i = 1, 48
        bits = ior(ishft(bits, 1), ibits(halves, 56 - taken(i), 1))
      end do
      keys(round) = bits
    end do
  end subroutine make_keys

end module des_keys

program main
  use des_keys
  implicit none
  integer(wide) :: keys(16)
  integer(wide), parameter :: key = int(z'133457799BBCDFF1', wide)

  call make_keys(key, keys)
  print '(z12.12)', keys
end program main
