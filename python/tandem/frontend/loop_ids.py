# SPDX-License-Identifier: Apache-2.0
"""Which loop of the C each loop of LLVM IR is, by what a debugger is told of the branch that closes
it: the place of the `for` or `while`, and the calls through which its function was taken in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tandem.frontend.state import Importer
from tandem.ir.lines import LoopId, line_of
from tandem.llvm import metadata
from tandem.llvm import read as llvm


def name_loops(state: Importer, closing: Mapping[llvm.Ref, Sequence[llvm.Ref]]) -> None:
    """Gives each loop its id. `closing`: the first block of each loop, in the order of control flow
    -> the branches that lead back to it."""
    same: dict[LoopId, list[llvm.Ref]] = {}
    for header, branches in closing.items():
        told = [branch for branch in branches if metadata.location(branch)[1]]
        told = (
            told or [i for i in llvm.children(header, "Instruction") if metadata.location(i)[1]][:1]
        )
        if told:
            loop = min(_place(state, ref) for ref in told)
            node = next(metadata.debug_location(ref) for ref in told if _place(state, ref) == loop)
            nodes = same.setdefault(loop, [])
            if node not in nodes:
                nodes.append(node)
            state.blocks[header].loop = replace(loop, ordinal=nodes.index(node))
    for header, after in _two_headers(closing):
        marked = [h for h in (header, after) if _is_marked(state, closing[h])]
        if len(marked) == 1:
            state.blocks[header].loop = state.blocks[after].loop = state.blocks[marked[0]].loop


def _two_headers(
    closing: Mapping[llvm.Ref, Sequence[llvm.Ref]],
) -> Iterator[tuple[llvm.Ref, llvm.Ref]]:
    """First blocks of loops that do nothing but go on to the first block of another one."""
    for header in closing:
        (end,) = list(llvm.children(header, "Instruction"))[-1:]
        if llvm.call("GetNumSuccessors", end) == 1:
            after = llvm.call("GetSuccessor", end, 0)
            if after in closing and after != header:
                yield header, after


def _is_marked(state: Importer, branches: Sequence[llvm.Ref]) -> bool:
    """Whether clang says that branches close a loop of the C. One loop becomes two where a
    `continue` leads back to its beginning too: of these, one is not marked."""
    return any(llvm.call("GetMetadata", branch, state.loop_kind) for branch in branches)


def _place(state: Importer, instruction: llvm.Ref) -> LoopId:
    """Where an instruction comes from, as of a loop."""
    file, line = metadata.location(instruction)
    (_, column), *sites = metadata.places(metadata.debug_location(instruction))
    return LoopId(line_of(line, file, state.kernel.source), column, tuple(sites))
