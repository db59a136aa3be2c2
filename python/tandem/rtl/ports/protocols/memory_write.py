# SPDX-License-Identifier: Apache-2.0
"""Memory outside of a kernel, as it writes it."""

from __future__ import annotations

from tandem.ir.kernel import PORT_INDEX_BITS
from tandem.ir.ops import Store
from tandem.rtl.ports.protocol import ELEMENT, Protocol, is_accessed_by
from tandem.rtl.ports.served import Lines, Served


def _serve(served: Served, lines: Lines) -> None:
    enable, index, data = served.ports("write_enable", "write_index", "write_data")
    lines["after"] += [
        f"if ({enable} === 1'b1)",
        f"  if ({index} < {served.count}) {served.tb}_cells[{index}] = {data};",
        "  else tb_failed = 1;",
    ]


PROTOCOL = Protocol(
    "memory_write",
    70,
    "written at the clock's edge",
    is_accessed_by(Store),
    outputs={"write_enable": 1, "write_index": PORT_INDEX_BITS, "write_data": ELEMENT},
    serve=_serve,
)
