# SPDX-License-Identifier: Apache-2.0
"""What would help: every change that makes sense is tried, a run of the application each, and what
it gains is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tandem.diagnostics import TandemError
from tandem.host.engine import read_platform
from tandem.host.launch import emulated
from tandem.host.prepare import Prepared
from tandem.report.chains import most_together, stays_chained

PS = 1e12
WORTH = 1.01
"""Smaller gains are not told."""
BATCHES = (10, 100, 1000)
COPIES = 4
INDEPENDENT = "if none needs the result of another"
"""What is not seen: a call's arguments that the program computes from an earlier one's result."""
CLOCK = "device.clock="


@dataclass(frozen=True)
class Change:
    """A change of the platform or of how it is used. Of a `group` only one can be made at a time;
    `settings` are as `--set` has them."""

    name: str
    group: str
    settings: tuple[str, ...]


@dataclass
class Builds:
    """An application, and how it is built for another clock: kernels are made for theirs. `built`
    is asked once for each clock; None where the clock was given beside the platform."""

    plain: Prepared
    built: Callable[[tuple[str, ...]], Prepared] | None = None
    clocked: dict[tuple[str, ...], Prepared] = field(default_factory=dict)

    def run(self, arguments: Sequence[str], settings: Sequence[str]) -> _Times | None:
        """What the run takes with these settings; None where the platform or its memory cannot have
        them, or the application does not end well with them."""
        clocks = tuple(setting for setting in settings if setting.startswith(CLOCK))
        others = [setting for setting in settings if setting not in clocks]
        try:
            report = emulated(self._of(clocks), arguments, others)
        except TandemError:
            return None
        return None if report["memory"]["cut_batches"] else _Times.of(report)

    def _of(self, clocks: tuple[str, ...]) -> Prepared:
        if not clocks or self.built is None:
            return self.plain
        if clocks not in self.clocked:
            self.clocked[clocks] = self.built(clocks)
        return self.clocked[clocks]

    @property
    def may_be_faster(self) -> bool:
        """Whether a faster clock is worth a try: the kernels run at the platform's."""
        return self.built is not None and not self.plain.facts.clock_note


def advice(
    builds: Builds,
    arguments: Sequence[str],
    report: dict[str, Any],
    progress: Callable[[str], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """Each change that gains something, the best first, and last what can be made of them together
    (docs/schemas/run.json). The application runs once or twice for each, and is not heard."""
    before = _Times.of(report)

    def times(name: str, settings: Sequence[str]) -> _Times | None:
        progress(f"trying: {name}")
        return builds.run(arguments, settings)

    platform = read_platform(builds.plain.platform, builds.plain.changes)
    changes = [*_changes(platform, report)]
    if report["breakdown_ps"]["compute"] and builds.may_be_faster:
        changes.append(_twice_the_clock(platform))
    tried = [(times(change.name, change.settings), change) for change in changes]
    found = [(t, c) for t, c in tried if t is not None and t.is_worth(before)]
    found.sort(key=lambda pair: pair[0].order)
    told = [_told(change, before, after) for after, change in found]
    if not found:
        return told
    # On top of the best, whatever still gains, alone or not: both ways at once, say, only do where
    # bytes come while others go.
    least, best = found[0]
    groups, settings = {best.group}, best.settings
    alone = [change for _, change in found]
    for change in [*alone[1:], *(change for change in changes if change not in alone)]:
        more = (*settings, *change.settings)
        after = None if change.group in groups else times(change.name, more)
        if after is not None and after.is_worth(least):
            least, settings = after, more
            groups.add(change.group)
    if len(groups) > 1:
        told.append(_told(Change("together", "", settings), before, least))
    return told


@dataclass(frozen=True)
class _Times:
    """Of a run: all of it, and without configuration, which a longer run has once, too."""

    total_ps: int
    no_config_ps: int

    @classmethod
    def of(cls, report: dict[str, Any]) -> _Times:
        return cls(report["total_ps"], report["no_config_ps"])

    @property
    def order(self) -> tuple[int, int]:
        """The best first."""
        return self.total_ps, self.no_config_ps

    def gains(self, before: _Times) -> tuple[float, float]:
        """How many times faster than before, in all and once configured."""
        return (
            before.total_ps / max(self.total_ps, 1),
            before.no_config_ps / max(self.no_config_ps, 1),
        )

    def is_worth(self, before: _Times) -> bool:
        return max(self.gains(before)) >= WORTH


def _told(change: Change, before: _Times, after: _Times) -> dict[str, Any]:
    gain, gain_no_config = after.gains(before)
    return {
        "name": change.name,
        "settings": list(change.settings),
        "total_s": after.total_ps / PS,
        "no_config_s": after.no_config_ps / PS,
        "gain": gain,
        "gain_no_config": gain_no_config,
    }


def _twice_the_clock(platform: dict[str, Any]) -> Change:
    mhz = max(device["clock_hz"] for device in platform["devices"]) * 2 / 1e6
    name = f"kernel and memory at {mhz:g} MHz, or what the kernel reaches"
    return Change(name, "clock", (f"{CLOCK}{mhz:g}MHz",))


def _changes(platform: dict[str, Any], report: dict[str, Any]) -> Iterator[Change]:
    """What could be otherwise, and is worth a try."""
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
            name = "all kernels in one configuration, if they fit the device"
            yield Change(name, "prefetch", ("kernel.together=yes",))
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
        if _may_run_together(platform, report):
            # Of use to calls that are there together.
            name = f"four copies of the kernel, {INDEPENDENT}"
            yield Change(name, "units", (f"kernel.units={COPIES}",))
    if platform["controller"] is not None:
        yield from _of_controller(platform["controller"])


def _of_batches(platform: dict[str, Any], report: dict[str, Any]) -> Iterator[Change]:
    most = most_together(report) or report["calls"]
    if platform["batch"]["calls"] == 1:
        for calls in BATCHES:
            if calls <= min(most, report["calls"]):
                name = f"hand over {calls} calls together, {INDEPENDENT}"
                yield Change(name, "batch", (f"batch.calls={calls}",))


def _may_run_together(platform: dict[str, Any], report: dict[str, Any]) -> bool:
    """Whether calls may be there together that do not need each other, as far as memory tells."""
    most = most_together(report) or report["calls"]
    return not stays_chained(report) and most >= max(2, platform["batch"]["calls"])


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
