# SPDX-License-Identifier: Apache-2.0
"""The package: a folder with all that a run of a kernel needs. docs/package.md describes it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tandem.compiler import Compiled
from tandem.diagnostics import Place, UserError, user_error
from tandem.installation import tandem_version
from tandem.ir.formula import formula
from tandem.ir.kernel import Argument, Kernel
from tandem.ir.printer import print_kernel
from tandem.models.ahead import DECLARATIONS, scalar_bytes
from tandem.models.shared_objects import build_native, build_rtl
from tandem.report.schedule import schedule_json
from tandem.rtl.circt import to_verilog

FORMAT, FORMAT_VERSION = "tandem-package", 2
FILES = ("kernel.sv", "kernel.ir", "timing.json", "driver.h", "native.so", "rtl.so")


@contextmanager
def complete_or_absent(path: Path) -> Iterator[Path]:
    """A folder to fill; it takes its name only when it is full, and goes if anything fails.

    Raises UserError when the disk is full or the place cannot be written."""
    work = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
        yield work
        if path.is_dir():
            shutil.rmtree(path)
        work.rename(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)


def cannot_write(path: Path, error: OSError) -> UserError:
    """What is said when a file or folder cannot be written."""
    return user_error(
        "cannot-write",
        f"cannot write: {error.strerror or error}",
        Place(str(path)),
        "free some space there, or choose another place with -o or $TMPDIR",
    )


def write_package(compiled: Compiled, path: Path) -> Path:
    """Builds every file of the package into the folder `path`, replacing what was there."""
    with complete_or_absent(path) as folder, tempfile.TemporaryDirectory(prefix="tandem-") as work:
        schedule, hardware = compiled.schedule, compiled.hardware
        (folder / "kernel.sv").write_text(to_verilog(hardware.verilog_text))
        (folder / "kernel.ir").write_text(print_kernel(compiled.kernel))
        (folder / "timing.json").write_text(json.dumps(schedule_json(schedule), indent=1))
        (folder / "driver.h").write_text(_driver_h(compiled))
        build_native(schedule, hardware, compiled.function_ir, folder, Path(work))
        build_rtl(schedule, hardware, folder, Path(work))
        (folder / "manifest.json").write_text(json.dumps(_manifest(compiled, folder), indent=2))
    return path


def _manifest(compiled: Compiled, folder: Path) -> dict[str, Any]:
    schedule = compiled.schedule
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "tandem_version": tandem_version(),
        "kernel": compiled.kernel.name,
        "target": schedule.target.name,
        "clock_ps": schedule.clock_ps,
        "ii": schedule.ii,
        "latency_cycles": schedule.latency_cycles,
        "arguments": _argument_rows(compiled.kernel.arguments),
        "in_place": _in_place_names(compiled.kernel),
        "files": {name: _fingerprint(folder / name) for name in FILES},
        "sources": {
            s.name: hashlib.sha256(s.read_bytes()).hexdigest() for s in compiled.program.paths
        },
        "tools": {n: importlib.metadata.version(n) for n in ("pycde", "llvmlite", "ziglang")},
    }


def _argument_rows(arguments: list[Argument]) -> list[dict[str, Any]]:
    return [
        {
            "name": a.name,
            "kind": a.kind,
            "direction": a.direction,
            "element_bytes": element_bytes(a),
            "reads": a.reads and a.direction != "out",
            "extent": "exact" if a.kind == "scalar" else a.extent.source,
            "extent_bytes": extent_text(a),
        }
        for a in arguments
    ]


def extent_text(argument: Argument) -> str:
    """The bytes of a call for people: a formula over the parameters, or empty where only the call
    tells."""
    if argument.kind == "scalar":
        return str(element_bytes(argument))
    claim = argument.extent.claim
    return formula(claim) if claim is not None else ""


def _in_place_names(kernel: Kernel) -> list[list[str]]:
    names = {a.memory.name: a.name for a in kernel.arguments if a.memory is not None}
    return sorted([names[read], names[written]] for read, written in kernel.in_place)


def element_bytes(argument: Argument) -> int:
    """Bytes of a record, of a memory's element, or of the whole value."""
    if argument.memory is not None:
        return argument.memory.element_bits // 8
    if argument.kind == "block":
        return argument.width // 8
    return scalar_bytes(argument)


def _fingerprint(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _driver_h(compiled: Compiled) -> str:
    kernel = compiled.kernel
    rows = "\n".join(
        f" *   data[{i}]: {a.name}, {a.kind} {a.direction}, {extent_text(a) or '?'} bytes"
        for i, a in enumerate(kernel.arguments)
    )
    return f"""/* The C interface of native.so and rtl.so of `{kernel.name}`; see docs/package.md.
 *
{rows}
 */
#include <stdint.h>

void tandem_native(void *const data[]);
{DECLARATIONS}
uint64_t tandem_rtl_state_bytes(void);
void tandem_rtl_start(void *state, void *const data[], const uint64_t bytes[],
                      const uint32_t intervals[]);
int tandem_rtl_run(void *state, uint64_t cycles);
uint64_t tandem_rtl_cycles(const void *state);
"""


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a package folder, its files checked against it.

    Raises UserError for a package of another version, cut short or changed."""
    place = Place(str(path / "manifest.json"))
    again = "build the package again with `tandem build`"
    try:
        manifest = json.loads((path / "manifest.json").read_text())
        if (manifest["format"], manifest["format_version"]) != (FORMAT, FORMAT_VERSION):
            raise user_error(
                "package-version", f"not a package of format version {FORMAT_VERSION}", place, again
            )
        if manifest["tandem_version"] != tandem_version():
            made = manifest["tandem_version"]
            raise user_error(
                "package-version",
                f"made by Tandem {made}, this is {tandem_version()}",
                place,
                again,
            )
        for name, wanted in manifest["files"].items():
            if _fingerprint(path / name) != wanted:
                raise user_error(
                    "package-damaged", f"`{name}` is cut short or has been changed", place, again
                )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise user_error(
            "package-damaged", f"the package is incomplete: {error}", place, again
        ) from error
    return manifest
