# SPDX-License-Identifier: Apache-2.0
"""Checked budgets as JUnit's XML, which systems of continuous integration read: a suite for each
kernel, a case for each limit."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as xml

HEAD = b"<?xml"


def junit(checked: dict[str, Any]) -> bytes:
    """The XML of a result (docs/schemas/check.json)."""
    suites = xml.Element("testsuites", name="tandem check")
    for kernel in checked["kernels"]:
        _add_suite(suites, kernel)
    xml.indent(suites)
    return xml.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _add_suite(suites: xml.Element, kernel: dict[str, Any]) -> None:
    limits, errors = kernel["limits"], kernel["errors"]
    counts = {
        "tests": max(1, len(limits)),
        "failures": sum(not limit["is_kept"] for limit in limits),
        "errors": int(bool(errors)),
        "skipped": 0,
    }
    words = {name: str(count) for name, count in counts.items()}
    seconds = f"{kernel['seconds']:.3f}"
    suite = xml.SubElement(
        suites, "testsuite", {"name": kernel["kernel"], "time": seconds, **words}
    )
    for limit in limits:
        case = _case(suite, kernel, limit["name"])
        if limit["reason"] is not None:
            failure = xml.SubElement(case, "failure", message=_clean(limit["reason"]["message"]))
            failure.text = _text(limit["reason"])
    if errors or not limits:
        case = _case(suite, kernel, "build")
        for row in errors[:1]:
            error = xml.SubElement(case, "error", message=_clean(row["message"]), type=row["code"])
            error.text = "\n".join(map(_text, errors))


def _case(suite: xml.Element, kernel: dict[str, Any], name: str) -> xml.Element:
    return xml.SubElement(suite, "testcase", classname=kernel["kernel"], name=name)


def _text(row: dict[str, Any]) -> str:
    place = f"{row['file']}:{row['line']}: " if row["line"] else f"{row['file']}: "
    cure = f"\n  help: {row['help']}" if row["help"] else ""
    return _clean(f"{place if row['file'] else ''}{row['message']}{cure}")


def _clean(text: str) -> str:
    """Without characters that XML cannot hold."""
    return "".join(c if c in "\n\t" or c.isprintable() else "?" for c in text)
