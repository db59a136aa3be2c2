# SPDX-License-Identifier: Apache-2.0
"""The page docs/kernels.md, made of the manifests of the library's kernels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tandem.library.manifests import ANSWERS, LibraryKernel, Published, library_kernels

HEAD = """# The library's kernels

`library/kernels/DOMAIN/NAME/` has C written from a standard, its header, `kernel.toml`, which says
what each function is and what it must take ([schema](schemas/kernel.json)), and `answers.toml`,
known answers with their sources. The tests try every answer in C and in RTL, C = IR = RTL on random
calls, and the cycles told here, at the clock told here on an ECP5.

<!-- not run: tests/test_kernel_option.py runs their like -->
```
tandem run --kernel aes128_ctr --platform pcie3-x16       # in an application that is made for it
tandem run --kernel aes128_ctr app.c -- ARGS              # in yours, which calls it
tandem verify --kernel des3_encrypt --units 100           # RTL against C on 100 blocks
tandem build --kernel present80_encrypt --slices xc3se    # Verilog and area
```

The application that is made checks the known answers, and gives the kernel `--units` blocks or
numbers. Yours includes the header (`#include "aes.h"`: its folder is on the path) or declares the
function; the library's C becomes part of the program where yours has none.

The page is written by `pytest tests/test_library_kernels.py --update`.
"""


def page() -> str:
    """The text of docs/kernels.md."""
    lines = [HEAD.rstrip()]
    rows = sorted(library_kernels().values(), key=lambda kernel: (kernel.folder, kernel.name))
    for folder, group in groupby(rows, key=lambda kernel: kernel.folder):
        lines += section("/".join(folder.parts[-2:]), list(group))
    return "\n".join(lines) + "\n"


def section(name: str, kernels: list[LibraryKernel]) -> Iterator[str]:
    """The kernels of a folder, what others have published, and where the answers are from."""
    where = f"../library/kernels/{name}"
    first = kernels[0]
    yield f"\n## {name}\n"
    files = (first.header.name, first.source.name, ANSWERS)
    yield ", ".join(f"[{name}]({where}/{name})" for name in files) + "\n"
    yield "| function | what it does | standard | cycles | clock |"
    yield "| --- | --- | --- | --- | --- |"
    for kernel in kernels:
        yield (
            f"| `{kernel.name}` | {kernel.title} | {kernel.standard} | {cycles(kernel)} "
            f"| {kernel.clock_ns:g} ns |"
        )
    for kernel in kernels:
        yield from (published(kernel.name, core) for core in kernel.published)
    if others := sorted({k.openssl for k in kernels if k.openssl}):
        yield f"\nOpenSSL does the same work, as a baseline: {', '.join(others)}."
    sources = dict.fromkeys(answer["source"] for k in kernels for answer in k.answers)
    yield "\nKnown answers:\n"
    yield from (f"- {source}" for source in sources)


def cycles(kernel: LibraryKernel) -> str:
    """What a call, or a unit of one, must take."""
    if kernel.cycles:
        return f"{kernel.cycles} a {kernel.unit}"
    waits = f": {kernel.recurrence}" if kernel.recurrence else ""
    return f"{kernel.ii} a {kernel.unit}{waits}"


def published(name: str, core: Published) -> str:
    """A core that somebody else has published."""
    figures = {
        "slices": core.slices,
        "multipliers of 18 by 18": core.multipliers,
        "cycles": core.cycles,
        "ns": core.clock_ns,
    }
    told = ", ".join(f"{value:,} {what}" for what, value in figures.items() if value is not None)
    return f"\nBeside `{name}`: {core.core}, {told} on {core.device} ({core.source})."
