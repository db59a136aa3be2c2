# SPDX-License-Identifier: Apache-2.0
"""A kernel as text. `parser.parse` reads all of it back but what is no part of the kernel itself:
`probes`, `deeds` and `facts`, and what is kernels of their own: `plain`, `unsplit`, and the bodies
of `macros`.

tandem-ir 1
kernel @mac "mac.c"
  argument @n : scalar in i32 "int"
  memory @table : rom 4 x i8 = [1, 2, 3, 4]
^entry:
  jump ^loop(0:i32, @n)
^loop(%0:i32 "i", %1:i32 "left"): line=7
  %2 = rom %0 {memory=table} : i8 !8
  ...
"""

from __future__ import annotations

import json
from typing import Any

from tandem.ir.argument import Argument, Extent
from tandem.ir.blocks import Block, Edge
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.memory import Memory
from tandem.ir.ops import Constant, Op

VERSION = 1
HEAD = f"tandem-ir {VERSION}"
"""What a text begins with. Another form of anything in it is another version."""
LOOP_SETS = (
    "stores_read",
    "windows",
    "divisions",
    "rows",
    "nests",
    "while_nests",
    "pairs",
    "mixed",
    "planes",
    "borders",
    "diagonal",
    "pivots",
    "interchangeable",
)
"""Members of a kernel that are loops of the C."""
LOOP_COUNTS = ("independent", "copyable")
"""... that are loops with a number each."""
NUMBERS = {"multipliers": None, "least_ii": 1}
"""What the kernel has one number of -> that which is not said."""


def print_kernel(kernel: Kernel) -> str:
    """The kernel's text form, ending with a newline."""
    names = _name_values(kernel)
    source = f" {_quoted(kernel.source)}" if kernel.source else ""
    lines = [HEAD, f"kernel @{kernel.name}{source}"]
    lines += [f"  {_argument(a)}" for a in kernel.arguments]
    lines += [f"  {_memory(m)}" for m in kernel.memories.values()]
    lines += [f"  {fact}" for fact in _facts(kernel)]
    for block in kernel.blocks:
        lines.append(_header(block, names))
        lines += [f"  {_op(op, names)}" for op in block.ops]
        lines.append(f"  {_end(block, names)}")
    return "\n".join(lines) + "\n"


def _name_values(kernel: Kernel) -> dict[Op, str]:
    names: dict[Op, str] = {}
    for argument in kernel.arguments:
        if argument.op is not None:
            names[argument.op] = f"@{argument.name}"
    count = 0
    for block in kernel.blocks:
        for op in [*block.parameters, *block.ops]:
            if op.width:
                names[op] = f"%{count}"
                count += 1
    return names


def _argument(argument: Argument) -> str:
    parts = [f"argument @{argument.name} : {argument.kind} {argument.direction}"]
    if argument.width:
        parts.append(f"i{argument.width}")
    if argument.signed:
        parts.append("signed")
    if argument.memory is not None:
        parts.append(f"memory=@{argument.memory.name}")
    if not argument.reads:
        parts.append("unread")
    if argument.is_volatile:
        parts.append("volatile")
    if argument.float_bytes:
        parts.append(f"float_bytes={argument.float_bytes}")
    if argument.tells_of:
        parts.append(f"tells_of=@{argument.tells_of}")
    if argument.joins:
        parts.append(f"joins={','.join(f'@{name}' for name in argument.joins)}")
    if argument.made:
        parts.append("made")
    if argument.most is not None:
        parts.append(f"served={argument.least}..{argument.most}")
    if argument.field is not None:
        parts.append(f"field=@{argument.field.parent}+{argument.field.offset}")
        parts += ["open"] if argument.field.is_open else []
    if argument.part is not None:
        part = argument.part
        parts.append(f"part=@{part.parent}+{part.offset}:{part.bytes}")
    if argument.variable is not None:
        parts.append(f"variable={_quoted(argument.variable.symbol)}:{argument.variable.bytes}")
        parts += ["private"] if argument.variable.is_private else []
    return " ".join([*parts, _quoted(argument.c_type), *_extent(argument.extent)])


def _extent(extent: Extent) -> list[str]:
    """One that is exact is its own proof."""
    parts = [] if extent.claim is None else [f'{extent.source}="{extent.claim}"']
    if extent.proof is not None and extent.source != "exact":
        parts.append(f'proof="{extent.proof}"')
    return parts


def _memory(memory: Memory) -> str:
    depth = "?" if memory.depth is None else memory.depth
    text = f"memory @{memory.name} : {memory.kind} {depth} x i{memory.element_bits}"
    if memory.contents:
        text += f" = [{', '.join(map(str, memory.contents))}]"
    if memory.banks != 1:
        text += f" banks={memory.banks}"
    if memory.rows:
        text += f" rows=[{', '.join(map(str, memory.rows))}]"
    return text


def _facts(kernel: Kernel) -> list[str]:
    """What is known of pairs of arguments and of loops of the C, and what is asked for."""
    facts = [f"in_place @{read}, @{written}" for read, written in sorted(kernel.in_place)]
    facts += [f"overlap {', '.join(f'@{n}' for n in group)}" for group in kernel.overlaps]
    facts += [
        f"unrolled {loop}: {_lines(kernel.unrolled[loop])}" for loop in sorted(kernel.unrolled)
    ]
    for name in LOOP_COUNTS:
        facts += [f"{name} {loop}: {n}" for loop, n in sorted(getattr(kernel, name).items())]
    found = {name: getattr(kernel, name) for name in LOOP_SETS}
    facts += [f"{name} {_loops(loops)}" for name, loops in found.items() if loops]
    numbers = {name: getattr(kernel, name) for name in NUMBERS}
    return facts + [f"{name} {n}" for name, n in numbers.items() if n != NUMBERS[name]]


def _lines(lines: set[int]) -> str:
    return ", ".join(map(str, sorted(set(map(int, lines)))))


def _loops(loops: set[LoopId]) -> str:
    return ", ".join(map(str, sorted(loops)))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _origin(op: Op) -> str:
    """Where in the C a value comes from: the line, and the variable's name."""
    line = f" !{op.line:d}" if op.line else ""
    return f"{line} {_quoted(op.name)}" if op.name else line


def _header(block: Block, names: dict[Op, str]) -> str:
    parameters = ", ".join(f"{names[p]}:i{p.width}{_origin(p)}" for p in block.parameters)
    text = f"^{block.name}({parameters}):" if parameters else f"^{block.name}:"
    if block.line:
        text += f" line={block.line:d}"
    if block.loop != NO_LOOP:
        text += f" loop={block.loop}"
    if block.part:
        text += f" part={block.part}"
    if block.wanted_ii is not None:
        text += f" ii={block.wanted_ii}"
    if block.copies is not None:
        text += f" copies={block.copies}"
    if block.turns != 1:
        text += f" turns={block.turns}"
    if block.uncounted:
        text += f" uncounted={block.uncounted}"
    if block.rounds:
        text += f" rounds={block.rounds}"
    if block.interleaved != 1:
        text += f" interleaved={block.interleaved}"
    if block.independent:
        text += f" independent={block.independent}"
    if block.trip_count is not None:
        text += f" trip={_use(block.trip_count, names)}"
    return text


def _use(op: Op, names: dict[Op, str]) -> str:
    return f"{op.value}:i{op.width}" if isinstance(op, Constant) else names[op]


def _op(op: Op, names: dict[Op, str]) -> str:
    text = f"{names[op]} = {op.slug}" if op.width else op.slug
    if op.operands:
        text += " " + ", ".join(_use(o, names) for o in op.operands)
    if op.attributes:
        pairs = ", ".join(f"{k}={_shown(v)}" for k, v in sorted(op.attributes.items()))
        text += f" {{{pairs}}}"
    if op.rule != "none":
        text += f" : i{op.width}"
    return text + _origin(op)


def _shown(value: Any) -> str:
    return value.name if isinstance(value, Memory) else str(value)


def _edge(edge: Edge, names: dict[Op, str]) -> str:
    text = f"^{edge.block.name}({', '.join(_use(a, names) for a in edge.arguments)})"
    return text + " seldom" if edge.seldom else text


def _end(block: Block, names: dict[Op, str]) -> str:
    end = block.end
    parts = [end.slug]
    operands = [f"@{end.callee}"] if end.callee else []
    if end.condition is not None:
        operands.append(_use(end.condition, names))
    operands += [_edge(edge, names) for edge in end.edges]
    if end.value is not None:
        operands.append(_use(end.value, names))
    if operands:
        parts.append(", ".join(operands))
    if end.line:
        parts.append(f"!{end.line:d}")
    return " ".join(parts)
