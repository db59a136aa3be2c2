# SPDX-License-Identifier: Apache-2.0
"""Random programs that call one function several times, in the ways in which calls go wrong: early
exits, partial writes, guards on data, arguments that overlap, pointers into larger buffers, and
annotations that are too small, too large or missing.

All arguments point into one array, so that nothing is undefined whichever way they overlap. Every
access goes through a macro that, with -DRECORD, notes how far each argument is reached: the program
then tells on stderr each argument whose annotation was smaller than what a call touched, with
`!` if than what it wrote. (What is read and not used, a compiler leaves out.)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

REACH = 32
"""Elements from its pointer on that a function may reach; before it, half as many."""
COUNTS = (0, 1, 2, 3, 7, 20)
"""Values of `n`."""
POOL = 600
TYPES = ("uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t")

HEAD = """#include <stdint.h>
#include <stdio.h>

typedef {type} T;

#ifdef RECORD
static long reached[8], before[8];
static long at(int k, long i)
{{
    if (i >= reached[k])
        reached[k] = i + 1;
    if (i < before[k])
        before[k] = i;
    return i;
}}
#define AT(k, i) at(k, (long)(i))
#define TO(k, i) at(k + 4, at(k, (long)(i)))
#else
#define AT(k, i) (i)
#define TO(k, i) (i)
#endif

"""
MAIN = """
static T pool[{pool}];

static void call(T *a, T *b, T *c, uint32_t n, uint32_t s)
{{
    uint64_t hash = 14695981039346656037ull;
#ifdef RECORD
    for (int k = 0; k < 8; k++)
        reached[k] = before[k] = 0;
#endif
    uint64_t result = {result}top({given});
    for (int i = 0; i < {pool}; i++)
        hash = (hash ^ (uint64_t)pool[i]) * 1099511628211ull;
    printf("%llx %llx\\n", (unsigned long long)result, (unsigned long long)hash);
#ifdef RECORD
    {checks}
#endif
}}

int main(void)
{{
    uint32_t seed = {seed}u;
    for (int i = 0; i < {pool}; i++) {{
        seed = seed * 1664525u + 1013904223u;
        pool[i] = (T)(seed >> {shift} & {mask});
    }}
    {calls}
    return 0;
}}
"""


@dataclass
class Calls:
    """A program. `annotated`: whether any annotation may be wrong."""

    text: str = ""
    annotated: bool = False


@dataclass
class _Pointer:
    name: str
    place: int
    constant: bool
    extent: int = 0
    """Elements that an annotation declares; 0 for none."""


@dataclass
class _State:
    lines: list[str] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=lambda: ["s", "n", "x"])
    depth: int = 1
    names: int = 0
    budget: int = 0
    loops: int = 0


def generate(seed: int) -> Calls:
    """The random program of a seed; the function is called `top`."""
    return _Generator(Random(seed)).program(seed)


class _Generator:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.state = _State(budget=random.randint(4, 12))
        count = random.randint(1, 3)
        self.pointers = [_Pointer(n, k, False) for k, n in enumerate("abc"[:count])]
        for pointer in self.pointers:
            pointer.constant = random.random() < 0.4
            if random.random() < 0.2:
                pointer.extent = random.choice((1, 3, 8, REACH, REACH, 2 * REACH))
        self.returns = random.random() < 0.6 or all(p.constant for p in self.pointers)
        self.backwards = random.random() < 0.15
        self.breaks = random.random() < 0.7

    def program(self, seed: int) -> Calls:
        random = self.random
        kind = random.choice(TYPES)
        while self.state.budget > 0:
            self._statement()
        annotated = [p for p in self.pointers if p.extent]
        pragmas = [f"#pragma tandem extent({p.name}, {p.extent} * sizeof(T))" for p in annotated]
        parts = [
            HEAD.format(type=kind),
            "\n".join([*pragmas, *self._function()]),
            MAIN.format(
                pool=POOL,
                result="" if self.returns else "0; ",
                given=", ".join([*(p.name for p in self.pointers), "n", "s"]),
                checks="\n    ".join(map(_check, annotated)),
                seed=seed,
                shift=random.choice((0, 8, 24)),
                mask=random.choice(("0xffffffff", "3", "15", "1")),
                calls="\n    ".join(self._calls()),
            ),
        ]
        return Calls("".join(parts), bool(annotated))

    def _function(self) -> list[str]:
        pointers = [f"{'const ' if p.constant else ''}T *{p.name}" for p in self.pointers]
        header = f"({', '.join([*pointers, 'uint32_t n', 'uint32_t s'])})"
        end = ["    return x;"] if self.returns else []
        kind = "uint32_t" if self.returns else "void"
        start = ["    uint32_t x = s ^ 7;"]
        return [f"{kind} top{header}", "{", *start, *self.state.lines, *end, "}", ""]

    def _calls(self) -> Iterator[str]:
        random = self.random
        for _ in range(random.randint(3, 6)):
            first = random.randrange(REACH, POOL - 3 * REACH)
            places = [first]
            for _ in range(2):
                near = [first, first + 1, first + random.randrange(1, 2 * REACH), first - 4]
                far = random.randrange(REACH, POOL - 3 * REACH)
                places.append(random.choice([*near, far, far, far]))
            random.shuffle(places)
            given = ", ".join(f"pool + {p}" for p in places)
            n, s = random.choice(COUNTS), random.choice((0, 1, 5, 77, 4000000))
            yield f"call({given}, {n}, {s});"

    # -- statements -----------------------------------------------------------------------------

    def _line(self, text: str) -> None:
        self.state.lines.append("    " * self.state.depth + text)

    @contextmanager
    def _inside(self, opening: str) -> Iterator[None]:
        self._line(opening)
        self.state.depth += 1
        yield
        self.state.depth -= 1
        self._line("}")

    def _statement(self) -> None:
        self.state.budget -= 1
        kinds = [self._write] * 4 + [self._collect] * 2 + [self._guard] * 2
        if self.state.loops < 2:
            kinds += [self._loop] * 4 + [self._search] * 2
        if self.state.loops and self.breaks:
            kinds += [self._leave] * 2
        self.random.choice(kinds)()

    def _block(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            self._statement()

    def _write(self) -> None:
        writable = [p for p in self.pointers if not p.constant]
        if not writable:
            return self._collect()
        place = self._place(self.random.choice(writable)).replace("AT(", "TO(", 1)
        operator = self.random.choice(("=", "=", "=", "+=", "^="))
        self._line(f"{place} {operator} (T){self._value()};")
        return None

    def _collect(self) -> None:
        self._line(f"x = x * 5 + {self._value()};")

    def _guard(self) -> None:
        with self._inside(f"if ({self._condition()}) {{"):
            self._block()
        if self.random.random() < 0.3:
            with self._inside("else {"):
                self._block()

    def _leave(self) -> None:
        ways = ["break;", "continue;"]
        ways.append("return x;" if self.returns else "return;")
        self._line(f"if ({self._condition()})")
        self._line("    " + self.random.choice(ways))

    def _loop(self) -> None:
        name, step = f"i{self.state.names}", self.random.choice((1, 1, 1, 2))
        self.state.names += 1
        end = self.random.choice(("n", "n", "n", "6", "(n & 7)", "(s & 7)"))
        with self._inside(f"for (uint32_t {name} = 0; {name} < {end}; {name} += {step}) {{"):
            self._nested(name)

    def _search(self) -> None:
        """A loop that data ends, after at most n turns."""
        name = f"i{self.state.names}"
        self.state.names += 1
        self._line(f"uint32_t {name} = 0;")
        with self._inside(f"while ({name} < n && {self._condition(name)}) {{"):
            self._line(f"{name}++;")
            self._collect()
        self._line(f"x += {name};")

    def _nested(self, name: str) -> None:
        self.state.loops += 1
        self.state.indices.append(name)
        self.state.values.append(name)
        self._block()
        self.state.values.pop()
        self.state.indices.pop()
        self.state.loops -= 1

    # -- expressions ----------------------------------------------------------------------------

    def _place(self, pointer: _Pointer, more: str = "") -> str:
        return f"{pointer.name}[AT({pointer.place}, {self._index(more)})]"

    def _index(self, more: str) -> str:
        """An index within the reach; counters go up to 19."""
        random, counters = self.random, [*self.state.indices, *([more] if more else [])]
        forms = [str(random.choice((0, 1, 2, 5, REACH - 1))), f"(x & {random.choice((7, 15, 31))})"]
        forms.append(f"(n & {random.choice((3, 15))})")
        if self.backwards:
            forms.append(f"-(int)(x & 7) - {random.randint(0, 3)}")
        if counters:
            i = random.choice(counters)
            forms += [i] * 4 + [f"{i} + {random.randint(1, 8)}", f"(n - 1 - {i} & 31)"]
            forms += [f"(2 * {i} & 31)", f"({i} ^ 1)", f"({i} * 3 + s & 31)"]
        return random.choice(forms)

    def _value(self, more: str = "") -> str:
        random = self.random
        forms = [random.choice(self.state.values), str(random.randrange(256))]
        read = self._place(random.choice(self.pointers), more)
        forms += [f"(uint32_t){read}"] * 4
        if random.random() < 0.4:
            operator = random.choice("+-*&|^")
            return f"({random.choice(forms)} {operator} {self._value(more)})"
        return random.choice(forms)

    def _condition(self, more: str = "") -> str:
        operator = self.random.choice(("<", ">", "==", "!=", "&"))
        text = f"{self._value(more)} {operator} {self.random.choice((0, 1, 2, 3, 9, 100))}u"
        return f"({text})" if operator != "&" else f"({text} || x == 3)"


def _check(pointer: _Pointer) -> str:
    def beyond(k: int) -> str:
        return f"(reached[{k}] > {pointer.extent} || before[{k}] < 0)"

    touched, written = beyond(pointer.place), beyond(pointer.place + 4)
    return f'if {touched} fprintf(stderr, "{pointer.name}%s\\n", {written} ? "!" : "");'
