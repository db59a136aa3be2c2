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
from tandem.diagnostics import TandemError, UserError, user_error
from tandem.languages.discovery import Given
from tandem.library.asked import asked, with_kernel
from tandem.library.manifests import find_kernel

CLOCK_NS = 10.0
Result = dict[str, Any]
_Measurement = tuple[Callable[[Result], Result], Callable[[Result, Any], None]]


@dataclass(frozen=True, kw_only=True)
class BuildOptions(options.Group):
    """What is built of what, and how."""

    source: Annotated[
        Path | None,
        typer.Argument(help="the C file that defines the function; --kernel can do without"),
    ] = None
    arguments: Annotated[
        list[str] | None,
        typer.Argument(help="of the application, after --, where --ladder runs it", hidden=True),
    ] = None
    top: Annotated[str | None, typer.Option(help="the function that becomes hardware")] = None
    offload: Annotated[
        list[str] | None,
        typer.Option(help="for a chip: a function of the application that becomes hardware"),
    ] = None
    kernel: options.Kernel = None
    platform: Annotated[
        str | None,
        typer.Option(
            help="the chip that the application is built for", autocompletion=values.platforms
        ),
    ] = None
    changes: options.Changes = None
    bitstream: Annotated[
        bool, typer.Option("--bitstream", help="of the chip, by open tools, for a board")
    ] = False
    board: Annotated[str, typer.Option(help="which one", autocompletion=values.boards)] = (
        "ulx3s-85f"
    )
    clock_ns: Annotated[
        float | None,
        typer.Option(help=f"clock period ({CLOCK_NS:g}, or of --kernel the library's)"),
    ] = None
    search: options.Search
    target: options.Family = "ecp5"
    output: Annotated[Path, typer.Option("-o", "--output", help="folder for the package")] = Path(
        "build"
    )
    models: Annotated[
        bool, typer.Option(help="models for programs of your own too: see driver.h in the package")
    ] = False
    place: Annotated[
        bool, typer.Option(help="place and route with open tools, for area and Fmax")
    ] = False
    slices: Annotated[
        str | None,
        typer.Option(
            metavar="FAMILY",
            autocompletion=values.families,
            help="count slices of xc2v, xc3s, xc3se or xc4v too",
        ),
    ] = None
    why: Annotated[
        int | None, typer.Option(metavar="LINE", help="explain what a line of the C became")
    ] = None
    times: Annotated[bool, typer.Option("--times", help="tell what each stage has taken")] = False
    dump_ir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="folder for what each stage has made of the kernel"),
    ] = None
    point: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="build this design point, and try nothing else"),
    ] = None
    ladder: Annotated[
        bool,
        typer.Option("--ladder", help="what each refinement gains, from the C as written on"),
    ] = False
    seed: Annotated[int, typer.Option(help="first seed of the placer")] = 1

    @property
    def of_one_function(self) -> dict[str, Any]:
        """What only a function alone has."""
        said = {"--place": self.place, "--why": self.why, "--models": self.models}
        return said | {"--times": self.times, "--dump-ir": self.dump_ir, "--point": self.point}

    @property
    def most(self) -> dict[str, Any]:
        """What a kernel may take."""
        return {f"--max-{name}": most for name, most in self.search.room.most.items()}


def register(app: typer.Typer) -> None:
    app.command("build")(build)


@options.grouped
def build(
    *,
    said: BuildOptions,
    report: options.Report = None,
    as_json: options.AsJson = False,
    program: options.ProgramOptions,
) -> None:
    """Compiles a C function into a package: Verilog, its schedule, a report. With --platform, an
    application into a whole chip."""
    require_report(report)
    if said.arguments and not (said.ladder and said.offload):
        words = " ".join(said.arguments)
        raise typer.BadParameter(f"got unexpected extra argument(s) ({words})")
    kind = _climb if said.ladder else _build_chip if said.platform is not None else _build_kernel
    kind(said, program.given(), report, as_json)


def _build_chip(said: BuildOptions, given: Given, report: Path | None, as_json: bool) -> None:
    """A chip with an application in its memory."""
    alone = {"--top": said.top, **said.of_one_function, "--clock-ns": said.clock_ns}
    _refuse(alone, "of a function alone, and a chip is built", "leave it out")
    assert said.platform is not None
    changes = said.changes or ()
    with asked(said.kernel, said.source, said.offload or (), given=given) as job:
        result = tandem.build_chip(
            job.application,
            job.offload,
            platform=said.platform,
            changes=changes,
            board=said.board,
            bitstream=said.bitstream,
            output=said.output,
            seed=said.seed,
            slices=said.slices,
            **said.search.building(job.given),
        )
    write_report(report, result, platform=said.platform, changes=changes)
    _show_chip(result, as_json)


def _build_kernel(said: BuildOptions, given: Given, report: Path | None, as_json: bool) -> None:
    """A function alone."""
    _refuse({"--set": said.changes}, "of a chip", "name the chip with --platform")
    if said.offload or said.bitstream:
        raise _no_chip()
    alone = _alone(said, said.top, given)
    if said.slices is not None:
        from tandem.synthesis.slices import check_family

        check_family(said.slices)
    if said.point is not None:
        _refuse(said.most, "of a search, and a point is built as it is", "leave it out")
    result = tandem.compile(
        alone.source,
        alone.top,
        clock_ns=alone.clock_ns,
        target=said.target,
        output=said.output,
        models=said.models,
        why=said.why,
        times=said.times,
        dump_ir=said.dump_ir,
        point=said.point,
        **said.search.building(alone.given),
    )
    steps = [*_measurements(said.place, said.seed, said.slices), _report_step(report)]
    if as_json:
        _show_json(result, steps)
    else:
        show_notes(result)
        _show_page(result, steps, said.why)


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
    cure = (
        "name the chip with --platform, such as --platform picorv32-chip; for the hardware of a "
        "function alone, name that with --top"
    )
    return user_error("no-platform", "a chip is built of a platform", help=cure)


@dataclass(frozen=True)
class _Alone:
    """A function that is built by itself, and the clock that it gets."""

    source: Path
    top: str
    clock_ns: float
    given: Given


def _alone(said: BuildOptions, top: str | None, given: Given) -> _Alone:
    """Raises UserError where it is not said which function of which file."""
    name, source, clock_ns = said.kernel, said.source, said.clock_ns
    if name is None:
        if source is None:
            raise _missing("source", "the C file that defines the function; or --kernel NAME")
        if top is None:
            raise _missing("--top", "the function that becomes hardware")
        return _Alone(source, top, CLOCK_NS if clock_ns is None else clock_ns, given)
    _refuse({"--top": top}, "the name of a function, as --kernel is", "give one of the two")
    kernel = find_kernel(name)
    clock_ns = kernel.clock_ns if clock_ns is None else clock_ns
    return _Alone(source or kernel.source, name, clock_ns, with_kernel(kernel, given))


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


def _climb(said: BuildOptions, given: Given, report: Path | None, as_json: bool) -> None:
    """A ladder, and what it tells."""
    one = {**said.of_one_function, "--bitstream": said.bitstream, "--set": said.changes}
    one |= said.most
    _refuse(one, "of one kernel, and a ladder has many", "build a step's point with --point")
    alone = _alone(said, _of_ladder(said.top, said.offload or (), said.kernel), given)
    if said.offload is None:
        where = {"--platform": said.platform}
        _refuse(where, "where software runs", "name the function by --offload")
    chosen = {} if said.platform is None else {"platform": said.platform}
    result = tandem.ladder(
        alone.source,
        alone.top,
        arguments=None if said.offload is None else said.arguments or (),
        **chosen,
        clock_ns=alone.clock_ns,
        target=said.target,
        optimise=said.search.optimise,
        budget_s=said.search.budget,
        output=said.output,
        slices=said.slices,
        given=alone.given,
    )
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
