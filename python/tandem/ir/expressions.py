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

from tandem.ir.kernel import Op
from tandem.ir.operations import OPERATIONS, mask

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
        """Whether its highest bit is 0, whatever the arguments are: it is no negative number."""
        return self._highest_is_zero(len(self.nodes) - 1)

    def _highest_is_zero(self, place: int) -> bool:
        node = self.nodes[place]
        if node.kind == "constant":
            return not node.value >> (node.width - 1)
        if node.kind == "concat":
            return self._highest_is_zero(node.operands[0])
        return node.kind == "select" and all(map(self._highest_is_zero, node.operands[1:]))

    def names(self) -> set[str]:
        """The arguments that it asks for."""
        return {node.name for node in self.nodes if node.kind == "argument"}

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
    """Whether the value follows from constants and arguments by operations without effects."""
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
        OPERATIONS[op.kind].pure and OPERATIONS[op.kind].evaluate is not None
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
