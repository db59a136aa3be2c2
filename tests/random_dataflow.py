# SPDX-License-Identifier: Apache-2.0
"""Random loops of calls that run beside each other: each call reads some arrays of earlier ones of
its iteration, its own state and inputs, and writes one array of the iteration, a number for later
calls, or an output."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

MOST_FRAMES = 6
SIZES = (1, 2, 5, 8, 16)
TYPES = ("uint8_t", "int16_t", "uint32_t", "int64_t")
HEAD = "#include <stdint.h>\nstatic const uint16_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};\n"


@dataclass
class Array:
    """`length`: elements of one iteration, 0 for a single number."""

    name: str
    kind: str
    length: int

    @property
    def declared(self) -> str:
        return f"{self.kind} {self.name}" + (f"[{self.length}]" if self.length else "")

    @property
    def given(self) -> str:
        return self.name if self.length else f"&{self.name}"

    def element(self, index: str) -> str:
        """As an unsigned number, wherever the index is."""
        return f"(uint32_t){self.name}[({index}) % {self.length or 1}u]"


@dataclass
class Loop:
    """C of a function `top(..., frames)`, and the bytes of what it is called with."""

    text: str
    inputs: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, int] = field(default_factory=dict)

    def values(self, random: Random, frames: int) -> dict[str, int | bytes]:
        found: dict[str, int | bytes] = {"frames": frames}
        found |= {name: random.randbytes(size) for name, size in self.inputs.items()}
        return found | {name: bytes(size) for name, size in self.outputs.items()}


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.arrays: list[Array] = []
        self.functions: list[str] = []
        self.calls: list[str] = []
        self.inputs: dict[str, int] = {}
        self.outputs: dict[str, int] = {}
        self.kinds: dict[str, str] = {}
        """The types of the outputs' elements."""

    def value(self, read: list[Array], source: str) -> str:
        """What an element `i` is made of."""
        random = self.random
        terms = [f"i * {random.randrange(1, 99)}u"]
        for array in read:
            index = random.choice(["i", f"{array.length or 1}u - 1 - i % {array.length or 1}u"])
            if array.length == 0:
                index = "0u"
            terms.append(f"{array.element(index)} * {random.randrange(1, 9)}u")
        if source:
            terms.append(f"{source}[n * 16 + i % 16]")
        joined = terms[0]
        for term in terms[1:]:
            joined = f"({joined} {random.choice('+-^')} {term})"
        return random.choice([joined, f"(table[{joined} & 15] + {joined})", f"({joined} >> 2)"])

    def body(self, written: Array, index: str, read: list[Array], source: str, state: str) -> str:
        """The C of a call that writes `written`, each element once or more often."""
        random, count = self.random, written.length or 1
        place = f"{written.name}[{index}i]" if written.length or index else f"*{written.name}"
        value = self.value(read, source)
        lines = []
        if state:
            value = f"({value} + {state}[i & 3])"
        loop = f"    for (uint32_t i = 0; i < {count}; i++)"
        form = random.randrange(4)
        if form == 0:
            lines += ["    uint32_t sum = 1;", f"{loop} {{", f"        sum = sum * 5 + {value};"]
            lines += [f"        {place} = ({written.kind})(sum >> 3);", "    }"]
        elif form == 1 and not index:
            first = written.name if written.length else f"(&*{written.name})"
            lines += [f"{loop}\n        {place} = 0;", "    for (uint32_t i = 0; i < 20; i++)"]
            lines.append(f"        {first}[{value} % {count}u] += ({written.kind})(i + 1);")
        elif form == 2:
            lines += [f"{loop} {{", f"        uint32_t v = {value};"]
            lines.append(f"        {place} = ({written.kind})(v % 3 == 1 ? v / 7 : v);\n    }}")
        else:
            lines.append(f"{loop}\n        {place} = ({written.kind}){value};")
        if state:
            lines.append(f"    {state}[{random.randrange(4)}] += n + {random.randrange(1, 9)};")
        return "\n".join(lines)

    def call(self, is_last: bool) -> None:
        """A call of its own function, which reads what it wants and writes one thing."""
        random, number = self.random, len(self.functions)
        most = min(3, len(self.arrays))
        read = random.sample(self.arrays, random.randint(min(1, most), most))
        is_output = is_last or random.random() < 0.2
        parameters = [f"const {a.kind} *{a.name}" for a in read]
        given = [a.given for a in read]
        source = state = ""
        if random.random() < 0.3 or not read:
            source = f"in{len(self.inputs)}"
            self.inputs[source] = 4 * 16 * MOST_FRAMES
            parameters.append(f"const uint32_t *{source}")
            given.append(source)
        if random.random() < 0.3:
            state = f"state{number}"
            self.outputs[state], self.kinds[state] = 16, "uint32_t"
            parameters.append(f"uint32_t *{state}")
            given.append(state)
        if is_output:
            name = f"out{len(self.outputs)}"
            written = Array(name, random.choice(TYPES), random.choice(SIZES))
            self.outputs[name] = 8 * written.length * MOST_FRAMES
        else:
            written = Array(f"a{number}", random.choice(TYPES), random.choice((0, *SIZES)))
        index = f"n * {written.length} + " if is_output else ""
        parameters += ["uint32_t n", f"{written.kind} *{written.name}"]
        given += ["n", written.name if is_output else written.given]
        body = self.body(written, index, read, source, state)
        self.functions.append(f"static void f{number}({', '.join(parameters)})\n{{\n{body}\n}}\n")
        self.calls.append(f"        f{number}({', '.join(given)});\n")
        if is_output:
            self.kinds[written.name] = written.kind
        else:
            self.arrays.append(written)


def generate(seed: int) -> Loop:
    """The loop of a seed."""
    random = Random(seed)
    maker = _Maker(random)
    count = random.randint(2, 6)
    for i in range(count):
        maker.call(i == count - 1)
    declared = [f"        {array.declared};\n" for array in maker.arrays]
    head = random.choice(
        [
            "for (uint32_t n = 0; n < frames; n++) {\n",
            "for (uint32_t m = frames; m > 0; m--) {\n        uint32_t n = m - 1;\n",
            "for (uint32_t m = 0; m < 2 * frames; m += 2) {\n        uint32_t n = m / 2;\n",
        ]
    )
    parameters = [f"const uint32_t *{name}" for name in maker.inputs]
    parameters += [f"{maker.kinds[name]} *{name}" for name in maker.outputs]
    text = "".join([HEAD, *maker.functions])
    text += f"void top({', '.join([*parameters, 'uint32_t frames'])})\n{{\n"
    text += "#pragma tandem dataflow\n    " + head + "".join([*declared, *maker.calls])
    return Loop(text + "    }\n}\n", maker.inputs, maker.outputs)
