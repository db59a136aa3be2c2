# SPDX-License-Identifier: Apache-2.0
"""Makes docs/pictures again, of a real page in a real browser:

    python docs/site/pictures.py PLAIN_FILE

PLAIN_FILE is what triple DES encrypts on the SRC-6E."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path

import tandem

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from browser import Page, browser  # noqa: E402

WIDTH_PX = 860
"""As wide as GitHub shows a README."""
THEMES = ("light", "dark")
CHART = "#breakdown figure.chart >> nth=0"

MEASURED = re.compile(r"^(.+), measured here +([\d.]+) ms", re.MULTILINE)


def main(plain: str) -> None:
    """Writes a picture a theme of where the time went in the run that README.md shows: what was
    measured then, on an idle machine, is what its bars show, and what is simulated is the same."""
    with tempfile.TemporaryDirectory() as folder, browser() as made:
        data = Path(folder) / "page.json"
        arguments = [plain, str(data.with_suffix(".bin"))]
        application = ROOT / "examples" / "encrypt_file" / "main.c"
        tandem.run(application, "des3_encrypt", arguments, platform="src-6e", report=data)
        found = json.loads(data.read_text())
        found["results"][0]["baselines_s"] = measured((ROOT / "README.md").read_text())
        data.write_text(json.dumps(found))
        page = data.with_suffix(".html")
        tandem.write_report(page, files=[data])
        for theme in THEMES:
            picture = ROOT / "docs" / "pictures" / f"breakdown-{theme}.png"
            Page(made, page, WIDTH_PX, theme).tab.locator(CHART).screenshot(path=picture)


def measured(text: str) -> dict[str, float]:
    """What software takes, in seconds, as a page of text tells it."""
    return {name: float(ms) / 1e3 for name, ms in MEASURED.findall(text)}


if __name__ == "__main__":
    main(sys.argv[1])
