# SPDX-License-Identifier: Apache-2.0
"""Finding clang, and running it: C to LLVM IR, objects and shared objects.

Clang is the one inside the `ziglang` wheel, or the command in `$TANDEM_CLANG`.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import resource
import shlex
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tandem.diagnostics import Place, UserError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang_errors import disk_full, failure
from tandem.frontend.pragmas import has_pragmas, rewrite_pragmas, without_clangs_words
from tandem.frontend.program import CFile

# glibc 2.31 is older than that of any system with Python 3.10 wheels of our dependencies.
ZIG_TARGET = "x86_64-linux-gnu.2.31"
# zig makes errors of __DATE__ and __TIME__, which are good C.
WARNINGS = ["-Wno-unknown-pragmas", "-Wno-unused-command-line-argument", "-Wno-date-time"]
# Vector code for this machine's widest registers ran slower than the compiler's default on table
# look-ups (bench/results); the default also lets an executable run on another machine.
NATIVE_FLAGS = ["-O3", "-fno-sanitize=undefined", "-fPIC"]

WARNED = "source"
"""What a file is called whose warnings are asked for."""
_WARNING = re.compile(rf"^{WARNED}:(\d+):\d+: warning: (.*) \[(-W\S+)\]$", re.M)
_INCLUDES = re.compile(r"^[ \t]*#[ \t]*include\b", re.M)
_WORD = re.compile(r"(?:\\.|\S)+")
"""A name in a rule of make."""
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@functools.cache
def zig() -> str:
    """The compiler inside the `ziglang` wheel. Not `python -m ziglang`, which would look for that
    module in the current folder first. Raises UserError without the wheel."""
    found = importlib.util.find_spec("ziglang")
    binary = Path(found.origin).with_name("zig") if found and found.origin else None
    if binary is None or not binary.is_file():
        raise _missing("the `ziglang` package is not installed")
    return str(binary)


def _missing(why: str) -> UserError:
    return user_error(
        "clang-missing",
        f"cannot run clang: {why}",
        help="install the `ziglang` package, or name a clang in $TANDEM_CLANG",
    )


def clang_command(cxx: bool = False) -> list[str]:
    """The compiler driver, for C or for C++, with the options every call needs."""
    override = os.environ.get("TANDEM_CLANG")
    if override:
        # The option that makes clang a C++ compiler without being called clang++.
        return [*shlex.split(override), *(["--driver-mode=g++"] if cxx else [])]
    return [zig(), "c++" if cxx else "cc", "-target", ZIG_TARGET]


@contextmanager
def clang_environment() -> Iterator[dict[str, str]]:
    """This process's environment, with folders for zig's caches that can be written. The one for
    what is compiled is new and goes again: zig holds a lock on a file's name and flags while it
    compiles, so that programs with a file of one name would wait for each other."""
    kept = os.environ.get("ZIG_GLOBAL_CACHE_DIR") or zig_cache()
    with temporary_folder() as folder:
        yield dict(os.environ, ZIG_GLOBAL_CACHE_DIR=kept, ZIG_LOCAL_CACHE_DIR=str(folder))


@functools.cache
def zig_cache() -> str:
    """Zig's own choice of a folder where that works; else one of this user's in the temporary
    folder. Raises UserError if neither can be written."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    private = Path(tempfile.gettempdir()) / f"tandem-zig-{os.getuid()}"
    for folder in (Path(base) / "zig", private):
        if folder.is_absolute() and _is_ours(folder, folder == private):
            return str(folder)
    raise user_error(
        "cache",
        f"no folder for the compiler's cache: neither {base}/zig nor {private} can be written",
        help="name one that can in $ZIG_GLOBAL_CACHE_DIR",
    )


def _is_ours(folder: Path, alone: bool) -> bool:
    """Whether files can be made there; with `alone` also that nobody else can change them."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kind = folder.lstat()
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return False
    return not alone or (stat.S_ISDIR(kind.st_mode) and kind.st_uid == os.getuid())


def run_clang(arguments: Sequence[str | Path], cxx: bool = False) -> str:
    """Runs clang, as a C++ compiler with `cxx`; returns its standard output. Paths are never taken
    for options.

    Raises UserError with clang's own errors, InternalError where the C is ours."""
    words = [_protected(a) if isinstance(a, Path) else a for a in arguments]
    for i in (i for i, word in enumerate(words) if word == "-o"):
        words[i + 1] = _protected(Path(words[i + 1]))
    command = [*clang_command(cxx), *WARNINGS, *words]
    with clang_environment() as environment:
        try:
            done = subprocess.run(
                command, capture_output=True, stdin=subprocess.DEVNULL, env=environment
            )
        except OSError as error:
            raise _missing(str(error)) from error
    if done.returncode < 0 and resource.getrlimit(resource.RLIMIT_FSIZE)[0] >= 0:
        raise disk_full()  # killed by the limit on the size of files, without a word
    outputs = [Path(words[i + 1]) for i, word in enumerate(words[:-1]) if word == "-o"]
    # A full disk can also be a success without a file.
    if done.returncode or not all(path.exists() for path in outputs):
        cache = Path(environment["ZIG_GLOBAL_CACHE_DIR"])
        written = [cache, Path(tempfile.gettempdir()), *(path.parent for path in outputs)]
        raise failure(os.fsdecode(done.stderr), written)
    return os.fsdecode(done.stdout)


def _protected(path: Path) -> str:
    """A path that clang cannot take for an option or a file of options."""
    name = str(path)
    return f"./{name}" if name.startswith(("-", "@")) else name


def read_c(path: Path) -> str:
    """The text of a C file; bytes that are not UTF-8 survive as surrogates, line ends as they are.

    Raises UserError for a file that cannot be read or is not in an encoding that C knows."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise user_error(
            "no-source",
            f"cannot read the C file: {error.strerror or error}",
            Place(str(path)),
            "give a file that can be read",
        ) from error
    if data.startswith(UTF16_MARKS):
        raise user_error(
            "encoding", "the file is UTF-16, not C", Place(str(path)), "save the file as UTF-8"
        )
    return data.removeprefix(UTF8_MARK).decode("utf-8", "surrogateescape")


def to_llvm_ir(file: CFile) -> str:
    """Unoptimised LLVM IR of a C file, with names, lines and Tandem's pragmas in it."""
    return probe_llvm_ir(file, read_c(file.path))


def probe_llvm_ir(file: CFile, text: str) -> str:
    """As `to_llvm_ir`, of another text in the file's place."""
    with _copied(file, rewrite_pragmas(text, str(file.path))) as copy:
        out = copy.with_name("out.ll")
        headers = _headers_with_pragmas(file, text, copy)
        words = [
            *_own_flags(file),
            *_instead(headers, copy.parent),
            # -O1 with no passes run: functions are not marked `optnone`.
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
            "-gline-tables-only",
            "-S",
            "-emit-llvm",
            "-fno-discard-value-names",
            "-fno-sanitize=undefined",
            "-fno-math-errno",
            copy,
            "-o",
            out,
        ]
        try:
            run_clang(words, file.is_cxx)
        except UserError as error:
            for name, read in ((str(file.path), text), *headers.items()):
                error = without_clangs_words(error, read, name)
            raise error from None
        return out.read_text(encoding="utf-8", errors="surrogateescape")


def _headers_with_pragmas(file: CFile, text: str, copy: Path) -> dict[str, str]:
    """The headers that a file reads, without the system's, in which there are pragmas of Tandem's:
    name as clang has it -> text."""
    if not _INCLUDES.search(text):
        return {}
    rule = run_clang([*_own_flags(file), "-MM", "-MT", "file", copy], file.is_cxx)
    words = _WORD.findall(rule.replace("\\\n", " ").partition(":")[2])
    names = [re.sub(r"\\(.)", r"\1", word).replace("$$", "$") for word in words]
    texts = {name: read_c(Path(name)) for name in names if Path(name) != copy}
    return {name: text for name, text in texts.items() if has_pragmas(text)}


def _instead(headers: dict[str, str], folder: Path) -> list[str | Path]:
    """Options that have clang read headers with their pragmas rewritten."""
    if not headers:
        return []
    roots = []
    for i, (name, text) in enumerate(headers.items()):
        rewritten = folder / f"header{i}.h"
        rewritten.write_bytes(rewrite_pragmas(text, name).encode("utf-8", "surrogateescape"))
        roots.append(
            {"type": "file", "name": os.path.abspath(name), "external-contents": str(rewritten)}
        )
    overlay = folder / "headers.json"
    overlay.write_text(json.dumps({"version": 0, "roots": roots}))
    return ["-ivfsoverlay", overlay]


def dump_functions(file: CFile, name: str) -> str:
    """Clang's tree of every declaration whose name contains `name`: JSON objects one after the
    other. Offsets are those in the file's bytes without a byte order mark."""
    with _copied(file, read_c(file.path)) as copy:
        dump = ["-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={name}"]
        return run_clang([*_own_flags(file), "-E", *dump, copy], file.is_cxx)


def warnings_of(file: CFile) -> list[tuple[int, str, str]]:
    """(line, message, flag) of each warning that clang has for a file."""
    with _copied(file, f'#line 1 "{WARNED}"\n{read_c(file.path)}') as copy:
        words = [*_own_flags(file), "-O1", "-Wall", "-c", copy, "-o", copy.with_suffix(".o")]
        command = [*clang_command(file.is_cxx), *map(str, words)]
        with clang_environment() as environment:
            done = subprocess.run(
                command, capture_output=True, stdin=subprocess.DEVNULL, env=environment
            )
    found = _WARNING.findall(os.fsdecode(done.stderr))
    return [(int(line), message, flag) for line, message, flag in found]


def _own_flags(file: CFile) -> list[str | Path]:
    return ["-iquote", _protected(file.path.parent), *file.flags]


@contextmanager
def _copied(file: CFile, text: str) -> Iterator[Path]:
    """The text under a plain name: the user's may be one that clang, make or LLVM IR cannot
    hold."""
    with temporary_folder() as folder:
        copy = folder / f"source{file.path.suffix}"
        copy.write_bytes(text.encode("utf-8", "surrogateescape"))
        yield copy
