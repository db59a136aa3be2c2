# SPDX-License-Identifier: Apache-2.0
"""Names of C as names that every tool reads: ASCII letters, digits and underscores."""

from __future__ import annotations

import re
from collections.abc import Collection

_FOREIGN = re.compile(r"[^A-Za-z0-9_]|_(?=u[0-9a-f]+_)")


def spelled(name: str) -> str:
    """A C name with every other character spelled out: `größe` is `gr_uf6__udf_e`. Different names
    stay different."""
    return _FOREIGN.sub(lambda match: f"_u{ord(match[0]):x}_", name)


def plain(name: str, otherwise: str) -> str:
    """A readable name with every other character an underscore; two names may become one. Where
    nothing readable is left, `otherwise`."""
    cleaned = re.sub(r"[^A-Za-z0-9_]", "_", name).strip("_")
    return cleaned if cleaned and not cleaned[0].isdigit() else otherwise


def unused_name(name: str, taken: Collection[str]) -> str:
    """The name, with underscores until it is none of those that are taken."""
    while name in taken:
        name += "_"
    return name


def port_stem(name: str) -> str:
    """A memory's name, which begins those of its ports: `x_read` would have the ports of `x`."""
    return f"{name}_" if name.endswith(("_read", "_write")) else name


_OF_CLANG = re.compile(
    r"(add|sub|mul|shl|shr|or|and|xor|conv|cmp|tobool|inc|dec|rem|div|idx|arrayidx|sh|not|neg|call|"
    r"indvars|exitcond|reass|lnot|land|lor|cond|spec|sext|zext|trunc|narrow|retval|l?ftr|tmp)\d*|\d+|"
)


def is_told_by_clang(name: str) -> bool:
    """Whether it is a name that clang gives to a value in the midst of an expression: it tells a
    reader nothing."""
    return _OF_CLANG.fullmatch(name) is not None


def shown_name(value: str) -> str:
    """A value's name without what only keeps it apart from others of the variable."""
    variable, _, rest = value.partition(".")
    return variable if rest and not rest[0].isdigit() and is_told_by_clang(rest) else value
