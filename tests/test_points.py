# SPDX-License-Identifier: Apache-2.0
"""Design points: the same refinements in a file and in the source are one kernel, and what no
program has is refused by its name."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from seeds import seeds
from tandem.compiler.bisect import bisect
from tandem.compiler.compile import compile_kernel, find_target
from tandem.compiler.point import Point, Refinement, Spot, read_point
from tandem.frontend.program import Program
from tandem.interface import compile
from tandem.passes.refinements import KERNEL, KINDS, LOOP, TABLE
from trial import good, refused, tandem

pytestmark = pytest.mark.usefixtures("cache")
KERNELS = Path(__file__).parent / "ladder"
UNROLLED: dict[str, Any] = {"refine": "unroll", "file": "fir.c", "line": 8, "column": 9}
NARROW = {"refine": "narrow-widths"}


def fir(folder: Path, text: str = "") -> Path:
    path = folder / "fir.c"
    path.write_text(text or (KERNELS / "fir.c").read_text())
    return path


def point(folder: Path, *rows: Any, **members: Any) -> Path:
    path = folder / "point.json"
    value = {"format": "tandem-point", "format_version": 1, "kernel": "fir"}
    path.write_text(json.dumps({**value, "refinements": rows, **members}))
    return path


def built(folder: Path, source: Path, *rows: Any) -> dict[str, Any]:
    made = compile(source, "fir", output=folder / "build", point=point(folder, *rows))
    return {name: made[name] for name in ("ii", "latency_cycles", "resources", "fmax_mhz")}


def test_a_directive_says_what_a_point_does(tmp_path: Path) -> None:
    """Each alone changes the kernel, and both together do what the source asks for."""
    base = built(tmp_path, fir(tmp_path))
    narrow = built(tmp_path, fir(tmp_path), NARROW)
    both = built(tmp_path, fir(tmp_path), NARROW, UNROLLED)
    assert base["resources"]["lut4"] > narrow["resources"]["lut4"]
    assert narrow["ii"] is None and both["ii"] is not None
    text = (KERNELS / "fir.c").read_text()
    text = text.replace("void fir", "#pragma tandem refine(narrow-widths)\nvoid fir")
    text = text.replace("        for", "#pragma tandem refine(unroll)\n        for")
    assert built(tmp_path, fir(tmp_path, text)) == both
    plain = text.replace("refine(unroll)", "unroll")
    assert built(tmp_path, fir(tmp_path, plain)) == both


def test_a_function_is_one_for_all_calls(tmp_path: Path) -> None:
    """By a point as by the directive; the base has a copy for each."""
    mix = "static unsigned mix(unsigned a, unsigned b) { return a * b ^ a / 3 ^ b % 5; }"
    head = "unsigned fir(unsigned a, unsigned b) { return mix(a, b) + mix(b, 3) + mix(a, 7); }"
    plain = fir(tmp_path, f"{mix}\n{head}\n")
    base = built(tmp_path, plain)
    shared = built(tmp_path, plain, {"refine": "inline-off", "function": "mix"})
    assert shared["resources"]["dsp"] < base["resources"]["dsp"]
    source = fir(tmp_path, f"#pragma tandem inline off\n{mix}\n{head}\n")
    assert built(tmp_path, source) == shared


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("name", ["blur", "histogram", "present"])
def test_any_refinements_go_together(monkeypatch: pytest.MonkeyPatch, name: str, seed: int) -> None:
    """Some of those that the kernel may have, taken at random, compute what the C does."""
    monkeypatch.setattr("tandem.compiler.bisect._is_cured", lambda *_: False)
    random, program = Random(seed), Program.of(KERNELS / f"{name}.c")
    target, base = find_target("ecp5"), Point(name)
    things = compile_kernel(program, name, target, 10_000, point=base).builds.things
    some = [Refinement(kind.name) for kind in KINDS.values() if kind.about == KERNEL]
    some = [r for r in some if not r.row.counts] + [
        Refinement(kind.name, spot, "", 2 if kind.counts else 0)
        for kind in KINDS.values()
        if kind.about == LOOP
        for spot in sorted(things.spots)
    ]
    some += [Refinement("copy-table", None, table) for table in sorted(things.tables)]
    point = base.also(*random.sample(some, random.randrange(len(some))))
    made = compile_kernel(program, name, target, 10_000, point=point)
    found = bisect(made.lineage, 2, seed).found
    assert found is None or "has not ended" in found.told, point  # a long call may become longer


def test_a_points_kernel_is_made_once_more(tmp_path: Path) -> None:
    """Stage by stage, as it was built: what is scheduled is what the last pass has left."""
    words = ["--point", point(tmp_path, NARROW), "--dump-ir", "stages"]
    fir(tmp_path)
    good(tandem("build", "fir.c", "--top", "fir", *words, cwd=tmp_path))
    names = [path.name for path in sorted((tmp_path / "stages").iterdir())]
    assert any("narrow-widths" in name for name in names)
    assert not any("unroll" in name or "bind-streams" in name for name in names)
    assert " ii=-1" in (tmp_path / "stages" / names[-1]).read_text()


def test_without_a_point_the_directive_is_told(tmp_path: Path) -> None:
    text = (KERNELS / "fir.c").read_text()
    words = "build", "fir.c", "--top", "fir", "--json"
    fir(tmp_path, text)
    plain = tandem(*words, cwd=tmp_path)
    fir(tmp_path, text.replace("    for (int i", "#pragma tandem refine(pipeline)\n    for (int i"))
    done = tandem(*words, cwd=tmp_path)
    good(done)
    result = json.loads(done.stdout)
    assert [n for n in result["notes"] if "refine(pipeline)" in n["message"] and n["line"] == 6]
    assert result["resources"] == json.loads(plain.stdout)["resources"]


def test_what_the_program_does_not_have(tmp_path: Path) -> None:
    fir(tmp_path)
    rows = [{**UNROLLED, "line": 7}, {"refine": "copy-table", "table": "sines"}]
    rows += [{"refine": "inline-off", "function": "mix"}]
    done = tandem(
        *("build", "fir.c", "--top", "fir", "--point", point(tmp_path, *rows)), cwd=tmp_path
    )
    refused(done, "point.json: error[point]", "fir.c:7:9", "table `sines`", "function `mix`")
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize(
    ("rows", "members", "told"),
    [
        ([{"refine": "magic"}], {}, "`magic` is no refinement; known are: pipeline"),
        ([{"refine": "unroll", "file": "fir.c", "line": 8}], {}, "needs a number `column`"),
        ([{**NARROW, "line": 3}], {}, "`line` is not known"),
        (
            [{"refine": "store-forwarding", "file": "fir.c", "line": 6, "column": 5}],
            {},
            "number `count`",
        ),
        ([7], {}, "`None` is no refinement"),
        ([], {"format": "tandem-package"}, 'no `"format": "tandem-point"`'),
        ([], {"format_version": 2}, "format version is not 1"),
        ([], {"kernel": "iir"}, "the point is one of `iir`, and `fir` is built"),
        ([], {"kernel": 3}, "it needs `kernel`"),
    ],
)
def test_points_that_are_none(tmp_path: Path, rows: Any, members: Any, told: str) -> None:
    fir(tmp_path)
    file = point(tmp_path, *rows, **members)
    done = tandem("build", "fir.c", "--top", "fir", "--point", file, cwd=tmp_path)
    refused(done, "point.json: error[point]", told)


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    fir(tmp_path)
    (tmp_path / "p").write_text("{")
    words = "build", "fir.c", "--top", "fir", "--point"
    refused(tandem(*words, "p", cwd=tmp_path), "p: error[point]: cannot read the design point")
    refused(tandem(*words, "absent", cwd=tmp_path), "absent: error[point]", "No such file")


@pytest.mark.parametrize(
    ("directive", "told"),
    [
        ("refine(magic)", "unknown directive"),
        ("refine(inline-off)", "unknown directive"),
        ("refine(store-forwarding)", "write `refine(store-forwarding, N)`"),
        ("refine(pipeline, 2)", "write `refine(pipeline)`"),
        ("refine(pipeline)", "stands before no loop"),
        ("refine(copy-table)", "write `refine(copy-table, TABLE)`"),
        ("refine pipeline", "unknown directive"),
    ],
)
def test_directives_that_are_none(tmp_path: Path, directive: str, told: str) -> None:
    text = (KERNELS / "fir.c").read_text()
    fir(tmp_path, text.replace("void fir", f"#pragma tandem {directive}\nvoid fir"))
    refused(tandem("build", "fir.c", "--top", "fir", cwd=tmp_path), "fir.c:4: error[pragma]", told)


def test_a_point_reads_as_it_was_written(tmp_path: Path) -> None:
    spot = Spot("a.c", 3, 5)
    rows = [
        Refinement(
            kind.name,
            spot if kind.about == LOOP else None,
            "t" if kind.about in (TABLE, "function") else "",
            2 if kind.counts else 0,
        )
        for kind in KINDS.values()
    ]
    path = tmp_path / "point.json"
    path.write_text(json.dumps(Point("f").also(*rows).json()))
    assert read_point(path).refinements == tuple(rows)


def test_every_refinement_is_documented() -> None:
    text = (Path(__file__).parents[1] / "docs" / "ladder.md").read_text()
    rows = [f"| `{k.name}` | {k.about} | {k.summary} |" for k in KINDS.values()]
    assert not [row for row in rows if row not in text]
