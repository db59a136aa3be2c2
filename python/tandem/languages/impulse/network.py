# SPDX-License-Identifier: Apache-2.0
"""The network of processes that a program makes of `co.h`: found by running what makes it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.children import run as run_child
from tandem.diagnostics import Place, UserError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.program import Program

MOST_SECONDS = 20
"""A function that makes a network waits for nothing."""
_LOOK_C = r"""
#include "co.h"
#include <unistd.h>
static void text(FILE *f, const char *s)
{
    fputc('"', f);
    for (; s && *s; s++)
        fprintf(f, *s == '"' || *s == '\\' || (unsigned char)*s < 32 ? "?" : "%c", *s);
    fputc('"', f);
}
__attribute__((constructor)) static void look(void)
{
    co_architecture a = co_initialize(0);
    FILE *f = a ? fopen(PLACE, "w") : NULL;
    if (!f)
        _exit(1);
    fputs("{\"shared\": [", f);
    for (struct co_shared_ *s = a->shared; s; s = s->next) {
        fprintf(f, "{\"kind\": %d, \"name\": ", s->kind);
        text(f, s->name);
        fprintf(f, ", \"bytes\": %u, \"depth\": %u}%s", s->bytes, s->depth, s->next ? ", " : "");
    }
    fputs("], \"processes\": [", f);
    for (struct co_process_ *p = a->processes; p; p = p->next) {
        fputs("{\"name\": ", f);
        text(f, p->name);
        fputs(", \"function\": ", f);
        text(f, p->function);
        fprintf(f, ", \"located\": %s, \"arguments\": [", p->location ? "true" : "false");
        for (int i = 0; i < p->count; i++) {
            int at = -1, k = 0;
            for (struct co_shared_ *s = a->shared; s; s = s->next, k++)
                at = s == p->shared[i] ? k : at;
            fprintf(f, "[%d, %lld]%s", at, (long long)(intptr_t)p->number[i],
                    i + 1 < p->count ? ", " : "");
        }
        fprintf(f, "]}%s", p->next ? ", " : "");
    }
    fputs("]}\n", f);
    _exit(fclose(f) ? 1 : 0);
}
"""


@dataclass(frozen=True)
class Shared:
    """What processes share: its `kind`, and of a stream the bytes of a record and the depth."""

    kind: int
    name: str
    bytes: int
    depth: int


@dataclass(frozen=True)
class Process:
    """`arguments`: of each, the number of what is shared, or -1 and a number."""

    name: str
    function: str
    located: bool
    arguments: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Network:
    """What a program's function of `co_architecture_create` makes."""

    shared: tuple[Shared, ...]
    processes: tuple[Process, ...]


def find_network(program: Program) -> Network:
    """What the program's own function makes of `co.h`; `main` does not run. Raises UserError where
    that does not end well."""
    with temporary_folder() as folder:
        look, found = folder / "look.c", folder / "network.json"
        look.write_text(f"#define PLACE {json.dumps(str(found))}\n{_LOOK_C}")
        flags = [flag for file in program.files for flag in file.flags]
        executable = folder / "look"
        files = [*program.paths, look, *program.link]
        run_clang([*NATIVE_FLAGS, *flags, "-w", *files, "-o", executable], program.is_cxx)
        said = _looked(executable)
        if said is None or not found.exists():
            raise _not_made(program, said)
        return _network(json.loads(found.read_text()))


def _looked(executable: Path) -> bytes | None:
    """What it says on standard error; None where it does not come to its end."""
    pipe = subprocess.PIPE
    try:
        return run_child([executable], out=pipe, errors=pipe, most_seconds=MOST_SECONDS).stderr
    except subprocess.TimeoutExpired:
        return None


def _not_made(program: Program, said: bytes | None) -> UserError:
    why = "it does not come to its end"
    if said is not None:
        why = said.decode(errors="replace").strip() or "it ends without one"
    return user_error(
        "network",
        f"`co_initialize` makes no network: {why}",
        Place(str(program.main)),
        "have it call co_architecture_create, and that a function that makes streams and processes",
    )


def _network(found: dict[str, Any]) -> Network:
    shared = tuple(Shared(**row) for row in found["shared"])
    processes = tuple(
        Process(p["name"], p["function"], p["located"], tuple(map(tuple, p["arguments"])))
        for p in found["processes"]
    )
    return Network(shared, processes)
