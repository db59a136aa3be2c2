# SPDX-License-Identifier: Apache-2.0
"""Random C with pointers in memory: nodes that lead to each other, tables of pointers into them and
into arrays, pointers to functions, and null, which many of them are until something else is
stored."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

DATA_BYTES = 64
NODES, ROOTS, PLACES, STEPS = 6, 4, 3, 3
"""How many nodes there are, pointers to nodes, pointers to numbers and pointers to functions."""
HEAD = f"""
#include <stdint.h>
#include <string.h>
struct node {{
    uint32_t value;
    struct node *next, *other;
    uint8_t weight;
    uint32_t *place;
}};
typedef uint32_t (*step)(uint32_t);
static uint32_t twice(uint32_t x) {{ return 2 * x + 1; }}
static uint32_t turned(uint32_t x) {{ return x >> 7 | x << 25; }}
static uint32_t less(uint32_t x) {{ return x - 77; }}
static uint32_t walk(const struct node *from, unsigned most)
{{
    uint32_t sum = 0;
    for (const struct node *at = from; at && most; at = at->next, most--)
        sum = sum * 31 + at->value + at->weight;
    return sum;
}}
static void swap(struct node **a, struct node **b)
{{
    struct node *kept = *a;
    *a = *b;
    *b = kept;
}}
uint32_t top(const uint8_t data[{DATA_BYTES}])
{{
    struct node pool[{NODES}];
    struct node *roots[{ROOTS}];
    uint32_t low[5] = {{3, 1, 4, 1, 5}}, high[3] = {{9, 2, 6}};
    uint32_t *places[{PLACES}];
    step steps[{STEPS}];
    uint32_t sum = data[0];
    memset(pool, 0, sizeof pool);
    memset(roots, 0, sizeof roots);
    memset(places, 0, sizeof places);
    memset(steps, 0, sizeof steps);
    steps[data[1] % {STEPS}] = less;
"""


@dataclass
class _Maker:
    random: Random
    depth: int = 0

    def number(self, limit: int) -> str:
        """An index below a limit: known, or from the data."""
        random = self.random
        if random.random() < 0.4:
            return str(random.randrange(limit))
        place = random.choice(["i", f"{random.randrange(DATA_BYTES)}", "sum"])
        shift = random.choice(["", " >> 2", " >> 4"])
        return f"(data[({place}) % {DATA_BYTES}]{shift}) % {limit}"

    def node(self) -> str:
        """A pointer to a node that is not null."""
        return f"(pool + {self.number(NODES)})"

    def link(self) -> str:
        """Where a pointer to a node is kept."""
        kind = self.random.randrange(3)
        if kind == 0:
            return f"roots[{self.number(ROOTS)}]"
        return f"{self.node()}->{self.random.choice(['next', 'other'])}"

    def maybe_node(self) -> str:
        """A pointer to a node, or null."""
        random = self.random
        return random.choice(
            [
                self.node(),
                self.node(),
                self.link(),
                "NULL",
                f"(sum & 1 ? {self.link()} : {self.link()})",
                f"({self.link()} ? {self.node()} : {self.link()})",
            ]
        )

    def place(self) -> str:
        """Where a pointer to a number is kept."""
        if self.random.random() < 0.5:
            return f"places[{self.number(PLACES)}]"
        return f"{self.node()}->place"

    def maybe_place(self) -> str:
        random = self.random
        return random.choice(
            [
                f"low + {self.number(5)}",
                f"&high[{self.number(3)}]",
                f"&{self.node()}->value",
                self.place(),
                "NULL",
            ]
        )

    def step(self) -> str:
        return f"steps[{self.number(STEPS)}]"

    def statement(self) -> list[str]:
        random, link = self.random, self.link()
        simple = [
            f"{link} = {self.maybe_node()};",
            f"{link} = {self.maybe_node()};",
            f"{self.place()} = {self.maybe_place()};",
            f"{self.step()} = {random.choice(['twice', 'turned', 'less', 'NULL', self.step()])};",
            f"if ({link}) sum += {link}->value;",
            f"{{ struct node *n = {link}; if (n) n->value += sum; }}",
            f"{{ struct node *n = {link}; if (n && n->next) sum ^= n->next->value + 5; }}",
            f"{{ uint32_t *p = {self.place()}; if (p != NULL) *p += {self.number(9)} + 1; }}",
            f"{{ uint32_t *p = {self.place()}; sum += p ? *p : 13; }}",
            f"{{ step f = {self.step()}; sum = f ? f(sum) : sum + 3; }}",
            f"if ({link} == {self.maybe_node()}) sum += 11;",
            f"if ({self.place()} != {self.maybe_place()}) sum += 17;",
            f"if ({self.step()} == {self.step()}) sum += 19;",
            f"sum += (uint32_t)({self.node()} - pool);",
            f"if ({self.node()} < {self.node()}) sum += 23;",
            f"{{ struct node *n = {link}; if (n) sum += (uint32_t)(n - pool); }}",
            f"sum = walk({self.maybe_node()}, {random.randint(1, 7)}) + sum;",
            f"swap(&{self.link()}, &{self.link()});",
            f"*{self.node()} = *{self.node()};",
            f"{self.node()}->value = sum;",
            f"{self.node()}->weight = (uint8_t)(sum >> {random.randrange(9)});",
            f"memset({self.node()}, 0, sizeof *pool);",
            f"memmove(roots + 1, roots, {random.randint(1, 2)} * sizeof *roots);",
            "memset(places, 0, sizeof places);",
        ]
        if self.depth < 2 and random.random() < 0.25:
            return self.block()
        return [random.choice(simple)]

    def block(self) -> list[str]:
        self.depth += 1
        inside = [line for _ in range(self.random.randint(1, 4)) for line in self.statement()]
        self.depth -= 1
        number = self.random.randint(2, 5)
        head = self.random.choice(
            [
                f"for (unsigned i = {number}; i--;) {{",
                f"if ({self.maybe_node()}) {{",
                f"if (sum & {number}) {{",
                f"for (struct node *n = {self.link()}, *e = pool + {NODES}; n && n < e; n++) {{",
            ]
        )
        return [head, *inside, "}"]


def generate(seed: int) -> str:
    """The C of a seed: `uint32_t top(const uint8_t *data)`."""
    maker = _Maker(Random(seed))
    lines = [line for _ in range(maker.random.randint(6, 16)) for line in maker.statement()]
    ends = [
        f"for (unsigned i = 0; i < {NODES}; i++)",
        "sum = sum * 7 + pool[i].value + walk(pool[i].next, 3) + (pool[i].other == roots[i & 3]);",
        f"for (unsigned i = 0; i < {PLACES}; i++)",
        "sum = sum * 5 + (places[i] ? *places[i] : 2);",
        "return sum + low[1] + high[2];",
    ]
    body = ["unsigned i = 0;", *lines, "(void)i;", *ends]
    return HEAD.lstrip() + "\n".join(f"    {line}" for line in body) + "\n}\n"
