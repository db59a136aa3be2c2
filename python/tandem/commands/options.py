# SPDX-License-Identifier: Apache-2.0
"""The options that several commands share, each declared once."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from tandem.commands import values
from tandem.compiler.room import BUDGET_S, Room
from tandem.diagnostics import user_error
from tandem.installation import DEFAULT_PLATFORM, IS_DEFAULT
from tandem.languages.compile_commands import own_flags
from tandem.languages.discovery import Given
from tandem.library.asked import Asked, asked

if TYPE_CHECKING:
    from tandem.interface.options import Building, Running

PANEL = "The program"

Source = Annotated[Path, typer.Argument(help="the C file that defines the function")]
Kernel = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=values.kernels,
        help="offload this kernel of the library (`tandem list kernels`), whose C and header need "
        "not be the application's; without an application one is made, which checks known answers",
    ),
]
Units = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="of --kernel alone: how many blocks or numbers the kernel is given"
    ),
]
Family = Annotated[
    str,
    typer.Option(help="FPGA family, see `tandem list targets`", autocompletion=values.targets),
]
OtherFamily = Annotated[
    str | None,
    typer.Option(
        help="FPGA family that kernels are scheduled for in the place of the platform's, see "
        "`tandem list targets`",
        autocompletion=values.targets,
    ),
]
Clock = Annotated[float, typer.Option(help="clock period")]
Application = Annotated[Path, typer.Argument(help="the application's main C file")]
MadeApplication = Annotated[
    Path | None, typer.Argument(help="the application's main C file; --kernel can do without")
]
Arguments = Annotated[list[str] | None, typer.Argument(help="its arguments, after --")]
Offload = Annotated[
    list[str] | None,
    typer.Option(help="a function that becomes hardware; several: once for each"),
]
Platform = Annotated[
    str, typer.Option(help="a platform's name or file", autocompletion=values.platforms)
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="COMPONENT.NUMBER=VALUE",
        help="what if the platform were otherwise, for example link.bandwidth=100MB/s; several: "
        "once for each",
    ),
]
KernelClock = Annotated[
    float | None, typer.Option(help="the kernel's clock period, else the platform's")
]
Optimise = Annotated[
    str,
    typer.Option(
        autocompletion=values.goals,
        help="time, balanced or area: what copies of a loop's body may cost for what they gain",
    ),
]
MaxLut4 = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="look-up tables that a kernel may take")
]
MaxFf = Annotated[int | None, typer.Option(min=1, metavar="N", help="flip-flops the same")]
MaxDsp = Annotated[int | None, typer.Option(min=0, metavar="N", help="multiplier blocks the same")]
Budget = Annotated[
    float,
    typer.Option(
        min=0, metavar="SECONDS", help="after which no further way to build a kernel is tried"
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="write a page that shows the result, *.html, or *.json: its data"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print the result as JSON")]


@dataclass(frozen=True)
class Group:
    """Options that go together, with their values as a command got them."""


@dataclass(frozen=True)
class ProgramOptions(Group):
    """The options that say what the program is."""

    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--source",
            metavar="FILE",
            help="a C file of the program; with it, none is found by its header",
            rich_help_panel=PANEL,
        ),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option("-I", metavar="DIR", help="folder of headers", rich_help_panel=PANEL),
    ] = None
    define: Annotated[
        list[str] | None,
        typer.Option("-D", metavar="NAME[=VALUE]", help="define a macro", rich_help_panel=PANEL),
    ] = None
    cflags: Annotated[
        str, typer.Option("--cflags", help="flags for the C compiler", rich_help_panel=PANEL)
    ] = ""
    library: Annotated[
        list[str] | None,
        typer.Option("-l", metavar="LIB", help="link with a library", rich_help_panel=PANEL),
    ] = None
    library_folder: Annotated[
        list[str] | None,
        typer.Option("-L", metavar="DIR", help="folder of libraries", rich_help_panel=PANEL),
    ] = None
    compile_commands: Annotated[
        Path | None,
        typer.Option(
            "--compile-commands",
            metavar="PATH",
            help="a compile_commands.json, or its folder: the flags of each file",
            rich_help_panel=PANEL,
        ),
    ] = None
    directives: Annotated[
        list[str] | None,
        typer.Option(
            "--directive",
            metavar="PLACE: DIRECTIVE",
            help="what `#pragma tandem` would say of a loop (FILE:LINE, LABEL), a function or an "
            "array",
            rich_help_panel=PANEL,
        ),
    ] = None
    directive_files: Annotated[
        list[Path] | None,
        typer.Option(
            "--directives", metavar="FILE", help="TOML with such rows", rich_help_panel=PANEL
        ),
    ] = None

    def given(self) -> Given:
        """What they say of a program. Raises UserError for flags that cannot be taken apart."""
        try:
            words = shlex.split(self.cflags)
        except ValueError as error:
            raise user_error(
                "flags", f"cannot read --cflags {self.cflags!r}: {error}", help="close the quotes"
            ) from error
        includes = [w for folder in self.include or [] for w in ("-I", folder)]
        defines = [f"-D{name}" for name in self.define or []]
        return Given(
            tuple(self.sources or ()),
            (*own_flags(words, Path(), None), *includes, *defines),
            (
                *(f"-L{folder}" for folder in self.library_folder or []),
                *(f"-l{name}" for name in self.library or []),
            ),
            self.compile_commands,
            tuple(self.directives or ()),
            tuple(self.directive_files or ()),
        )


def changed(platform: str, changes: list[str] | None, target: str | None) -> list[str]:
    """The changes of a platform, with that of its kernels' family."""
    if target is None:
        return changes or []
    from tandem.platforms.engine import find_platform, is_chip

    component = "chip" if is_chip(find_platform(platform)) else "device"
    return [*(changes or []), f"{component}.target={target}"]


@dataclass(frozen=True)
class Subject(Group):
    """What is run: an application, or one that is made for a kernel of the library."""

    application: MadeApplication = None
    arguments: Arguments = None
    offload: Offload = None
    kernel: Kernel = None
    units: Units = None

    def asked(self, given: Given) -> AbstractContextManager[Asked]:
        """As `tandem.library.asked.asked`, and raises as that does."""
        functions, words = self.offload or (), self.arguments or ()
        return asked(self.kernel, self.application, functions, words, given=given, units=self.units)


@dataclass(frozen=True)
class Search(Group):
    """How kernels are built."""

    optimise: Optimise = "balanced"
    max_lut4: MaxLut4 = None
    max_ff: MaxFf = None
    max_dsp: MaxDsp = None
    budget: Budget = BUDGET_S

    @property
    def room(self) -> Room:
        """What each may take."""
        return Room(self.max_lut4, self.max_ff, self.max_dsp)

    def building(self, given: Given) -> Building:
        """As functions of the interface are asked."""
        return {
            "optimise": self.optimise,
            "room": self.room,
            "budget_s": self.budget,
            "given": given,
        }


@dataclass(frozen=True)
class OnPlatform(Group):
    """Where it runs."""

    platform: Platform = DEFAULT_PLATFORM
    changes: Changes = None
    target: OtherFamily = None

    @property
    def moved(self) -> list[str]:
        """All that is to be otherwise than the platform says."""
        return changed(self.platform, self.changes, self.target)

    def running(self, search: Search, clock_ns: float | None, given: Given) -> Running:
        """As functions of the interface are asked."""
        building = search.building(given)
        return {
            "platform": self.platform,
            "changes": self.moved,
            "clock_ns": clock_ns,
            **building,
        }


def is_default(context: typer.Context, name: str) -> bool:
    """Whether nobody named the value of a parameter."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "DEFAULT"


def say_default_platform(context: typer.Context) -> None:
    """Says which platform it is where nobody named one."""
    if is_default(context, "platform"):
        print(f"platform: {DEFAULT_PLATFORM} {IS_DEFAULT}", flush=True)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of its groups, each group's where that stands; a parameter that is
    a group gets one with their values."""
    own = signature(command, eval_str=True)
    groups = {name: p.annotation for name, p in own.parameters.items() if _is_group(p.annotation)}

    @wraps(command)
    def with_options(**values: Any) -> None:
        said = {name: _of_values(group, values) for name, group in groups.items()}
        command(**values, **said)

    parameters = [
        each
        for p in own.parameters.values()
        for each in (_parameters(p.annotation) if p.name in groups else [p])
    ]
    with_options.__signature__ = own.replace(parameters=parameters)  # pyright: ignore
    return with_options


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Group)


def _parameters(group: type[Group]) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for row in fields(group):
        if _is_group(hints[row.name]):
            yield from _parameters(hints[row.name])
        else:
            yield Parameter(
                row.name,
                Parameter.KEYWORD_ONLY,
                default=row.default,
                annotation=hints[row.name],
            )


def _of_values(group: type[Group], values: dict[str, Any]) -> Group:
    """A group of what is taken out of all values of a command."""
    hints = get_type_hints(group)
    said = {
        row.name: _of_values(hints[row.name], values)
        if _is_group(hints[row.name])
        else values.pop(row.name)
        for row in fields(group)
    }
    return group(**said)
