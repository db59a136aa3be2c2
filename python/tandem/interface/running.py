# SPDX-License-Identifier: Apache-2.0
"""An application with functions in hardware."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tandem.diagnostics import UserError, diagnostic_json
from tandem.files import require_replaceable
from tandem.interface.chips import on_chip, refuse_off_chips, refuse_on_chips
from tandem.interface.launching import Way, launched, require_known, unless
from tandem.interface.options import AnyPath, Running, job_of, takes
from tandem.manifest import read_manifest
from tandem.progress import begin, stage, step
from tandem.result import returns_result
from tandem.written import data_as_written

if TYPE_CHECKING:
    from tandem.host.launch import ApplicationFailed
    from tandem.host.prepare import Counts, Facts, Job, Prepared
    from tandem.host.probes import Probes
    from tandem.host.recording import Recording
    from tandem.report.baselines import Spread

NO_ADVICE: dict[str, Any] = {"advice": [], "advice_untried": [], "served": None}


@returns_result
@takes(Running)
def run(
    application: AnyPath,
    offload: str | Sequence[str],
    arguments: Sequence[str] = (),
    *,
    mode: str = "emulate",
    clock: str = "scheduled",
    output: AnyPath | None = None,
    trace: AnyPath | None = None,
    report: AnyPath | None = None,
    baseline: str | None = None,
    advise: bool = False,
    quiet: bool = True,
    limit_cycles: int | None = None,
    counts: Counts = "",
    host: str = "model",
    probes: Probes | None = None,
    **asked: Unpack[Running],
) -> dict[str, Any]:
    """Runs an application with the function `offload`, or several, on a platform; returns where the
    time went (docs/schemas/run.json). With `advise` it runs again for everything that could be
    otherwise, to find what would help. `baseline` is a command that does the same work in software.
    With `quiet` the application's output goes to standard error. `clock`: in simulate mode
    hardware is "stepped" with the platform's clock, or runs at times that are "scheduled", which
    are the same. `report`: the file of a page that shows all this (docs/report.md). On a chip
    (docs/schemas/chip-result.json) the application runs for `limit_cycles` at most; it may count
    toggles of kernels' `registers`, or of the `nets` of their netlists, and so energy; `host`:
    "rtl" has the RTL of its core run the program too. `probes`: what else is recorded there, and
    where it is to be stopped; elsewhere, in simulate mode, a wave.

    Raises UserError, Infeasible, and ApplicationFailed or BaselineFailed if the application itself
    or the baseline fails: `result` of these is that of the run where it came to its end."""
    from tandem.platforms.engine import find_platform, is_chip
    from tandem.report.gather import Gathered
    from tandem.report.perfetto import HEAD
    from tandem.study.baselines import command_words

    begin()
    way = Way(mode, arguments, quiet, Gathered.into(report), clock, trace, host)
    require_known(way)
    words = None if baseline is None else command_words(baseline)
    job = job_of(application, offload, asked, keep=None if output is None else Path(output))
    if trace is not None:
        require_replaceable(Path(trace), HEAD, "--trace")
    if is_chip(find_platform(job.platform)):
        alone = {"output": output, "baseline": baseline, "advise": advise or None}
        refuse_on_chips({**alone, "clock-ns": asked.get("clock_ns")})
        return on_chip(replace(job, counts=counts), way, limit_cycles, probes)
    refuse_off_chips(host, counts)
    return _beside_a_host(job, way, probes, words, advise)


@dataclass
class _Done:
    """A run that has come to its end: what was seen, how the application failed at its own end, if
    it did, what its wave has, and what would help."""

    seen: dict[str, Any]
    failure: ApplicationFailed | None
    wave: dict[str, Any] | None
    facts: Facts
    loops: dict[str, Any]
    advised: dict[str, Any]

    def result(self, recording: Recording | None, found: dict[str, Spread]) -> dict[str, Any]:
        """All of it; `found`: what software takes for the same work."""
        from tandem.report.breakdown import run_json

        notes = [*self.facts.notes, *_wave_notes(recording, self.wave, self.failure)]
        told = {"notes": notes, **self.advised}
        told |= {"wave": self.wave} if self.wave is not None else {}
        facts = self.facts
        figures = run_json(self.seen, found, facts.clock_note, facts.baseline_flags, self.loops)
        return data_as_written(figures | told)


def _beside_a_host(
    job: Job, way: Way, probes: Probes | None, words: list[str] | None, advise: bool
) -> dict[str, Any]:
    """A run on a platform with devices; `words`: the command of the baseline."""
    from tandem.host.prepare import is_executable_of_ours
    from tandem.host.probes import Probes
    from tandem.host.recording import recording_of

    recording = recording_of(probes or Probes(), way.mode, is_executable_of_ours(job.main))
    shown = replace(job, shows=recording is not None, tells_loops=way.trace is not None)
    done = _done(shown, replace(way, recording=recording), advise)
    facts = done.facts
    found = _baselines(" ".join(facts.kernels), facts.sources, done.seen["bytes_in"])
    if words is not None:
        _add_command(found, words, lambda: done.result(recording, found))
    told = done.result(recording, found)
    way.page.write(told)
    return unless(done.failure, told)


def _done(job: Job, way: Way, advise: bool) -> _Done:
    from tandem.host.prepare import prepared

    with prepared(job) as build:
        way.page.add_platform(build.platform, build.changes)
        way.page.add_packages(build.packages)
        seen, failure, wave = launched(job, build, way)
        loops = {m["kernel"]: m["loops"] for m in map(read_manifest, build.packages)}
        has_advice = advise and way.mode != "native" and failure is None
        advised = _advice(job, build, way.arguments, seen) if has_advice else NO_ADVICE
        return _Done(seen, failure, wave, build.facts, loops, advised)


def _wave_notes(
    recording: Recording | None, wave: dict[str, Any] | None, failure: ApplicationFailed | None
) -> list[dict[str, Any]]:
    """What is told of a run's wave."""
    from tandem.host.recording import wave_notes

    if recording is None or wave is None:
        return []
    return [diagnostic_json(note) for note in wave_notes(recording, wave, failure is not None)]


def _advice(
    job: Job, build: Prepared, arguments: Sequence[str], report: dict[str, Any]
) -> dict[str, Any]:
    """That part of a run's result."""
    from tandem.host.prepare import prepared
    from tandem.study.advice import Builds, advice, left_on_host

    with stage("trying what would help"), ExitStack() as stack:

        def built(other: Job) -> Prepared:
            return stack.enter_context(prepared(other))

        builds = Builds(build, job, built if build.packages else None)
        served, unserved = left_on_host(builds, arguments, report)
        told, untried = advice(builds, arguments, report, step)
    return {"advice": told, "advice_untried": [*unserved, *untried], "served": served}


class BaselineFailed(UserError):
    """The command of `baseline` failed; `result` is that of the run, without it."""


def _baselines(kernel: str, sources: Sequence[str], size_bytes: int) -> dict[str, Spread]:
    from tandem.study.baselines import openssl_baseline

    found = openssl_baseline(kernel, [Path(s) for s in sources], size_bytes)
    return {found.name: (found.least_s, found.greatest_s)} if found and size_bytes else {}


def _add_command(
    found: dict[str, Spread], words: list[str], result: Callable[[], dict[str, Any]]
) -> None:
    from tandem.study.baselines import command_baseline

    try:
        measured = command_baseline(words)
    except UserError as error:
        failed = BaselineFailed(*error.diagnostics)
        failed.result = result()
        raise failed from error
    found[measured.name] = (measured.least_s, measured.greatest_s)
