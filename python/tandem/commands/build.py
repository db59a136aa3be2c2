# SPDX-License-Identifier: Apache-2.0
"""tandem build"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import tandem
from tandem.commands import options, values
from tandem.commands.notes import show_notes
from tandem.commands.result import require_report, show_json, write_report
from tandem.compiler.room import BUDGET_S, Room
from tandem.diagnostics import TandemError, UserError, user_error
from tandem.languages.discovery import Given
from tandem.library.asked import asked, with_kernel
from tandem.library.manifests import find_kernel

CLOCK_NS = 10.0
Result = dict[str, Any]
_Measurement = tuple[Callable[[Result], Result], Callable[[Result, Any], None]]


def register(app: typer.Typer) -> None:
    app.command("build")(build)


@options.with_program_options
def build(
    given: Given,
    source: Annotated[
        Path | None,
        typer.Argument(help="the C file that defines the function; --kernel can do without"),
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(help="of the application, after --, where --ladder runs it", hidden=True),
    ] = None,
    top: Annotated[str | None, typer.Option(help="the function that becomes hardware")] = None,
    offload: Annotated[
        list[str] | None,
        typer.Option(help="for a chip: a function of the application that becomes hardware"),
    ] = None,
    kernel: options.Kernel = None,
    platform: Annotated[
        str | None,
        typer.Option(
            help="the chip that the application is built for", autocompletion=values.platforms
        ),
    ] = None,
    changes: options.Changes = None,
    bitstream: Annotated[
        bool, typer.Option("--bitstream", help="of the chip, by open tools, for a board")
    ] = False,
    board: Annotated[
        str, typer.Option(help="which one", autocompletion=values.boards)
    ] = "ulx3s-85f",
    clock_ns: Annotated[
        float | None,
        typer.Option(help=f"clock period ({CLOCK_NS:g}, or of --kernel the library's)"),
    ] = None,
    optimise: options.Optimise = "balanced",
    max_lut4: options.MaxLut4 = None,
    max_ff: options.MaxFf = None,
    max_dsp: options.MaxDsp = None,
    budget: options.Budget = BUDGET_S,
    target: options.Family = "ecp5",
    output: Annotated[Path, typer.Option("-o", "--output", help="folder for the package")] = Path(
        "build"
    ),
    models: Annotated[
        bool, typer.Option(help="models for programs of your own too: see driver.h in the package")
    ] = False,
    place: Annotated[
        bool, typer.Option(help="place and route with open tools, for area and Fmax")
    ] = False,
    slices: Annotated[
        str | None,
        typer.Option(
            metavar="FAMILY",
            autocompletion=values.families,
            help="count slices of xc2v, xc3s, xc3se or xc4v too",
        ),
    ] = None,
    why: Annotated[
        int | None, typer.Option(metavar="LINE", help="explain what a line of the C became")
    ] = None,
    times: Annotated[bool, typer.Option("--times", help="tell what each stage has taken")] = False,
    dump_ir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="folder for what each stage has made of the kernel"),
    ] = None,
    point: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="build this design point, and try nothing else"),
    ] = None,
    ladder: Annotated[
        bool,
        typer.Option("--ladder", help="what each refinement gains, from the C as written on"),
    ] = False,
    seed: Annotated[int, typer.Option(help="first seed of the placer")] = 1,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """Compiles a C function into a package: Verilog, its schedule, a report. With --platform, an
    application into a whole chip."""
    room = Room(max_lut4, max_ff, max_dsp)
    require_report(report)
    if arguments and not (ladder and offload):
        raise typer.BadParameter(f"got unexpected extra argument(s) ({' '.join(arguments)})")
    if ladder:
        one = {"--place": place, "--why": why, "--models": models, "--times": times}
        one |= {"--dump-ir": dump_ir, "--point": point, "--bitstream": bitstream, "--set": changes}
        one |= {f"--max-{name}": most for name, most in room.most.items()}
        _refuse(one, "of one kernel, and a ladder has many", "build a step's point with --point")
        alone = _alone(kernel, source, _of_ladder(top, offload or (), kernel), given)
        return _climb(
            alone,
            None if offload is None else arguments or (),
            platform,
            as_json,
            report,
            clock_ns=alone.clock_ns if clock_ns is None else clock_ns,
            target=target,
            optimise=optimise,
            budget_s=budget,
            output=output,
            slices=slices,
        )
    if platform is not None:
        alone = {"--top": top, "--place": place, "--why": why, "--models": models, "--times": times}
        alone |= {"--dump-ir": dump_ir, "--clock-ns": clock_ns, "--point": point}
        _refuse(alone, "of a function alone, and a chip is built", "leave it out")
        with asked(kernel, source, offload or (), given=given) as job:
            result = tandem.build_chip(
                job.application,
                job.offload,
                platform=platform,
                changes=changes or (),
                board=board,
                bitstream=bitstream,
                optimise=optimise,
                room=room,
                budget_s=budget,
                output=output,
                seed=seed,
                slices=slices,
                given=job.given,
            )
        write_report(report, result, platform=platform, changes=changes or ())
        return _show_chip(result, as_json)
    _refuse({"--set": changes}, "of a chip", "name the chip with --platform")
    if offload or bitstream:
        raise _no_chip()
    alone = _alone(kernel, source, top, given)
    if slices is not None:
        from tandem.synthesis.slices import check_family

        check_family(slices)
    if point is not None:
        searched = {f"--max-{name}": most for name, most in room.most.items()}
        _refuse(searched, "of a search, and a point is built as it is", "leave it out")
    result = tandem.compile(
        alone.source,
        alone.top,
        clock_ns=alone.clock_ns if clock_ns is None else clock_ns,
        target=target,
        optimise=optimise,
        room=room,
        budget_s=budget,
        output=output,
        models=models,
        given=alone.given,
        why=why,
        times=times,
        dump_ir=dump_ir,
        point=point,
    )
    steps = [*_measurements(place, seed, slices), _report_step(report)]
    if as_json:
        _show_json(result, steps)
    else:
        show_notes(result)
        _show_page(result, steps, why)


def _report_step(report: Path | None) -> _Measurement:
    """The page is of what was measured, too."""

    def written(result: Result) -> Result:
        write_report(report, result, packages=[result["package"]])
        return result

    return written, lambda result, console: None


def _refuse(options_: dict[str, Any], what: str, cure: str) -> None:
    """Raises UserError for an option that would be ignored."""
    for name, value in options_.items():
        if value:
            raise user_error("option", f"{name} is {what}", help=cure)


def _no_chip() -> UserError:
    cure = "name the chip with --platform, such as --platform picorv32-chip"
    return user_error("no-platform", "a chip is built of a platform", help=cure)


@dataclass(frozen=True)
class _Alone:
    """A function that is built by itself, and the clock where none is asked for."""

    source: Path
    top: str
    clock_ns: float
    given: Given


def _alone(name: str | None, source: Path | None, top: str | None, given: Given) -> _Alone:
    """Raises UserError where it is not said which function of which file."""
    if name is None:
        if source is None:
            raise _missing("source", "the C file that defines the function; or --kernel NAME")
        if top is None:
            raise _missing("--top", "the function that becomes hardware")
        return _Alone(source, top, CLOCK_NS, given)
    _refuse({"--top": top}, "the name of a function, as --kernel is", "give one of the two")
    kernel = find_kernel(name)
    return _Alone(source or kernel.source, name, kernel.clock_ns, with_kernel(kernel, given))


def _missing(what: str, meaning: str) -> UserError:
    return user_error("option", f"{what} is missing", help=f"give {what}: {meaning}")


def _show_chip(result: Result, as_json: bool) -> None:
    if as_json:
        return show_json(result)
    from tandem.report.chip_build import show_chip_build
    from tandem.report.page import page

    show_notes(result)
    show_chip_build(result, page())


def _of_ladder(top: str | None, offload: Sequence[str], kernel: str | None) -> str | None:
    """The one function that a ladder is of; None where the library has it."""
    names = {*offload, *([top] if top else [])}
    if len(names) != (kernel is None):
        cure = "give --top: the function; or --offload with an application that is to be run"
        raise user_error("option", "a ladder is of one function", help=cure)
    return names.pop() if names else None


def _climb(
    alone: _Alone,
    arguments: Sequence[str] | None,
    platform: str | None,
    as_json: bool,
    report: Path | None,
    **said: Any,
) -> None:
    """A ladder, and what it tells."""
    if arguments is None:
        _refuse({"--platform": platform}, "where software runs", "name the function by --offload")
    chosen = {} if platform is None else {"platform": platform}
    given = {"given": alone.given, **chosen, **said}
    result = tandem.ladder(alone.source, alone.top, arguments=arguments, **given)
    write_report(report, result)
    if as_json:
        return show_json(result)
    from tandem.report.ladder import show_ladder
    from tandem.report.page import page

    show_notes(result)
    show_ladder(result, page())


def _measurements(is_placed: bool, seed: int, family: str | None) -> list[_Measurement]:
    """What open tools are asked of the package: each takes a result, adds to it, and is shown."""
    from tandem.interface import place, slices
    from tandem.report.build import show_resources, show_slices

    steps: list[_Measurement] = []
    if is_placed:
        steps.append((lambda result: place(result, seed=seed), show_resources))
    if family is not None:
        steps.append((lambda result: slices(result, family), show_slices))
    return steps


def _show_page(result: Result, steps: list[_Measurement], why: int | None) -> None:
    """The schedule at once; placing takes minutes and may be stopped."""
    from tandem.report.build import show_build, show_times
    from tandem.report.page import page
    from tandem.report.why import show_line

    console = page()
    show_build(result, console)
    if why is not None:
        show_line(result["why"], why, console)
    if "times" in result:
        show_times(result["times"], console)
    for measure, show in steps:
        console.file.flush()
        result = measure(result)
        show(result, console)


def _show_json(result: Result, steps: list[_Measurement]) -> None:
    """One result: with what was measured, or without what is stopped or fails."""
    try:
        for measure, _ in steps:
            result = measure(result)
    except TandemError as failed:
        failed.result = result
        raise
    finally:
        show_json(result)
