# SPDX-License-Identifier: Apache-2.0
"""Small changes to Tandem's Python, each of which a test should notice.

Only what is executed is changed: no docstring, annotation, import, decorator or text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reach import blocks_of, modules

Place = tuple[ast.AST, str, ast.AST]
"""A node, its function and its statement."""
Changes = Iterator[tuple[ast.AST, str]]
"""Nodes, each with the text that takes its place."""

OPERATORS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
UNTOUCHED = (ast.JoinedStr, ast.Import, ast.ImportFrom, ast.arg)
SKIPPED = {"annotation", "returns", "decorator_list", "type_comment", "bases", "type_params"}


@dataclass(frozen=True)
class Mutant:
    """One change of one place: from byte `start` to `end` of the file stands `text` instead."""

    file: Path
    line: int
    function: str
    start: int
    end: int
    text: str
    was: str
    block: str = ""

    @property
    def name(self) -> str:
        """What tells it from others, wherever its line has moved to."""
        was, text = (" ".join(words.split()) for words in (self.was, self.text))
        return f"{self.file}: {self.function}: {was} -> {text or 'nothing'}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


def _with(node: ast.AST, **parts: object) -> str:
    """The node's text with other parts; in parentheses, as it stands inside others."""
    fields = {name: getattr(node, name) for name in node._fields} | parts
    return f"({ast.unparse(type(node)(**fields))})"


def _compared(node: ast.Compare) -> Changes:
    for place, operator in enumerate(node.ops):
        changed = list(node.ops)
        changed[place] = OPERATORS[type(operator)]()
        yield node, _with(node, ops=changed)


def _operated(node: ast.BinOp | ast.BoolOp) -> Changes:
    if type(node.op) in OPERATORS:
        yield node, _with(node, op=OPERATORS[type(node.op)]())


def _augmented(node: ast.AugAssign) -> Changes:
    if type(node.op) in OPERATORS:
        yield node, _with(node, op=OPERATORS[type(node.op)]())[1:-1]
    yield node, "pass"


def _signed(node: ast.UnaryOp) -> Changes:
    yield node, f"({ast.unparse(node.operand)})"


def _constant(node: ast.Constant) -> Changes:
    if isinstance(node.value, bool):
        yield node, str(not node.value)
    elif isinstance(node.value, int):
        yield node, str(node.value + 1)
        yield node, f"({node.value - 1})"
    elif isinstance(node.value, float):
        yield node, str(node.value + 1)


def _called(node: ast.Call) -> Changes:
    if isinstance(node.func, ast.Name) and node.func.id in CALLS:
        yield node.func, CALLS[node.func.id]


def _negated(node: ast.If | ast.While | ast.IfExp) -> Changes:
    yield node.test, f"(not ({ast.unparse(node.test)}))"


def _filtered(node: ast.comprehension) -> Changes:
    for test in node.ifs:
        yield test, f"(not ({ast.unparse(test)}))"


def _removed(node: ast.stmt) -> Changes:
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not words:
        yield node, "pass"


def _assigned(node: ast.Assign) -> Changes:
    """A name that is not set is an error at once; an element or an attribute, a wrong value."""
    if not any(isinstance(target, ast.Name | ast.Tuple) for target in node.targets):
        yield node, "pass"


def _returned(node: ast.Return) -> Changes:
    if node.value is not None and not isinstance(node.value, ast.Constant):
        yield node.value, "None"


CHANGES: dict[type, Callable[..., Changes]] = {
    ast.Compare: _compared,
    ast.BinOp: _operated,
    ast.BoolOp: _operated,
    ast.AugAssign: _augmented,
    ast.UnaryOp: _signed,
    ast.Constant: _constant,
    ast.Call: _called,
    ast.If: _negated,
    ast.While: _negated,
    ast.IfExp: _negated,
    ast.comprehension: _filtered,
    ast.Expr: _removed,
    ast.Raise: _removed,
    ast.Continue: _removed,
    ast.Break: _removed,
    ast.Delete: _removed,
    ast.Assign: _assigned,
    ast.Return: _returned,
}


def _walk(node: ast.AST, function: str, statement: ast.AST) -> Iterator[Place]:
    """Every node that is executed, with its function and its statement."""
    if isinstance(node, UNTOUCHED):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    yield node, function, statement
    for name, value in ast.iter_fields(node):
        if name not in SKIPPED:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    inner = child if isinstance(child, ast.stmt) else statement
                    yield from _walk(child, function, inner)


def mutants_of(root: Path, path: Path) -> Iterator[Mutant]:
    """All mutants of one module."""
    source = (root / path).read_bytes()
    tree = ast.parse(source)
    blocks = blocks_of(tree, path)
    heads = [0]
    for line in source.splitlines(keepends=True):
        heads.append(heads[-1] + len(line))
    for node, function, statement in _walk(tree, "", tree):
        for place, text in CHANGES.get(type(node), lambda _: iter(()))(node):
            assert isinstance(place, ast.expr | ast.stmt) and place.end_lineno is not None
            start = heads[place.lineno - 1] + place.col_offset
            end = heads[place.end_lineno - 1] + (place.end_col_offset or 0)
            was, block = source[start:end].decode(), blocks.of.get(id(statement), "")
            yield Mutant(path, place.lineno, function, start, end, text, was, block)


def python_mutants(root: Path) -> list[Mutant]:
    """All mutants of Tandem's Python."""
    return [mutant for path in modules(root) for mutant in mutants_of(root, path)]
