# SPDX-License-Identifier: Apache-2.0
"""examples/soc: each block with its key, in every mode, and as a small core without a system has
it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from Crypto.Cipher import AES
from present import in_whole_numbers
from tandem.frontend.clang import NATIVE_FLAGS, clang_environment, run_clang, zig
from tandem.interface import verify

pytestmark = pytest.mark.usefixtures("cache")
ROOT = Path(__file__).parents[1]
SOC = ROOT / "examples" / "soc"


def with_aes(key: bytes, plain: bytes) -> bytes:
    return AES.new(key, AES.MODE_ECB).encrypt(plain)


@dataclass(frozen=True)
class Application:
    """One of the folder: its file, the library's folder of its cipher and the function, the same in
    Python, its known answer's key and plaintext, and the cycles of a call."""

    name: str
    cipher: str
    function: str
    reference: Callable[[bytes, bytes], bytes]
    key: bytes
    plain: bytes
    cycles: int

    @property
    def sources(self) -> list[str]:
        folder = ROOT / "library" / "kernels" / "crypto" / self.cipher
        return [str(SOC / f"{self.name}.c"), *map(str, sorted(folder.glob("*.c")))]

    def prints(self, count: int) -> str:
        return f"known answer: right\n{count} blocks, checksum {self.checksum(count):08x}\n"

    def checksum(self, count: int) -> int:
        key, plain, numbers, checksum = self.key, self.plain, xorshift(1), 0
        for _ in range(count):
            for byte in self.reference(key, plain):
                checksum = ((checksum << 5 | checksum >> 27) + byte) & 0xFFFFFFFF
            key, plain = filled(len(key), numbers), filled(len(plain), numbers)
        return checksum


APPLICATIONS = [
    Application(
        "main",
        "aes",
        "aes128_encrypt",
        with_aes,
        bytes(range(16)),
        bytes(17 * i for i in range(16)),
        cycles=12,
    ),
    Application(
        "present",
        "present",
        "present80_encrypt",
        in_whole_numbers,
        b"\xff" * 10,
        bytes(8),
        cycles=33,
    ),
]


def xorshift(state: int) -> Iterator[int]:
    while True:
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        yield state


def filled(size: int, numbers: Iterator[int]) -> bytes:
    words = [next(numbers).to_bytes(4, "little") for _ in range(-(-size // 4))]
    return b"".join(words)[:size]


@pytest.fixture(params=APPLICATIONS, ids=lambda application: application.name)
def application(request: pytest.FixtureRequest) -> Application:
    return request.param


def test_as_plain_c(application: Application, tmp_path: Path) -> None:
    built = tmp_path / "application"
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    run_clang([*NATIVE_FLAGS, *strict, *application.sources, "-o", str(built)])
    for arguments, count in (([], 100), (["1"], 1), (["7"], 7)):
        done = subprocess.run([built, *arguments], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, application.prints(count))
    for arguments in (["0"], ["-1"], ["x"], ["1", "2"], ["1000000001"]):
        done = subprocess.run([built, *arguments], capture_output=True, text=True)
        assert done.returncode == 2, arguments
        assert done.stdout.startswith(f"usage: {application.name} [COUNT]")


def test_as_hardware(application: Application) -> None:
    source, kernel = SOC / f"{application.name}.c", application.function
    result = verify(source, kernel, clock_ns=20, arguments=["20"])
    assert (result["checked_calls"], result["mismatches"], result["host_calls"]) == (20, 0, 0)
    assert result["cycles"] == 20 * application.cycles


def test_a_small_core_needs_printf_alone(application: Application, tmp_path: Path) -> None:
    """Of a C library, and of the compiler's own: the core multiplies, and has no system."""
    called: set[str] = set()
    defined: set[str] = set()
    for source in application.sources:
        text = tmp_path / "small.s"
        target = ["-target", "riscv32-linux-musl", "-mcpu=generic_rv32+m", "-O2", "-S"]
        flags = ["-fno-sanitize=undefined", "-fno-stack-protector", "-fno-pic"]
        with clang_environment() as environment:
            command = [zig(), "cc", *target, *flags, source, "-o", str(text)]
            subprocess.run(command, env=environment, check=True)
        called |= set(re.findall(r"^\s+(?:call|tail)\s+(\w+)", text.read_text(), re.M))
        defined |= set(re.findall(r"^(\w+):", text.read_text(), re.M))
    assert called - defined == {"printf", "puts"} | called & {"memcpy", "memset"}
