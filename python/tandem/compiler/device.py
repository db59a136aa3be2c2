# SPDX-License-Identifier: Apache-2.0
"""Whether a kernel fits the device that its family is measured on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tandem.compiler.goals import TITLES
from tandem.compiler.room import Room
from tandem.diagnostics import Diagnostic
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule

BRAM_BITS = "bram_bits"
MEMORIES = "bits of tables and memories"


def device_area(schedule: KernelSchedule) -> dict[str, int]:
    """What a kernel is estimated to take of what devices have."""
    area = estimate_area(schedule)
    found = {name: area[name] for name in TITLES}
    return {**found, BRAM_BITS: area["rom_bits"] + area["ram_bits"]}


def device_room(target: Target) -> Room:
    """What there is."""
    return Room(**{name: target.resources.get(name) for name in TITLES})


def beyond_device(schedule: KernelSchedule, target: Target) -> Iterator[Diagnostic]:
    """That a kernel takes more than there is, and the options that keep to that. What it then
    becomes is not tried, but for products that share multipliers (`choices`): that takes as long as
    the whole compilation."""
    area, device = device_area(schedule), target.resources
    beyond = [name for name in area if area[name] > device.get(name, area[name])]
    if beyond:
        kernel = schedule.kernel
        yield Diagnostic(
            "device",
            f"`{kernel.name}` takes an estimated {_much(area, device, beyond)}; the device "
            f"({target.title}, {target.synthesis['device']}) does not hold it",
            kernel.place(kernel.entry.line),
            _cure(target, beyond),
            severity="note",
        )


def _much(area: Mapping[str, int], device: Mapping[str, int], beyond: list[str]) -> str:
    titles = {**TITLES, BRAM_BITS: MEMORIES}
    return " and ".join(f"{area[name]:,} {titles[name]} of {device[name]:,}" for name in beyond)


def _cure(target: Target, beyond: list[str]) -> str:
    """Of what a kernel may be told to keep to; arrays are the C's."""
    room = device_room(target).most.items()
    words = " ".join(f"--max-{name} {most}" for name, most in room if name in beyond)
    cures = [f"{words} keeps to that, or says what it lacks (not tried here)"] if words else []
    cures += ["use smaller arrays"] if BRAM_BITS in beyond else []
    return "; ".join(cures)
