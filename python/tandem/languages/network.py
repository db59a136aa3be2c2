# SPDX-License-Identifier: Apache-2.0
"""Networks of processes as Impulse C has them (`co.h`): which there are, by running the function
that makes them, and the C of the function that those in hardware become.

That function, `co_hardware`, is a kernel like any other: what processes get of software, and give
to it, are its arrays, and what is between two of them is a stream of `tandem/stream.h`. A process
that is alone in hardware is called; of several each is started.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from tandem.children import run as run_child
from tandem.diagnostics import Place, UserError, user_error
from tandem.files import folder_of_the_process, temporary_folder
from tandem.frontend.clang import NATIVE_FLAGS, read_c, run_clang, to_llvm_ir
from tandem.frontend.program import Program
from tandem.languages.discovery import Given, find_program
from tandem.languages.known import is_source
from tandem.llvm.passes import Passes, run_passes

HARDWARE = "co_hardware"
"""The function that all processes in hardware become."""
MAKER = "co_initialize"
"""The program's own function that makes the network."""
MOST_SECONDS = 20
"""A function that makes a network waits for nothing."""
READS = frozenset(
    {
        *("co_stream_read", "co_stream_read_nb", "co_stream_eos", "co_signal_wait"),
        *("co_register_read", "co_register_get"),
    }
)
WRITES = frozenset({"co_stream_write", "co_signal_post", "co_register_write", "co_register_put"})
_INCLUDES = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]co\.h[>"]', re.M)
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
STREAM, SIGNAL, REGISTER, MEMORY = range(4)
ARRAYS = (REGISTER, MEMORY)
STATIC = -1
"""In place of a parameter: nobody else can call the function."""


class Way(Enum):
    """How a process in hardware reaches what it shares: by a FIFO beside another one, as an array,
    or as what software has given of a stream or takes of it (`enum co_place_`)."""

    QUEUE = "CO_QUEUE_"
    GIVEN = "CO_GIVEN_"
    TAKEN = "CO_TAKEN_"
    ARRAY = ""


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


def with_network(
    main: Path, given: Given, functions: Sequence[str]
) -> tuple[Given, tuple[str, ...]]:
    """What is to be offloaded of a program: where these are processes of a network, the function
    that they become, which is a source of the program then.

    Raises UserError where there is no such network, or some of it cannot be hardware."""
    if not functions or not any(map(_includes_words, (main, *given.sources))):
        return given, tuple(functions)
    program = find_program(main, given)
    if not any(MAKER in read_c(path) for path in program.paths):
        return given, tuple(functions)
    network = find_network(program)
    chosen = _chosen(main, network, functions)
    if not chosen:
        return given, tuple(functions)
    if program.is_cxx:
        raise user_error(
            "network",
            "processes in hardware are functions of C here, and the program is C++",
            Place(str(main)),
            "put them into files of C",
        )
    text = _Hardware(network, chosen, _directions(program, network)).text()
    place = folder_of_the_process() / f"{HARDWARE}.c"
    place.write_text(text)
    others = tuple(path for path in program.paths if path != main)
    return replace(given, sources=(*others, place)), (HARDWARE,)


def _includes_words(path: Path) -> bool:
    """Whether a file is C that has Impulse C's words."""
    return is_source(path) and path.is_file() and bool(_INCLUDES.search(read_c(path)))


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


def _chosen(main: Path, network: Network, functions: Sequence[str]) -> list[Process]:
    """The processes that are to be hardware; none where other functions are offloaded."""
    if list(functions) == [HARDWARE]:
        found = [process for process in network.processes if process.located]
        if not found:
            raise user_error(
                "network",
                "no process has a location in hardware",
                Place(str(main)),
                "give one with co_process_config(process, co_loc, ...), or name one: --offload "
                + " or ".join(dict.fromkeys(p.function for p in network.processes)),
            )
        return found
    found = [process for process in network.processes if process.function in functions]
    known = {process.function for process in found}
    others = [name for name in functions if name not in known]
    if found and others:
        raise user_error(
            "network",
            f"`{others[0]}` is no process of the network, and `{found[0].function}` is one",
            Place(str(main)),
            "offload processes, or functions that software calls, and not both",
        )
    return found


# -- which way ends go -----------------------------------------------------------------------------


def _directions(program: Program, network: Network) -> dict[tuple[str, int], bool]:
    """(function, parameter) -> whether a process gives there, as far as its C tells."""
    functions = {process.function for process in network.processes}
    found: dict[tuple[str, int], bool] = {}
    for file in program.files:
        module = llvm.parse_assembly(to_llvm_ir(file))
        run_passes(module, Passes.add_sroa_pass)
        for function in module.functions:
            if function.name in functions and not function.is_declaration:
                found.update(_uses(function))
                found |= {(function.name, STATIC): True} if _is_static(function) else {}
    return found


def _is_static(function: llvm.ValueRef) -> bool:
    return function.linkage == llvm.Linkage.internal


def _uses(function: llvm.ValueRef) -> Iterator[tuple[tuple[str, int], bool]]:
    names = [argument.name for argument in function.arguments]
    for block in function.blocks:
        for instruction in block.instructions:
            operands = list(instruction.operands)
            called = operands[-1].name if instruction.opcode == "call" and operands else ""
            if called not in READS | WRITES and called != "co_stream_open":
                continue
            end = operands[0].name
            if end in names and called != "co_stream_open":
                yield (function.name, names.index(end)), called in WRITES
            elif end in names and operands[1].is_constant:
                yield (function.name, names.index(end)), str(operands[1]) != "i32 0"


# -- the C of the hardware -------------------------------------------------------------------------


class _Hardware:
    """Writes the C of the function that some processes become."""

    def __init__(
        self,
        network: Network,
        chosen: Sequence[Process],
        directions: dict[tuple[str, int], bool],
    ) -> None:
        self.network = network
        self.chosen = chosen
        self.directions = directions
        self.ends = [
            (process, place, which)
            for process in chosen
            for place, (which, _) in enumerate(process.arguments)
            if which >= 0
        ]
        self.used = sorted({which for _, _, which in self.ends})
        counts = {w: sum(which == w for _, _, which in self.ends) for w in self.used}
        streams = {w for w in self.used if network.shared[w].kind in (STREAM, SIGNAL)}
        self.inner = {w for w in streams if counts[w] == 2}
        """Streams between two of them."""
        for which in self.used:
            self._check(which, counts[which])
        for process in chosen:
            self._check_linkage(process)

    def _check(self, which: int, count: int) -> None:
        shared = self.network.shared[which]
        if shared.kind == REGISTER and count > 1:
            raise user_error(
                "network",
                f"the register `{shared.name}` is used by {count} processes in hardware, which run "
                "at the same time",
                help="join them by a stream",
            )

    def _check_linkage(self, process: Process) -> None:
        if (process.function, STATIC) in self.directions:
            raise user_error(
                "network",
                f"`{process.function}` is static: hardware is made of it in a file of its own",
                help="leave out `static`",
            )

    def _name(self, which: int) -> str:
        """A name in C for what is shared."""
        plain = re.sub(r"\W", "_", self.network.shared[which].name)
        others = [self.network.shared[w].name for w in self.used if w != which]
        taken = {re.sub(r"\W", "_", other) for other in others}
        is_taken = plain in taken | {process.function for process in self.chosen}
        return f"{plain}_{which}" if is_taken or not re.match(r"[A-Za-z]", plain) else plain

    def _type(self, which: int) -> str:
        bits = 8 * self.network.shared[which].bytes
        if self.network.shared[which].kind == MEMORY:
            return "unsigned char"
        return f"uint{bits}_t" if bits in (8, 16, 32, 64) else f"struct record_{bits // 8}"

    def _gives(self, process: Process, place: int) -> bool:
        gives = self.directions.get((process.function, place))
        if gives is None:
            name = self.network.shared[process.arguments[place][0]].name
            raise user_error(
                "network",
                f"cannot tell whether `{process.function}` reads or writes `{name}`",
                help="open it there with O_RDONLY or O_WRONLY",
            )
        return gives

    def _way(self, process: Process, place: int) -> Way:
        """How a process reaches what it is given at a place."""
        which = process.arguments[place][0]
        if which in self.inner:
            return Way.QUEUE
        if self.network.shared[which].kind in ARRAYS:
            return Way.ARRAY
        return Way.TAKEN if self._gives(process, place) else Way.GIVEN

    def _outer(self) -> Iterator[tuple[int, Way]]:
        """What comes from software or goes to it."""
        for which in self.used:
            if which not in self.inner:
                process, place, _ = next(end for end in self.ends if end[2] == which)
                yield which, self._way(process, place)

    def text(self) -> str:
        """The C file."""
        records = {
            s.bytes for s in (self.network.shared[w] for w in self.used) if s.kind != MEMORY
        } - {1, 2, 4, 8}
        structs = [f"struct record_{n} {{ unsigned char bytes[{n}]; }};" for n in sorted(records)]
        functions = dict.fromkeys(self._prototype(process) for process in self.chosen)
        lines = [
            "/* The processes in hardware, as one function. Written by Tandem. */",
            '#include "co.h"',
            *structs,
            *functions,
            *self._processes(),
            *self._kernel(),
            *self._driver(),
        ]
        return "\n".join(lines) + "\n"

    def _prototype(self, process: Process) -> str:
        kinds = [
            "void *"
            if which < 0
            else "co_memory"
            if self.network.shared[which].kind in ARRAYS
            else "co_stream"
            for which, _ in process.arguments
        ]
        return f"void {process.function}({', '.join(kinds) or 'void'});"

    def _parameters(self, which: int, way: Way) -> list[tuple[str, str]]:
        """(parameter, argument) of what a function is given of what is shared."""
        name, kind = self._name(which), self._type(which)
        count = f"{name}_count"
        if way is Way.QUEUE:
            return [(f"struct tandem_stream *{name}", f"&{name}")]
        if way is Way.ARRAY:
            return [(f"{kind} *{name}", name)]
        if way is Way.TAKEN:
            return [(f"{kind} *{name}", name), (f"uint64_t *{count}", count)]
        return [(f"const {kind} *{name}", name), (f"uint64_t {count}", count)]

    # -- a process with the ends that it uses --------------------------------------------------

    def _own(self, process: Process) -> list[tuple[str, str]]:
        """The same of a process's own function."""
        return [
            pair
            for place, (which, _) in enumerate(process.arguments)
            if which >= 0
            for pair in self._parameters(which, self._way(process, place))
        ]

    def _processes(self) -> Iterator[str]:
        for number, process in enumerate(self.chosen):
            parameters = ", ".join(parameter for parameter, _ in self._own(process)) or "void"
            yield f"static void process_{number}({parameters})"
            yield "{"
            arguments, behind = [], []
            for place, (which, value) in enumerate(process.arguments):
                if which < 0:
                    arguments.append(f"(void *)(intptr_t){value}LL")
                    continue
                way = self._way(process, place)
                yield f"    {self._end(place, which, way)}"
                arguments.append(f"&end_{place}")
                if way is Way.TAKEN:
                    behind.append(f"    *{self._name(which)}_count = end_{place}.at;")
            yield f"    {process.function}({', '.join(arguments)});"
            yield from behind
            yield "}"

    def _end(self, place: int, which: int, way: Way) -> str:
        """The declaration of a process's end."""
        name, size = self._name(which), self.network.shared[which].bytes
        data = f"(unsigned char *){name}"
        if way is Way.ARRAY:
            return f"struct co_memory_ end_{place} = {{{data}}};"
        queue, data, count = {
            Way.QUEUE: (name, "0", "0"),
            Way.GIVEN: ("0", data, f"{name}_count"),
            Way.TAKEN: ("0", data, "0"),
        }[way]
        fields = f"{way.value}, {queue}, {data}, {count}, 0, {size}, 0"
        return f"struct co_stream_ end_{place} = {{{fields}}};"

    # -- all of them ---------------------------------------------------------------------------

    def _kernel(self) -> Iterator[str]:
        pairs = [pair for which, way in self._outer() for pair in self._parameters(which, way)]
        yield f"void {HARDWARE}({', '.join(parameter for parameter, _ in pairs) or 'void'})"
        yield "{"
        for which in sorted(self.inner):
            name, depth = self._name(which), self.network.shared[which].depth
            yield f"    struct tandem_stream {name} = {{0}};"
            if depth:
                yield f"    tandem_stream_depth(&{name}, {depth});"
        calls = [
            f"process_{number}({', '.join(argument for _, argument in self._own(process))})"
            for number, process in enumerate(self.chosen)
        ]
        if len(calls) == 1:
            yield f"    {calls[0]};"
        else:
            yield from (f"    tandem_start({call});" for call in calls)
            yield "    tandem_join();"
        yield "}"

    def _driver(self) -> Iterator[str]:
        """What software calls when it has given all."""
        names = " || ".join(f'!strcmp(function, "{p.function}")' for p in self.chosen)
        yield f"int co_is_hardware_(const char *function) {{ return {names}; }}"
        yield "void co_hardware_(struct co_end_ *(*end)(const char *name, int gives))"
        yield "{"
        arguments, taken = [], []
        for which, way in self._outer():
            name, given = self._name(which), json.dumps(self.network.shared[which].name)
            gives = way is Way.TAKEN
            yield f"    struct co_end_ *{name} = end({given}, {int(gives)});"
            const = "const " if way is Way.GIVEN else ""
            arguments.append(f"({const}{self._type(which)} *){name}->data")
            if way is not Way.ARRAY:
                arguments.append(f"&{name}->count" if gives else f"{name}->count")
            taken += [f"    co_taken_({name});"] if gives else []
        yield "    struct tandem_group_ *group = tandem_group_;"
        yield "    tandem_group_ = NULL;"
        yield f"    {HARDWARE}({', '.join(arguments)});"
        yield "    tandem_group_ = group;"
        yield from taken
        yield "}"
