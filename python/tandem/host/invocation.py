# SPDX-License-Identifier: Apache-2.0
"""A compiler's command line: what of it is whose, and what it reads and writes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import Place, user_error
from tandem.files import require_no_source
from tandem.frontend.program import CXX_SUFFIXES
from tandem.installation import DEFAULT_PLATFORM

C_SUFFIXES = (".c", *CXX_SUFFIXES)

# Options whose value is the next word; of all others it is part of the word.
VALUED = frozenset(
    (
        *("-o", "-I", "-D", "-U", "-L", "-l", "-x", "-u", "-z", "-T", "-e", "-A", "-F", "-B", "-G"),
        *("-MF", "-MT", "-MQ", "-MJ", "-include", "-imacros", "-isystem", "-iquote", "-idirafter"),
        *("-iprefix", "-isysroot", "-Xlinker", "-Xclang", "-Xpreprocessor", "-Xassembler"),
        *("-target", "-arch", "--output", "--serialize-diagnostics"),
    )
)
# Options with which nothing is linked.
NO_LINK = frozenset(["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared", "-r", "--version"])
# Options that name what is written, behind what they begin with; the name is the rest of the word
# or the next one.
OUTPUTS = (
    *("-o", "--output=", "--output", "-MF", "-MJ", "--serialize-diagnostics"),
    *("-Wp,-MD,", "-Wp,-MMD,", "-Wl,-Map=", "-Wl,-Map,", "-Wl,--Map=", "-Wl,--Map,"),
    *("-Wl,--dependency-file=", "-foptimization-record-file=", "-ftime-trace="),
)
# What no rule of ours for outputs is about: the linker's and clang's words that begin with -o.
_NO_OUTPUTS = ("-objcmt", "-object")
# Options that say where things go, not what the C means.
_PLACES = frozenset(["-o", "-MF", "-MT", "-MQ", "-MJ", "--output", "--serialize-diagnostics"])
_DEPENDENCIES = frozenset(["-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "-c"])


@dataclass(frozen=True)
class Invocation:
    """A compiler's command line. `sources` and `inputs` are its C files and its other files, as
    they stand in `words`; `offloads` and `platform` are Tandem's own options, taken out of it;
    `is_demand`: the functions are named by the command line, not by the environment, which also
    counts for programs that do not have them."""

    words: tuple[str, ...]
    sources: tuple[str, ...]
    inputs: tuple[str, ...]
    output: str | None
    offloads: tuple[str, ...]
    is_demand: bool
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
            if word in _PLACES or word in _DEPENDENCIES or word.startswith(("-Wl,", *OUTPUTS)):
                continue
            if word.startswith(("-l", "-L")) or (value is None and not word.startswith("-")):
                continue
            kept += [word] if value is None else [word, value]
        return tuple(kept)

    def outputs(self) -> Iterator[tuple[str, Path]]:
        """Each option that names a file to be written, and the file."""
        words = iter(self.words)
        for word in words:
            value = next(words, "") if word in VALUED else ""
            option = next((o for o in OUTPUTS if word.startswith(o)), None)
            if option is not None and not word.startswith(_NO_OUTPUTS):
                yield option.rstrip("=,"), Path(word[len(option) :] or value)

    def require_outputs(self) -> None:
        """Raises UserError where what is to be written would replace a source or an input."""
        read = [Path(name) for name in (*self.sources, *self.inputs)]
        results = {"-E": (".i", ".ii", ".s"), "-S": (".s",)}
        suffixes = next((own for word, own in results.items() if word in self.words), ())
        for option, path in self.outputs():
            require_no_source(path, read, option, suffixes)


def parse(words: Sequence[str], cxx: bool, environment: Mapping[str, str]) -> Invocation:
    """Reads a compiler's command line. Raises UserError for an option of ours without a value."""
    rest: list[str] = []
    ours: dict[str, list[str]] = {"--offload": [], "--platform": []}
    sources, inputs, output = [], [], None
    stream = iter(list(_expanded(words)))
    for word in stream:
        name, equals, value = word.partition("=")
        if name in ours:
            ours[name].append(value if equals else _value(stream, name))
            continue
        rest.append(word)
        if word in VALUED:
            rest.append(_value(stream, word))
            output = rest[-1] if word in ("-o", "--output") else output
        elif word.startswith("-o") and len(word) > 2:
            output = word[2:]
        elif not word.startswith("-"):
            (sources if word.endswith(C_SUFFIXES) else inputs).append(word)
    wished = shlex.split(environment.get("TANDEM_OFFLOAD", ""))
    platform = (ours["--platform"] or [environment.get("TANDEM_PLATFORM") or DEFAULT_PLATFORM])[-1]
    return Invocation(
        tuple(rest),
        tuple(sources),
        tuple(inputs),
        output,
        tuple(ours["--offload"] or wished),
        bool(ours["--offload"]),
        platform,
        cxx,
    )


def _expanded(words: Sequence[str]) -> Iterator[str]:
    """The words with those of response files (`@FILE`) in their places."""
    for word in words:
        file = Path(word[1:])
        if not word.startswith("@") or not file.is_file():
            yield word
            continue
        try:
            yield from _expanded(shlex.split(file.read_text(errors="surrogateescape")))
        except ValueError as error:
            text = f"cannot read the options in it: {error}"
            raise user_error("options", text, Place(str(file)), "close the quotes") from error


def _value(stream: Iterator[str], option: str) -> str:
    found = next(stream, None)
    if found is None:
        raise user_error("options", f"{option} has no value", help=f"give one after {option}")
    return found
