# SPDX-License-Identifier: Apache-2.0
"""The library's AES-128 and PRESENT-80, each version of them: the C against the standards' known
answers, against pycryptodome, and against PRESENT of whole numbers."""

from __future__ import annotations

import ctypes
import importlib.util
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from Crypto.Cipher import AES
from present import in_whole_numbers
from tandem.frontend.clang import NATIVE_FLAGS, run_clang

LIBRARY = Path(__file__).parents[1] / "library"
VERSIONS = {
    "aes128.c": ["aes128_encrypt", "aes128_encrypt_table"],
    "present80.c": [
        "present80_encrypt",
        "present80_encrypt_bits",
        "present80_encrypt_nibbles",
        "present80_encrypt_table",
    ],
}

AES_ANSWERS = [  # FIPS 197, appendices B and C.1: key, plaintext, ciphertext
    (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    (
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
]
PRESENT_ANSWERS = [  # Bogdanov et al., CHES 2007, appendix I
    ("00" * 10, "00" * 8, "5579c1387b228445"),
    ("ff" * 10, "00" * 8, "e72c46c0f5945049"),
    ("00" * 10, "ff" * 8, "a112ffc72f68417b"),
    ("ff" * 10, "ff" * 8, "3333dcd3213210d2"),
]

Cipher = Callable[[bytes, bytes], bytes]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("library") / "ciphers.so"
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    sources = [str(LIBRARY / source) for source in VERSIONS]
    run_clang([*NATIVE_FLAGS, *strict, "-shared", *sources, "-o", str(out)])
    return ctypes.CDLL(str(out))


@pytest.fixture(params=VERSIONS["aes128.c"])
def aes(request: pytest.FixtureRequest, compiled: ctypes.CDLL) -> Cipher:
    return cipher_of(compiled[request.param])


@pytest.fixture(params=VERSIONS["present80.c"])
def present(request: pytest.FixtureRequest, compiled: ctypes.CDLL) -> Cipher:
    return cipher_of(compiled[request.param])


def cipher_of(function: Callable[..., object]) -> Cipher:
    """Its result, and that it leaves its arguments and what is behind the block as they were."""

    def encrypt(key: bytes, plain: bytes) -> bytes:
        given = ctypes.create_string_buffer(key), ctypes.create_string_buffer(plain)
        out = ctypes.create_string_buffer(b"\xa5" * (len(plain) + 8))
        function(*given, out)
        assert (given[0].raw[:-1], given[1].raw[:-1]) == (key, plain)
        assert out.raw[len(plain) : -1] == b"\xa5" * 8
        return out.raw[: len(plain)]

    return encrypt


@pytest.mark.parametrize(("key", "plain", "cipher"), AES_ANSWERS)
def test_known_answers_of_aes(aes: Cipher, key: str, plain: str, cipher: str) -> None:
    assert aes(bytes.fromhex(key), bytes.fromhex(plain)).hex() == cipher


@pytest.mark.parametrize(("key", "plain", "cipher"), PRESENT_ANSWERS)
def test_known_answers_of_present(present: Cipher, key: str, plain: str, cipher: str) -> None:
    assert present(bytes.fromhex(key), bytes.fromhex(plain)).hex() == cipher
    assert in_whole_numbers(bytes.fromhex(key), bytes.fromhex(plain)).hex() == cipher


@pytest.mark.parametrize("seed", range(20))
def test_aes_against_pycryptodome(aes: Cipher, seed: int) -> None:
    generator = random.Random(seed)
    key, plain = generator.randbytes(16), generator.randbytes(16)
    assert aes(key, plain) == AES.new(key, AES.MODE_ECB).encrypt(plain)


@pytest.mark.parametrize("seed", range(20))
def test_present_against_whole_numbers(present: Cipher, seed: int) -> None:
    generator = random.Random(seed)
    key, plain = generator.randbytes(10), generator.randbytes(8)
    assert present(key, plain) == in_whole_numbers(key, plain)


@pytest.mark.parametrize("at", ["key", "plain"])
def test_the_result_may_take_an_arguments_place(compiled: ctypes.CDLL, at: str) -> None:
    for source, names in VERSIONS.items():
        key_bytes, block_bytes = (16, 16) if source == "aes128.c" else (10, 8)
        key, plain = bytes(range(key_bytes)), bytes(range(64, 64 + block_bytes))
        for name in names:
            apart = cipher_of(compiled[name])(key, plain)
            given = {
                "key": ctypes.create_string_buffer(key),
                "plain": ctypes.create_string_buffer(plain),
            }
            compiled[name](given["key"], given["plain"], given[at])
            assert given[at].raw[:block_bytes] == apart, name


def test_the_tables_are_what_their_script_makes() -> None:
    spec = importlib.util.spec_from_file_location("tables", LIBRARY / "make_cipher_tables.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name, text in script.headers().items():
        assert (LIBRARY / name).read_text() == text, name
