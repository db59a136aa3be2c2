# SPDX-License-Identifier: Apache-2.0
"""`tandem cc` and `tandem c++`: the compiler of a project's own Makefile or CMake.

Each file is compiled as the project says, by clang; beside its object goes what offloading needs
(`NAME.o.tandem`: the LLVM IR, and where it came from). When an executable is linked and functions
are named (`--offload F`, or TANDEM_OFFLOAD), their calls are led to stubs, as `tandem run` does.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import Place, user_error
from tandem.files import replace_file
from tandem.frontend.clang import WARNINGS, clang_command, clang_environment, translate_all
from tandem.frontend.directives.asked import asked_beside
from tandem.frontend.program import CXX_SUFFIXES, CFile

C_SUFFIXES = (".c", *CXX_SUFFIXES)
SIDECAR = ".tandem"
"""What an object's companion is called: the object's name with this."""
SIDECAR_FORMAT, SIDECAR_VERSION = "tandem-object", 1

# Options whose value is the next word; of all others it is part of the word.
VALUED = frozenset(
    (
        *("-o", "-I", "-D", "-U", "-L", "-l", "-x", "-u", "-z", "-T", "-e", "-A", "-F", "-B", "-G"),
        *("-MF", "-MT", "-MQ", "-include", "-imacros", "-isystem", "-iquote", "-idirafter"),
        *("-iprefix", "-isysroot", "-Xlinker", "-Xclang", "-Xpreprocessor", "-Xassembler"),
        *("-target", "-arch"),
    )
)
# Options with which nothing is linked.
NO_LINK = frozenset(["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared", "-r", "--version"])
# Options that say where things go, not what the C means.
_PLACES = frozenset(["-o", "-MF", "-MT", "-MQ"])
_DEPENDENCIES = frozenset(["-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "-c"])


@dataclass(frozen=True)
class Invocation:
    """A compiler's command line. `sources` and `inputs` are its C files and its other files, as
    they stand in `words`; `offloads` and `platform` are Tandem's own options, taken out of it."""

    words: tuple[str, ...]
    sources: tuple[str, ...]
    inputs: tuple[str, ...]
    output: str | None
    offloads: tuple[str, ...]
    platform: str
    cxx: bool

    @property
    def links(self) -> bool:
        """Whether an executable is made."""
        has_input = bool(self.sources or self.inputs)
        return has_input and not any(word in NO_LINK for word in self.words)

    @property
    def compiles(self) -> bool:
        """Whether objects are made and kept."""
        return "-c" in self.words and bool(self.sources)

    def c_flags(self) -> tuple[str, ...]:
        """The flags that say what the C means, and how it is optimised."""
        kept: list[str] = []
        words = iter(self.words)
        for word in words:
            value = next(words, "") if word in VALUED else None
            if word in _PLACES or word in _DEPENDENCIES or word.startswith("-Wl,"):
                continue
            if word.startswith(("-l", "-L")) or (value is None and not word.startswith("-")):
                continue
            kept += [word] if value is None else [word, value]
        return tuple(kept)


def parse(words: Sequence[str], cxx: bool, environment: dict[str, str]) -> Invocation:
    """Reads a compiler's command line. Raises UserError for an option of ours without a value."""
    rest: list[str] = []
    ours: dict[str, list[str]] = {"--offload": [], "--platform": []}
    sources, inputs, output = [], [], None
    stream = iter(words)
    for word in stream:
        name, equals, value = word.partition("=")
        if name in ours:
            ours[name].append(value if equals else _value(stream, name))
            continue
        rest.append(word)
        if word in VALUED:
            rest.append(_value(stream, word))
            output = rest[-1] if word == "-o" else output
        elif word.startswith("-o") and len(word) > 2:
            output = word[2:]
        elif not word.startswith(("-", "@")):
            (sources if word.endswith(C_SUFFIXES) else inputs).append(word)
    named = ours["--offload"] or shlex.split(environment.get("TANDEM_OFFLOAD", ""))
    platform = (ours["--platform"] or [environment.get("TANDEM_PLATFORM") or "src-6e"])[-1]
    return Invocation(
        tuple(rest), tuple(sources), tuple(inputs), output, tuple(named), platform, cxx
    )


def _value(stream: Iterator[str], option: str) -> str:
    found = next(stream, None)
    if found is None:
        raise user_error("options", f"{option} has no value", help=f"give one after {option}")
    return found


def compile_or_link(words: Sequence[str], cxx: bool) -> int:
    """What a compiler does with these words; its exit status."""
    call = parse(words, cxx, dict(os.environ))
    if call.links and call.offloads:
        from tandem.host.relink import link

        return link(call)
    status = run_compiler(call.words, call.cxx)
    if status == 0 and call.compiles:
        for source in call.sources:
            _keep(call, source)
    return status


def run_compiler(words: Sequence[str], cxx: bool) -> int:
    """Runs the compiler itself, its streams the caller's."""
    sys.stdout.flush()
    command = [*clang_command(cxx), *WARNINGS, *words]
    with clang_environment() as environment:
        return subprocess.run(command, env=environment).returncode


def _keep(call: Invocation, source: str) -> None:
    """Writes the companion of an object."""
    place = Path(call.output or Path(source).with_suffix(".o").name)
    if not place.is_file():
        return
    file = CFile(Path(source), call.c_flags(), asked_beside(Path(source)))
    (module,), _, notes = translate_all([file])
    for note in notes:
        print(note, file=sys.stderr)
    content = {
        "format": SIDECAR_FORMAT,
        "format_version": SIDECAR_VERSION,
        "object_sha256": _sha256(place),
        "source": str(Path(source).absolute()),
        "source_sha256": _sha256(Path(source)),
        "folder": os.getcwd(),
        "flags": list(file.flags),
        "llvm_ir": module,
    }
    text = json.dumps(content).encode("utf-8", "surrogateescape")
    replace_file(place.with_name(place.name + SIDECAR), [text])


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True)
class Unit:
    """A C file that was compiled into an object."""

    object: Path
    file: CFile
    llvm_ir: str


def read_unit(path: Path) -> Unit | None:
    """The companion of an object; None if it has none, or one of another object.

    Raises UserError if the C file has changed since: an annotation would be read from another
    text."""
    place = path.with_name(path.name + SIDECAR)
    try:
        content = json.loads(place.read_bytes())
        matches = content["format"] == SIDECAR_FORMAT and content["object_sha256"] == _sha256(path)
        version = content["format_version"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not matches or version != SIDECAR_VERSION:
        return None
    source = Path(content["source"])
    if not source.is_file() or _sha256(source) != content["source_sha256"]:
        raise user_error(
            "stale-object",
            f"`{path}` was made of another text of this file",
            Place(str(source)),
            "compile it again, with `tandem cc`",
        )
    flags = _absolute(content["flags"], Path(content["folder"]))
    return Unit(path, CFile(source, flags), content["llvm_ir"])


def _absolute(flags: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Folders of headers as they are found from anywhere."""
    result: list[str] = []
    for i, flag in enumerate(flags):
        after = flags[i - 1] if i else ""
        if after in ("-I", "-iquote", "-isystem", "-idirafter", "-include", "-imacros"):
            result.append(str(folder / flag))
        elif flag.startswith("-I") and len(flag) > 2:
            result.append(f"-I{folder / flag[2:]}")
        else:
            result.append(flag)
    return tuple(result)


@dataclass(frozen=True)
class Compiled:
    """Objects of a link, in its order: with a unit where Tandem made them."""

    words: tuple[str, ...]
    units: tuple[Unit, ...]


def compiled_inputs(call: Invocation, folder: Path) -> Compiled | int:
    """The words of a link with its C files compiled into objects in `folder`, and the units among
    its objects; the compiler's exit status where it fails."""
    words = list(call.words)
    for number, source in enumerate(call.sources):
        target = folder / f"source{number}.o"
        status = compile_or_link([*call.c_flags(), "-c", source, "-o", str(target)], call.cxx)
        if status:
            return status
        words[words.index(source)] = str(target)
    objects = [Path(w) for w in words if w.endswith(".o") and Path(w).is_file()]
    units = [unit for unit in map(read_unit, objects) if unit is not None]
    return Compiled(tuple(words), tuple(units))
