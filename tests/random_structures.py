# SPDX-License-Identifier: Apache-2.0
"""What random functions make of blocks from the heap: lists, trees, tables of rows, arrays that
grow, queues, and the C that these need."""

from __future__ import annotations

from collections.abc import Callable

from random_blocks import MANY, Writer

HEAD = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef {kinds[0]} T;
typedef {kinds[1]} V;
#ifdef RECORD
static unsigned long taken;
static void *noted(void *block, unsigned long bytes)
{{
    taken += (bytes + !bytes + 15) & -16ul;
    return block;
}}
#define malloc(n) noted(malloc(n), n)
#define calloc(n, s) noted(calloc(n, s), (n) * (s))
#define realloc(p, n) noted(realloc(p, n), n)
#endif
struct item {{ uint8_t a; int32_t b; uint16_t c[2]; }};
struct node {{ struct node *next; V value; }};
struct tree {{ V key; struct tree *left, *right; uint16_t times; }};
struct box {{ int count; T *data; }};
struct array {{ V *data; int used, have; }};
struct ring {{ struct ring *before, *behind; V value; }};
struct text {{ uint16_t size; T data[]; }};
static int at(uint32_t place, int count)
{{
    return (int)(place & 31) < count ? (int)(place & 31) : count - 1;
}}
static uint32_t sum(const V *p, int count)
{{
    uint32_t sum = 7;
    for (int i = 0; i < count; i++)
        sum = sum * 3 + (uint32_t)p[i];
    return sum;
}}
static V *filled(int count, uint32_t first)
{{
    V *p = malloc(count * sizeof *p);
    if (p == NULL)
        return NULL;
    for (int i = 0; i < count; i++)
        p[i] = (V)(first + i);
    return p;
}}
static T *fresh(int count, uint32_t first)
{{
    if (count <= 0)
        return NULL;
    T *p = calloc(count, sizeof *p);
    for (int i = 0; i < count; i += 2)
        p[i] = (T)(first ^ i);
    return p;
}}
static T *longer(T *p, int count, int more)
{{
    T *other = realloc(p, sizeof *p * (count + more));
    for (int i = 0; i < more; i++)
        other[count + i] = (T)i;
    return other;
}}
static void drop(void *p)
{{
    if (p)
        free(p);
}}
static int push(struct array *a, V value)
{{
    if (a->used == a->have) {{
        int have = a->have ? 2 * a->have : {begin};
        V *data = realloc(a->data, have * sizeof *data);
        if (!data)
            return 0;
        a->data = data;
        a->have = have;
    }}
    a->data[a->used++] = value;
    return 1;
}}
static struct node *before(struct node *list, V value)
{{
    struct node *first = malloc(sizeof *first);
    first->next = list;
    first->value = value;
    return first;
}}
static void insert(struct tree **root, V key)
{{
    while (*root && (*root)->key != key)
        root = key < (*root)->key ? &(*root)->left : &(*root)->right;
    if (!*root) {{
        *root = calloc(1, sizeof **root);
        (*root)->key = key;
    }}
    (*root)->times++;
}}
#pragma tandem recursion(6)
static struct tree *grown(int depth, uint32_t x)
{{
    if (depth <= 0 || (x & 7) == 1)
        return NULL;
    struct tree *t = malloc(sizeof *t);
    *t = (struct tree){{(V)x, grown(depth - 1, x * 5 + 1), grown(depth - 2, x >> 1), 1}};
    return t;
}}
#pragma tandem recursion(20)
static uint32_t walked(const struct tree *t)
{{
    return t ? walked(t->left) * 3 + (uint32_t)t->key * t->times + walked(t->right) : 1;
}}
#pragma tandem recursion(20)
static void felled(struct tree *t)
{{
    if (!t)
        return;
    felled(t->left);
    felled(t->right);
    free(t);
}}
"""


class Structures(Writer):
    """Statements with structures."""

    def structures(self) -> list[Callable[[], None]]:
        """Those that stand alone."""
        few = [self._list, self._tree, self._rows, self._array, self._queue, self._box]
        return [*few, self._ring, self._table, self._text, self._grid]

    # -- what is made of blocks -------------------------------------------------------------------

    def _list(self) -> None:
        if not self.takes(0):
            return
        name = self.name("l")
        self.line(f"struct node *{name} = NULL;")
        self.lists.append(name)
        self._listed()

    def _listed(self) -> None:
        """Something with a list."""
        if not self.lists:
            return self._list()
        random, name, i = self.random, self.random.choice(self.lists), self.name("i")
        form = random.randrange(7)
        if form in (0, 1) and self.takes(MANY * 16):
            end = random.choice(("n", "3", "(int)(x & 7)"))
            self.line(f"for (int {i} = 0; {i} < {end}; {i}++)")
            self.line(f"    {name} = before({name}, (V)({self.term()} + {i}));")
        elif form == 2 and self.takes(16):
            self.line(f"struct node **{i} = &{name};")
            self.line(f"while (*{i})\n{'    ' * (self.indent + 1)}{i} = &(*{i})->next;")
            self.line(f"*{i} = before(NULL, (V)({self.term()}));")
        elif form == 3:
            with self.inside(f"for (struct node **{i} = &{name}; *{i};) {{"):
                self.line(f"struct node *it = *{i};")
                with self.inside(f"if ((uint32_t)it->value & {random.choice((1, 2, 5))}) {{"):
                    self.line(f"*{i} = it->next;")
                    self.line("free(it);" if random.random() < 0.8 else "h++;")
                self.line(f"else {{ {i} = &it->next; }}")
        elif form == 4:
            self.line(f"struct node *{i} = NULL;")
            with self.inside(f"while ({name}) {{"):
                self.line(f"struct node *next = {name}->next;")
                self.line(f"{name}->next = {i};\n{'    ' * self.indent}{i} = {name};")
                self.line(f"{name} = next;")
            self.line(f"{name} = {i};")
        elif form == 5:
            with self.inside(f"while ({name}) {{"):
                self.line(f"struct node *next = {name}->next;")
                self.line(f"h = h * 3 + (uint32_t){name}->value;")
                self.line(f"free({name});\n{'    ' * self.indent}{name} = next;")
        else:
            self.line(f"for (const struct node *{i} = {name}; {i}; {i} = {i}->next)")
            self.line(f"    h = h * 5 + (uint32_t){i}->value;")
        return None

    def _tree(self) -> None:
        if not self.takes(MANY * 32):
            return
        random, i = self.random, self.name("i")
        with self.inside("{"):
            seeded = f"grown({random.choice((1, 2, 4))}, {self.term()})"
            self.line(f"struct tree *root = {random.choice(('NULL', 'NULL', seeded))};")
            self.line(f"for (int {i} = 0; {i} < n && {i} < {MANY}; {i}++)")
            self.line(f"    insert(&root, (V)({self.term()} + in[{i}]));")
            if random.random() < 0.6:
                self.line("h += walked(root);")
            if random.random() < 0.5:
                with self.inside("while (root) {"):
                    self.line("struct tree **least = &root;")
                    self.line("while ((*least)->left)")
                    self.line("    least = &(*least)->left;")
                    self.line("struct tree *it = *least;")
                    self.line("h = h * 3 + (uint32_t)it->key + it->times;")
                    self.line("*least = it->right;")
                    self.line("free(it);")
            elif random.random() < 0.7:
                self.line("felled(root);")

    def _rows(self) -> None:
        """A table of blocks."""
        random, i = self.random, self.name("i")
        count, turns = random.choice((("n", MANY), ("3", 3), ("n + 1", MANY)))
        size, most = random.choice(((f"{i} + 1", MANY), ("4", 4), ("n + 2", MANY)))
        if not self.takes(turns * most * 8):
            return
        with self.inside("{"):
            self.line(f"V **rows = malloc(sizeof *rows * (size_t)({count}));")
            with self.looping(i, count, 1):
                self.line(f"rows[{i}] = {random.choice(('malloc', 'malloc', 'filled'))};")
                if self.lines[-1].endswith("filled;"):
                    self.lines[-1] = self.lines[-1].replace("filled", f"filled({size}, h + {i})")
                else:
                    self.lines[-1] = self.lines[-1].replace(
                        "malloc", f"malloc(({size}) * sizeof **rows)"
                    )
                    self.line(f"for (int k = 0; k < {size}; k++)")
                    self.line(f"    rows[{i}][k] = (V)(k + {self.term()});")
            if random.random() < 0.4:
                last = f"({count}) - 1"
                self.line(f"V *kept = ({count}) > 0 ? rows[0] : NULL;")
                self.line(f"if (kept)\n{'    ' * (self.indent + 1)}rows[0] = rows[{last}];")
                self.line(f"if (kept)\n{'    ' * (self.indent + 1)}rows[{last}] = kept;")
            order = random.choice((f"{i} = 0; {i} < {count}; {i}++", f"{i} = {count}; {i}-- > 0;"))
            with self.inside(f"for (int {order}) {{"):
                self.line(f"h = h * 3 + (uint32_t)rows[{i}][0];")
                self.line(f"free(rows[{i}]);") if random.random() < 0.8 else None
            self.line("free(rows);") if random.random() < 0.8 else None

    def _array(self) -> None:
        """An array that grows."""
        random, i = self.random, self.name("i")
        if not self.takes(16 * MANY * 2):
            return
        with self.inside("{"):
            self.line("struct array a = {0};" if random.random() < 0.7 else "struct array a;")
            if not self.lines[-1].endswith("{0};"):
                self.line("a.data = NULL;\n    a.used = a.have = 0;")
            with self.looping(i, random.choice(("n", "7")), 1):
                self.line(f"if (!push(&a, (V)({self.term()})))")
                self.line("    break;")
                if random.random() < 0.4:
                    self.line("if (a.used > 2 && h & 1)")
                    self.line("    h += (uint32_t)a.data[--a.used];")
            self.line("h += sum(a.data, a.used);" if random.random() < 0.7 else "h += a.used;")
            self.line("free(a.data);") if random.random() < 0.8 else None

    def _queue(self) -> None:
        """A list with two ends, of which one is given back."""
        random, i = self.random, self.name("i")
        if not self.takes(16 * MANY):
            return
        with self.inside("{"):
            self.line("struct node *first = NULL, *last = NULL;")
            with self.looping(i, "n", 1):
                self.line(f"struct node *it = before(NULL, (V)({self.term()}));")
                self.line("if (last)\n        last->next = it;")
                self.line("else\n        first = it;")
                self.line("last = it;")
                with self.inside(f"if (h & {random.choice((1, 3))}) {{"):
                    self.line("struct node *gone = first;")
                    self.line("h = h * 7 + (uint32_t)gone->value;")
                    self.line("first = gone->next;")
                    self.line("if (!first)\n        last = NULL;")
                    self.line("free(gone);")
                self.line("h += 3;")
            self.line("while (first) {")
            self.line("    h ^= (uint32_t)first->value;")
            self.line("    first = first->next;")
            self.line("}")

    def _box(self) -> None:
        """A block that leads to another one."""
        random, (count, most) = self.random, self.count()
        if not self.takes(most * 8 + 16):
            return
        with self.inside("{"):
            self.line("struct box *b = malloc(sizeof *b);")
            self.line(f"b->count = {count};")
            self.line("b->data = calloc(b->count, sizeof *b->data);")
            self.line(f"b->data[at({self.term()}, b->count)] = (T)({self.term()});")
            self.line(f"h += (uint32_t)b->data[at({self.term()}, b->count)];")
            if random.random() < 0.6:
                self.line("T *data = b->data;")
                self.line("free(b);")
                self.line(f"h += (uint32_t)data[{random.choice(('0', 'at(x, 1)'))}];")
                self.line("free(data);")
            else:
                self.line("drop(b->data);")
                self.line("free(b);")

    def _ring(self) -> None:
        """A list that leads both ways, and round."""
        random, i = self.random, self.name("i")
        if not self.takes(32 * MANY):
            return
        with self.inside("{"):
            self.line("struct ring *first = malloc(sizeof *first);")
            self.line("first->before = first->behind = first;")
            self.line(f"first->value = (V){self.term()};")
            with self.looping(i, random.choice(("n", "4")), 1):
                self.line("struct ring *it = calloc(1, sizeof *it);")
                self.line(f"it->value = (V)({self.term()});")
                where = random.choice(("first", "first->behind", "first->before->before"))
                self.line(f"it->behind = {where};")
                self.line("it->before = it->behind->before;")
                self.line("it->before->behind = it->behind->before = it;")
            with self.inside("for (struct ring *it = first->behind; it != first;) {"):
                self.line("struct ring *next = it->behind;")
                self.line("h = h * 3 + (uint32_t)it->value;")
                with self.inside(f"if (h & {random.choice((1, 3))}) {{"):
                    self.line("it->before->behind = next;")
                    self.line("next->before = it->before;")
                    self.line("free(it);")
                self.line("it = next;")
            self.line("h ^= (uint32_t)(first->before->value + first->behind->value);")
            if random.random() < 0.5:
                self.line("free(first);")

    def _table(self) -> None:
        """A table of lists."""
        random, i, size = self.random, self.name("i"), self.random.choice((2, 4, 8))
        if not self.takes(16 * MANY + 64):
            return
        with self.inside("{"):
            self.line(f"struct node **table = calloc({size}, sizeof *table);")
            with self.looping(i, "n", 1):
                self.line(f"V value = (V)({self.term()});")
                self.line(f"struct node **to = &table[(uint32_t)value & {size - 1}];")
                if random.random() < 0.5:
                    self.line("while (*to && (*to)->value != value)")
                    self.line("    to = &(*to)->next;")
                self.line("*to = before(*to, value);")
            with self.looping(i, str(size), 1), self.inside(f"while (table[{i}]) {{"):
                self.line(f"struct node *it = table[{i}];")
                self.line(f"table[{i}] = it->next;")
                self.line("h = h * 7 + (uint32_t)it->value;")
                self.line("free(it);")
            if random.random() < 0.8:
                self.line("free(table);")

    def _text(self) -> None:
        """A struct whose last member is as long as it is told."""
        count, most = self.count()
        if not self.takes(most * 8 + 16):
            return
        i = self.name("i")
        with self.inside("{"):
            self.line(f"int size = {count};")
            self.line("struct text *t = malloc(sizeof *t + size * sizeof *t->data);")
            self.line("t->size = (uint16_t)size;")
            self.line(f"for (int {i} = 0; {i} < size; {i}++)")
            self.line(f"    t->data[{i}] = (T)({self.term()} + {i});")
            self.line(f"h += (uint32_t)t->data[at({self.term()}, t->size)] * t->size;")
            if self.random.random() < 0.8:
                self.line("free(t);")

    def _grid(self) -> None:
        """A block of rows."""
        random, (count, most) = self.random, self.count()
        wide = random.choice((2, 3, 4))
        if not self.takes(most * wide * 8):
            return
        with self.inside("{"):
            self.line(f"int tall = {count};")
            self.line(f"V (*grid)[{wide}] = malloc(tall * sizeof *grid);")
            self.line("for (int i = 0; i < tall; i++)")
            self.line(f"    for (int k = 0; k < {wide}; k++)")
            self.line(f"        grid[i][k] = (V)({self.term()} + i * k);")
            place = f"grid[at({self.term()}, tall)][at({self.term()}, {wide})]"
            self.line(f"{place} = (V)({self.term()});")
            self.line(f"h = h * 3 + (uint32_t)grid[at({self.term()}, tall)][1];")
            if random.random() < 0.8:
                self.line("free(grid);")
