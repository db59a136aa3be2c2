# SPDX-License-Identifier: Apache-2.0
"""Annotations that are fitted to what calls touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tandem.report.annotations import needed_annotations
from trial import good, source, tandem

WIDE = """#include <stdint.h>
void pick(const uint32_t *table, const uint8_t *at, uint32_t *out, unsigned rows, unsigned columns)
{
    unsigned last = 0;
    for (unsigned i = 0; i < rows; i++)
        last = at[last & 0xff];
    for (unsigned i = last; i < last + 1; i++)
        out[i] = table[i];
}
"""


def row(name: str, **changes: Any) -> dict[str, Any]:
    given = {"name": name, "kind": "scalar", "direction": "in", "reads": True, "element_bytes": 4}
    given["is_parameter"] = True
    sizes = {"extent": "exact", "bytes": 4, "largest_bytes": 4, "touched_bytes": 4}
    return {**given, **sizes, **changes}


def pragma(*calls: tuple[int, int, int], element_bytes: int = 1, holds: int = 0) -> str:
    """The annotation of `a`, given (bytes touched, p, q) of each call, and how much the array is
    known to have."""
    most = max(touched for touched, _, _ in calls)
    array = {"kind": "memory", "extent": "observed", "touched_bytes": most}
    array |= {"largest_bytes": holds or 1 << 40}
    rows = [row("a", element_bytes=element_bytes, **array), row("p"), row("q")]
    seen = [{"scalars": [0, p, q], "touched_bytes": [t, 4, 4]} for t, p, q in calls]
    kernel = {"name": "f", "arguments": {"rows": rows, "seen": seen}}
    (found,) = needed_annotations(kernel)
    assert found["calls"] == len(calls)
    text = found["pragma"].removeprefix("#pragma tandem extent(a, ").removesuffix(")")
    for touched, p, q in calls:
        assert eval(text, {"p": p, "q": q}) >= touched
    return text


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        ([(100, 1, 2), (100, 5, 7)], "100"),
        ([(40, 10, 3), (80, 20, 3), (400, 100, 9)], "4 * p"),
        ([(44, 10, 3), (84, 20, 8), (404, 100, 9)], "4 * p + 4"),
        ([(36, 10, 3), (76, 20, 8), (396, 100, 9)], "4 * p - 4"),
        ([(30, 10, 3), (160, 20, 8), (900, 100, 9)], "p * q"),
        ([(34, 10, 3), (164, 20, 8), (904, 100, 9)], "p * q + 4"),
        ([(100, 10, 3), (400, 20, 3), (25, 5, 3)], "p * p"),
        ([(21, 10, 3), (161, 20, 9), (701, 100, 8), (13, 3, 5)], "p * q - p + 1"),
        ([(26, 10, 3), (52, 20, 9), (211, 100, 8), (14, 5, 1)], "2 * p + q + 3"),
        ([(19, 10, 3), (31, 20, 9), (150, 100, 8), (7, 5, 1)], "2 * p"),
        ([(7, 10, 3), (9000, 20, 9), (1, 100, 8), (3, 5, 1)], "9000"),
        ([(1, 1 << 31, 3), (2, (1 << 32) - 2, 3)], "2"),
        ([(44, 10, 3), (84, 20, 8)], "84"),
        ([(640, 160, 3)], "640"),
        ([(6392, 1, 3), (6368, 2, 9), (6344, 3, 50)], "6392"),
    ],
)
def test_what_is_fitted(calls: list[tuple[int, int, int]], text: str) -> None:
    assert pragma(*calls, element_bytes=4) == text


def test_no_more_is_asked_for_than_an_array_has() -> None:
    calls = [(19, 10, 3), (31, 20, 9), (150, 100, 8), (7, 5, 1)]
    assert pragma(*calls, holds=200) == "2 * p" and pragma(*calls, holds=190) == "150"


def test_what_no_parameter_is_stands_in_no_annotation() -> None:
    rows = [row("a", kind="memory", extent="observed", touched_bytes=80), row("has_a")]
    rows[1]["is_parameter"] = False
    seen = [{"scalars": [0, n], "touched_bytes": [4 * n, 1]} for n in (5, 10, 20)]
    (found,) = needed_annotations({"name": "f", "arguments": {"rows": rows, "seen": seen}})
    assert found["pragma"] == "#pragma tandem extent(a, 80)"


def test_a_verification_tells_of_each_kernel(tmp_path: Path) -> None:
    other = "void twice(uint32_t *o, int n) { for (int i = 0; i < n; i++) o[i] *= 2; }\n"
    main = "int main(void) { static uint32_t t[9], o[9]; static uint8_t a[256];\n"
    main += "twice(o, 3); a[0] = 5; pick(t, a, o, 1, 2); return 0; }\n"
    source(tmp_path, WIDE + other + main)
    words = ["verify", "app.c", "--offload", "twice", "--offload", "pick", "--json"]
    done = tandem(*words, cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    names = [[row["name"] for row in k["arguments"]["rows"]] for k in found["kernels"]]
    assert [k["name"] for k in found["kernels"]] == ["twice", "pick"]
    assert names[0] == ["o", "n"] and "table" in names[1]
    assert {row["kernel"] for row in found["annotations"]} == {"pick"}


def test_an_observed_array_in_a_run_and_a_verification(tmp_path: Path) -> None:
    main = "int main(void) { static uint32_t t[9], o[9]; static uint8_t a[256];\n"
    main += "a[0] = 5; a[5] = 7; pick(t, a, o, 1, 2); pick(t, a, o, 2, 3); return 0; }\n"
    source(tmp_path, WIDE + main)
    done = tandem("run", "app.c", "--offload", "pick", "--json", cwd=tmp_path)
    good(done)
    found = {r["name"]: r["pragma"] for r in json.loads(done.stdout)["annotations"]}
    assert found["table"] == "#pragma tandem extent(table, 32)"
    done = tandem("verify", "app.c", "--offload", "pick", cwd=tmp_path)
    good(done)
    assert f"`table`: only each call tells how much is used; a driver needs {found['table']}" in (
        done.stdout.replace("\n", " ")
    )
    assert "`out` goes both ways: parts of it may stay as they were" in done.stdout
    annotated = WIDE.replace("void", "#pragma tandem extent(table, 8 * rows + 400)\nvoid", 1)
    source(tmp_path, annotated + main)
    done = tandem("run", "app.c", "--offload", "pick", cwd=tmp_path)
    good(done)
    assert "416 bytes are declared, calls touch at most 32: a smaller" in done.stdout
