# SPDX-License-Identifier: Apache-2.0
"""The order in which a module's Verilog is read: an always block for the registers of a stage,
behind a comment and what is computed for them. CIRCT makes one of each register, where the hardware
text has it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from tandem.rtl.text import Stage

# The bindings are made at run time: no types.
ir: Any = importlib.import_module("pycde.circt.ir")
# Whoever looks at an operation has the bindings look for the classes of its module's dialect, which
# are not delivered, in all folders each time; what is there once they do not look for again.
_ABSENT = "pycde.circt.dialects.builtin"
sys.modules.setdefault(_ABSENT, ModuleType(_ABSENT))


_WITH_INSIDE = ("sv.alwaysff", "sv.alwayscomb", "sv.always", "sv.initial")
_OTHERS = Stage(0, 0, "")


def arrange(design: Any, stages: Mapping[str, Mapping[str, Stage]]) -> None:
    """Has every module in order; registers are `sv.reg` by now. `stages`: of a module, those of its
    registers."""
    for module in design.body.operations:
        if module.operation.name == "hw.module":
            name = module.attributes["sym_name"].value
            _arrange(module.regions[0].blocks[0], stages.get(name, {}))


def _arrange(body: Any, stages: Mapping[str, Stage]) -> None:
    *ops, end = (op.operation for op in body.operations)
    always: dict[tuple[Stage, int], list[Any]] = {}
    for op in ops:
        register = _register(op) if op.name == "sv.alwaysff" else ""
        if register:
            parts = len(_blocks(op))  # two with a reset
            always.setdefault((stages.get(register, _OTHERS), parts), []).append(op)
    order = _Order(ops)
    told = ""
    for key in sorted(always):
        if key[0].told != told:
            told = key[0].told
            order.ops.append(_comment(told))
        order.place(_merged(always[key]))
    merged = {op for same in always.values() for op in same[1:]}
    if told:
        order.ops.append(_comment("Ports"))
    for op in (*(op for op in ops if op not in merged and op.name != "sv.reg"), end):
        order.place(op)
    for op in merged:
        op.erase()
    for op in order.ops:
        body.append(op)


def _comment(told: str) -> Any:
    return ir.Operation.parse(f'sv.verbatim "\\n// {told}"')


def _register(always: Any) -> str:
    """The register that an always block writes, '' if it is a memory."""
    written = (
        next(op for op in _inside(always) if op.name == "sv.passign").operands[0].owner.operation
    )
    return written.attributes["name"].value if written.name == "sv.reg" else ""


def _inside(op: Any) -> Iterator[Any]:
    for inner in (inner.operation for block in _blocks(op) for inner in block.operations):
        yield inner
        yield from _inside(inner)


def _blocks(op: Any) -> list[Any]:
    return [block for region in op.regions for block in region.blocks]


def _merged(same: list[Any]) -> Any:
    """The first of some always blocks, with what all do; what one condition enables, together."""
    first, *others = same
    for other in others:
        for into, block in zip(_blocks(first), _blocks(other), strict=True):
            for op in list(block.operations):
                into.append(op)
    enabled: dict[Any, Any] = {}
    for op in [op.operation for op in _blocks(first)[0].operations]:
        if op.name == "sv.if":
            kept = enabled.setdefault(op.operands[0], op)
            if kept != op:
                _take(kept, op)
    return first


def _take(kept: Any, op: Any) -> None:
    """What an `if` does is done by an earlier one of the same condition."""
    for inner in list(_blocks(op)[0].operations):
        _blocks(kept)[0].append(inner)
    op.erase()


class _Order:
    """Operations, each behind those that make its operands, but where these make each other. Those
    that come to one place go by how many are between them and the registers."""

    def __init__(self, ops: list[Any]) -> None:
        self._makers = {value: op for op in ops for value in op.results}
        self.ops: list[Any] = []
        self._depths: dict[Any, int] = {}

    def place(self, op: Any) -> None:
        """Places an operation, and what it needs before it: by a stack, however deep that goes."""
        if op in self._depths:
            return
        came: list[Any] = []
        stack = [(op, self._needed(op))]
        self._depths[op] = 0
        while stack:
            last, needed = stack[-1]
            following = next((n for n in needed if n not in self._depths), None)
            if following is not None:
                self._depths[following] = 0
                stack.append((following, self._needed(following)))
            else:
                self._depths[last] = 1 + max((self._depths[n] for n in needed), default=0)
                came.append(last)
                stack.pop()
        self.ops += self._spaced(sorted(came, key=lambda op: self._depths[op]))

    def _spaced(self, ops: list[Any]) -> Iterator[Any]:
        """Instances apart from those that they need."""
        before = 0
        for op in ops:
            if op.name == "hw.instance":
                if before and self._depths[op] > before:
                    yield ir.Operation.parse('sv.verbatim ""')
                before = self._depths[op]
            yield op

    def _needed(self, op: Any) -> list[Any]:
        """What makes the operands of an operation and of those inside it."""
        users = [op, *_inside(op)] if op.name in _WITH_INSIDE else [op]
        found = (self._makers.get(value) for user in users for value in user.operands)
        return [maker for maker in found if maker is not None]
