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
