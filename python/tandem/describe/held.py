# SPDX-License-Identifier: Apache-2.0
"""What holds each operation of a block back: of all that the schedule had to keep to, what is met
with no cycle to spare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from tandem.diagnostics import lines_text
from tandem.ir.names import shown_name
from tandem.ir.ops import Access, Op, Parameter
from tandem.ir.wiring import makers_of
from tandem.schedule.problem import Constraint, Node, NodeKind
from tandem.schedule.scheduled import BlockSchedule


class Cause(StrEnum):
    """Why an operation does not start earlier."""

    NOTHING = "nothing"
    """It starts with its block or iteration."""
    DEPENDENCE = "dependence"
    """An input is not there before."""
    CLOCK = "clock"
    """Its inputs are, but with what is before it the path would be longer than the period."""
    RESOURCE = "resource"
    """All of what could serve it has other operations before."""
    ORDER = "order"
    """An access to the same memory, or stream, comes first."""
    EXIT = "exit"
    """It is not known before whether the iteration takes place."""
    SLACK = "slack"
    """It could be earlier; so fewer bits wait in registers."""


@dataclass(frozen=True)
class Held:
    """`text` completes "it waits for"."""

    cause: Cause
    text: str


class Holds:
    """What holds back the operations of a block, asked for one by one."""

    def __init__(self, schedule: BlockSchedule) -> None:
        self.schedule = schedule

    def of(self, op: Op) -> Held:
        """What holds an operation back."""
        s, cycle = self.schedule, self.schedule.start[op]
        inputs = [v for v in makers_of(op.operands) if v in s.start or v in s.block.parameters]
        ready = max((s.ready(value) for value in inputs), default=0)
        tight = self._tight.get(op, [])
        if any(c.before.kind is NodeKind.DECIDE for c in tight):
            text = f"the exit of the iteration before, known in cycle {s.decide - s.ii}"
            return Held(Cause.EXIT, text)
        if inputs and ready == cycle:
            last = dict.fromkeys(self._told(v) for v in inputs if s.ready(v) == ready)
            return Held(Cause.DEPENDENCE, " and ".join(last))
        if cycle == 0:
            return Held(Cause.NOTHING, "nothing")
        return self._of_later(op, ready, tight)

    def _of_later(self, op: Op, ready: int, tight: list[Constraint]) -> Held:
        """Of an operation whose inputs are there before it starts."""
        if lines := self._before_it(op, ready):
            unit = "its port" if isinstance(op, Access) else "what it shares"
            return Held(Cause.RESOURCE, f"{unit}, which serves {lines_text(lines)} first")
        if long := [c.before for c in tight if c.is_chain]:
            return Held(Cause.CLOCK, f"the next cycle: {self._path(long)}")
        if first := [c.before for c in tight if c.before.kind is NodeKind.OP]:
            lines = sorted({node.line for node in first if node.line})
            where = f" of {lines_text(lines)}" if lines else ""
            what = f"the same `{op.memory.name}`" if op.has_memory else "what it uses"
            return Held(Cause.ORDER, f"its turn: what comes first{where} uses {what}")
        text = f"nothing from cycle {ready} on: later, fewer bits wait in registers"
        return Held(Cause.SLACK, text)

    def _path(self, begins: Iterable[Node]) -> str:
        """Between which operations a path is too long."""
        ops = [node.op for node in begins if node.op is not None]
        what = f" behind {self._told(ops[0])}" if ops else ""
        return f"its path{what} is longer than the clock period"

    @cached_property
    def _tight(self) -> dict[Op, list[Constraint]]:
        """Of each operation, what it starts no cycle later than."""
        problem = self.schedule.problem
        found: dict[Op, list[Constraint]] = {}
        for c in problem.constraints if problem else ():
            if c.after.kind is NodeKind.OP and c.after.op is not None and self._is_tight(c):
                found.setdefault(c.after.op, []).append(c)
        return found

    def _is_tight(self, c: Constraint) -> bool:
        before, after = self._start(c.before), self._start(c.after)
        if before is None or after is None or c.before is c.after:
            return False
        return after == before + c.weight(self.schedule.ii)

    def _start(self, node: Node) -> int | None:
        """The cycle of what is no end of the block."""
        s, op = self.schedule, node.op
        if node.kind is NodeKind.DECIDE:
            return s.decide
        if op is None:
            return None
        return {"op": s.start, "read": s.reads, "write": s.writes}[node.kind].get(op)

    def _told(self, value: Op) -> str:
        if isinstance(value, Parameter):
            what = f"`{shown_name(value.name)}`" if value.name else "a value"
            whose = "of the iteration before" if self.schedule.ii else "that the block starts with"
            return f"{what} {whose}"
        where = f" of line {value.line}" if value.line else ""
        return f"the {value.slug}{where}"

    def _before_it(self, op: Op, ready: int) -> list[int]:
        """Lines of the operations that have all of what could serve this one in every cycle in
        which it could have been."""
        s = self.schedule
        slots = [_slot(s, cycle) for cycle in range(ready, s.start[op])]
        unit = self._unit(op)
        served = [self._served.get((unit, slot), []) for slot in slots if unit]
        if not served or any(len(others) < self._capacity(unit) for others in served):
            return []
        return sorted({other.line for others in served for other in others if other is not op})

    @cached_property
    def _served(self) -> dict[tuple[str, int], list[Op]]:
        """What each unit does in each slot."""
        found: dict[tuple[str, int], list[Op]] = {}
        for op, cycle in self.schedule.start.items():
            if unit := self._unit(op):
                found.setdefault((unit, _slot(self.schedule, cycle)), []).append(op)
        return found

    def _unit(self, op: Op) -> str:
        """What serves an operation together with others; empty for one with hardware of its own."""
        problem = self.schedule.problem
        return problem.node_of[op].unit if problem and op in problem.node_of else ""

    def _capacity(self, unit: str) -> int:
        problem = self.schedule.problem
        return problem.capacity[unit] if problem else 1


def _slot(s: BlockSchedule, cycle: int) -> int:
    return cycle % s.ii if s.ii else cycle
