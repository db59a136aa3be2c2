# SPDX-License-Identifier: Apache-2.0
"""Hardware that operations share: multipliers with registers in front of both sides, and cores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tandem.ir.blocks import Block
from tandem.ir.ops import Mul, Op
from tandem.ir.wiring import bits_of, is_sign_extended, multiplier_bits
from tandem.rtl.text import Module, Wire

if TYPE_CHECKING:
    from tandem.rtl.datapath import Datapath

Unit = tuple[str, int]
"""The name of a core, and its number."""


def operand_port(number: int) -> str:
    """The port of a core for an operand."""
    return f"operand{number}"


@dataclass(frozen=True)
class Multiplier:
    """A multiplier that products share: the registers of its factors, and what comes out."""

    factors: list[Wire]
    product: Wire


def signed(module: Module, value: Wire, width: int) -> Wire:
    """The value with copies of its sign above."""
    if width == value.width:
        return value
    sign = module.extract(value, value.width - 1, 1)
    return module.concat([module.replicate(sign, width - value.width), value])


class Units:
    """Those of a kernel. They are connected to the operands of all their operations at the end."""

    def __init__(self, datapath: Datapath) -> None:
        self.datapath = datapath
        self.module = datapath.module
        self.multipliers: dict[int, Multiplier] = {}
        self.cores: dict[Unit, Wire] = {}
        """The result of each core."""

    def core(self, block: Block, op: Op) -> Wire:
        """What a core gives. Its operands are connected to it later."""
        unit = (op.core, self.datapath.emitter.schedule.blocks[block].ports[op])
        if unit not in self.cores:
            self.cores[unit] = Wire(self.module.fresh(), op.width)
        return self.cores[unit]

    def drive_cores(self) -> None:
        """Places the cores, and connects each to the operands of all its operations."""
        served: dict[Unit, list[tuple[Block, Op]]] = {}
        for block, schedule in self.datapath.emitter.schedule.blocks.items():
            for op in (op for op in schedule.ports if op.core):
                served.setdefault((op.core, schedule.ports[op]), []).append((block, op))
        for unit, ops in served.items():
            name, count = self.datapath.emitter.inner_name(unit[0]), len(ops[0][1].operands)
            inputs = {operand_port(i): self._chosen(ops, i) for i in range(count)}
            outputs = {"value": self.core(*ops[0])}
            self.module.instance(name, "_".join(map(str, unit)), inputs, outputs, clock="clk")

    def _chosen(self, ops: list[tuple[Block, Op]], operand: int) -> Wire:
        """An operand of the operation that starts."""
        ways: list[tuple[Wire, Wire]] = []
        for block, op in ops:
            start = self.datapath.emitter.schedule.blocks[block].start[op]
            value = self.datapath.at(block, op.operands[operand], start)
            ways.append((self.datapath.emitter.tokens[block].at(start), value))
        return ways[0][1] if len(ways) == 1 else self.module.choose(ways)

    def multiplier(self, number: int, latency: int) -> Multiplier:
        """One that several products share. Its registers are connected to them later."""
        if number not in self.multipliers:
            width, told = self._shared_factor_bits, f"multiplier{number}, that products share"
            factors = [
                self.datapath.of_unit(
                    self.module.declare_register(f"multiplier{number}_{which}", width), 1, told
                )
                for which in ("a", "b")
            ]
            wide = [signed(self.module, factor, 2 * width) for factor in factors]
            product = self.module.binary("mul", wide[0], wide[1])
            for _ in range(latency - 1):
                product = self.module.register(f"multiplier{number}_product", product)
                self.datapath.of_unit(product, 1, told)
            self.multipliers[number] = Multiplier(factors, product)
        return self.multipliers[number]

    def drive_multipliers(self) -> None:
        """Connects the registers of shared multipliers to the factors of all their products."""
        ways: dict[int, list[list[tuple[Wire, Wire]]]] = {}
        for block, schedule in self.datapath.emitter.schedule.blocks.items():
            for op in (op for op in schedule.ports if isinstance(op, Mul)):
                start = schedule.start[op]
                token = self.datapath.emitter.tokens[block].at(start)
                sides = ways.setdefault(schedule.ports[op], [[], []])
                for side, factor in zip(sides, op.operands, strict=True):
                    value = self.datapath.at(block, factor, start)
                    side.append((token, self._with_sign(factor, value)))
        for number, sides in ways.items():
            for register, side in zip(self.multipliers[number].factors, sides, strict=True):
                self.module.drive_register(register, self.module.choose(side))

    @cached_property
    def _shared_factor_bits(self) -> int:
        """The width of the factors of all products, with a sign."""
        products = (op for _, op in self.datapath.emitter.kernel.ops() if isinstance(op, Mul))
        factors = {bits_of(factor) for op in products for factor in op.operands}
        return max(multiplier_bits(bits) + (not is_sign_extended(bits)) for bits in factors)

    def _with_sign(self, factor: Op, value: Wire) -> Wire:
        """A factor as wide as those of shared multipliers."""
        width = self._shared_factor_bits
        kept = self.module.extract(value, 0, multiplier_bits(bits_of(factor)))
        if is_sign_extended(bits_of(factor)):
            return signed(self.module, kept, width)
        return self.module.resize(kept, width)
