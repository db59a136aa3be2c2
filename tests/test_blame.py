# SPDX-License-Identifier: Apache-2.0
"""Whose fault a difference is: the C's where its behaviour is undefined, else ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tandem
from tandem.diagnostics import UserError
from tandem.host.blame import undefined_behaviour
from tandem.languages.discovery import find_program

PROGRAMS = sorted((Path(__file__).parent / "programs" / "undefined").glob("*.c"))


@pytest.mark.parametrize("main", PROGRAMS, ids=lambda path: path.stem)
def test_undefined_c_is_the_cs_fault(main: Path) -> None:
    wanted = re.findall(r"says: (.*)", main.read_text())[0]
    with pytest.raises(UserError) as error:
        tandem.verify(main, "f")
    found = error.value.diagnostics[0]
    assert (found.code, wanted in found.message) == ("undefined", True), found
    assert found.place is not None and found.place.file == str(main) and found.place.line > 3
    assert "the hardware's result differs" in error.value.diagnostics[1].message


def test_good_c_is_not_blamed(tmp_path: Path) -> None:
    main = tmp_path / "main.c"
    main.write_text("#include <stdio.h>\nint main(void) { int a[3] = {1}; return a[1]; }\n")
    assert undefined_behaviour(find_program(main), []) is None


UNSET = r"""
#include <stdio.h>

int f(const int *in, int n, int *out)
{
    int seen[8], sum = 0;
    for (int i = 0; i < n; i++)
        seen[in[i] & 7] = i + 1;
    for (int i = 0; i < 8; i++)
        sum += out[i] = seen[i];
    return sum;
}

static int stack_with_something_in_it(int n)
{
    volatile char full[4096];
    for (int i = 0; i < 4096; i++)
        full[i] = (char)(i * n + 1);
    return full[n];
}

int main(void)
{
    int in[4] = {1, 5, 6, 2}, out[8];
    int something = stack_with_something_in_it(3);
    printf("%d %d\n", something, f(in, 4, out) != 0);
    return 0;
}
"""


def test_an_element_that_was_never_set_is_the_cs_fault(tmp_path: Path) -> None:
    main = tmp_path / "main.c"
    main.write_text(UNSET)
    with pytest.raises(UserError) as error:
        tandem.verify(main, "f")
    found, difference = error.value.diagnostics
    assert found.code == "undefined" and "was never set" in found.message
    assert "the hardware's out differs" in difference.message
