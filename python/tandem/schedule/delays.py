# SPDX-License-Identifier: Apache-2.0
"""A target family: what its operators take of time and area, and which ways there are to do one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil
from typing import Any

from tandem import policy
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Constant, Divide, Logic, Mul, Op, Select, Shift, Store, Xor
from tandem.ir.wiring import bits_of, multiplier_bits
from tandem.schedule.cores import Core, Cores

DECISION_LEVELS = 2
"""A condition meets the block's token, and then the ways into the next block."""
LEVEL_BITS = 32
"""The width for which a level of logic counts where it is not known."""


@dataclass(frozen=True)
class Operator:
    """One way to do an operation. Without a latency the result comes `delay_ps` after the operands,
    in the same cycle. With one, registers are inside: a path ends in it `request_ps` after the
    operands, and another one starts `latency_cycles` later with the result, `answer_ps` later than
    at a register."""

    latency_cycles: int = 0
    delay_ps: int = 0
    request_ps: int = 0
    answer_ps: int = 0
    inside_ps: int = 0
    """The longest path between two registers inside."""

    @property
    def longest_ps(self) -> int:
        """What must fit one cycle."""
        return max(self.delay_ps + self.request_ps, self.answer_ps, self.inside_ps)


@cache
def _plain(delay_ps: int) -> Operator:
    """One without registers."""
    return Operator(delay_ps=delay_ps)


def with_latency(ways: Sequence[Operator], latency: int) -> Operator:
    """The way that has a latency, or else the next one above it."""
    return next(way for way in ways if way.latency_cycles >= latency)


@dataclass(frozen=True)
class Registered:
    """An operator with registers inside: `answer_ps` is what a path from its last register takes
    before the first operator, its own register's setup included."""

    latency_cycles: int
    answer_ps: int


@dataclass(frozen=True)
class Row:
    """One operator: delay and area at the measured sizes (bits of operand or index), and what it is
    with registers inside, the lowest latency first."""

    sizes: list[int]
    delay_ps: list[int]
    area_lut4: list[float]
    registered: tuple[Registered, ...] = ()
    shapes: dict[int, int] = field(default_factory=dict)
    """Of a block of memory: how many bits a word has, by the number of words."""
    area_sizes: list[int] = field(default_factory=list)
    """Where areas were measured, if elsewhere than delays."""
    gates: dict[int, int] = field(default_factory=dict)
    """Of logic: the look-up tables of one bit of so many inputs, in a module of its own."""
    _asked: dict[int, int] = field(default_factory=dict, repr=False, compare=False)
    """Delays that were asked for: they are few, and asked for of every operation."""

    def delay(self, size: int) -> int:
        """Delay in ps, linear between measured sizes and beyond the largest."""
        found = self._asked.get(size)
        if found is None:
            found = self._asked[size] = round(interpolated(self.sizes, self.delay_ps, size))
        return found

    def area(self, size: float) -> float:
        """LUT4s, linear between measured sizes."""
        sizes = self.area_sizes or self.sizes
        return interpolated(sizes, self.area_lut4, size) if self.area_lut4 else 0.0


@dataclass(frozen=True)
class Memories:
    """What a family makes memories of. `read_ports`: at which a RAM is read in a cycle;
    `many_blocks`: from how many block RAMs on an index goes all over the design; `lut_part_words`:
    elements of one memory of look-up tables; `lut_most_words`: up to how many a RAM is made of
    these, 0 where there are none."""

    read_ports: int
    many_blocks: int
    lut_part_words: int
    lut_most_words: int

    def lut_parts(self, words: int | None) -> int:
        """Of how many parts so many words are, in look-up tables."""
        return -(-max(1, words or 0) // self.lut_part_words)


@dataclass(frozen=True)
class Multipliers:
    """What a family makes multiplier blocks of, and what these have inside: products of factors of
    `least_factor_bits` on, and of `least_product_bits`; the register behind one, if it `holds` what
    it has also where it does not take its input in every cycle; a sum of up to `sum_bits` with a
    product, 0 where there is none, with `sum_registers` before and behind it, and with
    `narrow_sums` also of a product that is too narrow for a block alone. `sides_apart`: whether one
    factor may have its register inside and the other not; `mixed_signs`: whether one without a sign
    has it beside one with a sign."""

    least_factor_bits: int
    least_product_bits: int
    holds: bool
    sum_bits: int
    sum_registers: bool
    narrow_sums: bool
    sides_apart: bool
    mixed_signs: bool


@dataclass(frozen=True)
class Target:
    """An FPGA family. `overhead_ps`: what of a clock period a register takes; `shared_register_ps`:
    what a register costs on top that is read all over a large design; `placement_margin`: what part
    of a clock period stays free because placements differ; `expected_factor`: how much longer than
    its operators a path is in the middle of what placement gives; `cores`: what makes operators
    from C, for one clock; `resources`: what the device has, as areas are estimated;
    `table_behind_carry`: whether the look-up table of a carry cell is behind the carry, not before;
    `multiplier_bits`: of the factors of a multiplier block."""

    name: str
    title: str
    lut_inputs: int
    overhead_ps: int
    large_design_factor: float
    rows: dict[str, Row]
    file: str
    memories: Memories
    multipliers: Multipliers
    table_behind_carry: bool
    multiplier_bits: int
    synthesis: dict[str, Any] = field(default_factory=dict)
    shared_register_ps: int = 0
    placement_margin: float = 0.0
    expected_factor: float = 1.0
    resources: dict[str, int] = field(default_factory=dict)
    cores: Cores | None = field(default=None, repr=False, compare=False)

    def budget_ps(self, clock_ps: int) -> int:
        """How much operator delay fits between two registers of a large design."""
        usable_ps = clock_ps * (1 - self.placement_margin)
        return int((usable_ps - self.overhead_ps) / self.large_design_factor)

    def period_ps(self, delay_ps: int) -> int:
        """The clock period that a path of `delay_ps` is expected to end with."""
        return round(self.overhead_ps + delay_ps * self.expected_factor)

    def clock_for_ps(self, delay_ps: int) -> int:
        """The clock period that gives a budget of `delay_ps`."""
        usable_ps = self.overhead_ps + delay_ps * self.large_design_factor
        return int(usable_ps / (1 - self.placement_margin)) + 2

    def in_look_up_tables(self, memory: Memory) -> bool:
        """Whether a memory inside the kernel is made of look-up tables."""
        return memory.depth is not None and memory.depth <= self.memories.lut_most_words

    @property
    def late_inside(self) -> bool:
        """Whether a word of a block RAM that comes a cycle later waits in the block's register."""
        blocks = self.synthesis.get("cells", {}).get("bram", ())
        rows = self.synthesis.get("registers", ())
        return any(row["cell"] in blocks and row["side"] == "output" for row in rows)

    def delay_ps(self, op: Op) -> int:
        """Delay of an operation without registers inside, as measured on small circuits, routing
        included."""
        if isinstance(op, Divide):
            return self._dividers(op)[-1].longest_ps
        row, size = self.row_of(op)
        if row is None:
            return 0
        return row.delay(size) * (self._levels(op) if isinstance(op, Logic) else 1)

    def _levels(self, op: Op) -> int:
        """Look-up tables in a row for logic of many inputs a bit."""
        levels, most = 1, self.lut_inputs
        while most < len(op.operands):
            levels, most = levels + 1, most * self.lut_inputs
        return levels

    def fastest_ps(self, op: Op) -> int:
        """What an operation needs of a cycle at least, whatever registers are in it."""
        if not isinstance(op, Mul) and not isinstance(op, Divide) and not op.core:
            return self.delay_ps(op)  # a third of the time: it is asked of every operation
        return min(way.longest_ps for way in self.operators(op))

    def operators(self, op: Op) -> list[Operator]:
        """The ways to do an operation that is no access, by latency."""
        if isinstance(op, Divide):
            return self._dividers(op)
        if op.core:
            core = self.core(op.core)
            return [Operator(core.latency_cycles, 0, 0, core.answer_ps, core.inside_ps)]
        found = [_plain(self.delay_ps(op))]
        if isinstance(op, Mul):
            found += [
                Operator(way.latency_cycles, answer_ps=self._late_ps(way.answer_ps))
                for way in self.rows["mul"].registered
            ]
        return found

    def core(self, kind: str) -> Core:
        """The core of an operation that has one."""
        assert self.cores is not None, "the compiler has a target with cores"
        return self.cores(kind)

    @property
    def cores_ps(self) -> int:
        """The clock that its cores are made for; 0 without any."""
        return self.cores.clock_ps if self.cores else 0

    @property
    def slower_cores_ps(self) -> Sequence[int]:
        """The slower clocks that there can be cores for, by length."""
        return self.cores.slower_ps if self.cores else ()

    def at(self, clock_ps: int) -> Target:
        """The target with cores for the slowest of these that is no slower than a clock."""
        cores = self.cores and self.cores.at(clock_ps)
        return self if cores is self.cores else replace(self, cores=cores)

    def _dividers(self, op: Op) -> list[Operator]:
        """With several bits of the quotient a cycle, and with one."""
        bits = op.operands[0].width
        return [
            self._divider(op, -(-bits // n), n)
            for n in sorted({-(-bits // steps) for steps in range(1, policy.DIVIDER_BITS + 1)})
        ]

    def _divider(self, op: Op, steps: int, cycles: int) -> Operator:
        """One of `steps` bits a cycle: whether the divisor fits, and what is left; of two bits at a
        time one choice more, and the divisor's triple is made on the way in."""
        width = op.operands[1].width
        add, choice = self.rows["add"], self.rows["select"].delay(width)
        one_ps, two_ps = add.delay(width + 1) + choice, add.delay(width + 2) + 2 * choice
        request_ps = self.level_ps + (add.delay(width + 1) if steps > 1 else 0)
        inside_ps = steps // 2 * two_ps + steps % 2 * one_ps
        return Operator(1 + cycles, request_ps=request_ps, inside_ps=inside_ps)

    def reads(self, memory: Memory) -> list[Operator]:
        """The ways to read a memory, by latency. Behind a port the answer is expected from a
        register. In a block RAM's own output register the answers of its parts wait before one is
        chosen."""
        if memory.kind is not MemoryKind.RAM or self.in_look_up_tables(memory):
            return [Operator(1)]
        chosen = self.choice_ps(len(self.parts(memory)))
        return [
            Operator(way.latency_cycles, answer_ps=self._late_ps(way.answer_ps) + chosen)
            for way in self.rows["ram"].registered
        ]

    def _late_ps(self, answer_ps: int) -> int:
        """How much later than a register's an answer comes. It starts its path itself, so what a
        register would take is taken off; and the rest does not grow with the design, being clock to
        output."""
        return int(max(0, answer_ps - self.overhead_ps) / self.large_design_factor)

    def parts(self, memory: Memory) -> list[int]:
        """The words of each part of a memory: as many words as a block RAM has in one of its
        shapes, several side by side for wide words, and the rest. The fewest blocks, of these the
        fewest parts."""
        words = max(2, memory.depth or 2)
        shapes = self.rows["ram"].shapes
        if not shapes:
            return [words]
        ways: list[list[int]] = []
        for size in shapes:
            full, rest = divmod(words, size)
            ways.append([size] * full + ([max(2, rest)] if rest else []))
        return min(ways, key=lambda parts: (self._blocks(memory, parts), len(parts)))

    def blocks(self, memory: Memory) -> int:
        """How many block RAMs a memory takes for one reading port."""
        is_block_ram = memory.kind is MemoryKind.RAM and not self.in_look_up_tables(memory)
        return self._blocks(memory, self.parts(memory)) if is_block_ram else 0

    def _blocks(self, memory: Memory, parts: list[int]) -> int:
        """How many block RAMs some parts of a memory take for one reading port."""
        shapes = self.rows["ram"].shapes
        return sum(_blocks(shapes, part, memory.element_bits) if shapes else 1 for part in parts)

    def request_ps(self, memory: Memory, kind: type[Op], accesses: int) -> int:
        """What is between a request and the memory: the choice between the accesses of a port, the
        choice of a part to write to, and reading from look-up tables."""
        chosen = self.choice_ps(accesses)
        if memory.kind is not MemoryKind.RAM:
            return chosen
        if not self.in_look_up_tables(memory):
            if self._blocks(memory, self.parts(memory)) >= self.memories.many_blocks:
                chosen += self.shared_register_ps
            return chosen + self.level_ps * (kind is Store and len(self.parts(memory)) > 1)
        if kind is Store:
            return chosen
        return chosen + self.level_ps + self.choice_ps(self.memories.lut_parts(memory.depth))

    def fifo_ps(self, memory: Memory) -> int:
        """From a FIFO's registers to its next record, which lies in look-up tables; what a port
        brings is in a register."""
        if memory.kind is not MemoryKind.FIFO:
            return 0
        return self.level_ps + self.choice_ps(self.memories.lut_parts(memory.depth))

    def room_ps(self, memory: Memory) -> int:
        """From a FIFO's registers to whether there is room: its records are compared with a
        number."""
        return self.rows["lt"].delay((memory.depth or policy.FIFO_SLACK).bit_length())

    def choice_ps(self, ways: int) -> int:
        """One of several values, each with a bit that says whether it is the one: a look-up table
        takes two of them, or the results of four others."""
        levels, most = 0, 1
        while most < ways:
            levels, most = levels + 1, 4 * most if levels else 2
        return levels * self.level_ps

    @property
    def decision_ps(self) -> int:
        """From the condition of a branch to the registers that it steers: the tokens, and the
        parameters of the block that it leads to."""
        return DECISION_LEVELS * self.level_ps

    @property
    def level_ps(self) -> int:
        """A level of logic of a word."""
        return self.rows["logic"].delay(LEVEL_BITS)

    def row_of(self, op: Op) -> tuple[Row | None, int]:
        """Where an operation was measured, and the size that counts there; None where it takes
        neither time nor room."""
        if not op.delay_row or is_inverter(op):
            return None, 0
        row = self.rows[op.delay_row]
        if isinstance(op, (Logic, Select, Shift)):
            return row, op.width
        if isinstance(op, Mul):
            return row, max(multiplier_bits(bits_of(o)) for o in op.operands)
        return row, op.operands[0].width


def tree_lut4(target: Target, inputs: int) -> int:
    """Look-up tables of one bit that many decide."""
    return ceil((inputs - 1) / (target.lut_inputs - 1))


def is_inverter(op: Op) -> bool:
    """An inversion is part of the table before or after it."""
    return isinstance(op, Xor) and sum(isinstance(o, Constant) for o in op.operands) == 1 == (
        len(op.operands) - 1
    )


def _blocks(shapes: dict[int, int], words: int, width: int) -> int:
    """How many block RAMs a memory of one part takes."""
    fitting = [size for size in shapes if size >= words] or [max(shapes)]
    return -(-width // shapes[min(fitting)]) * -(-words // max(shapes))


def interpolated(xs: list[int], ys: list[Any], x: float) -> float:
    """Linear between what was measured, and beyond the largest."""
    if len(xs) == 1:
        return float(ys[0])
    i = min(max(bisect_left(xs, x), 1), len(xs) - 1)
    slope = (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1])
    return max(min(ys[i - 1], ys[i]), ys[i] + slope * (x - xs[i]))
