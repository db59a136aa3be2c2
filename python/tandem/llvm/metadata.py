# SPDX-License-Identifier: Apache-2.0
"""What is noted beside instructions: where in the C they come from, what is asked of loops, and
annotations of ours."""

from __future__ import annotations

import ctypes
from collections.abc import Container
from functools import cache
from pathlib import Path

from tandem.diagnostics import Place
from tandem.llvm.binding import Ref, call
from tandem.llvm.read import instructions
from tandem.llvm.signatures import REF, SIZE, UINT


def location(instruction: Ref) -> tuple[str, int]:
    """(file, line) of an instruction, ('', 0) where LLVM has lost it."""
    line = call("GetDebugLocLine", instruction)
    if not line:
        return "", 0
    length = UINT()
    address = call("GetDebugLocFilename", instruction, ctypes.byref(length))
    file = ctypes.string_at(address, length.value)
    address = call("GetDebugLocDirectory", instruction, ctypes.byref(length))
    return _path(ctypes.string_at(address, length.value), file), line


def place_of(instruction: Ref, otherwise: Place) -> Place:
    """Where an instruction is in the C; another place where LLVM has lost it."""
    file, line = location(instruction)
    return Place(file, line) if line else otherwise


def debug_location(instruction: Ref) -> Ref:
    """The node that says where an instruction comes from, None where LLVM has lost it; where that
    is the same, so is the node."""
    return call("InstructionGetDebugLoc", instruction)


def places(node: Ref) -> list[tuple[int, int]]:
    """Line and column of such a node, and of the calls through which that was taken in, the
    innermost first."""
    found = []
    while node:
        found.append((call("DILocationGetLine", node), call("DILocationGetColumn", node)))
        node = call("DILocationGetInlinedAt", node)
    return found


@cache
def _path(folder: bytes, file: bytes) -> str:
    """Asked for every instruction, of few files."""
    name = file.decode()
    return name if Path(name).exists() else str(Path(folder.decode()) / name)


def definition_place(function: Ref) -> Place | None:
    """Where the C has a function; None where no debugger is told, and of one that is declared."""
    about = call("GetSubprogram", function)
    file = about and call("DIScopeGetFile", about)
    if not file:
        return None
    length = UINT()
    parts = [
        ctypes.string_at(call(f"DIFileGet{part}", file, ctypes.byref(length)), length.value)
        for part in ("Directory", "Filename")
    ]
    return Place(_path(*parts), call("DISubprogramGetLine", about))


def metadata_number(instruction: Ref, kind: int, key: str) -> int | None:
    """The number beside `key` in a loop's metadata node, None if the key is absent."""
    node = call("GetMetadata", instruction, kind)
    if not node:
        return None
    for entry in node_operands(node):
        if entry and entry != node and call("IsAMDNode", entry):
            parts = node_operands(entry)
            if len(parts) == 2 and parts[0] and _md_string(parts[0]) == key:
                return call("ConstIntGetZExtValue", parts[1])
    return None


def of_loop(branch: Ref) -> Ref | None:
    """What LLVM is told of the loop that a branch closes."""
    return call("GetMetadata", branch, kind_of("llvm.loop")) or None


def loop_place(branch: Ref) -> tuple[int, int]:
    """Line and column where the loop begins that a branch closes, 0 where nobody told it."""
    for part in loop_parts(branch):
        if call("GetMetadataKind", part) == DI_LOCATION:
            return call("DILocationGetLine", part), call("DILocationGetColumn", part)
    return 0, 0


def loop_wishes(branch: Ref) -> list[str]:
    """What is asked of the loop that a branch closes, each without its number."""
    return [wish for part in _loop_nodes(branch) if (wish := _wish(part))]


def loop_parts(branch: Ref, but: Container[str] = ()) -> list[Ref]:
    """What is told of the loop that a branch closes, but for some wishes: nodes, without the one
    that is the loop."""
    return [_as_metadata(part) for part in _loop_nodes(branch) if _wish(part) not in but]


def _loop_nodes(branch: Ref) -> list[Ref]:
    node = of_loop(branch)
    return node_operands(node)[1:] if node else []


def _wish(part: Ref) -> str:
    """What a node asks of a loop; nothing if it is a place."""
    parts = node_operands(part) if call("IsAMDNode", part) else []
    return _md_string(parts[0]) if parts and parts[0] else ""


def _as_metadata(value: Ref) -> Ref:
    return call("ValueAsMetadata", value)


DI_LOCATION = 5
"""LLVMMetadataKind of a place in the source."""


def annotated_with(instruction: Ref) -> list[str]:
    """The texts that are attached to an instruction as `!annotation`."""
    node = call("GetMetadata", instruction, kind_of("annotation"))
    return [_md_string(part) for part in node_operands(node)] if node else []


def notes(asked: str, value: Ref) -> list[tuple[int, Ref]]:
    """Kinds and nodes of the metadata of an instruction or of a global, by LLVM-C's function for
    all of it."""
    count = SIZE()
    entries = call(asked, value, ctypes.byref(count))
    found = [
        (
            call("ValueMetadataEntriesGetKind", entries, i),
            call("ValueMetadataEntriesGetMetadata", entries, i),
        )
        for i in range(count.value)
    ]
    call("DisposeValueMetadataEntries", entries)
    return found


@cache
def kind_of(called: str) -> int:
    """The number of a kind of metadata that LLVM knows by itself: it is the same everywhere."""
    return call("GetMDKindIDInContext", call("ContextCreate"), called.encode(), len(called))


def node_operands(node: Ref) -> list[Ref]:
    """The parts of a node, each a value; None for one that is not there."""
    count = call("GetMDNodeNumOperands", node)
    array = (REF * count)()
    call("GetMDNodeOperands", node, array)
    return list(array)


def _md_string(value: Ref) -> str:
    if not call("IsAMDString", value):
        return ""
    length = UINT()
    return ctypes.string_at(call("GetMDString", value, ctypes.byref(length)), length.value).decode()


def declared_variables(context: Ref, function: Ref) -> dict[Ref, str]:
    """What a debugger is told that local variables of a function are called."""
    found: dict[Ref, str] = {}
    for instruction in instructions([function]):
        record = call("GetFirstDbgRecord", instruction)
        while record:
            node = call("DbgVariableRecordGetVariable", record)
            parts = node_operands(call("MetadataAsValue", context, node)) if node else []
            name = next((text for part in parts if part and (text := _md_string(part))), "")
            value = call("DbgVariableRecordGetValue", record, 0)
            if name and value:
                found[value] = name
            record = call("GetNextDbgRecord", record)
    return found
