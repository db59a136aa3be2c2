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

from tandem.ir.floats import FLOATS
from tandem.ir.kernel import Op
from tandem.ir.operations import OPERATIONS, mask, signed

Range = tuple[int, int]
"""The least and the greatest number."""

_NODE = re.compile(r"(\w+)((?: %\d+)*)(?: ([^%\s]\S*))?:(\d+)$")


@dataclass(frozen=True)
class Node:
    """One operation. `operands` are places in the list; `value` is a constant's value or an
    extract's lowest bit, `name` an argument's."""

    kind: str
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
        if last.kind != "select":
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
        if node.kind not in ("slt", "sle"):
            return {}
        less, greater = (self.nodes[i] for i in node.operands)
        if less.kind != "constant":
            return {}
        least = signed(less.value, less.width) + (node.kind == "slt")
        return {node.operands[1]: (least, mask(greater.width) >> 1)}

    def names(self) -> set[str]:
        """The arguments that it asks for."""
        return {node.name for node in self.nodes if node.kind == "argument"}

    def scales(self) -> bool:
        """Whether it follows the amount of an argument, and not only a bit that is made of some."""
        work, seen = [len(self.nodes) - 1], set[int]()
        while work:
            place = work.pop()
            node = self.nodes[place]
            if place in seen or node.width == 1:
                continue
            if node.kind == "argument":
                return True
            seen.add(place)
            work += node.operands[1:] if node.kind == "select" else node.operands
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
    if node.kind == "constant":
        value = signed(node.value, node.width)
        found = (value, value)
    elif node.kind == "concat" and inputs[0] == (0, 0) and len(inputs) == 2 and inputs[1][0] >= 0:
        found = inputs[1]
    elif node.kind == "concat" and inputs[0][0] >= 0:
        found = (inputs[0][0] << rest, (inputs[0][1] + 1 << rest) - 1)
    elif node.kind == "extract" and inputs[0][0] >= 0:
        found = (0, inputs[0][1] >> node.value)
    elif node.kind == "select":
        lows, highs = zip(*_taken(*inputs), strict=True)
        found = (min(lows), max(highs))
    elif node.kind in ("slt", "sle"):
        found = _compared(node.kind, *inputs)
    elif node.kind in ("add", "sub", "mul"):
        found = _computed(node.kind, *inputs)
    return found if full[0] <= found[0] and found[1] <= full[1] else full


def _taken(condition: Range, yes: Range, no: Range) -> list[Range]:
    """The sides of a choice that its condition leaves."""
    return [yes] * (condition[0] < 0) + [no] * (condition[1] == 0)


def _compared(kind: str, a: Range, b: Range) -> Range:
    """A bit as a signed number: -1 where it is set."""
    equal_counts = int(kind == "sle")
    if a[1] < b[0] + equal_counts:
        return (-1, -1)
    return (-1, 0) if a[0] < b[1] + equal_counts else (0, 0)


def _computed(kind: str, a: Range, b: Range) -> Range:
    """Before it wraps."""
    if kind == "add":
        return (a[0] + b[0], a[1] + b[1])
    if kind == "sub":
        return (a[0] - b[1], a[1] - b[0])
    corners = [x * y for x in a for y in b]
    return (min(corners), max(corners))


def _evaluate(node: Node, inputs: list[int], widths: list[int], values: Mapping[str, int]) -> int:
    if node.kind == "constant":
        return node.value
    if node.kind == "argument":
        return values[node.name]
    if node.kind == "extract":
        return inputs[0] >> node.value
    evaluate = OPERATIONS[node.kind].evaluate
    assert evaluate is not None
    return evaluate(inputs, widths, node.width)


def _node_text(node: Node) -> str:
    operands = "".join(f" %{i}" for i in node.operands)
    extra = {"constant": str(node.value), "extract": str(node.value), "argument": node.name}
    more = f" {extra[node.kind]}" if node.kind in extra else ""
    return f"{node.kind}{operands}{more}:{node.width}"


def parse_expression(text: str) -> Expression:
    """Reads the text form. Raises ValueError for anything else."""
    nodes: list[Node] = []
    for part in text.split("; "):
        found = _NODE.match(part)
        if not found:
            raise ValueError(f"not a node of an expression: `{part}`")
        kind, operands, extra, width = found.groups()
        places = tuple(int(i) for i in re.findall(r"%(\d+)", operands))
        if any(i >= len(nodes) for i in places):
            raise ValueError(f"`{part}` asks for a later node")
        is_number = kind in ("constant", "extract")
        value, name = (int(extra), "") if is_number else (0, extra or "")
        nodes.append(Node(kind, int(width), places, value, name))
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
    return op.kind in ("constant", "argument", "extract") or (
        OPERATIONS[op.kind].pure
        and OPERATIONS[op.kind].evaluate is not None
        and op.kind not in FLOATS
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
        name = current.attributes.get("name", "") if current.kind == "argument" else ""
        places[current] = len(nodes)
        nodes.append(Node(current.kind, current.width, operands, value, name))
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
