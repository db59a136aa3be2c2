# SPDX-License-Identifier: Apache-2.0
"""Numbers that a call's arguments tell: extents and guards, as data that outlives the kernel's own
operations.

An expression is a list of nodes, each over earlier ones, so that shared parts stay shared and its
size is linear in the code it came from. Its text form is one line, e.g. for 4 * n:

    argument n:32; constant 0:30; concat %1 %0:62; ...
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tandem.ir.ops import (
    OPERATIONS,
    Add,
    ArgumentOp,
    Concat,
    Constant,
    Extract,
    FloatOp,
    Mul,
    Op,
    Select,
    SLe,
    SLt,
    Sub,
    mask,
    signed,
)

Range = tuple[int, int]
"""The least and the greatest number."""

_NODE = re.compile(r"(\w+)((?: %\d+)*)(?: ([^%\s]\S*))?:(\d+)$")


@dataclass(frozen=True)
class Node:
    """One operation. `operands` are places in the list; `value` is a constant's value or an
    extract's lowest bit, `name` an argument's."""

    kind: type[Op]
    width: int
    operands: tuple[int, ...] = ()
    value: int = 0
    name: str = ""


@dataclass(frozen=True)
class Expression:
    """Nodes in an order of evaluation; the last one is the result."""

    nodes: tuple[Node, ...]

    @property
    def width(self) -> int:
        """Bits of the result."""
        return self.nodes[-1].width

    @property
    def is_natural(self) -> bool:
        """Whether it is no negative number, whatever the arguments are."""
        last = self.nodes[-1]
        if last.kind is not Select:
            return self._ranges({})[-1][0] >= 0
        condition, yes, no = last.operands
        where_it_holds = self._ranges(self._assumed(condition))
        return where_it_holds[yes][0] >= 0 and self._ranges({})[no][0] >= 0

    def _ranges(self, assumed: Mapping[int, Range]) -> list[Range]:
        """What each node can be."""
        ranges: list[Range] = []
        for place, node in enumerate(self.nodes):
            inputs = [ranges[i] for i in node.operands]
            rest = sum(self.nodes[i].width for i in node.operands[1:])
            ranges.append(assumed.get(place) or _range(node, inputs, rest))
        return ranges

    def _assumed(self, condition: int) -> dict[int, Range]:
        """What follows from a condition that says that a number is greater than a constant."""
        node = self.nodes[condition]
        if node.kind not in (SLt, SLe):
            return {}
        less, greater = (self.nodes[i] for i in node.operands)
        if less.kind is not Constant:
            return {}
        least = signed(less.value, less.width) + (node.kind is SLt)
        return {node.operands[1]: (least, mask(greater.width) >> 1)}

    def names(self) -> set[str]:
        """The arguments that it asks for."""
        return {node.name for node in self.nodes if node.kind is ArgumentOp}

    def scales(self) -> bool:
        """Whether it follows the amount of an argument, and not only a bit that is made of some."""
        work, seen = [len(self.nodes) - 1], set[int]()
        while work:
            place = work.pop()
            node = self.nodes[place]
            if place in seen or node.width == 1:
                continue
            if node.kind is ArgumentOp:
                return True
            seen.add(place)
            work += node.operands[1:] if node.kind is Select else node.operands
        return False

    def evaluate(self, values: Mapping[str, int]) -> int:
        """Its value, an unsigned pattern of `width` bits; `values`: argument to number."""
        results: list[int] = []
        for node in self.nodes:
            inputs = [results[i] for i in node.operands]
            widths = [self.nodes[i].width for i in node.operands]
            results.append(_evaluate(node, inputs, widths, values) & mask(node.width))
        return results[-1]

    def __str__(self) -> str:
        return "; ".join(_node_text(node) for node in self.nodes)


def _range(node: Node, inputs: list[Range], rest: int) -> Range:
    """The signed numbers that a node can be; `rest`: bits of the operands behind the first."""
    full = (-(1 << (node.width - 1)), (1 << (node.width - 1)) - 1)
    found = full
    if node.kind is Constant:
        value = signed(node.value, node.width)
        found = (value, value)
    elif node.kind is Concat and inputs[0] == (0, 0) and len(inputs) == 2 and inputs[1][0] >= 0:
        found = inputs[1]
    elif node.kind is Concat and inputs[0][0] >= 0:
        found = (inputs[0][0] << rest, (inputs[0][1] + 1 << rest) - 1)
    elif node.kind is Extract and inputs[0][0] >= 0:
        found = (0, inputs[0][1] >> node.value)
    elif node.kind is Select:
        lows, highs = zip(*_taken(*inputs), strict=True)
        found = (min(lows), max(highs))
    elif node.kind in (SLt, SLe):
        found = _compared(node.kind, *inputs)
    elif node.kind in (Add, Sub, Mul):
        found = _computed(node.kind, *inputs)
    return found if full[0] <= found[0] and found[1] <= full[1] else full


def _taken(condition: Range, yes: Range, no: Range) -> list[Range]:
    """The sides of a choice that its condition leaves."""
    return [yes] * (condition[0] < 0) + [no] * (condition[1] == 0)


def _compared(kind: type[Op], a: Range, b: Range) -> Range:
    """A bit as a signed number: -1 where it is set."""
    equal_counts = int(kind is SLe)
    if a[1] < b[0] + equal_counts:
        return (-1, -1)
    return (-1, 0) if a[0] < b[1] + equal_counts else (0, 0)


def _computed(kind: type[Op], a: Range, b: Range) -> Range:
    """Before it wraps."""
    if kind is Add:
        return (a[0] + b[0], a[1] + b[1])
    if kind is Sub:
        return (a[0] - b[1], a[1] - b[0])
    corners = [x * y for x in a for y in b]
    return (min(corners), max(corners))


def _evaluate(node: Node, inputs: list[int], widths: list[int], values: Mapping[str, int]) -> int:
    if node.kind is Constant:
        return node.value
    if node.kind is ArgumentOp:
        return values[node.name]
    if node.kind is Extract:
        return inputs[0] >> node.value
    evaluate = node.kind.evaluate
    assert evaluate is not None
    return evaluate(inputs, widths, node.width)


def _node_text(node: Node) -> str:
    operands = "".join(f" %{i}" for i in node.operands)
    extra = {Constant: str(node.value), Extract: str(node.value), ArgumentOp: node.name}
    more = f" {extra[node.kind]}" if node.kind in extra else ""
    return f"{node.kind.slug}{operands}{more}:{node.width}"


def parse_expression(text: str) -> Expression:
    """Reads the text form. Raises ValueError for anything else."""
    nodes: list[Node] = []
    for part in text.split("; "):
        found = _NODE.match(part)
        if not found:
            raise ValueError(f"not a node of an expression: `{part}`")
        kind, operands, extra, width = found.groups()
        places = tuple(int(i) for i in re.findall(r"%(\d+)", operands))
        if kind not in OPERATIONS:
            raise ValueError(f"not an operation: `{kind}`")
        if any(i >= len(nodes) for i in places):
            raise ValueError(f"`{part}` asks for a later node")
        is_number = kind in ("constant", "extract")
        value, name = (int(extra), "") if is_number else (0, extra or "")
        nodes.append(Node(OPERATIONS[kind], int(width), places, value, name))
    return Expression(tuple(nodes))


def is_expressible(op: Op) -> bool:
    """Whether the value follows from constants and arguments by operations on whole numbers
    without effects: what runs a call does not know floating-point numbers."""
    seen: set[Op] = set()
    work = [op]
    while work:
        current = work.pop()
        if current in seen:
            continue
        seen.add(current)
        if not _is_node(current):
            return False
        work += current.operands
    return True


def _is_node(op: Op) -> bool:
    return isinstance(op, (Constant, ArgumentOp, Extract)) or (
        op.pure and op.evaluate is not None and not isinstance(op, FloatOp)
    )


def expression_of(op: Op) -> Expression | None:
    """The value as an expression; None where it depends on more than arguments and constants."""
    if not is_expressible(op):
        return None
    places: dict[Op, int] = {}
    nodes: list[Node] = []
    for current in _operands_first(op):
        operands = tuple(places[o] for o in current.operands)
        value = current.attributes.get("value", current.attributes.get("low", 0))
        name = current.attributes.get("name", "") if isinstance(current, ArgumentOp) else ""
        places[current] = len(nodes)
        nodes.append(Node(type(current), current.width, operands, value, name))
    return Expression(tuple(nodes))


def _operands_first(op: Op) -> Iterable[Op]:
    done: set[Op] = set()
    stack = [(op, False)]
    while stack:
        current, ready = stack.pop()
        if ready:
            if current not in done:
                done.add(current)
                yield current
        elif current not in done:
            stack.append((current, True))
            stack += [(o, False) for o in reversed(current.operands)]
