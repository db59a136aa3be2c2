# SPDX-License-Identifier: Apache-2.0
"""Two results side by side, and kernels that keep their budgets or do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tandem.study.compare import MEASURED_PERCENT
from test_schemas import holds
from trial import KERNEL, MAIN, good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")

SUM = """
unsigned sum(const unsigned *in, unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s = s STEP in[i];
    return s;
}
"""
FAST, SLOW = SUM.replace("STEP", "+"), SUM.replace("STEP", "* 77 ^")
SUMS = "int main(void) { unsigned a[99] = {1, 2}; return sum(a, 99) == 7; }"


def build(folder: Path, text: str, name: str) -> Path:
    source(folder, text, "k.c")
    done = tandem("build", "k.c", "--top", "sum", "-o", name, "--json", cwd=folder)
    good(done)
    path = folder / f"{name}.json"
    path.write_text(done.stdout)
    return path


def compared(folder: Path, *words: object) -> dict[str, Any]:
    done = tandem("compare", *words, "--json", cwd=folder)
    good(done)
    found = json.loads(done.stdout)
    holds("compare", found)
    return found


def verdicts(found: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(row["place"], row["name"]): row["verdict"] for row in found["rows"]}


def test_builds_side_by_side(tmp_path: Path) -> None:
    build(tmp_path, FAST, "fast")
    build(tmp_path, SLOW, "slow")
    found = compared(tmp_path, "fast.json", "slow.json")
    told = verdicts(found)
    assert told["sum", "ii"] == told["sum, loop 1", "ii"] == told["sum", "dsp"] == "worse"
    assert told["sum", "clock"] == "same" and found["worse"] >= 3
    again = verdicts(compared(tmp_path, "slow.json", "fast.json"))
    assert again["sum", "ii"] == again["sum, loop 1", "ii"] == "better"
    packages = verdicts(compared(tmp_path, "fast", "slow"))
    assert packages["sum, loop 1", "ii"] == "worse" and ("sum", "lut4") not in packages
    done = tandem("compare", "fast.json", "slow.json", cwd=tmp_path)
    assert "sum, loop 1: a recurrence takes 2 cycles" in done.stdout
    same = compared(tmp_path, "fast.json", "fast/sum.tandem")
    assert (same["better"], same["worse"]) == (0, 0)


def test_measured_times_are_apart_from_simulated_ones(tmp_path: Path) -> None:
    source(tmp_path, FAST + SUMS)
    done = tandem("run", "app.c", "--offload", "sum", "--json", cwd=tmp_path)
    good(done)
    run = json.loads(done.stdout)
    c_name = next(iter(run["baselines_s"]))
    for name, change in (("a", 1.0), ("b", 1 + MEASURED_PERCENT / 200), ("c", 1.5)):
        run["baselines_s"][c_name] = 1e-3 * change
        run["total_s"] = 1e-3 * (1 + change / 1e6)
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    key = "all", f"{c_name}, measured"
    near = verdicts(compared(tmp_path, "a.json", "b.json"))
    assert near["all", "total"] == "worse", "what is simulated is exact"
    assert near[key] == "noise"
    assert verdicts(compared(tmp_path, "a.json", "c.json"))[key] == "other"
    assert verdicts(compared(tmp_path, "a.json", "c.json", "--noise", 60))[key] == "noise"
    run["program_percent"] = 100  # then the total has measured parts
    (tmp_path / "d.json").write_text(json.dumps(run))
    assert verdicts(compared(tmp_path, "a.json", "d.json"))["all", "total"] == "noise"


def test_verified_side_by_side(tmp_path: Path) -> None:
    source(tmp_path, KERNEL + MAIN)
    done = tandem("verify", "app.c", "--offload", "scale", "--json", cwd=tmp_path)
    (tmp_path / "v.json").write_text(done.stdout)
    found = compared(tmp_path, "v.json", "v.json")
    assert verdicts(found)["scale", "cycles"] == "same"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("no", "this is no JSON"),
        ("[1]", "it is not the result of"),
        ('{"format": "tandem-batches"}', "it is not the result of"),
        ('{"format": "tandem-build-result"}', "a part of the result is missing"),
        (
            '{"format": "tandem-run-result", "program_percent": 0}',
            "a part of the result is missing",
        ),
    ],
)
def test_what_is_no_result(tmp_path: Path, text: str, wanted: str) -> None:
    source(tmp_path, text, "a.json")
    refused(tandem("compare", "a.json", "a.json", cwd=tmp_path), "a.json", wanted)


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    refused(tandem("compare", "a.json", "b.json", cwd=tmp_path), "cannot read it")
    (tmp_path / "empty").mkdir()
    refused(tandem("compare", "empty", "empty", cwd=tmp_path), "no package in this folder")


BUDGET = """# ours
[kernel.sum]
source = "k.c"
clock_ns = 10

[kernel.sum.most]
ii = {ii}  # of the loop
lut4 = {lut4}
"""


def budget(folder: Path, text: str) -> None:
    source(folder, text, "budget.toml")


def check(folder: Path, *words: object) -> tuple[int, dict[str, Any]]:
    done = tandem("check", "--budget", "budget.toml", *words, "--json", cwd=folder)
    found = json.loads(done.stdout)
    holds("check", found)
    assert found["exit_status"] == done.returncode
    return done.returncode, found


def test_a_budget_that_is_kept_and_one_that_is_not(tmp_path: Path) -> None:
    source(tmp_path, FAST, "k.c")
    budget(tmp_path, BUDGET.format(ii=1, lut4=500))
    status, found = check(tmp_path, "--junit", "j.xml", "--sarif", "s.sarif")
    assert status == 0 and all(row["is_kept"] for row in found["kernels"][0]["limits"])
    assert ElementTree.parse(tmp_path / "j.xml").find(".//failure") is None
    assert json.loads((tmp_path / "s.sarif").read_text())["runs"][0]["results"] == []
    source(tmp_path, SLOW, "k.c")
    status, found = check(tmp_path, "--junit", "j.xml", "--sarif", "s.sarif")
    slow, area = found["kernels"][0]["limits"]
    assert (status, slow["is_kept"], area["is_kept"], slow["value"]) == (1, False, True, 2)
    assert (slow["reason"]["file"], slow["reason"]["line"]) == ("k.c", 5)
    assert "begins an iteration every 2 cycles" in slow["reason"]["message"]
    assert "shorten the recurrence" in slow["reason"]["help"]
    _holds_junit(tmp_path / "j.xml")
    _holds_sarif(tmp_path / "s.sarif")
    done = tandem("check", "--budget", "budget.toml", cwd=tmp_path)
    assert done.returncode == 1 and "k.c:5: `sum`: cycles between iterations" in done.stdout


def _holds_junit(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    assert root.tag == "testsuites"
    (suite,) = root
    assert suite.tag == "testsuite"
    assert {name: suite.get(name) for name in ("name", "tests", "failures", "errors")} == {
        "name": "sum",
        "tests": "2",
        "failures": "1",
        "errors": "0",
    }
    failed, kept = suite
    assert (failed.get("classname"), failed.get("name"), len(kept)) == ("sum", "ii", 0)
    (failure,) = failed
    assert failure.tag == "failure" and "help: a recurrence" in (failure.text or "")


def _holds_sarif(path: Path) -> None:
    """What the standard asks of a log: OASIS, SARIF 2.1.0, sections 3.13, 3.14, 3.18, 3.27."""
    log = json.loads(path.read_text())
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "tandem" and driver["version"]
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"]) == 1
    (result,) = run["results"]
    assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "budget-ii"
    assert result["level"] in ("none", "note", "warning", "error") and result["message"]["text"]
    (location,) = result["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "k.c" and place["region"]["startLine"] == 5


def test_a_budget_is_updated_where_it_stands(tmp_path: Path) -> None:
    source(tmp_path, SLOW, "k.c")
    budget(tmp_path, BUDGET.format(ii=1, lut4=1))
    status, found = check(tmp_path, "--update")
    text = (tmp_path / "budget.toml").read_text()
    assert status == 0 and found["is_updated"]
    assert (
        text.startswith("# ours\n") and "ii = 2  # of the loop" in text and "lut4 = 1\n" not in text
    )
    assert check(tmp_path)[0] == 0
    budget(tmp_path, '[kernel.sum]\nsource = "k.c"\n')
    assert check(tmp_path, "--update")[0] == 0
    assert "[kernel.sum.most]\nii = 2\n" in (tmp_path / "budget.toml").read_text()
    status, found = check(tmp_path)
    assert status == 0 and len(found["kernels"][0]["limits"]) > 5


RUN = """
[kernel.sum]
application = "k.c"
[kernel.sum.most]
cycles = {cycles}
time_us = 1000000
"""


def test_cycles_of_a_run(tmp_path: Path) -> None:
    source(tmp_path, FAST + SUMS, "k.c")
    budget(tmp_path, RUN.format(cycles=200))
    assert check(tmp_path)[0] == 0
    source(tmp_path, SLOW + SUMS, "k.c")
    budget(tmp_path, RUN.format(cycles=150))
    status, found = check(tmp_path)
    slow, timely = found["kernels"][0]["limits"]
    assert (status, timely["is_kept"]) == (1, True)
    assert "of the cycles" in slow["reason"]["message"] and slow["reason"]["line"] == 5


def test_a_kernel_that_cannot_be_built(tmp_path: Path) -> None:
    source(tmp_path, "int sum(int n) { return m; }", "k.c")
    budget(tmp_path, BUDGET.format(ii=1, lut4=1))
    status, found = check(tmp_path, "--junit", "j.xml", "--sarif", "s.sarif", "--update")
    assert status == 2 and found["kernels"][0]["errors"] and not found["is_updated"]
    assert ElementTree.parse(tmp_path / "j.xml").find(".//error") is not None
    (result,) = json.loads((tmp_path / "s.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == found["kernels"][0]["errors"][0]["code"]
    assert "ii = 1" in (tmp_path / "budget.toml").read_text()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[kernel", "this is no TOML"),
        ("a = 1\n", "unknown is a"),
        ("", "there is no kernel in it"),
        ("[kernel]\nsum = 1", "`sum` is no table"),
        ("[kernel.sum]", "`sum` has no source"),
        ('[kernel.sum]\nsource = "k.c"\nspeed = 1', "unknown speed"),
        ("[kernel.sum]\nsource = 1", "source of `sum` is no text"),
        ('[kernel.sum]\nsource = "k.c"\nflags = "-O"', "flags of `sum` is no list"),
        ('[kernel.sum]\nsource = "k.c"\nclock_ns = 0', "clock_ns of `sum` is no period"),
        ('[kernel.sum]\nsource = "k.c"\n[kernel.sum.most]\nwatts = 1', "unknown watts"),
        ('[kernel.sum]\nsource = "k.c"\n[kernel.sum.most]\nii = "1"', "ii of `sum` is no number"),
        ('[kernel.sum]\nsource = "k.c"\n[kernel.sum.most]\ncycles = 1', "there is none"),
    ],
)
def test_what_is_no_budget(tmp_path: Path, text: str, wanted: str) -> None:
    budget(tmp_path, text)
    refused(tandem("check", "--budget", "budget.toml", cwd=tmp_path), "budget.toml", wanted)


def test_outputs_that_would_replace_something(tmp_path: Path) -> None:
    budget(tmp_path, BUDGET.format(ii=1, lut4=1))
    words = ("check", "--budget", "budget.toml", "--junit", "budget.toml")
    refused(tandem(*words, cwd=tmp_path), "--junit would replace a file of another kind")
    refused(tandem("check", "--budget", "none.toml", cwd=tmp_path), "cannot read it")
