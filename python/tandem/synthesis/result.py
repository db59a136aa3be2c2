# SPDX-License-Identifier: Apache-2.0
"""What synthesis and place and route found."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Resources:
    """Cells of a netlist. `carry` cells have LUTs of their own, `Device.luts_per_carry` each."""

    lut4: int = 0
    ff: int = 0
    bram: int = 0
    dsp: int = 0
    carry: int = 0
    lutram: int = 0


@dataclass(frozen=True)
class CriticalPath:
    """The slowest register-to-register path after routing: its two parts in ps, and its nets."""

    logic_ps: int
    routing_ps: int
    nets: tuple[str, ...]


@dataclass(frozen=True)
class Placement:
    """A placed and routed design.

    `design` counts the module alone, `total` with the harness. `comb_cells` is what the placer
    counts, which includes LUTs used by carries and LUT memories, with the harness. `fmax_mhz` is
    the rate after routing.
    """

    top: str
    device: str
    seed: int
    clock_ns: float
    design: Resources
    total: Resources
    comb_cells: int
    fmax_mhz: float
    critical: CriticalPath
    versions: dict[str, str] = field(default_factory=dict)
    synthesis_seconds: float = 0.0
    placement_seconds: float = 0.0

    @property
    def period_ps(self) -> int:
        """The shortest clock period that the routed design meets."""
        return round(1e6 / self.fmax_mhz)

    @property
    def meets_clock(self) -> bool:
        """Whether the requested clock period was reached."""
        return self.period_ps <= round(self.clock_ns * 1000)

    def as_json(self) -> dict[str, object]:
        """Plain values, for a results file."""
        return asdict(self) | {"period_ps": self.period_ps, "meets_clock": self.meets_clock}
