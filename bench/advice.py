# SPDX-License-Identifier: Apache-2.0
"""Whether advice is true: what `tandem run --advise` tells of the programs of bench/advice, and
what is got when one does what it says.

    python bench/advice.py

prints every gain of the newest runs, from bench/results/advice.json. A program's first lines say
how it is run, and what can never be: settings (or how they begin) whose calls need each other or do
not fit the device. Half of the programs are held out: advice was made without a look at them.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from figures import REPOSITORY, Figure, at_most, machine
from tandem.compiler.compile import compile_kernel, find_target
from tandem.compiler.goals import find_goal
from tandem.frontend.program import Program
from tandem.schedule.area import estimate_area

PROGRAMS = REPOSITORY / "bench" / "advice"
RESULTS_FILE = REPOSITORY / "bench" / "results" / "advice.json"
TANDEM = str(Path(sys.executable).with_name("tandem"))
MOST_ERROR_PERCENT = 5
BUILT = ("--optimise", "--clock-ns", "--directive")
"""Options that make another kernel: its cycles are those of its RTL."""
ORDER = "reassociate"
"""The one thing with which a program may print something else."""


@dataclass(frozen=True)
class Row:
    """A gain as it was told and as it was got, in all and once configured; `fault`: why it cannot
    be had, or empty."""

    program: str
    name: str
    options: str
    told: float
    got: float
    told_no_config: float
    got_no_config: float
    fault: str = ""

    @property
    def error_percent(self) -> float:
        """The larger of the two."""
        pairs = ((self.told, self.got), (self.told_no_config, self.got_no_config))
        return round(max(100 * abs(told / got - 1) for told, got in pairs), 6)


def measurements() -> dict[str, Callable[[Path], list[Figure]]]:
    """One measurement a program."""
    names = sorted(path.stem for path in PROGRAMS.glob("*.c"))
    order = sorted(names, key=is_held_out)
    return {f"advice:{name}": partial(program, name) for name in order}


def is_held_out(name: str) -> bool:
    return "// held out\n" in source(name).read_text()


def source(name: str) -> Path:
    return PROGRAMS / f"{name}.c"


def program(name: str, work: Path) -> list[Figure]:
    """One program: what is told, and each of it done."""
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source(name), folder)
    words = [f"{name}.c", *shlex.split(_said(name, "run"))]
    plain, printed = ran(folder, words)
    advised, _ = ran(folder, [*words, "--advise"])
    rows = [_done(name, folder, words, plain, printed, row) for row in advised["advice"]]
    _save(name, rows)
    error = max((row.error_percent for row in rows if not row.fault), default=0.0)
    untried = len(advised["advice_untried"])
    return [
        at_most(f"{name}: largest error of {len(rows)} gains", error, "%", MOST_ERROR_PERCENT),
        at_most(f"{name}: cannot be had", sum(bool(row.fault) for row in rows), "", 0),
        at_most(f"{name}: not tried for want of time", untried, ""),
    ]


def _said(name: str, what: str) -> str:
    found = re.search(rf"^// {what}: (.*)$", source(name).read_text(), re.M)
    return found[1] if found else ""


def ran(folder: Path, words: Sequence[str]) -> tuple[dict[str, Any], str]:
    """The result of a run, and what the program printed. Raises RuntimeError if it fails."""
    command = [TANDEM, "run", *words, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("tandem: ")]
    return json.loads(done.stdout), "\n".join(lines)


def _done(
    name: str,
    folder: Path,
    words: Sequence[str],
    plain: dict[str, Any],
    printed: str,
    row: dict[str, Any],
) -> Row:
    """Does what a row says. Directives on loops are written into the C."""
    file = folder / "changed" / f"{name}.c"
    options = row["options"]
    mode = ("--mode", "simulate") if any(option in options for option in BUILT) else ()
    try:
        found, text = ran(file.parent, [*words, *mode, *_written(file, options)])
    except RuntimeError as error:
        return _row(name, row, plain, plain, f"the run fails: {str(error).splitlines()[-1]}")
    return _row(name, row, plain, found, _fault(file, row, plain, found, text == printed))


def _row(
    name: str, row: dict[str, Any], plain: dict[str, Any], found: dict[str, Any], fault: str
) -> Row:
    got = [plain[key] / found[key] for key in ("total_s", "no_config_s")]
    told = row["gain"], row["gain_no_config"]
    words = shlex.join(row["options"])
    return Row(name, row["name"], words, told[0], got[0], told[1], got[1], fault)


def _written(file: Path, options: Sequence[str]) -> list[str]:
    """The options, less the directives that now stand in the program's C, in that file."""
    file.parent.mkdir(exist_ok=True)
    lines = source(file.stem).read_text().splitlines()
    pairs = list(zip(options[::2], options[1::2], strict=True))
    pragmas = [text for option, text in pairs if option == "--directive"]
    places = [(_line(lines, text), text.rpartition(": ")[2]) for text in pragmas]
    for line, say in sorted(places, reverse=True):
        lines.insert(line - 1, f"#pragma tandem {say}")
    file.write_text("\n".join(lines) + "\n")
    return [word for pair in pairs if pair[0] != "--directive" for word in pair]


def _line(lines: Sequence[str], directive: str) -> int:
    """Where the loop or the array stands that a directive is about."""
    loop = re.match(r".*\.c:(\d+): ", directive)
    if loop:
        return int(loop[1])
    array = re.search(r"partition\((\w+)", directive)
    assert array is not None, directive
    declared = re.compile(rf"^\s+\w+ .*\b{array[1]}\[[^]]*\]( = .*)?[,;]")
    return next(i for i, line in enumerate(lines, 1) if declared.match(line))


def _fault(
    file: Path, row: dict[str, Any], plain: dict[str, Any], found: dict[str, Any], is_same: bool
) -> str:
    """Why what a row says cannot be had with a program, or empty."""
    never = _said(file.stem, "never").split()
    hit = [s for s in row["settings"] if any(s == n or s.startswith(f"{n}=") for n in never)]
    notes = [note["message"] for note in found["notes"] if note["code"] == "device"]
    causes = [
        *(f"{setting} can never be" for setting in hit),
        *(notes if not any(note["code"] == "device" for note in plain["notes"]) else ()),
        *(found["unmet"] if not plain["unmet"] else ()),
        *(_no_room(file, row, found)),
    ]
    if found["mismatches"] or found["host_calls"]["calls"] != plain["host_calls"]["calls"]:
        causes.append("other calls, or other results")
    if not is_same and ORDER not in shlex.join(row["options"]):
        causes.append("the program prints something else")
    return "; ".join(causes)


def _no_room(file: Path, row: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """What of a device several kernels together, or copies of them, take too much of."""
    settings = dict(setting.split("=", 1) for setting in row["settings"])
    units = int(settings.get("kernel.units", 1))
    is_together = settings.keys() & {"kernel.together", "configuration.regions"}
    if units == 1 and not is_together:
        return
    areas = [_area(file, kernel, row["options"]) for kernel in found["kernels"]]
    for what, most in find_target(found["kernels"][0]["target"]).resources.items():
        taken = [units * area.get(what, 0) for area in areas]
        if (sum(taken) if is_together else max(taken)) > most:
            yield f"{what}: {taken} of {most}"


def _area(file: Path, kernel: dict[str, Any], options: Sequence[str]) -> dict[str, int]:
    goal = dict(zip(options[::2], options[1::2], strict=True)).get("--optimise", "balanced")
    target, clock_ps = find_target(kernel["target"]), kernel["clock_ps"]
    words = {"slower_clock": True, "goal": find_goal(goal)}
    compiled = compile_kernel(Program.of(file), kernel["name"], target, clock_ps, **words)
    return estimate_area(compiled.schedule)


def _save(name: str, rows: Sequence[Row]) -> None:
    kept = [asdict(row) for row in saved() if row.program != name]
    document = {"machine": machine(), "rows": kept + [asdict(row) for row in rows]}
    RESULTS_FILE.write_text(json.dumps(document, indent=1) + "\n")


def saved() -> list[Row]:
    """The rows of the newest runs."""
    if not RESULTS_FILE.is_file():
        return []
    return [Row(**row) for row in json.loads(RESULTS_FILE.read_text())["rows"]]


def show_table() -> None:
    """One line for each gain that was told."""
    print(f"{'program':22} {'told':>8} {'got':>8} {'told':>8} {'got':>8} {'error':>7}")
    for row in saved():
        gains = (row.told, row.got, row.told_no_config, row.got_no_config)
        cells = " ".join(f"{gain:8.3f}" for gain in gains)
        held = "*" if is_held_out(row.program) else ""
        print(f"{row.program + held:22} {cells} {row.error_percent:6.2f}% {row.options}")
        if row.fault:
            print(f"{'':22} CANNOT BE HAD: {row.fault}")


if __name__ == "__main__":
    show_table()
