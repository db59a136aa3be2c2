# SPDX-License-Identifier: Apache-2.0
"""From the C as written to what the compiler makes of it, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.compiler.room import BUDGET_S
from tandem.diagnostics import user_error
from tandem.interface.options import AnyPath, Building
from tandem.interface.running import run
from tandem.interface.wanted import Wanted
from tandem.languages.discovery import Given
from tandem.progress import begin, stage
from tandem.result import returns_result
from tandem.written import data_as_written

if TYPE_CHECKING:
    from tandem.explore.result import Software

SOFT_CORE = "picorv32-chip"
"""The chip on whose processor software is timed, if none is named."""


@returns_result
def ladder(
    source: AnyPath,
    function: str,
    *,
    clock_ns: float = 10.0,
    target: str = "ecp5",
    optimise: str = "balanced",
    budget_s: float = BUDGET_S,
    output: AnyPath = "build",
    slices: str | None = None,
    arguments: Sequence[str] | None = None,
    platform: str = SOFT_CORE,
    given: Given | None = None,
) -> dict[str, Any]:
    """Compiles a C function as it is written, and then with each refinement that the compiler
    takes, one more at a time (docs/schemas/ladder.json); points and edits of the steps are written
    into `output/FUNCTION.ladder`. `slices`: an older Xilinx family whose slices are told.
    `arguments`: those of an application that `source` is the main file of; it is run, to compare
    the steps with software on this machine and on the core of the chip `platform`.

    Raises as `compile` and `run` do, and SynthesisError where slices are to be counted and yosys is
    missing or fails."""
    begin()
    asked: Building = {"optimise": optimise, "budget_s": budget_s, "given": given}
    wanted = Wanted.of(source, function, target, clock_ns, asked)
    from tandem.explore.folder import require_ladder_place, write_ladder
    from tandem.explore.ladder import climb
    from tandem.explore.result import ladder_json
    from tandem.explore.slices import slices_of

    place = Path(output) / f"{function}.ladder"
    require_ladder_place(place)
    _require_core(platform)
    compiled = wanted.compiled()
    with stage("climbing from the C as written"):
        climbed = climb(compiled, wanted.goal)
    counted = None
    if slices is not None:
        with stage("counting slices of each step"):
            where = wanted.target, wanted.period_ps
            counted = slices_of(climbed, compiled.program, *where, slices)
    beside = None
    if arguments is not None:
        beside = _software(wanted, arguments, clock_ns, platform, asked)
    result = ladder_json(compiled, climbed, place, counted, beside)
    write_ladder(result["steps"], place)
    return data_as_written(result)


def _software(
    wanted: Wanted, arguments: Sequence[str], clock_ns: float, platform: str, asked: Building
) -> Software:
    """What the application takes on this machine, and on the core of a chip."""
    from tandem.explore.result import Software

    source, function = wanted.source, wanted.function
    beside = run(source, function, arguments, clock_ns=clock_ns, **asked)
    on_core = run(source, function, arguments, platform=platform, **asked)
    return Software.of(beside, on_core, str(source))


def _require_core(platform: str) -> None:
    """Raises UserError for a platform without a core that software is timed on."""
    from tandem.platforms.engine import find_platform, is_chip

    if not is_chip(find_platform(platform)):
        cure = f"give a chip: --platform {SOFT_CORE}"
        raise user_error("platform", f"`{platform}` is no chip", help=cure)
