# SPDX-License-Identifier: Apache-2.0
"""The ladder of six kernels: the edit of each step, written into the source with all before it,
makes what the step told, and the right answers; the last step is the compiler's own kernel."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import tandem as tandem_of_python
from agreement import Values, check, packaged
from seeds import ALL, in_turn, sampled
from tandem.compiler.compile import Compiled, compile_kernel, find_target
from tandem.compiler.point import Point, read_point
from tandem.explore.ladder import Figures
from tandem.frontend.program import Program
from test_schemas import holds, validator
from trial import KERNEL, MAIN, Done, good, refused, source, tandem

KERNELS = Path(__file__).parent / "ladder"
NEAR = 0.05
"""By what part the figures of a step may differ from those of its edit."""
LEAST_SPEEDUP = {
    **{"fir": 40, "blur": 50, "product": 15, "histogram": 2, "present": 200},
    "des3": 200,
}
"""Of the last step over the first one."""
NAMES = [*LEAST_SPEEDUP] if ALL else ["blur", "histogram"]


@cache
def ladder(name: str, folder: Path) -> dict[str, Any]:
    return tandem_of_python.ladder(KERNELS / f"{name}.c", name, output=folder)


@pytest.fixture(scope="module", params=NAMES)
def climbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    name = request.param
    return name, ladder(name, tmp_path_factory.mktemp(name))


def edited(name: str, steps: list[dict[str, Any]], folder: Path) -> Iterator[tuple[int, Path]]:
    """The source after each step's edit."""
    path = folder / f"{name}.c"
    path.write_bytes((KERNELS / f"{name}.c").read_bytes())
    yield 0, path
    for number, step in enumerate(steps[1:], 1):
        words = ["patch", "-p1", "--no-backup-if-mismatch"]
        subprocess.run(words, input=step["edit"].encode(), cwd=folder, check=True)
        yield number, path


def at_base(path: Path) -> Compiled:
    """The kernel of a source with the refinements that it asks for, and no others."""
    program = Program.of(path)
    return compile_kernel(program, path.stem, find_target("ecp5"), 10_000, point=Point(path.stem))


def test_an_edit_makes_what_its_step_told(
    climbed: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    name, result = climbed
    base = 0.0
    for number, path in edited(name, result["steps"], tmp_path):
        step, made = result["steps"][number], Figures.of(at_base(path).schedule)
        base = base or made.cycles / step["cycles_an_item"]
        assert made.cycles / base == pytest.approx(step["cycles_an_item"], rel=NEAR), number
        assert made.lut4 == pytest.approx(step["lut4"], rel=NEAR), number
        assert made.ff == pytest.approx(step["ff"], rel=NEAR), number
        assert (made.dsp, made.bram) == (step["dsp"], step["bram"]), number


def test_every_step_is_right(climbed: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    """C, IR and RTL agree on values and cycles, and the first step takes as much longer than the
    last one as told."""
    name, result = climbed
    steps, random = result["steps"], Random(name)
    values, cycles = call(name, random), {}
    last = len(steps) - 1
    between = () if name == "des3" else sampled(range(1, last), 3)  # half a minute each
    for number, path in edited(name, steps, tmp_path):
        if number in (0, last, *between):
            folder = tmp_path / str(number)
            folder.mkdir()
            cycles[number] = check(packaged(at_base(path), folder), values).cycles
    told = steps[0]["cycles_an_item"] / steps[last]["cycles_an_item"]
    assert cycles[0] / cycles[last] > 0.25 * told
    assert steps[last]["speedup"] > LEAST_SPEEDUP[name]


def call(name: str, random: Random) -> Values:
    """A call of a kernel."""
    numbers = struct.pack("<1152f", *(random.randrange(100) for _ in range(1152)))
    key = {"high": random.getrandbits(64), "low": random.getrandbits(16)}
    some = random.randbytes
    return {
        "fir": {"in": some(158), "taps": some(32), "out": bytes(256), "count": 64},
        "blur": {"in": some(64 * 12), "out": bytes(64 * 12), "height": 12},
        "product": {"a": numbers[:2304], "b": numbers[2304:], "c": bytes(2304)},
        "histogram": {"in": some(700), "count": 700, "out": bytes(1024)},
        "present": {"in": some(80), "out": bytes(80), "blocks": 10, **key},
        "des3": {"in": some(160), "out": bytes(160), "blocks": 20, "keys": some(384)},
    }[name]


def test_steps_are_what_the_compiler_takes(climbed: tuple[str, dict[str, Any]]) -> None:
    """Each once, and all of them make the kernel that a build keeps; its points are in files."""
    _, result = climbed
    holds("ladder", result)
    steps, own = result["steps"], result["own"]
    for name in ("lut4", "ff", "dsp", "cycles_an_item"):
        assert steps[-1][name] == pytest.approx(own[name], rel=0.01)
    assert all(step["taken"] for step in steps[1:]) and not steps[0]["taken"]
    known = [row for step in steps for row in step["taken"]]
    assert (
        len(known)
        == len({json.dumps(row) for row in known})
        == len(steps[-1]["point"]["refinements"])
    )
    files = sorted(path.name for path in Path(result["folder"]).iterdir())
    assert len([f for f in files if f.endswith(".json")]) == len(steps)
    points = [Path(result["folder"]) / f for f in files if f.endswith(".json")]
    validator("point").validate(json.loads(points[-1].read_text()))
    assert read_point(points[-1]).json() == steps[-1]["point"]


def test_a_moved_point_makes_the_same_kernel(
    climbed: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    name, result = climbed
    path = tmp_path / "elsewhere" / f"{name}.c"
    path.parent.mkdir()
    path.write_bytes((KERNELS / f"{name}.c").read_bytes())
    (step,) = in_turn(result["steps"][1:-1], len(name)) if not ALL else [result["steps"][-2]]
    file = tmp_path / "point.json"
    file.write_text(json.dumps(step["point"]))
    made = tandem_of_python.compile(path, name, output=tmp_path / "build", point=file)
    assert (made["resources"]["lut4"], made["resources"]["ff"]) == (step["lut4"], step["ff"])


def test_the_page(tmp_path: Path) -> None:
    source(tmp_path)
    done = tandem("build", "app.c", "--top", "scale", "--ladder", cwd=tmp_path)
    good(done)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("scale for ecp5 at 10 ns; an item is an iteration of the loop at")
    assert lines[1].split()[:4] == ["step", "cycles", "an", "item"]
    assert lines[2].startswith("0 as written") and "+#pragma tandem refine(" in done.stdout
    assert lines[-1] == f"points and edits: {Path('build') / 'scale.ladder'}"


def test_slices_of_steps(tmp_path: Path) -> None:
    source(tmp_path, "int more(int a) { return a & 3; }\n")
    words = ["build", "app.c", "--top", "more", "--ladder", "--slices", "xc2v", "--json"]
    done = tandem(*words, cwd=tmp_path)
    good(done)
    result = json.loads(done.stdout)
    holds("ladder", result)
    assert all(step["slices"]["estimate"] > 0 for step in result["steps"])


def test_software_beside_the_steps(tmp_path: Path) -> None:
    """As much slower than each step as the run of the last one, and its estimate, say."""
    source(tmp_path)
    words = ["build", "app.c", "--offload", "scale", "--ladder", "--json"]
    result = json.loads(good_output(tandem(*words, cwd=tmp_path)))
    holds("ladder", result)
    last, software = result["steps"][-1], result["software"]
    assert software["platform"] == "picorv32-chip" and software["calls"] == 1
    assert last["over_core"] == pytest.approx(software["core_s"] / software["own_s"], rel=0.01)
    for step in result["steps"]:
        slower = last["over_core"] / step["over_core"]
        assert slower == pytest.approx(last["speedup"] / step["speedup"], rel=0.01)
        assert step["over_host"] < step["over_core"]


def good_output(done: Done) -> str:
    good(done)
    return done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--offload", "scale", "--", "many"], "the application ended without calling `scale`"),
        (["--top", "scale", "--offload", "other"], "a ladder is of one function"),
        ([], "a ladder is of one function"),
        (["--top", "scale", "--platform", "picorv32-chip"], "--platform is where software runs"),
        (["--top", "scale", "--", "3"], "got unexpected extra argument(s) (3)"),
        (["--offload", "scale", "--platform", "src-6e"], "`src-6e` is no chip"),
        (["--offload", "scale", "--platform", "vax"], "unknown platform `vax`"),
    ],
)
def test_applications_of_ladders(tmp_path: Path, words: list[str], told: str) -> None:
    idle = "int main(int argc, char **argv) { (void)argv; return argc - 2; }"
    source(tmp_path, KERNEL + (MAIN if "many" not in words else idle))
    done = tandem("build", "app.c", "--ladder", *words, cwd=tmp_path)
    refused(done, told)
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize("option", [["--models"], ["--why", "4"], ["--max-lut4", "9"], ["--place"]])
def test_options_of_one_kernel(tmp_path: Path, option: list[str]) -> None:
    source(tmp_path)
    done = tandem("build", "app.c", "--top", "scale", "--ladder", *option, cwd=tmp_path)
    refused(done, f"{option[0]} is of one kernel")
    assert not (tmp_path / "build").exists()


def test_what_is_in_the_way(tmp_path: Path) -> None:
    source(tmp_path)
    kept = tmp_path / "build" / "scale.ladder" / "mine.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    done = tandem("build", "app.c", "--top", "scale", "--ladder", cwd=tmp_path)
    refused(done, "scale.ladder: error[in-the-way]", "`mine.txt`")
    assert kept.read_text() == "mine"


def test_a_line_with_a_loop_in_it_is_broken(tmp_path: Path) -> None:
    """The edit applies to what stands in one line, with ends of lines as they are."""
    text = "void f(const int *a, int *b, int n)\r\n{ for (int i = 0; i < n; i++) b[i] = a[i]; }\r\n"
    path = tmp_path / "f.c"
    path.write_bytes(text.encode())
    result = tandem_of_python.ladder(path, "f", output=tmp_path / "build")
    edits = [step["edit"] for step in result["steps"][1:]]
    assert any("for (int" in edit for edit in edits)
    for edit in edits:
        words = ["patch", "-p1", "--binary"]
        subprocess.run(words, input=edit.encode(), cwd=tmp_path, check=True)
    assert Figures.of(at_base(path).schedule).lut4 == result["steps"][-1]["lut4"]
    assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")
