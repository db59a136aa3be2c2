# SPDX-License-Identifier: Apache-2.0
"""What could be otherwise, of a platform and of how a kernel is built, and is worth a try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tandem.report.chains import most_together, stays_chained

BATCHES = (10, 100, 1000)
UNITS = (2, 4)
INDEPENDENT = "if none needs the result of another"
"""What is not seen: a call's arguments that the program computes from an earlier one's result."""
CLOCK = "device.clock="


@dataclass(frozen=True)
class Change:
    """A change of the platform, of how it is used, or of how kernels are built: as the options
    `--set`, `--optimise`, `--clock-ns` and `--directive` have it. Of a `group` only one can be made
    at a time; the first of a `ladder` that gains nothing ends it. `share`: the part of the kernels'
    cycles that it is about; `provided`: what has to hold for it, which nobody sees from here."""

    name: str
    group: str = ""
    settings: tuple[str, ...] = ()
    optimise: str = ""
    clock_ps: int | None = None
    directives: tuple[str, ...] = ()
    ladder: str = ""
    share: float = 1.0
    provided: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The name, and what has to hold."""
        return ", ".join([self.name, *self.provided])

    @property
    def options(self) -> list[str]:
        """The words of the command line that make it."""
        pairs = [("--set", setting) for setting in self.settings]
        pairs += [("--optimise", self.optimise)] if self.optimise else []
        pairs += [("--clock-ns", f"{self.clock_ps / 1000:.10g}")] if self.clock_ps else []
        pairs += [("--directive", directive) for directive in self.directives]
        return [word for pair in pairs for word in pair]

    @property
    def of_build(self) -> Change:
        """What of it makes another kernel; the rest is the platform's alone."""
        clocks = tuple(setting for setting in self.settings if setting.startswith(CLOCK))
        return Change("", "", clocks, self.optimise, self.clock_ps, self.directives)

    @property
    def of_platform(self) -> tuple[str, ...]:
        """The settings that leave the kernel as it is."""
        return tuple(setting for setting in self.settings if not setting.startswith(CLOCK))

    def beside(self, other: Change) -> Change:
        """Both together."""
        return Change(
            "together",
            "together",
            (*self.settings, *other.settings),
            self.optimise or other.optimise,
            self.clock_ps or other.clock_ps,
            (*self.directives, *other.directives),
            provided=tuple(dict.fromkeys((*self.provided, *other.provided))),
        )


NO_CHANGE = Change("").of_build


def platform_changes(platform: dict[str, Any], report: dict[str, Any]) -> Iterator[Change]:
    """Those for which nothing is built again."""
    exposed = report["breakdown_ps"]
    moves = exposed["transfer_in"] or exposed["transfer_out"]
    if exposed["configure"]:
        settings = ("configuration.preload=yes",)
        yield Change("load the kernel before the program starts", "configure", settings)
    if report["configurations"]["loads"] > 2:
        name = "load the next kernel while one runs, into a second region"
        settings = ("configuration.prefetch=yes", "configuration.regions=2")
        yield Change(name, "prefetch", settings)
        if len(report["kernels"]) > 1 and not platform["kernels_together"]:
            yield Change("all kernels in one configuration", "prefetch", ("kernel.together=yes",))
    yield from _of_batches(platform, report)
    half_ps = platform["software"]["call_time_ps"] // 2
    if exposed["call"] and half_ps:
        settings = (f"software.call_time={half_ps}ps",)
        yield Change("a driver of half the cost a call", "call", settings)
    if exposed["copy"] and platform["transfer"]["io"] == "buffered":
        yield Change("direct I/O, without copies", "copy", ("transfer.io=direct",))
    if moves:
        yield from _of_links(platform)
        yield from _of_transfers(platform)
    if exposed["compute"]:
        width = 2 * platform["memories"][0]["width_bytes"]
        yield Change("a memory of twice the width", "memory", (f"memory.width={width}B",))
        yield from _of_units(platform, report)
    if platform["controller"] is not None:
        yield from _of_controller(platform["controller"])


def _of_batches(platform: dict[str, Any], report: dict[str, Any]) -> Iterator[Change]:
    most = most_together(report) or report["calls"]
    if platform["batch"]["calls"] == 1:
        for calls in BATCHES:
            if calls <= min(most, report["calls"]):
                name = f"hand over {calls} calls together"
                settings = (f"batch.calls={calls}",)
                yield Change(name, "batch", settings, provided=(INDEPENDENT,))


def _may_run_together(platform: dict[str, Any], report: dict[str, Any]) -> bool:
    """Whether calls may be there together that do not need each other, as far as memory tells."""
    most = most_together(report) or report["calls"]
    return not stays_chained(report) and most >= max(2, platform["batch"]["calls"])


def _of_units(platform: dict[str, Any], report: dict[str, Any]) -> Iterator[Change]:
    """Copies are of use to calls that are there together."""
    if _may_run_together(platform, report):
        for units in UNITS:
            if units > platform["devices"][0]["units"]:
                name = f"{units} copies of the kernel"
                settings = (f"kernel.units={units}",)
                yield Change(name, "units", settings, provided=(INDEPENDENT,))


def _of_links(platform: dict[str, Any]) -> Iterator[Change]:
    for link in platform["links"]:
        name, peak = link["name"], link["peak_bandwidth_bytes_per_s"]
        to, back = (
            min(2 * link[f"bandwidth_{way}_device_bytes_per_s"], peak or 1 << 62)
            for way in ("to", "from")
        )
        settings = (
            f"{name}.bandwidth_to_device={to}B/s",
            f"{name}.bandwidth_from_device={back}B/s",
        )
        yield Change(f"`{name}` twice as fast, or at its peak", name, settings)
        if not link["is_full_duplex"]:
            yield Change(f"`{name}` both ways at once", f"{name} ways", (f"{name}.duplex=full",))
        if link["transfer_time_ps"]:
            half = link["transfer_time_ps"] // 2
            text = f"{name}.transfer_time={half}ps"
            yield Change(
                f"transfers on `{name}` set up in half the time", f"{name} set-up", (text,)
            )


def _of_transfers(platform: dict[str, Any]) -> Iterator[Change]:
    for mode, name in (
        ("multi-buffered", "several buffers for each stream, filled while the kernel runs"),
        ("streaming", "streams straight through the kernel"),
    ):
        if platform["transfer"]["mode"] == mode:
            continue
        yield Change(name, "transfer", (f"transfer.mode={mode}",))
        for chunk in ("16KiB", "128KiB"):
            settings = (f"transfer.mode={mode}", f"transfer.chunk={chunk}")
            yield Change(f"{name}, {chunk} at a time", "transfer", settings)


def _of_controller(controller: dict[str, Any]) -> Iterator[Change]:
    for key, is_so, word, name in (
        ("switch", controller["switches_once"], "batch", "the driver in the device asked once"),
        ("keys", not controller["deciphers"], "ready", "keys kept in the device"),
        ("data", controller["passes"], "passed", "data straight through, past the controller"),
        ("parameters", controller["parameters"] == "mapped", "mapped", "parameters read as memory"),
        ("registers", controller["registers"] != "port", "safe", "registers written as memory"),
    ):
        if not is_so:
            yield Change(name, key, (f"controller.{key}={word}",))
