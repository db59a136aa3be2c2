# SPDX-License-Identifier: Apache-2.0
"""Checked budgets as SARIF 2.1.0 (OASIS), which reviews show beside the lines of the C."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

HEAD = b"{"
VERSION = "2.1.0"
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
"""Where the standard has its own schema."""


def sarif(checked: dict[str, Any], version: str) -> bytes:
    """The log of a result (docs/schemas/check.json); `version`: Tandem's."""
    found = [row for kernel in checked["kernels"] for row in _found(kernel)]
    rules = list(dict.fromkeys(code for code, _ in found))
    run = {
        "tool": {
            "driver": {
                "name": "tandem",
                "version": version,
                "rules": [{"id": code, "name": code} for code in rules],
            }
        },
        "columnKind": "utf16CodeUnits",
        "results": [_result(code, rules.index(code), row) for code, row in found],
    }
    log = {"$schema": SCHEMA, "version": VERSION, "runs": [run]}
    return json.dumps(log, indent=1).encode() + b"\n"


def _found(kernel: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What is wrong with a kernel: (rule, row)."""
    over = [limit for limit in kernel["limits"] if limit["reason"] is not None]
    return [
        *((f"budget-{limit['name']}", limit["reason"]) for limit in over),
        *((row["code"], row) for row in kernel["errors"]),
    ]


def _result(code: str, index: int, row: dict[str, Any]) -> dict[str, Any]:
    cure = f" Help: {row['help']}" if row["help"] else ""
    result: dict[str, Any] = {
        "ruleId": code,
        "ruleIndex": index,
        "level": "error",
        "message": {"text": f"{row['message']}.{cure}"},
    }
    if row["file"]:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(row["file"])}}
        if row["line"]:
            place["region"] = {"startLine": row["line"]}
        result["locations"] = [{"physicalLocation": place}]
    return result


def _uri(file: str) -> str:
    """A file's name as a reference: relative to the checkout, or absolute."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
