# SPDX-License-Identifier: Apache-2.0
"""Small arrays that are only read, at known places: their bytes come with the call."""

from __future__ import annotations

from tandem import policy
from tandem.ir.argument import ArgumentKind
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import ArgumentOp, Constant, Load, Op
from tandem.passes.argument_binding import Binding, Use, extent_of
from tandem.passes.rebuild import rebuild, remake


def bind_block(binding: Binding) -> bool:
    """Only where it is known before the call whether it is read at all: it comes with the call."""
    kernel, argument, memory = binding.kernel, binding.argument, binding.memory
    loads = [a.op for a in binding.accesses]
    known = all(isinstance(op, Load) and isinstance(op.operands[0], Constant) for op in loads)
    if not loads or not known:
        return False
    indices = [_signed_index(op.operands[0]) for op in loads]
    size = (1 + max(indices)) * binding.element_bytes
    if size > policy.BLOCK_BYTES or min(indices) < 0:
        return False
    found = binding.extents.of_block(_deciding(binding.accesses), size)
    if found is None:
        return False
    argument.kind, argument.width = ArgumentKind.BLOCK, 8 * size
    argument.extent = extent_of(binding.extents, found)
    argument.op = ArgumentOp((), argument.width, {"name": argument.name}, name=argument.name)
    argument.memory = None
    _read_from(kernel, memory.name, argument.op)
    return True


def _deciding(loads: list[Use]) -> list[tuple[Block, Op]]:
    """The loads that decide whether there is one at all: of a block that loads in any case, one."""
    always = {a.block: a.op for a in loads if a.op.enable is None}
    return [*always.items(), *((a.block, a.op) for a in loads if a.block not in always)]


def _read_from(kernel: Kernel, memory: str, source: Op) -> None:
    """Every load of a memory becomes bits of `source`."""

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if not isinstance(op, Load) or op.memory.name != memory:
            return remake(builder, op, operands)
        return builder.extract(source, operands[0].value * op.width, op.width)

    del kernel.memories[memory]
    rebuild(kernel, change)


def _signed_index(op: Op) -> int:
    return (
        op.value - (1 << op.width) if op.value >> (op.width - 1) & 1 and op.width > 32 else op.value
    )
