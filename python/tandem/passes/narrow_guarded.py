# SPDX-License-Identifier: Apache-2.0
"""narrow-guarded: what only accesses under a condition need has only the bits that this leaves.

`if (x < 0 || x >= W || y < 0 || y >= H) continue; seen[y * W + x] = 1;` tests the coordinates of a
neighbour: where it stores they are less than W and H, and so many bits are enough for them, for
what the index is made of and for the registers that bring it there. Where it does not store, the
index may be any.

Requires: if-convert; simplify. Indices that loops step through, and those that are a known distance
apart, stay as they are: what is known of when accesses meet goes by their sums.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Set

from tandem.analysis.guarded import Guarded
from tandem.analysis.linear import Sums
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import RangeFinder, finder_of
from tandem.analysis.readers import read_by
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, Op
from tandem.ir.wiring import bits_of, leading_zeros
from tandem.passes.rebuild import remake
from tandem.passes.simplify import refold_and_tidy

SLUG = "narrow-guarded"
SUMMARY = "drop the bits of what accesses are given that are 0 wherever they happen"

Needed = dict[Op, Op]
"""Operations that are only needed where a condition holds, and that condition."""
Widths = dict[tuple[Op, int], int]
"""(operation, which operand) -> above how many of its bits there are zeros where it is needed."""


def run(kernel: Kernel) -> bool:
    """Whether there were any such bits."""
    if not any(op.enable is not None for _, op in kernel.ops()):
        return False
    finder = finder_of(kernel)
    sums = Sums(finder.found)
    widths = _narrower(kernel, finder, sums, frozenset())
    if widths:  # else there is none without those that stay either
        widths = _narrower(kernel, finder, sums, _as_they_are(kernel, finder, sums))

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        given = [
            builder.resize(builder.extract(o, 0, widths[op, i]), o.width)
            if (op, i) in widths
            else o
            for i, o in enumerate(operands)
        ]
        return remake(builder, op, given if given != operands else operands)

    return bool(widths) and refold_and_tidy(kernel, change)


def _narrower(kernel: Kernel, finder: RangeFinder, sums: Sums, stays: Set[Op]) -> Widths:
    """What has more zeros where it is needed than anywhere. `stays`: accesses whose indices are
    left as they are."""
    always, needed = _read_elsewhere(kernel), Needed()
    for block in kernel.blocks:
        needed |= _needed_where(block, always, stays)
    known = {condition: finder.known_where(condition) for condition in set(needed.values())}
    guarded = {c: Guarded(finder, sums, found) for c, found in known.items() if found is not None}
    return {
        (op, place): bits
        for op, condition in needed.items()
        if condition in guarded
        for place, bits in _widths(guarded[condition], op, op in stays)
    }


def _read_elsewhere(kernel: Kernel) -> set[Op]:
    """Values that something else reads than operations of the block that makes them."""
    own = {op: block for block in kernel.blocks for op in block.ops}
    found = {o for b in kernel.blocks for op in b.ops for o in op.operands if own.get(o) is not b}
    return found.union(*(read_by(b, but=own) for b in kernel.blocks))


def _needed_where(block: Block, always: set[Op], stays: Set[Op]) -> Needed:
    """The operations of a block that nothing but accesses under one condition needs, and these.
    What else is needed joins those that are so `always`."""
    found: Needed = {}
    for op in reversed(block.ops):
        condition = op.enable if not op.pure else None if op in always else found.get(op)
        if condition is None:
            found.pop(op, None)
            always.update(op.operands)
            continue
        found[op] = condition
        given = op.operands[: op.enable_at]
        always.update(op.operands[len(given) :])
        always.update(given[:1] if op in stays else ())
        for operand in given:
            if found.setdefault(operand, condition) is not condition:
                always.add(operand)
    return {op: condition for op in block.ops if (condition := found.get(op)) is not None}


def _widths(guarded: Guarded, op: Op, stays: bool) -> Iterator[tuple[int, int]]:
    """The operands that have more zeros where an operation is needed than anywhere, and how many
    bits are left of each. An index that `stays` is none of them."""
    for place, operand in enumerate(op.operands[: op.enable_at]):
        if not (stays and place == 0):
            bits = guarded.bits(operand)
            if bits < operand.width - leading_zeros(bits_of(operand)):
                yield place, bits


def _as_they_are(kernel: Kernel, finder: RangeFinder, sums: Sums) -> set[Op]:
    """Accesses whose indices loops step through; and those that are compared with others of their
    memory by what their indices are sums of, unless it is one index under one condition."""
    nests = Nests.of(kernel, finder.found)
    found: set[Op] = set()
    alike: dict[Hashable, list[Op]] = {}
    for access in (op for _, op in kernel.ops() if isinstance(op, Access)):
        form = nests.form(access.index) if access.enable is not None else None
        if form is not None and form.steps:
            found.add(access)
        terms = sums.form(access.index)
        parts = terms.terms.items() if terms is not None else [(access.index, 1)]
        alike.setdefault((access.memory, frozenset(parts)), []).append(access)
    for accesses in alike.values():
        if len({(access.index, access.enable) for access in accesses}) > 1:
            found.update(accesses)
    return found
