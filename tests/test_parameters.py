# SPDX-License-Identifier: Apache-2.0
"""Parameters made shorter all at once are what they would be one after the other."""

from __future__ import annotations

import pytest
from tandem.ir.blocks import Block, Branch, Edge, Jump
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Parameter, constant
from tandem.ir.wiring import bits_of
from tandem.passes import parameters
from tandem.passes.parameters import Shortening

WIDTH = 32


def ring() -> tuple[Kernel, Block]:
    """A loop whose parameters are each other's next values, the first one of a few bits."""
    entry, loop, after = Block("entry"), Block("loop"), Block("after")
    loop.parameters = [Parameter((), WIDTH, {}, 0, name) for name in "abc"]
    a, b, c = loop.parameters
    kernel = Kernel("f", blocks=[entry, loop, after])
    builder = Builder(kernel, loop)
    following = [builder.resize(builder.extract(b, 0, 4), WIDTH), c, a]
    entry.end = Jump(edges=[Edge(loop, [constant(1, WIDTH)] * 3)])
    edges = [Edge(loop, following), Edge(after)]
    loop.end = Branch(builder.extract(a, 0, 1), edges=edges)
    return kernel, loop


def shown(kernel: Kernel) -> list[str]:
    """The operations, and what the edges carry, by the names of parameters and their bits."""
    read = [op for block in kernel.blocks for edge in block.end.edges for op in edge.arguments]
    bits = [bits_of(op) for op in read]
    kinds = " ".join(op.slug for block in kernel.blocks for op in block.ops)
    return [kinds, *(" ".join(map(_name, of)) for of in bits)]


def _name(bit: object) -> str:
    return f"{bit[0].name}{bit[1]}" if isinstance(bit, tuple) else str(bit)


@pytest.mark.parametrize("low", [0, 2])
def test_all_at_once_is_one_after_the_other(low: int) -> None:
    texts = []
    for at_once in (True, False):
        kernel, loop = ring()
        shortening = Shortening(kernel)
        for place in range(3):
            shortening.shorten(loop, place, low, 8, kernel.predecessors()[loop])
            if not at_once:
                assert shortening.end()
                shortening = Shortening(kernel)
        shortening.end()
        assert [p.width for p in loop.parameters] == [8] * 3
        texts.append(shown(kernel))
    assert texts[0] == texts[1]


def test_readers_are_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    walks: list[int] = []
    walk = parameters.substitute
    monkeypatch.setattr(
        parameters, "substitute", lambda k, replace: (walks.append(len(replace)), walk(k, replace))
    )
    kernel, loop = ring()
    shortening = Shortening(kernel)
    for place in range(3):
        shortening.shorten(loop, place, 0, 8, kernel.predecessors()[loop])
    assert shortening.end()
    assert walks == [3]
