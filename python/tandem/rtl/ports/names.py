# SPDX-License-Identifier: Apache-2.0
"""What ports are called."""

WHOLE_NAMES = ("value",)
"""Roles that the name of the argument stands for."""


def signal_name(stem: str, role: str) -> str:
    """The port of an argument that has this role; `stem` is what its ports begin with."""
    if role in WHOLE_NAMES:
        return stem
    return f"{stem}_{role}" if stem else role
