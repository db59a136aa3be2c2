# SPDX-License-Identifier: Apache-2.0
"""Where Tandem's own files are, in a checkout and in an installed wheel alike."""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "data"
ENGINE = HERE / "_engine" / "tandem" / "libtandem.so"
DEFAULT_PLATFORM = "pcie3-x16-xdma"
"""The platform where none is named: to a command, from Python, in a budget, to `tandem cc`."""
IS_DEFAULT = "(the default; --platform names another)"
"""What is told behind its name where nobody has named it."""


@functools.cache
def tandem_version() -> str:
    """The version of the installed distribution; the engine has the same."""
    try:
        return version("tandem-accel")
    except PackageNotFoundError:
        return "0.0.0"


def data_file(folder: str, name: str) -> Path:
    """A file of one of the data folders: platforms, targets, library, include, studies."""
    return DATA / folder / name


def known(folder: str) -> list[str]:
    """The names of the TOML files in a data folder, sorted."""
    return sorted(p.stem for p in (DATA / folder).glob("*.toml"))
