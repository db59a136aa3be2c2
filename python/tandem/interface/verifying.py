# SPDX-License-Identifier: Apache-2.0
"""The RTL beside the C on every call of an application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from tandem.diagnostics import Diagnostic, InternalError, Place, user_error
from tandem.interface.chips import on_chip, refuse_on_chips, verified_on_chip
from tandem.interface.launching import Way, launched, unless
from tandem.interface.options import AnyPath, Running, job_of, takes
from tandem.progress import begin
from tandem.result import returns_result
from tandem.written import data_as_written


@returns_result
@takes(Running)
def verify(
    application: AnyPath,
    offload: str | Sequence[str],
    arguments: Sequence[str] = (),
    *,
    report: AnyPath | None = None,
    quiet: bool = True,
    **asked: Unpack[Running],
) -> dict[str, Any]:
    """Runs the RTL on every call that the application makes, and compares each result with the C
    (docs/schemas/verify.json).

    Raises as `run` does, InternalError where a call differs, and UserError if none was compared."""
    from tandem.host.prepare import prepared
    from tandem.platforms.engine import find_platform, is_chip
    from tandem.report.gather import Gathered

    begin()
    page = Gathered.into(report)
    way = Way("simulate", arguments, quiet, page)
    job = job_of(application, offload, asked)
    if is_chip(find_platform(job.platform)):
        refuse_on_chips({"clock-ns": asked.get("clock_ns")})
        return verified_on_chip(on_chip(job, way, None), application)
    with prepared(job) as build:
        page.add_platform(build.platform, build.changes)
        page.add_packages(build.packages)
        seen, failure, _ = launched(job, build, way)
    _require_compared(seen, Place(str(application)))
    told = data_as_written(_verify_json(seen, list(build.facts.notes)))
    page.write(told)
    return unless(failure, told)


def _require_compared(seen: dict[str, Any], where: Place) -> None:
    """Raises InternalError where a call differs, and UserError if none was compared."""
    from tandem.report.breakdown import host_reasons, served_options

    wrong, checked = seen["mismatches"], seen["checked_calls"]
    if wrong or checked != seen["calls"]:
        text = f"{wrong} of {checked} calls differ"
        raise InternalError(Diagnostic("verify", text, where))
    if not checked:
        options = served_options(seen["host_calls"])
        cure = f"all calls ran on the host: {host_reasons(seen['host_calls'])}"
        cure += f"; {options} has the device serve them" if options else ""
        raise user_error("no-call", "no call ran on the hardware", where, cure)


def _verify_json(seen: dict[str, Any], notes: list[dict[str, Any]]) -> dict[str, Any]:
    from tandem.report.annotations import needed_annotations
    from tandem.report.breakdown import host_reasons

    kernels = seen["kernels"]
    return {
        "format": "tandem-verify-result",
        "format_version": 2,
        "checked_calls": seen["checked_calls"],
        "mismatches": seen["mismatches"],
        "cycles": seen["cycles"],
        "host_calls": seen["host_calls"]["calls"],
        "host_reasons": host_reasons(seen["host_calls"]),
        "kernels": [
            {key: kernel[key] for key in ("name", "arguments", "fifos")} for kernel in kernels
        ],
        "annotations": [row for kernel in kernels for row in needed_annotations(kernel)],
        "notes": notes,
    }
