# SPDX-License-Identifier: Apache-2.0
"""The house rules that a machine can check: what is forgotten when something is added."""

from __future__ import annotations

import ast
import csv
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tandem import passes, policy
from tandem.compiler.compile import find_target
from tandem.files import SOURCE_SUFFIXES
from tandem.installation import known
from tandem.ir.ops import OPERATIONS, ArgumentOp, Divide, Division
from tandem.languages.known import LANGUAGES
from tandem.platforms.engine import find_platform, platforms, read_platform

NAMELESS = {"Cargo.toml", "rustfmt.toml"}
ROOT = Path(__file__).parents[1]
FOUND = re.compile(r"(?:Found on|Matters to)[^.]*(?:\.\w[^.]*)*")
NAME = re.compile(r"`([\w.]+)`")
PASSES = [
    module
    for info in pkgutil.iter_modules(passes.__path__)
    if hasattr(module := importlib.import_module(f"tandem.passes.{info.name}"), "SLUG")
]


def test_every_operation_is_documented() -> None:
    text = (ROOT / "docs" / "ir.md").read_text()
    missing = [
        r.slug
        for r in OPERATIONS.values()
        if f"| `{r.slug}` |" not in text or r.summary not in text
    ]
    assert not missing


@pytest.mark.parametrize("target", known("targets"))
def test_every_operation_has_a_delay(target: str) -> None:
    """All but division, which a pass expands."""
    family = find_target(target)
    operand = ArgumentOp((), 8)
    for name, row in OPERATIONS.items():
        if row.delay_row and not issubclass(row, (Divide, Division)):
            op = row([operand] * (row.arity or 2), 8)
            assert family.delay_ps(op) > 0, name


@pytest.mark.parametrize("module", PASSES, ids=lambda m: m.SLUG)
def test_every_pass_has_its_slug_everywhere(module: ModuleType) -> None:
    slug = module.SLUG
    assert module.__name__.endswith(slug.replace("-", "_"))
    assert f"| `{slug}` | {module.SUMMARY} |" in (ROOT / "docs" / "passes.md").read_text()


@pytest.mark.parametrize("platform", platforms())
def test_every_platform_is_good(platform: str) -> None:
    numbers = read_platform(find_platform(platform))
    assert numbers["name"] == platform
    find_target(numbers["devices"][0]["target"])


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    crates = tomllib.loads((ROOT / "engine" / "Cargo.toml").read_text())
    names = {re.split(r"[\[=<>~]", line)[0] for group in groups for line in group} - {
        "tandem-accel"
    }
    names |= crates["dependencies"].keys() | crates["dev-dependencies"].keys()
    text = (ROOT / "docs" / "dependencies.md").read_text()
    assert not [n for n in names if f"`{n}`" not in text]


def test_every_source_has_its_licence_line() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = [
        ROOT / f for f in listed.stdout.split() if f.endswith((".py", ".rs", ".c", ".h", ".toml"))
    ]
    code = [f for f in files if f.is_file() and "tests/diagnostics" not in str(f)]
    missing = [
        str(f)
        for f in code
        if f.name not in NAMELESS
        and "SPDX-License-Identifier: Apache-2.0" not in f.read_text()[:400]
    ]
    assert len(code) > 50 and not missing


ROOMS = (
    *("written", "first_commands", "garbage", "installation", "policy", "progress", "signals"),
    *("_engine", "children", "diagnostics", "stages", "files", "loading", "platforms", "ir"),
    *("manifest", "waves", "analysis", "runtime", "passes", "schedule", "report", "result"),
    *(
        "synthesis",
        "rtl",
        "llvm",
        "frontend",
        "languages",
        "compiler",
        "cache",
        "describe",
        "library",
        "models",
    ),
    *("package", "explore", "host", "chip", "serve", "study", "doctor", "interface", "commands"),
)
"""The house from the ground up, with what stands in no room where its rooms are."""


def _imports(path: Path) -> Iterator[str]:
    """The modules of the house that one imports when it runs."""
    tree = ast.parse(path.read_text())
    typing = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in set(ast.walk(tree)) - typing:
        if isinstance(node, ast.ImportFrom):
            here = [_package(path, node.level)] if node.level else []
            module = ".".join([*here, *filter(None, [node.module])])
            inside = [f"{module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else module for name in inside)


def _package(path: Path, level: int) -> str:
    """What so many dots stand for in a module."""
    return ".".join(("tandem", *path.parents[level - 1].relative_to(SOURCES).parts))


SOURCES = ROOT / "python" / "tandem"
MODULES = {
    ".".join(("tandem", *path.relative_to(SOURCES).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in SOURCES.rglob("*.py")
    if "data" not in path.parts
}


@cache
def _used() -> dict[str, set[str]]:
    """Each module, with those that it imports."""
    return {
        name: {used for used in _imports(path) if used in MODULES} for name, path in MODULES.items()
    }


def test_no_room_uses_one_above_it() -> None:
    """Nor is there a room without its floor."""
    floor = {room: number for number, room in enumerate(ROOMS)}
    wrong = [
        f"{name} -> {used}"
        for name, found in _used().items()
        for used in found - {name, "tandem"}
        if name != "tandem" and floor[_room(used)] > floor[_room(name)]
    ]
    assert wrong == []


def _room(module: str) -> str:
    return module.split(".")[1]


ENGINE_ROOMS = (
    *(("error",), ("host",), ("breakdown",), ("schema",), ("simulation",), ("model",)),
    *(("package",), ("wave",), ("cores",), ("recording",), ("harness",), ("trace",)),
    *(("components", "course", "job", "call"), ("platform",), ("machine",), ("session",)),
    *(("chip",), ("abi",)),
)
"""The engine's from the ground up (`engine/README.md`): those of one floor know each other."""
ENGINE_USES = re.compile(r"^(?!\s*//).*\bcrate::(\w+)", re.MULTILINE)
ENGINE_TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod tests \{.*", re.MULTILINE | re.DOTALL)


def test_no_room_of_the_engine_uses_one_above_it() -> None:
    """Nor is there a room without its floor."""
    floor = {room: number for number, rooms in enumerate(ENGINE_ROOMS) for room in rooms}
    source = ROOT / "engine" / "src"
    wrong = [
        f"{path.relative_to(source)} -> {used}"
        for path in source.rglob("*.rs")
        if path.name != "lib.rs"
        for used in ENGINE_USES.findall(ENGINE_TESTS.sub("", path.read_text()))
        if floor[used] > floor[path.relative_to(source).parts[0].removesuffix(".rs")]
    ]
    assert wrong == []


def test_no_module_uses_itself_by_way_of_others() -> None:
    order: list[str] = []
    left = dict(_used())
    while free := [name for name, found in left.items() if not (found - {name}) & left.keys()]:
        order += free
        left = {name: found for name, found in left.items() if name not in free}
    assert len(order) > 300 and sorted(left) == []


def _compares_a_kind_with_text(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    parts = [p for s in sides for p in (s.elts if isinstance(s, (ast.Tuple, ast.Set)) else [s])]
    is_text = any(isinstance(p, ast.Constant) and isinstance(p.value, str) for p in parts)
    return is_text and any(isinstance(s, ast.Attribute) and s.attr == "kind" for s in sides)


def _is_line_of_a_loop(node: ast.AST) -> bool:
    """Whether it is `loop.line`, or that of something's loop."""
    if not isinstance(node, ast.Attribute) or node.attr != "line":
        return False
    owner = node.value
    return getattr(owner, "attr", getattr(owner, "id", "")) == "loop"


def _knows_a_loop_by_its_line(node: Any) -> bool:
    """Whether something is compared with the line of a loop, looked up by it, or kept under it; or
    is one, and no part of an id."""
    named = [getattr(node, name, None) for name in ("arg", "attr", "id")]
    if any(isinstance(name, str) and re.fullmatch("loop_lines?", name) for name in named):
        return True
    inside = {
        ast.Compare: lambda: [node.left, *node.comparators],
        ast.Subscript: lambda: [node.slice],
        ast.Set: lambda: node.elts,
        ast.SetComp: lambda: [node.elt],
        ast.Dict: lambda: [key for key in node.keys if key],
        ast.DictComp: lambda: [node.key],
    }
    return any(map(_is_line_of_a_loop, inside.get(type(node), list)()))


def test_no_loop_is_known_by_its_line_alone() -> None:
    """Two loops may stand in one line, and one in several kernels: `ir.lines.LoopId`."""
    told = [
        f"{path.name}:{node.lineno}"
        for path in (ROOT / "python" / "tandem").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.expr, ast.arg)) and _knows_a_loop_by_its_line(node)
    ]
    assert told == []


@pytest.mark.parametrize(
    "code",
    ["a.loop.line == 3", "found[loop.line]", "{s.loop.line: 1}", "{loop.line for loop in x}"],
)
def test_it_is_noticed_where_a_loop_is_known_by_its_line(code: str) -> None:
    assert any(map(_knows_a_loop_by_its_line, ast.walk(ast.parse(code))))


def test_what_a_thing_is_its_class_says_or_a_name() -> None:
    """Not text: a word that no thing has any more is a comparison that holds never."""
    told = [
        f"{path.name}:{node.lineno}"
        for path in (ROOT / "python" / "tandem").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if _compares_a_kind_with_text(node) and isinstance(node, ast.Compare)
    ]
    assert told == []


def test_every_suffix_is_of_one_language_and_of_no_result() -> None:
    suffixes = [suffix for language in LANGUAGES for suffix in language.suffixes]
    assert sorted(set(suffixes)) == sorted(suffixes)
    assert set(suffixes) <= set(SOURCE_SUFFIXES)


def test_links_between_the_documents_lead_somewhere() -> None:
    rooms = [ROOT / "engine" / "README.md", *(ROOT / "python" / "tandem").glob("*/README.md")]
    tops = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for page in [*tops, *rooms, *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_bench_results_name_their_machine() -> None:
    for path in (ROOT / "bench" / "results").glob("*.json"):
        assert "machine" in json.loads(path.read_text()), path.name


def test_every_measurement_is_there() -> None:
    """`bench/run.py` makes its table as it begins, and no number of the policy is missing in it."""
    command = [sys.executable, ROOT / "bench" / "run.py", "nothing"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2 and "policy:all" in run.stderr, run.stderr


def test_every_number_of_the_policy_says_where_it_was_found() -> None:
    """On kernels that it may be found on: none that is held out."""
    body = ast.parse(Path(policy.__file__).read_text()).body
    numbers = [i for i, line in enumerate(body) if isinstance(line, ast.Assign)]
    texts = [" ".join(str(ast.literal_eval(ast.unparse(body[i + 1]))).split()) for i in numbers]
    assert all(re.search("Found on|Matters to|changes none", text) for text in texts)
    named = {name for t in texts for part in FOUND.findall(t) for name in NAME.findall(part)}
    with (ROOT / "bench" / "estimates" / "halves.csv").open() as file:
        halves = {row["kernel"]: row["half"] for row in csv.DictReader(file)}
    own = {name for path in (ROOT / "tests").rglob("*") for name in (path.stem, path.name)}
    own |= {path.stem for path in (ROOT / "bench" / "kernels").glob("*.c")}
    assert len(numbers) > 40 and named
    assert [name for name in named if halves.get(name, "found on") != "found on"] == []
    assert named <= halves.keys() | own


def test_reports_read_data_only() -> None:
    """Whatever a page tells can be told again from the file that it was made of."""
    names = ("report", "diagnostics", "written", "files", "installation", "manifest", "progress")
    known = tuple(f"tandem.{name}" for name in names)
    for path in (ROOT / "python" / "tandem" / "report").rglob("*.py"):
        nodes = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
        names = [n.module or "" for n in nodes]
        assert all(n.startswith(known) for n in names if n.startswith("tandem")), path.name


OF_LLVM = re.compile(
    r"\b(?:define|declare|alloca|getelementptr|bitcast|icmp|fcmp|phi|fpext|fptrunc|sext|zext|load|"
    r"store|call|ret|label|unreachable|datalayout|unnamed_addr)\b|!DI[A-Z]|!dbg|@llvm|!llvm\.loop"
)


def _patterns(tree: ast.AST) -> Iterator[str]:
    """The texts that regular expressions of a module are made of."""
    for node in ast.walk(tree):
        is_made = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
        for inner in ast.walk(node) if is_made else ():
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value


def test_llvm_is_read_and_changed_as_objects() -> None:
    """No regular expression knows how LLVM writes what it means (`tandem.llvm` has objects)."""
    rooms = ("frontend", "llvm", "compiler", "models", "host", "languages", "languages/fortran")
    found = {
        path.name
        for room in rooms
        for path in (SOURCES / room).glob("*.py")
        if any(OF_LLVM.search(pattern) for pattern in _patterns(ast.parse(path.read_text())))
    }
    assert not found


MOST_LINES = {ast.Module: 400, ast.FunctionDef: 50}
"""Of a file, and of a function."""
DEEPEST = 3
"""Statements of a function inside of each other."""
NESTING = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)


def _sized() -> Iterator[tuple[str, ast.Module | ast.FunctionDef, int]]:
    """Every file and every function, with its name and its lines."""
    for path in (path for path in SOURCES.rglob("*.py") if "data" not in path.parts):
        text, name = path.read_text(), str(path.relative_to(SOURCES))
        yield name, (tree := ast.parse(text)), len(text.splitlines())
        for node in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            yield f"{name}: {node.name}", node, (node.end_lineno or 0) - node.lineno + 1


def _depth(node: ast.AST) -> int:
    """How deep statements stand in each other below one; `elif` is no deeper than its `if`."""
    deepest = 0
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            continue
        is_elif = isinstance(node, ast.If) and [inner] == node.orelse and isinstance(inner, ast.If)
        deepest = max(deepest, _depth(inner) + (isinstance(inner, NESTING) and not is_elif))
    return deepest


def test_files_and_functions_are_small() -> None:
    large = {name for name, node, lines in _sized() if lines > MOST_LINES[type(node)]}
    assert large == set()


def test_files_in_rust_and_typescript_are_small() -> None:
    rooms = {"engine/src": "*.rs", "engine/tests": "*.rs", "page/src": "*.ts"}
    files = [path for room, kind in rooms.items() for path in (ROOT / room).rglob(kind)]
    lines = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files}
    assert {name for name, count in lines.items() if count > MOST_LINES[ast.Module]} == set()


def test_functions_do_not_nest_deep() -> None:
    functions = ((name, node) for name, node, _ in _sized() if isinstance(node, ast.FunctionDef))
    assert {name for name, node in functions if _depth(node) > DEEPEST} == set()


@pytest.mark.parametrize(
    ("code", "depth"),
    [("if a:\n pass\nelif b:\n pass", 1), ("for a in b:\n if c:\n  with d:\n   pass", 3)],
)
def test_it_is_noticed_how_deep_statements_stand(code: str, depth: int) -> None:
    assert _depth(ast.parse(code)) == depth
