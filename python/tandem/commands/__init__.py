# SPDX-License-Identifier: Apache-2.0
"""The command line. Each command is one thin file; the library does the work.

Little is imported here: signals are taken over before anything that takes time."""

from __future__ import annotations

import contextlib
import os
import sys

from tandem import garbage, signals


def main() -> None:
    """Runs the command; whatever goes wrong becomes a text on standard error and the exit
    status."""
    signals.install()
    garbage.collect_seldom()
    status = 0
    try:
        _require_streams()
        status = exit_status()
    except signals.Stopped as stopped:
        _say(f"tandem: stopped by {signals.signal_name(stopped.number)}")
        status = stopped.exit_status
    signals.ignore()
    sys.exit(status)


def exit_status() -> int:
    """That of the command of `sys.argv`, which is run."""
    from tandem.commands import failures, result

    try:
        status = _command()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except Exception as error:
        status, text = failures.told(error, sys.argv)
        if getattr(error, "result", None) is None:  # else that has been printed
            result.show_errors(failures.errors_of(error), status, sys.argv)
        _say(text)
    return failures.flushed(status, _say)


def _command() -> int:
    from tandem.commands import cc

    if sys.argv[1:2] and sys.argv[1] in cc.NAMES:
        return cc.run(sys.argv[1], sys.argv[2:])
    from tandem.commands import usage
    from tandem.commands.application import application

    try:
        return application(standalone_mode=False) or 0
    except usage.UsageError as error:
        if not usage.is_only_help(error):
            raise usage.diagnosed(error, sys.argv) from error
        return error.exit_code


def _require_streams() -> None:
    """A closed standard stream is opened on nothing: else the next file would take its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        # What an encoding cannot show is escaped.
        sys.stdout.reconfigure(errors="backslashreplace")  # pyright: ignore


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # else there is nobody to tell
        print(text, file=sys.stderr, flush=True)
