# SPDX-License-Identifier: Apache-2.0
"""A chip's Verilog in a folder, with the program for its memories."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tandem.chip.build import Parts, link_parts, shell_bases
from tandem.chip.held import held
from tandem.chip.image import memory_contents
from tandem.chip.interconnect import PROGRAM, Shell
from tandem.chip.soc import soc_verilog, words_hex
from tandem.files import temporary_folder
from tandem.ir.kernel import Kernel
from tandem.models.cores import core_verilog
from tandem.progress import stage
from tandem.rtl.shell import shell_name, shell_verilog
from tandem.rtl.text import module_name
from tandem.synthesis.slices import kernel_slices

ELF = "program.elf"
_MODULE = re.compile(r"^\s*module\s+(\w+)", re.M)


@dataclass(frozen=True)
class Design:
    """A chip's Verilog files in a folder, by the order in which tools read them. `modules`: those
    of the core, of shells and of kernels; `kernels`: each one's own, and that of its shell."""

    folder: Path
    files: tuple[str, ...]
    modules: dict[str, set[str]]
    kernels: tuple[tuple[str, str], ...]


def ram_file(number: int) -> str:
    """What a RAM begins with, as $readmemh reads it."""
    return f"{PROGRAM}{number}.hex"


def write_design(chip: dict[str, Any], parts: Parts, folder: Path) -> Design:
    """Writes module `soc` into a folder, and the program for it, which knows no host: `program.elf`
    and a file for each RAM.

    Raises UserError for a chip that the engine can simulate and no Verilog of ours be."""
    kernels = [offload.compiled.kernel for offload in parts.offloads]
    bases = shell_bases(chip, len(kernels))
    shells = [Shell(shell_name(k), base) for k, base in zip(kernels, bases, strict=True)]
    (folder / "soc.v").write_text(soc_verilog(chip, shells))
    core = core_verilog(chip["core"])
    shutil.copyfile(core, folder / core.name)
    names = [core.name, "soc.v"]
    modules = {"core": _modules([folder / core.name]), "shell": {s.module for s in shells}}
    for number, offload in enumerate(parts.offloads):
        names += _write_kernel(offload.package, kernels[number], number, chip, folder)
    modules["kernel"] = _modules(folder.glob("kernel*.sv"))
    _write_program(chip, parts, folder)
    tops = [(module_name(k.name), s.module) for k, s in zip(kernels, shells, strict=True)]
    return Design(folder, tuple(names), modules, tuple(tops))


def write_shell(kernel: Kernel, window_bytes: int, protocol: str, folder: Path) -> Path:
    """Writes a kernel's shell into a folder, with room for what it holds.

    Raises UserError for what no shell holds."""
    rooms = [row.bytes for row in held(kernel, window_bytes)]
    file = folder / f"{shell_name(kernel)}.v"
    file.write_text(shell_verilog(kernel, rooms, protocol))
    return file


def kernels_slices(design: Design, family: str) -> list[dict[str, Any]]:
    """The slices of each kernel, alone and as a coprocessor in its shell (docs/slices.md).

    Raises UserError and SynthesisError as `kernel_slices`."""
    found = []
    for number, (core, shell) in enumerate(design.kernels):
        verilog = design.folder / f"kernel{number}.sv"
        with temporary_folder() as work, stage(f"counting slices of {core}"):
            whole = work / "coprocessor.sv"
            whole.write_text(verilog.read_text() + (design.folder / f"{shell}.v").read_text())
            alone = kernel_slices(verilog, core, family)
            inside = kernel_slices(whole, shell, family)
        found.append({"kernel": core, "core": asdict(alone), "coprocessor": asdict(inside)})
    return found


def _modules(files: Iterable[Path]) -> set[str]:
    """The modules of Verilog files."""
    return {name for file in files for name in _MODULE.findall(file.read_text())}


def _write_kernel(
    package: Path, kernel: Kernel, number: int, chip: dict[str, Any], folder: Path
) -> Sequence[str]:
    verilog, said = f"kernel{number}.sv", chip["shell"]
    shutil.copyfile(package / "kernel.sv", folder / verilog)
    return [verilog, write_shell(kernel, said["window_bytes"], said["protocol"], folder).name]


def _write_program(chip: dict[str, Any], parts: Parts, folder: Path) -> None:
    own = replace(parts, ready=replace(parts.ready, has_host=False))
    link_parts(own, chip, folder / ELF)
    contents = memory_contents(folder / ELF, chip["rams"])
    for number, (ram, content) in enumerate(zip(chip["rams"], contents, strict=True)):
        (folder / ram_file(number)).write_text(words_hex(content, ram["bytes"]))
