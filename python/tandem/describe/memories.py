# SPDX-License-Identifier: Apache-2.0
"""A kernel's memories and streams as data, and how busy each pipeline keeps what serves them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tandem.ir.memory import Memory
from tandem.schedule.problem import Problem
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule


def memories_json(schedule: KernelSchedule) -> list[dict[str, Any]]:
    """Each memory, with what every pipeline asks of its ports."""
    depths = schedule.fifo_depths
    return [
        {
            "name": memory.name,
            "kind": memory.kind,
            "element_bits": memory.element_bits,
            "depth": depths.get(memory.name, memory.depth),
            "ports": list(_ports(schedule, memory)),
        }
        for memory in schedule.kernel.memories.values()
    ]


def _ports(schedule: KernelSchedule, memory: Memory) -> Iterator[dict[str, Any]]:
    """What pipelines ask of a memory: of its ports of a kind, so many accesses an iteration."""
    for s in schedule.blocks.values():
        if s.ii and s.problem is not None:
            yield from _of_pipeline(s, s.problem, memory)


def _of_pipeline(s: BlockSchedule, problem: Problem, memory: Memory) -> Iterator[dict[str, Any]]:
    for unit, nodes in problem.served().items():
        if nodes[0].memory == memory.name and nodes[0].op is not None:
            yield {
                "line": int(s.block.loop.line),
                "column": s.block.loop.column,
                "access": nodes[0].op.slug,
                "ports": problem.capacity[unit],
                "accesses": len(nodes),
                "ii": s.ii,
                "lines": sorted({int(node.line) for node in nodes}),
            }
