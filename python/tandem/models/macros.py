# SPDX-License-Identifier: Apache-2.0
"""Macros as C functions of what ahead.so knows of a call before it happens. They are made of the
IR, in which everything has a value: the walk computes what the C itself may leave out."""

from __future__ import annotations

from tandem.ir.kernel import Kernel
from tandem.ir.ops import WIRING, Op, Rom
from tandem.ir.ops.c import c_type, literal
from tandem.ir.wiring import bits_of, segments
from tandem.schedule.cores import Core


def macro_name(kernel: Kernel, function: str) -> str:
    """The C function of a macro; the user's name for it may be anything."""
    return f"tandem_macro{list(kernel.macros).index(function)}"


def macro_c(name: str, core: Core) -> str:
    """The C function of a macro's core."""
    block, memories = core.block, core.schedule.kernel.memories
    assert block.end.value is not None
    lines = [
        f"static const {c_type(memory.element_bits)} {name}_{memory.name}[] = "
        f"{{{', '.join(literal(word, memory.element_bits) for word in memory.contents)}}};"
        for memory in memories.values()
    ]
    names = {parameter: f"a{i}" for i, parameter in enumerate(block.parameters)}
    given = ", ".join(f"{c_type(p.width)} {names[p]}" for p in block.parameters)
    result = c_type(block.end.value.width)
    lines += [f"static inline {result} {name}({given})", "{"]
    for op in (op for op in block.ops if not isinstance(op, WIRING)):
        uses = [_use(o, names) for o in op.operands]
        if isinstance(op, Rom):
            size = len(memories[op.memory.name].contents)
            index = f"(uint64_t){uses[0]}"
            text = f"{index} < {size} ? {name}_{op.memory.name}[{index}] : 0"
        else:
            text = op.c(op.width, uses, [o.width for o in op.operands])
        names[op] = f"v{len(names)}"
        lines.append(f"    const {c_type(op.width)} {names[op]} = {text};")
    return "\n".join([*lines, f"    return {_use(block.end.value, names)};", "}", ""])


def _use(value: Op, names: dict[Op, str]) -> str:
    """A value as a C expression of its type."""
    if value in names:
        return names[value]
    kind, parts, position = c_type(value.width), [], 0
    for source, low, width in segments(bits_of(value)):
        if source is None:
            parts.append(f"({literal(low, value.width)} << {position})")
        else:
            part = f"({c_type(width)})({names[source]} >> {low})"
            parts.append(f"(({kind}){part} << {position})")
        position += width
    return f"({kind})({' | '.join(parts)})"
