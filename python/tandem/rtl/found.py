# SPDX-License-Identifier: Apache-2.0
"""What is found by listing a folder: each file of it is one of a kind, and nothing else names
it."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Any


def found(package: ModuleType, name: str) -> dict[str, Any]:
    """What the files of a package call so, by its own name, in the order of their places."""
    files = [f"{package.__name__}.{info.name}" for info in pkgutil.iter_modules(package.__path__)]
    said = [getattr(import_module(file), name) for file in files]
    return {one.name: one for one in sorted(said, key=lambda one: (one.place, one.name))}
