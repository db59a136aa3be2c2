# SPDX-License-Identifier: Apache-2.0
"""Area and clock rate of a design, from yosys and nextpnr.

`synthesize` wraps any module in a harness of registers, maps it to the target's cells, places and
routes it, and returns a `Placement`: resources with and without the harness, the achieved clock
rate, the critical path and the versions of the tools.
"""

from .device import Device, TargetLike
from .errors import SynthesisError
from .flow import synthesize
from .result import CriticalPath, Placement, Resources

__all__ = [
    "CriticalPath",
    "Device",
    "Placement",
    "Resources",
    "SynthesisError",
    "TargetLike",
    "synthesize",
]
