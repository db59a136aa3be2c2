# SPDX-License-Identifier: Apache-2.0
"""Results of the same command in two commits of a project, to be compared."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tandem.children import TANDEM, captured
from tandem.diagnostics import Place, user_error
from tandem.progress import stage

COMMANDS = ("build", "run", "verify")
"""Those whose results can be compared."""
LAST_LINES = 3


def command_words(text: str) -> list[str]:
    """The words of a command of `tandem`, without its name. Raises UserError for another one."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise _bad_command(text, str(error)) from error
    if words[:1] == ["tandem"]:
        words = words[1:]
    if not words or words[0] not in COMMANDS:
        raise _bad_command(text, "it is none whose results can be compared")
    return words


def _bad_command(text: str, why: str) -> Exception:
    cure = 'such as --of "build app.c --top f"; known are ' + ", ".join(COMMANDS)
    return user_error("compare", f"--of `{text}`: {why}", help=cure)


def result_of_commit(commit: str, words: Sequence[str], work: Path) -> Path:
    """The file with what a command of `tandem` prints in a commit of the project in the current
    folder, as that was committed; it is put into `work`.

    Raises UserError for what is no commit, and where the command fails there."""
    sha = _git(commit, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
    where = _git(commit, "rev-parse", "--show-toplevel", "--show-prefix").decode().split("\n")
    top, prefix, name = where[0], where[1], sha.decode().strip()[:12]
    files = work / name
    with tarfile.open(fileobj=io.BytesIO(_git(commit, "-C", top, "archive", name))) as archive:
        # Pythons before 3.11.4 have no filters, and no default for them.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(files)
    place = files / prefix
    if not place.is_dir():
        text = f"commit {commit} has no folder `{prefix}`"
        raise user_error("compare", text, help="go to a folder that both commits have")
    end = words.index("--") if "--" in words else len(words)
    command = [*TANDEM, *words[:end], "--json", *words[end:]]
    with stage(f"commit {commit}"):
        done = captured(command, cwd=place)
    if done.returncode:
        raise _failed(commit, done.stderr.decode("utf-8", "replace"), done.stdout)
    result = work / f"{name}.json"
    result.write_bytes(done.stdout)
    shutil.rmtree(files, ignore_errors=True)
    return result


def _git(commit: str, *words: str) -> bytes:
    """What git says of the project in the current folder."""
    try:
        done = captured(["git", *words])
    except OSError as error:
        text = f"commits are read by git, which cannot be run: {error.strerror}"
        raise user_error("compare", text, help="install git") from error
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines()
        text = f"`{commit}` is no commit here: {told[-1] if told else 'git says no more'}"
        raise user_error("compare", text, help="give two commits of the project in this folder")
    return done.stdout


def _failed(commit: str, told: str, printed: bytes) -> Exception:
    """What the command has said of its failure in a commit."""
    try:
        first = json.loads(printed)["errors"][0]
        place = Place(f"{first['file']} at {commit}", first["line"]) if first["file"] else None
        return user_error(first["code"], first["message"], place, first["help"])
    except (ValueError, LookupError, TypeError):
        last = " ".join(told.strip().splitlines()[-LAST_LINES:])
        return user_error("compare", f"the command fails in commit {commit}: {last}")
