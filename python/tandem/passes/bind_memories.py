# SPDX-License-Identifier: Apache-2.0
"""Arrays behind a port that takes an index; of which all is written before any of it is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from tandem.analysis.extents import Bytes
from tandem.analysis.fills import fills
from tandem.analysis.reaches import REACH_BITS
from tandem.ir.argument import ArgumentKind, Extent
from tandem.ir.blocks import Block
from tandem.ir.builder import meaning
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Constant, Load, Op, Store, constant
from tandem.ir.wiring import Bits, bits_of
from tandem.passes.argument_binding import Binding, Use, extent_of


def bind_memory(binding: Binding, is_exact: bool) -> None:
    """`is_exact`: of its extent it is shown already what every call uses."""
    argument, memory = binding.argument, binding.memory
    writes = any(isinstance(a.op, Store) for a in binding.accesses)
    argument.kind = ArgumentKind.MEMORY
    argument.direction = "out" if argument.made else "inout" if writes else "in"
    memory.kind = MemoryKind.EXTERNAL
    if argument.joins or is_exact:
        return  # its extent follows from those of its parts, or is taken over
    accesses = [(a.block, a.op) for a in _first_ones(binding)]
    found = binding.extents.of_accesses(accesses, binding.element_bytes)
    reached = found
    if found is None and argument.variable is not None:  # C lets nothing be beyond it
        reached = Bytes(constant(argument.variable.bytes, REACH_BITS), False)
    if not accesses:
        found = Bytes(constant(0, REACH_BITS), True)
    elif reached is not None and (written := _written_first(binding, accesses, reached)):
        found, argument.direction = written, "out"
    if found is None:
        unbounded = binding.extents.unbounded(accesses, binding.element_bytes)
        argument.extent = Extent(line=unbounded.line)
    else:
        argument.extent = extent_of(binding.extents, found)


def _first_ones(binding: Binding) -> list[Use]:
    """The accesses but for those of elements that a store has written in any case since their
    index was found: these reach nothing else, and nothing that comes with the call."""
    accesses = binding.accesses
    if len(accesses) < 2 or all(isinstance(a.op, Load) for a in accesses):
        return accesses
    first, before = _one_of_each(binding.kernel), dict[Bits, list[Block]]()
    found: list[Use] = []
    for access in accesses:
        block, op = access.block, access.op
        stores = before.setdefault(bits_of(first.get(op.index, op.index)), [])
        if not any(binding.is_behind(block, stored) for stored in stores):
            found.append(access)
        if isinstance(op, Store) and op.enable is None and block in binding.once:
            stores.append(block)
    return found


def _one_of_each(kernel: Kernel) -> dict[Op, Op]:
    """Of values that are computed alike of the same ones, the first, for each: one that is above
    another is the same number."""
    first: dict[Op, Op] = {}
    made: dict[Any, Op] = {}
    for _, op in kernel.ops():
        if op.pure and op.width:
            operands = [first.get(o, o) for o in op.operands]
            first[op] = made.setdefault(meaning(type(op), operands, op.width, op.attributes), op)
    return first


def _written_first(
    binding: Binding, accesses: list[tuple[Block, Op]], found: Bytes
) -> Bytes | None:
    """The extent, where every call writes all of it before it reads any: by all accesses, or by the
    first ones, which the others come after."""
    if _is_filled(binding, accesses, found):
        return found
    first = _first_part(binding, accesses)
    written = binding.extents.of_accesses(first, binding.element_bytes) if first else None
    if written is None or bits_of(written.value) != bits_of(found.value):
        return None
    return written if _is_filled(binding, first, written) else None


def _first_part(binding: Binding, accesses: list[tuple[Block, Op]]) -> list[tuple[Block, Op]]:
    """Those in the first nest, or the stores that come first where there is no loop, if control
    comes to all others behind these; else none."""
    nests, before = binding.extents.nests, accesses[0][0]
    around = nests.around(before)
    if around:
        before = around[-1]
        body = nests.reaching.loops[before]
        first = [access for access in accesses if access[0] in body]
    else:
        first = list(takewhile(lambda a: a[0] is before and isinstance(a[1], Store), accesses))
    is_first = all(binding.is_behind(block, before) for block, _ in accesses)
    return first if is_first else []


def _is_filled(binding: Binding, accesses: list[tuple[Block, Op]], found: Bytes) -> bool:
    """Whether every call writes each element before it reads any: what a store may leave as it was
    is also sent. Told for constant places, as of results by value, and for one nest of loops."""
    stores = [(block, op) for block, op in accesses if isinstance(op, Store)]
    if len(stores) < len(accesses) or any(block not in binding.once for block, _ in stores):
        return False
    nests = binding.extents.nests
    return _are_all_written(binding, stores, found.value) or (found.exact and fills(nests, stores))


def _are_all_written(binding: Binding, stores: Sequence[tuple[Block, Op]], size: Op) -> bool:
    """Whether each element of a constant size has a store of its own that always happens."""
    reaching, written = binding.extents.nests.reaching, set[int]()
    for block, op in stores:
        if not isinstance(op.index, Constant):
            return False
        happens = reaching.happens(block, op)
        if happens is not None and isinstance(happens, Constant) and happens.value:
            written.add(op.index.value)
    count = size.value // binding.element_bytes if isinstance(size, Constant) else len(written) + 1
    return count <= len(written) and {*range(count)} <= written
