# SPDX-License-Identifier: Apache-2.0
"""Records that a kernel gives in turn."""

from __future__ import annotations

from tandem.ir.memory import MemoryKind
from tandem.rtl.ports.protocol import ELEMENT, Protocol, is_kept_in
from tandem.rtl.ports.served import Lines, Served


def _serve(served: Served, lines: Lines) -> None:
    tb, (valid, ready, data) = served.tb, served.ports("valid", "ready", "data")
    lines["before"].append(f"{tb}_moves = {tb}_wait == 0; {ready} = {tb}_moves;")
    lines["after"] += [
        f"if ({tb}_moves && {valid} === 1'b1) begin",
        f"  if ({tb}_at == {served.count}) tb_failed = 1;",
        f"  else begin {tb}_cells[{tb}_at] = {data}; {tb}_at = {tb}_at + 1; end",
        *served.waits(),
    ]


PROTOCOL = Protocol(
    "stream_out",
    50,
    "a record wherever valid and ready meet",
    is_kept_in(MemoryKind.STREAM_OUT),
    {"ready": 1},
    {"valid": 1, "data": ELEMENT},
    serve=_serve,
)
