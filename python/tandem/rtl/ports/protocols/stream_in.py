# SPDX-License-Identifier: Apache-2.0
"""Records that a kernel takes in turn."""

from __future__ import annotations

from tandem.ir.memory import MemoryKind
from tandem.rtl.ports.protocol import ELEMENT, Protocol, is_kept_in
from tandem.rtl.ports.served import Lines, Served


def _serve(served: Served, lines: Lines) -> None:
    tb, (valid, ready, data) = served.tb, served.ports("valid", "ready", "data")
    lines["before"] += [
        f"{tb}_moves = {tb}_wait == 0 && {tb}_at < {served.count}; {valid} = {tb}_moves;",
        f"if ({tb}_moves) {data} = {tb}_cells[{tb}_at];",
    ]
    lines["after"].append(f"if ({tb}_moves && {ready} === 1'b1) begin {tb}_at = {tb}_at + 1;")
    lines["after"] += served.waits()


PROTOCOL = Protocol(
    "stream_in",
    40,
    "a record wherever valid and ready meet",
    is_kept_in(MemoryKind.STREAM_IN),
    {"valid": 1, "data": ELEMENT},
    {"ready": 1},
    serve=_serve,
)
