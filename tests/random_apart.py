# SPDX-License-Identifier: Apache-2.0
"""Random kernels of functions that are kept apart, which are handed local arrays of the kernel: by
some of these calls an array is filled, by others it is read and changed, and what one call leaves
in it the next one finds, whether or not the kernel itself ever looks into it."""

from __future__ import annotations

from random import Random

ARRAYS = "abcd"
HEAD = "#include <stdint.h>\n#define APART static __attribute__((noinline))\n"


def generate(seed: int) -> tuple[str, int, int]:
    """The random program of a seed, whose kernel is called `top`, and how many bytes it has in
    `out` and in `x`."""
    made = _Generator(Random(seed))
    if made.random.random() < 0.5:
        return made.program(), 4 * len(made.arrays), 8
    return made.chain(), 4 * made.size, 4 * made.size


class _Generator:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.size = random.choice((1, 2, 2, 3, 4, 5))
        self.arrays = ARRAYS[: random.randint(2, 4)]
        self.loops = random.random() < 0.5

    def program(self) -> str:
        random = self.random
        kinds = [self._change() for _ in range(random.randint(1, 3))]
        functions = [self._fill(), *(f"{self._head(i)}{body}" for i, body in enumerate(kinds))]
        fills = [f"    fill({array}, x[{i & 1}] + {i});" for i, array in enumerate(self.arrays)]
        calls = [self._call(len(kinds)) for _ in range(random.randint(2, 7))]
        ends = [f"    out[{i}] = last({array});" for i, array in enumerate(self.arrays)]
        lines = [*fills, *calls, *ends]
        return self._kernel([*functions, self._last()], 4 * len(self.arrays), 8, lines)

    def chain(self) -> str:
        """All arrays are reached by one function alone: each is what a call has made of others."""
        random, size = self.random, self.size
        values = [self._element(i) for i in range(size)]
        first = [f"    const uint32_t r{i} = {value};" for i, value in enumerate(values)]
        stores = [f"    p[{i}] = r{i};" for i in range(size)]
        if random.random() < 0.3:
            stores[-1] = f"    if (q[0] & 1)\n        p[{size - 1}] = 5;\n    else\n{stores[-1]}"
        filled, calls = [self.arrays[0]], [f"    f({self.arrays[0]}, x, x);"]
        for _ in range(random.randint(1, 6)):
            to = random.choice(self.arrays)
            calls.append(f"    f({to}, {random.choice(filled)}, {random.choice([*filled, 'x'])});")
            filled.append(to)
        calls.append(f"    f(out, {random.choice(filled)}, {random.choice(filled)});")
        head = "APART void f(uint32_t *p, const uint32_t *q, const uint32_t *r)"
        return self._kernel([head, "{", *first, *stores, "}"], 4 * size, 4 * size, calls)

    def _kernel(self, functions: list[str], out: int, given: int, lines: list[str]) -> str:
        """The program: functions, and a kernel of so many bytes that has arrays of its own."""
        local = ", ".join(f"{array}[{self.size}]" for array in self.arrays)
        return "\n".join(
            [
                HEAD,
                *functions,
                f"#pragma tandem extent(x, {given})",
                f"#pragma tandem extent(out, {out})",
                "void top(uint32_t *out, const uint32_t *x)",
                "{",
                f"    uint32_t {local};",
                *lines,
                "}",
            ]
        )

    def _element(self, number: int) -> str:
        one, other = (self.random.randrange(self.size) for _ in range(2))
        return f"q[{one}] {self.random.choice('*+^')} (r[{other}] + {number + 1})"

    def _fill(self) -> str:
        rows = [f"    p[{i}] = s * {2 * i + 3};" for i in range(self.size)]
        if self.loops:
            rows = [f"    for (int i = 0; i < {self.size}; i++)\n        p[i] = s * (2 * i + 3);"]
        return "\n".join(["APART void fill(uint32_t *p, uint32_t s)", "{", *rows, "}"])

    def _last(self) -> str:
        terms = " ^ ".join(f"p[{i}] << {i}" for i in range(self.size))
        apart = self.random.choice(("APART", "static inline"))
        return f"{apart} uint32_t last(const uint32_t *p)\n{{\n    return {terms};\n}}"

    def _head(self, number: int) -> str:
        return f"APART void f{number}(uint32_t *p, const uint32_t *q, uint32_t s)\n"

    def _change(self) -> str:
        rows = "\n".join(self._statement() for _ in range(self.random.randint(1, 4)))
        return f"{{\n{rows}\n}}"

    def _statement(self) -> str:
        random = self.random
        place, other, third = (self._place() for _ in range(3))
        store = f"p[{place}] {random.choice(('=', '=', '+=', '^='))}"
        value = random.choice((f"q[{other}] + s", f"q[{other}] * p[{third}]", f"p[{other}] >> 3"))
        guard = random.choice(("", "", f"if (q[{third}] & {random.choice((1, 2, 3))})\n        "))
        if self.loops and random.random() < 0.4:
            loop = f"for (int i = 0; i < {self.size}; i++)\n        "
            return f"    {loop}{store.replace(f'[{place}]', '[i]')} q[i] + s;"
        return f"    {guard}{store} {value};"

    def _place(self) -> str:
        if self.random.random() < 0.25:
            return f"s % {self.size}"
        return str(self.random.randrange(self.size))

    def _call(self, functions: int) -> str:
        random = self.random
        one, other = (random.choice(self.arrays) for _ in range(2))
        called = f"f{random.randrange(functions)}"
        if random.random() < 0.15:
            return f"    {one}[{random.randrange(self.size)}] += {other}[0];"
        call = f"{called}({one}, {other}, x[{random.randrange(2)}] >> {random.randrange(8)});"
        turns = f"for (int j = 0; j < {random.randint(2, 3)}; j++)\n        "
        return f"    {turns if random.random() < 0.2 else ''}{call}"
