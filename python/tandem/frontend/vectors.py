# SPDX-License-Identifier: Apache-2.0
"""Vectors of numbers as numbers of their own: LLVM's `<4 x float>` is four values here.

Who writes no vectors gets them too: clang hands a struct of two floats on as `<2 x float>`, and
LLVM makes one of the struct. So every value of such a type becomes a value for each of its lanes,
and an instruction one for each lane. In memory it stays one. What a function returns, and what is
in a struct of values, is an integer with all lanes' bits.

Where more is done with vectors than is known here, the module stays as it is, and is refused later.
"""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.binding as llvmlite

from tandem.frontend.lanes import Lanes, has_vector, joined_type, kinds_of
from tandem.frontend.vector_calls import make_call_scalar
from tandem.llvm import attributes, metadata
from tandem.llvm import read as llvm
from tandem.llvm.edit import add_incoming, copy_properties, erase, move_body, rename
from tandem.llvm.module import Module, Unknown
from tandem.llvm.opcodes import BINARY, CASTS, Opcode, Predicate
from tandem.llvm.order import reverse_postorder
from tandem.llvm.passes import rewritten
from tandem.llvm.read import Ref, call, opcode_of, operands, type_of

_OF_ACCESSES = ("tbaa", "alias.scope", "noalias")
"""What is said of an access to a vector that holds for those to its lanes too."""
_TAKING = frozenset(
    {
        Opcode.STORE,
        Opcode.CALL,
        Opcode.RET,
        Opcode.EXTRACT_ELEMENT,
        Opcode.EXTRACT_VALUE,
        Opcode.BIT_CAST,
    }
)
"""Instructions that take vectors and need not make one: whatever makes one, or is given one, is
seen to."""
_OTHER_BITS = frozenset(map(attributes.attribute_kind, ("nofpclass", "range")))
"""What is said of a number that does not hold for its bits as an integer."""


def without_vectors(module: llvmlite.ModuleRef) -> llvmlite.ModuleRef:
    """The module without vectors; functions that take or return such are called otherwise."""
    found = rewritten(module, _make_scalar)
    try:
        found.verify()
    except RuntimeError:
        return module
    return found


def _make_scalar(module: Module) -> bool:
    using = [function for function in module.defined if _uses(function)]
    for function in using:
        made, lanes = _with_lanes_given(module, function)
        _Function(module, made, lanes).make_scalar()
        if made != function:
            call("DeleteFunction", function)
    return bool(using)


def _uses(function: Ref) -> bool:
    """Whether vectors are values of a function, or given to it."""
    kinds = [llvm.result_type(function), *map(type_of, llvm.parameters(function))]
    return any(map(has_vector, kinds)) or any(map(_shows, llvm.instructions([function])))


def _shows(ref: Ref) -> bool:
    """Whether an instruction makes a vector, or is the only one that is about a constant one."""
    return has_vector(type_of(ref)) or (opcode_of(ref) in _TAKING and _is_about(ref))


def _is_about(ref: Ref) -> bool:
    """Whether an instruction makes a vector or uses one."""
    return any(has_vector(type_of(value)) for value in (ref, *operands(ref)))


def _with_lanes_given(module: Module, function: Ref) -> tuple[Ref, dict[Ref, list[Ref]]]:
    """A function, or one in its place that is given lanes and returns integers; and the lanes of
    each parameter that was a vector."""
    own = llvm.parameters(function)
    result = llvm.result_type(function)
    if not any(map(has_vector, [result, *map(type_of, own)])):
        return function, {}
    kinds = [kind for parameter in own for kind in kinds_of(type_of(parameter))]
    joined = joined_type(module, result)
    made = call("AddFunction", module.ref, b"", module.function_type(joined, kinds))
    copy_properties(function, made)
    call("SetFunctionCallConv", made, call("GetFunctionCallConv", function))
    for attribute in attributes.attributes(function, 0):
        if joined == result or not attributes.is_one_of(attribute, _OTHER_BITS):
            call("AddAttributeAtIndex", made, 0, attribute)
    move_body(function, made)
    lanes: dict[Ref, list[Ref]] = {}
    given = iter(enumerate(llvm.parameters(made), 1))
    for number, parameter in enumerate(own, 1):
        said = attributes.attributes(function, number)
        is_vector = llvm.is_vector(parameter)
        lanes[parameter] = []
        for place in range(len(kinds_of(type_of(parameter)))):
            index, other = next(given)
            lanes[parameter].append(other)
            name = llvm.name(parameter)
            rename(other, f"tandem.{name}.lane{place}" if is_vector else name)
            for attribute in said:
                call("AddAttributeAtIndex", made, index, attribute)
        if not is_vector:
            call("ReplaceAllUsesWith", parameter, lanes.pop(parameter)[0])
    _put_in_place(function, made)
    return made, lanes


def _put_in_place(function: Ref, made: Ref) -> None:
    """Leads all that names a function to another one, which gets its name. Its parameters stay, as
    what vectors are known by, until nothing uses them any more."""
    name = llvm.name(function)
    call("ReplaceAllUsesWith", function, made)
    rename(function, f"{name}.vectors")
    rename(made, name)


class _Function:
    """A function while it is rewritten."""

    def __init__(self, module: Module, function: Ref, given: dict[Ref, list[Ref]]) -> None:
        self.module, self.function = module, function
        self.lanes = Lanes(module, given)
        self.given = [*given]
        self.phis: list[Ref] = []

    def make_scalar(self) -> None:
        done: list[Ref] = []
        for block in reverse_postorder(self.function):
            for ref in [*llvm.children(block, "Instruction")]:
                if _is_about(ref) and not self._stays(ref):
                    self.lanes.at(ref)
                    _RULES.get(opcode_of(ref), _of_lanes)(self, ref)
                    done.append(ref)
        for ref in self.phis:
            self._fill(ref)
        for ref in reversed(done):
            erase(ref)
        for parameter in self.given:
            call("ReplaceAllUsesWith", parameter, call("GetPoison", type_of(parameter)))

    def _stays(self, ref: Ref) -> bool:
        """Whether only what an instruction points to is a vector."""
        if opcode_of(ref) not in (Opcode.ALLOCA, Opcode.ADDRESS):
            return False
        if has_vector(type_of(ref)):
            raise Unknown
        return True

    def _fill(self, ref: Ref) -> None:
        for value, block in zip(operands(ref), llvm.incoming_blocks(ref), strict=True):
            if llvm.is_vector(ref):
                ways = zip(self.lanes.of(ref), self.lanes.of(value), strict=True)
            else:
                ways = [(self.lanes.whole(ref), self.lanes.whole(value))]
            for phi, lane in ways:
                add_incoming(phi, lane, block)


# -- an instruction each ---------------------------------------------------------------------------


def _of_lanes(function: _Function, ref: Ref) -> None:
    """An operation that does to each lane what it does to a number."""
    lanes, opcode = function.lanes, opcode_of(ref)
    known = opcode in BINARY or opcode in CASTS or opcode in _PLAIN
    if not known or not llvm.is_vector(ref):
        raise Unknown
    kinds = kinds_of(type_of(ref))
    given = [lanes.of_or_same(value, len(kinds)) for value in operands(ref)]
    made = [lanes.operation(ref, parts, kind) for *parts, kind in zip(*given, kinds, strict=True)]
    lanes.are(ref, made)


_PLAIN = frozenset({Opcode.ICMP, Opcode.FCMP, Opcode.SELECT, Opcode.FNEG, Opcode.FREEZE})


def _phi(function: _Function, ref: Ref) -> None:
    lanes = function.lanes
    function.phis.append(ref)
    if llvm.is_vector(ref):
        lanes.are(ref, [lanes.phi(ref, kind) for kind in kinds_of(type_of(ref))])
    else:
        lanes.is_whole(ref, lanes.phi(ref, joined_type(function.module, type_of(ref))))


def _extracted(function: _Function, ref: Ref) -> None:
    lanes = function.lanes
    vector, index = operands(ref)
    parts = lanes.of(vector)
    number = llvm.constant_number(index)
    if number is not None:
        found = parts[number] if number < len(parts) else call("GetPoison", type_of(ref))
    else:
        found = parts[0]
        for i, lane in enumerate(parts[1:], 1):
            is_it = lanes.make.compare(Predicate.EQ, index, lanes.number_like(index, i))
            found = lanes.make.choose(is_it, lane, found)
    call("ReplaceAllUsesWith", ref, found)


def _inserted(function: _Function, ref: Ref) -> None:
    lanes = function.lanes
    vector, value, index = operands(ref)
    number = llvm.constant_number(index)
    made = []
    for i, lane in enumerate(lanes.of(vector)):
        if number is not None:
            made.append(value if i == number else lane)
        else:
            is_it = lanes.make.compare(Predicate.EQ, index, lanes.number_like(index, i))
            made.append(lanes.make.choose(is_it, value, lane))
    lanes.are(ref, made)


def _shuffled(function: _Function, ref: Ref) -> None:
    lanes = function.lanes
    one, other = operands(ref)[:2]
    parts = [*lanes.of(one), *lanes.of(other)]
    places = [call("GetMaskValue", ref, i) for i in range(call("GetNumMaskElements", ref))]
    nothing = call("GetPoison", type_of(parts[0]))
    lanes.are(ref, [parts[place] if place >= 0 else nothing for place in places])


def _cast(function: _Function, ref: Ref) -> None:
    """The same bits as another type."""
    lanes, [value], kind = function.lanes, operands(ref), type_of(ref)
    kinds = kinds_of(kind)
    if len(kinds) == len(kinds_of(type_of(value))) and llvm.is_vector(ref):
        return _of_lanes(function, ref)
    whole = lanes.joined(value)
    if llvm.is_vector(ref):
        lanes.are(ref, lanes.split(whole, kinds))
    else:
        call("ReplaceAllUsesWith", ref, lanes.make.cast(Opcode.BIT_CAST, whole, kind))


def _returned(function: _Function, ref: Ref) -> None:
    [value] = operands(ref)
    lanes = function.lanes
    lanes.make.ret(lanes.joined(value) if llvm.is_vector(value) else lanes.whole(value))


def _taken_out(function: _Function, ref: Ref) -> None:
    """A value of a struct of values."""
    lanes, index = function.lanes, llvm.first_index(ref)
    found = lanes.make.take_out(lanes.whole(operands(ref)[0]), index)
    if llvm.is_vector(ref):
        lanes.are(ref, lanes.split(found, kinds_of(type_of(ref))))
    elif has_vector(type_of(ref)):
        lanes.is_whole(ref, found)
    else:
        call("ReplaceAllUsesWith", ref, found)


def _put_in(function: _Function, ref: Ref) -> None:
    lanes, index = function.lanes, llvm.first_index(ref)
    struct, value = operands(ref)
    given = lanes.joined(value) if llvm.is_vector(value) else lanes.whole(value)
    lanes.is_whole(ref, lanes.make.put_in(lanes.whole(struct), given, index))


def _loaded(function: _Function, ref: Ref) -> None:
    if not llvm.is_vector(ref):
        raise Unknown
    lanes, made = function.lanes, []
    for kind, place, align in lanes.places(ref, operands(ref)[0], type_of(ref)):
        made.append(lanes.make.load(kind, place))
        _say(ref, made[-1], align)
    lanes.are(ref, made)


def _stored(function: _Function, ref: Ref) -> None:
    value, pointer = operands(ref)
    if not llvm.is_vector(value):
        raise Unknown
    lanes = function.lanes
    places = lanes.places(ref, pointer, type_of(value))
    for lane, (_, place, align) in zip(lanes.of(value), places, strict=True):
        _say(ref, lanes.make.store(lane, place), align)


def _say(ref: Ref, access: Ref, align: int) -> None:
    """Says of an access to a lane what is said of one to its vector."""
    call("SetAlignment", access, align)
    call("SetVolatile", access, call("GetVolatile", ref))
    for kind in map(metadata.kind_of, _OF_ACCESSES):
        call("SetMetadata", access, kind, call("GetMetadata", ref, kind))


def _called(function: _Function, ref: Ref) -> None:
    make_call_scalar(function.lanes, ref)


_RULES: dict[int, Callable[[_Function, Ref], None]] = {
    Opcode.PHI: _phi,
    Opcode.EXTRACT_ELEMENT: _extracted,
    Opcode.INSERT_ELEMENT: _inserted,
    Opcode.SHUFFLE: _shuffled,
    Opcode.BIT_CAST: _cast,
    Opcode.RET: _returned,
    Opcode.EXTRACT_VALUE: _taken_out,
    Opcode.INSERT_VALUE: _put_in,
    Opcode.LOAD: _loaded,
    Opcode.STORE: _stored,
    Opcode.CALL: _called,
}
