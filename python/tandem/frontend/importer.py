# SPDX-License-Identifier: Apache-2.0
"""LLVM IR of one function -> a kernel.

Pointers become a memory and a byte offset. A memory's element is as wide as its narrowest access;
wider accesses are several elements side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend import llvm_c as llvm
from tandem.frontend.instructions import (
    INTRINSICS,
    OVERFLOWS,
    SIMPLE,
    build_intrinsic,
    build_with_overflow,
)
from tandem.frontend.memories import Address, Choice, MemoryTable
from tandem.frontend.pragmas import BEST_II
from tandem.ir.builder import Builder
from tandem.ir.kernel import (
    Argument,
    Block,
    Edge,
    Kernel,
    Op,
    Terminator,
    constant,
    reverse_postorder,
)

RET, BR, SWITCH, UNREACHABLE, ALLOCA, LOAD, STORE, GEP = 1, 2, 3, 7, 26, 27, 28, 29
TRUNC, ZEXT, SEXT, ICMP, PHI, CALL, SELECT, FREEZE = 30, 31, 32, 42, 44, 45, 46, 68
EXTRACT_VALUE, BR_ALWAYS, BR_IF = 53, 70, 71
PREDICATES = {
    32: "eq",
    33: "ne",
    34: "ugt",
    35: "uge",
    36: "ult",
    37: "ule",
    38: "sgt",
    39: "sge",
    40: "slt",
    41: "sle",
}
SWAPPED = {"ugt": "ult", "uge": "ule", "sgt": "slt", "sge": "sle"}
PROBE = "tandem_extent_"
"""Prefix of the functions to which a copy of the C hands the sizes that it tells."""
IGNORED_CALLS = (
    "llvm.lifetime",
    "llvm.dbg",
    "llvm.assume",
    "llvm.experimental.noalias",
    "llvm.invariant",
)
CURES = {
    "malloc": "use an array of fixed size, or pass a buffer as an argument",
    "calloc": "use an array of fixed size, or pass a buffer as an argument",
    "realloc": "use an array of fixed size, or pass a buffer as an argument",
    "free": "use an array of fixed size, or pass a buffer as an argument",
    "printf": "print in the caller, after the kernel has returned its results",
    "puts": "print in the caller, after the kernel has returned its results",
    "putchar": "print in the caller, after the kernel has returned its results",
}


@dataclass
class Importer:
    """The state of one import."""

    module: llvm.Ref
    function: llvm.Ref
    file: str
    loop_kind: int
    kernel: Kernel = field(default_factory=lambda: Kernel(""))
    values: dict[llvm.Ref, Op | Address | Choice] = field(default_factory=dict)
    blocks: dict[llvm.Ref, Block] = field(default_factory=dict)
    builders: dict[Block, Builder] = field(default_factory=dict)
    pairs: dict[llvm.Ref, list[Op]] = field(default_factory=dict)
    """Results of two members: value and overflow."""
    place: Place = field(default_factory=lambda: Place(""))

    def error(self, code: str, message: str, help: str) -> UserError:
        return user_error(code, message, self.place, help)

    def outside_call(self, callee: str) -> UserError:
        """The function calls something that is not part of the program."""
        return self.error(
            "call",
            f"`{callee}` is called, and its C is not part of the program",
            CURES.get(callee, f"give the C of `{callee}`, or call it outside"),
        )


def import_kernel(text: str, top: str, place: Place) -> Kernel:
    """The kernel `top` of optimised LLVM IR `text`; `place` is where the C defines it.

    Raises UserError for what cannot become hardware."""
    context, module = llvm.parse(text)
    function = next(f for f in llvm.children(module, "Function") if llvm.name(f) == top)
    kind = llvm.call("GetMDKindIDInContext", context, b"llvm.loop", 9)
    state = Importer(module, function, place.file, kind, place=place)
    state.kernel = Kernel(top, place.file)
    _arguments(state)
    memories = MemoryTable(state)
    _create_blocks(state)
    for ref in llvm.children(function, "BasicBlock"):
        _create_phis(state, memories, ref)
    for ref in _in_order(state):
        _translate_block(state, memories, ref)
    for ref in llvm.children(function, "BasicBlock"):
        _terminate(state, memories, ref)
    state.kernel.blocks = reverse_postorder(state.blocks[_entry(state)])
    if all(b.end.kind != "return" for b in state.kernel.blocks):
        state.place = place
        raise state.error("endless", f"`{top}` never returns", "give its loop an end")
    return state.kernel


def _entry(state: Importer) -> llvm.Ref:
    return next(llvm.children(state.function, "BasicBlock"))


def _in_order(state: Importer) -> list[llvm.Ref]:
    """Blocks with definitions before uses: reverse postorder of LLVM's control flow."""
    order: list[llvm.Ref] = []
    seen: set[llvm.Ref] = {_entry(state)}
    stack = [(_entry(state), iter(_successors(_entry(state))))]
    while stack:
        ref, following = stack[-1]
        step = next((s for s in following if s not in seen), None)
        if step is None:
            stack.pop()
            order.append(ref)
        else:
            seen.add(step)
            stack.append((step, iter(_successors(step))))
    return order[::-1]


def _successors(ref: llvm.Ref) -> list[llvm.Ref]:
    end = llvm.call("GetBasicBlockTerminator", ref)
    count = llvm.call("GetNumSuccessors", end)
    return [llvm.call("GetSuccessor", end, i) for i in range(count)]


def _arguments(state: Importer) -> None:
    kernel = state.kernel
    for i in range(llvm.call("CountParams", state.function)):
        ref = llvm.call("GetParam", state.function, i)
        name = llvm.name(ref) or f"argument{i}"
        kind = llvm.call("TypeOf", ref)
        which = llvm.call("GetTypeKind", kind)
        if which == llvm.TYPE_POINTER:
            if any(llvm.has_attribute(state.function, i + 1, a) for a in ("byval", "sret")):
                raise state.error(
                    "struct-argument",
                    f"`{name}` is a struct passed by value",
                    "pass a pointer to it, or its members",
                )
            kernel.arguments.append(Argument(name, "pointer", "in", "void *"))
        elif which == llvm.TYPE_INTEGER:
            width = llvm.call("GetIntTypeWidth", kind)
            op = Op("argument", (), width, {"name": name}, name=name)
            is_signed = llvm.has_attribute(state.function, i + 1, "signext")
            c_type = _c_type(width, is_signed)
            kernel.arguments.append(
                Argument(name, "scalar", "in", c_type, width, op=op, signed=is_signed)
            )
            state.values[ref] = op
        else:
            raise state.error(
                "argument-type",
                f"`{name}` has the type {llvm.type_text(kind)}",
                "this version takes integers and pointers to integers",
            )
        if ".coerce" in name:
            raise state.error(
                "struct-argument",
                f"`{name.split('.')[0]}` is a struct passed by value",
                "pass a pointer to it, or its members",
            )
    _result(state)


def _c_type(width: int, is_signed: bool) -> str:
    if width == 1:
        return "_Bool"
    return f"{'' if is_signed else 'u'}int{width}_t" if width <= 64 else "unsigned __int128"


def _result(state: Importer) -> None:
    for ref in llvm.children(state.function, "BasicBlock"):
        end = llvm.call("GetBasicBlockTerminator", ref)
        if llvm.call("GetInstructionOpcode", end) == RET and llvm.operands(end):
            kind = llvm.call("TypeOf", llvm.operands(end)[0])
            if llvm.call("GetTypeKind", kind) != llvm.TYPE_INTEGER:
                raise state.error(
                    "result-type",
                    f"the function returns {llvm.type_text(kind)}",
                    "this version returns integers or nothing",
                )
            width = llvm.call("GetIntTypeWidth", kind)
            state.kernel.arguments.append(
                Argument(
                    "result"
                    if all(a.name != "result" for a in state.kernel.arguments)
                    else "result_",
                    "scalar",
                    "out",
                    _c_type(width, llvm.has_attribute(state.function, 0, "signext")),
                    width,
                )
            )
            return


def _create_blocks(state: Importer) -> None:
    refs = list(llvm.children(state.function, "BasicBlock"))
    for number, ref in enumerate(refs):
        block = Block(f"b{number}")
        state.blocks[ref] = block
        state.builders[block] = Builder(state.kernel, block)
    order = {ref: i for i, ref in enumerate(_in_order(state))}
    for ref in order:
        end = llvm.call("GetBasicBlockTerminator", ref)
        key = "llvm.loop.pipeline.initiationinterval"
        wanted = llvm.metadata_number(end, state.loop_kind, key)
        if wanted is not None:
            # The directive stands on the latch; the loop's header is where it jumps back to.
            header = min(_successors(ref), key=order.__getitem__)
            state.blocks[header].wanted_ii = 0 if wanted == BEST_II else wanted


def _create_phis(state: Importer, memories: MemoryTable, ref: llvm.Ref) -> None:
    for instruction in llvm.children(ref, "Instruction"):
        if llvm.call("GetInstructionOpcode", instruction) != PHI:
            break
        kind = llvm.call("TypeOf", instruction)
        if llvm.call("GetTypeKind", kind) == llvm.TYPE_POINTER:
            parameter = Op("parameter", (), 64)
            memory = memories.base_of(instruction)
            state.values[instruction] = Address(memory, [(parameter, 1)], 0)
        else:
            parameter = Op("parameter", (), _width(state, instruction))
            state.values[instruction] = parameter
        parameter.name = llvm.name(instruction)
        state.blocks[ref].parameters.append(parameter)


def _width(state: Importer, value: llvm.Ref) -> int:
    kind = llvm.call("TypeOf", value)
    if llvm.call("GetTypeKind", kind) != llvm.TYPE_INTEGER:
        raise state.error(
            "type",
            f"a value of type {llvm.type_text(kind)}",
            "this version computes with integers only",
        )
    return llvm.call("GetIntTypeWidth", kind)


def value_of(state: Importer, ref: llvm.Ref) -> Op:
    """The operation that stands for an LLVM integer value."""
    found = state.values.get(ref)
    if isinstance(found, Op):
        return found
    kind = llvm.call("GetValueKind", ref)
    if kind == llvm.VALUE_INTEGER:
        width = _width(state, ref)
        return constant(
            llvm.call("ConstIntGetZExtValue", ref) if width <= 64 else _wide(ref), width
        )
    if kind in (llvm.VALUE_UNDEF, llvm.VALUE_ZERO, llvm.VALUE_POISON):
        return constant(0, _width(state, ref))
    raise state.error(
        "value",
        f"cannot use `{llvm.text(ref)[:80]}` as a number",
        "pointers may only be used to reach array elements",
    )


def _wide(ref: llvm.Ref) -> int:
    return int(llvm.text(ref).split()[-1])


def _translate_block(state: Importer, memories: MemoryTable, ref: llvm.Ref) -> None:
    builder = state.builders[state.blocks[ref]]
    for instruction in llvm.children(ref, "Instruction"):
        file, line = llvm.location(instruction)
        if line:
            state.place = Place(file, line)
            builder.line = line
            block = state.blocks[ref]
            block.line = block.line or line
        _translate(state, memories, builder, instruction)


def _translate(state: Importer, memories: MemoryTable, builder: Builder, ref: llvm.Ref) -> None:
    opcode = llvm.call("GetInstructionOpcode", ref)
    if opcode in (PHI, RET, BR, SWITCH, UNREACHABLE, ALLOCA, BR_ALWAYS, BR_IF):
        return
    if opcode == STORE:
        memories.store(builder, ref)
    elif opcode == LOAD:
        state.values[ref] = memories.load(builder, ref)
    elif opcode == GEP:
        state.values[ref] = memories.address(builder, ref)
    elif opcode == CALL:
        _call(state, memories, builder, ref)
    elif (
        opcode == SELECT and llvm.call("GetTypeKind", llvm.call("TypeOf", ref)) == llvm.TYPE_POINTER
    ):
        state.values[ref] = memories.select(builder, ref)
    elif opcode == EXTRACT_VALUE and llvm.operands(ref)[0] in state.pairs:
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
    if opcode == ICMP:
        return _compare(state, memories, builder, ref)
    if opcode in SIMPLE:
        a, b = (value_of(state, o) for o in operands)
        return builder.build(SIMPLE[opcode], [a, b], a.width)
    if opcode in (TRUNC, ZEXT, SEXT):
        return builder.resize(value_of(state, operands[0]), _width(state, ref), opcode == SEXT)
    if opcode == SELECT:
        parts = [value_of(state, o) for o in operands]
        return builder.build("select", parts, parts[1].width)
    if opcode == FREEZE:
        return value_of(state, operands[0])
    raise state.error(
        "instruction",
        f"cannot make hardware of `{llvm.text(ref)[:80]}`",
        "this version takes integer C: no floating point, no inline assembly",
    )


def _comparable(state: Importer, memories: MemoryTable, builder: Builder, ref: llvm.Ref) -> Op:
    """A number, or the offset of a pointer (both sides then point into one array)."""
    if llvm.call("GetTypeKind", llvm.call("TypeOf", ref)) == llvm.TYPE_POINTER:
        return memories.byte_offset(builder, memories.resolve(builder, ref))
    return value_of(state, ref)


def _compare(state: Importer, memories: MemoryTable, builder: Builder, ref: llvm.Ref) -> Op:
    operands = llvm.operands(ref)
    predicate = PREDICATES[llvm.call("GetICmpPredicate", ref)]
    a, b = (_comparable(state, memories, builder, o) for o in operands)
    if predicate in SWAPPED:
        predicate, a, b = SWAPPED[predicate], b, a
    return builder.compare(predicate, a, b)


def _call(state: Importer, memories: MemoryTable, builder: Builder, ref: llvm.Ref) -> None:
    callee = llvm.name(llvm.call("GetCalledValue", ref))
    if callee.startswith(IGNORED_CALLS):
        return
    if callee.startswith(PROBE):
        state.kernel.probes[callee] = value_of(state, llvm.operands(ref)[0])
        return
    base = callee.rsplit(".", 1)[0] if callee.startswith("llvm.") else callee
    short = ".".join(callee.split(".")[:2])
    if short in ("llvm.memcpy", "llvm.memmove", "llvm.memset"):
        memories.block_operation(builder, short, ref)
    elif base in OVERFLOWS:
        parts = [value_of(state, o) for o in llvm.operands(ref)[:-1]]
        state.pairs[ref] = build_with_overflow(builder, base, parts)
    elif base in INTRINSICS or short in INTRINSICS:
        name = base if base in INTRINSICS else short
        parts = [value_of(state, o) for o in llvm.operands(ref)[:-1]]
        state.values[ref] = build_intrinsic(builder, name, parts, _width(state, ref))
    elif not callee:
        raise state.error(
            "indirect-call", "a call through a function pointer", "call the function by its name"
        )
    else:
        raise state.outside_call(callee)


def _terminate(state: Importer, memories: MemoryTable, ref: llvm.Ref) -> None:
    block = state.blocks[ref]
    end = llvm.call("GetBasicBlockTerminator", ref)
    opcode = llvm.call("GetInstructionOpcode", end)
    line = llvm.location(end)[1]
    edges = [Edge(state.blocks[s], _edge_values(state, memories, ref, s)) for s in _successors(ref)]
    if opcode == RET:
        returned = llvm.operands(end)
        block.end = Terminator("return", value=value_of(state, returned[0]) if returned else None)
    elif opcode == UNREACHABLE:
        block.end = Terminator("return", value=_any_result(state))
    elif len(edges) == 1:
        block.end = Terminator("jump", edges=edges, line=line)
    elif opcode == SWITCH:
        _switch(state, block, end, edges)
    else:
        condition = value_of(state, llvm.operands(end)[0])
        block.end = Terminator("branch", condition, edges, line=line)


def _any_result(state: Importer) -> Op | None:
    result = next((a for a in state.kernel.arguments if a.direction == "out" and a.width), None)
    return constant(0, result.width) if result else None


def _edge_values(
    state: Importer, memories: MemoryTable, source: llvm.Ref, target: llvm.Ref
) -> list[Op]:
    values = []
    builder = state.builders[state.blocks[source]]
    for phi in llvm.children(target, "Instruction"):
        if llvm.call("GetInstructionOpcode", phi) != PHI:
            break
        for i in range(llvm.call("CountIncoming", phi)):
            if llvm.call("GetIncomingBlock", phi, i) == source:
                incoming = llvm.call("GetIncomingValue", phi, i)
                if isinstance(state.values[phi], Address):
                    values.append(
                        memories.byte_offset(builder, memories.resolve(builder, incoming))
                    )
                else:
                    values.append(value_of(state, incoming))
                break
    return values


def _switch(state: Importer, block: Block, end: llvm.Ref, edges: list[Edge]) -> None:
    """A chain of comparisons, each in a block of its own."""
    selector = value_of(state, llvm.operands(end)[0])
    default, *cases = edges
    current = block
    for i, edge in enumerate(cases):
        builder = state.builders[current] if current is block else Builder(state.kernel, current)
        wanted = llvm.call("ConstIntGetZExtValue", llvm.call("GetSwitchCaseValue", end, i + 1))
        condition = builder.compare("eq", selector, constant(wanted, selector.width))
        last = i == len(cases) - 1
        following = default if last else Edge(Block(f"{block.name}_case{i + 1}"))
        current.end = Terminator("branch", condition, [edge, following])
        current = following.block
