# SPDX-License-Identifier: Apache-2.0
"""The C stub that takes the place of an offloaded function: same name, same signature."""

from __future__ import annotations

from pathlib import Path

from tandem.ir.kernel import Argument, Kernel
from tandem.models.shared_objects import prototype, trampoline
from tandem.package import element_bytes

ORIGINAL = "tandem_original_of_"
"""Prefix of the C function itself, which the executable keeps: native mode runs it."""

EMBEDDED = ("manifest.json", "native.so", "rtl.so")
EXIT_FAILED_CALL = 70  # EX_SOFTWARE of sysexits.h


def stub_c(kernel: Kernel, package: Path) -> str:
    """The stub, with the package's files inside it."""
    return "\n".join(
        [
            '#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n#include "tandem.h"\n',
            *[_embedded(package, i, name) for i, name in enumerate(EMBEDDED)],
            _package(),
            f"{prototype(kernel, ORIGINAL + kernel.name)};\n",
            "static void tandem_original(void *const data[])\n{\n    (void)data;\n"
            f"    {trampoline(kernel, ORIGINAL + kernel.name)}\n}}\n",
            _overlap_function(),
            _stub_function(kernel),
        ]
    )


def _embedded(package: Path, number: int, name: str) -> str:
    return (
        f"static const unsigned char tandem_file{number}[] = {{\n"
        f'#embed "{(package / name).resolve()}"\n}};\n'
    )


def _package() -> str:
    rows = ",\n    ".join(
        f'{{"{name}", tandem_file{i}, sizeof tandem_file{i}}}' for i, name in enumerate(EMBEDDED)
    )
    return (
        f"static const tandem_file tandem_files[] = {{\n    {rows}}};\n"
        "static const tandem_package tandem_this = "
        f"{{TANDEM_ABI_VERSION, {len(EMBEDDED)}, tandem_files}};\n"
    )


def _overlap_function() -> str:
    return """static int tandem_overlap(const tandem_argument *a, const tandem_argument *b,
                          int same_ok)
{
    uintptr_t p = (uintptr_t)a->data, q = (uintptr_t)b->data;
    if (p == q && same_ok)
        return 0;
    return p < q + b->bytes && q < p + a->bytes;
}
"""


def _stub_function(kernel: Kernel) -> str:
    rows = [_argument_row(a) for a in kernel.arguments]
    result = next((a for a in kernel.arguments if a.is_result), None)
    declared = f"    {result.c_type} {result.name} = 0;\n" if result else ""
    returned = f"    return {result.name};\n" if result else ""
    array = ",\n        ".join(rows) or "{0, 0}"
    return f"""{prototype(kernel, kernel.name)}
{{
{declared}    const tandem_argument tandem_arguments[] = {{
        {array}}};
    int tandem_status;
    if ({_overlap_condition(kernel)})
        tandem_status = tandem_call_on_host(&tandem_this, tandem_arguments, {len(rows)},
                                            tandem_original, "its buffers overlap");
    else
        tandem_status = tandem_call(&tandem_this, tandem_arguments, {len(rows)},
                                    tandem_original);
    if (tandem_status < 0) {{
        fflush(NULL);
        fprintf(stderr, "tandem: %s\\n", tandem_error());
        tandem_close();
        exit({EXIT_FAILED_CALL});
    }}
{returned}}}
"""


def _argument_row(argument: Argument) -> str:
    if argument.kind == "scalar":
        return f"{{(void *)&{argument.name}, {element_bytes(argument)}}}"
    return f"{{(void *){argument.name}, {argument.extent_bytes}}}"


def _overlap_condition(kernel: Kernel) -> str:
    """Two buffers of which one is written must not overlap: the device has copies of them. Streams
    of which all of a record is read before any of it is written may be the same buffer."""
    tests = []
    pointers = [(i, a) for i, a in enumerate(kernel.arguments) if a.kind != "scalar"]
    for n, (i, a) in enumerate(pointers):
        for j, b in pointers[n + 1 :]:
            if a.direction == b.direction == "in":
                continue
            fine = int((a.name, b.name) in kernel.in_place or (b.name, a.name) in kernel.in_place)
            tests.append(f"tandem_overlap(&tandem_arguments[{i}], &tandem_arguments[{j}], {fine})")
    return " ||\n        ".join(tests) or "0"
