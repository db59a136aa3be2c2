# SPDX-License-Identifier: Apache-2.0
"""What of an application is worth offloading."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Unpack

from tandem.compiler.room import MOST_FUNCTIONS
from tandem.interface.options import AnyPath, Running, job_of, takes
from tandem.interface.running import run
from tandem.languages.discovery import find_program
from tandem.progress import begin, stage, step
from tandem.result import returns_result
from tandem.written import data_as_written


@returns_result
@takes(Running)
def advise(
    application: AnyPath,
    arguments: Sequence[str] = (),
    *,
    most: int = MOST_FUNCTIONS,
    apply: bool = False,
    quiet: bool = True,
    **asked: Unpack[Running],
) -> dict[str, Any]:
    """Finds which functions of an application are worth offloading to a platform, alone and
    together (docs/schemas/advise.json): what takes its time as plain software, and what it takes
    with each of the `most` functions that take the most, and with sets of them, as `run` has it.
    With `apply` the best set is run once more, and heard unless `quiet`.

    Raises UserError, and ApplicationFailed if the application does not end well."""
    from tandem.files import temporary_folder
    from tandem.host.linked import program_of
    from tandem.host.prepare import Made
    from tandem.platforms.engine import find_platform, read_platform
    from tandem.study.advised import advise_json
    from tandem.study.profile import from_the_start, profile, replayed_input
    from tandem.study.worth import Trials, find_worth

    begin()
    linked = program_of(Path(application))
    if linked is not None:
        application, asked["given"] = linked
    job = job_of(application, "main", asked)
    read_platform(find_platform(job.platform), job.changes)
    program = find_program(job.main, job.given)
    with replayed_input(), temporary_folder() as folder, ExitStack() as builds:
        measured = profile(program, arguments)
        trials = Trials(job, arguments, measured, builds, Made(folder))
        with stage("trying what could be offloaded"):
            found = find_worth(trials, most, step)
        applied = None
        best = found.best or found.best_once
        if apply and best is not None:
            from_the_start()
            applied = run(application, best.functions, arguments, quiet=quiet, **asked)
        return data_as_written(advise_json(job, trials, found, applied))
