# SPDX-License-Identifier: Apache-2.0
"""simplify: folds, removes what nobody reads, merges blocks, drops needless block parameters.

Ensures: no constant branch, no block with a single jump into it, no dead pure operation, no dead
or constant block parameter.
"""

from __future__ import annotations

from collections.abc import Callable

from tandem.ir.blocks import Block, Branch, Edge, Jump, Return, reverse_postorder
from tandem.ir.dominators import dominates, immediate_dominators
from tandem.ir.functions import entries
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Load, Op, ResultOp, Store, is_same, parameter_like
from tandem.ir.processes import may_follow
from tandem.ir.wiring import bits_of
from tandem.passes.rebuild import EVERYWHERE, Remake, refold

SLUG = "simplify"
SUMMARY = "fold constants and wiring, merge blocks, remove dead operations and parameters"


Way = tuple[Block, Edge]
"""An edge with the block that it leaves."""
UNREAD = (Load, ResultOp)
"""Operations without an effect that are not pure."""


def run(kernel: Kernel) -> bool:
    """Repeats until nothing changes; whether anything has."""
    changed, values = refold(kernel), _count_values(kernel)
    while tidy(kernel):
        changed = True
        refold(kernel)
    return changed or _count_values(kernel) < values


def refold_and_tidy(kernel: Kernel, change: Remake) -> bool:
    """Once, with operations made otherwise (`rebuild.refold`); whether anything has changed."""
    changed = refold(kernel, change)
    return tidy_all(kernel) or changed


def tidy_all(kernel: Kernel) -> bool:
    """`tidy`; whether anything has changed, dead operations that are gone too."""
    values = _count_values(kernel)
    return tidy(kernel) or _count_values(kernel) < values


def _count_values(kernel: Kernel) -> int:
    """Operations and parameters, of which those go that nobody reads."""
    return kernel.size + sum(len(block.parameters) for block in kernel.blocks)


def tidy(kernel: Kernel) -> bool:
    """Control flow and dead code only, in place; whether control flow or parameters changed."""
    changed = False
    while True:
        is_again = _fold_branches(kernel)
        live = _live_values(kernel)
        is_again |= _drop_parameters(kernel, live)
        is_again |= _merge_blocks(kernel)
        if not is_again:
            _keep(kernel, live)
            return changed
        changed = True


def _fold_branches(kernel: Kernel) -> bool:
    changed = False
    for block in kernel.blocks:
        end = block.end
        if not isinstance(end, Branch) or end.condition is None:
            continue
        bit = bits_of(end.condition)[0]
        yes, no = end.edges
        if type(bit) is int:
            block.end = Jump(edges=[yes if bit else no], line=end.line)
            changed = True
        elif yes.block is no.block and yes.arguments == no.arguments:
            block.end = Jump(edges=[yes], line=end.line)
            changed = True
    if changed:
        kernel.blocks = reverse_postorder(kernel.entry)
    return changed


def _drop_parameters(kernel: Kernel, live: set[Op]) -> bool:
    """Parameters that always carry one value, and parameters nobody reads. A function reads no
    value of its callers."""
    replace: dict[Op, Op] = {}
    of_functions = set(entries(kernel).values())
    predecessors = kernel.predecessors()
    for block in kernel.blocks[1:]:
        for i in reversed(range(len(block.parameters))):
            parameter = block.parameters[i]
            only = _only_value(parameter, [e.arguments[i] for _, e in predecessors[block]])
            if only is not None and block in of_functions and not isinstance(only, EVERYWHERE):
                only = None
            if only is None and parameter in live:
                continue
            if only is not None and parameter in live:
                replace[parameter] = only
            _remove_parameter(block, i, [e for _, e in predecessors[block]])
    if replace:
        substitute(kernel, replace)
    return bool(replace)


def _only_value(parameter: Op, incoming: list[Op]) -> Op | None:
    values = [v for v in incoming if v is not parameter]
    if not values:
        return None
    first = values[0]
    return first if all(is_same(first, other) for other in values[1:]) else None


def _remove_parameter(block: Block, index: int, edges: list[Edge]) -> None:
    del block.parameters[index]
    for edge in edges:
        del edge.arguments[index]


def substitute(kernel: Kernel, replace: dict[Op, Op]) -> None:
    """Uses of each key become uses of its value, chains followed."""
    if not replace:
        return

    def final(op: Op) -> Op:
        while op in replace:
            op = replace[op]
        return op

    for block in kernel.blocks:
        read_instead(block, final)


def read_instead(block: Block, value_for: Callable[[Op], Op]) -> None:
    """Has a block read another value for each that it reads."""
    for op in block.ops:
        operands = [value_for(o) for o in op.operands]
        if operands != op.operands:
            op.read(operands)
        op.bits = None
    end = block.end
    block.trip_count = None if block.trip_count is None else value_for(block.trip_count)
    end.condition = None if end.condition is None else value_for(end.condition)
    end.value = None if end.value is None else value_for(end.value)
    for edge in end.edges:
        edge.arguments = [value_for(a) for a in edge.arguments]


def _merge_blocks(kernel: Kernel) -> bool:
    """A block with one way in, by a jump, becomes part of the block before it."""
    ways_in = {block: len(edges) for block, edges in kernel.predecessors().items()}
    replace: dict[Op, Op] = {}
    merged: set[Block] = set()
    for block in kernel.blocks:
        while isinstance(block.end, Jump):
            edge = block.end.edges[0]
            after = edge.block
            if after is block or after is kernel.entry or ways_in[after] != 1:
                break
            if not may_follow(block.ops, after.ops):
                break
            replace.update(zip(after.parameters, edge.arguments, strict=True))
            block.ops += after.ops
            block.end = after.end
            block.line = block.line or after.line
            after.ops, after.end, after.parameters = [], Return(), []
            merged.add(after)
    if merged:
        substitute(kernel, replace)
        kernel.blocks = [block for block in kernel.blocks if block not in merged]
    return _thread_jumps(kernel) or bool(merged)


def _thread_jumps(kernel: Kernel) -> bool:
    """Empty blocks that only jump on are skipped."""
    changed = False
    empty = [b for b in kernel.blocks[1:] if not b.ops and isinstance(b.end, Jump)]
    if not empty:
        return False
    used, predecessors = _values_used_outside(kernel), kernel.predecessors()
    for block in empty:
        if block.successors[0] is block:
            continue
        onward = block.end.edges[0]
        if NO_LOOP not in (block.loop, onward.block.loop) and block.loop != onward.block.loop:
            continue  # `for (i...) for (j = i...)`: two loops of the C
        read = [parameter for parameter in block.parameters if parameter in used]
        if read and not _hand_on(kernel, block, read, predecessors[onward.block]):
            continue
        if onward.block.is_loop and len(predecessors[block]) > 1:
            continue  # a loop keeps one way in
        for _, edge in predecessors[block]:
            given = edge.given
            edge.block = onward.block
            edge.arguments = [given.get(a, a) for a in onward.arguments]
            changed = True
        if onward.block.loop == NO_LOOP:  # the loop begins there now
            onward.block.loop, onward.block.part = block.loop, block.part
        kernel.blocks = reverse_postorder(kernel.entry)
        return changed
    return changed


def _hand_on(kernel: Kernel, block: Block, read: list[Op], ways: list[Way]) -> bool:
    """Has the block that an empty one jumps to carry the parameters that are `read` elsewhere;
    whether that can be. `ways` lead to that block: the jump, and edges of a loop around it that
    change no parameter of the empty block. Two headers, one of which only goes on to the other,
    are what `continue`s at different places become."""
    onward = block.end.edges[0]
    after = onward.block
    others = [(source, edge) for source, edge in ways if edge is not onward]
    passed = [a for a in onward.arguments if a in block.parameters]
    if after.is_loop or len(set(passed)) < len(onward.arguments) or not others:
        return False
    dominators = immediate_dominators(kernel)
    if not all(dominates(after, source, dominators) for source, _ in others):
        return False
    carried = {p: parameter_like(p) for p in read}
    substitute(kernel, carried)
    after.parameters += carried.values()
    onward.arguments = [*passed, *read]
    for _, edge in others:
        edge.arguments += carried.values()
    return True


def _values_used_outside(kernel: Kernel) -> set[Op]:
    """Block parameters read anywhere but by their own block's edges."""
    used: set[Op] = set()
    for block in kernel.blocks:
        own = set(block.parameters)
        for op in block.ops:
            used.update(op.operands)
        used.update(o for o in block.end.inputs() if o not in own)
        if block.end.condition is not None:
            used.add(block.end.condition)
    return used


def _live_values(kernel: Kernel) -> set[Op]:
    """Values that reach a side effect, a branch, a loop count or the result. What is stored in an
    array inside the kernel reaches what loads from there."""
    sources: dict[Op, list[Op]] = {}
    for block, edge in ((b, e) for b in kernel.blocks for e in b.end.edges):
        del block
        for parameter, argument in zip(edge.block.parameters, edge.arguments, strict=True):
            sources.setdefault(parameter, []).append(argument)
    stores: dict[str, list[Op]] = {
        name: [] for name, m in kernel.memories.items() if m.kind is MemoryKind.RAM
    }
    work: list[Op] = []
    for block in kernel.blocks:
        for op in (op for op in block.ops if not op.pure):
            if isinstance(op, Store) and op.memory.name in stores:
                stores[op.memory.name].append(op)
            elif not isinstance(op, UNREAD):
                work.append(op)
        work += [o for o in (block.end.condition, block.end.value, block.trip_count) if o]
    live: set[Op] = set()
    while work:
        op = work.pop()
        if op not in live:
            live.add(op)
            work += op.operands
            work += sources.get(op, [])
            if isinstance(op, Load):
                work += stores.pop(op.memory.name, [])  # all of them, once
    return live


def _keep(kernel: Kernel, live: set[Op]) -> None:
    for block in kernel.blocks:
        block.ops = [op for op in block.ops if op in live]
    used = {op.memory.name for _, op in kernel.ops() if op.has_memory}
    used |= {a.memory.name for a in kernel.arguments if a.memory is not None}
    kernel.memories = {name: m for name, m in kernel.memories.items() if name in used}
