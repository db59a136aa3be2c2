# SPDX-License-Identifier: Apache-2.0
"""What several functions of the interface are asked, each said once: its type, its meaning and
what holds where nothing is said."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar, get_type_hints

from tandem.compiler.room import BUDGET_S, UNLIMITED, Room
from tandem.diagnostics import Place, user_error
from tandem.installation import DEFAULT_PLATFORM
from tandem.languages.discovery import Given
from tandem.languages.impulse.offload import with_network

if TYPE_CHECKING:
    from tandem.host.prepare import Job

LEAST_CLOCK_NS, MOST_CLOCK_NS = 0.01, 1e6

AnyPath = str | os.PathLike[str]
Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


class Building(TypedDict, total=False):
    """How kernels are built. `optimise`: the name of a goal; `room`: what each may take at most;
    `budget_s`: seconds after which no further way to build one is tried; `given`: what is said of
    the program beside its main file."""

    optimise: str
    room: Room | None
    budget_s: float
    given: Given | None


class Running(Building, total=False):
    """And what they run on. `changes`: what shall be otherwise than the platform says, such as
    "link.bandwidth=100MB/s"; `clock_ns`: the kernels' clock period, None for the platform's."""

    platform: str
    changes: Sequence[str]
    clock_ns: float | None


DEFAULTS: Running = {
    "optimise": "balanced",
    "room": None,
    "budget_s": BUDGET_S,
    "given": None,
    "platform": DEFAULT_PLATFORM,
    "changes": (),
    "clock_ns": None,
}


def with_defaults(asked: Building | Running) -> dict[str, Any]:
    """What is asked, with what holds where nothing is said."""
    return {**DEFAULTS, **asked}


def takes(
    kind: type[Building],
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Has the options of a kind stand in the signature of a function that takes them as one, and
    be there with what holds where nothing is said."""
    asked = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=DEFAULTS[name], annotation=annotation)
        for name, annotation in get_type_hints(kind).items()
    ]

    def decorated(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        own = signature(function)
        *parameters, _ = own.parameters.values()
        whole = own.replace(parameters=[*parameters, *asked])

        @wraps(function)
        def called(*values: Parameters.args, **named: Parameters.kwargs) -> Returned:
            said = whole.bind(*values, **named)
            said.apply_defaults()
            return function(*said.args, **said.kwargs)

        called.__signature__ = whole  # pyright: ignore
        return called

    return decorated


def clock_ps(clock_ns: float) -> int:
    """A clock period in picoseconds. Raises UserError for one that no circuit has."""
    if not (math.isfinite(clock_ns) and LEAST_CLOCK_NS <= clock_ns <= MOST_CLOCK_NS):
        raise user_error(
            "clock",
            f"a clock period of {clock_ns:g} ns",
            help=f"give --clock-ns a number from {LEAST_CLOCK_NS:g} to {MOST_CLOCK_NS:g}",
        )
    return round(clock_ns * 1000)


def job_of(application: AnyPath, offload: str | Sequence[str], asked: Running, **more: Any) -> Job:
    """What is to be built for an application. `more`: of the members of a `Job`. Raises UserError
    where no function is named, and for a clock that no circuit has."""
    from tandem.host.prepare import Job, is_executable_of_ours

    main, said = Path(application), with_defaults(asked)
    if not offload and not is_executable_of_ours(main):
        raise user_error(
            "no-function", "no function to offload", Place(str(main)), "add --offload FUNCTION"
        )
    functions = (offload,) if isinstance(offload, str) else tuple(offload)
    given, functions = with_network(main, said["given"] or Given(), functions)
    clock_ns = said["clock_ns"]
    return Job(
        main,
        functions,
        platform=said["platform"],
        changes=tuple(said["changes"]),
        given=given,
        clock_ps=None if clock_ns is None else clock_ps(clock_ns),
        optimise=said["optimise"],
        room=said["room"] or UNLIMITED,
        budget_s=said["budget_s"],
        **more,
    )
