# SPDX-License-Identifier: Apache-2.0
"""The comment at the top of a kernel's Verilog: what it is, of what, and how to attach it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.rtl.control import labels_of
from tandem.rtl.ports import PROTOCOLS, port_name, protocols_of
from tandem.rtl.text import module_name, told_name
from tandem.schedule.scheduled import KernelSchedule


def header(
    schedule: KernelSchedule, sources: Iterable[Path], version: str, parts: Mapping[str, str]
) -> str:
    """Kernel, sources with the start of their hashes, clock, loops, ports. `parts`: what loops are
    for that a pass has made beside one of the C, by their `part`."""
    kernel = schedule.kernel
    lines = [
        f"Kernel {module_name(kernel.name)}, made by Tandem {version} for {schedule.target.title}",
        f"at {schedule.clock_ps / 1000:g} ns.",
    ]
    lines += [f"Source {told_name(str(path))}, sha256 {_fingerprint(path)}." for path in sources]
    lines += _loops(schedule, parts)
    lines.append("clk; reset: synchronous; start: one cycle; done: one cycle.")
    lines += [_port(kernel, a) for a in kernel.arguments if protocols_of(kernel, a)]
    return "".join(f"// {line}\n" for line in lines)


def _loops(schedule: KernelSchedule, parts: Mapping[str, str]) -> Iterator[str]:
    labels = labels_of(schedule)
    for block, s in schedule.blocks.items():
        if s.ii:
            told = f", {parts[block.part]}" if block.part else ""
            line = f"{labels[block]}: the loop of line {block.loop.line}{told}"
            yield f"{line}: ii {s.ii}, {s.length} cycles an iteration."


def _port(kernel: Kernel, argument: Argument) -> str:
    spoken = ", ".join(PROTOCOLS[protocol].meaning for protocol in protocols_of(kernel, argument))
    if argument.is_result:
        return f"result: {spoken}."
    name = argument.memory.name if argument.memory else port_name(argument.name)
    told = [f"{argument.kind} {argument.direction}", argument.served, spoken]
    return f"{name}: {', '.join(filter(None, told))}."


def _fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
