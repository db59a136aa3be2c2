# SPDX-License-Identifier: Apache-2.0
"""What a kernel takes at least, known of its operations before it has a schedule."""

from __future__ import annotations

from tandem.ir.ops import Rom, Sum
from tandem.schedule.operator_area import operator_lut4
from tandem.schedule.setting import Setting


def least_cells(setting: Setting) -> float:
    """Look-up tables and flip-flops that no schedule does without: of sums and tables, of the
    values that blocks begin with, and of cores. Logic is left out, which may become part of other
    tables."""
    kernel, target = setting.kernel, setting.target
    sums = (op for _, op in kernel.ops() if isinstance(op, (Sum, Rom)))
    lut4 = sum(operator_lut4(target, op) for op in sums)
    begun = sum(p.width for block in kernel.blocks for p in block.parameters)
    areas = ((target.core(kind).area, count) for kind, count in setting.cores.items())
    return lut4 + begun + sum(count * (area["lut4"] + area["ff"]) for area, count in areas)
