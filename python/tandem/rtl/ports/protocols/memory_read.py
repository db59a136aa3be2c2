# SPDX-License-Identifier: Apache-2.0
"""Memory outside of a kernel, as it reads it."""

from __future__ import annotations

from tandem.ir.kernel import PORT_INDEX_BITS
from tandem.ir.ops import Load
from tandem.rtl.ports.protocol import ELEMENT, Protocol, is_accessed_by
from tandem.rtl.ports.served import Lines, Served


def _serve(served: Served, lines: Lines) -> None:
    """With what was there before this cycle's write, one cycle later."""
    tb, names = served.tb, ("read_enable", "read_index", "read_data")
    enable, index, data = served.ports(*names)
    lines["after"] += [
        f"{tb}_moves = {enable} === 1'b1 && {index} < {served.count};",
        f"if ({tb}_moves) {tb}_word = {tb}_cells[{index}];",
    ]
    lines["late"].append(f"if ({tb}_moves) {data} = {tb}_word;")


PROTOCOL = Protocol(
    "memory_read",
    60,
    "read data one cycle after the index; any index may be read",
    is_accessed_by(Load),
    {"read_data": ELEMENT},
    {"read_enable": 1, "read_index": PORT_INDEX_BITS},
    serve=_serve,
)
