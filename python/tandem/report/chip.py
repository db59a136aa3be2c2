# SPDX-License-Identifier: Apache-2.0
"""The page of a run on a chip: where the processor's time went, and what each call's parts took.

Reads a run's data only (docs/schemas/chip-result.json)."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tandem.report.page import bar, show_table

PARTS = {
    "call": "call: before the first word",
    "copy": "copy: the processor's loads and stores, and its way back",
    "transfer": "transfer: words on the bus",
    "compute": "compute: the kernel",
    "wait": "wait: until the processor has seen its end",
}
REASONS = {
    "cycle": "the cycle has come",
    "instruction": "the instruction has come",
    "store": "the word was stored to",
}
REGISTERS_A_LINE = 4
MOST_FUNCTIONS = 8
MOST_SIGNALS = 12
ENERGIES = {
    "static": "standing",
    "processor": "processor, memories and bus",
    "words": "words at shells",
    "kernels": "kernels",
}
DOMINANT = 0.5


def show_chip_run(run: dict[str, Any], console: Console) -> None:
    """Prints the page."""
    clock = 1e6 / run["clock_ps"]
    per = run["cycles"] / max(1, run["instructions"])
    console.print(
        f"{escape(run['platform_title'])}: {run['cycles']:,} cycles, {run['total_s'] * 1e3:.3f} ms "
        f"at {clock:.0f} MHz; {run['instructions']:,} instructions, {per:.2f} cycles each"
    )
    if "core_rtl" in run:
        rtl = run["core_rtl"]
        console.print(
            f"the RTL of {run['core']} ran it too: {rtl['instructions']:,} instructions and "
            f"{rtl['requests']:,} requests at its ports, each as its model's and in the same cycle"
        )
    for kernel in run["kernels"]:
        _show_kernel(kernel, run, console)
    if "energy" in run:
        _show_energy(run, console)
    _show_functions(run, console)
    if "wave" in run:
        _show_wave(run, console)
    if "break" in run:
        show_break(run["break"], console)
    if run.get("events_dropped"):
        console.print(f"the trace lacks the last {run['events_dropped']:,} events")


def _show_kernel(kernel: dict[str, Any], run: dict[str, Any], console: Console) -> None:
    name, calls = escape(kernel["kernel"]), kernel["calls"]
    console.print()
    if kernel["software_calls"]:
        console.print(
            f"{name}: {kernel['software_calls']} calls ran on the processor: the shell has no room "
            "for their arrays (--set shell.window=...), how much of them is used is not known "
            "before a call, or they overlap"
        )
    if not calls:
        console.print(f"{name}: no call was served by the hardware")
        return
    mean, software = kernel["cycles"] / calls, kernel["software_cycles"] / calls
    computing = kernel["parts"]["compute"] / calls
    console.print(
        f"{name}: {calls} calls, all as the C has it: {mean:,.1f} cycles each; the C function "
        f"{software:,.1f} ({run['flags']}): {software / mean:.1f} times faster"
    )
    console.print(
        f"the kernel alone takes {computing:,.1f} cycles: {software / max(1, computing):,.1f} "
        f"times faster than the C; {_words(kernel, calls)}"
    )
    table = Table("part of a call", "cycles", "share", "")
    for part, meaning in PARTS.items():
        cycles = kernel["parts"][part]
        share = cycles / max(1, kernel["cycles"])
        table.add_row(meaning, f"{cycles / calls:,.1f}", f"{share:.0%}", bar(share, console))
    show_table(table, console)
    verdict = _verdict(kernel)
    if verdict:
        console.print(verdict)
    if "energy" not in run and "activity" in kernel:
        _show_toggles(kernel, console)


def _words(kernel: dict[str, Any], calls: int) -> str:
    written, read = kernel["words"]
    return f"{written / calls:,.1f} words go to it and {read / calls:,.1f} are read"


def _verdict(kernel: dict[str, Any]) -> str:
    """What decides, if one thing does."""
    parts = kernel["parts"]
    interface = sum(parts[part] for part in PARTS if part != "compute")
    if interface > DOMINANT * kernel["cycles"]:
        share = interface / kernel["cycles"]
        return f"the interface decides: {share:.0%} of a call is not the kernel's own time"
    return ""


def _show_toggles(kernel: dict[str, Any], console: Console) -> None:
    """The registers and ports that change most."""
    calls = kernel["calls"]
    rows = sorted(kernel["activity"]["signals"], key=lambda row: -row["toggles"])
    total = sum(row["toggles"] for row in rows)
    cycles = _computing(kernel)
    console.print(
        f"toggles of its {sum(r['bits'] for r in rows):,} bits of registers and ports: "
        f"{total / cycles:,.1f} a cycle, {total / calls:,.0f} a call"
    )
    table = Table("register or port", "from", "bits", "toggles a cycle", "share")
    for row in rows[:MOST_SIGNALS]:
        share = row["toggles"] / max(1, total)
        cells = (f"{row['bits']}", f"{row['toggles'] / cycles:,.2f}", f"{share:.1%}")
        place = "a port" if row["is_port"] else escape(row["place"])
        table.add_row(escape(row["name"]), place, *cells)
    show_table(table, console)
    table = Table("line of the C", "toggles a cycle", "share")
    for place, toggles in _by_place(rows)[:MOST_SIGNALS]:
        table.add_row(escape(place), f"{toggles / cycles:,.2f}", f"{toggles / max(1, total):.1%}")
    show_table(table, console)


def _computing(kernel: dict[str, Any]) -> int:
    """The cycles that toggles a cycle are told of: those in which the kernel computes."""
    return max(1, kernel["parts"]["compute"])


def _by_place(rows: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Toggles by the line that registers come from, the most first."""
    found: dict[str, int] = {}
    for row in rows:
        place = "(ports)" if row["is_port"] else row["place"] or "(control)"
        found[place] = found.get(place, 0) + row["toggles"]
    return sorted(found.items(), key=lambda item: -item[1])


def _show_energy(run: dict[str, Any], console: Console) -> None:
    """What the run took, and a call, by its parts."""
    energy = run["energy"]
    console.print()
    total = energy["total_j"]
    power = total / run["total_s"] if run["total_s"] else 0.0
    told = ", ".join(
        f"{meaning} {energy['parts'][part] / total:.1%}" for part, meaning in ENERGIES.items()
    )
    console.print(f"energy: {joules(total)}, {power * 1e3:,.2f} mW on average: {told}")
    for row, kernel in zip(energy["kernels"], run["kernels"], strict=True):
        if kernel["calls"]:
            _show_energy_of(row, kernel, run, console)


def _show_energy_of(
    row: dict[str, Any], kernel: dict[str, Any], run: dict[str, Any], console: Console
) -> None:
    calls, cycles = kernel["calls"], _computing(kernel)
    call, software = row["total_j"] / calls, row["software_j"] / calls
    seconds = kernel["cycles"] / calls * run["clock_ps"] / 1e12
    console.print(
        f"{escape(row['kernel'])}: {joules(call)} a call, the C function {joules(software)}: "
        f"{software / call:.1f} times less; energy times delay {call * seconds:.3g} Js"
    )
    console.print(
        f"of the {row['nets']:,} nets of its netlist ({run['energy']['netlist']}) "
        f"{row['toggles'] / cycles:,.0f} change a cycle, {row['toggles'] / calls:,.0f} a call"
    )
    table = Table("part of a call", "energy", "share", "")
    for part, meaning in PARTS.items():
        share = row["parts"][part] / max(row["total_j"], 1e-30)
        cells = (joules(row["parts"][part] / calls), f"{share:.0%}", bar(share, console))
        table.add_row(meaning, *cells)
    show_table(table, console)


def joules(value: float) -> str:
    """With the unit that leaves few digits before the point."""
    for unit, size in (("J", 1.0), ("mJ", 1e-3), ("uJ", 1e-6), ("nJ", 1e-9)):
        if value >= size:
            return f"{value / size:,.3g} {unit}"
    return f"{value / 1e-12:,.3g} pJ"


def _show_functions(run: dict[str, Any], console: Console) -> None:
    rows = run["functions"][:MOST_FUNCTIONS]
    if not rows:
        return
    console.print()
    table = Table("function", "cycles", "share", "instructions")
    for row in rows:
        share = row["cycles"] / max(1, run["cycles"])
        cells = (f"{row['cycles']:,}", f"{share:.1%}", f"{row['instructions']:,}")
        table.add_row(escape(row["name"]), *cells)
    show_table(table, console)


def _show_wave(run: dict[str, Any], console: Console) -> None:
    first, end = run["wave"]["from"], run["wave"]["to"]
    left = run["cycles"] - (end - first)
    told = f"; {left:,} cycles before and behind are not in it" if left else ""
    console.print(f"the wave has the {end - first:,} cycles from {first:,}{told}")


def show_break(found: dict[str, Any], console: Console) -> None:
    """Prints where a run was stopped, and what the chip is doing there."""
    console.print()
    place = escape(", ".join(filter(None, (found["place"], found["line"]))))
    console.print(
        f"stopped in cycle {found['cycle']:,} ({REASONS[found['reason']]}) before "
        f"{place}: {found['pc']:#010x}, instruction {found['instruction']:#x}"
    )
    names = [f"{row['name']:<5}{row['value']:#010x}" for row in found["registers"]]
    for first in range(0, len(names), REGISTERS_A_LINE):
        console.print("  ".join(names[first : first + REGISTERS_A_LINE]))
    for access in found["accesses"]:
        does = "write" if access["is_write"] else "read"
        console.print(
            f"cycles {access['begin']:,} to {access['acknowledged']:,}: {does} "
            f"{access['word']:#010x} at {access['address']:#010x}"
        )
    for kernel in found["kernels"]:
        console.print(_doing(kernel))


def _doing(kernel: dict[str, Any]) -> str:
    name = escape(kernel["kernel"])
    called = ", in a call" if kernel["is_called"] else ""
    if kernel["is_running"]:
        return f"{name} computes since cycle {kernel['started']:,}{called}"
    if kernel["started"] is None:
        return f"{name} rests{called}, and was not started yet"
    last = f"from cycle {kernel['started']:,} to {kernel['ended']:,}"
    return f"{name} rests{called}; it has computed {last}"
