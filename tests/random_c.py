# SPDX-License-Identifier: Apache-2.0
"""Random integer C functions without undefined behaviour, and data to call them with.

Every loop ends after a few turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from random_expressions import TYPES, Array, Expressions, Function, Type

SIZES = (0, 1, 2, 9)
"""Values of the size argument `n`; arrays of `n` elements go with it."""
FIXED_COUNT = 16
"""Elements of an array argument that is reached at any place."""
DEEPEST_LOOP = 3
LARGEST_COST = 40_000
"""Statements that a call may run, roughly."""


FEATURES = (
    "while",
    "switch",
    "jump",
    "copy",
    "divide",
    "bits",
    "wide",
    "function",
    "struct",
    "record",
    "bytes",
    "pointer",
    "apart",
)
"""What a program may or may not have in it."""


@dataclass
class Program:
    """A C file with the function `top`. `arrays`: array argument -> (bytes of an element, elements;
    0 elements: as many as the argument `n` says; an element may be a record). `scalars`: scalar
    argument -> bits."""

    text: str = ""
    arrays: dict[str, tuple[int, int]] = field(default_factory=dict)
    scalars: dict[str, int] = field(default_factory=dict)

    def values(self, random: Random, n: int) -> dict[str, int | bytes]:
        """Data for one call."""
        values: dict[str, int | bytes] = {
            name: random.choice((0, 1, (1 << bits) - 1, 1 << (bits - 1), random.getrandbits(bits)))
            for name, bits in self.scalars.items()
        }
        for name, (size, count) in self.arrays.items():
            values[name] = random.randbytes(size * (count or n))
        if "n" in self.scalars:
            values["n"] = n
        return values


def read(text: str) -> Program:
    """A program kept in a file: its arguments as its header and pragmas say."""
    program = Program(text)
    header = next(line for line in text.splitlines() if re.match(r"\w+ top\(", line))
    for declared in header[header.index("(") + 1 : -1].split(", "):
        kind, _, name = declared.removeprefix("const ").rpartition(" ")
        if name.startswith("*"):
            extent = re.search(rf"extent\({name[1:]}, (\d+)(.*)\)", text)
            assert extent, f"no extent of {name[1:]}"
            program.arrays[name[1:]] = (int(extent[1]), 0 if extent[2] else 1)
        elif kind:
            program.scalars[name] = int(re.sub(r"\D", "", kind.removesuffix("_t")))
    return program


def generate(seed: int) -> Program:
    """The random function of a seed; it is called `top`."""
    return _Generator(Random(seed)).program()


class _Generator(Expressions):
    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.result = Program()
        self.head: list[str] = ["#include <stdint.h>", "#include <string.h>", ""]
        self.parameters: list[str] = []
        self.body: list[str] = []
        self.indent = 1
        self.counts: dict[str, int] = {}
        self.streams: list[Array] = []
        """Array arguments of n records of mask + 1 elements, reached at the counter of a loop up
        to n."""
        self.loops: list[str] = []
        self.cost = 1
        self.budget = random.randint(5, 18)
        self.returns: Type | None = None
        self.features = {f for f in FEATURES if random.random() < 0.6}

    # -- the file -------------------------------------------------------------------------------

    def program(self) -> Program:
        random = self.random
        for _ in range(random.randint(0, 2)):
            self._table()
        for _ in range(random.randint(0, 3) * ("function" in self.features)):
            self._function()
        for _ in range(random.randint(0, 3)):
            self._scalar_argument()
        for _ in range(random.randint(0, 2)):
            self._fixed_argument()
        for _ in range(random.randint(0, 3)):
            self._stream_argument()
        self.returns = random.choice([*TYPES, None]) if self.result.arrays else random.choice(TYPES)
        self._locals()
        while self.budget > 0:
            self._statement()
        if self.returns:
            self._line(f"return {self._as(self.returns)};")
        self._assemble()
        return self.result

    def _assemble(self) -> None:
        kind = self.returns or "void"
        header = f"{kind} top({', '.join(self.parameters) or 'void'})"
        self.result.text = "\n".join([*self.head, header, "{", *self.body, "}", ""])

    def _name(self, stem: str) -> str:
        self.counts[stem] = self.counts.get(stem, 0) + 1
        return f"{stem}{self.counts[stem]}"

    def _line(self, text: str) -> None:
        self.body.append("    " * self.indent + text)

    def _table(self) -> None:
        kind, name = self.random.choice(TYPES), self._name("table")
        count = self.random.choice((2, 5, 8, 16, 40))
        words = [self.random.getrandbits(kind.bits) for _ in range(count)]
        shown = ", ".join(f"({kind}){word:#x}{'u' if kind.bits < 64 else 'ull'}" for word in words)
        self.head.append(f"static const {kind} {name}[{count}] = {{ {shown} }};")
        self.arrays.append(Array(name, kind, (1 << count.bit_length() - 1) - 1, constant=True))

    def _function(self) -> None:
        """A function with a few statements of its own, which may be kept apart."""
        inner = _Generator(self.random)
        inner.features = self.features - {"function"}
        inner.functions = [*self.functions]
        inner.returns, name = self.random.choice(TYPES), self._name("function")
        inner.budget = self.random.randint(0, 3)
        kinds = [self.random.choice(TYPES) for _ in range(2)]
        inner.scalars = list(zip(("first", "second"), kinds, strict=True))
        parameters = f"{kinds[0]} first, {kinds[1]} second"
        if self.random.random() < 0.6:
            constant, mask = self.random.random() < 0.5, self.random.choice((0, 1, 3, 7))
            inner.arrays = [Array("third", self.random.choice(TYPES), mask, constant)]
            parameters += f", {'const ' if constant else ''}{inner.arrays[0].type} *third"
        function = Function(name, inner.arrays[0] if inner.arrays else None)
        while inner.budget > 0:
            inner._statement()
        inner._line(f"return {inner._as(inner.returns)};")
        apart = "__attribute__((noinline)) " * ("apart" in self.features)
        self.head.append(f"static {apart}{inner.returns} {name}({parameters})")
        self.head += ["{", *inner.body, "}"]
        self.functions.append(function)

    def _scalar_argument(self) -> None:
        kind, name = self.random.choice(TYPES), self._name("scalar")
        self.parameters.append(f"{kind} {name}")
        self.result.scalars[name] = kind.bits
        self.scalars.append((name, kind))

    def _fixed_argument(self) -> None:
        name, constant = self._name("memory"), self.random.random() < 0.4
        if "struct" in self.features and self.random.random() < 0.5:
            kind, size, members = self._struct()
        else:
            scalar = self.random.choice(TYPES)
            kind, size, members = str(scalar), scalar.bits // 8, {"": scalar}
        self.parameters.append(f"{'const ' if constant else ''}{kind} *{name}")
        self.head.append(f"#pragma tandem extent({name}, {FIXED_COUNT * size})")
        self.result.arrays[name] = (size, FIXED_COUNT)
        for member, scalar in members.items():
            self.arrays.append(Array(name, scalar, FIXED_COUNT - 1, constant, member))

    def _struct(self) -> tuple[str, int, dict[str, Type]]:
        """(name, bytes, members) of a new struct."""
        name = self._name("record")
        members = {f".m{i}": self.random.choice(TYPES) for i in range(self.random.randint(2, 3))}
        inside = " ".join(f"{kind} {member[1:]};" for member, kind in members.items())
        self.head.append(f"struct {name} {{ {inside} }};")
        size = 0
        for kind in members.values():
            size = -(-size * 8 // kind.bits) * kind.bits // 8 + kind.bits // 8
        widest = max(kind.bits for kind in members.values()) // 8
        return f"struct {name}", -(-size // widest) * widest, members

    def _stream_argument(self) -> None:
        kind, name = self.random.choice(TYPES), self._name("stream")
        constant = self.random.random() < 0.5
        self.parameters.append(f"{'const ' if constant else ''}{kind} *{name}")
        together = self.random.choice((1, 1, 1, 2, 3, 4)) if "record" in self.features else 1
        size = kind.bits // 8 * together
        self.head.append(f"#pragma tandem extent({name}, {size} * (uint64_t)n)")
        self.result.arrays[name] = (size, 0)
        self.streams.append(Array(name, kind, together - 1, constant))
        if "n" not in self.result.scalars:
            count = self.random.choice(TYPES)
            self.parameters.append(f"{count} n")
            self.result.scalars["n"] = count.bits
            self.locked.append(("n", count))

    def _locals(self) -> None:
        for _ in range(self.random.randint(1, 4)):
            kind, name = self.random.choice(TYPES), self._name("local")
            self._line(f"{kind} {name} = {self._as(kind)};")
            self.scalars.append((name, kind))
        for _ in range(self.random.randint(0, 2)):
            self._local_array()

    def _local_array(self) -> None:
        kind, name = self.random.choice(TYPES), self._name("array")
        count = self.random.choice((1, 2, 4, 8, 16, 32))
        if "bytes" in self.features and self.random.random() < 0.1:
            count = 512  # beyond what is initialised element by element
        if count == 512 or self.random.random() < 0.5:
            self._line(f"{kind} {name}[{count}] = {{ {self._as(kind)} }};")
        else:
            i = self._name("i")
            self._line(f"{kind} {name}[{count}];")
            self._line(f"for (int {i} = 0; {i} < {count}; {i}++)")
            self._line(f"    {name}[{i}] = ({kind})({self._leaf(32)} + {i});")
        self.arrays.append(Array(name, kind, count - 1))

    # -- statements -----------------------------------------------------------------------------

    def _statement(self) -> None:
        self.budget -= 1
        kinds = [self._assign] * 4 + [self._store] * 3 + [self._if] * 2 + [self._step]
        if len(self.loops) < DEEPEST_LOOP and self.cost < LARGEST_COST // 8:
            kinds += [self._for_constant, self._for_variable]
            kinds += [self._while] * ("while" in self.features)
            kinds += [self._for_stream] * (4 * bool(self.streams and not self.loops))
        kinds += [self._switch] * ("switch" in self.features)
        kinds += [self._jump] * ("jump" in self.features)
        kinds += [self._copy] * ("copy" in self.features)
        kinds += [self._bytes] * ("bytes" in self.features)
        kinds += [self._call_alone] * (2 * bool(self.functions))
        if len(self.loops) < DEEPEST_LOOP - 1:
            kinds += [self._pointers] * ("pointer" in self.features)
        self.random.choice(kinds)()

    @contextmanager
    def _inside(self, opening: str, closing: str = "}") -> Iterator[None]:
        self._line(opening)
        self.indent += 1
        scalars, locked = len(self.scalars), len(self.locked)
        yield
        del self.scalars[scalars:], self.locked[locked:]
        self.indent -= 1
        self._line(closing)

    def _block(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            self._statement()

    def _assign(self) -> None:
        name, kind = self.random.choice(self.scalars)
        self._line(f"{name} = {self._as(kind)};")

    def _step(self) -> None:
        """x op= y; for signed x only where no overflow can be undefined."""
        name, kind = self.random.choice(self.scalars)
        operators = ["+=", "-=", "*=", "^=", "&=", "|="]
        if not kind.signed:
            operators += ["<<=", ">>="]
            if self.random.random() < 0.3:
                self._line(f"{name}{self.random.choice(('++', '--'))};")
                return
        operator = self.random.choice(operators)
        value = self._expression(2, 64 if kind.bits == 64 else 32)
        if operator in ("<<=", ">>="):
            value = f"{value} & {kind.bits - 1}"
        self._line(f"{name} {operator} {value};")

    def _store(self) -> None:
        targets = [a for a in self.arrays if not a.constant]
        if not targets:
            self._assign()
            return
        array = self.random.choice(targets)
        self._line(f"{self._element(array, 2)} = {self._as(array.type)};")

    def _copy(self) -> None:
        """memset or memcpy of a local array."""
        locals_ = [a for a in self.arrays if a.name.startswith("array")]
        if not locals_:
            return
        target = self.random.choice(locals_)
        same = [a for a in locals_ if a is not target and a.type == target.type]
        if same:
            source = self.random.choice(same)
            count = (min(source.mask, target.mask) + 1) * target.type.bits // 8
            self._line(f"memcpy({target.name}, {source.name}, {count});")
        else:
            self._line(
                f"memset({target.name}, {self.random.choice((0, 1, 0xAB))}, sizeof {target.name});"
            )

    def _bytes(self) -> None:
        """A word at any byte of an array, or a block operation of any size within it."""
        arrays = [a for a in self.arrays if not a.member]
        if not arrays:
            return
        array, kind = self.random.choice(arrays), self.random.choice(TYPES)
        size, word = (array.mask + 1) * array.type.bits // 8, kind.bits // 8
        some = [f"({self._expression(1, 32)}) % {size // 2 + 1}" for _ in range(3)]
        places = [f"(uint8_t *){array.name} + {offset}" for offset in some[:2]]
        choice = self.random.randrange(4)
        if choice < 2 and word <= size:
            name, other = self.random.choice(self.scalars)[0], self._name("word")
            place = f"(uint8_t *){array.name} + ({self._leaf(32)}) % {size - word + 1}"
            if choice and not array.constant:
                self._line(f"{{ {kind} {other} = {name}; memcpy({place}, &{other}, {word}); }}")
            else:
                self._line(f"{{ {kind} {other}; memcpy(&{other}, {place}, {word});")
                self._line(f"  {name} = {other}; }}")
        elif not array.constant:
            operation = f"memset({places[0]}, {self._leaf(32)}, {some[2]});"
            if choice == 3:
                operation = f"memmove({places[0]}, {places[1]}, {some[2]});"
            self._line(operation)

    def _pointers(self) -> None:
        """Two pointers to arrays of one type, which change places."""
        pairs = [
            (a, b)
            for a in self.arrays
            for b in self.arrays
            if a is not b and a.type == b.type and not a.member and not b.member
        ]
        if not pairs:
            return
        first, second = self.random.choice(pairs)
        mask, constant = min(first.mask, second.mask), first.constant or second.constant
        kind = f"{'const ' if constant else ''}{first.type}"
        p, q, t, i = (self._name(stem) for stem in ("pointer", "pointer", "pointer", "i"))
        kept = list(self.arrays)
        with self._inside("{"):
            self._line(f"{kind} *{p} = {first.name}, *{q} = {second.name};")
            if self.random.random() < 0.5:
                self._line(f"if ({self._condition(1)}) {p} = {q};")
            self.arrays += [Array(name, first.type, mask, constant) for name in (p, q)]
            with self._inside(f"for (int {i} = 0; {i} < 3; {i}++) {{"), self._turns(3):
                self._store()
                self._block()
                self._line(f"{kind} *{t} = {p}; {p} = {q}; {q} = {t};")
        self.arrays = kept

    def _if(self) -> None:
        with self._inside(f"if ({self._condition(2)}) {{"):
            self._block()
        if self.random.random() < 0.5:
            self.body[-1] += " else {"
            self.indent += 1
            self._block()
            self.indent -= 1
            self._line("}")

    def _switch(self) -> None:
        mask = self.random.choice((3, 7))
        self._line(f"switch ({self._expression(2, 32)} & {mask}) {{")
        for case in self.random.sample(range(mask + 1), self.random.randint(1, mask)):
            self._line(f"case {case}:")
            self._case()
        if self.random.random() < 0.6:
            self._line("default:")
            self._case()
        self._line("}")

    def _case(self) -> None:
        self.indent += 1
        self._assign()
        if self.random.random() < 0.3:
            self._statement()
        if self.random.random() < 0.8:
            self._line("break;")
        else:
            self._line(";")
        self.indent -= 1

    def _jump(self) -> None:
        """A condition that leaves the loop, the turn or the function."""
        words = list(self.loops[-1:]) and ["break;", "continue;"]
        if not words or self.random.random() < 0.2:
            words = [f"return {self._as(self.returns)};" if self.returns else "return;"]
        self._line(f"if ({self._condition(2)})")
        self._line(f"    {self.random.choice(words)}")

    def _call_alone(self) -> None:
        """A call, where nothing else happens at the same time."""
        name, _ = self.random.choice(self.scalars)
        call = self._called(self.functions, 1, 32)
        if call:
            self._line(f"{name} = {call};")

    # -- loops ----------------------------------------------------------------------------------

    @contextmanager
    def _turns(self, turns: int) -> Iterator[None]:
        self.cost *= max(turns, 1)
        self.loops.append("loop")
        yield
        self.loops.pop()
        self.cost //= max(turns, 1)

    def _for_constant(self) -> None:
        kind, name = self.random.choice(TYPES), self._name("i")
        turns = self.random.choice((0, 1, 2, 3, 5, 8, 20))
        header = self._counter(kind, name, turns)
        with self._turns(turns), self._inside(f"for ({header}) {{"):
            self.locked.append((name, kind))
            self._block()

    def _counter(self, kind: Type, i: str, turns: int) -> str:
        step, start = self.random.choice((1, 1, 2, 3, 4)), self.random.randint(0, 5)
        slack = self.random.randint(0, step - 1) if turns else 0
        by = f"{i} += {step}" if step > 1 else f"{i}++"
        stop = start + step * turns
        forms = [
            f"{kind} {i} = {start}; {i} < {stop - slack}; {by}",
            f"{kind} {i} = {start}; {i} != {stop}; {by}",
        ]
        down = f"{i} -= {step}" if step > 1 else f"--{i}"
        forms += [
            f"{kind} {i} = {stop}; {i} > {start + slack}; {down}",
            f"{kind} {i} = {stop}; {i} != {start}; {down}",
        ]
        if turns:
            forms.append(f"{kind} {i} = {start}; {i} <= {stop - 1 - slack}; {by}")
        if kind.signed and turns:
            forms.append(f"{kind} {i} = {step * (turns - 1)}; {i} >= 0; {down}")
        return self.random.choice(forms)

    def _for_variable(self) -> None:
        kind, name, limit = self.random.choice(TYPES), self._name("i"), self._name("limit")
        self._line(f"const {kind} {limit} = {self._expression(2, 32)} & 7;")
        self.locked.append((limit, kind))
        step = self.random.choice((1, 1, 2, 4))
        forms = [
            f"{kind} {name} = 0; {name} < {limit}; {name} += {step}",
            f"{kind} {name} = 0; {name} <= {limit}; {name} += {step}",
            f"{kind} {name} = 0; {name} != {limit}; {name}++",
            f"{kind} {name} = {limit}; {name} > 0; {name}--",
            f"{kind} {name} = {limit}; {name} != 0; {name}--",
        ]
        with self._turns(8), self._inside(f"for ({self.random.choice(forms)}) {{"):
            self.locked.append((name, kind))
            self._block()
        self.locked.pop()  # its block may be left

    def _while(self) -> None:
        kind = self.random.choice([t for t in TYPES if not t.signed])
        name, shift = self._name("left"), self.random.choice((1, 2, 3))
        self._line(f"{kind} {name} = {self._as(kind)};")
        with self._turns(kind.bits // shift):
            if self.random.random() < 0.7:
                with self._inside(f"while ({name}) {{"):
                    self._line(f"{name} >>= {shift};")
                    self.locked.append((name, kind))
                    self._block()
            else:
                with self._inside("do {", f"}} while ({name});"):
                    self._line(f"{name} >>= {shift};")
                    self.locked.append((name, kind))
                    self._block()

    def _for_stream(self) -> None:
        """A walk over arrays of n elements, in order."""
        name = self._name("i")
        n = dict(self.locked)["n"]
        kind = self.random.choice([t for t in TYPES if t.bits >= 16 or t == n])
        up = f"{kind} {name} = 0; {name} < n; {name}++"
        header = self.random.choice(
            (up, up, up.replace("<", "!="), f"{kind} {name} = n; {name}-- > 0;")
        )
        used = self.random.sample(self.streams, self.random.randint(1, len(self.streams)))
        with self._turns(max(SIZES)), self._inside(f"for ({header}) {{"):
            self.locked.append((name, kind))
            here = [(place, s) for s in used for place in self._record(s, name)]
            first = len(self.locked)
            self.locked += [
                (text, s.type) for text, s in here if s.constant or self.random.random() < 0.5
            ]
            self._block()
            for text, stream in here:
                if not stream.constant:
                    self._line(f"{text} = {self._as(stream.type)};")
            del self.locked[first:]

    def _record(self, stream: Array, counter: str) -> list[str]:
        if not stream.mask:
            return [f"{stream.name}[{counter}]"]
        size = stream.mask + 1
        return [f"{stream.name}[{size} * {counter} + {k}]" for k in range(size)]
