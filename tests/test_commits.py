# SPDX-License-Identifier: Apache-2.0
"""`tandem compare --of`: the same command in two commits."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from test_schemas import holds
from trial import good, refused, tandem


def committed(folder: Path, text: str) -> None:
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "f.c").write_text(text)
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    for words in (("add", "-A"), (*who, "commit", "--quiet", "--message", "a step")):
        subprocess.run(["git", *words], cwd=folder, check=True)


SUM = """#pragma tandem extent(in, n)
unsigned f(const unsigned char *in, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += in[i]%s;
    return sum;
}
"""


def test_commits_are_compared(tmp_path: Path) -> None:
    """As they were committed, whatever the folder holds now."""
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    committed(tmp_path, SUM % "")
    committed(tmp_path, SUM % " * in[i] * in[i]")
    (tmp_path / "src" / "f.c").write_text("not C")
    of = ("--of", "build f.c --top f")
    done = tandem("compare", "HEAD~1", "HEAD", *of, "--json", cwd=tmp_path / "src")
    good(done)
    found = json.loads(done.stdout)
    holds("compare", found)
    assert (found["before"], found["after"]) == ("HEAD~1", "HEAD")
    area = next(row for row in found["rows"] if row["name"] == "dsp")
    assert area["after"] > area["before"] == 0 and area["verdict"] == "worse"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", "src"]


def test_what_is_no_commit(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    committed(tmp_path, SUM % "")
    build = ("--of", "build src/f.c --top g")
    refused(tandem("compare", "HEAD", "nothing", *build, cwd=tmp_path), "`g`")
    build = ("--of", "build src/f.c --top f")
    refused(tandem("compare", "HEAD", "nothing", *build, cwd=tmp_path), "`nothing` is no commit")
    refused(tandem("compare", *build, "--", "--all", "HEAD", cwd=tmp_path), "no commit")
    refused(
        tandem("compare", "HEAD", "HEAD", "--of", "rm -r .", cwd=tmp_path), "none whose results"
    )
    refused(tandem("compare", "HEAD", "HEAD", "--of", "build '", cwd=tmp_path), "--of")
