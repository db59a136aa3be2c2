# SPDX-License-Identifier: Apache-2.0
"""The library's DES and triple DES: the C against known answers, and against pycryptodome."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from Crypto.Cipher import DES, DES3
from tandem.frontend.clang import NATIVE_FLAGS, run_clang

LIBRARY = Path(__file__).parents[1] / "library"

# NIST SP 800-20, tables A.1 to A.4: key, plaintext, ciphertext; one or two entries a table.
KNOWN_ANSWERS = [
    ("0101010101010101", "8000000000000000", "95f8a5e5dd31d900"),  # variable plaintext
    ("0101010101010101", "4000000000000000", "dd7f121ca5015619"),
    ("8001010101010101", "0000000000000000", "95a8d72813daa94d"),  # variable key
    ("4001010101010101", "0000000000000000", "0eec1487dd8c26d5"),
    ("1046913489980131", "0000000000000000", "88d55e54f54c97b4"),  # permutation operation
    ("7ca110454a1a6e57", "01a1d6d039776742", "690f5b0d9a26939b"),  # substitution table
    ("0131d9619dc1376e", "5cd54ca83def57da", "7a389d10354bd271"),
]


@pytest.fixture(scope="module")
def des(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("library") / "des.so"
    sources = [str(LIBRARY / "des.c"), str(LIBRARY / "des3.c")]
    run_clang([*NATIVE_FLAGS, "-shared", *sources, "-o", str(out)])
    return ctypes.CDLL(str(out))


def call(function: Callable[..., object], data: bytes, *keys: bytes) -> bytes:
    out = ctypes.create_string_buffer(len(data) + 1)
    function(data, out, ctypes.c_size_t(len(data) // 8), *keys)
    return out.raw[: len(data)]


@pytest.mark.parametrize(("key", "plain", "cipher"), KNOWN_ANSWERS)
def test_known_answers(des: ctypes.CDLL, key: str, plain: str, cipher: str) -> None:
    k, p, c = (bytes.fromhex(text) for text in (key, plain, cipher))
    assert call(des.des_encrypt, p, k) == c
    assert call(des.des_decrypt, c, k) == p
    assert call(des.des3_encrypt, p, k * 3) == c, "three equal keys are single DES"


def random_key(generator: random.Random, size: int) -> bytes:
    while True:
        key = generator.randbytes(size)
        try:
            return DES3.adjust_key_parity(key)
        except ValueError:
            continue


@pytest.mark.parametrize("seed", range(20))
def test_against_pycryptodome(des: ctypes.CDLL, seed: int) -> None:
    generator = random.Random(seed)
    data, iv = generator.randbytes(8 * generator.randrange(0, 40)), generator.randbytes(8)
    three, two = random_key(generator, 24), random_key(generator, 16)
    assert call(des.des_encrypt, data, three[:8]) == DES.new(three[:8], DES.MODE_ECB).encrypt(data)
    assert call(des.des3_encrypt, data, three) == DES3.new(three, DES3.MODE_ECB).encrypt(data)
    assert call(des.des3_decrypt, data, three) == DES3.new(three, DES3.MODE_ECB).decrypt(data)
    assert call(des.des3_encrypt_2key, data, two) == DES3.new(two, DES3.MODE_ECB).encrypt(data)
    assert call(des.des3_decrypt_2key, data, two) == DES3.new(two, DES3.MODE_ECB).decrypt(data)
    plain = DES3.new(three, DES3.MODE_CBC, iv=iv).decrypt(data)
    assert call(des.des3_cbc_decrypt, data, three, iv) == plain
