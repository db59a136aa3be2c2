# SPDX-License-Identifier: Apache-2.0
"""PRESENT of whole numbers, to compare with."""

S_BOX = [int(digit, 16) for digit in "c56b90ad3ef84712"]
PLACES = [16 * bit % 63 if bit < 63 else 63 for bit in range(64)]


def in_whole_numbers(key: bytes, plain: bytes) -> bytes:
    """PRESENT as its paper has it, with a register of 80 or 128 bits and a list of positions."""
    bits, state = 8 * len(key), int.from_bytes(plain, "big")
    register = int.from_bytes(key, "big")
    for number in range(1, 32):
        state ^= register >> (bits - 64)
        state = sum(S_BOX[state >> at & 15] << at for at in range(0, 64, 4))
        state = sum((state >> bit & 1) << place for bit, place in enumerate(PLACES))
        register = next_register(register, bits, number)
    return (state ^ register >> (bits - 64)).to_bytes(8, "big")


def next_register(register: int, bits: int, number: int) -> int:
    """Turned left by 61 bits; one nibble through the S-box, or two of 128 bits; the round added."""
    register = (register << 61 | register >> (bits - 61)) % 2**bits
    for at in (bits - 4, bits - 8)[: 1 if bits == 80 else 2]:
        register ^= (register >> at & 15 ^ S_BOX[register >> at & 15]) << at
    return register ^ number << (15 if bits == 80 else 62)
