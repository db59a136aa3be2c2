# SPDX-License-Identifier: Apache-2.0
"""Loading the compiler, which takes longer than everything that a finished build needs."""

from __future__ import annotations

import resource
from importlib import import_module

from tandem.diagnostics import user_error
from tandem.signals import kept

LEAST_ADDRESS_SPACE_BYTES = 512 << 20
"""Below this, libraries that the compiler loads end the process by themselves."""


def load_compiler() -> None:
    """Imports all that compiling needs. Raises UserError where a limit forbids it."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= limit < LEAST_ADDRESS_SPACE_BYTES:
        raise user_error(
            "memory",
            f"the limit on memory is {limit >> 20} MiB",
            help=f"raise it to {LEAST_ADDRESS_SPACE_BYTES >> 20} MiB or more (ulimit -v)",
        )
    with kept():
        import_module("tandem.package")
