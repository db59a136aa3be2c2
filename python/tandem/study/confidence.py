# SPDX-License-Identifier: Apache-2.0
"""How far a fitted number may be off."""

from __future__ import annotations

STUDENT_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t for 95 %, two-sided, of 1 to 10 degrees of freedom (ISO 2854, table IIa)."""
NORMAL_95 = 1.96


def student_95(free: int) -> float:
    """How many standard deviations make an interval of 95 %, with so many degrees of freedom."""
    return STUDENT_95[free - 1] if free <= len(STUDENT_95) else NORMAL_95
