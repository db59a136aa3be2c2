# SPDX-License-Identifier: Apache-2.0
"""A project of the user's own, made from a kernel of the library: C, a host program, known answers,
a platform and a Makefile, which build, verify and run as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from tandem.diagnostics import Place, UserError, user_error
from tandem.files import complete_or_absent
from tandem.languages.discovery import find_program, read_files
from tandem.library.driver import answers_text, host_text, includes_text
from tandem.library.manifests import LibraryKernel, find_kernel
from tandem.platforms.engine import find_platform, is_chip

FIRST = "fir"
"""The kernel of a project that names none: small, and one that teaches."""
PLATFORM = "pcie3-x16"
"""The platform of one that names none: what is in most machines of today."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_ELSEWHERE = re.compile(r'^(#include ")(?:\.\./\w+/)+', re.M)
LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"
ANSWERS = """{licence}/* Known answers of {name}, with their sources. */
#ifndef ANSWERS_H
#define ANSWERS_H

{includes}
#define ANSWERS {count}

{answers}
#endif
"""
MAIN = """{licence}/* The host program, `main [{unit}s]`: checks the known answers, and gives
 * {name} so many {unit}s. Every call of it runs on the platform. */
#include "answers.h"

{host}"""
TEST = """{licence}/* The known answers, in software alone. */
#include "answers.h"

int main(void)
{{
    int right = right_answers();
    printf("%d of %d known answers are right\\n", right, ANSWERS);
    return right == ANSWERS ? 0 : 1;
}}
"""
MAKEFILE = """# SPDX-License-Identifier: Apache-2.0
# make build: hardware of {name}; verify: its RTL against the C on every call of main.c; run: where
# the time of main.c goes on the platform; test: the known answers in software.
TANDEM = tandem
PLATFORM = platform.toml
SOURCES = {sources}
HEADERS = {headers}

.PHONY: build verify run test clean

build: $(SOURCES) $(HEADERS)
	{build}

verify: main.c $(SOURCES) $(HEADERS)
	$(TANDEM) verify main.c --offload {name} --platform $(PLATFORM){units}

run: main.c $(SOURCES) $(HEADERS)
	$(TANDEM) run main.c --offload {name} --platform $(PLATFORM){units}

test: build/test
	./build/test

build/test: test.c $(SOURCES) $(HEADERS)
	mkdir -p build
	$(CC) -O2 -Wall -Wno-unknown-pragmas -o $@ test.c $(SOURCES) -lm

clean:
	rm -rf build
"""
BUILD = "$(TANDEM) build {source} --top {name} --clock-ns {clock_ns:g} -o build"
BUILD_CHIP = "$(TANDEM) build main.c --offload {name} --platform $(PLATFORM) -o build"
README = """# {folder}

{title} (`{name}`, {standard}), as hardware beside a host.

```
make test      # the known answers in software
make verify    # the RTL against the C, on every call of main.c
make run       # where the time goes on the platform
make build     # Verilog and a report, in build/
```

| file | what it is |
| --- | --- |
| {code} | the function that becomes hardware, `{name}`, and what it calls |
| `main.c` | the host program: an ordinary C program that calls it |
| `answers.h`, `test.c` | known answers, and a program that checks them |
| `platform.toml` | the platform: every number in it is yours to change |

Change the C, and `make verify`. From here on:

- what a line of the C became: `tandem build {source} --top {name} --why LINE`
- what would make it all faster: `tandem run main.c --offload {name} --platform platform.toml
  --advise`
- another platform: `make run PLATFORM=src-6e`, or what else `tandem list platforms` tells
"""
CHIP_UNITS = 20
"""Units that a program on a chip gives its kernel: the chip is simulated cycle by cycle."""


def new_project(
    name: str, kernel: str = FIRST, platform: str = PLATFORM, folder: Path | None = None
) -> Path:
    """Makes the folder `name` in another one, or in the current one; returns it.

    Raises UserError for what cannot be a name, a folder that is there, an unknown kernel or
    platform, and a place that cannot be written: then nothing is left."""
    if not _NAME.fullmatch(name):
        cure = "begin with a letter; letters, digits, `-` and `_` may follow, 64 in all"
        raise user_error("project", f"cannot name a project {name!r}", help=cure)
    chosen, file = find_kernel(kernel), find_platform(platform)
    place = (folder or Path()) / name
    if os.path.lexists(place):
        raise _there(place)
    with complete_or_absent(place) as work:
        for path, text in _files(name, chosen, file):
            (work / path).write_text(text)
    return place


def _there(place: Path) -> UserError:
    text = "there is something of this name already"
    cure = "give the project another name, or move it away"
    return user_error("in-the-way", text, Place(str(place)), cure)


def _files(name: str, kernel: LibraryKernel, platform: Path) -> Iterator[tuple[str, str]]:
    """Each file's name and text."""
    code = list(_code(kernel))
    for path in code:
        yield path.name, _ELSEWHERE.sub(r"\1", path.read_text())
    yield "answers.h", _answers(kernel)
    words = {"licence": LICENCE, "name": kernel.name, "unit": kernel.unit}
    yield "main.c", MAIN.format(**words, host=host_text(kernel))
    yield "test.c", TEST.format(**words)
    yield "platform.toml", platform.read_text()
    yield "Makefile", _makefile(kernel, code, is_chip(platform))
    yield "README.md", _readme(name, kernel, code)
    yield ".gitignore", "build/\n"


def _code(kernel: LibraryKernel) -> Iterator[Path]:
    """The C files of a kernel and the headers that they include, each once."""
    seen: set[str] = set()
    for file in find_program(kernel.source).files:
        for path in read_files(file):
            if path.name not in seen:
                seen.add(path.name)
                yield path


def _answers(kernel: LibraryKernel) -> str:
    return ANSWERS.format(
        licence=LICENCE,
        name=kernel.name,
        includes=includes_text(kernel),
        count=len(kernel.answers),
        answers=answers_text(kernel),
    )


def _makefile(kernel: LibraryKernel, code: list[Path], has_chip: bool) -> str:
    build = BUILD_CHIP if has_chip else BUILD
    words = {"name": kernel.name, "source": kernel.source.name, "clock_ns": kernel.clock_ns}
    return MAKEFILE.format(
        name=kernel.name,
        sources=" ".join(path.name for path in code if path.suffix == ".c"),
        headers=" ".join(["answers.h", *(path.name for path in code if path.suffix == ".h")]),
        build=build.format(**words),
        units=f" -- {CHIP_UNITS}" if has_chip else "",
    )


def _readme(name: str, kernel: LibraryKernel, code: list[Path]) -> str:
    return README.format(
        folder=name,
        title=kernel.title,
        name=kernel.name,
        standard=kernel.standard,
        code=", ".join(f"`{path.name}`" for path in code),
        source=kernel.source.name,
    )
