# SPDX-License-Identifier: Apache-2.0
"""What ahead.so knows of a call before it happens, as C: extents, cycles, touched bytes.

Of the kernel only what decides how often each block runs is computed: branch conditions, loop
counts and what they depend on (and, for touched bytes, indices). Where these follow from the
scalar arguments alone, the compiler folds the rest away and a call costs nanoseconds, whatever its
size. The program's memory is read in place and never written; what the kernel would write goes to
copies (`models.windows`).
"""

from __future__ import annotations

from tandem.ir.argument import Argument
from tandem.ir.blocks import Block
from tandem.ir.expressions import Expression
from tandem.ir.kernel import Kernel
from tandem.ir.ops import FloatOp, MacroOp, Pop, Push
from tandem.ir.ops.c import c_type
from tandem.ir.processes import fifos, has_polls, processes
from tandem.models.c_interface import load_argument, scalar_bytes
from tandem.models.c_text import expression_lines, floats_c
from tandem.models.cycles import CYCLES, PIPELINE_C, CyclesWriter
from tandem.models.fifo_text import (
    ANSWERS,
    PROCESSES_C,
    SEEN,
    SEEN_C,
    TELL_C,
    fifo_use_c,
    least_depths_c,
)
from tandem.models.macros import macro_c, macro_name
from tandem.models.trace import DECLARATIONS as TRACE_DECLARATIONS
from tandem.models.trace import traced_c
from tandem.models.walked import walked
from tandem.models.windows import WINDOWS_C
from tandem.schedule.scheduled import KernelSchedule

LARGEST_BOUND_BYTES = 1 << 47
"""No buffer has more."""
_UNKNOWN = "UINT64_MAX - 1"

EXTENTS = "void tandem_extents(void *const data[], uint64_t bytes[])"
TOUCHED = (
    "uint64_t tandem_touched(void *const data[], const uint64_t bytes[],\n"
    "                        const uint32_t intervals[], uint64_t parts[][3],\n"
    "                        int64_t touched[][2], uint32_t apart)"
)
LEAST_DEPTHS = (
    "uint64_t tandem_least_depths(void *const data[], const uint64_t bytes[],\n"
    "                             const uint32_t intervals[], uint32_t depths[])"
)
FIFO_USE = (
    "uint64_t tandem_fifo_use(void *const data[], const uint64_t bytes[],\n"
    "                         const uint32_t intervals[], uint64_t part_cycles, uint32_t parts,\n"
    "                         uint64_t rows[])"
)
LOOPS = (
    "uint64_t tandem_loops(void *const data[], const uint64_t bytes[],\n"
    "                      const uint32_t intervals[], uint64_t rows[][3], uint64_t room,\n"
    "                      uint32_t apart)"
)
REASON = "const char *tandem_reason(void)"
PRELUDE = f"""#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
{PIPELINE_C}{WINDOWS_C}
static _Thread_local const char *tandem_reason_text = "";
{REASON} {{ return tandem_reason_text; }}
{SEEN_C}"""
"""What all kernels' C begins with."""
DECLARATIONS = (
    "".join(
        f"{signature};\n"
        for signature in (EXTENTS, CYCLES, TOUCHED, LEAST_DEPTHS, FIFO_USE, LOOPS, REASON)
    )
    + f"{SEEN}{ANSWERS};\n"
    + TRACE_DECLARATIONS
)


def ahead_c(
    schedule: KernelSchedule,
    fifo_depths: dict[str, int],
    as_imported: Kernel,
    *,
    loops: bool = False,
) -> str:
    """C of all that is known before a call (docs/package.md): of the kernel's schedule, and of what
    the C does with memory, which the kernel as imported still tells. `loops`: when each loop is
    entered and left too."""
    kernel = schedule.kernel
    watched = [a for a in kernel.arguments if a.memory is not None and _may_be_unknown(a)]
    ops = [op for walk in (walked(kernel), as_imported) for _, op in walk.ops()]
    kinds = {op.slug for op in ops if isinstance(op, FloatOp)}
    called = {op.core: op for op in ops if isinstance(op, MacroOp)}
    positions = {argument.name: i for i, argument in enumerate(kernel.arguments)}
    macros = [(op, schedule.target.core(name)) for name, op in called.items()]
    parts = [
        PRELUDE,
        *([PROCESSES_C] if processes(kernel) else []),
        f"{CYCLES};",
        *([TELL_C] if has_polls(kernel) else []),
        least_depths_c(LEAST_DEPTHS, len(fifos(kernel)), has_polls(kernel)),
        fifo_use_c(FIFO_USE, len(fifos(kernel))),
        floats_c(kinds),
        *(macro_c(macro_name(kernel, op.function), core) for op, core in macros),
        extents_c(kernel),
        CyclesWriter(schedule, fifo_depths).text(),
        _TouchedWriter(schedule, fifo_depths, watched).text(),
        *([_LoopsWriter(schedule, fifo_depths).text()] if loops else []),
        traced_c(as_imported, positions),
    ]
    return "\n".join(parts)


def _may_be_unknown(argument: Argument) -> bool:
    """Whether what a call touches is not proven, or not for every call."""
    proof = argument.extent.proof
    return proof is None or not proof.is_natural


# -- extents ------------------------------------------------------------------------------------


def extents_c(kernel: Kernel) -> str:
    """Every extent, in an order in which the blocks that one asks for are there before it."""
    lines: list[str] = []
    names: dict[str, str] = {}
    claims = [a.extent.claim for a in kernel.arguments if not a.is_number and a.extent.claim]
    asked = {name for claim in claims for name in claim.names()}
    waiting = list(enumerate(kernel.arguments))
    while waiting:
        position, argument = next((i, a) for i, a in waiting if a.is_number or _has(names, a))
        waiting.remove((position, argument))
        lines += _extent_lines(position, argument, names)
        if argument.name in asked:
            lines += load_argument(argument, position, f"a{position}")
            names[argument.name] = f"a{position}"
    body = "\n".join(f"    {line}" for line in lines)
    return f"{EXTENTS}\n{{\n    (void)data;\n    (void)bytes;\n{body}\n}}\n"


def _has(names: dict[str, str], argument: Argument) -> bool:
    claim = argument.extent.claim
    return claim is None or claim.names() <= names.keys()


def _extent_lines(position: int, argument: Argument, names: dict[str, str]) -> list[str]:
    if argument.is_number:
        return [f"bytes[{position}] = {scalar_bytes(argument)};"]
    claim = argument.extent.claim
    if claim is None:
        return [f"bytes[{position}] = 0;"]
    prefix = f"e{position}_"
    is_signed = c_type(claim.width, True)
    # What is only a bound may be far from what the call touches.
    is_bound = argument.extent.source == "bound"
    limit, beyond = (LARGEST_BOUND_BYTES, _UNKNOWN) if is_bound else ("INT64_MAX", "UINT64_MAX")
    return [
        *expression_lines(claim, prefix, names),
        f"{{ {is_signed} v = ({is_signed}){prefix}value;",
        f"bytes[{position}] = v < 0 ? {_UNKNOWN} : v > {limit} ? {beyond} : (uint64_t)v; }}",
    ]


# -- loops ----------------------------------------------------------------------------------------


class _LoopsWriter(CyclesWriter):
    """When each pipeline of a call is entered and left."""

    signature = LOOPS
    answer = "told"
    tells_loops = True

    def _begin(self) -> None:
        super()._begin()
        self.lines.append("uint64_t told = 0, (*parts)[3] = 0;")

    def _tell(self, loop: Block, begin: str, end: str) -> None:
        number = self.rows.index(loop)
        self.lines += [
            "if (told < room) {",
            f"rows[told][0] = {number}; rows[told][1] = {begin}; rows[told][2] = {end}; }}",
            "told++;",
        ]


# -- touched bytes ------------------------------------------------------------------------------


class _TouchedWriter(CyclesWriter):
    """The cycles, and on the same way the bytes that are touched."""

    signature = TOUCHED

    def __init__(
        self, schedule: KernelSchedule, fifo_depths: dict[str, int], watched: list[Argument]
    ) -> None:
        memories = [a.memory.name for a in watched if a.memory is not None]
        super().__init__(schedule, fifo_depths, memories)
        self.watched = {self.positions[a.name]: a for a in watched}

    def text(self) -> str:
        """Where all extents are proven, nothing else is looked at on the way but cycles: clang,
        which takes seconds for a large kernel, gets that way once."""
        if self.watched:
            return super().text()
        self._tell_proven()
        self.lines.append("return tandem_cycles(data, bytes, intervals, parts, apart);")
        body = "\n".join(f"    {line}" for line in self.lines)
        return f"{self.signature}\n{{\n{body}\n}}\n"

    def _begin(self) -> None:
        """Proven extents are what is touched; of the others the windows tell."""
        super()._begin()
        self._tell_proven()

    def _tell_proven(self) -> None:
        for i, argument in enumerate(self.kernel.arguments):
            if i in self.watched:
                self.lines.append(f"touched[{i}][0] = touched[{i}][1] = 0;")
                continue
            self.lines.append(f"touched[{i}][0] = 0; touched[{i}][1] = (int64_t)bytes[{i}];")
            proof = argument.extent.proof
            if proof is not None and proof != argument.extent.claim:
                self.lines.append("{")
                self.lines += self._proven(proof, i)
                self.lines.append("}")

    def _proven(self, proof: Expression, position: int) -> list[str]:
        lines: list[str] = []
        names = {}
        for i, argument in enumerate(self.kernel.arguments):
            if argument.name in proof.names():
                names[argument.name] = f"a{i}"
                lines += load_argument(argument, i, f"a{i}")
        lines += expression_lines(proof, "e", names)
        return [*lines, f"touched[{position}][1] = (int64_t)evalue;"]

    def _looped(self, block: Block) -> None:
        super()._looped(block)
        for op in block.ops:
            owner = self.owners.get(op.memory.name) if isinstance(op, (Pop, Push)) else None
            if owner is not None:
                i = self.positions[owner.name]
                size = op.memory.element_bits // 8
                if i in self.watched:
                    self.lines.append(f"touched[{i}][1] = (int64_t)(n * {size});")

    def _leave(self) -> None:
        for i in self.windows:
            if i in self.watched:
                array = f"arrays[{self.arrays.index(i)}]"
                self.lines.append(
                    f"if ({array}.low < {array}.high) {{ "
                    f"touched[{i}][0] = {array}.low; touched[{i}][1] = {array}.high; }}"
                )
        super()._leave()
