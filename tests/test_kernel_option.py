# SPDX-License-Identifier: Apache-2.0
"""`--kernel`: a kernel of the library in an application of the user's, or in one that is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tandem.languages.discovery import Given, find_program
from tandem.library.asked import asked, with_kernel
from tandem.library.manifests import find_kernel
from trial import good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")
KERNEL = "present80_encrypt"
CALL = """
int main(void)
{
    unsigned char key[10] = {0}, plain[8] = {0}, cipher[8];
    present80_encrypt(key, plain, cipher);
    return cipher[0] != 0x55;
}
"""
DECLARED = "void present80_encrypt(const unsigned char *, const unsigned char *, unsigned char *);"
OWN = """
void present80_encrypt(const unsigned char key[10], const unsigned char plain[8],
                       unsigned char cipher[8])
{
    for (int i = 0; i < 8; i++)
        cipher[i] = (key[i] ^ plain[i]) + 0x55;
}
"""


def files(main: Path) -> list[str]:
    """The program's, with the kernel asked for."""
    program = find_program(main, with_kernel(find_kernel(KERNEL), Given()))
    return [path.name for path in program.paths]


@pytest.mark.parametrize(
    ("text", "brought"),
    [
        ('#include "present.h"' + CALL, ["app.c", "present.c"]),
        (DECLARED + CALL, ["app.c", "present.c"]),
        (OWN + CALL, ["app.c"]),
    ],
)
def test_the_librarys_c_is_added_where_there_is_none(
    text: str, brought: list[str], tmp_path: Path
) -> None:
    assert files(source(tmp_path, text)) == brought
    done = tandem("verify", "app.c", "--kernel", KERNEL, cwd=tmp_path)
    good(done)
    assert f"{KERNEL}: 1 calls" in done.stdout


def test_what_the_librarys_c_includes_comes_with_it(tmp_path: Path) -> None:
    main = source(tmp_path, "int main(void) { return 0; }\n")
    program = find_program(main, with_kernel(find_kernel("des3_encrypt"), Given()))
    assert [path.name for path in program.paths] == ["app.c", "des3.c", "des.c"]


def test_named_sources_get_it_too(tmp_path: Path) -> None:
    source(tmp_path, "int other(void) { return 1; }\n", "other.c")
    main = source(tmp_path, DECLARED + CALL)
    given = Given(sources=(tmp_path / "other.c",))
    program = find_program(main, with_kernel(find_kernel(KERNEL), given))
    assert [path.name for path in program.paths] == ["app.c", "other.c", "present.c"]


def test_an_application_is_made(tmp_path: Path) -> None:
    words = ["--kernel", KERNEL, "--units", "20", "--platform", "pcie3-x16"]
    done = tandem("run", *words, cwd=tmp_path)
    good(done)
    assert "known answers: 4 of 4 right\n20 blocks, checksum " in done.stdout
    assert f"{KERNEL} on Accelerator card on PCIe" in done.stdout and "bottleneck: " in done.stdout
    assert list(tmp_path.iterdir()) == []
    done = tandem("verify", *words, "--json", cwd=tmp_path)
    good(done)
    result = json.loads(done.stdout)
    assert (result["checked_calls"], result["cycles"]) == (24, 24 * 33)


def test_it_is_made_where_no_build_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANDEM_CACHE", "off")
    with asked(KERNEL, None, given=Given(), units=7) as job:
        assert (job.offload, job.arguments) == ((KERNEL,), ("7",))
        assert "int main(" in job.application.read_text()
    assert not job.application.exists()


def test_others_are_offloaded_beside_it(tmp_path: Path) -> None:
    main = source(tmp_path)
    with asked(KERNEL, main, ["scale", KERNEL], ["x"], given=Given()) as job:
        assert (job.offload, job.arguments) == ((KERNEL, "scale"), ("x",))


def test_build(tmp_path: Path) -> None:
    """At the clock at which the library's figures are so, or the one asked for."""
    done = tandem("build", "--kernel", "des_search", "--json", cwd=tmp_path)
    good(done)
    result = json.loads(done.stdout)
    assert (result["kernel"], result["clock_ns"], result["ii"]) == ("des_search", 10, 1)
    done = tandem("build", "--kernel", KERNEL, "--clock-ns", "30", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["clock_ns"] == 30


@pytest.mark.parametrize("command", ["run", "verify", "build"])
def test_an_unknown_kernel(command: str, tmp_path: Path) -> None:
    done = tandem(command, "--kernel", "aes128_crt", cwd=tmp_path)
    refused(done, "error[kernel]: no kernel `aes128_crt` in the library", "`aes128_ctr`")
    refused(tandem(command, "--kernel", "", cwd=tmp_path), "error[kernel]: no kernel ``")
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_go_together(tmp_path: Path) -> None:
    main = source(tmp_path)
    refused(tandem("run", cwd=tmp_path), "application is missing", "or --kernel NAME")
    refused(tandem("verify", cwd=tmp_path), "application is missing", "or --kernel NAME")
    refused(tandem("build", cwd=tmp_path), "source is missing", "or --kernel NAME")
    done = tandem("run", main, "--offload", "scale", "--units", "3", cwd=tmp_path)
    refused(done, "--units is of the application that is made", "give --kernel")
    done = tandem("run", main, "--kernel", KERNEL, "--units", "3", cwd=tmp_path)
    refused(done, "--units is of the application that is made", "leave out the application")
    refused(tandem("run", "--kernel", KERNEL, "--units", "0", cwd=tmp_path), "--units")
    done = tandem("build", "--kernel", KERNEL, "--top", "scale", cwd=tmp_path)
    refused(done, "--top is the name of a function, as --kernel is", "give one of the two")


def test_on_a_chip(tmp_path: Path) -> None:
    words = ["--kernel", KERNEL, "--units", "3", "--platform", "picorv32-chip"]
    done = tandem("run", *words, cwd=tmp_path)
    good(done)
    assert "known answers: 4 of 4 right\n3 blocks, checksum " in done.stdout
