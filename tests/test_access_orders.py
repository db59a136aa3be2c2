# SPDX-License-Identifier: Apache-2.0
"""What a block's accesses wait for each other: orders that follow from others change no start."""

from __future__ import annotations

import random
from typing import cast

import pytest
from tandem.ir.blocks import Block
from tandem.ir.ops import Op
from tandem.schedule.access_orders import MEETING, AccessOrder, _tell_what_follows
from tandem.schedule.problem import Constraint, Node, NodeKind, Problem
from tandem.schedule.starts import Starts, Unmeetable

ACCESSES = 12
IIS = (1, 2, 3, 5, 8, 13)


def problem(orders: list[AccessOrder], places: list[tuple[int, int, int]]) -> Problem:
    made = Problem(Block("loop"), True)
    made.nodes += [made.origin, *(Node(NodeKind.OP) for _ in range(ACCESSES))]
    for node in made.nodes[1:]:
        made.need(made.origin, node, 0)
    for order, (a, b, n) in zip(orders, places, strict=True):
        before, after = made.nodes[a + 1], made.nodes[b + 1]
        made.constraints.append(Constraint(before, after, 1, n, MEETING, follows=order.follows))
    return made


def starts(of: Problem, ii: int) -> list[int] | None:
    """When everything starts; None where that cannot be."""
    try:
        return list(Starts(of, ii).all().values())
    except Unmeetable:
        return None


def told(places: list[tuple[int, int, int]]) -> list[AccessOrder]:
    access = cast(Op, None)
    orders = [AccessOrder(access, access, n) for _, _, n in places]
    _tell_what_follows(orders, places)
    return orders


@pytest.mark.parametrize("seed", range(60))
def test_what_follows_changes_no_start(seed: int) -> None:
    drawn = random.Random(seed)
    pairs = [(a, b) for a in range(ACCESSES) for b in range(ACCESSES)]
    share = drawn.choice([0.2, 0.5, 0.9, 1.0])
    within = [(a, b, 0) for a, b in pairs if a < b and drawn.random() < share]
    carried = [(a, b, drawn.choice([1, 1, 2])) for a, b in pairs if drawn.random() < share]
    places = within + carried
    orders = told(places)
    every = problem([AccessOrder(o.first, o.second) for o in orders], places)
    needed = problem(orders, places)
    assert [starts(needed, ii) for ii in IIS] == [starts(every, ii) for ii in IIS]


def test_of_accesses_in_a_chain_the_links_are_left() -> None:
    pairs = [(a, b) for a in range(ACCESSES) for b in range(ACCESSES)]
    places = [(a, b, 0) for a, b in pairs if a < b] + [(a, b, 1) for a, b in pairs]
    left = [place for o, place in zip(told(places), places, strict=True) if not o.follows]
    links = [(a, a + 1, 0) for a in range(ACCESSES - 1)]
    assert left == [*links, (ACCESSES - 1, 0, 1)]
