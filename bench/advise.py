# SPDX-License-Identifier: Apache-2.0
"""The key to what `tandem advise` answers of the applications in tests/advise: every function that
an application defines but `main`, alone and in pairs, is run by `tandem run`, and what becomes of
the application is written to tests/advise/answers.toml.

    python bench/advise.py [NAME ...]

Without names all are tried. It takes half an hour."""

from __future__ import annotations

import itertools
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tandem
from tandem.diagnostics import TandemError
from tandem.files import temporary_folder
from tandem.frontend.linking import OF_HEADERS, definitions_of
from tandem.frontend.program import Program
from tandem.host.profiled import build_native, processor_s
from tandem.languages.discovery import find_program
from tandem.languages.modules import translate_all

APPLICATIONS = Path(__file__).parents[1] / "tests" / "advise"
ANSWERS = APPLICATIONS / "answers.toml"
READY = ("pcie3-x16", ("configuration.preload=yes",))
COLD = ("src-6e", ())
TOGETHER = ("src-6e", ("kernel.together=yes",))
BESIDE = {
    "configuration_dominates": (COLD,),
    "only_both_pay": (TOGETHER,),
    "shared_data": (TOGETHER,),
    "several_files": (COLD,),
}
"""Applications that are tried on more than `READY`."""
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Made by bench/advise.py: what every function and every pair of each application makes of it, by
# `tandem run`: how many times as fast it is, in all and once configured.
"""


@dataclass(frozen=True)
class Tried:
    """A set of functions, and how many times as fast the application is with it."""

    functions: tuple[str, ...]
    gain: float
    gain_once: float


def main_file(name: str) -> Path:
    """The main file of an application, as seen from its folder's parent."""
    return next((APPLICATIONS / name).glob("main.c*"))


def defined(program: Program) -> list[str]:
    """The functions that a program defines, but `main`."""
    found = dict[str, None]()
    for text in translate_all(program.files)[0]:
        for name, row in definitions_of(text).items():
            if row.is_function and row.linkage != OF_HEADERS and name != "main":
                found[name] = None
    return list(found)


def software_s(program: Program) -> float:
    """Processor time of the application in C: the least of five runs."""
    with temporary_folder() as folder:
        modules = translate_all(program.files)[0]
        native = build_native(program, modules, folder / "native")
        return min(processor_s(native, program.main, ()) for _ in range(5))


def tried(main: Path, functions: Sequence[str], setting: Any, total_s: float) -> Tried | None:
    """A run with some functions; None where it cannot be had, or the host runs all calls."""
    platform, changes = setting
    try:
        run = tandem.run(main, functions, platform=platform, changes=changes)
    except TandemError:
        return None
    if not run["calls"]:
        return None
    c_s = next(iter(run["baselines_s"].values()))
    rest_s = max(0.0, total_s - c_s) + run["host_calls"]["wall_ps"] / 1e12
    stays = platform != "pcie3-x16" or len(functions) == 1
    once_s = run["no_config_s"] if stays else run["total_s"]
    return Tried(tuple(functions), total_s / (run["total_s"] + rest_s), total_s / (once_s + rest_s))


def exhaustive(name: str) -> Iterator[dict[str, Any]]:
    """All trials of an application on each platform that is of interest."""
    main = main_file(name)
    program = find_program(main)
    total_s, functions = software_s(program), defined(program)
    for setting in (READY, *BESIDE.get(name, ())):
        singles = [tried(main, [f], setting, total_s) for f in functions]
        had = [one.functions[0] for one in singles if one is not None]
        pairs = [tried(main, pair, setting, total_s) for pair in itertools.combinations(had, 2)]
        rows = [one for one in (*singles, *pairs) if one is not None]
        yield {"platform": setting[0], "changes": setting[1], "total_s": total_s, "tried": rows}


def text_of(name: str, row: dict[str, Any]) -> str:
    lines = [
        f"[[{name}]]",
        f'platform = "{row["platform"]}"',
        f"changes = {list(row['changes'])}".replace("'", '"'),
        f"total_s = {row['total_s']:.6f}",
        "tried = [",
    ]
    for one in sorted(row["tried"], key=lambda one: -one.gain):
        names = f"{list(one.functions)}".replace("'", '"')
        gains = f"gain = {one.gain:.4g}, gain_once = {one.gain_once:.4g}"
        lines.append(f"    {{ functions = {names}, {gains} }},")
    return "\n".join([*lines, "]", ""])


def main(names: Sequence[str]) -> None:
    known = sorted(path.name for path in APPLICATIONS.iterdir() if path.is_dir())
    if unknown := set(names) - set(known):
        sys.exit(f"no such application: {', '.join(unknown)}; there are {', '.join(known)}")
    before = ANSWERS.read_text() if ANSWERS.exists() else HEAD
    parts = dict.fromkeys(known, "")
    for part in before.split("\n\n")[1:]:
        parts[part[2:].partition("]")[0]] += part.rstrip("\n") + "\n\n"
    for name in names or known:
        print(name, flush=True)
        parts[name] = "".join(f"{text_of(name, row)}\n" for row in exhaustive(name))
        text = HEAD + "\n" + "".join(parts[known_one] for known_one in known)
        tomllib.loads(text)
        ANSWERS.write_text(text.rstrip("\n") + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
