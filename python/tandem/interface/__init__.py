# SPDX-License-Identifier: Apache-2.0
"""Tandem from Python, and what the command line is made of: plain arguments in, plain data out.

The results are dicts of numbers, texts and lists, the same that the commands print with `--json`;
docs/schemas describes them. Errors are `tandem.diagnostics.TandemError`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.compiler.room import BUDGET_S, MOST_FUNCTIONS, UNLIMITED, Room
from tandem.diagnostics import (
    Diagnostic,
    InternalError,
    Place,
    UserError,
    diagnostic_json,
    user_error,
)
from tandem.files import require_replaceable
from tandem.installation import DEFAULT_PLATFORM
from tandem.ir.argument import ArgumentKind
from tandem.languages.discovery import Given, find_program
from tandem.languages.impulse.offload import with_network
from tandem.loading import load_compiler
from tandem.manifest import OPENED, read_manifest, require_package_place
from tandem.progress import begin, stage, step
from tandem.result import returns_result
from tandem.stages import watched
from tandem.written import data_as_written

if TYPE_CHECKING:
    from tandem.compiler.compile import Compiled
    from tandem.host.launch import ApplicationFailed
    from tandem.host.prepare import Counts, Job, Prepared
    from tandem.host.probes import Probes
    from tandem.host.recording import Recording
    from tandem.ir.kernel import Kernel
    from tandem.report.baselines import Spread
    from tandem.report.gather import Gathered

NO_ADVICE: dict[str, Any] = {"advice": [], "advice_untried": [], "served": None}
SOFT_CORE = "picorv32-chip"
"""The chip on whose processor software is timed, if none is named."""
LEAST_CLOCK_NS, MOST_CLOCK_NS = 0.01, 1e6

AnyPath = str | os.PathLike[str]


@returns_result
def compile(
    source: AnyPath,
    function: str,
    *,
    clock_ns: float = 10.0,
    target: str = "ecp5",
    optimise: str = "balanced",
    room: Room | None = None,
    budget_s: float = BUDGET_S,
    output: AnyPath = "build",
    models: bool = False,
    given: Given | None = None,
    why: int | None = None,
    times: bool = False,
    dump_ir: AnyPath | None = None,
    point: AnyPath | None = None,
) -> dict[str, Any]:
    """Compiles a C function into the package `output/FUNCTION.tandem`; returns the schedule and the
    estimated area (docs/schemas/build.json). `room`: what the kernel may take at most; `budget_s`:
    seconds after which no further way to build it is tried; `models`: the package gets what it
    takes to run it outside Tandem; `why`: a line of the C whose operations are told too; `times`:
    whether it is told what each stage has taken; `dump_ir`: a folder for what each stage has made
    of the kernel; `point`: a file with the design point that is built (docs/ladder.md).

    Raises UserError and Infeasible with the C line and the cure."""
    begin()
    period_ps = clock_ps(clock_ns)
    load_compiler()
    from tandem.compiler.compile import compile_kernel, find_target
    from tandem.compiler.dump import require_dump_place, write_dump
    from tandem.compiler.goals import find_goal
    from tandem.compiler.point import read_point, require_point_of
    from tandem.describe.lines import line_json
    from tandem.package import write_package
    from tandem.passes import bind_arguments

    family = find_target(target)
    given, (function,) = with_network(Path(source), given or Given(), (function,))
    place = Path(output) / f"{function}.tandem"
    require_package_place(place)
    if dump_ir is not None:
        require_dump_place(Path(dump_ir))
    goal = find_goal(optimise, room, budget_s)
    wanted = None if point is None else read_point(Path(point))
    if wanted is not None:
        require_point_of(wanted, function)

    def ask(name: str, kernel: Kernel) -> None:
        """Asks for what is missing as soon as it is known."""
        if name == bind_arguments.SLUG:
            bind_arguments.require_extents(kernel)

    with watched() as watch:
        with stage("reading the C"):
            program = find_program(Path(source), given)
        with stage(f"compiling {function}"):
            compiled = compile_kernel(
                program, function, family, period_ps, goal=goal, after=ask, point=wanted
            )
        with stage("Verilog and models" if models else "Verilog"):
            package = write_package(compiled, place, models=OPENED if models else ())
    if dump_ir is not None:
        with stage("the kernel stage by stage"):
            write_dump(compiled.lineage, compiled.kernel, Path(dump_ir))
    told = {} if why is None else {"why": line_json(compiled.schedule, why)}
    told |= {"times": watch.times()} if times else {}
    return data_as_written({**_build_json(compiled, package), **told})


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
    period_ps = clock_ps(clock_ns)
    load_compiler()
    from tandem.compiler.compile import compile_kernel, find_target
    from tandem.compiler.goals import find_goal
    from tandem.explore.folder import require_ladder_place, write_ladder
    from tandem.explore.ladder import climb
    from tandem.explore.result import Software, ladder_json
    from tandem.explore.slices import slices_of

    family, goal = find_target(target), find_goal(optimise, budget_s=budget_s)
    place = Path(output) / f"{function}.ladder"
    require_ladder_place(place)
    _require_core(platform)
    with stage("reading the C"):
        program = find_program(Path(source), given)
    with stage(f"compiling {function}"):
        compiled = compile_kernel(program, function, family, period_ps, goal=goal)
    with stage("climbing from the C as written"):
        climbed = climb(compiled, goal)
    counted = None
    if slices is not None:
        with stage("counting slices of each step"):
            counted = slices_of(climbed, program, family, period_ps, slices)
    software = None
    if arguments is not None:
        known = {"optimise": optimise, "budget_s": budget_s, "given": given}
        beside = run(source, function, arguments, clock_ns=clock_ns, **known)
        on_core = run(source, function, arguments, platform=platform, **known)
        software = Software.of(beside, on_core, str(source))
    result = ladder_json(compiled, climbed, place, counted, software)
    write_ladder(result["steps"], place)
    return data_as_written(result)


def _require_core(platform: str) -> None:
    """Raises UserError for a platform without a core that software is timed on."""
    from tandem.platforms.engine import find_platform, is_chip

    if not is_chip(find_platform(platform)):
        cure = f"give a chip: --platform {SOFT_CORE}"
        raise user_error("platform", f"`{platform}` is no chip", help=cure)


@returns_result
def build_chip(
    application: AnyPath,
    offload: str | Sequence[str],
    *,
    platform: str,
    changes: Sequence[str] = (),
    board: str = "ulx3s-85f",
    bitstream: bool = False,
    optimise: str = "balanced",
    room: Room | None = None,
    budget_s: float = BUDGET_S,
    output: AnyPath = "build",
    seed: int = 1,
    slices: str | None = None,
    given: Given | None = None,
) -> dict[str, Any]:
    """Writes a chip as Verilog, with an application in its memory, into `output/NAME.chip`
    (docs/schemas/chip-build.json); with `bitstream` also what a
    board is configured with.
    `slices`: an older Xilinx family whose slices are told.

    Raises UserError, Infeasible, and SynthesisError where a tool is missing or fails."""
    begin()
    job = _job(
        application,
        offload,
        platform=platform,
        changes=changes,
        given=given,
        clock_ns=None,
        optimise=optimise,
        room=room,
        budget_s=budget_s,
    )
    from tandem.chip.project import Asked, make_project

    return make_project(job, Path(output), Asked(board if bitstream else None, seed, slices))


@returns_result
def bisect(
    source: AnyPath,
    function: str,
    *,
    clock_ns: float = 10.0,
    target: str = "ecp5",
    optimise: str = "balanced",
    room: Room | None = None,
    budget_s: float = BUDGET_S,
    calls: int = 20,
    seed: int = 1,
    given: Given | None = None,
) -> dict[str, Any]:
    """Runs the kernel that `compile` makes of a C function as it is after every pass, on `calls`
    random calls (docs/schemas/bisect.json).

    Raises InternalError with the result where a pass changes an answer, and UserError where no call
    comes to its end within its arrays."""
    begin()
    period_ps = clock_ps(clock_ns)
    load_compiler()
    from tandem.compiler.bisect import bisect as found_in
    from tandem.compiler.bisect import bisect_json
    from tandem.compiler.compile import compile_kernel, find_target
    from tandem.compiler.goals import find_goal
    from tandem.ir.processes import has_polls

    family, goal = find_target(target), find_goal(optimise, room, budget_s)
    with stage("reading the C"):
        program = find_program(Path(source), given)
    with stage(f"compiling {function}"):
        compiled = compile_kernel(program, function, family, period_ps, goal=goal)
    if has_polls(compiled.kernel):
        raise user_error(
            "polls",
            f"`{function}` asks streams without waiting: what it computes depends on time, which "
            "passes change",
            Place(str(source)),
            "compare its RTL with the C: tandem verify",
        )
    with stage("running it after every pass"):
        made = found_in(compiled.lineage, calls, seed)
    result = data_as_written(bisect_json(function, made))
    if made.found is None:
        return result
    text = f"pass {made.found.place}, `{made.found.name}`, changes what `{function}` computes"
    wrong = InternalError(Diagnostic("bisect", text, Place(str(source))))
    wrong.result = result
    raise wrong


def _build_json(compiled: Compiled, package: Path) -> dict[str, Any]:
    from tandem.describe.loops import (
        fifos_json,
        functions_json,
        loops_json,
        processes_json,
    )
    from tandem.package import extent_text
    from tandem.schedule.area import estimate_area

    schedule = compiled.schedule
    rows = compiled.kernel.arguments
    return {
        "format": "tandem-build-result",
        "format_version": 1,
        "kernel": compiled.kernel.name,
        "package": str(package),
        "target": schedule.target.name,
        "clock_ns": schedule.clock_ps / 1000,
        "ii": schedule.ii,
        "latency_cycles": schedule.latency_cycles,
        "loops": loops_json(schedule),
        "functions": functions_json(schedule),
        "processes": processes_json(schedule),
        "fifos": fifos_json(schedule),
        "arguments": [
            {
                "name": a.name,
                "kind": a.kind,
                "direction": a.direction,
                "extent": "exact" if a.kind is ArgumentKind.SCALAR else a.extent.source,
                "extent_bytes": extent_text(a),
                "least": a.least,
                "most": a.most,
            }
            for a in rows
        ],
        "resources": estimate_area(schedule),
        "fmax_mhz": round(1e6 / schedule.reachable_clock_ps, 1),
        "notes": [diagnostic_json(note) for note in compiled.notes],
    }


def write_report(
    place: AnyPath,
    *results: dict[str, Any],
    packages: Sequence[AnyPath] = (),
    files: Sequence[AnyPath] = (),
    platform: str | None = None,
    changes: Sequence[str] = (),
) -> None:
    """Writes a page (docs/report.md) of results of `compile`, `run` and others, of `files` that
    have such results, packages or pages, and of a platform's numbers.

    Raises UserError for what no page can be made of, and where it cannot be written."""
    from tandem.report.gather import Gathered

    page = Gathered.into(place)
    page.add_packages(Path(package) for package in packages)
    for file in files:
        page.add_file(Path(file))
    if platform is not None:
        from tandem.platforms.engine import find_platform

        page.add_platform(find_platform(platform), changes)
    page.write(*results)


@returns_result
def place(result: dict[str, Any], *, seed: int = 1) -> dict[str, Any]:
    """The result of `compile` with area and clock rate as open tools place and route the package.

    Raises SynthesisError where a tool is missing or fails."""
    load_compiler()
    from tandem.compiler.compile import find_target
    from tandem.rtl.text import module_name
    from tandem.synthesis.place import place_kernel

    package = Path(result["package"])
    family = find_target(result["target"])
    with stage(f"placing {result['kernel']}"):
        top = module_name(read_manifest(package)["kernel"])
        placed = place_kernel(package / "kernel.sv", top, family, result["clock_ns"], seed)
    return {**result, "resources": placed.resources(), "fmax_mhz": placed.fmax_mhz}


@returns_result
def slices(result: dict[str, Any], family: str) -> dict[str, Any]:
    """The result of `compile` with the slices that the package takes of an older Xilinx family,
    `xc2v`, `xc3s`, `xc3se` or `xc4v` (docs/slices.md).

    Raises UserError for another one, and SynthesisError where yosys is missing or fails."""
    load_compiler()
    from dataclasses import asdict

    from tandem.rtl.text import module_name
    from tandem.synthesis.slices import FAMILIES, kernel_slices

    package = Path(result["package"])
    with stage(f"counting slices of {result['kernel']}"):
        top = module_name(read_manifest(package)["kernel"])
        counted = kernel_slices(package / "kernel.sv", top, family)
    return {**result, "slices": {**asdict(counted), "family_name": FAMILIES[family]}}


@returns_result
def run(
    application: AnyPath,
    offload: str | Sequence[str],
    arguments: Sequence[str] = (),
    *,
    platform: str = DEFAULT_PLATFORM,
    changes: Sequence[str] = (),
    mode: str = "emulate",
    clock: str = "scheduled",
    clock_ns: float | None = None,
    optimise: str = "balanced",
    room: Room | None = None,
    budget_s: float = BUDGET_S,
    output: AnyPath | None = None,
    trace: AnyPath | None = None,
    report: AnyPath | None = None,
    baseline: str | None = None,
    given: Given | None = None,
    advise: bool = False,
    quiet: bool = True,
    limit_cycles: int | None = None,
    counts: Counts = "",
    host: str = "model",
    probes: Probes | None = None,
) -> dict[str, Any]:
    """Runs an application with the function `offload`, or several, on a platform; returns where the
    time went (docs/schemas/run.json). With `advise` it runs again for everything that could be
    otherwise, to find what would help. `changes`: what shall be otherwise than the platform says,
    such as "link.bandwidth=100MB/s". `baseline` is a command that does the same work in software.
    With `quiet` the application's output goes to standard error. `clock`: in simulate mode
    hardware is "stepped" with the platform's clock, or runs at times that are "scheduled", which
    are the same. `report`: the file of a page that shows all this (docs/report.md). Where the
    platform is a chip, the application runs on its core
    (docs/schemas/chip-result.json), for `limit_cycles` at most; it may count toggles of kernels'
    `registers`, or of the `nets` of their netlists, and so energy. `host`: "rtl" has the RTL of
    that core run the program alongside its model. `probes`: what else is recorded there, and where
    it is to be stopped; elsewhere, in simulate mode, a wave.

    Raises UserError, Infeasible, and ApplicationFailed or BaselineFailed if the application itself
    or the baseline fails: `result` of these is that of the run where it came to its end."""
    from tandem.host.prepare import is_executable_of_ours, prepared
    from tandem.host.probes import Probes
    from tandem.host.recording import recording_of
    from tandem.platforms.engine import find_platform, is_chip
    from tandem.report.breakdown import run_json
    from tandem.report.gather import Gathered
    from tandem.report.perfetto import HEAD

    begin()
    page = Gathered.into(report)
    way = Way(mode, arguments, quiet, page, clock, trace, host)
    _require_known(way)
    words = None
    if baseline is not None:
        from tandem.study.baselines import command_words

        words = command_words(baseline)
    job = _job(
        application,
        offload,
        platform=platform,
        changes=changes,
        given=given,
        clock_ns=clock_ns,
        optimise=optimise,
        room=room,
        budget_s=budget_s,
        output=output,
    )
    if trace is not None:
        require_replaceable(Path(trace), HEAD, "--trace")
    if is_chip(find_platform(platform)):
        alone = {"baseline": baseline, "advise": advise or None, "clock-ns": clock_ns}
        _refuse_on_chips({"output": output, **alone})
        return _on_chip(replace(job, counts=counts), way, limit_cycles, probes)
    _refuse_off_chips(host, counts)
    recording = recording_of(probes or Probes(), mode, is_executable_of_ours(job.main))
    with prepared(
        replace(job, shows=recording is not None, tells_loops=trace is not None)
    ) as build:
        page.add_platform(build.platform, build.changes)
        page.add_packages(build.packages)
        seen, failure, wave = _launched(job, build, replace(way, recording=recording))
        loops = {m["kernel"]: m["loops"] for m in map(read_manifest, build.packages)}
        has_advice = advise and mode != "native" and failure is None
        advised = _advice(job, build, arguments, seen) if has_advice else NO_ADVICE
    facts = build.facts
    found = _baselines(" ".join(facts.kernels), facts.sources, seen["bytes_in"])

    def result() -> dict[str, Any]:
        told = {"notes": [*facts.notes, *_wave_notes(recording, wave, failure)], **advised}
        told |= {"wave": wave} if wave is not None else {}
        figures = run_json(seen, found, facts.clock_note, facts.baseline_flags, loops)
        return data_as_written(figures | told)

    if words is not None:
        _add_command(found, words, result)
    told = result()
    page.write(told)
    return _unless(failure, told)


@returns_result
def advise(
    application: AnyPath,
    arguments: Sequence[str] = (),
    *,
    platform: str = DEFAULT_PLATFORM,
    changes: Sequence[str] = (),
    clock_ns: float | None = None,
    optimise: str = "balanced",
    room: Room | None = None,
    budget_s: float = BUDGET_S,
    most: int = MOST_FUNCTIONS,
    apply: bool = False,
    given: Given | None = None,
    quiet: bool = True,
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
        application, given = linked
    job = _job(
        application,
        "main",
        platform=platform,
        changes=changes,
        given=given,
        clock_ns=clock_ns,
        optimise=optimise,
        room=room,
        budget_s=budget_s,
    )
    read_platform(find_platform(platform), changes)
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
            asked = {"optimise": optimise, "room": room, "budget_s": budget_s, "given": given}
            asked |= {"platform": platform, "changes": changes, "clock_ns": clock_ns}
            applied = run(application, best.functions, arguments, quiet=quiet, **asked)
        return data_as_written(advise_json(job, trials, found, applied))


@returns_result
def verify(
    application: AnyPath,
    offload: str | Sequence[str],
    arguments: Sequence[str] = (),
    *,
    platform: str = DEFAULT_PLATFORM,
    changes: Sequence[str] = (),
    clock_ns: float | None = None,
    optimise: str = "balanced",
    room: Room | None = None,
    budget_s: float = BUDGET_S,
    report: AnyPath | None = None,
    given: Given | None = None,
    quiet: bool = True,
) -> dict[str, Any]:
    """Runs the RTL on every call that the application makes, and compares each result with the C
    (docs/schemas/verify.json).

    Raises as `run` does, InternalError where a call differs, and UserError if none was compared."""
    from tandem.host.prepare import prepared
    from tandem.platforms.engine import find_platform, is_chip
    from tandem.report.annotations import needed_annotations
    from tandem.report.breakdown import host_reasons, served_options
    from tandem.report.gather import Gathered

    begin()
    page = Gathered.into(report)
    way = Way("simulate", arguments, quiet, page)
    job = _job(
        application,
        offload,
        platform=platform,
        changes=changes,
        given=given,
        clock_ns=clock_ns,
        optimise=optimise,
        room=room,
        budget_s=budget_s,
    )
    if is_chip(find_platform(platform)):
        _refuse_on_chips({"clock-ns": clock_ns})
        result = _on_chip(job, way, None)
        return _verified_on_chip(result, application)
    with prepared(job) as build:
        page.add_platform(build.platform, build.changes)
        page.add_packages(build.packages)
        seen, failure, _ = _launched(job, build, way)
    wrong, checked = seen["mismatches"], seen["checked_calls"]
    where = Place(str(application))
    if wrong or checked != seen["calls"]:
        text = f"{wrong} of {checked} calls differ"
        raise InternalError(Diagnostic("verify", text, where))
    if not checked:
        options = served_options(seen["host_calls"])
        cure = f"all calls ran on the host: {host_reasons(seen['host_calls'])}"
        cure += f"; {options} has the device serve them" if options else ""
        raise user_error("no-call", "no call ran on the hardware", where, cure)
    kernels = seen["kernels"]
    found = {
        "format": "tandem-verify-result",
        "format_version": 2,
        "checked_calls": checked,
        "mismatches": wrong,
        "cycles": seen["cycles"],
        "host_calls": seen["host_calls"]["calls"],
        "host_reasons": host_reasons(seen["host_calls"]),
        "kernels": [
            {key: kernel[key] for key in ("name", "arguments", "fifos")} for kernel in kernels
        ],
        "annotations": [row for kernel in kernels for row in needed_annotations(kernel)],
        "notes": list(build.facts.notes),
    }
    told = data_as_written(found)
    page.write(told)
    return _unless(failure, told)


def _on_chip(
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
    return _unless(failure, told)


def _verified_on_chip(result: dict[str, Any], application: AnyPath) -> dict[str, Any]:
    """The result of a run, of which a call was compared. Raises UserError if none was."""
    if any(kernel["calls"] for kernel in result["kernels"]):
        return result
    raise user_error(
        "no-call",
        "no call was served by the hardware, so none was compared",
        Place(str(application)),
        "give the arguments that make it do its work, after `--`, or a larger shell.window",
    )


def _refuse_on_chips(options: dict[str, Any]) -> None:
    """Raises UserError for an option that runs on chips do not have."""
    for name, value in options.items():
        if value is not None:
            raise user_error(
                "chip-option",
                f"--{name} is not for a platform that is a chip",
                help=f"run without --{name}, or on a platform with devices beside a host",
            )


def _refuse_off_chips(host: str, counts: Counts) -> None:
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


def _wave_notes(
    recording: Recording | None, wave: dict[str, Any] | None, failure: ApplicationFailed | None
) -> list[dict[str, Any]]:
    """What is told of a run's wave."""
    from tandem.host.recording import wave_notes

    if recording is None or wave is None:
        return []
    return [diagnostic_json(note) for note in wave_notes(recording, wave, failure is not None)]


def _unless(failure: ApplicationFailed | None, result: dict[str, Any]) -> dict[str, Any]:
    """The result. Raises `failure` with it, if there is one."""
    if failure is not None:
        failure.result = result
        raise failure
    return result


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


@dataclass(frozen=True)
class Way:
    """How an application is to be run."""

    mode: str
    arguments: Sequence[str]
    quiet: bool
    page: Gathered
    clock: str = "scheduled"
    trace: AnyPath | None = None
    host: str = "model"
    recording: Recording | None = None


HOSTS = ("model", "rtl")


def _require_known(way: Way) -> None:
    """Raises UserError for a mode, a clock or a host that is none, or a clock that does not go
    with the mode."""
    from tandem.host.launch import CLOCKS, MODES

    rows = (("mode", way.mode, MODES), ("clock", way.clock, CLOCKS), ("host", way.host, HOSTS))
    for name, value, known in rows:
        if value not in known:
            text = f"unknown {name} `{value}`"
            raise user_error(name, text, help=f"known are: {', '.join(known)}")
    if way.clock == "stepped" and way.mode != "simulate":
        raise user_error(
            "clock",
            f"the clock `stepped` steps hardware, of which there is none in mode {way.mode}",
            help="add --mode simulate, or leave out --clock",
        )


def _launched(
    job: Job, build: Prepared, way: Way
) -> tuple[dict[str, Any], ApplicationFailed | None, dict[str, Any] | None]:
    """The report of a run, how the application failed at its own end, if it did, and what its wave
    has. Where hardware
    and C differ, undefined behaviour in the C is looked for before the fault is called ours."""
    from tandem.host.launch import ApplicationFailed, launch

    try:
        done = launch(
            build,
            way.mode,
            way.arguments,
            quiet=way.quiet,
            trace=way.trace,
            spans=way.page.add_spans if way.page.is_wanted else None,
            clock=way.clock,
            recording=way.recording,
        )
        return done.report, None, done.wave
    except ApplicationFailed as failed:
        if failed.report is None:
            raise
        return failed.report, failed, failed.wave
    except InternalError as error:
        from tandem.host.blame import undefined_behaviour, unset_variable

        if not build.facts.sources:
            raise
        with stage("looking for undefined behaviour in the C"):
            found = undefined_behaviour(find_program(job.main, job.given), way.arguments)
            found = found or unset_variable(
                job, lambda again: launch(again, way.mode, way.arguments, quiet=True)
            )
        if found is None:
            raise
        raise UserError(found, *error.diagnostics) from error


def clock_ps(clock_ns: float) -> int:
    """A clock period in picoseconds. Raises UserError for one that no circuit has."""
    if not (math.isfinite(clock_ns) and LEAST_CLOCK_NS <= clock_ns <= MOST_CLOCK_NS):
        raise user_error(
            "clock",
            f"a clock period of {clock_ns:g} ns",
            help=f"give --clock-ns a number from {LEAST_CLOCK_NS:g} to {MOST_CLOCK_NS:g}",
        )
    return round(clock_ns * 1000)


def _job(
    application: AnyPath,
    offload: str | Sequence[str],
    *,
    platform: str,
    changes: Sequence[str],
    given: Given | None,
    clock_ns: float | None,
    optimise: str,
    room: Room | None,
    budget_s: float,
    output: AnyPath | None = None,
) -> Job:
    from tandem.host.prepare import Job, is_executable_of_ours

    main = Path(application)
    if not offload and not is_executable_of_ours(main):
        raise user_error(
            "no-function", "no function to offload", Place(str(main)), "add --offload FUNCTION"
        )
    functions = (offload,) if isinstance(offload, str) else tuple(offload)
    given, functions = with_network(main, given or Given(), functions)
    return Job(
        main,
        functions,
        platform=platform,
        changes=tuple(changes),
        given=given,
        clock_ps=None if clock_ns is None else clock_ps(clock_ns),
        keep=None if output is None else Path(output),
        optimise=optimise,
        room=room or UNLIMITED,
        budget_s=budget_s,
    )


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
