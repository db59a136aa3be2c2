# SPDX-License-Identifier: Apache-2.0
"""Random networks of processes: sources, stages that keep, drop, double, join and part records,
servers that answer requests, and sinks, joined by streams of several types and depths.

No network waits for ever, however small its FIFOs are: streams that come together again have a
record for each of the other's, and what parts them gives to both at a time. Those that poll have
stages besides that ask for records, and for room, without waiting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

LONGEST = 40
"""Records of a source at most."""
TYPES = {"bytes": "uint8_t", "words": "uint32_t", "longs": "int64_t", "pairs": "pair"}
HEAD = """#include <stdint.h>
#include <tandem/stream.h>
typedef struct { uint32_t x; uint16_t y; uint8_t z[5]; } pair;
TANDEM_STREAM(bytes, uint8_t)
TANDEM_STREAM(words, uint32_t)
TANDEM_STREAM(longs, int64_t)
TANDEM_STREAM(pairs, pair)
static const uint16_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
"""


@dataclass
class Stream:
    """`rate`: streams of one have as many records as each other."""

    name: str
    kind: str
    rate: int


@dataclass
class Network:
    """C of a function `top` with processes, and the arrays it is called with."""

    text: str
    inputs: list[str]
    outputs: list[str]

    def values(self, random: Random, count: int) -> dict[str, int | bytes]:
        """What a call is given for sources of `count` records."""
        found: dict[str, int | bytes] = {"n": count}
        found |= {name: random.randbytes(4 * LONGEST) for name in self.inputs}
        return found | {name: bytes(8 * 8) for name in self.outputs}


@dataclass
class _Maker:
    random: Random
    streams: list[Stream] = field(default_factory=list)
    open: list[Stream] = field(default_factory=list)
    """Streams that nobody takes from yet."""
    functions: list[str] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    rates: int = 0

    def stream(self, rate: int | None = None, kind: str = "") -> Stream:
        if rate is None:
            self.rates += 1
            rate = self.rates
        kind = kind or self.random.choice(list(TYPES))
        made = Stream(f"s{len(self.streams)}", kind, rate)
        self.streams.append(made)
        return made

    def take(self, rate: int | None = None) -> Stream | None:
        """An open stream, of a rate if one is given."""
        fitting = [s for s in self.open if rate is None or s.rate == rate]
        if not fitting:
            return None
        found = self.random.choice(fitting)
        self.open.remove(found)
        return found

    def process(self, parameters: str, body: str, arguments: str) -> None:
        name = f"p{len(self.functions)}"
        self.functions.append(f"static void {name}({parameters})\n{{\n{body}}}\n")
        self.starts.append(f"    tandem_start({name}({arguments}));\n")

    # -- numbers --------------------------------------------------------------------------------

    def number(self, stream: Stream, variable: str) -> str:
        """A record as a number."""
        if stream.kind == "pairs":
            return f"({variable}.x + {variable}.y * 3u + {variable}.z[{self.random.randrange(5)}])"
        return f"(uint32_t){variable}"

    def write(self, stream: Stream, value: str) -> str:
        if stream.kind != "pairs":
            return f"{stream.kind}_write({stream.name}, {value});"
        record = f"{value}, (uint16_t)({value} >> 3), {{1, 2, (uint8_t)({value}), 4, 5}}"
        return f"{{ pair r = {{{record}}}; pairs_write({stream.name}, r); }}"

    def changed(self, value: str) -> str:
        random = self.random
        return random.choice(
            [
                f"({value} * {random.randrange(1, 99)}u + {random.randrange(99)})",
                f"({value} ^ ({value} >> {random.randrange(1, 9)}))",
                f"(table[{value} & 15] + {value})",
                f"({value} / {random.randrange(2, 9)}u)",
                f"({value} % 1000 < {random.randrange(1000)} ? {value} + 7 : {value} * 5)",
            ]
        )

    def state(self) -> tuple[str, str, str]:
        """(declaration, step, use) of what a process remembers, with `v` the record."""
        if self.random.random() < 0.5:
            return "", "", "v"
        if self.random.random() < 0.5:
            return "    uint32_t a = 1;\n", "        a = a * 3 + v;\n", "(a + v)"
        ring = "        last[k++ & 7] = v;\n"
        return "    uint32_t last[8] = {0}, k = 0;\n", ring, "(last[(k + 3) & 7] + v)"

    def rounds(self) -> str:
        """Now and then an inner loop over the record `v`."""
        if self.random.random() < 0.75:
            return ""
        return (
            f"        for (uint32_t i = 0; i < (v & {self.random.choice([3, 7])}); i++)\n"
            "            v = v * 9 + i;\n"
        )

    # -- processes ------------------------------------------------------------------------------

    def source(self) -> None:
        out = self.stream(rate=0)
        name = f"in{len(self.inputs)}"
        self.inputs.append(name)
        value = self.changed(f"{name}[i]")
        body = f"    for (uint32_t i = 0; i < n; i++)\n        {self.write(out, value)}\n"
        body += f"    {out.kind}_close({out.name});\n"
        self.process(
            f"const uint32_t *{name}, uint32_t n, {out.kind} *{out.name}",
            body,
            f"{name}, n, &{out.name}",
        )
        self.open.append(out)

    def stage(self) -> None:
        """One stream in; one out with all records, some of them, or two for each; or two."""
        taken = self.take()
        if taken is None:
            return
        way = self.random.choice(["all", "all", "some", "two", "either", "both"])
        rate = taken.rate if way in ("all", "both") else None
        outs = [self.stream(rate)]
        if way in ("either", "both"):
            outs.append(self.stream(rate))
        declared, step, value = self.state()
        value = self.changed(value)
        writes = [self.write(out, value) for out in outs]
        if way == "two":
            writes.append(self.write(outs[0], "v"))
        given = {
            "some": f"if ({value} & 3) {writes[0]}",
            "either": f"if (v & 1) {writes[0]}\n        else {writes[-1]}",
        }.get(way, "\n        ".join(writes))
        body = f"    {TYPES[taken.kind]} r0;\n{declared}"
        body += f"    while ({taken.kind}_next({taken.name}, &r0)) {{\n"
        body += f"        uint32_t v = {self.number(taken, 'r0')};\n{self.rounds()}{step}"
        body += f"        {given}\n    }}\n"
        body += "".join(f"    {out.kind}_close({out.name});\n" for out in outs)
        used = [taken, *outs]
        self.process(
            ", ".join(f"{s.kind} *{s.name}" for s in used),
            body,
            ", ".join(f"&{s.name}" for s in used),
        )
        self.open += outs

    def ask_for_records(self, stream: Stream) -> tuple[str, str]:
        """(C of a loop's head, C of what it does with the record `r0`) of a loop that counts in `c`
        how often there is none."""
        passed = "{ c++; continue; }\n"
        if self.random.random() < 0.5:
            tried = f"tried = {stream.kind}_try_next({stream.name}, &r0)"
            head = f"while (({tried}) != TANDEM_END)"
            return head, f"        if (tried == TANDEM_NOTHING) {passed}"
        wait = f"        if ({stream.kind}_empty({stream.name})) {passed}"
        taken = f"        if (!{stream.kind}_next({stream.name}, &r0)) break;\n"
        return "for (;;)", wait + taken

    def give_or_not(self, stream: Stream, value: str) -> str:
        """C that gives a record, or counts in `d` that there is no room."""
        way = self.random.choice(["wait", "try", "full", "until"])
        if way == "wait" or stream.kind == "pairs":
            return self.write(stream, value)
        if way == "try":
            return f"d += !{stream.kind}_try_write({stream.name}, {value});"
        if way == "full":
            asked = f"if ({stream.kind}_full({stream.name})) d++; else "
            return asked + self.write(stream, value)
        return f"while (!{stream.kind}_try_write({stream.name}, {value} + d)) d++;"

    def poll(self) -> None:
        """A stage that asks whether there is a record, and perhaps whether there is room."""
        taken = self.take()
        if taken is None:
            return
        out = self.stream()
        head, asked = self.ask_for_records(taken)
        declared, step, value = self.state()
        body = f"    {TYPES[taken.kind]} r0;\n    uint32_t c = 0, d = 0;\n{declared}"
        body += f"    enum tandem_tried tried;\n    (void)tried;\n    {head} {{\n{asked}"
        body += f"        uint32_t v = {self.number(taken, 'r0')} + c * 3;\n{self.rounds()}{step}"
        body += f"        {self.give_or_not(out, self.changed(value))}\n    }}\n"
        body += f"    {self.write(out, '(c + d * 7)')}\n    {out.kind}_close({out.name});\n"
        self.process(
            f"{taken.kind} *{taken.name}, {out.kind} *{out.name}",
            body,
            f"&{taken.name}, &{out.name}",
        )
        self.open.append(out)

    def merge(self) -> None:
        """Two streams become one, in the order in which records come."""
        first = self.take()
        second = self.take()
        if first is None or second is None:
            self.open += [first] if first else []
            return
        out = self.stream()
        body = f"    {TYPES[first.kind]} r0;\n    {TYPES[second.kind]} r1;\n"
        body += "    bool more0 = true, more1 = true;\n    uint32_t c = 0, d = 0;\n"
        body += "    while (more0 || more1) {\n"
        for i, stream in enumerate((first, second)):
            value = self.changed(f"({self.number(stream, f'r{i}')} + c)")
            body += f"        if (more{i}) {{\n            enum tandem_tried tried = "
            body += f"{stream.kind}_try_next({stream.name}, &r{i});\n"
            body += f"            more{i} = tried != TANDEM_END;\n"
            body += (
                f"            if (tried == TANDEM_RECORD) {{ {self.give_or_not(out, value)} }}\n"
            )
            body += "            else c++;\n        }\n"
        body += f"    }}\n    {self.write(out, '(c + d)')}\n    {out.kind}_close({out.name});\n"
        used = [first, second, out]
        self.process(
            ", ".join(f"{s.kind} *{s.name}" for s in used),
            body,
            ", ".join(f"&{s.name}" for s in used),
        )
        self.open.append(out)

    def join(self) -> None:
        """Two streams of one rate become one."""
        first = self.take()
        second = self.take(first.rate) if first else None
        if first is None or second is None:
            self.open += [first] if first else []
            return
        out = self.stream(first.rate)
        body = f"    {TYPES[first.kind]} r0;\n    {TYPES[second.kind]} r1;\n"
        body += (
            f"    while ({first.kind}_next({first.name}, &r0) & "
            f"{second.kind}_next({second.name}, &r1)) {{\n"
        )
        body += (
            f"        uint32_t v = {self.number(first, 'r0')} * 5 + {self.number(second, 'r1')};\n"
        )
        body += f"{self.rounds()}        {self.write(out, self.changed('v'))}\n    }}\n"
        body += f"    {out.kind}_close({out.name});\n"
        used = [first, second, out]
        self.process(
            ", ".join(f"{s.kind} *{s.name}" for s in used),
            body,
            ", ".join(f"&{s.name}" for s in used),
        )
        self.open.append(out)

    def ask(self) -> None:
        """A process that asks another one about every record."""
        taken = self.take()
        if taken is None:
            return
        out, question, answer = self.stream(taken.rate), self.stream(), self.stream()
        body = f"    {TYPES[taken.kind]} r0;\n    uint32_t a = 0;\n"
        body += f"    while ({taken.kind}_next({taken.name}, &r0)) {{\n"
        body += f"        {self.write(question, self.number(taken, 'r0') + ' + a')}\n"
        body += f"        {TYPES[answer.kind]} r1 = {answer.kind}_read({answer.name});\n"
        body += (
            f"        a = {self.number(answer, 'r1')};\n        {self.write(out, 'a')}\n    }}\n"
        )
        body += f"    {question.kind}_close({question.name});\n    {out.kind}_close({out.name});\n"
        used = [taken, out, question, answer]
        self.process(
            ", ".join(f"{s.kind} *{s.name}" for s in used),
            body,
            ", ".join(f"&{s.name}" for s in used),
        )
        body = f"    {TYPES[question.kind]} r0;\n"
        body += f"    while ({question.kind}_next({question.name}, &r0)) {{\n"
        body += f"        uint32_t v = {self.number(question, 'r0')};\n{self.rounds()}"
        body += f"        {self.write(answer, self.changed('v'))}\n    }}\n"
        self.process(
            f"{question.kind} *{question.name}, {answer.kind} *{answer.name}",
            body,
            f"&{question.name}, &{answer.name}",
        )
        self.open.append(out)

    def sink(self) -> None:
        taken = self.take()
        if taken is None:
            return
        name = f"out{len(self.outputs)}"
        self.outputs.append(name)
        body = f"    {TYPES[taken.kind]} r0;\n    uint64_t sum = 1;\n    uint32_t k = 0;\n"
        body += f"    for (; {taken.kind}_next({taken.name}, &r0); k++) {{\n"
        body += f"        sum = sum * 31 + {self.number(taken, 'r0')};\n"
        body += f"        {name}[k & 7] = sum;\n    }}\n    {name}[0] = sum + k;\n"
        self.process(
            f"{taken.kind} *{taken.name}, uint64_t *{name}", body, f"&{taken.name}, {name}"
        )


def generate(seed: int, *, polls: bool = False) -> Network:
    """The network of a seed; one that `polls` asks, too."""
    random = Random(seed)
    made = _Maker(random)
    for _ in range(random.randint(1, 2)):
        made.source()
    for _ in range(random.randint(1, 6)):
        asking = [made.poll, made.poll, made.merge] if polls else []
        random.choice([made.stage, made.stage, made.stage, made.join, made.ask, *asking])()
    while made.open:
        made.sink()
    random.shuffle(made.starts)
    arrays = [f"const uint32_t *{name}" for name in made.inputs]
    arrays += [f"uint64_t *{name}" for name in made.outputs]
    declared = "".join(f"    {s.kind} {s.name} = {{0}};\n" for s in made.streams)
    depths = "".join(
        f"    {s.kind}_depth(&{s.name}, {random.choice([1, 2, 3, 8, 20])});\n"
        for s in made.streams
        if random.random() < 0.4
    )
    extents = "".join(f"#pragma tandem extent({name}, 64)\n" for name in made.outputs)
    top = f"{extents}void top({', '.join([*arrays, 'uint32_t n'])})\n{{\n"
    text = "\n".join([HEAD, *made.functions, top])
    text += f"{declared}{depths}{''.join(made.starts)}    tandem_join();\n}}\n"
    return Network(text, made.inputs, made.outputs)
