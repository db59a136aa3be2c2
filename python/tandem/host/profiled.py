# SPDX-License-Identifier: Apache-2.0
"""The application as a native program that is measured: as it is, and with its functions and loops
watched (`frontend/profiling.py`)."""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import Diagnostic, Place, user_error
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.profiling import ENTER, LEAVE
from tandem.frontend.program import Program
from tandem.host.application import write_module
from tandem.host.launch import ApplicationFailed, run_to_end
from tandem.signals import signal_name

BEGAN, PROFILE = "TANDEM_BEGAN", "TANDEM_PROFILE"
"""Variables that name the files which the programs write."""

_BEGAN_C = f"""#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((constructor(101))) static void tandem_began(void)
{{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    const long long ns = now.tv_sec * 1000000000LL + now.tv_nsec;
    const char *name = getenv("{BEGAN}");
    const int file = name ? open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {{
        (void)!write(file, &ns, sizeof ns);
        close(file);
    }}
}}
"""
"""Tells the processor time that has passed before the program begins."""

_WATCH_C = f"""#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct frame {{ uint32_t number; uint64_t start, away, inside; }};
static __thread struct frame *frames;
static __thread uint32_t depth, room;
static __thread uint16_t *running;
static uint64_t calls[COUNT], own[COUNT], whole[COUNT], within, beside;
static uint64_t edges[COUNT + 1][COUNT];

void {ENTER}(uint32_t number);
void {LEAVE}(uint32_t number);

static void grow(void)
{{
    room = room ? 2 * room : 256;
    frames = realloc(frames, room * sizeof *frames);
    if (!running)
        running = calloc(COUNT, sizeof *running);
    if (!frames || !running)
        abort();
}}

void {ENTER}(uint32_t number)
{{
    if (depth == room)
        grow();
    frames[depth] = (struct frame){{number, 0, 0, 0}};
    running[number]++;
    frames[depth++].start = __builtin_ia32_rdtsc();
}}

/* The innermost one ends: what it took itself, and, of calls within calls only once, in all. */
static void end(uint64_t now)
{{
    const struct frame *const f = &frames[--depth];
    const uint64_t raw = now - f->start, away = f->away + within;
    const uint64_t self = raw > away ? raw - away : 0, all = self + f->inside;
    __atomic_fetch_add(&calls[f->number], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&own[f->number], self, __ATOMIC_RELAXED);
    if (--running[f->number] == 0)
        __atomic_fetch_add(&whole[f->number], all, __ATOMIC_RELAXED);
    edges[depth ? f[-1].number + 1 : 0][f->number]++;
    if (depth) {{
        frames[depth - 1].away += raw + beside;
        frames[depth - 1].inside += all;
    }}
}}

/* What is left open inside of it was left by a jump. */
void {LEAVE}(uint32_t number)
{{
    const uint64_t now = __builtin_ia32_rdtsc();
    uint32_t at = depth;
    while (at && frames[at - 1].number != number) {{
        if (!is_function[number] && is_function[frames[at - 1].number])
            return; /* this loop was not entered */
        at--;
    }}
    if (!at)
        return;
    while (depth >= at)
        end(now);
}}

static uint64_t pairs(unsigned count)
{{
    const uint64_t before = __builtin_ia32_rdtsc();
    for (unsigned i = 0; i < count; i++) {{
        {ENTER}(0);
        {LEAVE}(0);
    }}
    return (__builtin_ia32_rdtsc() - before) / count;
}}

/* What watching costs: within what is watched, and beside it; the least of some windows. */
__attribute__((constructor(102))) static void measure(void)
{{
    uint64_t least_within = -1, least = -1;
    for (int window = 0; window < 200; window++) {{
        own[0] = 0;
        const uint64_t pair = pairs(100);
        if (own[0] / 100 < least_within)
            least_within = own[0] / 100;
        if (pair < least)
            least = pair;
    }}
    own[0] = whole[0] = calls[0] = edges[0][0] = 0;
    within = least_within;
    beside = least > within ? least - within : 0;
}}

__attribute__((destructor(101))) static void tell(void)
{{
    const uint64_t now = __builtin_ia32_rdtsc();
    const char *const name = getenv("{PROFILE}");
    FILE *const file = name ? fopen(name, "w") : 0;
    while (depth)
        end(now);
    if (!file)
        return;
    for (uint32_t i = 0; i < COUNT; i++)
        fprintf(file, "n %u %llu %llu %llu\\n", i, (unsigned long long)calls[i],
                (unsigned long long)own[i], (unsigned long long)whole[i]);
    for (uint32_t i = 0; i <= COUNT; i++)
        for (uint32_t k = 0; k < COUNT; k++)
            if (edges[i][k])
                fprintf(file, "e %d %u %llu\\n", (int)i - 1, k,
                        (unsigned long long)edges[i][k]);
    fclose(file);
}}
"""


@dataclass(frozen=True)
class Ticks:
    """What a run tells of each number that is watched: `calls`, the time of its `own` and the
    `whole` with what it calls, in ticks of the processor; `edges`: (caller, called) -> calls, where
    the caller is -1 for what calls the first; `processor_s`: the processor time of the run."""

    calls: list[int]
    own: list[int]
    whole: list[int]
    edges: dict[tuple[int, int], int]
    processor_s: float


def build_native(program: Program, modules: Sequence[str], output: Path) -> Path:
    """The program of the modules as `tandem run` has its software; it tells when it begins. Raises
    UserError with the linker's errors."""
    return _linked(program, modules, _BEGAN_C, output)


def build_watched(
    program: Program, modules: Sequence[str], is_function: Sequence[bool], output: Path
) -> Path:
    """The same of modules whose functions and loops are watched, by number."""
    told = ", ".join(str(int(one)) for one in is_function)
    head = f"#define COUNT {len(is_function)}\nstatic const char is_function[] = {{{told}}};\n"
    return _linked(program, modules, f"{_BEGAN_C}{head}{_WATCH_C}", output)


def _linked(program: Program, modules: Sequence[str], own_c: str, output: Path) -> Path:
    files = [write_module(text, Path(f"{output}{i}.ll")) for i, text in enumerate(modules)]
    source, ours = Path(f"{output}.own.c"), Path(f"{output}.own.o")
    source.write_text(own_c)
    run_clang([*NATIVE_FLAGS, "-c", source, "-o", ours])
    words = [*NATIVE_FLAGS, program.optimisation, *files, ours, "-o", output]
    run_clang([*words, *program.link, "-lm"], program.is_cxx)
    return output


def processor_s(
    executable: Path, main: Path, arguments: Sequence[str], profile: Path | None = None
) -> float:
    """Runs one of these programs: the processor time from its beginning to its end. What it prints
    goes nowhere; `profile` gets what a watched one tells.

    Raises ApplicationFailed where it does not end well."""
    began = executable.with_suffix(".began")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = {} if profile is None else {PROFILE: str(profile)}
    _run(executable, main, arguments, {BEGAN: str(began), **told})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return max(0.0, took - int.from_bytes(began.read_bytes(), "little") / 1e9)


def watch(executable: Path, main: Path, arguments: Sequence[str], count: int) -> Ticks:
    """Runs a program that `build_watched` made of `count` that are watched.

    Raises ApplicationFailed as above, and UserError where it tells nothing."""
    place = executable.with_suffix(".profile")
    took_s = processor_s(executable, main, arguments, place)
    if not place.is_file():
        text = "the application left no profile: it ends without `exit`"
        raise user_error("no-profile", text, Place(str(main)), "return from `main`, or call `exit`")
    found = Ticks([0] * count, [0] * count, [0] * count, {}, took_s)
    for line in place.read_text().splitlines():
        kind, *numbers = line.split()
        first, *rest = map(int, numbers)
        if kind == "n":
            found.calls[first], found.own[first], found.whole[first] = rest
        else:
            found.edges[first, rest[0]] = rest[1]
    place.unlink()
    return found


def _run(executable: Path, main: Path, arguments: Sequence[str], variables: dict[str, str]) -> None:
    command = [str(executable), *arguments]
    status = run_to_end(command, {**os.environ, **variables}, quiet=False, silent=True)
    if status == 0:
        return
    text = f"the application died of {signal_name(-status)}" if status < 0 else ""
    text = text or f"the application ended with status {status}"
    cure = "give the arguments with which it does its work, after `--`"
    told = Diagnostic("application", text, Place(str(main)), cure)
    raise ApplicationFailed(128 - status if status < 0 else status, told)
