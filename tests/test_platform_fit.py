# SPDX-License-Identifier: Apache-2.0
"""Numbers of a platform found from measurements, and what measurements do not tell."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from tandem.study.fit import _widths
from trial import good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")

SCHEMA = Path(__file__).parents[1] / "docs" / "schemas" / "platform-fit.json"
PROGRAM = """
#include <stdlib.h>
void scale(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = 3 * in[i];
}
int main(int argc, char **argv)
{
    static unsigned char a[1 << 20], b[1 << 20];
    for (int i = 0; i < atoi(argv[2]); i++)
        scale(a, b, atoi(argv[1]));
    return 0;
}
"""
TRUTH = {"software.call_time": 77e6, "link.bandwidth": 431e6, "configuration.time": 3e9}
TEXTS = {"software.call_time": "77us", "link.bandwidth": "431MB/s", "configuration.time": "3ms"}
RUNS = [(n, calls) for n in (64, 5000, 200_000, 1_000_000) for calls in (1, 7)]


Times = list[tuple[str, float, float]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with the program, for all: a build that is kept belongs to where it was asked for."""
    folder = tmp_path_factory.mktemp("fit")
    source(folder, PROGRAM)
    return folder


@pytest.fixture(scope="module")
def measured(cache: None, folder: Path) -> Times:
    """Times of a platform that is otherwise than its file says."""
    changes = [word for name, text in TEXTS.items() for word in ("--set", f"{name}={text}")]
    rows = []
    for n, calls in RUNS:
        words = ("--offload", "scale", "--platform", "src-6e", *changes, "--json", "--", n, calls)
        done = tandem("run", "app.c", *words, cwd=folder)
        good(done)
        run = json.loads(done.stdout)
        rows.append((f"{n} {calls}", run["total_s"], run["no_config_s"]))
    return rows


def fitted(folder: Path, rows: list[str], *unknown: str) -> dict[str, Any]:
    (folder / "times.csv").write_text("\n".join(rows))
    words = [word for name in unknown for word in ("--unknown", name)]
    done = tandem(
        *("platform", "fit", "src-6e", "times.csv", "--application", "app.c", "--offload", "scale"),
        *words,
        "--json",
        cwd=folder,
    )
    good(done)
    fit = json.loads(done.stdout)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(fit)
    return {number["name"]: number for number in fit["numbers"]}


def test_numbers_are_found_again(folder: Path, measured: Times) -> None:
    exact = ["# exact", "arguments,total_s", *(f"{a},{total}" for a, total, _ in measured)]
    for name, number in fitted(folder, exact, *TRUTH).items():
        assert number["value"] == pytest.approx(TRUTH[name], rel=1e-3)
        assert number["high"] / number["low"] < 1.01 and not number["tied"]


def test_noise_is_told(folder: Path, measured: Times) -> None:
    """What is true lies between the bounds, but for one of 20 times; eight are tried."""
    names = [name for name in TRUTH if name != "configuration.time"]
    inside = 0
    for seed in range(4):
        random = Random(seed)
        rows = ["arguments,no_config_s,set"]
        rows += [f"{a},{rest * random.gauss(1, 0.03)}," for a, _, rest in measured]
        for name, number in fitted(folder, rows, *names).items():
            inside += number["low"] < TRUTH[name] < number["high"]
            assert 1.01 < number["high"] / number["low"] < 2
    assert inside >= 6


def test_what_measurements_do_not_tell(folder: Path, measured: Times) -> None:
    rows = ["arguments,no_config_s", *(f"{a},{rest}" for a, _, rest in measured)]
    names = ("software.call_time", "link.transfer_time", "configuration.time")
    call, transfer, configuration = fitted(folder, rows, *names).values()
    assert call["tied"] == ["link.transfer_time"] and transfer["tied"] == ["software.call_time"]
    assert configuration["tied"] == ["configuration.time"]
    assert all(number["low"] is None for number in (call, transfer, configuration))


def test_an_end_is_no_answer(folder: Path, measured: Times) -> None:
    """A number goes no further than it may; one that had to make up for a wrong one is told so."""
    fast = ["arguments,no_config_s,set"]
    fast += [f"{a},{rest / 9},software.call_time=1ps" for a, _, rest in measured]
    bandwidth = fitted(folder, fast, "link.bandwidth")["link.bandwidth"]
    assert bandwidth["end"] and bandwidth["value"] == pytest.approx(800e6, rel=1e-3)  # its peak
    slow = ["arguments,no_config_s,set"]
    slow += [f"{a},{rest},link.transfer_time=1ms" for a, _, rest in measured]
    call = fitted(folder, slow, "software.call_time")["software.call_time"]
    assert call["end"] and call["low"] is None and not call["tied"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "times.csv:1: error[measurements]: the columns are []"),
        ("words,total_s\n1,2\n", "the columns are ['words', 'total_s']"),
        ("arguments,total_s\n", "there is no measurement"),
        ("arguments,total_s\n# one\n1 1,soon\n", "times.csv:3: error[measurements]: 'soon' is no"),
        ("arguments,total_s\n1 1,-2\n", "'-2' is no time"),
        ("arguments,total_s\n1 1,nan\n", "'nan' is no time"),
        ("arguments,total_s\n1 1,1e-320\n", "'1e-320' is no time"),
        ("arguments,total_s\n1 1," + 140_000 * "1" + "\n", "field larger than field limit"),
        ("arguments,total_s\n1 1\n", "1 cells for 2 columns"),
        ("arguments,total_s\n'1 1,2\n", "cannot read"),
        ("arguments,total_s\n1 1,2\n", "1 measurements for 2 unknown numbers"),
        ("arguments,total_s\n1 1,2\n1 2,3\n", "the platform has no number `link.bandwith`"),
    ],
)
def test_what_cannot_be_read(text: str, wanted: str, folder: Path) -> None:
    (folder / "times.csv").write_text(text)
    done = tandem(
        *("platform", "fit", "src-6e", "times.csv", "--application", "app.c", "--offload", "scale"),
        *("--unknown", "software.call_time", "--unknown", "link.bandwith"),
        cwd=folder,
    )
    refused(done, wanted)


def test_four_measurements_of_one_number_tell_it_by_students_t() -> None:
    """Their spread of 0.1 times the square root of 4/3, over 2, times 3.182."""
    errors = np.array([0.1, -0.1, 0.1, -0.1])
    assert _widths(np.ones((4, 1)), errors) == [pytest.approx(3.182 * 0.11547 / 2, rel=1e-3)]
    assert _widths(np.ones((1, 1)), errors[:1]) == [None]
