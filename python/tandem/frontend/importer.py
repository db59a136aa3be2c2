# SPDX-License-Identifier: Apache-2.0
"""LLVM IR of a function, and of those that it calls -> a kernel.

A pointer becomes one of some memories and a byte offset. A memory's element divides the size and
the offset of every access; wider accesses are several elements side by side.
"""

from __future__ import annotations

from collections import Counter
from itertools import takewhile

from tandem.diagnostics import Place
from tandem.frontend.calls import build_call
from tandem.frontend.directives.directive import BEST_II, NO_II, WHOLLY
from tandem.frontend.floats import ARITHMETIC, CONVERSIONS, build_arithmetic, build_conversion
from tandem.frontend.floats import compare as compare_floats
from tandem.frontend.functions import (
    call_apart,
    called_functions,
    create_parameters,
    is_call_apart,
    join,
    name_functions,
)
from tandem.frontend.instructions import SIMPLE, build_simple
from tandem.frontend.loop_ids import name_loops
from tandem.frontend.members import NO_MEMBERS, Members
from tandem.frontend.memories import MemoryTable
from tandem.frontend.processes import JOIN, STREAM_CALLS, is_process
from tandem.frontend.signature import read_signature
from tandem.frontend.state import NUMBERS_ONLY, Importer, Tables, value_of, width_of
from tandem.frontend.streams import check_processes, is_called, stream_call
from tandem.frontend.wording import instruction_words
from tandem.ir.blocks import NO_PIPELINE, Block, Branch, Edge, Jump, Return, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.functions import blocks_of
from tandem.ir.kernel import Groups, Kernel
from tandem.ir.lines import line_of
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Add, Eq, Ne, Op, Parameter, Select, SLe, SLt, ULe, ULt, constant
from tandem.llvm import metadata
from tandem.llvm import order as llvm_order
from tandem.llvm import read as llvm
from tandem.llvm.module import opened
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.stages import stage

FLOATING = frozenset({Opcode.FCMP, Opcode.FNEG, Opcode.FSUB, *ARITHMETIC, *CONVERSIONS})
NO_VALUE = frozenset(
    {
        Opcode.PHI,
        Opcode.RET,
        Opcode.SWITCH,
        Opcode.UNREACHABLE,
        Opcode.ALLOCA,
        Opcode.JUMP,
        Opcode.BRANCH,
    }
)
"""Instructions that make no value where they stand: a phi is made before."""
PREDICATES = {
    Predicate.EQ: Eq,
    Predicate.NE: Ne,
    Predicate.ULT: ULt,
    Predicate.ULE: ULe,
    Predicate.SLT: SLt,
    Predicate.SLE: SLe,
}
SWAPPED = {Predicate.UGT: ULt, Predicate.UGE: ULe, Predicate.SGT: SLt, Predicate.SGE: SLe}
"""The others, with their operands swapped."""


@stage("import")
def import_kernel(
    text: str,
    top: str,
    place: Place,
    overlaps: Groups = (),
    with_members: bool = True,
    stored_tables: Tables = frozenset(),
) -> Kernel:
    """The kernel `top` of optimised LLVM IR `text`; `place` is where the C defines it; `overlaps`
    are arguments whose arrays may overlap; `with_members`: whether members of structs are memories
    of their own where they can be; `stored_tables`: constant tables that are one memory each.

    Raises UserError for what cannot become hardware."""

    def imported(members: Members) -> MemoryTable:
        functions = called_functions(module.ref, top)
        state = Importer(module.ref, functions, place.file, kind, place=place)
        state.stored_tables = stored_tables
        state.kernel = Kernel(top, place.file, overlaps=overlaps)
        return _import(state, members)

    with opened(text) as module:
        kind = llvm.call("GetMDKindIDInContext", module.context, b"llvm.loop", 9)
        memories = imported(NO_MEMBERS)
        members = memories.found_members() if with_members else NO_MEMBERS
        if members.found:
            memories = imported(members)
        return memories.state.kernel


def _import(state: Importer, members: Members) -> MemoryTable:
    """What is known of memories once the kernel is there."""
    place = state.place
    read_signature(state)
    name_functions(state)
    memories = MemoryTable(state, members)
    closing: dict[llvm.Ref, list[llvm.Ref]] = {}
    for function in state.functions:
        closing |= _create_blocks(state, function)
    name_loops(state, closing)
    for function in state.functions[1:]:
        create_parameters(state, memories, function)
    for function in state.functions:
        _translate(state, memories, function)
    state.kernel.blocks = reverse_postorder(state.blocks[llvm.entry(state.function)])
    _check_ends(state, place)
    for memory in filter(state.is_stored, memories.images):
        memory.kind = MemoryKind.RAM
    state.kernel.arguments.sort(key=lambda argument: argument.part is not None)
    check_processes(state.kernel, memories.in_turns)
    return memories


def _translate(state: Importer, memories: MemoryTable, function: llvm.Ref) -> None:
    for ref in llvm.children(function, "BasicBlock"):
        _create_phis(state, memories, ref)
    for ref in llvm_order.reverse_postorder(function):
        _translate_block(state, memories, ref)
    for ref in llvm.children(function, "BasicBlock"):
        _terminate(state, memories, function, ref)


def _check_ends(state: Importer, place: Place) -> None:
    """Raises UserError for a function that never returns, be it that LLVM has seen so and left
    nothing of it."""
    for function in state.functions:
        body = blocks_of(state.blocks[llvm.entry(function)])
        lost = function == state.function and not (state.kernel.probes or _has_return(function))
        if lost or all(not isinstance(block.end, Return) for block in body):
            state.place = place
            name = llvm.name(function)
            raise state.error("endless", f"`{name}` never returns", "give its loop an end")


def _has_return(function: llvm.Ref) -> bool:
    ends = llvm.terminators([function])
    return any(llvm.call("GetInstructionOpcode", end) == Opcode.RET for end in ends)


def _create_blocks(state: Importer, function: llvm.Ref) -> dict[llvm.Ref, list[llvm.Ref]]:
    """Returns the first block of each loop, with the branches that lead back to it."""
    for ref in llvm.children(function, "BasicBlock"):
        block = Block(f"b{len(state.blocks)}")
        state.blocks[ref] = block
        state.builders[block] = Builder(state.kernel, block)
    order = {ref: i for i, ref in enumerate(llvm_order.reverse_postorder(function))}
    closing: dict[llvm.Ref, list[llvm.Ref]] = {}
    for ref in order:
        end = llvm.call("GetBasicBlockTerminator", ref)
        for header in llvm_order.successors(ref):
            if order[header] <= order[ref]:
                closing.setdefault(header, []).append(end)
        wanted = metadata.metadata_number(
            end, state.loop_kind, "llvm.loop.pipeline.initiationinterval"
        )
        copies = metadata.metadata_number(end, state.loop_kind, "llvm.loop.interleave.count")
        trips = metadata.metadata_number(end, state.loop_kind, "llvm.loop.vectorize.width")
        if wanted is None and copies is None and trips is None:
            continue
        # The directive stands on the latch; the loop's header is where it jumps back to.
        header = state.blocks[min(llvm_order.successors(ref), key=order.__getitem__)]
        if wanted is not None:
            header.wanted_ii = {BEST_II: 0, NO_II: NO_PIPELINE}.get(wanted, wanted)
        if copies is not None:
            header.copies = copies - WHOLLY
        header.rounds = max(0, (trips or 0) - WHOLLY)
    return closing


def _create_phis(state: Importer, memories: MemoryTable, ref: llvm.Ref) -> None:
    for instruction in llvm.children(ref, "Instruction"):
        if llvm.call("GetInstructionOpcode", instruction) != Opcode.PHI:
            break
        if llvm.is_pointer(instruction):
            parameters = memories.create_phi(state.builders[state.blocks[ref]], instruction)
        else:
            parameters = [Parameter((), width_of(state, instruction))]
            state.values[instruction] = parameters[0]
        for parameter in parameters:
            parameter.name = llvm.name(instruction)
        state.blocks[ref].parameters += parameters


def _translate_block(state: Importer, memories: MemoryTable, ref: llvm.Ref) -> None:
    builder = state.builders[state.blocks[ref]]
    for instruction in llvm.children(ref, "Instruction"):
        file, line = metadata.location(instruction)
        if line:
            state.place = Place(file, line)
            builder.line = line_of(line, file, state.kernel.source)
            builder.block.line = builder.block.line or builder.line
        if llvm.call("GetInstructionOpcode", instruction) != Opcode.CALL:
            _translate_one(state, memories, builder, instruction)
        elif is_call_apart(state, instruction):
            builder = call_apart(state, memories, builder, ref, instruction)
        elif is_called(instruction, JOIN):
            started = any(is_process(llvm.name(f)) for f in state.functions)
            builder = join(state, builder, ref) if started else builder
        elif is_called(instruction, *STREAM_CALLS):
            builder = stream_call(state, memories, builder, ref, instruction)
        else:
            _translate_one(state, memories, builder, instruction)


def _translate_one(state: Importer, memories: MemoryTable, builder: Builder, ref: llvm.Ref) -> None:
    opcode = llvm.call("GetInstructionOpcode", ref)
    if opcode in NO_VALUE:
        return
    if opcode == Opcode.STORE:
        memories.store(builder, ref)
    elif opcode == Opcode.LOAD:
        state.values[ref] = memories.load(builder, ref)
    elif opcode == Opcode.INT_TO_PTR:
        state.values[ref] = memories.from_number(builder, ref)
    elif opcode == Opcode.ADDRESS:
        state.values[ref] = memories.address(builder, ref)
    elif opcode == Opcode.CALL:
        build_call(state, memories, builder, ref)
    elif opcode == Opcode.SELECT and llvm.is_pointer(ref):
        state.values[ref] = memories.select(builder, ref)
    elif opcode == Opcode.FREEZE and llvm.is_pointer(ref):
        state.values[ref] = memories.pointer(builder, llvm.operands(ref)[0])
    elif opcode == Opcode.EXTRACT_VALUE and llvm.operands(ref)[0] in state.pairs:
        member = llvm.first_index(ref)
        state.values[ref] = state.pairs[llvm.operands(ref)[0]][member]
    else:
        made = _compute(state, memories, builder, opcode, ref)
        made.name = made.name or llvm.name(ref)
        state.values[ref] = made


def _compute(
    state: Importer, memories: MemoryTable, builder: Builder, opcode: int, ref: llvm.Ref
) -> Op:
    operands = llvm.operands(ref)
    if opcode == Opcode.ICMP:
        return _compare(state, memories, builder, ref)
    if opcode == Opcode.SUB and all(map(llvm.numbered_pointer, operands)):
        left, right = map(llvm.numbered_pointer, operands)
        assert left is not None and right is not None
        return builder.resize(memories.difference(builder, left, right), width_of(state, ref))
    if opcode == llvm.PTR_TO_INT:
        return builder.resize(memories.as_number(builder, ref), width_of(state, ref))
    if opcode in SIMPLE:
        return build_simple(builder, SIMPLE[opcode], *(value_of(state, o) for o in operands))
    if opcode in (Opcode.TRUNC, Opcode.ZEXT, Opcode.SEXT):
        return _resized(state, builder, operands[0], width_of(state, ref), opcode == Opcode.SEXT)
    if opcode == Opcode.SELECT:
        parts = [value_of(state, o) for o in operands]
        return builder.build(Select, parts, parts[1].width)
    if opcode in (Opcode.FREEZE, Opcode.BIT_CAST):
        return value_of(state, operands[0])
    made = _float(state, builder, opcode, ref)
    if made is None:
        raise state.error(
            "instruction",
            f"cannot make hardware of {instruction_words(ref)}",
            f"{NUMBERS_ONLY}, with no atomic operations",
        )
    return made


def _float(state: Importer, builder: Builder, opcode: int, ref: llvm.Ref) -> Op | None:
    """A floating-point instruction; None for any other."""
    parts = [value_of(state, o) for o in llvm.operands(ref)] if opcode in FLOATING else []
    if opcode == Opcode.FCMP:
        return compare_floats(builder, llvm.call("GetFCmpPredicate", ref), *parts)
    if opcode in CONVERSIONS:
        return build_conversion(builder, opcode, parts[0], width_of(state, ref))
    return build_arithmetic(builder, opcode, parts) if parts else None


def _resized(state: Importer, builder: Builder, ref: llvm.Ref, width: int, is_signed: bool) -> Op:
    """A value in another width. Of a sum with a constant that C says not to overflow, the sum of
    the wider values: two bounds that are a constant apart are then seen to be."""
    value = value_of(state, ref)
    if not is_signed or width <= value.width or not _is_safe_step(ref):
        return builder.resize(value, width, is_signed)
    parts = [builder.resize(value_of(state, o), width, True) for o in llvm.operands(ref)]
    return builder.build(Add, parts, width)


def _is_safe_step(ref: llvm.Ref) -> bool:
    """Whether the value is a sum with a constant, and its overflow undefined."""
    if llvm.call("GetInstructionOpcode", ref) != Opcode.ADD:
        return False
    step = llvm.constant_number(llvm.operands(ref)[1])
    return step is not None and " nsw " in llvm.text(ref)


def _compare(state: Importer, memories: MemoryTable, builder: Builder, ref: llvm.Ref) -> Op:
    left, right = llvm.operands(ref)
    predicate = llvm.call("GetICmpPredicate", ref)
    if predicate in SWAPPED:
        left, right = right, left
    kind = SWAPPED.get(predicate) or PREDICATES[predicate]
    if llvm.is_pointer(left):
        return memories.compare(builder, kind, left, right)
    return builder.compare(kind, value_of(state, left), value_of(state, right))


def _terminate(state: Importer, memories: MemoryTable, function: llvm.Ref, ref: llvm.Ref) -> None:
    block = state.end_of(ref)
    end = llvm.call("GetBasicBlockTerminator", ref)
    opcode = llvm.call("GetInstructionOpcode", end)
    file, number = metadata.location(end)
    line = line_of(number, file, state.kernel.source) if number else 0
    edges = [
        Edge(state.blocks[s], _edge_values(state, memories, ref, s))
        for s in llvm_order.successors(ref)
    ]
    if opcode == Opcode.RET:
        block.end = Return(value=_returned(state, memories, function, ref))
    elif opcode == Opcode.UNREACHABLE:
        block.end = Return(value=_any_result(function))
    elif len(edges) == 1:
        block.end = Jump(edges=edges, line=line)
    elif opcode == Opcode.SWITCH:
        _switch(state, block, end, edges)
    else:
        condition = value_of(state, llvm.operands(end)[0])
        block.end = Branch(condition, edges, line=line)


def _returned(
    state: Importer, memories: MemoryTable, function: llvm.Ref, ref: llvm.Ref
) -> Op | None:
    """What an LLVM block returns: of the kernel, a pointer is the host's."""
    found = llvm.operands(llvm.call("GetBasicBlockTerminator", ref))
    if found and llvm.is_pointer(found[0]) and function == state.function:
        return memories.returned(state.builders[state.end_of(ref)], found[0])
    return value_of(state, found[0]) if found else None


def _any_result(function: llvm.Ref) -> Op | None:
    width = llvm.result_bits(function)
    return constant(0, width) if width else None


def _edge_values(
    state: Importer, memories: MemoryTable, source: llvm.Ref, target: llvm.Ref
) -> list[Op]:
    """What a block gives to the parameters of one that it leads to."""
    values: list[Op] = []
    builder = state.builders[state.end_of(source)]
    phis = takewhile(
        lambda ref: llvm.opcode_of(ref) == Opcode.PHI, llvm.children(target, "Instruction")
    )
    for phi in phis:
        incoming = llvm.operands(phi)[llvm.incoming_blocks(phi).index(source)]
        if llvm.is_pointer(phi):
            values += memories.phi_values(builder, phi, incoming)
        else:
            values.append(value_of(state, incoming))
    return values


def _switch(state: Importer, block: Block, end: llvm.Ref, edges: list[Edge]) -> None:
    """A chain of comparisons, each in a block of its own. Where one case always holds, what most of
    them lead to needs none."""
    selector = value_of(state, llvm.operands(end)[0])
    default, *ways = edges
    cases = [
        (llvm.call("ConstIntGetZExtValue", llvm.call("GetSwitchCaseValue", end, i)), edge)
        for i, edge in enumerate(ways, 1)
    ]
    if ways and _is_never_reached(llvm.operands(end)[1]):
        usual = Counter(edge.block for edge in ways).most_common(1)[0][0]
        default = next(edge for edge in ways if edge.block is usual)
        cases = [case for case in cases if case[1].block is not usual]
    current = block
    for i, (wanted, edge) in enumerate(cases):
        builder = state.builders[current] if current is block else Builder(state.kernel, current)
        condition = builder.compare(Eq, selector, constant(wanted, selector.width))
        last = i == len(cases) - 1
        following = default if last else Edge(Block(f"{block.name}_case{i + 1}"))
        current.end = Branch(condition, [edge, following])
        current = following.block
    if not cases:
        block.end = Jump(edges=[default])


def _is_never_reached(block: llvm.Ref) -> bool:
    """Whether LLVM knows that control does not come to a block: nothing is in it."""
    first = llvm.call("GetFirstInstruction", block)
    return llvm.opcode_of(first) == Opcode.UNREACHABLE
