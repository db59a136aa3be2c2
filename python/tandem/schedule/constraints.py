# SPDX-License-Identifier: Apache-2.0
"""What the operations of a block demand of each other: a system of difference constraints.

A node is an operation, or one of the two ends of a loop parameter: the cycle in which an iteration
reads it and the cycle in which it writes the next one's. A constraint (u, v, c) says
start(v) >= start(u) + c. Node 0 is cycle 0 of an iteration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from tandem import policy
from tandem.analysis.ranges import turns_of
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.loops import loop_around, natural_loops
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import WIRING, Access, Divide, Load, Mul, Op, Poll, Push, Room, Store, Take
from tandem.ir.wiring import makers_of
from tandem.schedule.access_orders import AccessOrder, access_orders, is_alone
from tandem.schedule.cover import Cover, covers_of
from tandem.schedule.delays import Operator, Target, with_latency
from tandem.schedule.expected import MANY, expected_entries

LASTING = (Store, Push, Take)
"""What cannot be undone: an iteration does it only when it is known that the one before it was not
the last."""
MULTIPLIERS = "multipliers"
"""The unit of products that share some."""
BUSY = "a divider takes one division after the other"
EXIT = "the loop's exit must be known before what the next iteration does can last"


class NodeKind(StrEnum):
    """What has a cycle."""

    ORIGIN = "origin"
    OP = "op"
    READ = "read"
    """Of a loop's parameter."""
    WRITE = "write"
    """The same."""
    DECIDE = "decide"
    """Where the next block is chosen."""
    END = "end"
    """The last cycle."""


@dataclass(eq=False)
class Node:
    """What has a cycle, and what takes it there."""

    kind: NodeKind
    op: Op | None = None
    delay_ps: int = 0
    inputs: list[Node] = field(default_factory=list)
    latency: int = 0
    """Cycles after the start from which the result can be used: of a memory read, and of an
    operator with registers inside."""
    request_ps: int = 0
    """Delay of the path that ends here, in the cycle of the start."""
    answer_ps: int = 0
    """Delay with which the path of a result with latency starts."""
    unit: str = ""
    """What serves the operation, one or a few a cycle: the reading or the writing side of a memory,
    `MULTIPLIERS`, or the cores of a kind of operation; empty for an operation that has its own
    hardware."""
    inside_ps: int = 0
    """The longest path between two registers inside."""
    reads: list[Node] | None = None
    """What its path begins with, where its look-up table reads other values than its inputs."""

    @property
    def line(self) -> int:
        return self.op.line if self.op else 0

    @property
    def memory(self) -> str:
        """The memory that an access is to."""
        return self.op.memory.name if self.op is not None and isinstance(self.op, Access) else ""


@dataclass
class Constraint:
    before: Node
    after: Node
    cycles: int
    per_ii: int = 0
    """The constraint is start(after) >= start(before) + cycles - per_ii * ii."""
    why: str = ""
    memory: str = ""
    """The memory that it is about."""
    follows: bool = False
    """Whether others that are longer together say it too."""
    is_chain: bool = False
    """Whether it parts two ends of a path that is longer than the clock period."""

    def weight(self, ii: int) -> int:
        """The least distance of the two starts."""
        return self.cycles - self.per_ii * ii


@dataclass
class Problem:
    """The block's nodes in an order of evaluation, and the constraints between them."""

    block: Block
    is_loop: bool
    nodes: list[Node] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    node_of: dict[Op, Node] = field(default_factory=dict)
    writes: dict[Op, Node] = field(default_factory=dict)
    origin: Node = field(default_factory=lambda: Node(NodeKind.ORIGIN))
    decide: Node = field(default_factory=lambda: Node(NodeKind.DECIDE))
    end: Node = field(default_factory=lambda: Node(NodeKind.END))
    capacity: dict[str, int] = field(default_factory=dict)
    """Unit -> how many operations it serves in a cycle."""
    early: dict[Node, int] = field(default_factory=dict)
    """Of a pipeline that a loop around it could leave early: what has to be over so many cycles
    after that."""
    early_bits: float = 0
    """How many bits may wait instead for each iteration that it is left earlier."""

    def need(
        self,
        before: Node,
        after: Node,
        cycles: int,
        per_ii: int = 0,
        why: str = "",
        memory: str = "",
    ) -> None:
        self.constraints.append(Constraint(before, after, cycles, per_ii, why, memory))

    @cached_property
    def place(self) -> dict[Node, int]:
        """Where each node is in their order. To be asked for once all of them are there."""
        return {node: i for i, node in enumerate(self.nodes)}

    @cached_property
    def leaving(self) -> list[list[tuple[int, int, int, Constraint]]]:
        """(place of `after`, cycles, per_ii, constraint) of each node's constraints on later ones,
        but for those that follow from others. To be asked for once all constraints are there."""
        found: list[list[tuple[int, int, int, Constraint]]] = [[] for _ in self.nodes]
        for c in self.constraints:
            if not c.follows:
                found[self.place[c.before]].append((self.place[c.after], c.cycles, c.per_ii, c))
        return found

    def served(self) -> dict[str, list[Node]]:
        """Unit -> the operations that it serves, in program order."""
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            if node.unit:
                found.setdefault(node.unit, []).append(node)
        return found

    def busiest(self) -> tuple[str, int]:
        """The unit that an iteration occupies for most cycles, and for how many: the least `ii`
        that units allow. ('', 1) where none is needed twice."""
        cycles = {
            unit: -(-len(nodes) // self.capacity[unit]) for unit, nodes in self.served().items()
        }
        unit = max(cycles, key=cycles.__getitem__, default="")
        return (unit, cycles[unit]) if unit and cycles[unit] > 1 else ("", 1)


@dataclass
class Latencies:
    """The latencies chosen: of reading a memory, of every product of a block, and of a division.
    Where none is, it is the lowest that the target has."""

    reads: dict[str, int] = field(default_factory=dict)
    products: dict[Block, int] = field(default_factory=dict)
    divisions: dict[Op, int] = field(default_factory=dict)

    def of(self, block: Block) -> tuple[Hashable, ...]:
        """Those that matter to a block, and some that do not."""
        return *self.reads.items(), self.products.get(block, 0), *self.divisions.values()


class Setting:
    """What is the same for every block, whatever its latencies are. `sharing`: how many operations
    of the whole kernel each unit serves; `covers` of all its logic; `cores`: how many there are of
    each. `is_core`: the kernel is one, whose operands come and go every cycle."""

    def __init__(self, kernel: Kernel, target: Target, is_core: bool = False) -> None:
        self.kernel = kernel
        self.target = target
        self.is_core = is_core
        self.cores = Counter(op.core for _, op in kernel.ops() if op.core)
        accesses = (op for _, op in kernel.ops() if isinstance(op, Access))
        self.sharing = Counter(unit_name(op.memory.name, op.slug) for op in accesses)
        self.sharing[MULTIPLIERS] = sum(isinstance(op, Mul) for _, op in kernel.ops())
        self.sharing.update(self.cores)
        self._orders: dict[Block, list[AccessOrder]] = {}
        self.problems: dict[tuple[Hashable, ...], Problem] = {}
        """What blocks ask for, by block and latencies, whatever the clock is."""
        self.covers: dict[Op, Cover] = {}
        for block in kernel.blocks:
            self.covers |= covers_of(block, target)
        self.rounds = _rounds(kernel)
        cores = [target.core(kind).area for kind in self.cores]
        self.least_area = policy.LEAVING_AREA + sum(core["lut4"] + core["ff"] for core in cores)
        """About how many look-up tables and flip-flops the kernel takes at least."""

    def with_all_cores(self) -> Setting:
        """The same once more, for another clock."""
        other = copy(self)
        other.cores = Counter({kind: self.sharing[kind] for kind in self.cores})
        return other

    def orders(self, block: Block) -> list[AccessOrder]:
        """What a block's accesses must wait for each other."""
        if block not in self._orders:
            self._orders[block] = access_orders(self.kernel, block)
        return self._orders[block]

    def trips(self, block: Block) -> float:
        """How often a loop runs once it is entered: in the middle of what it may be, if that is
        known to be few."""
        turns = turns_of(self.kernel).get(block)
        return min(sum(turns) / 2, MANY.loops) if turns else MANY.loops

    @cached_property
    def entries(self) -> dict[Block, float]:
        """How often each block is expected to be entered in a call."""
        return expected_entries(self.kernel)

    @cached_property
    def shares(self) -> dict[Block, float]:
        """About what part of the time each block takes."""
        times = {b: n * (self.trips(b) if b.is_loop else 1) for b, n in self.entries.items()}
        total = sum(times.values())
        return {block: time / total for block, time in times.items()}

    def operators(self, op: Op) -> list[Operator]:
        """The ways to do an operation that is no access, by latency. In front of what it shares
        with others is a choice, and a register behind that."""
        found = self.target.operators(op)
        if op.core:
            ways = -(-self.sharing[op.core] // self.cores[op.core])
            return [replace(way, request_ps=self.target.choice_ps(ways)) for way in found]
        if not isinstance(op, Mul) or not self.kernel.multipliers:
            return found
        chosen_ps = self.target.choice_ps(-(-self.sharing[MULTIPLIERS] // self.kernel.multipliers))
        return [replace(way, request_ps=chosen_ps) for way in found if way.latency_cycles]


def build_problem(
    setting: Setting, block: Block, latencies: Latencies, passes_on: bool = False
) -> Problem:
    """The constraints of one block, but for what its clock asks for; a loop block is a pipeline.
    With `passes_on`, what a memory or a product answers goes to the next iteration in the cycle in
    which it comes: a cycle less, and the choice between the first value and that one more on the
    path that it starts. What another clock has asked for already is not built again."""
    asked = block, passes_on, *latencies.of(block), *setting.cores.items()
    if asked not in setting.problems:
        setting.problems[asked] = _built(setting, block, latencies, passes_on)
    found = setting.problems[asked]
    return replace(found, constraints=[*found.constraints])


def _built(setting: Setting, block: Block, latencies: Latencies, passes_on: bool) -> Problem:
    problem = Problem(block, block.is_loop)
    problem.nodes.append(problem.origin)
    if problem.is_loop or setting.is_core:
        for parameter in block.parameters:
            node = Node(NodeKind.READ, parameter)
            problem.node_of[parameter] = node
            problem.nodes.append(node)
            if setting.is_core:
                problem.need(problem.origin, node, 0)
                problem.need(node, problem.origin, 0)
    for op in block.ops:
        if not isinstance(op, WIRING):
            if isinstance(op, Access):
                node = _access(problem, setting, op, latencies)
            else:
                node = _operation(problem, setting, op, latencies)
            _add_op(problem, node)
    for op, node in problem.node_of.items():
        cover = setting.covers.get(op)
        if (
            cover and op.width > 1
        ):  # the way of a single bit, which many read, is routing more than tables
            node.reads, node.delay_ps = _inputs(problem, cover.reads), cover.delay_ps
    _add_decision(problem, setting.target)
    if problem.is_loop:
        _add_recurrences(problem, setting.target, passes_on)
    _add_memory_order(problem, setting.orders(block))
    _add_end(problem)
    if block in setting.rounds:
        sooner = setting.rounds[block]
        problem.early = dict.fromkeys([problem.decide, *problem.writes.values()], 0)
        problem.early |= {n: sooner[n.op] for n in problem.nodes if n.op in sooner}
        problem.early_bits = setting.least_area * setting.shares[block] / setting.trips(block)
    return problem


def _rounds(kernel: Kernel) -> dict[Block, dict[Op, int]]:
    """Pipelines that a loop around them could leave early, as nothing that they make has to be
    waited for; their accesses that come before those of the blocks around them, and how many
    blocks are between at least."""
    loops, found = natural_loops(kernel), dict[Block, dict[Op, int]]()
    for block in (block for block in loops if block.is_loop):
        outer = loop_around(block, loops)
        if outer and not any(map(_takes_long, makers_of(block.exit_edge.arguments))):
            found[block] = {}
            for other, blocks in _behind(block, loops[outer]).items():
                for op in (
                    op for op in block.ops if isinstance(op, Access) and op not in found[block]
                ):
                    if any(_comes_before(op, o, outer) for o in other.ops if isinstance(o, Access)):
                        found[block][op] = blocks
    return found


def _behind(inner: Block, body: set[Block]) -> dict[Block, int]:
    """The blocks of a loop around a pipeline that are no loops, the nearest ones first, and how
    many are between."""
    found, left = dict[Block, int](), [inner.exit_edge.block]
    while left:
        here = [b for b in dict.fromkeys(left) if b in body and not b.is_loop and b not in found]
        blocks = max(found.values(), default=-1) + 1
        found |= dict.fromkeys(here, blocks)
        left = [s for block in here for s in block.successors]
    return found


def _comes_before(op: Op, other: Op, outer: Block) -> bool:
    """Whether an access in a block around a pipeline waits for one of the pipeline's."""
    if op.memory is not other.memory:
        return False
    is_met = isinstance(other, Store) or not (is_alone(op, outer) and is_alone(other, outer))
    return type(op) is type(other) or is_met


def _takes_long(op: Op) -> bool:
    return isinstance(op, Access) or bool(op.core) or isinstance(op, (Mul, Divide))


def _inputs(problem: Problem, values: Iterable[Op]) -> list[Node]:
    return [problem.node_of[s] for s in makers_of(values) if s in problem.node_of]


def unit_name(memory: str, kind: str) -> str:
    """The side of a memory that serves its loads or its stores (`kind`)."""
    return f"{kind} {memory}"


def _ports(target: Target, memory: Memory, kind: type[Op]) -> int:
    """How many accesses of a kind a memory serves in a cycle."""
    is_read = memory.kind is MemoryKind.RAM and kind is Load
    return target.memories.read_ports if is_read else 1


def _waits_for(op: Op) -> list[Op]:
    """What must be known when an operation starts. A load reads, and a poll asks, before it is
    known whether that is wanted: whoever asks for its value knows."""
    if isinstance(op, Poll):
        return []
    return op.operands[:1] if isinstance(op, Load) else op.operands


def _access(problem: Problem, setting: Setting, op: Op, latencies: Latencies) -> Node:
    """The node of a load or store, and its unit's capacity."""
    target, memory = setting.target, op.memory
    unit, ports = unit_name(op.memory.name, op.slug), _ports(target, memory, type(op))
    problem.capacity[unit] = ports
    node = Node(NodeKind.OP, op, inputs=_inputs(problem, _waits_for(op)), unit=unit)
    node.request_ps = target.request_ps(memory, type(op), -(-setting.sharing[unit] // ports))
    if isinstance(op, Load):
        read = with_latency(target.reads(memory), latencies.reads.get(op.memory.name, 0))
        node.latency, node.answer_ps = read.latency_cycles, read.answer_ps
    return node


def _operation(problem: Problem, setting: Setting, op: Op, latencies: Latencies) -> Node:
    """The node of what is no access, and the capacity of a unit that it shares."""
    latency = latencies.divisions.get(op, 0)
    if isinstance(op, Mul):
        latency = latencies.products.get(problem.block, 0)
    way = with_latency(setting.operators(op), latency)
    if isinstance(op, Take):
        way = replace(way, delay_ps=setting.target.fifo_ps(op.memory))
    if isinstance(op, Room):
        way = replace(way, delay_ps=setting.target.room_ps(op.memory))
    unit = ""
    if isinstance(op, Mul) and setting.kernel.multipliers:
        unit = MULTIPLIERS
        problem.capacity[unit] = setting.kernel.multipliers
    if op.core:
        unit = op.core
        problem.capacity[unit] = setting.cores[unit]
    return Node(
        NodeKind.OP,
        op,
        way.delay_ps,
        _inputs(problem, _waits_for(op)),
        way.latency_cycles,
        way.request_ps,
        way.answer_ps,
        unit,
        inside_ps=way.inside_ps,
    )


def _add_op(problem: Problem, node: Node) -> None:
    op = node.op
    assert op is not None
    problem.node_of[op] = node
    problem.nodes.append(node)
    for before in node.inputs:
        problem.need(before, node, before.latency)
    problem.need(problem.origin, node, 0)
    if isinstance(op, Divide) and problem.is_loop:
        problem.need(node, node, node.latency, 1, BUSY)
    if isinstance(op, (Take, Poll)):
        problem.need(node, problem.origin, 0, why="records are taken when an iteration starts")


def _add_decision(problem: Problem, target: Target) -> None:
    condition = problem.block.end.condition
    decide = problem.decide
    decide.request_ps = target.decision_ps
    decide.inputs = _inputs(problem, [condition] if condition is not None else [])
    problem.nodes.append(decide)
    problem.need(problem.origin, decide, 0)
    for before in decide.inputs:
        problem.need(before, decide, before.latency)
    if problem.is_loop:
        for node in problem.nodes:
            if node.op is not None and node.kind is NodeKind.OP and isinstance(node.op, LASTING):
                problem.need(decide, node, 1, 1, EXIT)
                if isinstance(
                    node.op, Push
                ):  # its place in the FIFO is taken as an iteration starts
                    problem.need(decide, problem.origin, 1, 1, EXIT)


def carries_answers(problem: Problem) -> bool:
    """Whether a parameter's next value is there without logic: what a memory or a product answers,
    or what another parameter is."""
    return bool(_arriving(problem))


def _arriving(problem: Problem) -> dict[Op, Node]:
    """Parameters whose next value is there without logic, and what makes it. Of parameters that
    are each other's next values, only those that operations read, and no two in a row: each
    passes through a choice on the way."""
    read_by_operations = {before for node in problem.nodes for before in node.inputs}
    makers = _makers(problem)
    found = {parameter: node for parameter, node in makers.items() if node.latency}
    for parameter, node in makers.items():
        read = problem.node_of[parameter]
        in_a_row = node.op in found or read in found.values()
        if node.kind is NodeKind.READ and read in read_by_operations and not in_a_row:
            found[parameter] = node
    return found


def _makers(problem: Problem) -> dict[Op, Node]:
    """Parameters whose next value comes from one node other than themselves, and that node."""
    found: dict[Op, Node] = {}
    block = problem.block
    for parameter, following in zip(block.parameters, block.back_edge.arguments, strict=True):
        nodes = {problem.node_of.get(source) for source in makers_of([following])}
        node = nodes.pop() if len(nodes) == 1 else None
        if node is not None and node.op is not parameter:
            found[parameter] = node
    return found


def _add_recurrences(problem: Problem, target: Target, passes_on: bool) -> None:
    block = problem.block
    arriving = _arriving(problem) if passes_on else {}
    pairs = zip(block.parameters, block.back_edge.arguments, strict=True)
    for parameter, following in pairs:
        read = problem.node_of[parameter]
        write = Node(NodeKind.WRITE, parameter, 0, _inputs(problem, [following]))
        problem.writes[parameter] = write
        problem.nodes.append(write)
        problem.need(problem.origin, read, 0)
        problem.need(problem.origin, write, 0)
        for before in write.inputs:
            problem.need(before, write, before.latency)
        if parameter in arriving:
            read.answer_ps = arriving[parameter].answer_ps + target.choice_ps(2)
        cycles = int(parameter not in arriving)
        problem.need(write, read, cycles, 1, "the next iteration needs the value")
        # The register must not be overwritten before this iteration has read it. (A value that
        # arrives is written in the cycle in which the next iteration reads it.)
        problem.need(read, write, 0)


def _add_memory_order(problem: Problem, orders: list[AccessOrder]) -> None:
    for o in orders:
        before, after = problem.node_of[o.first], problem.node_of[o.second]
        constraint = Constraint(before, after, 1, o.iterations, o.why, o.memory, o.follows)
        problem.constraints.append(constraint)


def _add_end(problem: Problem) -> None:
    end = problem.end
    for node in problem.nodes:
        problem.need(node, end, node.latency)
    end.inputs = _inputs(problem, _leaving_values(problem.block))
    for before in end.inputs:
        problem.need(before, end, before.latency)
    problem.nodes.append(end)


def _leaving_values(block: Block) -> list[Op]:
    """What the edges out of the block carry."""
    values = [] if block.end.value is None else [block.end.value]
    for edge in block.end.edges:
        if edge.block is not block:
            values += edge.arguments
    return values
