# SPDX-License-Identifier: Apache-2.0
"""PRESENT-80 of whole numbers, to compare with."""

S_BOX = [int(digit, 16) for digit in "c56b90ad3ef84712"]


def in_whole_numbers(key: bytes, plain: bytes) -> bytes:
    """PRESENT-80 as its paper has it, with a register of 80 bits and a list of positions."""
    register, state = int.from_bytes(key, "big"), int.from_bytes(plain, "big")
    for number in range(1, 32):
        state ^= register >> 16
        state = sum(S_BOX[state >> at & 15] << at for at in range(0, 64, 4))
        places = [16 * bit % 63 if bit < 63 else 63 for bit in range(64)]
        state = sum((state >> bit & 1) << place for bit, place in enumerate(places))
        register = (register << 61 | register >> 19) % 2**80
        register = S_BOX[register >> 76] << 76 | register % 2**76
        register ^= number << 15
    return (state ^ register >> 16).to_bytes(8, "big")
