# SPDX-License-Identifier: Apache-2.0
"""What is about an array: look-ups in constant tables, loads and stores."""

from __future__ import annotations

from tandem.ir.ops.op import Op


class Rom(Op):
    __slots__ = ()
    slug, summary, arity = "rom", "element of a constant table; 0 beyond its end", 1
    delay_row = "rom"


class Access(Op):
    """A load or a store."""

    __slots__ = ()
    pure = False


class Load(Access):
    __slots__ = ()
    slug, enable_at = "load", 1
    summary = "element of a memory; [index] or [index, enable], undefined if not enabled"


class Store(Access):
    __slots__ = ()
    slug, enable_at, rule = "store", 2, "none"
    summary = "[index, value] or [index, value, enable]"
