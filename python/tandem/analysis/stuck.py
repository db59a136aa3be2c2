# SPDX-License-Identifier: Apache-2.0
"""Which bits of parameters, and of choices, are one known bit whenever they are read: synthesis
makes no register and no table of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tandem.analysis.demanded import parameter_sources
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op, Select
from tandem.ir.wiring import Bit, bits_of

Ways = dict[Bit, list[Bit]]
"""What a bit may be."""


def stuck_bits(kernel: Kernel) -> dict[Op, int]:
    """For each value a mask of them. Every bit is taken to be nothing yet, then what those that it
    may be are, until two of these differ."""
    ways: Ways = {}
    for parameter, values in parameter_sources(kernel).items():
        _add(ways, parameter, values)
    for _, op in kernel.ops():
        if isinstance(op, Select):
            _add(ways, op, op.operands[1:])
    masks: dict[Op, int] = defaultdict(int)
    for op, i in ways.keys() - _varying(ways):
        masks[op] |= 1 << i
    return masks


def _add(ways: Ways, op: Op, values: Sequence[Op]) -> None:
    for i, column in enumerate(zip(*map(bits_of, values), strict=True)):
        ways[op, i] = list(column)


def _varying(ways: Ways) -> set[Bit]:
    read_by: dict[Bit, list[Bit]] = defaultdict(list)
    for bit, sources in ways.items():
        for source in sources:
            read_by[source].append(bit)
    known: dict[Bit, int] = {0: 0, 1: 1}
    varying: set[Bit] = set()
    work = list(ways)
    while work:
        bit = work.pop()
        found = {known.get(source) for source in ways[bit]} - {None}
        differs = any(s in varying or (s not in known and s not in ways) for s in ways[bit])
        if bit not in varying and (differs or len(found) > 1):
            varying.add(bit)
        elif bit not in varying and bit not in known and found:
            known[bit] = found.pop() or 0
        else:
            continue
        work += read_by[bit]
    return varying
