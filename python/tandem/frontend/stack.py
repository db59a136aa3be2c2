# SPDX-License-Identifier: Apache-2.0
"""Functions that call themselves, or each other, as one function with a stack.

    int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }

    call:    n = given                       a call goes one frame up and back to the first block,
             if (n < 2) { result = n; goto back; }
             frame.n[top] = n; site[top + 1] = 0; given = n - 1; top++; goto call;
    behind0: frame.f[top] = result; site[top + 1] = 1; given = frame.n[top] - 2; top++; goto call;
    behind1: result = frame.f[top] + result; goto back;
    back:    if (top == 0) return result;    and a return one down, behind the call
             switch (site[top--]) { 0: goto behind0; 1: goto behind1; }

A frame holds what is needed behind a call and known before it, and the function's arrays; each of
these is an array over all frames, and becomes a memory. Addresses are made again where they are
needed. What every call hands on as it is, is no part of a frame. A call beyond the last frame is a
trap, and ends the function.

LLVM puts values into variables of their own where they are needed in another block; those that do
not live across such a call become values again later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import llvmlite.binding as llvmlite

from tandem.frontend.parted import handed_on, part_all
from tandem.ir.traps import FRAMES, trap_symbol
from tandem.llvm import attributes, metadata, sizes
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import copy_properties, copy_signature, rename, set_operand
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.llvm.order import successors
from tandem.llvm.passes import Passes, rewritten, run_passes
from tandem.llvm.read import Ref, call, opcode_of, operands, type_of

_DEMOTED = ".reg2mem"
_COPY = "llvm.memcpy.p0.p0.i64"


def with_stack(
    module: llvmlite.ModuleRef, entry: str, names: Sequence[str], frames: int
) -> llvmlite.ModuleRef:
    """The module in which the function `entry` calls none of `names`, itself among them: it has
    what they do in it, and a stack of so many frames."""
    parted = rewritten(module, lambda module: part_all(module, names))
    run_passes(parted, Passes.add_register_to_memory_pass)
    return rewritten(parted, lambda module: _make_one(module, entry, names, frames))


@dataclass
class _Body:
    """A function that becomes part of another one. `own`: before the names of its values where they
    are then; `fixed`: parameters that are the same in all frames; `by_value`: the types of those
    that are structs; `framed`: what every frame has one of, and its type; `variables`: the others.
    """

    function: Ref
    own: str
    fixed: set[Ref]
    by_value: dict[Ref, Ref]
    variables: dict[Ref, Ref]
    framed: dict[Ref, Ref]
    given: dict[int, Ref]
    """Where a call puts what it gives for each parameter that is not fixed."""
    begin: Ref = 0
    """The block that a call leads to."""
    result: Ref = 0
    """Where its result lies; 0 if it has none."""

    @classmethod
    def of(cls, function: Ref, own: str, functions: Sequence[Ref]) -> _Body:
        by_value = {
            parameter: kind
            for i, parameter in enumerate(llvm.parameters(function), 1)
            if (kind := attributes.type_attribute(function, i, "byval"))
        }
        locals_ = {
            ref: call("GetAllocatedType", ref)
            for ref in llvm.instructions([function])
            if opcode_of(ref) == Opcode.ALLOCA
        }
        across = _across(function, locals_.keys(), functions)
        framed = {
            ref: kind
            for ref, kind in locals_.items()
            if ref in across or _DEMOTED not in llvm.name(ref)
        }
        others = {ref: kind for ref, kind in locals_.items() if ref not in framed}
        fixed = handed_on(function, functions)
        return cls(function, own, fixed, by_value, others, framed | by_value, {})


def _make_one(module: Module, entry: str, names: Sequence[str], frames: int) -> bool:
    functions = [module.function(name) or 0 for name in names]
    bodies = [_Body.of(f, f"r{i}.", functions) for i, f in enumerate(functions)]
    _Machine(module, bodies, bodies[names.index(entry)], frames).make_function()
    return True


class _Machine:
    """The function that some functions become."""

    def __init__(self, module: Module, bodies: Sequence[_Body], entry: _Body, frames: int) -> None:
        self.module, self.frames, self.entry = module, frames, entry
        self.bodies = {body.function: body for body in bodies}
        self.name = llvm.name(entry.function)
        self.trap = trap_symbol(FRAMES, frames, self.name)
        self.wide, self.site = module.integer(64), module.integer(16)
        self.make = Builder(module)
        self.sites: list[Ref] = []
        """Where it goes on behind each call."""

    def make_function(self) -> None:
        own = self.entry.function
        kind = call("GlobalGetValueType", own)
        self.function = call("AddFunction", self.module.ref, b"", kind)
        copy_signature(own, self.function)
        copy_properties(own, self.function)
        self.given = dict(zip(llvm.parameters(own), llvm.parameters(self.function), strict=True))
        for parameter, other in self.given.items():
            rename(other, llvm.name(parameter))
        first = self._block("entry")
        for body in self.bodies.values():
            body.begin = self._block(f"{body.own}call")
        self.back, self.full = self._block("back"), self._block("full")
        self._reserve(first)
        for body in self.bodies.values():
            self._take_in(body)
        self._return()
        for ref in llvm.calls([self.function]):
            if call("GetTailCallKind", ref) == llvm.TAIL:  # what was the caller's is its own now
                call("SetTailCall", ref, 0)
        call("ReplaceAllUsesWith", own, self.function)
        call("DeleteFunction", own)
        rename(self.function, self.name)

    def _block(self, what: str) -> Ref:
        return self.module.block(self.function, f"stack.{what}")

    def _number(self, value: int) -> Ref:
        return self.module.number(64, value)

    def _reserve(self, first: Ref) -> None:
        """Where it begins: its variables, and the call that it is itself."""
        make = self.make.at_end(first)
        self.top = make.local(self.wide, "stack.top")
        self.site_of = make.local(self.module.array(self.site, self.frames), "stack.site")
        self.memories: dict[Ref, Ref] = {}
        for body in self.bodies.values():
            self._reserve_for(body)
        for i, place in self.entry.given.items():
            make.store(llvm.parameters(self.function)[i], place)
        make.store(self._number(0), self.top)
        make.jump(self.entry.begin)

    def _reserve_for(self, body: _Body) -> None:
        make = self.make
        if not llvm.returns_nothing(body.function):
            result = llvm.result_type(body.function)
            body.result = make.local(result, f"stack.{body.own}result")
        for i, parameter in enumerate(llvm.parameters(body.function)):
            if parameter not in body.fixed:
                body.given[i] = make.local(type_of(parameter), f"stack.{body.own}given{i}")
        for ref, kind in body.variables.items():
            self.memories[ref] = make.local(kind, f"{body.own}{llvm.name(ref)}")
        for ref, kind in body.framed.items():
            many = self.module.array(kind, self.frames)
            self.memories[ref] = make.local(many, f"{body.own}{llvm.name(ref)}")

    def _take_in(self, body: _Body) -> None:
        """The blocks of a function, led in by what takes its arguments."""
        own = [*llvm.children(body.function, "BasicBlock")]
        self.blocks = {
            block: self.module.block(self.function, f"{body.own}{llvm.name(block)}")
            for block in own
        }
        self.values = {**{p: self.given[p] for p in body.fixed}, **self.memories}
        for ref in body.framed:
            del self.values[ref]
        self._take_arguments(body)
        self.make.jump(self.blocks[own[0]])
        for block in own:
            self.make.at_end(self.blocks[block])
            for ref in llvm.children(block, "Instruction"):
                if opcode_of(ref) != Opcode.ALLOCA:
                    self._take_instruction(body, ref)

    def _take_arguments(self, body: _Body) -> None:
        make = self.make.at_end(body.begin)
        for i, place in body.given.items():
            parameter = llvm.parameters(body.function)[i]
            value = make.load(type_of(parameter), place)
            if parameter not in body.by_value:
                self.values[parameter] = value
                continue
            size = sizes.size_and_alignment(body.by_value[parameter])[0]
            kinds = [self.module.pointer, self.module.pointer, self.wide, self.module.integer(1)]
            copy = self.module.declared(_COPY, self.module.void, kinds)
            into = self._place(body, parameter)
            make.call(copy, [into, value, self._number(size), self.module.number(1, 0)])

    def _take_instruction(self, body: _Body, ref: Ref) -> None:
        """What an instruction is now."""
        self.line = metadata.debug_location(ref) if body is self.entry else None
        call("SetCurrentDebugLocation2", self.make.ref, self.line)
        given = [self._value(body, value) for value in operands(ref)]
        callee = self.bodies.get(llvm.called(ref) or 0)
        if callee is not None:
            self._call(callee, ref, given)
        elif opcode_of(ref) == Opcode.RET:
            if body.result:
                self.make.store(given[0], body.result)
            self.make.jump(self.back)
        else:
            self._copy(body, ref, given)

    def _value(self, body: _Body, value: Ref) -> Ref:
        if value in body.framed:
            return self._place(body, value)
        return self.values.get(value, value)

    def _copy(self, body: _Body, ref: Ref, given: Sequence[Ref]) -> None:
        made = self.make.copy(ref, f"{body.own}{llvm.name(ref)}" if llvm.name(ref) else "")
        call("InstructionSetDebugLoc", made, self.line)
        if body is not self.entry:
            call("SetMetadata", made, metadata.kind_of("llvm.loop"), None)
        for i in range(call("GetNumSuccessors", ref)) if call("IsATerminatorInst", ref) else ():
            call("SetSuccessor", made, i, self.blocks[call("GetSuccessor", ref, i)])
        for i, value in enumerate(given):
            if not llvm.is_block(value):
                set_operand(made, i, value)
        self.values[ref] = made

    def _place(self, body: _Body, value: Ref) -> Ref:
        """Where something is in the frame."""
        top = self.make.load(self.wide, self.top)
        return self.make.address(body.framed[value], self.memories[value], [top])

    def _call(self, callee: _Body, ref: Ref, given: Sequence[Ref]) -> None:
        """A call as a jump, and the block behind it."""
        number, make = len(self.sites), self.make
        for i, place in callee.given.items():
            make.store(given[i], place)
        go, behind = self._block(f"go{number}"), self._block(f"behind{number}")
        self.sites.append(behind)
        here = make.load(self.wide, self.top)
        is_full = make.compare(Predicate.EQ, here, self._number(self.frames - 1))
        make.branch(is_full, self.full, go)
        make.at_end(go)
        up = make.binary(Opcode.ADD, here, self._number(1))
        call("SetNSW", up, 1)
        call("SetNUW", up, 1)
        site = make.address(self.site, self.site_of, [up])
        make.store(self.module.number(16, number), site)
        make.store(up, self.top)
        make.jump(callee.begin)
        make.at_end(behind)
        if callee.result:
            self.values[ref] = make.load(type_of(ref), callee.result)

    def _return(self) -> None:
        """Where every function returns to."""
        down, end = self._block("down"), self._block("exit")
        make = self.make.at_end(self.back)
        came = make.load(self.wide, self.top)
        make.branch(make.compare(Predicate.EQ, came, self._number(0)), end, down)
        make.at_end(down)
        below = make.binary(Opcode.SUB, came, self._number(1))
        call("SetNSW", below, 1)
        call("SetNUW", below, 1)
        make.store(below, self.top)
        self._go_back(came)
        make.at_end(self.full).store(self.module.number(8, 1), self._trap())
        make.jump(end)
        make.at_end(end)
        result = self.entry.result
        make.ret(make.load(llvm.result_type(self.function), result) if result else None)

    def _go_back(self, came: Ref) -> None:
        """Leads to behind the call that is told at a frame."""
        make, [first, *others] = self.make, self.sites
        told = make.load(self.site, make.address(self.site, self.site_of, [came])) if others else 0
        for number, behind in enumerate(others, 1):
            following = self._block(f"not{number}")
            number_ = self.module.number(16, number)
            make.branch(make.compare(Predicate.EQ, told, number_), behind, following)
            make.at_end(following)
        make.jump(first)

    def _trap(self) -> Ref:
        byte = self.module.integer(8)
        found = self.module.variable(self.trap)
        return found or call("AddGlobal", self.module.ref, byte, llvm.encoded(self.trap))


def _across(function: Ref, variables: Iterable[Ref], functions: Sequence[Ref]) -> set[Ref]:
    """The variables that are read behind a call of some functions and set before it, by liveness:
    what is read before it is set."""
    inside = {b: [*llvm.children(b, "Instruction")] for b in llvm.children(function, "BasicBlock")}
    arriving: dict[Ref, set[Ref]] = {block: set() for block in inside}
    found: set[Ref] = set()
    known, changed = set(variables), True
    while changed:
        changed = False
        for block, refs in reversed(inside.items()):
            behind = set[Ref]().union(*(arriving[after] for after in successors(block)))
            live, kept = _followed_back(refs, behind, known, functions)
            found |= kept
            changed |= live != arriving[block]
            arriving[block] = live
    return found


def _followed_back(
    refs: Sequence[Ref], live: set[Ref], known: set[Ref], functions: Sequence[Ref]
) -> tuple[set[Ref], set[Ref]]:
    """From what is live behind a block: what is before it, and across the calls in it."""
    across = set[Ref]()
    for ref in reversed(refs):
        if opcode_of(ref) == Opcode.STORE:
            live.discard(operands(ref)[1])
        elif opcode_of(ref) == Opcode.LOAD:
            live |= {operands(ref)[0]} & known
        elif llvm.called(ref) in functions:
            across |= live
    return live, across
