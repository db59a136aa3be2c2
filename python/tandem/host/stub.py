# SPDX-License-Identifier: Apache-2.0
"""The C stubs that take the place of offloaded functions. A stub has the function's signature, runs
the function itself on the caller's own arguments, and tells the engine before and after.

All names are ours: `tandem_kernel0`, ... for the stubs and `tandem_original0`, ... for the
functions, whatever the user's are called.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tandem.host.launch import EXIT_FAILED_CALL
from tandem.ir.kernel import Argument, Kernel
from tandem.models.c_interface import c_result, call, prototype

EMBEDDED = ("manifest.json", "native.so", "rtl.so")

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


def stub_name(number: int) -> str:
    """What calls of the offloaded function `number` go to."""
    return f"tandem_kernel{number}"


def original_name(number: int) -> str:
    """What the C function itself is called in the executable."""
    return f"tandem_original{number}"


def package_link(number: int) -> str:
    """Where, beside the stubs' C, the package of kernel `number` is found."""
    return f"package{number}"


def stubs_c(kernels: Sequence[Kernel], platform: Path | None = None) -> str:
    """The stubs, with the packages' files inside them. `platform`: the file that counts where the
    environment names none."""
    default = [] if platform is None else [_default_platform(platform)]
    return "\n".join([_HEAD, *default, *(_stub(kernel, n) for n, kernel in enumerate(kernels))])


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

{prototype(kernel, original_name(number))};

{_function(kernel, number)}"""


def _function(kernel: Kernel, number: int) -> str:
    returns = c_result(kernel) != "void"
    data = ", ".join(_address(i, a) for i, a in enumerate(kernel.arguments)) or "0"
    declared = f"    {c_result(kernel)} result = 0;\n" if returns else ""
    result = "result = " if returns else ""
    returned = "    return result;\n" if returns else ""
    return f"""{prototype(kernel, stub_name(number))}
{{
{declared}    void *const data[] = {{{data}}};
    tandem_call state;
    int status = tandem_enter(&state, &tandem_package{number}, data, {len(kernel.arguments)});
    if (status < 0)
        tandem_failed();
    do
        {result}{call(kernel, original_name(number))};
    while ((status = tandem_leave(&state)) > 0);
    if (status < 0)
        tandem_failed();
{returned}}}
"""


def _address(position: int, argument: Argument) -> str:
    if argument.is_result:
        return "&result"
    return f"&a{position}" if argument.kind == "scalar" else f"a{position}"
