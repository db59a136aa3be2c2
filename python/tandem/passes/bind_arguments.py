# SPDX-License-Identifier: Apache-2.0
"""bind-arguments: decides how each array argument reaches the hardware.

- block: a small array, only read, at known places: its bytes come with the call.
- stream: read or written once, in order, by one loop: a record an iteration.
- memory: anything else, through a port that takes an index.

Requires: unroll, scalarise, count-loops. Finds how many bytes of each a call uses, where that
follows from the call's arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tandem.analysis.extents import furthest
from tandem.analysis.reaches import REACH_BITS
from tandem.diagnostics import Diagnostic, UserError, user_error
from tandem.ir.argument import Argument, ArgumentKind, Extent
from tandem.ir.blocks import Block
from tandem.ir.expressions import expression_of
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, ArgumentOp, Load, Pop, Push, Store, constant
from tandem.passes.argument_binding import Binding, Use
from tandem.passes.bind_blocks import bind_block
from tandem.passes.bind_memories import bind_memory
from tandem.passes.bind_streams import bind_stream

SLUG = "bind-arguments"
SUMMARY = "make blocks, streams and memory ports of array arguments; infer their extents"

PROOFS = {"exact": 2, "bound": 1}
"""How much an extent's source proves."""

Claims = Mapping[str, Extent]
"""Argument name -> what is said of its extent."""


@dataclass(frozen=True)
class Ways:
    """Whether arguments may be blocks and streams: else they are reached through ports."""

    blocks: bool = True
    streams: bool = True


EVERY_WAY = Ways()


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
    while ways.blocks and any(bind_block(_binding(kernel, a)) for a in _unbound(kernel)):
        pass
    for argument in _unbound(kernel):
        binding = _binding(kernel, argument)
        if not (ways.streams and bind_stream(binding)):
            known = (proven or {}).get(argument.name)
            is_exact = known is not None and known.source == "exact" and _is_known(kernel, known)
            bind_memory(binding, is_exact)
    for argument in kernel.arguments:
        _settle_extent(kernel, argument, claims or {}, proven or {}, argument.name in filled)
    kernel.in_place = {pair for pair in pairs if _same_walk(kernel, *pair)}


def _settle_extent(
    kernel: Kernel, argument: Argument, claims: Claims, proven: Claims, is_filled: bool
) -> None:
    """What is taken for an argument's extent, of what was found here, what another kernel has shown
    and what the program says."""
    if argument.variable is not None and argument.extent.source != "exact":
        argument.extent = _of_size("bound", argument.variable.bytes)
    if argument.part is not None and _is_beyond(argument.extent, argument.part.bytes):
        argument.extent = _of_size("typed", argument.part.bytes)
    known = proven.get(argument.name)
    if known is not None and _is_better(known, argument.extent) and _is_known(kernel, known):
        argument.extent = known
    is_memory = argument.kind is ArgumentKind.MEMORY
    if is_filled and is_memory and known == argument.extent:
        argument.direction = "out"
    is_split = any(a.part and a.part.parent == argument.name for a in kernel.arguments)
    claim = None if is_split else claims.get(argument.name)
    if argument.joins:
        claim = _of_parts(kernel, argument, {**proven, **claims})
    if claim is not None and argument.kind is ArgumentKind.PLACE:
        argument.extent = claim
    elif claim is not None and (is_memory or argument.kind is ArgumentKind.STREAM):
        argument.extent = _with_claim(argument.extent, claim)
        if is_memory and argument.extent.source == "declared" and argument.direction == "out":
            argument.direction = "inout"  # nobody has proved that all that is declared is written


def _of_size(source: str, size: int) -> Extent:
    return Extent(source, expression_of(constant(size, REACH_BITS)))


def _unbound(kernel: Kernel) -> list[Argument]:
    return [a for a in kernel.arguments if a.kind is ArgumentKind.POINTER and a.memory is not None]


def _binding(kernel: Kernel, argument: Argument) -> Binding:
    memory = argument.memory
    assert memory is not None
    accesses = [
        Use(block, op, i) for i, (block, op) in enumerate(kernel.ops()) if op.is_about(memory)
    ]
    argument.reads = any(isinstance(a.op, Load) for a in accesses)
    return Binding(kernel, argument, memory, accesses)


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


# -- streams ------------------------------------------------------------------------------------


# -- memory ports -------------------------------------------------------------------------------


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
