# SPDX-License-Identifier: Apache-2.0
"""Arrays of the caller that may overlap, as directives have it: `#pragma tandem overlap(a, b)`."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.diagnostics import user_error
from tandem.frontend.directives.rewrite import Placed, said_of
from tandem.frontend.variables import source_name
from tandem.ir.argument import Argument
from tandem.ir.kernel import Groups, Kernel
from tandem.ir.processes import processes


def overlaps_of(directives: Sequence[Placed], top: str) -> Groups:
    """What directives say of a function, each argument in one group at most."""
    groups: list[dict[str, None]] = []
    for directive in said_of(top, "overlap", directives):
        found = dict.fromkeys(directive.arrays)
        meeting = [group for group in groups if group.keys() & found.keys()]
        groups = [group for group in groups if group not in meeting]
        groups.append({name: None for group in (*meeting, found) for name in group})
    return tuple(map(tuple, groups))


def check_overlaps(kernel: Kernel, directives: Sequence[Placed]) -> None:
    """Raises UserError for a directive that names what is no array of the kernel's caller, and for
    one about a function with processes, which have memories of their own."""
    arrays = [a.name for a in kernel.arguments if a.memory is not None and _has_name(a)]
    for directive in said_of(kernel.name, "overlap", directives):
        if processes(kernel):
            raise user_error(
                "pragma",
                f"`{directive.shown}`: processes of the function run beside each other, and share "
                "no array",
                directive.place,
                "leave the directive out, or the processes",
            )
        wrong = next((name for name in directive.arrays if name not in arrays), None)
        if wrong is not None:
            raise user_error(
                "pragma",
                f"`{directive.shown}`: `{wrong}` is no array that the function is given",
                directive.place,
                f"arrays are: {', '.join(arrays) or 'none'}",
            )


def _has_name(argument: Argument) -> bool:
    """Whether the source calls it something; a string's characters have no name."""
    return argument.variable is None or not source_name(argument.variable.symbol).startswith(".")
