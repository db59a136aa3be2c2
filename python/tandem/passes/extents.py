# SPDX-License-Identifier: Apache-2.0
"""How many bytes of a buffer a call uses, as a C expression over the scalar arguments."""

from __future__ import annotations

from tandem.ir.kernel import Block, Kernel, Op
from tandem.ir.operations import mask
from tandem.ir.verifier import immediate_dominators
from tandem.ir.wiring import bits_of, segments

C_OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "and": "&",
    "or": "|",
    "xor": "^",
    "eq": "==",
    "ne": "!=",
    "ult": "<",
    "ule": "<=",
    "udiv": "/",
    "urem": "%",
}
WIDEST_BITS = 64


def c_expression(op: Op) -> str | None:
    """`op` in C, None when it depends on more than scalar arguments and constants."""
    if op.kind == "constant":
        suffix = "" if op.value < 1 << 31 else "u" if op.width <= 32 else "ull"
        return f"{op.value}{suffix}"
    if op.width > WIDEST_BITS + 1:
        return None
    if op.kind == "argument":
        # Narrow arguments may be declared signed; the expression counts in unsigned numbers.
        name = op.attributes["name"]
        return name if op.width >= 32 else f"(uint{op.width}_t){name}"
    if op.kind in ("concat", "extract"):
        return _wiring(op)
    if op.kind in C_OPERATORS:
        parts = [c_expression(o) for o in op.operands]
        if None in parts:
            return None
        text = f" {C_OPERATORS[op.kind]} ".join(p for p in parts if p is not None)
        return _masked(f"({text})", op.width)
    if op.kind in ("slt", "sle"):
        return _signed_compare(op)
    if op.kind == "select":
        parts = [c_expression(o) for o in op.operands]
        return None if None in parts else f"({parts[0]} ? {parts[1]} : {parts[2]})"
    return None


def _masked(text: str, width: int) -> str:
    if width in (1, WIDEST_BITS, WIDEST_BITS + 1):
        return text
    return f"({text} & {mask(width):#x}u)" if width <= 32 else f"({text} & {mask(width):#x}ull)"


def _signed_compare(op: Op) -> str | None:
    width = op.operands[0].width
    parts = [c_expression(o) for o in op.operands]
    if None in parts or width > WIDEST_BITS:
        return None
    sign = "<" if op.kind == "slt" else "<="
    if width in (8, 16, 32, 64):
        return f"((int{width}_t){parts[0]} {sign} (int{width}_t){parts[1]})"
    shift = WIDEST_BITS - width
    sides = [f"(int64_t)((uint64_t)({p}) << {shift})" for p in parts]
    return f"({sides[0]} {sign} {sides[1]})"


def _wiring(op: Op) -> str | None:
    parts = []
    position = 0
    for source, low, width in segments(bits_of(op)):
        if source is None:
            if low:
                parts.append(str(low << position))
        else:
            text = c_expression(source)
            if text is None:
                return None
            text = f"({text} >> {low})" if low else text
            if low + width < source.width:
                text = f"({text} & {mask(width):#x}ull)"
            parts.append(f"((uint64_t){text} << {position})" if position else text)
        position += width
    return f"({' | '.join(parts)})" if len(parts) > 1 else (parts[0] if parts else "0")


def guards(kernel: Kernel, block: Block) -> list[str] | None:
    """C conditions under which control reaches `block` from the kernel's entry, outermost first;
    None when one of them is not expressible. Only branches that `block` depends on count."""
    dominators = immediate_dominators(kernel)
    predecessors = kernel.predecessors()
    conditions: list[str] = []
    while block is not kernel.entry:
        entries = [(b, e) for b, e in predecessors[block] if b is not block]
        if len(entries) == 1:
            source, edge = entries[0]
            if (
                source.end.kind == "branch"
                and source.end.condition is not None
                and not source.is_loop
            ):
                text = c_expression(source.end.condition)
                if text is None:
                    return None
                taken = source.end.edges[0] is edge
                conditions.append(text if taken else f"!({text})")
        block = dominators[block]
    return conditions[::-1]


def guarded(kernel: Kernel, block: Block, amount: Op, unit: int, rest: int = 0) -> str | None:
    """`unit` times `amount` plus `rest` when control reaches `block`, else 0; in C, None if not
    expressible."""
    text, conditions = c_expression(amount), guards(kernel, block)
    if text is None or conditions is None:
        return None
    size = f"{unit} * (uint64_t){text}"
    if rest:
        size += f" + {rest}" if rest > 0 else f" - {-rest}"
    elif unit:
        # Where nothing is counted nothing is used: the condition says so twice.
        needless = {f"!(({text} == 0))", f"({text} != 0)"}
        conditions = [c for c in conditions if c not in needless]
    return f"({' && '.join(conditions)}) ? {size} : 0" if conditions else size


def when_reached(kernel: Kernel, block: Block, size: int) -> str:
    """`size` when control reaches `block`, else 0; without a condition where none can be written
    over the scalar arguments."""
    conditions = guards(kernel, block)
    return f"({' && '.join(conditions)}) ? {size} : 0" if conditions else str(size)
