# SPDX-License-Identifier: Apache-2.0
"""Whatever can go wrong, as a text and an exit status: whose fault it is, and what helps."""

from __future__ import annotations

import errno
import os
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence

from tandem.diagnostics import Diagnostic, InternalError, TandemError, UserError, user_error

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
SHOWN_FRAMES = 30
NO_MEMORY = ("failed to map segment", "annot allocate memory")


def told(error: Exception, command: Sequence[str]) -> tuple[int, str]:
    """The exit status and the text for an exception that reached the command line."""
    known = error if isinstance(error, TandemError) else _classified(error)
    if known is None:
        return InternalError.exit_status, _fault(error, command)
    if isinstance(known, InternalError):
        return known.exit_status, f"{known}\n{_plea(command)}"
    return known.exit_status, str(known)


def errors_of(error: Exception) -> Sequence[Diagnostic]:
    """The diagnostics of an exception that reached the command line."""
    known = error if isinstance(error, TandemError) else _classified(error)
    return [_internal(error)] if known is None else known.diagnostics


def _internal(error: Exception) -> Diagnostic:
    return Diagnostic("internal", f"{type(error).__name__}: {error}")


def _classified(error: Exception) -> UserError | None:
    """What the user or the system is to blame for, as a diagnostic; None for a fault of ours."""
    if isinstance(error, MemoryError) or _is_out_of_memory(error):
        return user_error("memory", "there is not enough memory", help="raise the limit (ulimit)")
    if isinstance(error, RecursionError):
        return user_error("too-deep", "the C nests too deeply", help="split the expression")
    if isinstance(error, ImportError):
        cure = "install Tandem again: python -m pip install --force-reinstall tandem-accel"
        return user_error("installation", f"cannot load a part of Tandem: {error}", help=cure)
    if isinstance(error, UnicodeError):
        return user_error("encoding", f"cannot read a text: {error}", help="save it as UTF-8")
    if isinstance(error, OSError) and error.errno in FULL:
        cure = "free some space, or choose another folder with -o or $TMPDIR"
        return user_error("disk-full", f"cannot write: {_system_text(error)}", help=cure)
    if isinstance(error, OSError):
        cure = "see that the file can be used, and that limits (ulimit) leave room"
        return user_error("system", _system_text(error), help=cure)
    return None


def _is_out_of_memory(error: Exception) -> bool:
    text = str(error)
    return isinstance(error, ImportError | OSError) and any(word in text for word in NO_MEMORY)


def _system_text(error: OSError) -> str:
    name = f": {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else ""
    return f"{error.strerror or error}{name}"


def _fault(error: Exception, command: Sequence[str]) -> str:
    frames = "".join(traceback.format_exception(error, limit=-SHOWN_FRAMES))
    return f"{_internal(error)}\n{_plea(command, _written(frames, command))}"


def _plea(command: Sequence[str], file: str = "") -> str:
    more = f" and {file}" if file else ""
    return (
        f"this is a fault of Tandem's own; please report it with the C that shows it{more}\n"
        f"  {_who(command)}"
    )


def _who(command: Sequence[str]) -> str:
    from tandem.installation import tandem_version

    words = ["tandem", *command[1:]]
    return f"tandem {tandem_version()}, command: {shlex.join(words)}"


def _written(frames: str, command: Sequence[str]) -> str:
    """The name of a new file with the last frames; no name where it cannot be written."""
    try:
        handle, name = tempfile.mkstemp(prefix="tandem-fault-", suffix=".txt")
        with os.fdopen(handle, "w", errors="backslashreplace") as file:
            file.write(f"{_who(command)}\npython {sys.version}\n\n{frames}")
    except OSError:
        return ""
    return name


def flushed(status: int, say: Callable[[str], None]) -> int:
    """The exit status after what was printed has reached its reader."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
    except (OSError, ValueError) as error:
        _drop_output()
        text = f"cannot write to standard output: {error}"
        say(str(user_error("cannot-write", text, help="send the output elsewhere")))
        return status or UserError.exit_status
    return status


def _drop_output() -> None:
    """So that the interpreter does not try again at its end."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
