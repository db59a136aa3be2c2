# SPDX-License-Identifier: Apache-2.0
"""bind-arguments: decides how each array argument reaches the hardware.

- block: a small array, only read, at known places: its bytes come with the call.
- stream: read or written once, in order, by one loop: a record an iteration.
- memory: anything else, through a port that takes an index.

Requires: unroll, promote, count-loops. Finds how many bytes of each a call uses, where that follows
from the call's arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

from tandem import policy
from tandem.analysis.affine import AffineLoop
from tandem.analysis.extents import Bytes, Extents, furthest
from tandem.analysis.linear import Linear
from tandem.analysis.nests import REACH_BITS
from tandem.diagnostics import Diagnostic, UserError, user_error
from tandem.ir.argument import Argument, ArgumentKind, Extent
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder, meaning
from tandem.ir.dominators import Dominators, dominates, immediate_dominators
from tandem.ir.expressions import expression_of
from tandem.ir.functions import blocks_of
from tandem.ir.kernel import Kernel
from tandem.ir.loops import reaches
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Access, ArgumentOp, Constant, Load, Op, Pop, Push, Store, constant
from tandem.ir.processes import processes
from tandem.ir.wiring import Bits, bits_of
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import substitute

SLUG = "bind-arguments"
SUMMARY = "make blocks, streams and memory ports of array arguments; infer their extents"

PROOFS = {"exact": 2, "bound": 1}
"""How much an extent's source proves."""


@dataclass
class _Use:
    block: Block
    op: Op
    place: int
    """Position among the accesses, in program order."""


Claims = Mapping[str, Extent]
"""Argument name -> what is said of its extent."""


@dataclass(frozen=True)
class Ways:
    """Whether arguments may be blocks and streams: else they are reached through ports."""

    blocks: bool = True
    streams: bool = True


EVERY_WAY = Ways()


@dataclass
class _Binding:
    """One pointer argument on its way."""

    kernel: Kernel
    argument: Argument
    memory: Memory
    accesses: list[_Use]

    @cached_property
    def extents(self) -> Extents:
        """Made when first asked for: it takes the whole kernel's loops apart."""
        return Extents(self.kernel)

    @cached_property
    def once(self) -> frozenset[Block]:
        """The blocks of the kernel's own function."""
        return frozenset(blocks_of(self.kernel.entry))

    @cached_property
    def _dominators(self) -> Dominators:
        return immediate_dominators(self.kernel)

    def is_behind(self, block: Block, other: Block) -> bool:
        """Whether control comes to a block of the kernel's own function only by way of another."""
        return block in self.once and dominates(other, block, self._dominators)

    @property
    def element_bytes(self) -> int:
        return self.memory.element_bits // 8


def run(
    kernel: Kernel,
    claims: Claims | None = None,
    proven: Claims | None = None,
    filled: Collection[str] = (),
    ways: Ways = EVERY_WAY,
) -> None:
    """Binds every pointer argument. `proven`: what another kernel of the same C has shown of
    extents, which this one need not: of what a called function reaches there is no proof. `filled`:
    arguments all of whose extent that kernel has shown to be written, and none of it read."""
    pairs = _in_place_candidates(kernel)
    # Blocks first, until there are no more: what they hold may guard the accesses of others.
    while ways.blocks and any(_bind_block(_binding(kernel, a)) for a in _unbound(kernel)):
        pass
    for argument in _unbound(kernel):
        binding = _binding(kernel, argument)
        if not (ways.streams and _bind_stream(binding)):
            known = (proven or {}).get(argument.name)
            is_exact = known is not None and known.source == "exact" and _is_known(kernel, known)
            _bind_memory(binding, is_exact)
    for argument in kernel.arguments:
        if argument.variable is not None and argument.extent.source != "exact":
            size = expression_of(constant(argument.variable.bytes, REACH_BITS))
            argument.extent = Extent("bound", size)
        if argument.part is not None and _is_beyond(argument.extent, argument.part.bytes):
            size = expression_of(constant(argument.part.bytes, REACH_BITS))
            argument.extent = Extent("typed", size)
        known = (proven or {}).get(argument.name)
        if known is not None and _is_better(known, argument.extent) and _is_known(kernel, known):
            argument.extent = known
        if (
            argument.name in filled
            and argument.kind is ArgumentKind.MEMORY
            and known == argument.extent
        ):
            argument.direction = "out"
        is_split = any(a.part and a.part.parent == argument.name for a in kernel.arguments)
        claim = None if is_split else (claims or {}).get(argument.name)
        if argument.joins:
            claim = _of_parts(kernel, argument, {**(proven or {}), **(claims or {})})
        if claim is not None and argument.kind is ArgumentKind.PLACE:
            argument.extent = claim
        elif claim is not None and argument.kind in (ArgumentKind.STREAM, ArgumentKind.MEMORY):
            argument.extent = _with_claim(argument.extent, claim)
            if argument.kind is ArgumentKind.MEMORY and argument.extent.source == "declared":
                # Nobody has proved that all that is declared is written.
                argument.direction = "inout" if argument.direction == "out" else argument.direction
    kernel.in_place = {pair for pair in pairs if _same_walk(kernel, *pair)}


def _unbound(kernel: Kernel) -> list[Argument]:
    return [a for a in kernel.arguments if a.kind is ArgumentKind.POINTER and a.memory is not None]


def _binding(kernel: Kernel, argument: Argument) -> _Binding:
    memory = argument.memory
    assert memory is not None
    accesses = [
        _Use(block, op, i) for i, (block, op) in enumerate(kernel.ops()) if op.is_about(memory)
    ]
    argument.reads = any(isinstance(a.op, Load) for a in accesses)
    return _Binding(kernel, argument, memory, accesses)


def _of_parts(kernel: Kernel, argument: Argument, known: Claims) -> Extent | None:
    """What follows for an argument from what is known of those that are parts of it. Raises
    UserError where that is declared of some of them, and nothing is known of others."""
    said = {name: known.get(name, kernel.argument(name).extent) for name in argument.joins}
    missing = [name for name, extent in said.items() if extent.claim is None]
    sources = {extent.source for extent in said.values()}
    if missing and "declared" in sources:
        raise _partly_declared(kernel, missing)
    if missing or not said or argument.memory is None:
        return None
    rows = [(name, extent.claim) for name, extent in said.items() if extent.claim is not None]
    found = furthest(rows, argument.memory.element_bits // 8)
    return Extent(next((s for s in ("typed", "declared") if s in sources), "bound"), found)


def _partly_declared(kernel: Kernel, names: list[str]) -> UserError:
    missing = ", ".join(f"`{name}`" for name in names)
    return user_error(
        "extent",
        f"no extent is declared of {missing}, which may overlap arrays of which one is",
        kernel.place(kernel.entry.line),
        "declare one for each of them, or for none",
    )


def _is_known(kernel: Kernel, extent: Extent) -> bool:
    """Whether what an extent follows from is known before a call: what comes with it as a block in
    one kernel may lie in memory in another one."""
    nodes = extent.claim.nodes if extent.claim is not None else ()
    given = ((node, kernel.argument(node.name).op) for node in nodes if node.kind is ArgumentOp)
    return all(op is not None and op.width == node.width for node, op in given)


def _is_better(one: Extent, other: Extent) -> bool:
    """Also where both prove as much: the bound of the plainer kernel is closer, and what it says is
    shorter."""
    return one.source in PROOFS and PROOFS[one.source] >= PROOFS.get(other.source, 0)


def _is_beyond(found: Extent, size: int) -> bool:
    """Whether no extent is found, or only a number that is larger than a size."""
    claim = found.claim
    return claim is None or (not claim.names() and not 0 <= claim.evaluate({}) <= size)


def _with_claim(found: Extent, claim: Extent) -> Extent:
    """A driver goes by the annotation; by the type only where nothing better is known."""
    if claim.source == "declared":
        return Extent("declared", claim.claim, found.proof)
    size = claim.claim.evaluate({}) if claim.claim and not claim.claim.names() else None
    is_wild = found.source == "bound" and size is not None and _is_beyond(found, size)
    return claim if found.source == "observed" or is_wild else found


def _extent(extents: Extents, found: Bytes | None) -> Extent:
    if found is None:
        return Extent()
    claim = extents.expression(found)
    return Extent("exact", claim, claim) if found.exact else Extent("bound", claim)


def _in_place_candidates(kernel: Kernel) -> set[tuple[str, str]]:
    """Pairs (array read, array written) where, in program order, all reads come first."""
    reads: dict[str, list[int]] = {}
    writes: dict[str, list[int]] = {}
    for i, (_, op) in enumerate(kernel.ops()):
        if isinstance(op, Access):
            kinds = reads if isinstance(op, Load) else writes
            kinds.setdefault(op.memory.name, []).append(i)
    return {
        (a, b)
        for a, read in reads.items()
        for b, written in writes.items()
        if a not in writes and b not in reads and max(read) < min(written)
    }


def _same_walk(kernel: Kernel, read: str, written: str) -> bool:
    """Whether both are streams of one loop with records of one size: then an iteration writes just
    the record that it has read, and one buffer for both is as good as two."""
    homes: dict[str, Block] = {}
    for block, op in kernel.ops():
        if isinstance(op, (Pop, Push)):
            homes[op.memory.name] = block
    home = homes.get(read)
    if home is None or home is not homes.get(written):
        return False
    return kernel.memories[read].element_bits == kernel.memories[written].element_bits


# -- blocks -------------------------------------------------------------------------------------


def _bind_block(binding: _Binding) -> bool:
    """Only where it is known before the call whether it is read at all: it comes with the call."""
    kernel, argument, memory = binding.kernel, binding.argument, binding.memory
    loads = [a.op for a in binding.accesses]
    known = all(isinstance(op, Load) and isinstance(op.operands[0], Constant) for op in loads)
    if not loads or not known:
        return False
    indices = [_signed_index(op.operands[0]) for op in loads]
    size = (1 + max(indices)) * binding.element_bytes
    if size > policy.BLOCK_BYTES or min(indices) < 0:
        return False
    found = binding.extents.of_block(_deciding(binding.accesses), size)
    if found is None:
        return False
    argument.kind, argument.width = ArgumentKind.BLOCK, 8 * size
    argument.extent = _extent(binding.extents, found)
    argument.op = ArgumentOp((), argument.width, {"name": argument.name}, name=argument.name)
    argument.memory = None
    _read_from(kernel, memory.name, argument.op)
    return True


def _deciding(loads: list[_Use]) -> list[tuple[Block, Op]]:
    """The loads that decide whether there is one at all: of a block that loads in any case, one."""
    always = {a.block: a.op for a in loads if a.op.enable is None}
    return [*always.items(), *((a.block, a.op) for a in loads if a.block not in always)]


def _read_from(kernel: Kernel, memory: str, source: Op) -> None:
    """Every load of a memory becomes bits of `source`."""

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if not isinstance(op, Load) or op.memory.name != memory:
            return remake(builder, op, operands)
        return builder.extract(source, operands[0].value * op.width, op.width)

    del kernel.memories[memory]
    rebuild(kernel, change)


def _signed_index(op: Op) -> int:
    return (
        op.value - (1 << op.width) if op.value >> (op.width - 1) & 1 and op.width > 32 else op.value
    )


# -- streams ------------------------------------------------------------------------------------


def _bind_stream(binding: _Binding) -> bool:
    kernel, argument, accesses = binding.kernel, binding.argument, binding.accesses
    blocks = {a.block for a in accesses}
    kinds = {type(a.op) for a in accesses}
    if len(blocks) != 1 or len(kinds) != 1:
        return False
    block, writes = blocks.pop(), kinds == {Store}
    if block not in blocks_of(kernel.entry) or processes(kernel):
        return False  # what is called may be called again, and of processes every cycle is walked
    if not block.is_loop or block.trip_count is None or reaches(block.exit_edge.block, block):
        return False
    offsets = _record_offsets(kernel, block, accesses)
    if offsets is None:
        return False
    stride, places = offsets
    # Writes must fill a record; reads must reach its end, or the last record may not be all there.
    if writes and sorted(places) != list(range(stride)):
        return False
    if max(places) != stride - 1:
        return False
    found = binding.extents.of_stream(block, block.trip_count, stride * binding.element_bytes)
    argument.extent = _extent(binding.extents, found)
    _make_stream(binding, block, places, stride)
    return True


def _record_offsets(
    kernel: Kernel, block: Block, accesses: list[_Use]
) -> tuple[int, list[int]] | None:
    """(elements a record, the place of each access in it)."""
    entry = next(e for b, e in kernel.predecessors()[block] if b is not block)
    loop = AffineLoop(block, list(entry.arguments))
    forms: list[Linear] = []
    for access in accesses:
        form = loop.form(access.op.index) if access.op.enable is None else None
        if form is None or form.terms:
            return None
        forms.append(form.centred())
    stride = forms[0].step
    if stride < 1 or any(f.step != stride for f in forms):
        return None
    width = accesses[0].op.width or accesses[0].op.operands[1].width
    if stride * width > policy.RECORD_BITS or any(not 0 <= f.constant < stride for f in forms):
        return None
    return stride, [f.constant for f in forms]


def _make_stream(binding: _Binding, block: Block, places: list[int], stride: int) -> None:
    kernel, argument, accesses = binding.kernel, binding.argument, binding.accesses
    memory = binding.memory
    width = memory.element_bits
    argument.kind = ArgumentKind.STREAM
    argument.direction = "out" if isinstance(accesses[0].op, Store) else "in"
    memory.kind = MemoryKind(f"stream_{argument.direction}")
    memory.element_bits = width * stride
    builder = Builder(kernel, block)
    builder.line = accesses[0].op.line
    ops, block.ops = block.ops, []
    if argument.direction == "in":
        record = builder.raw(Pop, [], memory.element_bits, memory=memory)
        replace = {
            a.op: builder.extract(record, p * width, width)
            for a, p in zip(accesses, places, strict=True)
        }
        block.ops += [op for op in ops if op not in replace]
        substitute(kernel, replace)
        return
    stores = {a.op for a in accesses}
    block.ops += [op for op in ops if op not in stores]
    parts = {p: a.op.operands[1] for a, p in zip(accesses, places, strict=True)}
    builder.raw(
        Push,
        [builder.concat(*[parts[p] for p in reversed(range(stride))])],
        0,
        memory=memory,
    )


# -- memory ports -------------------------------------------------------------------------------


def _bind_memory(binding: _Binding, is_exact: bool) -> None:
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
        argument.extent = _extent(binding.extents, found)


def _first_ones(binding: _Binding) -> list[_Use]:
    """The accesses but for those of elements that a store has written in any case since their
    index was found: these reach nothing else, and nothing that comes with the call."""
    accesses = binding.accesses
    if len(accesses) < 2 or all(isinstance(a.op, Load) for a in accesses):
        return accesses
    first, before = _one_of_each(binding.kernel), dict[Bits, list[Block]]()
    found: list[_Use] = []
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
    binding: _Binding, accesses: list[tuple[Block, Op]], found: Bytes
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


def _first_part(binding: _Binding, accesses: list[tuple[Block, Op]]) -> list[tuple[Block, Op]]:
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


def _is_filled(binding: _Binding, accesses: list[tuple[Block, Op]], found: Bytes) -> bool:
    """Whether every call writes each element before it reads any: what a store may leave as it was
    is also sent. Told for constant places, as of results by value, and for one nest of loops."""
    stores = [(block, op) for block, op in accesses if isinstance(op, Store)]
    if len(stores) < len(accesses) or any(block not in binding.once for block, _ in stores):
        return False
    nests = binding.extents.nests
    return _are_all_written(binding, stores, found.value) or (found.exact and nests.fills(stores))


def _are_all_written(binding: _Binding, stores: Sequence[tuple[Block, Op]], size: Op) -> bool:
    """Whether each element of a constant size has a store of its own that always happens."""
    reaching, written = binding.extents.nests.reaching, set[int]()
    for block, op in stores:
        if not isinstance(op.index, Constant):
            return False
        happens = reaching.happens(block, op)
        if happens is not None and isinstance(happens, Constant) and happens.value:
            written.add(op.index.value)
    return isinstance(size, Constant) and {*range(size.value // binding.element_bytes)} <= written


def require_extents(kernel: Kernel) -> None:
    """Raises UserError for every array of which only a call itself can tell how much it uses: a
    driver must know before."""
    findings = [
        _extent_missing(kernel, a, name)
        for a in kernel.arguments
        if a.kind in (ArgumentKind.STREAM, ArgumentKind.MEMORY) and a.extent.source == "observed"
        for name in a.joins or (a.name,)
    ]
    if findings:
        raise UserError(*findings)


def _extent_missing(kernel: Kernel, argument: Argument, name: str) -> Diagnostic:
    memory = argument.memory
    ops = [op for _, op in kernel.ops() if memory and op.is_about(memory)]
    kinds = {type(op) for op in ops if isinstance(op, Access)}
    verb = "read and written" if len(kinds) == 2 else "written" if Store in kinds else "read"
    return Diagnostic(
        "extent",
        f"cannot tell how many bytes of `{name}` a call uses: it is {verb} at an index "
        "that is not a simple function of the loops",
        kernel.place(argument.extent.line or (ops[0].line if ops else 0)),
        f"add `#pragma tandem extent({name}, BYTES)` before the function, BYTES being a C "
        "expression over its parameters; `tandem run` prints one that fits the calls it sees",
    )
