# SPDX-License-Identifier: Apache-2.0
"""Random C with blocks from the heap: several at a time, of sizes that are known, bounded or not,
grown, swapped, given back in any order, in branches, where a function leaves early, or never;
lists, trees, queues, tables of rows; blocks that static functions are given and make, and one that
the function itself may return.

Every element is written before it is read, no number with a sign overflows, and no block is used
that was given back. With -DRECORD the program tells on stderr how many bytes each call asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from random_blocks import ITEM, MANY, Block, without
from random_structures import HEAD, Structures

POOL, OUT = 300, 32
"""Elements of the program's own array, and of the one that a function may write."""
KINDS = ("uint8_t", "int8_t", "uint16_t", "int16_t", "uint32_t", "int32_t", "uint64_t", "int64_t")
ELEMENT_BYTES = 12
"""Those of the largest element."""
LARGE = 65_536
"""Bytes that blocks have where nothing else is said."""

BEGIN, END = (
    "#ifdef RECORD\n    taken = 0;\n#endif\n",
    '#ifdef RECORD\n    fprintf(stderr, "%lu\\n", taken);\n#endif\n',
)
NUMBER_CALL = f"""
static void call(const T *in, int n, uint32_t x)
{{{{
{BEGIN}
    uint64_t hash = top({{given}});
{END}
    for (int i = 0; i < {OUT}; i++)
        hash = hash * 31 + (uint64_t)out[i];
    printf("%llx\\n", (unsigned long long)hash);
}}}}
"""
BLOCK_CALL = f"""
static T *kept = pool;
static int count = {POOL};
static void call(const T *in, int n, uint32_t x)
{{{{
{BEGIN}
    int used = 0;
    T *made = top({{given}});
{END}
    int size = {{size}};
    uint64_t hash = 5;
    for (int i = 0; made && i < size; i++)
        hash = hash * 31 + (uint64_t)made[i];
    for (int i = 0; i < {OUT}; i++)
        hash = hash * 31 + (uint64_t)out[i];
    printf("%d %llx\\n", made != NULL, (unsigned long long)hash);
    if (made && kept != pool)
        free(kept);
    if (made) {{{{
        kept = made;
        count = size;
    }}}}
}}}}
"""
MAIN = f"""
int main(void)
{{{{
    uint32_t seed = {{seed}}u;
    for (int i = 0; i < {POOL}; i++) {{{{
        seed = seed * 1664525u + 1013904223u;
        pool[i] = (T)(seed >> 13);
    }}}}
{{calls}}
    return 0;
}}}}
"""


@dataclass
class Heap:
    """A program whose function is called `top`. `is_whole`: it returns a block, or a call may ask
    for more than there is; `room_bytes`: what there is for blocks."""

    text: str
    is_whole: bool
    room_bytes: int


def generate(seed: int) -> Heap:
    """The random program of a seed."""
    return Generator(Random(seed)).program(seed)


class Generator(Structures):
    """Writes a program."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.declared: list[str] = []
        """Lines at the beginning, for what is given back at the end."""
        self.budget = random.randint(3, 12)
        self.returns_block = random.random() < 0.35
        self.has_out = random.random() < 0.3
        self.has_end = random.random() < 0.3
        """Whether all ends are one, behind a label."""
        self.size = random.choice(("n + 1", "2 * n + 3", "5", "n + (int)(x & 7) + 1"))
        """Elements of the block that is returned."""
        self.tells_used = self.returns_block and random.random() < 0.4
        self.room_bytes = random.choice((0, 0, 0, LARGE, 96, 256, 700, 3000))

    def program(self, seed: int) -> Heap:
        """The program; `seed` is that of its data."""
        random = self.random
        has_room = self.room_bytes in (0, LARGE)
        body = self._body()
        kinds = random.choice(KINDS), random.choice(KINDS)
        call = BLOCK_CALL if self.returns_block else NUMBER_CALL
        size = "used" if self.tells_used else self.size
        parts = [
            HEAD.format(kinds=kinds, begin=random.choice((1, 2, 4))),
            f"#pragma tandem heap({self.room_bytes})\n" if self.room_bytes else "",
            body,
            f"static T pool[{POOL}];\nstatic V out[{OUT}];\n",
            call.format(given=", ".join(self._given(("in", "n", "x"), "out", "&used")), size=size),
            MAIN.format(seed=seed, calls="\n".join(self._calls(has_room))),
        ]
        return Heap("".join(parts), self.returns_block or not has_room, self.room_bytes or LARGE)

    def _given(self, always: Iterable[str], out: str, used: str) -> list[str]:
        """What a call is given, or the parameters."""
        return [*always, *([out] if self.has_out else []), *([used] if self.tells_used else [])]

    def _calls(self, has_room: bool) -> Iterator[str]:
        random = self.random
        for number in range(5):
            n = random.choice((0, 1, 2, 5, MANY - 1, *(() if has_room else (25, 40))))
            x = random.choice((0, 1, random.getrandbits(32)))
            if self.returns_block and number and random.random() < 0.7:
                yield f"    call(kept, count < {n} ? count : {n}, {x}u);"
            else:
                yield f"    call(pool + {random.randrange(200)}, {n}, {x}u);"

    def _body(self) -> str:
        """The function."""
        random = self.random
        given = self._given(("const T *in", "int n", "uint32_t x"), "V *out", "int *used")
        if random.random() < 0.3:
            self.line("if (n <= 0)")
            self.line("    return NULL;" if self.returns_block else "    return x;")
        when = random.randrange(self.budget) if self.returns_block else -1
        while self.budget > 0:
            if when >= 0 and self.budget <= when + 1:
                when = -1
                self._result()
            self._statement()
        if when >= 0:
            self._result()
        self._end()
        kind = "T *" if self.returns_block else "uint32_t "
        start = ["    uint32_t h = x ^ 9;", *self.declared]
        body = "\n".join([*start, *self.lines])
        return f"{kind}top({', '.join(given)})\n{{\n{body}\n}}\n"

    def _end(self) -> None:
        """The function's last lines: all blocks are given back, but for some."""
        if self.returns_block:
            self.write(next(block for block in self.blocks if block.is_result), "0")
            self._tell_used(self.random.choice(("size", "1")))
        if self.has_end:
            self.line("made = r;" if self.returns_block else "h ^= 5;")
            self.lines.append("out:")
        self.given_back([b for b in self.blocks if not b.is_result], 0.85)
        if self.has_end and self.returns_block:
            self.declared.append("    T *made = NULL;")
            self.line("if (!made)\n        free(r);")
        answer = "made" if self.has_end else "r"
        self.line(f"return {answer if self.returns_block else 'h'};")

    # -- statements -------------------------------------------------------------------------------

    def _statement(self) -> None:
        self.budget -= 1
        kinds = [self._new] * 5 + [self._use] * 5 + [self._leave] + [self._branch] * 2
        kinds += self.random.sample(self.structures(), 2)
        kinds += [self._renew, self._release, self._swap, self._either, self._copy, self._grow] * 2
        kinds += [self._listed] * (4 if self.lists else 1)
        kinds += [self._over] * 2 if self.loops < 2 else []
        self.random.choice(kinds)()

    def _statements(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            self._statement()

    def _some(self, *, may_be_result: bool = False) -> Block | None:
        """A block that is not null."""
        of = [b for b in self.blocks if not b.is_null and (may_be_result or not b.is_result)]
        return self.random.choice(of) if of else None

    def _pair(self, *, may_be_result: bool = False) -> tuple[Block, Block] | None:
        """Two blocks of elements of the same kind."""
        one = self._some(may_be_result=may_be_result)
        of = [b for b in self.blocks if one and b.kind == one.kind and b is not one]
        of = [b for b in of if not b.is_null and (may_be_result or not b.is_result)]
        return (one, self.random.choice(of)) if one and of else None

    def _is_at_end(self) -> bool:
        """Whether what is declared here is given back behind the label at the end."""
        return self.has_end and self.indent == 1

    def _declare(self, kind: str, name: str) -> str:
        """What is before the name where it is first set."""
        if self._is_at_end():
            self.declared.append(f"    {kind}{name} = 0;")
            return name
        return kind + name

    def _filled(self, block: Block, first: str = "0") -> None:
        """Writes every element from one on."""
        name = self.name("i")
        self.line(f"for (int {name} = {first}; {name} < {block.count}; {name}++)")
        value = f"({self.term()} + {name})"
        if block.kind == ITEM:
            value = f"{{(uint8_t){value}, {name}, {{(uint16_t){name}, 3}}}}"
        self.line(f"    {block.name}[{name}] = ({block.kind}){value};")

    def _asked(self, block: Block, declared: str) -> None:
        """A block of its count's size, filled."""
        random, name, count = self.random, block.name, block.count
        size = random.choice((f"{count} * sizeof *{name}", f"sizeof(*{name}) * {count}"))
        form = random.randrange(6)
        made_by = {"V": "filled", "T": "fresh"}.get(block.kind)
        if form == 0 and made_by:
            self.line(f"{declared} = {made_by}({count}, {self.term()});")
        elif form == 1:
            self.line(f"{declared} = calloc({count}, sizeof *{name});")
        elif form == 2 and not block.is_result:
            self.line(f"{declared} = realloc(NULL, {size});")
            self._filled(block)
        else:
            self.line(f"{declared} = malloc({size});")
            if random.random() < 0.3:
                with self.inside(f"if (!{name}) {{"):
                    self._go([])
            if random.random() < 0.2:
                self.line(f"memset({name}, {random.randrange(256)}, {size});")
            else:
                self._filled(block)

    def _new(self) -> None:
        random = self.random
        count, most = self.count()
        if not self.takes(most * ELEMENT_BYTES):
            return self._use()
        kind = random.choice(("T", "T", "V", "V", ITEM))
        block = Block(self.name("p"), kind, count, self.loop)
        if not count.isdigit():
            block.count = self.name("c")
            self.line(f"{self._declare('int ', block.count)} = {count};")
        declared = self._declare(f"{kind} *", block.name)
        if random.random() < 0.15 and not self._is_at_end():
            block.is_null = True
            self.line(f"{declared} = NULL;")
        else:
            self._asked(block, declared)
        self.blocks.append(block)
        return None

    def _result(self) -> None:
        """The block that is returned."""
        block = Block("r", "T", "size", 0, is_result=True)
        self.line(f"{self._declare('int ', 'size')} = {self.size};")
        self._asked(block, self._declare("T *", "r"))
        self.blocks.append(block)

    def _use(self) -> None:
        random = self.random
        block = random.choice(self.blocks) if self.blocks else None
        if block is None or random.random() < 0.2:
            out = f"out[at({self.term()}, {OUT})] = (V)({self.term()});"
            self.line(out if self.has_out else f"h = h * 7 + {self.term()};")
        elif block.is_null:
            with self.inside(f"if ({block.name}) {{"):
                self.line(f"h += {self.read(block, f'at({self.term()}, {block.count})')};")
                self.write(block, f"at({self.term()}, {block.count})")
        else:
            self._used(block)

    def _used(self, block: Block) -> None:
        random, name = self.random, self.name("i")
        form = random.randrange(5)
        if form == 0 and block.kind == "V":
            self.line(f"h ^= sum({block.name}, {block.count});")
        elif form == 1:
            self.line(f"for (int {name} = 0; {name} < {block.count}; {name}++)")
            self.line(f"    h = h * 5 + {self.read(block, name)};")
        elif form == 2 and block.kind != ITEM and random.random() < 0.5:
            end = f"const {block.kind} *{name} = {block.name} + {block.count}"
            self.line(f"for ({end}; {name}-- > {block.name};)")
            self.line(f"    h = h * 3 + (uint32_t)*{name};")
        elif form == 2 and block.kind != ITEM:
            self.line(f"for (int {name} = 1; {name} < {block.count}; {name}++)")
            before = f"(uint32_t){block.name}[{name} - 1]"
            self.line(f"    {block.name}[{name}] = ({block.kind})({before} * 3 + {self.term()});")
        else:
            self.write(block, f"at({self.term()}, {block.count})")
            self.line(f"h = h * 3 + {self.read(block, f'at({self.term()}, {block.count})')};")

    def _go(self, released: list[Block]) -> None:
        """Leaves the function."""
        if self.has_end:
            self.line("goto out;")
            return
        self.given_back(released, 0.8)
        answer = "NULL" if self.returns_block else "h"
        result = any(block.is_result for block in self.blocks)
        if result and self.random.random() < 0.4:
            self._tell_used("1")
            answer = "r"
        elif result and self.random.random() < 0.8:
            self.line("free(r);")
        self.line(f"return {answer};")

    def _tell_used(self, count: str) -> None:
        if self.tells_used:
            self.line(f"*used = {count};")

    def _leave(self) -> None:
        """An early end."""
        condition = self.condition()
        with self.inside(f"if ({condition} && {self.term()} > 9u) {{"):
            inner = [b for b in self.blocks if not b.is_result]
            self._go(inner)

    def _branch(self) -> None:
        with self.inside(f"if ({self.condition()}) {{"):
            self._statements()
        if self.random.random() < 0.4:
            with self.inside("else {"):
                self._statements()

    def _over(self) -> None:
        end, turns = self.random.choice((("n", MANY), ("3", 3), ("(int)(x & 3)", 3)))
        with self.looping(self.name("i"), end, turns):
            self._statements()
            if self.random.random() < 0.3:
                self.line(f"if ({self.condition()})")
                self.line(f"    {self.random.choice(('break', 'continue'))};")

    def _renew(self) -> None:
        """Another block in place of one."""
        of = [b for b in self.blocks if not b.is_result and b.count.startswith("c")]
        if not of:
            return self._new()
        block = self.random.choice(of)
        with without(self, block):
            count, most = self.count(fixed=False)
            if not self.takes(most * ELEMENT_BYTES):
                return self._use()
            self.line(f"free({block.name});")
            if self.has_end:
                self.line(f"{block.name} = NULL;")
            self.line(f"{block.count} = {count};")
            self._asked(block, block.name)
        return None

    def _grow(self) -> None:
        """A block that becomes longer, or shorter."""
        block = self._some()
        if block is None or not block.count.startswith("c"):
            return self._new()
        random, name, count = self.random, block.name, block.count
        more, most = random.choice((("3", 3), ("(int)(h & 7)", 7), (count, 24), ("n", MANY)))
        if self.loops and more == count:
            more, most = "1", 1
        if not self.takes((24 + most * self.turns) * ELEMENT_BYTES):
            return self._use()
        old = self.name("k")
        form = random.randrange(3)
        if form == 0 and block.kind == "T":
            self.line(f"int {old} = n > 2 ? 2 : 1;")
            self.line(f"{name} = longer({name}, {count}, {old});")
            self.line(f"{count} += {old};")
        elif form == 1:
            self.line(f"{count} = {count} > 2 ? {count} - 1 : {count};")
            self.line(f"{name} = realloc({name}, {count} * sizeof *{name});")
        else:
            self.line(f"int {old} = {count};")
            self.line(f"{count} += {more};")
            more = self.name("m")
            self.line(f"{block.kind} *{more} = realloc({name}, {count} * sizeof *{more});")
            self.line(f"if ({more})")
            self.line(f"    {name} = {more};")
            with without(self, block):
                self._filled(block, old)
        return None

    def _release(self) -> None:
        """Gives one back: in a branch, or for good."""
        block = self._some()
        if block is None:
            return self._new()
        if block.loop == self.loop:
            with self.inside(f"if ({self.condition()}) {{"):
                self.line(f"free({block.name});")
                self.line(f"{block.name} = NULL;")
            block.is_null = True
        return None

    def _swap(self) -> None:
        pair = self._pair()
        if pair is None:
            return self._new()
        one, other = pair
        if not (one.count.startswith("c") and other.count.startswith("c")):
            return self._use()
        for kind, a, b in (
            (f"{one.kind} *", one.name, other.name),
            ("int ", one.count, other.count),
        ):
            name = self.name("t")
            self.line(f"{kind}{name} = {a};\n{'    ' * self.indent}{a} = {b};")
            self.line(f"{b} = {name};")
        return None

    def _either(self) -> None:
        """One of two, and a place in it."""
        pair = self._pair(may_be_result=True)
        if pair is None:
            return self._use()
        one, other = pair
        name, taken = self.name("e"), self.name("b")
        self.line(f"int {taken} = {self.condition()} != 0;")
        self.line(f"{one.kind} *{name} = {taken} ? {one.name} : {other.name};")
        place = f"at({self.term()}, {taken} ? {one.count} : {other.count})"
        if self.random.random() < 0.5:
            self.line(f"{name} += {place};")
            place = "0"
        self.write(Block(name, one.kind, "1", 0), place)
        self.line(f"h += {self.read(Block(name, one.kind, '1', 0), place)};")
        return None

    def _copy(self) -> None:
        pair = self._pair(may_be_result=True)
        if pair is None:
            return self._use()
        one, other = pair
        a, b = one.count, other.count
        size = f"({a} < {b} ? {a} : {b}) * sizeof *{one.name}"
        function = self.random.choice(("memcpy", "memmove"))
        if one.kind != ITEM:
            self.line(f"h += memcmp({one.name}, {other.name}, {size}) > 0;")
        self.line(f"{function}({one.name}, {other.name}, {size});")
        return None
