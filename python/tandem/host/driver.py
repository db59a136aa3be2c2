# SPDX-License-Identifier: Apache-2.0
"""`tandem cc` and `tandem c++`: the compiler of a project's own Makefile or CMake.

Each file is compiled as the project says, by clang; into its object goes what offloading needs (the
LLVM IR, and where it came from). When an executable is linked and functions are named (`--offload
F`, or TANDEM_OFFLOAD), their calls are led to stubs, as `tandem run` does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from tandem.host.compiling import compile_files, run_compiler
from tandem.host.invocation import Invocation, parse


def compile_or_link(words: Sequence[str], cxx: bool) -> int:
    """What a compiler does with these words; its exit status.

    Raises UserError where it would write over what it reads."""
    call = parse(words, cxx, os.environ)
    call.require_outputs()
    if call.links:
        from tandem.host.linked import keep_program

        status = _link(call)
        if status == 0:
            keep_program(call)
        return status
    return compile_files(call)


def _link(call: Invocation) -> int:
    if not call.offloads:
        return run_compiler(call.words, call.cxx)
    from tandem.host.relink import link

    return link(call)
