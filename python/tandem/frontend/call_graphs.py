# SPDX-License-Identifier: Apache-2.0
"""Which functions of a module call which."""

from __future__ import annotations

from functools import lru_cache

from tandem.llvm import read
from tandem.llvm.module import opened

KEPT_GRAPHS = 8
"""One module's is asked for by stage after stage."""


def callees_of(text: str) -> dict[str, list[str]]:
    """What each function that a module defines calls, every call once, and through pointers an
    empty name."""
    with opened(text) as found:
        return {
            read.name(function): [
                read.name(read.called(ref) or 0) for ref in read.calls([function])
            ]
            for function in found.defined
        }


@lru_cache(KEPT_GRAPHS)
def call_graph(text: str, top: str) -> dict[str, list[str]]:
    """What `top` and the functions that it leads to call in a module, every call once, callers
    first."""
    defined = callees_of(text)
    graph = {top: defined[top]}
    path, following = [top], [iter(graph[top])]
    finished: dict[str, list[str]] = {}
    while path:
        callee = next(following[-1], None)
        if callee is None:
            last = path.pop()
            finished[last] = graph[last]
            following.pop()
        elif callee in defined and callee not in graph:
            graph[callee] = defined[callee]
            path.append(callee)
            following.append(iter(graph[callee]))
    return dict(reversed(finished.items()))
