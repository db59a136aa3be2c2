# SPDX-License-Identifier: Apache-2.0
"""What keeps a loop's `ii` from being smaller, as the solver found it; sentence and cure are made
from that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from tandem.diagnostics import lines_text
from tandem.ir.ops import OPERATIONS, FloatOp, MacroOp, Op, Select
from tandem.schedule.access_orders import MEETING, OWN_TURN
from tandem.schedule.constraints import BUSY, EXIT
from tandem.schedule.problem import Constraint, Node, NodeKind, Problem
from tandem.schedule.setting import MULTIPLIERS


class LimitKind(StrEnum):
    """Why no more iterations start; results have the value."""

    UNIT = "unit"
    """A side of `memory` is busy for `cycles` cycles an iteration."""
    MULTIPLIERS = "multipliers"
    """So are those that there are."""
    DIVIDER = "divider"
    """One takes `cycles` cycles for a division."""
    RECURRENCE = "recurrence"
    """`cycles` cycles from an iteration to one `iterations` later."""
    TURN = "turn"
    """A recurrence between iterations of a loop around that take turns."""
    EXIT = "exit"
    """A recurrence through the loop's exit."""
    DEPENDENCE = "dependence"
    """One through accesses to `memory` that may meet."""
    CROWDED = "crowded"
    """No single cause: a unit's cycles do not fit between those of a recurrence."""
    ROOM = "room"
    """For the registers of iterations in fewer than `cycles`."""
    DIRECTIVE = "directive"
    """One wants the `cycles` of an iteration to end before the next one starts."""


@dataclass(frozen=True)
class Limit:
    """What keeps a loop's iterations apart, in numbers."""

    kind: LimitKind
    cycles: int
    iterations: int = 1
    lines: tuple[int, ...] = ()
    memory: str = ""
    access: str = ""
    """'load' or 'store', of a unit."""
    ports: int = 1
    """How many of a unit's accesses happen in one cycle."""
    accesses: int = 0
    """How many a unit has in an iteration."""
    longest: tuple[tuple[str, int, int], ...] = ()
    """Of a recurrence: what of it takes cycles of its own, how often it is in it, and for how many
    cycles in all."""
    is_sum: bool = False
    """Whether a recurrence is one floating-point sum, or product, whose terms could come in another
    order: nothing else reads it."""
    turns: int = 1
    """How many iterations of a loop around it take turns."""

    @property
    def least_ii(self) -> int:
        """The least `ii` that this allows."""
        return -(-self.cycles // self.iterations)

    def sentence(self) -> str:
        """What it is, for a reader of the C."""
        if self.kind is LimitKind.UNIT:
            ports = "one port" if self.ports == 1 else f"{self.ports} ports"
            return (
                f"{self.accesses} accesses an iteration: `{self.memory}` has {ports} to "
                f"{self.access} through"
            )
        if self.kind is LimitKind.MULTIPLIERS:
            many = "one multiplier" if self.ports == 1 else f"{self.ports} multipliers"
            return f"{self.accesses} products an iteration share {many}{_where(self.lines)}"
        if self.kind is LimitKind.ROOM:
            return f"an iteration every {self.cycles} cycles takes fewer registers"
        if self.kind is LimitKind.DIRECTIVE:
            return "directive `pipeline off`: an iteration starts when the one before has ended"
        if self.kind is LimitKind.CROWDED:
            what = f"the accesses of `{self.memory}`" if self.memory else "the products"
            return f"{what} do not fit between those of a recurrence"
        if self.kind is LimitKind.DIVIDER:
            return f"a divider takes {self.cycles} cycles a division{_where(self.lines)}"
        iterations = f"{self.iterations} iteration{'s' if self.iterations > 1 else ''}"
        return (
            f"a recurrence takes {self.cycles} cycles over {iterations}{_where(self.lines)}"
            f"{self._parts()}; {self._reason()}"
        )

    def _parts(self) -> str:
        """What of a recurrence takes most, the longest first."""
        parts = [f"{cycles} in {_counted(what, count)}" for what, count, cycles in self.longest]
        if len(parts) == 1 and self.longest[0][2] == self.cycles:
            return f", all in {_counted(*self.longest[0][:2])}"
        last = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
        return f", of them {last}" if parts else ""

    def _reason(self) -> str:
        if self.kind is LimitKind.EXIT:
            return EXIT
        if self.kind is LimitKind.TURN:
            return OWN_TURN
        if self.kind is LimitKind.DEPENDENCE:
            return f"`{self.memory}` is written and read at places that may be the same"
        return "the next iteration needs the value"

    def cure(self) -> str:
        """What to change in the C."""
        if self.kind is LimitKind.DIRECTIVE:
            return "without the directive they overlap as far as they can"
        if self.memory and self.kind in (LimitKind.UNIT, LimitKind.CROWDED):
            return f"access `{self.memory}` less often in an iteration"
        if self.kind in (LimitKind.MULTIPLIERS, LimitKind.CROWDED):
            return "give it more of them, or multiply narrower integers"
        if self.kind is LimitKind.ROOM:
            return "give it room for more flip-flops"
        if self.kind is LimitKind.DIVIDER:
            return "divide narrower integers, or by a known number"
        if self.kind is LimitKind.EXIT:
            return "count the iterations, so that the exit is known before them"
        if self.kind is LimitKind.TURN or (self.kind is LimitKind.DEPENDENCE and self.turns > 1):
            return "shorten the recurrence, or give the outer loop more iterations"
        if self.kind is LimitKind.DEPENDENCE:
            return f"keep in a variable what one iteration leaves in `{self.memory}` for the next"
        return f"{self._open_order() or 'shorten the recurrence'}{self._narrower()}"

    def _open_order(self) -> str:
        """How the terms of a sum may come in any order; empty where it is none."""
        if not self.is_sum:
            return ""
        what = "product" if self.longest[0][0].startswith("product") else "sum"
        return (
            f"with the {what} in a variable, let its terms come in any order (`#pragma tandem "
            "reassociate`)"
        )

    def _narrower(self) -> str:
        """In what else the recurrence could be computed, where that takes fewer cycles."""
        if any(_is_of("double", what) for what, _, _ in self.longest):
            return ", or compute it in `float`"
        is_of_integers = not any(_is_of("float", what) for what, _, _ in self.longest)
        return ", or use narrower integers in it" if is_of_integers else ""


@dataclass
class Limits:
    """The limits met on the way to an `ii`: that of the units, and those of recurrences; or a
    directive, with which none of them matters."""

    unit: Limit | None = None
    recurrences: list[Limit] = field(default_factory=list)
    directive: Limit | None = None

    @property
    def res_mii(self) -> int:
        """The least `ii` that the units allow."""
        return self.unit.least_ii if self.unit else 1

    @property
    def rec_mii(self) -> int:
        """The least `ii` that the recurrences met so far allow."""
        return max((r.least_ii for r in self.recurrences), default=1)

    def add(self, limit: Limit) -> None:
        """A limit that the last `ii` failed by."""
        self.recurrences.append(limit)

    @property
    def binding(self) -> Limit | None:
        """The one that decides."""
        return self.directive or (self.recurrences[-1] if self.recurrences else self.unit)

    def sentence(self) -> str:
        """What decides, in words; empty where nothing does."""
        return self.binding.sentence() if self.binding else ""

    def cure(self) -> str:
        """What to do about it."""
        return self.binding.cure() if self.binding else ""


def unit_limit(problem: Problem) -> Limit | None:
    """The unit that is needed most often in an iteration; None where none is needed twice."""
    unit, cycles = problem.busiest()
    if not unit:
        return None
    served = problem.served()[unit]
    ports = problem.capacity[unit]
    if unit == MULTIPLIERS:
        return Limit(
            LimitKind.MULTIPLIERS, cycles, 1, _lines(served), ports=ports, accesses=len(served)
        )
    access, _, memory = unit.partition(" ")
    return Limit(LimitKind.UNIT, cycles, 1, _lines(served), memory, access, ports, len(served))


def directive(problem: Problem, length: int) -> Limit:
    """What `pipeline off` asks of iterations of a length."""
    return Limit(LimitKind.DIRECTIVE, length, 1, _lines(problem.nodes))


def room(problem: Problem, ii: int) -> Limit:
    """Of an `ii` that is chosen so that fewer values wait at a time."""
    return Limit(LimitKind.ROOM, ii, 1, _lines(problem.nodes))


_CAUSES = {
    BUSY: LimitKind.DIVIDER,
    EXIT: LimitKind.EXIT,
    MEETING: LimitKind.DEPENDENCE,
    OWN_TURN: LimitKind.TURN,
}
"""What a constraint of a recurrence says about it."""


def recurrence(problem: Problem, cycle: list[Constraint], ii: int) -> Limit:
    """The recurrence that a cycle of constraints stands for."""
    iterations = sum(c.per_ii for c in cycle)
    cycles = sum(c.cycles for c in cycle)
    memory = next((c.memory for c in cycle if c.memory), "")
    if iterations < 1 or cycles <= iterations * ii:
        return Limit(LimitKind.CROWDED, ii + 1, memory=memory or _busiest_memory(problem))
    nodes = {node for c in cycle for node in (c.before, c.after)}
    whys = {c.why for c in cycle}
    kind = next((kind for why, kind in _CAUSES.items() if why in whys), LimitKind.RECURRENCE)
    return Limit(
        kind,
        cycles,
        iterations,
        _lines(nodes),
        memory,
        longest=_longest(c.before for c in cycle),
        is_sum=kind is LimitKind.RECURRENCE and _is_sum(problem, nodes),
        turns=problem.block.interleaved,
    )


SUMS = frozenset(OPERATIONS[name] for name in ("f32_add", "f32_mul", "f64_add", "f64_mul"))
_NOUNS = {"add": "addition", "mul": "product", "div": "division", "sqrt": "square root"}


def _longest(nodes: Iterable[Node]) -> tuple[tuple[str, int, int], ...]:
    """What floating-point operations and the like there are among some nodes, by their cycles."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for node in nodes:
        if node.op is not None and node.op.core and node.latency:
            found[_name(node.op)].append(node.latency)
    rows = [(what, len(cycles), sum(cycles)) for what, cycles in found.items()]
    return tuple(sorted(rows, key=lambda row: -row[2]))


def _is_sum(problem: Problem, nodes: set[Node]) -> bool:
    """Whether the nodes of a recurrence add terms to one value, or multiply them, in some
    iterations or all, and nothing but the loop's end reads that."""
    kinds = {type(node.op) for node in nodes if node.kind is NodeKind.OP and node.op is not None}
    kinds -= {Select}
    if len(kinds) != 1 or not kinds <= SUMS or not _longest(nodes):
        return False
    others = (n for n in problem.nodes if n not in nodes and n is not problem.end)
    return all(nodes.isdisjoint(other.inputs) for other in others)


def _name(op: Op) -> str:
    """What a core does, as a reader of the C calls it."""
    if isinstance(op, MacroOp):
        return f"call of `{op.function}`"
    assert isinstance(op, FloatOp), "nothing else has a core"
    noun = _NOUNS.get(op.slug.partition("_")[2])
    return f"{noun} of `{op.row.types[0]}`" if noun else f"`{op.slug}`"


def _is_of(type_: str, what: str) -> bool:
    return what.endswith(f" of `{type_}`") and not what.startswith("call")


def _counted(what: str, count: int) -> str:
    """`an addition of ...`, or `3 additions of ...`."""
    if count == 1:
        return f"a{'n' if what[0] in 'aeiou' else ''} {what}"
    noun, of, type_ = what.partition(" of ")
    return f"{count} {noun}s{of}{type_}" if of else f"{count} {what}"


def _busiest_memory(problem: Problem) -> str:
    """That whose unit serves most; none where that is the multipliers."""
    unit = max(problem.served().items(), key=lambda item: len(item[1]))[0]
    return unit.partition(" ")[2]


def _lines(nodes: Iterable[Node]) -> tuple[int, ...]:
    return tuple(sorted({node.line for node in nodes if node.line}))


def _where(lines: tuple[int, ...]) -> str:
    return f" ({lines_text(lines)})" if lines else ""
