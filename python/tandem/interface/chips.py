# SPDX-License-Identifier: Apache-2.0
"""Applications on chips: built as Verilog, and run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tandem.diagnostics import Place, user_error
from tandem.interface.launching import Way, unless
from tandem.interface.options import AnyPath, Building, Running, job_of, takes
from tandem.progress import begin
from tandem.result import returns_result
from tandem.written import data_as_written

if TYPE_CHECKING:
    from tandem.host.prepare import Counts, Job
    from tandem.host.probes import Probes


@returns_result
@takes(Building)
def build_chip(
    application: AnyPath,
    offload: str | Sequence[str],
    *,
    platform: str,
    changes: Sequence[str] = (),
    board: str = "ulx3s-85f",
    bitstream: bool = False,
    output: AnyPath = "build",
    seed: int = 1,
    slices: str | None = None,
    **asked: Unpack[Building],
) -> dict[str, Any]:
    """Writes a chip as Verilog, with an application in its memory, into `output/NAME.chip`
    (docs/schemas/chip-build.json); with `bitstream` also what a board is configured with.
    `slices`: an older Xilinx family whose slices are told.

    Raises UserError, Infeasible, and SynthesisError where a tool is missing or fails."""
    begin()
    running: Running = {**asked, "platform": platform, "changes": changes}
    job = job_of(application, offload, running)
    from tandem.chip.project import Asked, make_project

    return make_project(job, Path(output), Asked(board if bitstream else None, seed, slices))


def on_chip(
    job: Job, way: Way, limit_cycles: int | None, probes: Probes | None = None
) -> dict[str, Any]:
    """A run on a chip."""
    from tandem.chip.result import run_application
    from tandem.chip.run import LIMIT_CYCLES
    from tandem.host.launch import STANDARD_ERROR, STANDARD_OUTPUT
    from tandem.host.probes import Probes

    result, failure = run_application(
        job,
        way.arguments,
        mode=way.mode,
        output=STANDARD_ERROR if way.quiet else STANDARD_OUTPUT,
        limit_cycles=limit_cycles or LIMIT_CYCLES,
        trace=None if way.trace is None else Path(way.trace),
        page=way.page,
        with_core_rtl=way.host == "rtl",
        probes=probes or Probes(),
    )
    told = data_as_written(result)
    way.page.write(told)
    return unless(failure, told)


def verified_on_chip(result: dict[str, Any], application: AnyPath) -> dict[str, Any]:
    """The result of a run, of which a call was compared. Raises UserError if none was."""
    if any(kernel["calls"] for kernel in result["kernels"]):
        return result
    raise user_error(
        "no-call",
        "no call was served by the hardware, so none was compared",
        Place(str(application)),
        "give the arguments that make it do its work, after `--`, or a larger shell.window",
    )


def refuse_on_chips(options: dict[str, Any]) -> None:
    """Raises UserError for an option that runs on chips do not have."""
    for name, value in options.items():
        if value is not None:
            raise user_error(
                "chip-option",
                f"--{name} is not for a platform that is a chip",
                help=f"run without --{name}, or on a platform with devices beside a host",
            )


def refuse_off_chips(host: str, counts: Counts) -> None:
    """Raises UserError for what only runs on chips have."""
    if host == "rtl":
        raise user_error(
            "core-rtl",
            "the host of this platform is the machine that Tandem runs on, which has no RTL",
            help="give a chip: --platform picorv32-chip",
        )
    if counts:
        raise user_error(
            "counts",
            f"toggles of {counts} are counted on platforms that are chips",
            help="give one of them: --platform microblaze-chip",
        )
