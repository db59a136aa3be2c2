# SPDX-License-Identifier: Apache-2.0
"""Pages made of code: commands, the Python interface, C headers, schemas."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tandem
import typer
from tandem.commands import cc
from tandem.commands.application import application

HEADERS = ("tandem.h", "tandem/stream.h", "tandem/fixed.h", "co.h")


def command_line_page() -> str:
    """Every command with its arguments and options, as `-h` tells them."""
    group: Any = typer.main.get_command(application)
    lines = ["# Command line", "", f"{group.help}", ""]
    lines += ["Exit status, files and variables are in [environment](../environment.md).", ""]
    for name, command in sorted(_commands("tandem", group)):
        lines += _command_section(name, command)
    return "\n".join(lines) + "\n"


def _commands(path: str, group: Any) -> Iterator[tuple[str, Any]]:
    """The commands below a group, by how they are typed."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(f"{path} {name}", command)
        else:
            yield f"{path} {name}", command


def _command_section(name: str, command: Any) -> Iterator[str]:
    shown = [p for p in command.params if not getattr(p, "hidden", False)]
    words = name.split()
    yield f"## {name}\n"
    yield f"{_plain(command.help)}\n"
    if words[-1] in cc.NAMES:
        yield f"It takes the options of {words[-1]}, and `--offload F` where it links.\n"
        return
    for kind, title in (("argument", "argument"), ("option", "option")):
        rows = [p for p in shown if p.param_type_name == kind]
        if rows:
            yield f"| {title} | what it is |\n| --- | --- |"
            yield from (f"| {_spelled(p)} | {_meaning(p)} |" for p in rows)
            yield ""


def _spelled(parameter: Any) -> str:
    """A parameter as it is typed."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    names = [*parameter.opts, *parameter.secondary_opts]
    value = "" if parameter.is_flag else f" {parameter.metavar or parameter.name.upper()}"
    return ", ".join(f"`{name}{value}`" for name in names).replace("|", "\\|")


def _meaning(parameter: Any) -> str:
    """Its help, and what holds without it."""
    text = _plain(getattr(parameter, "help", None) or "")
    default = parameter.default
    is_told = isinstance(default, str | int | float) and not isinstance(default, bool)
    return f"{text} (`{default}`)" if is_told and str(default) not in ("", text) else text


def _plain(text: str | None) -> str:
    """A help text in one line that is safe in a table."""
    return " ".join((text or "").split()).replace("|", "\\|").replace("<", "&lt;")


def python_page() -> str:
    """What `tandem` has for programs: each name's signature and docstring."""
    lines = ["# Python", "", "How these go together is in [From Python](../python.md).", ""]
    for name in tandem.__all__:
        lines += _python_section(f"tandem.{name}", getattr(tandem, name))
    return "\n".join(lines) + "\n"


def _python_section(name: str, thing: Any) -> Iterator[str]:
    yield f"## {name}\n"
    yield f"```python\n{_signature(name, thing)}\n```\n"
    yield _docstring(thing) + "\n"
    if inspect.isclass(thing):
        for key, member in sorted(vars(thing).items()):
            member = getattr(member, "__func__", member)
            if not key.startswith("_") and inspect.isfunction(member) and member.__doc__:
                yield f"### {name}.{key}\n"
                yield f"```python\n{_signature(key, member)}\n```\n"
                yield _docstring(member) + "\n"


def _signature(name: str, thing: Any) -> str:
    """A line a parameter where one line would be long."""
    if inspect.isclass(thing) and issubclass(thing, dict):
        return f"class {name}(dict)"
    found = inspect.signature(thing)
    text = f"{name}{found}".replace("'", "")
    if len(text) <= 90:
        return text
    rows, is_keyword = [], False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
            rows.append("*")
            is_keyword = True
        rows.append(str(parameter).replace("'", ""))
    body = "".join(f"    {row},\n" for row in rows)
    returned = found.return_annotation
    tail = "" if returned is found.empty else f" -> {returned}".replace("'", "")
    return f"{name}(\n{body}){tail}"


def _docstring(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "").replace("<", "&lt;")


def headers_page(folder: Path) -> str:
    """The C headers as they are, each with its own comments."""
    lines = ["# C headers", "", "`tandem config` prints where they are.", ""]
    for name in HEADERS:
        lines += [f"## {name}", "", f"```c\n{(folder / name).read_text().rstrip()}\n```", ""]
    return "\n".join(lines)


def schema_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """A page a schema, and the list of them."""
    rows = []
    for path in sorted(folder.glob("*.json")):
        schema = json.loads(path.read_text())
        rows.append(f"| [{path.stem}](schemas/{path.stem}.md) | {_plain(schema.get('title'))} |")
        yield f"reference/schemas/{path.stem}.md", schema_page(path.stem, schema)
    head = [
        "# Schemas of JSON",
        "",
        "What Tandem prints, writes and reads as JSON.",
        "",
    ]
    lines = [*head, "| name | of |", "| --- | --- |", *rows]
    yield "reference/schemas.md", "\n".join(lines) + "\n"


def schema_page(name: str, schema: dict[str, Any]) -> str:
    """A row a field, by its path: `[]` is each item of a list, `*` each name of an object."""
    lines = [f"# {name}.json", "", _plain(schema.get("title")), ""]
    lines += [_plain(schema["description"]), ""] if "description" in schema else []
    lines += ["| field | type | what it is |", "| --- | --- | --- |"]
    lines += [f"| `{p}` | {t} | {d} |" for p, t, d in _fields("", schema, schema.get("$defs", {}))]
    return "\n".join(lines) + "\n"


def _fields(
    path: str, schema: dict[str, Any], known: dict[str, Any], inside: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, str]]:
    """Path, type and meaning of each field below a schema. What is in itself is told once."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name:
        if name in inside:
            return
        schema, inside = {**known[name], **schema}, (*inside, name)
    needed = set(schema.get("required", ()))
    for key, inner in schema.get("properties", {}).items():
        at = f"{path}.{key}" if path else key
        yield at, _type(inner, known, key in needed), _plain(_described(inner, known))
        yield from _fields(at, inner, known, inside)
    for key, at in (("items", f"{path}[]"), ("additionalProperties", f"{path}.*".strip("."))):
        inner = schema.get(key)
        if isinstance(inner, dict):
            if "properties" not in inner and inner:
                yield at, _type(inner, known, True), _plain(_described(inner, known))
            yield from _fields(at, inner, known, inside)
    for key in ("oneOf", "anyOf", "allOf"):
        for inner in schema.get(key, ()):
            yield from _fields(path, inner, known, inside)


def _described(schema: dict[str, Any], known: dict[str, Any]) -> str:
    name = schema.get("$ref", "").rpartition("/")[2]
    return schema.get("description") or known.get(name, {}).get("description", "")


def _type(schema: dict[str, Any], known: dict[str, Any], is_needed: bool) -> str:
    """A field's type in words."""
    name = schema.get("$ref", "").rpartition("/")[2]
    schema = {**known.get(name, {}), **schema}
    if "const" in schema:
        text = f"`{json.dumps(schema['const'])}`"
    elif "enum" in schema:
        text = " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    else:
        kinds = schema.get("type", "any")
        text = " or ".join(kinds) if isinstance(kinds, list) else kinds
    return text if is_needed else f"{text}, may be absent"
