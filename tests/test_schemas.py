# SPDX-License-Identifier: Apache-2.0
"""docs/schemas says what is really printed and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tandem.manifest import CALLED, MEMBERS, SCHEDULE
from trial import CALL, KERNEL, good, refused, source, tandem

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def closed(schema: Any) -> Any:
    """The schema with no other members than it names: every member that is printed is described."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: closed(part) for key, part in schema.items()}
    return {"additionalProperties": False, **parts} if "properties" in schema else parts


def printed(folder: Path, *words: str) -> Any:
    done = tandem(*words, "--json", cwd=folder)
    good(done)
    return json.loads(done.stdout)


def holds(name: str, value: Any) -> None:
    found = validator(name)
    found.validate(value)
    Draft202012Validator(closed(found.schema)).validate(value)


@pytest.mark.parametrize("mode", ["native", "emulate", "simulate"])
def test_run_and_trace(tmp_path: Path, mode: str) -> None:
    source(tmp_path)
    words = ["run", "app.c", "--offload", "scale", "--mode", mode, "--trace", "t.json"]
    holds("run", printed(tmp_path, *words))
    holds("trace", json.loads((tmp_path / "t.json").read_text()))


def test_build_and_package(tmp_path: Path) -> None:
    source(tmp_path)
    result = printed(tmp_path, "build", "app.c", "--top", "scale")
    validator("build").validate(result)
    line = str(result["loops"][0]["line"])
    validator("build").validate(
        printed(tmp_path, "build", "app.c", "--top", "scale", "--why", line)
    )
    words = ["build", "app.c", "--top", "scale", "--slices", "xc3se"]
    validator("build").validate(printed(tmp_path, *words))
    holds("schedule", json.loads((tmp_path / result["package"] / SCHEDULE).read_text()))
    manifest = printed(tmp_path, "package", result["package"])
    holds("package", manifest)
    assert set(MEMBERS) < set(manifest)
    del manifest["files"]["kernel.sv"]
    assert not validator("package").is_valid(manifest)


def test_package_with_models(tmp_path: Path) -> None:
    source(tmp_path)
    result = printed(tmp_path, "build", "app.c", "--top", "scale", "--models")
    manifest = printed(tmp_path, "package", result["package"])
    holds("package", manifest)
    for name in CALLED:
        files = {n: row for n, row in manifest["files"].items() if n != name}
        assert not validator("package").is_valid({**manifest, "files": files})


def test_verify(tmp_path: Path) -> None:
    source(tmp_path)
    holds("verify", printed(tmp_path, "verify", "app.c", "--offload", "scale"))


def test_errors(tmp_path: Path) -> None:
    source(tmp_path)
    words = ["build", "app.c", "--top", "scales", "--json"]
    done = tandem(*words, cwd=tmp_path)
    refused(done, "app.c: error[no-function]")
    found = json.loads(done.stdout)
    holds("errors", found)
    (row,) = found["errors"]
    assert (found["exit_status"], row["code"], row["file"]) == (2, "no-function", "app.c")
    assert row["help"] == "defined are: main, scale"


def test_an_application_that_ends_with_a_status_has_a_result(tmp_path: Path) -> None:
    source(tmp_path, KERNEL + f"int main(void) {{ {CALL} return 3; }}\n")
    for command in ("verify", "run"):
        done = tandem(command, "app.c", "--offload", "scale", "--json", cwd=tmp_path)
        refused(done, "ended with status 3", status=3)
        holds(command, json.loads(done.stdout))
    done = tandem("verify", "app.c", "--offload", "scale", cwd=tmp_path)
    assert "RTL, schedule and C agree" in done.stdout


@pytest.mark.parametrize("platform", ["src-6e", "pcie3-x16"])
def test_platform(tmp_path: Path, platform: str) -> None:
    holds("platform", printed(tmp_path, "platform", "check", platform))


def test_ratios_are_not_called_seconds() -> None:
    schema = json.loads((SCHEMAS / "run.json").read_text())
    ratios = schema["properties"]["speedups"]["additionalProperties"]["properties"]
    assert ratios and not any(name.endswith("_s") for name in ratios)
