# SPDX-License-Identifier: Apache-2.0
"""Results as objects: in notebooks, as frames, over ranges of numbers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import tandem
from browser import browser
from tandem import interface
from tandem.diagnostics import TandemError, UserError, user_error
from tandem.report import tables
from tandem.report.notebook import MOST_ROWS, seconds, table
from tandem.result import Result

pytestmark = pytest.mark.usefixtures("cache")
ROOT = Path(__file__).parents[1]
APPLICATION = ROOT / "examples" / "encrypt_file" / "main.c"
RUN = {
    "format": "tandem-run-result",
    "platform_title": "A <card>",
    "kernels": [{"name": "f", "cycles": 12, "loops": [{"line": 3, "ii": 1, "changes": ["x"]}]}],
    "total_s": 0.5,
    "no_config_s": 0.25,
    "breakdown_s": {"call": 0.1, "compute": 0.4},
    "fixed_s": {"call": 0.1, "compute": 0.0},
    "baselines_s": {"C at -O3": 1.0},
    "speedups": {"C at -O3": {"total": 2.0}},
    "bottleneck": "the <kernel>",
    "advice": [],
}


class Elements(HTMLParser):
    """The names of elements that are open, and all that were."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.seen.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_result_is_its_data() -> None:
    result = Result(RUN)
    assert result == RUN and isinstance(result, dict) and json.loads(json.dumps(result)) == RUN
    assert result.tables == ["kernels", "loops", "breakdown", "baselines"]


@pytest.mark.parametrize("library", tables.LIBRARIES)
def test_frames(library: tables.Library) -> None:
    pytest.importorskip(library, reason=f"no {library}; pip install 'tandem-accel[notebook]'")
    result = Result(RUN)
    frame = result.frame("breakdown", library)
    assert type(frame).__module__.startswith(library)
    assert list(frame.columns) == ["category", "breakdown_s", "fixed_s"]
    assert list(frame["breakdown_s"]) == [0.1, 0.4]
    loops = result.frame("loops", library)
    assert list(loops["kernel"]) == ["f"] and list(loops["changes"]) == ['["x"]']
    assert list(result.frame("baselines", library)["gain_total"]) == [2.0]
    uneven = tables.rows_frame([{"a": 1}, {"a": 0.5, "b": "x"}], library)
    assert list(uneven["a"]) == [1, 0.5] and uneven.shape == (2, 2)


def test_a_table_that_is_not_there() -> None:
    with pytest.raises(UserError) as error:
        Result(RUN).frame("lops")
    assert "breakdown" in error.value.diagnostics[0].help
    with pytest.raises(UserError, match="no frames of `numpy`"):
        Result(RUN).frame("loops", "numpy")  # pyright: ignore


def test_frames_without_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pandas and polars cannot be imported") as error:
        Result(RUN).frame("loops")
    assert "tandem-accel[notebook]" in error.value.diagnostics[0].help


def test_the_summary_needs_no_script() -> None:
    text = Result(RUN)._repr_html_()
    seen = Elements(text)
    assert not seen.open and {"table", "svg", "caption"} <= set(seen.seen)
    assert not {"script", "style", "iframe", "img"} & set(seen.seen)
    assert "A &lt;card&gt;" in text and "the &lt;kernel&gt;" in text
    assert "width='240.0'" in text and "width='60.0'" in text and "400 ms" in text
    assert len(text) < 4000


def test_long_tables_are_cut_and_say_so() -> None:
    text = table("loops", [{"line": n} for n in range(MOST_ROWS + 2)])
    assert text.count("<tr>") == MOST_ROWS + 1 and "2 more rows" in text


@pytest.mark.parametrize(
    ("time_s", "told"), [(2.5, "2.5 s"), (0.0125, "12.5 ms"), (3e-6, "3 us"), (0, "0 ns")]
)
def test_times(time_s: float, told: str) -> None:
    assert seconds(time_s) == told


def test_a_real_result_and_its_page_in_a_frame(tmp_path: Path) -> None:
    built = tandem.compile(
        ROOT / "library/kernels/crypto/des/des.c", "des_encrypt", output=tmp_path
    )
    assert type(built) is Result and "arguments" in built.tables
    shown = tmp_path / "shown.html"
    shown.write_text(f"<!doctype html>{built._repr_html_()}{built.page()._repr_html_()}")
    with browser() as made:
        tab = made.new_page()
        tab.goto(shown.as_uri())
        inside = tab.frame_locator("iframe")
        inside.locator("html[data-ready]").wait_for()
        assert inside.locator("h2", has_text="Schedule").count() == 1


def runs(act: Callable[[dict[str, Any]], None]) -> Callable[..., Result]:
    """A stand-in for `run`, of which a point may `act`."""

    def run(application: Any, offload: Any, **known: Any) -> Result:
        act(known)
        time_s = len(known["changes"]) + (known.get("clock_ns") or 0)
        return Result(RUN | {"no_config_s": time_s})

    return run


def test_a_sweep_runs_every_combination(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(interface, "run", runs(seen.append))
    over = {"link.bandwidth": ["1GB/s", "2GB/s"], "clock_ns": [5, 10], "arguments": [["9", "x"]]}
    made = tandem.sweep("a.c", "f", over=over, changes=("link.duplex=full",), platform="src-6e")
    assert made.is_complete and len(made) == 4 and made[0]["total_s"] == 0.5
    assert seen[1] == {
        "changes": ["link.duplex=full", "link.bandwidth=1GB/s"],
        "clock_ns": 10,
        "arguments": ["9", "x"],
        "platform": "src-6e",
    }
    row = made.rows()[0]
    assert row["arguments"] == "9 x" and row["gain_total"] == 2.0 and row["no_config_s"] == 7
    text = made._repr_html_()
    assert not Elements(text).open and "link.bandwidth=2GB/s, clock_ns=10" in text


def test_a_sweep_that_is_interrupted_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(known: dict[str, Any]) -> None:
        if known["clock_ns"] == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(interface, "run", runs(act))
    made = tandem.sweep("a.c", "f", over={"clock_ns": [1, 2, 3, 4]})
    assert not made.is_complete and [p["clock_ns"] for p in made.points] == [1, 2]
    assert "interrupted" in made._repr_html_()


def test_a_point_that_fails_is_told_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(known: dict[str, Any]) -> None:
        if known["clock_ns"] == 1:
            raise user_error("clock", "too fast")

    with monkeypatch.context() as patch:
        patch.setattr(interface, "run", runs(act))
        made = tandem.sweep(APPLICATION, "des3_encrypt", over={"clock_ns": [1, 2]})
    assert made.is_complete and len(made) == 1 and made.failed[0][0] == {"clock_ns": 1}
    assert "too fast" in made._repr_html_()
    with pytest.raises(TandemError, match="unknown platform"):
        tandem.sweep(APPLICATION, "des3_encrypt", over={"platform": ["vax"]})


@pytest.mark.parametrize("over", [{}, {"bandwith": [1]}, {"clock_ns": []}, {"mode": "emulate"}])
def test_no_sweep(over: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        tandem.sweep(APPLICATION, "des3_encrypt", over=over)


def test_the_example_runs(tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="no nbclient; pip install nbclient ipykernel")
    import nbformat

    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "library", tmp_path / "library")
    file = tmp_path / "examples" / "notebook" / "what_if.ipynb"
    assert file.stat().st_size < 10_000
    book = nbformat.read(file, as_version=4)
    folder = {"metadata": {"path": str(file.parent)}}
    nbclient.NotebookClient(book, timeout=300, resources=folder).execute()
    shown = [c.outputs[-1].data for c in book.cells if c.cell_type == "code" and c.outputs]
    texts = [data.get("text/html", "") for data in shown]
    assert "where the time went" in texts[0] and "transfer_in" in texts[2]
    assert "<iframe" in texts[3] and "transfer.mode=streaming" in texts[4]
