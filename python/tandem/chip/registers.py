# SPDX-License-Identifier: Apache-2.0
"""A chip's registers as SystemRDL 2.0, of which PeakRDL makes a header, pages and IP-XACT."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tandem.chip.build import shell_bases
from tandem.chip.held import Held, held
from tandem.diagnostics import Diagnostic, InternalError, user_error
from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.ir.names import plain, spelled, unused_name
from tandem.package import element_bytes
from tandem.rtl.buses import PROTOCOLS
from tandem.rtl.buses.protocol import Protocol
from tandem.rtl.keywords import SYSTEMRDL
from tandem.rtl.shell import shell_name

SOURCE, HEADER, PAGES, IP_XACT = "registers.rdl", "registers.h", "registers.html", "registers.xml"
VENDOR, LIBRARY, VERSION = "tandem", "chips", "1.0"

_MAP = """// The registers of {title}, as the processor's loads and stores reach them.
addrmap {name} {{
  name = "{title}";
  desc = "{text}";
  default regwidth = 32;
  default accesswidth = 32;
{shells}
  external regfile {{
    name = "The serial line";
    desc = "Bytes are sent with 8 bits, no parity and one stop bit.";
    reg {{
      field {{
        desc = "The byte to send; ignored while it is busy.";
        sw = w; hw = r; onwrite = wuser;
      }} sent[7:0];
      field {{ desc = "A byte is being sent."; sw = r; hw = w; }} busy[0:0];
    }} data @ 0x0;
  }} serial_line @ {uart:#x};

  external regfile {{
    name = "The timer";
    desc = "Cycles since reset.";
    reg {{
      field {{
        desc = "The low word; high keeps what it is when this is read.";
        sw = r; hw = w; onread = ruser;
      }} cycles[31:0];
    }} low @ 0x0;
    reg {{
      field {{ desc = "The high word."; sw = r; hw = w; }} cycles[31:0];
    }} high @ 0x4;
  }} timer @ {timer:#x};
}};
"""
_SHELL = """
  external regfile {{
    name = "The shell of {kernel}";
    desc = "{text}";
    enum instructions {{
{instructions}
    }};{arguments}
    reg {{
      field {{
        desc = "What the shell does; ignored while the kernel runs.";
        sw = w; hw = r; onwrite = wuser; encode = instructions;
      }} instruction[7:0];
{operand}
      field {{
        desc = "The kernel does not run. The line of interrupts falls when this is read.";
        sw = r; hw = w; onread = ruser;
      }} idle[0:0];
    }} control @ 0x0;
    reg {{
      field {{
        desc = "The next word of the chosen argument.";
        sw = w; hw = r; onwrite = wuser;
      }} word[31:0];
    }} data_in @ 0x4;
    reg {{
      field {{
        desc = "The next word of the chosen argument{asked}.";
        sw = r; hw = w; onread = ruser;
      }} word[31:0];
    }} data_out @ 0x8;{ring}
  }} {name} @ {base:#x};
"""
_OPERAND = """      field {
        desc = "Of choose: the argument's number.";
        sw = w; hw = r;ENCODE
      } argument[15:8];"""
_OPERAND_OF_LINK = """      field {
        desc = "Of choose: the argument's number; of send: how many words.";
        sw = w; hw = r;
      } operand[31:8];"""
_RING = """
    reg {
      field {
        desc = "Bits 8 to 31 of the address of a ring of 16 descriptors in memory.";
        sw = w; hw = r;
      } address[31:8];
      field {
        desc = "How many descriptors there are more.";
        sw = w; hw = r; onwrite = wuser;
      } more[7:0];
      field { desc = "How many descriptors are left."; sw = r; hw = w; } left[7:0];
    } ring @ 0xc;"""
_INSTRUCTIONS = {
    "choose": (1, "Chooses an argument."),
    "start": (2, "Starts the kernel; with bit 8, its end raises the line of interrupts."),
}
_SEND = {"send": (3, "Has words of the chosen argument sent, to be read at data_out.")}


def write_registers(
    chip: dict[str, Any], kernels: Sequence[Kernel], stem: str, folder: Path
) -> None:
    """Writes the register map of a chip into its folder, and what PeakRDL makes of it. `stem`: the
    application's name.

    Raises UserError where PeakRDL is not installed, or an argument is none that a shell holds."""
    source = folder / SOURCE
    source.write_text(registers_rdl(chip, kernels, stem), encoding="utf-8")
    _export(source, folder)


def registers_rdl(chip: dict[str, Any], kernels: Sequence[Kernel], stem: str) -> str:
    """The register map. Raises UserError for an argument that no shell holds."""
    shell, uart = chip["shell"], chip["uart"]
    protocol = PROTOCOLS[shell["protocol"]]
    has_addresses = not protocol.is_of_instructions
    bases = shell_bases(chip, len(kernels)) if has_addresses else []
    texts = [
        _shell(kernel, base, shell["window_bytes"], protocol)
        for kernel, base in zip(kernels, bases, strict=False)
    ]
    return _MAP.format(
        title=_string(chip["title"]),
        name=f"{plain(stem, 'application')}_chip",
        text=_string(_of_protocol(protocol)),
        shells="".join(texts),
        uart=uart["base"],
        timer=chip["timer"]["base"],
    )


def _of_protocol(protocol: Protocol) -> str:
    if protocol.is_of_instructions:
        return "Shells have no addresses: instructions of the core's own ask them."
    if protocol.is_link:
        return f"Shells are behind {protocol.title}: the addresses are the bridge's at the core."
    return f"Shells are on {protocol.title}."


def _shell(kernel: Kernel, base: int, window_bytes: int, protocol: Protocol) -> str:
    rows = list(zip(kernel.arguments, held(kernel, window_bytes), strict=True))
    instructions = _INSTRUCTIONS | (_SEND if protocol.is_link else {})
    lines = [f'{name} = {n} {{ desc = "{text}"; }};' for name, (n, text) in instructions.items()]
    operand = _OPERAND.replace("ENCODE", " encode = arguments;" if rows else "")
    return _SHELL.format(
        kernel=_string(kernel.name),
        text=_string(" ".join(_argument(i, a, room) for i, (a, room) in enumerate(rows))),
        instructions="\n".join(f"      {line}" for line in lines),
        arguments=_arguments(rows),
        operand=_OPERAND_OF_LINK if protocol.is_link else operand,
        asked=", if send has asked for it" if protocol.is_link else "",
        ring=_RING if protocol.has_memory else "",
        name=shell_name(kernel),
        base=base,
    )


def _arguments(rows: Sequence[tuple[Argument, Held]]) -> str:
    """The numbers of arguments by their names."""
    names: list[str] = []
    for argument, _ in rows:
        names.append(unused_name(spelled(argument.name), {*names, *SYSTEMRDL}))
    lines = "".join(
        f'\n      {name} = {i} {{ desc = "{_string(_argument(i, *row))}"; }};'
        for i, (name, row) in enumerate(zip(names, rows, strict=True))
    )
    return f"\n    enum arguments {{{lines}\n    }};" if rows else ""


def _argument(number: int, argument: Argument, room: Held) -> str:
    """What it is, for people."""
    ways = {"in": "read", "out": "written", "inout": "read and written"}
    way = "the result" if argument.is_result else ways[argument.direction]
    if argument.is_number:
        return f"Argument {number}: {argument.name}, {argument.c_type}, {way}."
    return (
        f"Argument {number}: {argument.name}, {way}, elements of {element_bytes(argument)} bytes, "
        f"room for {room.bytes} bytes."
    )


def _string(text: str) -> str:
    """As it stands between the quotes of a string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _export(source: Path, folder: Path) -> None:
    # A part of PeakRDL's pages looks for git when it is loaded, and fails without.
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    try:
        from peakrdl_cheader.exporter import CHeaderExporter
        from peakrdl_html import HTMLExporter
        from peakrdl_ipxact import IPXACTExporter
        from systemrdl.compiler import RDLCompiler
        from systemrdl.messages import RDLCompileError
    except ModuleNotFoundError as error:
        raise user_error(
            "peakrdl-missing",
            f"PeakRDL is not installed: there is no module `{error.name}`",
            help="pip install 'tandem-accel[chip]'",
        ) from None
    compiler = RDLCompiler()
    try:
        compiler.compile_file(str(source))
        root = compiler.elaborate()
    except RDLCompileError as error:
        text = f"{source.name}: {error}"
        raise InternalError(Diagnostic("register-map", text)) from error
    # A header of the whole would be one struct of gigabytes.
    CHeaderExporter().export(root, str(folder / HEADER), explode_top=True, instantiate=True)
    HTMLExporter(generate_source_links=False).export(root, str(folder / PAGES))
    made = IPXACTExporter(vendor=VENDOR, library=LIBRARY, version=VERSION)
    made.export(root, str(folder / IP_XACT))
