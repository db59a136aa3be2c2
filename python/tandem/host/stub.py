# SPDX-License-Identifier: Apache-2.0
"""The C stubs that take the place of offloaded functions. A stub has the function's signature, runs
the function itself on the caller's own arguments, and tells the engine before and after.

All names in it are ours: `tandem_kernel0`, ... for the stubs and `tandem_original0`, ... for the
functions, whatever the user's are called. For the linker, and so in what it and debuggers tell, a
function has its own name and `.original`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from tandem.frontend.program import MAIN
from tandem.host.exits import EXIT_FAILED_CALL
from tandem.ir.argument import Argument, ArgumentKind, Part
from tandem.ir.kernel import Kernel
from tandem.ir.processes import has_polls
from tandem.models.c_interface import c_result, call, prototype

EMBEDDED = ("manifest.json", "ahead.so", "rtl.so")

_HEAD = f"""#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tandem.h"

static void tandem_failed(void)
{{
    fflush(NULL);
    fprintf(stderr, "tandem: %s\\n", tandem_error());
    tandem_close();
    exit({EXIT_FAILED_CALL});
}}
"""


_ANSWERED = (
    """
        const struct tandem_known_ known = tandem_known_;
        tandem_known_ = (struct tandem_known_){0};
        tandem_known_.processes =
            (const struct tandem_answers_ *)tandem_answers(&state, &tandem_known_.count);""",
    """
        tandem_known_ = known;""",
)
"""What a stub does around a function that polls: each process gets the hardware's answers."""


def stub_name(number: int) -> str:
    """What calls of the offloaded function `number` go to."""
    return f"tandem_kernel{number}"


def _label(kernel: Kernel) -> str:
    """What the linker is to call a stub otherwise: nobody calls `main` but the system."""
    return ' __asm__("main")' if kernel.name == MAIN else ""


def original_symbol(name: str) -> str:
    """What the C function itself is called in the executable."""
    return f"{name}.original"


def _original(number: int) -> str:
    """What the stubs' C calls it."""
    return f"tandem_original{number}"


def package_link(number: int) -> str:
    """Where, beside the stubs' C, the package of kernel `number` is found."""
    return f"package{number}"


def stubs_c(kernels: Sequence[Kernel], platform: Path | None = None) -> str:
    """The stubs, with the packages' files inside them. `platform`: the file that counts where the
    environment names none."""
    default = [] if platform is None else [_default_platform(platform)]
    polling = any(map(has_polls, kernels))
    streams = ['#include "tandem/stream.h"'] if polling else []
    return "\n".join(
        [_HEAD, *streams, *default, *(_stub(kernel, n) for n, kernel in enumerate(kernels))]
    )


def _default_platform(platform: Path) -> str:
    path = "".join(f"\\x{byte:02x}" for byte in os.fsencode(platform.resolve()))
    return f"""__attribute__((constructor)) static void tandem_default_platform(void)
{{
    setenv("TANDEM_PLATFORM", "{path}", 0);
}}
"""


def _stub(kernel: Kernel, number: int) -> str:
    files = "".join(
        f"static const unsigned char tandem_file{number}_{i}[] = {{\n"
        f'#embed "{package_link(number)}/{name}"\n}};\n'
        for i, name in enumerate(EMBEDDED)
    )
    rows = ",\n    ".join(
        f'{{"{name}", tandem_file{number}_{i}, sizeof tandem_file{number}_{i}}}'
        for i, name in enumerate(EMBEDDED)
    )
    return f"""{files}static const tandem_file tandem_files{number}[] = {{
    {rows}}};
static const tandem_package tandem_package{number} = {{
    TANDEM_ABI_VERSION, {len(EMBEDDED)}, tandem_files{number}}};

{prototype(kernel, _original(number))} __asm__({json.dumps(original_symbol(kernel.name))});
{_variables(kernel, number)}

{_function(kernel, number)}"""


def _function(kernel: Kernel, number: int) -> str:
    returns = c_result(kernel) != "void"
    count = len(kernel.arguments)
    data = ", ".join(_address(kernel, number, i) for i in range(count)) or "0"
    declared = f"    {c_result(kernel)} result = 0;\n" if returns else ""
    declared += "".join(_found(kernel, i, a, number) for i, a in enumerate(kernel.arguments))
    declared += "".join(_told(kernel, i, a, number) for i, a in enumerate(kernel.arguments))
    result = "result = " if returns else ""
    returned = "    return result;\n" if returns else ""
    before, after = _ANSWERED if has_polls(kernel) else ("", "")
    return f"""{prototype(kernel, stub_name(number))}{_label(kernel)};
{prototype(kernel, stub_name(number))}
{{
{declared}    void *const data[] = {{{data}}};
    tandem_entry state;
    int status = tandem_enter(&state, &tandem_package{number}, data, {count});
    if (status < 0)
        tandem_failed();
    do {{{before}
        {result}{call(kernel, _original(number))};{after}
    }} while ((status = tandem_leave(&state)) > 0);
    if (status < 0)
        tandem_failed();
{returned}}}
"""


def _variables(kernel: Kernel, number: int) -> str:
    """Declarations of the program's variables under names of ours."""
    return "\n".join(
        f"extern char {_variable(number, i)}[] __asm__({json.dumps(a.variable.symbol)});"
        for i, a in enumerate(kernel.arguments)
        if a.variable is not None
    )


def _variable(number: int, position: int) -> str:
    return f"tandem_variable{number}_{position}"


def _found(kernel: Kernel, position: int, argument: Argument, number: int) -> str:
    """The pointer in a field, which the engine reads: the program may never do so."""
    if argument.field is None:
        return ""
    parent = kernel.argument(argument.field.parent)
    address = _address(kernel, number, kernel.arguments.index(parent))
    return f"    void *const a{position} = tandem_field({address}, {argument.field.offset});\n"


def _told(kernel: Kernel, position: int, argument: Argument, number: int) -> str:
    """What is told of another argument: as a `_Bool`, whether it is not null, else where it is."""
    if not argument.tells_of:
        return ""
    told = kernel.argument(argument.tells_of)
    address = _address(kernel, number, kernel.arguments.index(told))
    return f"    const {argument.c_type} a{position} = ({argument.c_type})(uintptr_t){address};\n"


def _address(kernel: Kernel, number: int, position: int) -> str:
    argument = kernel.arguments[position]
    if argument.variable is not None:
        return _variable(number, position)
    if argument.is_result:
        return "&result"
    if argument.part is not None:
        return _inside(kernel, number, argument.part)
    if argument.joins or argument.made:
        return "0"  # the engine makes it of its parts, or finds it when the call has made it
    return f"(void *)&a{position}" if argument.kind is ArgumentKind.SCALAR else f"a{position}"


def _inside(kernel: Kernel, number: int, part: Part) -> str:
    """Where a member of a struct is; null where there is no struct."""
    parent = kernel.argument(part.parent)
    address = _address(kernel, number, kernel.arguments.index(parent))
    place = f"(void *)((char *){address} + {part.offset})"
    return place if parent.variable is not None else f"({address} ? {place} : 0)"
