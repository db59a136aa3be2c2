# SPDX-License-Identifier: Apache-2.0
"""The library's AES and PRESENT, each version of them: the C against pycryptodome, and against
PRESENT of whole numbers."""

from __future__ import annotations

import ctypes
import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from Crypto.Cipher import AES
from present import in_whole_numbers
from tandem.frontend.clang import NATIVE_FLAGS, run_clang

CRYPTO = Path(__file__).parents[1] / "library" / "kernels" / "crypto"
FILES = ("aes/aes.c", "aes/aes_table.c", "present/present.c")
OF_AES_128 = ["aes128_encrypt", "aes128_encrypt_bytes", "aes128_encrypt_table"]
OF_PRESENT = [
    "present80_encrypt",
    "present80_encrypt_bits",
    "present80_encrypt_nibbles",
    "present80_encrypt_table",
    "present128_encrypt",
]
BOTH_AES = ["table", "arithmetic"]
"""The S-box, in software and in hardware."""

Cipher = Callable[[bytes, bytes], bytes]


@pytest.fixture(scope="module", params=BOTH_AES)
def compiled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("library") / f"{request.param}.so"
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    arithmetic = ["-D__SYNTHESIS__"] if request.param == "arithmetic" else []
    sources = [CRYPTO / file for file in FILES]
    run_clang([*NATIVE_FLAGS, *strict, *arithmetic, "-shared", *sources, "-o", out])
    return ctypes.CDLL(str(out))


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


@pytest.mark.parametrize("name", OF_AES_128)
@pytest.mark.parametrize("seed", range(20))
def test_a_block_of_aes(compiled: ctypes.CDLL, name: str, seed: int) -> None:
    generator = random.Random(seed)
    key, plain = generator.randbytes(16), generator.randbytes(16)
    assert cipher_of(compiled[name])(key, plain) == AES.new(key, AES.MODE_ECB).encrypt(plain)


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("seed", range(20))
def test_aes_both_ways(compiled: ctypes.CDLL, bits: int, seed: int) -> None:
    generator = random.Random(seed)
    key, block = generator.randbytes(bits // 8), generator.randbytes(16)
    reference, last = AES.new(key, AES.MODE_ECB), ctypes.create_string_buffer(bits // 8)
    compiled[f"aes{bits}_last_keys"](key, last)
    assert cipher_of(compiled[f"aes{bits}_encrypt"])(key, block) == reference.encrypt(block)
    assert cipher_of(compiled[f"aes{bits}_decrypt"])(last.raw, block) == reference.decrypt(block)


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("seed", range(20))
def test_aes_of_many_blocks(compiled: ctypes.CDLL, bits: int, seed: int) -> None:
    """Counters among them whose halves overflow."""
    generator = random.Random(seed)
    key, data = generator.randbytes(bits // 8), generator.randbytes(16 * generator.randrange(9))
    low = b"\xff" * 7 + b"\xfd" if seed % 2 else generator.randbytes(8)
    counter = (b"\xff" * 8 if seed % 4 == 1 else generator.randbytes(8)) + low
    reference = AES.new(key, AES.MODE_ECB)
    counting = AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=counter)
    assert many(compiled[f"aes{bits}_ecb"], data, key) == reference.encrypt(data)
    assert many(compiled[f"aes{bits}_ecb_decrypt"], data, key) == reference.decrypt(data)
    assert many(compiled[f"aes{bits}_ctr"], data, key, counter) == counting.encrypt(data)


def many(function: Callable[..., object], data: bytes, *keys: bytes, block: int = 16) -> bytes:
    """What it makes of blocks, where they lie."""
    buffer = ctypes.create_string_buffer(data, len(data))
    function(buffer, buffer, ctypes.c_size_t(len(data) // block), *keys)
    return buffer.raw


@pytest.mark.parametrize("name", OF_PRESENT)
@pytest.mark.parametrize("seed", range(20))
def test_a_block_of_present(compiled: ctypes.CDLL, name: str, seed: int) -> None:
    generator = random.Random(seed)
    key, plain = generator.randbytes(key_bytes(name)), generator.randbytes(8)
    assert cipher_of(compiled[name])(key, plain) == in_whole_numbers(key, plain)


@pytest.mark.parametrize("name", ["present80_ecb", "present128_ecb"])
def test_present_of_many_blocks(compiled: ctypes.CDLL, name: str) -> None:
    generator = random.Random(name)
    key, blocks = generator.randbytes(key_bytes(name)), [generator.randbytes(8) for _ in range(9)]
    right = b"".join(in_whole_numbers(key, block) for block in blocks)
    assert many(compiled[name], b"".join(blocks), key, block=8) == right


def key_bytes(name: str) -> int:
    """Of a cipher by its name."""
    digits = "".join(filter(str.isdigit, name))
    return int(digits) // 8


@pytest.mark.parametrize("name", [*OF_AES_128, *OF_PRESENT])
@pytest.mark.parametrize("at", ["key", "plain"])
def test_the_result_may_take_an_arguments_place(compiled: ctypes.CDLL, at: str, name: str) -> None:
    block_bytes = 16 if name in OF_AES_128 else 8
    key, plain = bytes(range(key_bytes(name))), bytes(range(64, 64 + block_bytes))
    apart = cipher_of(compiled[name])(key, plain)
    given = {"key": ctypes.create_string_buffer(key), "plain": ctypes.create_string_buffer(plain)}
    compiled[name](given["key"], given["plain"], given[at])
    assert given[at].raw[:block_bytes] == apart


@pytest.mark.parametrize("folder", ["aes", "present"])
def test_the_tables_are_what_their_script_makes(folder: str) -> None:
    spec = importlib.util.spec_from_file_location("tables", CRYPTO / folder / "make_tables.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules["tables"] = script
    spec.loader.exec_module(script)
    for name, text in script.headers().items():
        assert (CRYPTO / folder / name).read_text() == text, name
