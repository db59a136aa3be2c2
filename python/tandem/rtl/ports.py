# SPDX-License-Identifier: Apache-2.0
"""A kernel's ports and the protocols that they speak: the one description from which its Verilog,
the port map of its package and of its models, and its test benches are made. docs/verilog.md has
the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tandem.ir.argument import Argument
from tandem.ir.kernel import PORT_INDEX_BITS, Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.names import spelled
from tandem.ir.ops import Load, Op, Store
from tandem.rtl.keywords import CPLUSPLUS, MACROS, SYSTEMVERILOG

RESET_CYCLES = 2
"""How long whoever attaches a kernel resets it, at least."""
ELEMENT = 0
"""In place of a width: that of the record, of the element or of the value."""


Speaks = Callable[[Kernel, Argument], bool]
"""Whether an argument of a kernel speaks a protocol."""


@dataclass(frozen=True)
class Protocol:
    """How an argument goes in or out. `speaks`: which do. `inputs` and `outputs` of the kernel:
    role of a signal -> its bits, which is the end of its name too."""

    meaning: str
    speaks: Speaks
    inputs: Mapping[str, int] = field(default_factory=dict)
    outputs: Mapping[str, int] = field(default_factory=dict)


def _is_of_no_argument(kernel: Kernel, argument: Argument) -> bool:
    return False


def _is_value(kernel: Kernel, argument: Argument) -> bool:
    return argument.op is not None and argument.memory is None and not argument.is_result


def _is_result(kernel: Kernel, argument: Argument) -> bool:
    return argument.is_result


def _is_kept_in(kind: MemoryKind) -> Speaks:
    """Whether an argument is a memory of a kind."""
    return lambda kernel, argument: argument.memory is not None and argument.memory.kind is kind


def _is_accessed_by(access: type[Op]) -> Speaks:
    """Whether an argument is memory outside of the kernel with such operations about it."""

    def speaks(kernel: Kernel, argument: Argument) -> bool:
        memory = argument.memory
        if memory is None or memory.kind is not MemoryKind.EXTERNAL:
            return False
        return any(type(op) is access and op.is_about(memory) for _, op in kernel.ops())

    return speaks


PROTOCOLS = {
    "call": Protocol(
        "`reset` is synchronous and high for two cycles or more before the first call; `start` is "
        "high for one cycle, in which a call begins, the next one after `done`; `done` is high "
        "for one cycle, the call's last: its result is there, memories are written at its end",
        _is_of_no_argument,
        {"clk": 1, "reset": 1, "start": 1},
        {"done": 1},
    ),
    "value": Protocol("stable from `start` to `done`", _is_value, {"value": ELEMENT}),
    "result": Protocol("stable from `done` on", _is_result, outputs={"value": ELEMENT}),
    "stream_in": Protocol(
        "a record wherever valid and ready meet",
        _is_kept_in(MemoryKind.STREAM_IN),
        {"valid": 1, "data": ELEMENT},
        {"ready": 1},
    ),
    "stream_out": Protocol(
        "a record wherever valid and ready meet",
        _is_kept_in(MemoryKind.STREAM_OUT),
        {"ready": 1},
        {"valid": 1, "data": ELEMENT},
    ),
    "memory_read": Protocol(
        "read data one cycle after the index; any index may be read",
        _is_accessed_by(Load),
        {"read_data": ELEMENT},
        {"read_enable": 1, "read_index": PORT_INDEX_BITS},
    ),
    "memory_write": Protocol(
        "written at the clock's edge",
        _is_accessed_by(Store),
        outputs={"write_enable": 1, "write_index": PORT_INDEX_BITS, "write_data": ELEMENT},
    ),
}

WHOLE_NAMES = ("value",)
"""Roles that the name of the argument stands for."""


@dataclass(frozen=True)
class Signal:
    """One port of the module. `argument`: its place in the manifest, None for a call's own."""

    name: str
    protocol: str
    role: str
    direction: str
    bits: int
    argument: int | None = None


def signals_of(kernel: Kernel) -> list[Signal]:
    """Every port, those of the call first and then by argument: models tell theirs in this
    order."""
    found = _signals("call", "", ELEMENT, None)
    for place, argument in enumerate(kernel.arguments):
        for protocol in protocols_of(kernel, argument):
            found += _signals(protocol, _stem(argument), _bits(argument), place)
    return found


def protocols_of(kernel: Kernel, argument: Argument) -> list[str]:
    """What an argument's ports speak; nothing where it has none."""
    return [name for name, row in PROTOCOLS.items() if row.speaks(kernel, argument)]


def _stem(argument: Argument) -> str:
    if argument.is_result:
        return "result"
    return argument.memory.name if argument.memory is not None else port_name(argument.name)


def _bits(argument: Argument) -> int:
    return argument.memory.element_bits if argument.memory is not None else argument.width


def _signals(protocol: str, stem: str, element_bits: int, argument: int | None) -> list[Signal]:
    spoken = PROTOCOLS[protocol]
    ways = [(role, "in", bits) for role, bits in spoken.inputs.items()]
    ways += [(role, "out", bits) for role, bits in spoken.outputs.items()]
    return [
        Signal(signal_name(stem, role), protocol, role, way, bits or element_bits, argument)
        for role, way, bits in ways
    ]


def signal_name(stem: str, role: str) -> str:
    """The port of an argument that has this role; `stem` is what its ports begin with."""
    if role in WHOLE_NAMES:
        return stem
    return f"{stem}_{role}" if stem else role


RESERVED = frozenset(s.name for s in _signals("call", "", ELEMENT, None)) | {"result", "finished"}
ROLES = frozenset(
    role
    for name, spoken in PROTOCOLS.items()
    for role in (*spoken.inputs, *spoken.outputs)
    if name != "call" and role not in WHOLE_NAMES
)
"""Those that follow the name of an array."""
_ENDS = tuple(sorted({f"_{role.rpartition('_')[2]}" for role in ROLES} | {"_"}))


def port_name(argument: str) -> str:
    """The port of a scalar or block argument: its name, spelled out and unless it is taken."""
    name = spelled(argument)
    taken = name in RESERVED | SYSTEMVERILOG | CPLUSPLUS | MACROS or name.endswith(_ENDS)
    return f"{name}_" if taken else name
