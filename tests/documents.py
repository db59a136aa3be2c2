# SPDX-License-Identifier: Apache-2.0
"""What pages of docs/ have a reader type, and how that is done for them.

A block ```LANGUAGE title="FILE" is written to that file. A block ```console has commands behind
`$ `, which go on in the next line where one ends with a backslash, and what they print: lines in
which `...` stands for anything, and of which one that is `...` alone stands for any lines. All
commands of a page run in one shell, so that `cd` and variables stay. A block behind
<!-- not run: REASON --> is for readers alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MARK, TITLE = r"(<!-- not run: .+ -->\n)?", r'(?: title="([^"]+)")?'
BLOCK = re.compile(rf"^{MARK}```(\w*){TITLE}\n(.*?)^```$", re.M | re.S)
ENDS = "== ended"
"""What the shell prints behind each command."""


@dataclass(frozen=True)
class Block:
    """A block of code. `title`: the file that it is, or empty."""

    language: str
    title: str
    text: str
    is_run: bool


def blocks_of(document: str) -> list[Block]:
    """The blocks of a page of the repository."""
    found = BLOCK.findall((ROOT / document).read_text())
    return [Block(language, title, text, not mark) for mark, language, title, text in found]


def copy_into(folder: Path) -> None:
    """All that is kept in the repository, without what was built here."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command as a user types it, with this Tandem first on the path."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )


@dataclass(frozen=True)
class Told:
    """A command, and the lines that a page says it prints."""

    command: str
    lines: tuple[str, ...]


def told_of(block: Block) -> Iterator[Told]:
    """The commands of a block."""
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        command, _, rest = part.partition("\n")
        while command.endswith("\\"):
            more, _, rest = rest.partition("\n")
            command = f"{command[:-1]} {more.strip()}"
        yield Told(command, tuple(line.rstrip() for line in rest.rstrip().splitlines()))


def unlike(document: str, folder: Path) -> list[str]:
    """What a page's commands do otherwise than it says, when a reader types them in `folder`."""
    script, told = script_of(document)
    done = shell(script, folder)
    printed = done.stdout.split(f"\n{ENDS}\n")
    if done.returncode:
        return [f"{told[len(printed) - 1].command}: {done.returncode}: {done.stderr[-2000:]}"]
    pairs = zip(told, printed[:-1], strict=True)
    return [f"{o.command}: {text}" for o, text in pairs if not is_as_told(text, o.lines)]


def script_of(document: str) -> tuple[str, list[Told]]:
    """A shell's script of a page's files and commands, and these."""
    script, told = ["set -e"], []
    for block in filter(lambda block: block.is_run, blocks_of(document)):
        if block.title:
            script.append(f"cat > '{block.title}' <<'{ENDS}'\n{block.text}{ENDS}")
        elif block.language == "console":
            told += told_of(block)
            script += [f"{one.command}\necho; echo '{ENDS}'" for one in told_of(block)]
    return "\n".join(script), told


def is_as_told(printed: str, lines: tuple[str, ...]) -> bool:
    """Whether a command printed these lines."""
    text = "".join(f"{line.rstrip()}\n" for line in printed.strip().splitlines())
    pattern = (r"(?:.*\n)*?" if line == "..." else f"{_pattern(line)}\n" for line in lines)
    return re.fullmatch("".join(pattern), text) is not None


def _pattern(line: str) -> str:
    """A line in which `...` is anything, and blanks are as many as there are."""
    parts = re.split(r" *\.\.\. *", line)
    return r"[^\n]*?".join(r" +".join(map(re.escape, re.split(" +", part))) for part in parts)
