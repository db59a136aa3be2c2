# SPDX-License-Identifier: Apache-2.0
"""The library's DES and triple DES: the C against pycryptodome."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from Crypto.Cipher import DES, DES3
from tandem.frontend.clang import NATIVE_FLAGS, run_clang

CRYPTO = Path(__file__).parents[1] / "library" / "kernels" / "crypto"


@pytest.fixture(scope="module")
def des(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("library") / "des.so"
    sources = [str(CRYPTO / name / f"{name}.c") for name in ("des", "des3")]
    run_clang([*NATIVE_FLAGS, "-shared", *sources, "-o", str(out)])
    return ctypes.CDLL(str(out))


def call(function: Callable[..., object], data: bytes, *keys: bytes) -> bytes:
    out = ctypes.create_string_buffer(len(data) + 1)
    function(data, out, ctypes.c_size_t(len(data) // 8), *keys)
    return out.raw[: len(data)]


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
    assert call(des.des_decrypt, data, three[:8]) == DES.new(three[:8], DES.MODE_ECB).decrypt(data)
    assert call(des.des_encrypt, data, three[:8]) == DES.new(three[:8], DES.MODE_ECB).encrypt(data)
    assert call(des.des3_encrypt, data, three) == DES3.new(three, DES3.MODE_ECB).encrypt(data)
    assert call(des.des3_decrypt, data, three) == DES3.new(three, DES3.MODE_ECB).decrypt(data)
    assert call(des.des3_encrypt_2key, data, two) == DES3.new(two, DES3.MODE_ECB).encrypt(data)
    assert call(des.des3_decrypt_2key, data, two) == DES3.new(two, DES3.MODE_ECB).decrypt(data)
    one = three[:8]
    for name, cipher, key in (("des", DES, one), ("des3", DES3, three)):
        chained = cipher.new(key, cipher.MODE_CBC, iv=iv).encrypt(data)
        assert call(des[f"{name}_cbc_encrypt"], data, key, iv) == chained
        assert call(des[f"{name}_cbc_decrypt"], chained, key, iv) == data
