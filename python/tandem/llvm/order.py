# SPDX-License-Identifier: Apache-2.0
"""The order of blocks."""

from __future__ import annotations

from tandem.llvm.binding import Ref, call
from tandem.llvm.read import entry


def successors(block: Ref) -> list[Ref]:
    """The blocks that one may lead to."""
    end = call("GetBasicBlockTerminator", block)
    return [call("GetSuccessor", end, i) for i in range(call("GetNumSuccessors", end))]


def reverse_postorder(function: Ref) -> list[Ref]:
    """The blocks of a function that are ever reached, each behind those through which all ways to
    it lead."""
    first = entry(function)
    found, seen = list[Ref](), {first}
    path = [(first, iter(successors(first)))]
    while path:
        block, following = path[-1]
        other = next((one for one in following if one not in seen), None)
        if other is None:
            found.append(block)
            path.pop()
        else:
            seen.add(other)
            path.append((other, iter(successors(other))))
    return found[::-1]
