# SPDX-License-Identifier: Apache-2.0
"""What is about a stream of the kernel's, or a FIFO between two processes."""

from __future__ import annotations

from tandem.ir.ops.op import Op


class StreamOp(Op):
    __slots__ = ()
    has_memory = True
    pure = False


class Take(StreamOp):
    """What needs the next record."""

    __slots__ = ()


class Poll(StreamOp):
    """What asks, and waits for nothing."""

    __slots__ = ()


class Pop(Take):
    __slots__ = ()
    slug, enable_at = "pop", 0
    summary = "next record of a stream; of a FIFO also [enable]"


class Peek(Take):
    __slots__ = ()
    slug, summary, arity = "peek", "next record of a FIFO, which stays there", 0


class Has(Poll):
    __slots__ = ()
    slug, enable_at = "has", 0
    summary = "whether a FIFO has a record; [] or [enable]"


class Room(Poll):
    __slots__ = ()
    slug, enable_at = "room", 0
    summary = "whether a FIFO has room; [] or [enable]"


class Push(StreamOp):
    __slots__ = ()
    slug, enable_at, rule = "push", 1, "none"
    summary = "[record] or [record, enable], appended to a stream"


GIVING = (Push, Room)
"""What is about the end of a FIFO at which records are given."""
