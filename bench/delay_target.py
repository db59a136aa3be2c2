# SPDX-License-Identifier: Apache-2.0
"""The tables of a target file, of what bench/measure_delays.py has measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from delay_points import (
    AREA_SIZES,
    GATE,
    GATE_INPUTS,
    LENGTHS,
    NOTHING,
    OVERHEAD_FROM,
    RAM_LATENCIES,
    REGISTERED_RAM_LENGTH,
    TABLE_BITS,
    TABLE_WIDTHS,
    Areas,
    Family,
    Measured,
    Row,
    key_of,
)

MARKER = "# Everything below is written by bench/measure_delays.py; do not edit.\n"


def slope_ps(measured: Measured, operator: str, size: int) -> int:
    first, last = measured.family.lengths_of(operator)
    short, long = (measured.period_ps(operator, size, n) for n in (first, last))
    return round((long - short) / (last - first))


def overhead_ps(measured: Measured) -> int:
    operator, size = OVERHEAD_FROM
    length = measured.family.lengths_of(operator)[0]
    short = measured.period_ps(operator, size, length)
    return short - length * slope_ps(measured, operator, size)


def delay_ps(measured: Measured, operator: str, size: int) -> int:
    """The larger of the slope and what a chain of one takes beyond the register overhead."""
    length = measured.family.lengths_of(operator)[0]
    alone = (measured.period_ps(operator, size, length) - overhead_ps(measured)) / length
    least = measured.family.multiplier_ps - overhead_ps(measured) if operator == "mul" else 0
    return max(slope_ps(measured, operator, size), round(alone), least)


def row_of(measured: Measured, operator: str, size: int) -> Row:
    family = measured.family
    length = family.lengths_of(operator)[1]
    long, count = measured.points[key_of(operator, size, length)], family.copies_of(size) * length
    lut4, dsp = round(measured.lut4(long) / count), round(long.dsp / count)
    return Row(size, delay_ps(measured, operator, size), lut4, dsp)


def ram_answer_ps(measured: Measured, latency: int) -> int:
    """What a path that starts in a block RAM takes before its first operator, setup included; with
    a latency of two cycles in its output register."""
    name, length = (
        ("ram", LENGTHS[0]) if latency == 1 else ("registered ram", REGISTERED_RAM_LENGTH)
    )
    period = measured.period_ps(name, measured.family.ram_index_bits, length)
    return period - length * delay_ps(measured, *OVERHEAD_FROM)


def mul_answer_ps(measured: Measured, latency: int) -> int:
    """The same of a multiplier block with registers at its inputs, or at its output too."""
    period = measured.period_ps("registered mul", measured.family.registered_mul_bits, latency)
    return max(period, measured.family.multiplier_ps)


def large_sum_ps(measured: Measured, operators: int) -> int:
    """What the small circuits promise for a stage of the cipher: a table and levels of logic."""
    logic, table = delay_ps(measured, *OVERHEAD_FROM), delay_ps(measured, "rom", 6)
    return table + (operators - 1) * logic


def large_operators_ps(measured: Measured, operators: int) -> int:
    """What the operators take in the large design: its period without the register overhead."""
    period = measured.period_ps("cipher", measured.family.cipher_rounds, operators)
    return period - overhead_ps(measured)


def large_factor(measured: Measured) -> float:
    """From the stage of two operators, where the shared key joins last and is never critical."""
    return large_operators_ps(measured, 2) / large_sum_ps(measured, 2)


def shared_register_ps(measured: Measured) -> int:
    """From the stage of three operators, which starts with the key that all rounds share."""
    operators_ps = large_operators_ps(measured, 3) / large_factor(measured)
    return max(0, round(operators_ps - large_sum_ps(measured, 3)))


def operator_table(measured: Measured, operator: str) -> str:
    family, areas = measured.family, measured.areas
    rows = [row_of(measured, operator, size) for size in family.sizes[operator]]
    size_name = "index_bits" if operator == "rom" else "width_bits"
    first, second = family.lengths_of(operator)
    lines = [
        f"[operators.{operator}]",
        f"{size_name} = {[row.size for row in rows]}",
        f"delay_ps = {[row.delay_ps for row in rows]}",
    ]
    lines += area_lines(areas, operator) or [f"area_lut4 = {[row.area_lut4 for row in rows]}"]
    if operator == "logic":
        lines.append(f"gate_inputs = {GATE_INPUTS}")
        lines.append(f"gate_lut4 = {[areas[f'{GATE}-{inputs}'] for inputs in GATE_INPUTS]}")
    if any(row.area_dsp for row in rows):
        lines.append(f"area_dsp = {[row.area_dsp for row in rows]}")
    how = f"bench/measure_delays.py: chains of {first} and {second}"
    return "\n".join([*lines, f'how = "{how}"', ""])


def area_lines(areas: Areas, operator: str) -> list[str]:
    """Of what is measured beside a longer path, which is taken off; and of tables, which are alone
    in kernels too."""
    if operator == "rom":
        total = [sum(areas[f"rom-{n}x{width}"] for width in TABLE_WIDTHS) for n in TABLE_BITS]
        bits = [round(lut4 / sum(TABLE_WIDTHS), 1) for lut4 in total]
        return [f"area_bits = {TABLE_BITS}", f"area_lut4_per_bit = {bits}"]
    sizes = AREA_SIZES.get(operator)
    if not sizes:
        return []
    found = [areas[f"{operator}-{size}"] - areas[NOTHING] for size in sizes]
    return [f"area_bits = {sizes}", f"area_lut4 = {found}"]


def routing_table(measured: Measured) -> str:
    taken = [large_operators_ps(measured, n) for n in (2, 3)]
    sums = [large_sum_ps(measured, n) for n in (2, 3)]
    rounds = measured.family.cipher_rounds
    lut4 = measured.points[key_of("cipher", rounds, 2)].lut4
    how = (
        f"{rounds}-round cipher on the target's part, period less overhead: stages of 2 "
        f"operators {taken[0]} ps, sum {sums[0]}; of 3 from a shared key {taken[1]}, sum {sums[1]}"
    )
    return f"""# In a design of {lut4:,} LUT4 a path takes
# overhead_ps + large_design_factor * (its operators' delays + shared_register_ps),
# the last only where it starts in a register that is read all over the design.
[routing]
large_design_factor = {large_factor(measured):.2f}
shared_register_ps = {shared_register_ps(measured)}
how = "bench/measure_delays.py: {how}"
"""


def register_table(measured: Measured) -> str:
    return f"""# In a small design a path takes overhead_ps and its operators' delays.
[register]
overhead_ps = {overhead_ps(measured)}  # clock to q, one route and setup
how = "bench/measure_delays.py: chain of logic, less the logic"
"""


def ram_table(family: Family) -> str:
    return f"""[operators.ram]
index_bits = [{family.ram_index_bits}]
delay_ps = [0]
area_lut4 = [0]
area_bram = [1]
part_words = {family.ram_words}
part_bits = {family.ram_bits}
how = "bench/measure_delays.py: block RAM, and with its output register, less the logic"
"""


REGISTERED = """\
# With registers inside. On a path that starts there, answer_ps replaces the register's overhead.
"""


def registered_table(
    measured: Measured,
    operator: str,
    latencies: Iterable[int],
    answer: Callable[[Measured, int], int],
) -> str:
    """What an operator is at each latency."""
    return REGISTERED + "\n".join(
        f"[[operators.{operator}.registered]]\n"
        f"latency_cycles = {latency}\n"
        f"answer_ps = {answer(measured, latency)}\n"
        for latency in latencies
    )


def target_text(measured: Measured) -> str:
    operators = (operator_table(measured, name) for name in measured.family.sizes)
    parts = [
        register_table(measured),
        routing_table(measured),
        *operators,
        registered_table(measured, "mul", measured.family.mul_latencies, mul_answer_ps),
        ram_table(measured.family),
        registered_table(measured, "ram", RAM_LATENCIES, ram_answer_ps),
    ]
    return MARKER + "\n" + "\n".join(parts)


def write_target(measured: Measured) -> None:
    head = measured.target_file.read_text().split(MARKER)[0].rstrip()
    measured.target_file.write_text(f"{head}\n\n{target_text(measured)}")
