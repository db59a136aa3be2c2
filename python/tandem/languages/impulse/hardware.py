# SPDX-License-Identifier: Apache-2.0
"""The C of the function that the processes in hardware become."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from enum import Enum

from tandem.diagnostics import user_error
from tandem.languages.impulse.directions import STATIC
from tandem.languages.impulse.network import Network, Process

HARDWARE = "co_hardware"
"""The function that all processes in hardware become."""
STREAM, SIGNAL, REGISTER, MEMORY = range(4)
ARRAYS = (REGISTER, MEMORY)


class Way(Enum):
    """How a process in hardware reaches what it shares: by a FIFO beside another one, as an array,
    or as what software has given of a stream or takes of it (`enum co_place_`)."""

    QUEUE = "CO_QUEUE_"
    GIVEN = "CO_GIVEN_"
    TAKEN = "CO_TAKEN_"
    ARRAY = ""


class Hardware:
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
