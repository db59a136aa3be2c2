# SPDX-License-Identifier: Apache-2.0
"""Files of a project as its own compiler would compile them, with what offloading needs in each
object."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tandem.diagnostics import user_error
from tandem.frontend.clang import WARNINGS, clang_command, clang_environment
from tandem.frontend.clang_errors import disk_full, has_no_room
from tandem.frontend.directives.asked import asked_beside
from tandem.frontend.program import CFile
from tandem.host.invocation import Invocation, parse
from tandem.host.linker import taken_words
from tandem.host.units import keep
from tandem.languages.modules import translate_all
from tandem.signals import signal_name


def compile_files(call: Invocation) -> int:
    """Does what is asked of the compiler, which links nothing; its exit status."""
    status = run_compiler(call.words, call.cxx)
    if status == 0 and call.compiles:
        for source in call.sources:
            _keep(call, source)
    return status


def run_compiler(words: Sequence[str], cxx: bool) -> int:
    """Runs the compiler itself, its streams the caller's; its exit status.

    Raises UserError where it dies, or finds no room, which it may not say."""
    sys.stdout.flush()
    command = [*clang_command(cxx), *WARNINGS, *taken_words(words)]
    with clang_environment() as environment:
        status = subprocess.run(command, env=environment).returncode
        written = [Path(), Path(tempfile.gettempdir()), Path(environment["ZIG_GLOBAL_CACHE_DIR"])]
    outputs = parse(words, cxx, {}).outputs()
    if has_no_room(status, [*written, *(path.parent for _, path in outputs)]):
        raise disk_full()
    if status < 0:
        text = f"the compiler died of {signal_name(-status)}"
        raise user_error("compiler", text, help="see that limits (ulimit) leave room")
    return status


def _keep(call: Invocation, source: str) -> None:
    """Adds to an object what offloading needs."""
    place = Path(call.output or Path(source).with_suffix(".o").name)
    if not place.is_file():
        return
    file = CFile(Path(source), call.c_flags(), asked_beside(Path(source)))
    (module,), _, notes = translate_all([file])
    for note in notes:
        print(note, file=sys.stderr)
    keep(place, file, Path.cwd(), module)


def compiled_inputs(call: Invocation, folder: Path) -> list[str] | int:
    """The words of a link with its C files compiled into objects in `folder`; the compiler's exit
    status where it fails."""
    words = list(call.words)
    for number, source in enumerate(call.sources):
        target = folder / f"source{number}.o"
        alone = [*call.c_flags(), "-c", source, "-o", str(target)]
        status = compile_files(parse(alone, call.cxx, os.environ))
        if status:
            return status
        words[words.index(source)] = str(target)
    return words
