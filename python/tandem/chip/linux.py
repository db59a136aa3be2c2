# SPDX-License-Identifier: Apache-2.0
"""Drivers for Linux UIO: the C of the chip's own drivers, with shells in a map of a device's
registers, the function's own signature, and the C function for what the shells do not serve; and
the device for a device tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tandem.chip.build import SHELL_BYTES
from tandem.chip.callee import Callee
from tandem.chip.driver import Entry, driver_c
from tandem.chip.moves import moves_c
from tandem.chip.refusals import Bounds, is_only_bound
from tandem.rtl.keywords import CPLUSPLUS, SYSTEMVERILOG

HEADER, SOURCE, DEVICE_TREE = "tandem_drivers.h", "tandem_drivers.c", "tandem.dtsi"
ORIGINAL = "tandem_original_"
UIO_NAME = "tandem"
"""As in library/chip/drivers.py."""

_CURES = {"(char)-1 > 0": ", or compile with -funsigned-char"}

_HEADER = f"""/* Drivers of kernels in shells on a chip, for Linux UIO. Each function below
 * stands in the place of the C function of its name: link {SOURCE} with the application.
 *
 * A call that a shell has no room for, whose arrays overlap in a way that would matter, or
 * without a device, the C function serves. So it is linked too, under another name:
 *
{{compiled}}
 * for the file that defines it. Callers in that file stay with the C function; those in others
 * come to the driver. A function's shell serves one call at a time, of one process.
 */
#ifndef TANDEM_DRIVERS_H
#define TANDEM_DRIVERS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {{{{
#endif

/* Maps the registers of a UIO device: of `device` (a file as /dev/uio0); if that is NULL, of
 * $TANDEM_UIO, or of the device that is called `{UIO_NAME}` ({DEVICE_TREE}). The first call of a
 * driver does so with NULL. 0, or an errno. */
int tandem_open(const char *device);

{{tags}}{{prototypes}}
#ifdef __cplusplus
}}}}
#endif
#endif
"""

_SOURCE = f"""/* See {HEADER}. For clang, or GCC of version 14 and later: numbers of any width are
 * computed with _BitInt. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "{HEADER}"
"""

_DEVICE = f"""
/* The registers of all shells, once they are mapped. */
enum {{{{ TANDEM_BYTES = {{size}}, TANDEM_PATH = 300 }}}};
static unsigned char *tandem_registers;

/* A line of what the system tells of a device; empty if it tells nothing. */
static void tandem_told(const char *device, const char *what, char line[TANDEM_PATH])
{{{{
    char path[TANDEM_PATH];
    FILE *file;
    line[0] = 0;
    snprintf(path, sizeof path, "/sys/class/uio/%.100s/%s", device, what);
    file = fopen(path, "r");
    if (!file)
        return;
    if (fgets(line, TANDEM_PATH, file))
        line[strcspn(line, "\\n")] = 0;
    fclose(file);
}}}}

/* The file of the device with our name; empty if there is none. */
static void tandem_find(char path[TANDEM_PATH])
{{{{
    char name[TANDEM_PATH];
    DIR *const devices = opendir("/sys/class/uio");
    path[0] = 0;
    if (!devices)
        return;
    for (const struct dirent *one; !path[0] && (one = readdir(devices));) {{{{
        tandem_told(one->d_name, "name", name);
        if (strcmp(name, "{UIO_NAME}") == 0)
            snprintf(path, TANDEM_PATH, "/dev/%.100s", one->d_name);
    }}}}
    closedir(devices);
}}}}

int tandem_open(const char *device)
{{{{
    char found[TANDEM_PATH], line[TANDEM_PATH];
    size_t first;
    void *map;
    int file, status;
    if (!device)
        device = getenv("TANDEM_UIO");
    if (!device) {{{{
        tandem_find(found);
        device = found;
    }}}}
    file = open(device, O_RDWR | O_SYNC);
    if (file < 0)
        return errno;
    /* Maps begin where a page does, registers behind. */
    tandem_told(strrchr(device, '/') ? strrchr(device, '/') + 1 : device, "maps/map0/offset", line);
    first = strtoul(line, NULL, 16);
    map = mmap(NULL, first + TANDEM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    status = map == MAP_FAILED ? errno : 0;
    close(file);
    if (!status)
        tandem_registers = (unsigned char *)map + first;
    return status;
}}}}

/* A kernel's shell; NULL without a device. */
static tandem_shell tandem_shell_at(size_t offset)
{{{{
    static int has_tried;
    if (!tandem_registers && !has_tried) {{{{
        const int status = tandem_open(NULL);
        has_tried = 1;
        if (status)
            fprintf(stderr, "tandem: no UIO device: %s; the C functions serve all calls\\n",
                    strerror(status));
    }}}}
    return tandem_registers ? (tandem_shell)(void *)(tandem_registers + offset) : NULL;
}}}}
"""

_DEVICE_TREE = f"""/* The shells' registers as a UIO device, where addresses and sizes have one
 * cell. Linux takes it with uio_pdrv_genirq.of_id=generic-uio on its command line. */
/ {{{{
    {UIO_NAME}@{{base:x}} {{{{
        compatible = "generic-uio";
        linux,uio-name = "{UIO_NAME}";
        reg = <{{base:#x}} {{size:#x}}>;
    }}}};
}}}};
"""


def no_driver(callee: Callee) -> str:
    """Why a kernel has no driver for Linux; empty if it has one."""
    if callee.kernel.name.startswith("tandem_"):
        return "names that begin with `tandem_` are the drivers' own"
    if callee.signature.is_cxx:
        return "it is C++, and the drivers for Linux are C"
    if callee.signature.is_local:
        return "it is static, so that no other file can call it"
    for argument, kind in zip(callee.kernel.arguments, callee.types(), strict=True):
        if kind is None:
            return f"it uses the variable `{argument.name}`, which no other file can name"
        if is_only_bound(argument):
            return (
                f"how much of `{argument.name}` a call uses is not known before it: say so above "
                f"the function, `#pragma tandem extent({argument.name}, BYTES)`"
            )
    return ""


def linux_files(
    callees: Sequence[Callee], base: int, size: int, window_bytes: int, protocol: str
) -> dict[str, str]:
    """The files of the folder, by name. `base`, `size`: the first address of the shells, and how
    many bytes they have; `window_bytes`: what a shell has for each array; `protocol`: how shells
    are asked.

    Raises UserError for an argument that no shell can hold."""
    bounds = Bounds(window_bytes, None)
    drivers = [driver_c(c.kernel, c.number, _entry(c), bounds, False) for c in callees]
    conditions = [line for callee in callees for line in _conditions(callee)]
    parts = [_SOURCE + moves_c(protocol, False), _DEVICE.format(size=size), *conditions, *drivers]
    return {
        HEADER: _header(callees),
        SOURCE: "\n".join(parts),
        DEVICE_TREE: _DEVICE_TREE.format(base=base, size=size),
    }


def _header(callees: Sequence[Callee]) -> str:
    kinds = [kind for callee in callees for kind in callee.types() if kind]
    tags = dict.fromkeys(tag for kind in kinds for tag in kind.tags)
    names = [callee.kernel.name for callee in callees]
    return _HEADER.format(
        compiled="".join(f" *     -D{name}={ORIGINAL}{name}\n" for name in names) + " *",
        tags="".join(f"{tag};\n" for tag in tags),
        prototypes="".join(f"{_own(callee)};\n" for callee in callees),
    )


def _own(callee: Callee) -> str:
    """The function as its file declares it."""
    names = [a.name for a in callee.kernel.arguments if a.is_parameter]
    # The header is for C++ too, of whose words that list lacks those that Verilog has as well.
    words = CPLUSPLUS | SYSTEMVERILOG
    spelled = [f"{name}_" if name in words else name for name in names]
    return _prototype(callee, callee.kernel.name, spelled)


def _prototype(callee: Callee, name: str, names: Sequence[str]) -> str:
    pairs = zip(callee.signature.parameters, names, strict=True)
    parameters = ", ".join(kind.declared(one) for kind, one in pairs) or "void"
    result = callee.signature.result
    head = f"{name}({parameters})"
    return f"void {head}" if result is None else result.declared(head)


def _entry(callee: Callee) -> Entry:
    name, result = callee.kernel.name, callee.signature.result
    names = [f"a{i}" for i, a in enumerate(callee.kernel.arguments) if a.is_parameter]
    original = f"{ORIGINAL}{name}"
    return Entry(
        f"tandem_shell_at({SHELL_BYTES * callee.number})",
        _prototype(callee, name, names),
        "void" if result is None else result.declared(""),
        original,
        f"{_prototype(callee, original, names)};",
        ("!shell",),
    )


def _conditions(callee: Callee) -> Iterator[str]:
    """That what the kernel holds is what this machine's C has."""
    for argument, kind in zip(callee.kernel.arguments, callee.types(), strict=True):
        for condition in kind.conditions if kind else ():
            text = (
                f"`{argument.name}` of `{callee.kernel.name}` is another type for the chip's core: "
                f"give it one of <stdint.h>{_CURES.get(condition, '')}"
            )
            yield f'_Static_assert({condition}, "{text}");'
