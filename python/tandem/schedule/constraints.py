# SPDX-License-Identifier: Apache-2.0
"""What the operations of a block demand of each other, as difference constraints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tandem.ir.blocks import Block
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import WIRING, Access, Divide, Load, Mul, Op, Poll, Push, Room, Store, Take
from tandem.ir.wiring import makers_of
from tandem.schedule.access_orders import AccessOrder
from tandem.schedule.delays import Target, with_latency
from tandem.schedule.problem import Constraint, Node, NodeKind, Problem
from tandem.schedule.setting import MULTIPLIERS, Latencies, Setting, unit_name

LASTING = (Store, Push, Take)
"""What cannot be undone: an iteration does it only when it is known that the one before it was not
the last."""
BUSY = "a divider takes one division after the other"
EXIT = "the loop's exit must be known before what the next iteration does can last"


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
    return setting.problems[asked].again()


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
        # The way of a single bit, which many read, is routing more than tables.
        if cover and op.width > 1:
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


def _inputs(problem: Problem, values: Iterable[Op]) -> list[Node]:
    return [problem.node_of[s] for s in makers_of(values) if s in problem.node_of]


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
    lasting = [n for n in problem.nodes if n.kind is NodeKind.OP and isinstance(n.op, LASTING)]
    for node in lasting if problem.is_loop else ():
        problem.need(decide, node, 1, 1, EXIT)
        if isinstance(node.op, Push):  # its place in the FIFO is taken as an iteration starts
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
