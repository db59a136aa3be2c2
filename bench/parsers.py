# SPDX-License-Identifier: Apache-2.0
"""Everything that reads what comes from outside, given damaged input: it may refuse it with a
diagnostic, and nothing else. TANDEM_FUZZ_SECONDS says for how long each (20); 450 is an hour."""

from __future__ import annotations

import functools
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from figures import REPOSITORY, Figure, at_least, at_most
from tandem import compile as build
from tandem.diagnostics import UserError
from tandem.frontend.directives.asked import read_asked
from tandem.frontend.program import Program
from tandem.ir.parser import parse
from tandem.languages.imported import import_c
from tandem.manifest import read_manifest
from tandem.models.macro_check import check_macros
from tandem.platforms.engine import c_interface, find_platform
from tandem.schedule.target_files import load_target
from tandem.study.fit import read_measurements

SECONDS = float(os.environ.get("TANDEM_FUZZ_SECONDS", "20"))
INTERNAL = -7  # TANDEM_INTERNAL of tandem.h: a panic, too
WORDS = [
    *(b"-1", b"0", b"1e999", b"nan", b"18446744073709551616", b'"800 MB/s"', b'"0 s"', b"true"),
    *(b"[[", b"]]", b"{}", b"[]", b"=", b'"', b"'", b"\\", b"\n", b"\0", b"\xff", b"\xe2\x82"),
    *(b"null", b"format = 1\n", b"[link]\n", b"[[device]]\n", b"\xef\xbb\xbf", b"," * 50, b"#"),
    *(b"(" * 3000, b"[" * 3000, b'{"a":' * 3000),
]
DIRECTIVES = b"""\
[[directive]]
at = "app.c:7"
say = "pipeline ii(2)"
[[directive]]
at = "f/loop"
say = "unroll(4)"
[[directive]]
at = "f/table"
say = "partition(table, 2)"
[[directive]]
at = "g"
say = 'macro("g.v", latency 2, module "m")'
"""
MEASUREMENTS = b"""\
# times
arguments,total_s,no_config_s,set
1024 3,0.1,0.000503,
'a b' 2,,0.04421,link.bandwidth=1GB/s
"""
CHANGES = b"link.bandwidth=1.6GB/s\nkernel.units=4\ntransfer.mode=streaming\nbatch.bytes=4 KiB\n"
KERNEL = (
    "void scale(const int *in, int *out, int n) { for (int i = 0; i < n; i++) out[i] = in[i]; }"
)

MACRO = """\
#pragma tandem macro("input", latency 1)
static int twice(int a) { return (int)(2u * a); }
int top(int a) { return twice(a); }
"""
MODULE = b"""\
module twice(clock, a, result);
  input clock;
  input [31:0] a;
  output reg [31:0] result;
  always @(posedge clock)
    result <= {a[30:0], 1'b0};
endmodule
"""

Try = Callable[[bytes], None]


def damaged(good: list[bytes], chance: random.Random) -> bytes:
    """One of the good inputs with some bytes changed, left out, put in or doubled."""
    text = bytearray(chance.choice(good))
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(text) + 1)
        to = min(len(text), at + chance.choice((0, 1, 1, 4, 30)))
        match chance.randrange(5):
            case 0:
                text[at:to] = b""
            case 1:
                text[at:to] = chance.choice(WORDS)
            case 2:
                text[at:at] = text[at:to] * chance.choice((1, 2, 20))
            case 3:
                text[at:to] = chance.randbytes(to - at)
            case _:
                other = chance.choice(good)
                text[at:to] = other[chance.randrange(len(other)) :][: chance.randrange(1, 40)]
    return bytes(text)


def parsers(work: Path) -> list[Figure]:
    """Every parser, on damaged input."""
    os.environ["TANDEM_MODE"] = "native"  # else the engine asks for a platform first
    figures = []
    for name, (tried, good) in _parsers(work).items():
        chance, count, crashes = random.Random(name), 0, []
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            text = damaged(good, chance)
            count += 1
            try:
                tried(text)
            except UserError:
                pass
            except Exception as error:
                crashes.append((text, error))
        for i, (text, error) in enumerate(crashes[:5]):
            kept = work / f"crash-{name.replace(', ', '-').replace(' ', '-')}-{i}"
            kept.write_bytes(text)
            print(f"  {name}: {kept}: {type(error).__name__}: {str(error)[:200]}")
        figures += [
            at_most(f"{name}: crashes", len(crashes), "", 0),
            at_least(f"{name}: inputs", count, ""),
        ]
    return figures


def _parsers(work: Path) -> dict[str, tuple[Try, list[bytes]]]:
    """Each parser by name, with good input."""
    file = work / "input"

    def of_file(read: Callable[[Path], object]) -> Try:
        def tried(text: bytes) -> None:
            file.write_bytes(text)
            read(file)

        return tried

    platforms = [p.read_bytes() for p in sorted((REPOSITORY / "platforms").glob("*.toml"))]
    targets = [p.read_bytes() for p in sorted((REPOSITORY / "targets").glob("*.toml"))]
    kernels = [p.read_bytes() for p in sorted((REPOSITORY / "tests" / "passes").rglob("*.ir"))]
    package = _package(work)
    manifest = (package / "manifest.json").read_bytes()

    def of_manifest(text: bytes) -> None:
        (package / "manifest.json").write_bytes(text)
        read_manifest(package)

    return {
        "platform files": (of_file(lambda path: _checked(path, b"")), platforms),
        "changes of a platform": (functools.partial(_checked, find_platform("src-6e")), [CHANGES]),
        "packages, the engine": (_entered, [manifest]),
        "packages, the compiler": (of_manifest, [manifest]),
        "measurements": (of_file(read_measurements), [MEASUREMENTS]),
        "directives": (of_file(lambda path: read_asked((), [path])), [DIRECTIVES]),
        "targets": (of_file(load_target), targets),
        "the interface for C": (_driver(package), [bytes(range(0, 250, 3)), bytes(60)]),
        "modules of macros": (of_file(functools.partial(_macro, work / "macro.c")), [MODULE]),
        "kernels as text": (lambda text: _parsed(text.decode(errors="replace")), kernels),
    }


def _package(work: Path) -> Path:
    source = work / "scale.c"
    source.write_text(KERNEL)
    return Path(build(source, "scale", output=work, models=True)["package"])


def _macro(source: Path, verilog: Path) -> None:
    """The module of a macro beside its C, checked."""
    assert verilog.parent == source.parent
    source.write_text(MACRO)
    kernel = import_c(Program.of(source), "top").kernel
    check_macros([kernel.macros["twice"]], kernel.name)


def _parsed(text: str) -> None:
    parse(text.partition("// after")[0])


def _checked(path: Path, changes: bytes) -> None:
    ffi, lib = c_interface()
    status = lib.tandem_platform_check(os.fsencode(path), changes.replace(b"\0", b""))
    _require_told(status, ffi.string(lib.tandem_error()))


def _entered(manifest: bytes) -> None:
    """As an executable hands its package over."""
    ffi, lib = c_interface()
    kept = list(_files(ffi, manifest))
    files = ffi.new("TandemFile[]", [row for row, *_ in kept])
    package = ffi.new("TandemPackage *", {"abi_version": 4, "file_count": 3, "files": files})
    call, data = ffi.new("TandemEntry *"), ffi.new("void *[3]")
    status = lib.tandem_enter(call, package, data, 3)
    _require_told(status, ffi.string(lib.tandem_error()))


def _driver(package: Path) -> Try:
    """A program that does to the interface for C whatever the bytes say, with memory of its own."""
    ffi, lib = c_interface()
    arena = ffi.new("char[]", 4096)
    platform = os.fsencode(find_platform("pcie3-x16"))
    name = os.fsencode(package)

    def tried(text: bytes) -> None:
        take = iter(text)

        def number(bound: int) -> int:
            return next(take, 0) % bound

        def any_number() -> int:
            return (-1, 0, 1, number(8), 1 << 62, -(1 << 63))[number(6)]

        status = lib.tandem_reserve(platform, ffi.NULL, (b"emulate", b"simulate")[number(2)])
        kernel, events = lib.tandem_open(name), []
        device = ffi.cast("char *", lib.tandem_allocate(512, 3))
        while status >= 0 and (step := next(take, None)) is not None:
            which = kernel if step & 64 else any_number()
            event = events[number(len(events))] if events and step & 32 else any_number()
            match step % 8:
                case 0 | 1 | 2:
                    rows = ffi.new("TandemArgument[4]")
                    for row in rows:
                        offset = number(255)
                        row.data = (
                            (arena, device)[number(2)] + offset
                            if step & 16 or number(4)
                            else ffi.NULL
                        )
                        row.bytes = number(256)
                    count, calls = (3, 1) if step & 128 else (number(5), number(2))
                    events.append(lib.tandem_submit(which, rows, count, calls, number(3)))
                    told = events[-1]
                case 3 | 4:
                    told = lib.tandem_wait(event, number(256) << number(40))
                case 5:
                    told = lib.tandem_cancel(event)
                case 6:
                    told = lib.tandem_configure(which)
                case _ if step & 16:
                    told = lib.tandem_sync((arena, device)[number(2)] + number(255), number(2))
                case _:
                    told = lib.tandem_work(number(256) << number(40))
            _require_told(told, ffi.string(lib.tandem_error()))
        for event in events:
            lib.tandem_wait(event, (1 << 64) - 1)
        lib.tandem_free(device)

    return tried


def _files(ffi: Any, manifest: bytes) -> Iterator[tuple[object, ...]]:
    for name, content in ((b"manifest.json", manifest), (b"ahead.so", b"1"), (b"rtl.so", b"2")):
        text, data = ffi.new("char[]", name), ffi.new("char[]", content)
        yield {"name": text, "data": data, "bytes": len(content)}, text, data


def _require_told(status: int, message: bytes) -> None:
    if status == INTERNAL or (status < 0 and not message):
        raise RuntimeError(f"status {status}: {message.decode(errors='replace')}")
