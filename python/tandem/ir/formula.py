# SPDX-License-Identifier: Apache-2.0
"""Expressions as people write them: `4 * n`, `n > 0 ? 16 * width * height : 0`."""

from __future__ import annotations

from tandem.ir.expressions import Expression, Node
from tandem.ir.ops import ArgumentOp, Concat, Constant, Extract, Select, signed

LONGEST = 120


def formula(expression: Expression) -> str:
    """The expression on one line; its size alone where it is longer than a line."""
    texts: list[str] = []
    for node in expression.nodes:
        texts.append(_text(node, texts, expression))
        if len(texts[-1]) > LONGEST:
            return f"a formula of {len(expression.nodes)} operations"
    text = texts[-1]
    return text[1:-1] if _is_wrapped(text) else text


def _is_wrapped(text: str) -> bool:
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text.startswith("(") and i == len(text) - 1
    return False


def _text(node: Node, texts: list[str], whole: Expression) -> str:
    uses = [texts[i] for i in node.operands]
    if node.kind is Constant:
        return str(signed(node.value, node.width) if node.width > 1 else node.value)
    if node.kind is ArgumentOp:
        return node.name
    if node.kind is Extract:
        return _extract(node, uses[0], whole.nodes[node.operands[0]])
    if node.kind is Concat:
        return _concat(node, texts, whole)
    if node.kind is Select:
        return f"({uses[0]} ? {uses[1]} : {uses[2]})"
    return f"({f' {node.kind.sign} '.join(uses)})"


def _extract(node: Node, use: str, source: Node) -> str:
    shifted = f"({use} >> {node.value})" if node.value else use
    whole = node.value + node.width == source.width or not node.value
    return shifted if whole else f"({shifted} & {(1 << node.width) - 1})"


def _concat(node: Node, texts: list[str], whole: Expression) -> str:
    """Parts side by side: what is extended, and multiples of powers of two."""
    parts, position = [], 0
    for i in reversed(node.operands):
        part = whole.nodes[i]
        known = part.kind is Constant
        if not (known and part.value == 0):
            scaled = texts[i] if not position else f"{1 << position} * {texts[i]}"
            parts.append(str(part.value << position) if known else scaled)
        position += part.width
    unique = [p for n, p in enumerate(parts) if n == 0 or not _is_sign_of(p, parts[0])]
    text = " + ".join(unique) if unique else "0"
    return f"({text})" if len(unique) > 1 or "*" in text else text


def _is_sign_of(part: str, first: str) -> bool:
    """Whether a part only repeats the sign of the lowest one."""
    return f"({first} >> " in part
