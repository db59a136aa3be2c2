# SPDX-License-Identifier: Apache-2.0
"""Finding clang, and running it: C to LLVM IR, objects and shared objects.

Clang is the one inside the `ziglang` wheel, or the command in `$TANDEM_CLANG`.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import resource
import shlex
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tandem.children import captured
from tandem.diagnostics import Place, UserError, user_error
from tandem.files import temporary_folder
from tandem.frontend.clang_errors import disk_full, failure
from tandem.frontend.directives.rewrite import (
    Rewritten,
    line_marker,
    may_have_directives,
    rewrite,
)
from tandem.frontend.open_structs import name_members
from tandem.frontend.program import CFile
from tandem.frontend.value_names import name_values
from tandem.installation import data_file
from tandem.llvm.edit import drop_attributes
from tandem.llvm.module import Module, edited

# glibc 2.31 is older than that of any system with Python 3.10 wheels of our dependencies.
ZIG_TARGET = "x86_64-linux-gnu.2.31"
# zig makes errors of __DATE__ and __TIME__, which are good C.
OLD_C = ("implicit-int", "implicit-function-declaration", "int-conversion", "return-mismatch")
POINTERS_OF_OLD_C = ("incompatible-pointer-types", "incompatible-function-pointer-types")
"""What compilers took for decades with a warning, and programs of that time still do."""
WARNINGS = [
    *("-Wno-unknown-pragmas", "-Wno-unused-command-line-argument", "-Wno-date-time"),
    *(f"-Wno-error={name}" for name in (*OLD_C, *POINTERS_OF_OLD_C)),
]
# Vector code for this machine's widest registers ran slower than the compiler's default on table
# look-ups (bench/results); the default also lets an executable run on another machine.
NATIVE_FLAGS = ["-O3", "-fno-sanitize=undefined", "-fPIC"]

WARNED = "source"
"""What a file is called whose warnings are asked for."""
_WARNING = re.compile(rf"^{WARNED}:(\d+):\d+: warning: (.*) \[(-W\S+)\]$", re.M)
_INCLUDES = re.compile(r"^[ \t]*#[ \t]*include\b", re.M)
PREPROCESSING = (
    *("-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix"),
    *("-D", "-U", "-I"),
)
"""Options of the preprocessor, whose value is the rest of the word or the next one."""
TARGET = "-target"
"""Among a file's flags: it is for another machine than this one."""
_PROCESSOR = ("target-cpu", "tune-cpu", "target-features")
"""What another machine's processor can do: a matter of who makes machine code, and unknown to the
LLVM that makes a kernel."""
_PREPROCESSED = ("-Xclang", "-undef")
"""With these nothing is a macro."""
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
    headers = ["-isystem", str(data_file("include", ""))]
    override = os.environ.get("TANDEM_CLANG")
    if override:
        # The option that makes clang a C++ compiler without being called clang++.
        return [*shlex.split(override), *(["--driver-mode=g++"] if cxx else []), *headers]
    # Zig defines NDEBUG where it optimises, which no other compiler does.
    return [zig(), "c++" if cxx else "cc", "-target", ZIG_TARGET, "-UNDEBUG", *headers]


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
            done = captured(command, env=environment)
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


@dataclass(frozen=True)
class Translated:
    """A C file as LLVM IR, and the directives that were in it or about something in it."""

    llvm_ir: str
    directives: Rewritten


def to_llvm_ir(file: CFile) -> str:
    """Unoptimised LLVM IR of a C file, with names, lines and directives in it."""
    return translate(file).llvm_ir


def probe_llvm_ir(file: CFile, text: str) -> str:
    """As `to_llvm_ir`, of another text in the file's place."""
    return translate(file, text).llvm_ir


def translate(file: CFile, text: str | None = None) -> Translated:
    """A C file, or another text in its place, as LLVM IR. Raises UserError with what clang says."""
    own = f"{line_marker(str(file.path))}{read_c(file.path) if text is None else text}"
    with _copied(file, own) as copy:
        found = _directives(file, own, copy)
        flags = _own_flags(file)
        if found.placed:
            copy.write_bytes(found.text.encode("utf-8", "surrogateescape"))
            flags = [*_PREPROCESSED, *_without_preprocessing(file.flags)]
        out = copy.with_name("out.ll")
        words = [
            # What may be fused LLVM fuses in constants, and nowhere else where there is no such
            # instruction.
            "-ffp-contract=off",
            *flags,
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
            raise found.without_clangs_words(error) from None
        text = out.read_text(encoding="utf-8", errors="surrogateescape")
        return Translated(edited(text, partial(_name, other=TARGET in file.flags)) or text, found)


def _name(module: Module, other: bool) -> bool:
    """Names values and members as the C does. `other`: it is for another machine, and what its
    processor can do is of no matter."""
    if other:
        for function in module.functions:
            drop_attributes(function, _PROCESSOR)
    return name_members(module) | name_values(module) | other


def included(file: CFile) -> list[Path]:
    """The headers that a file includes, but those of the system. Raises UserError as clang does."""
    told = run_clang([*_own_flags(file), "-MM", "-MT", "x", file.path], file.is_cxx)
    names = re.findall(r"(?:\\.|[^\s\\])+", told.replace("\\\n", " "))
    return [Path(re.sub(r"\\(.)", r"\1", name)) for name in names[2:]]


def _directives(file: CFile, text: str, copy: Path) -> Rewritten:
    """The preprocessed text of a file with its directives in clang's words; an empty one for a file
    that has none."""
    is_alone = not _INCLUDES.search(text) and not may_have_directives(text)
    if is_alone and not file.asked:
        return Rewritten("")
    # With Microsoft's extensions macros count in pragmas too.
    words = [*_own_flags(file), "-E", "-fms-extensions", copy]
    return rewrite(run_clang(words, file.is_cxx), file.asked)


def _without_preprocessing(flags: Sequence[str]) -> Iterator[str]:
    """The flags that say something to more than the preprocessor."""
    words = iter(flags)
    for word in words:
        option = next((o for o in PREPROCESSING if word.startswith(o)), None)
        if option is None:
            yield word
        elif word == option:
            next(words, None)


def dump_functions(file: CFile, name: str) -> str:
    """Clang's tree of every declaration whose name contains `name`: JSON objects one after the
    other. Offsets are those in the file's bytes without a byte order mark."""
    with _copied(file, read_c(file.path)) as copy:
        dump = ["-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={name}"]
        return run_clang([*_own_flags(file), "-E", *dump, copy], file.is_cxx)


def described(file: CFile) -> str:
    """Unoptimised LLVM IR of a C file with all that debuggers are told of its types. Raises
    UserError with what clang says."""
    with _copied(file, read_c(file.path)) as copy:
        out = copy.with_suffix(".ll")
        words = [*_own_flags(file), "-g", "-O0", "-S", "-emit-llvm", "-fno-sanitize=undefined"]
        run_clang([*words, copy, "-o", out], file.is_cxx)
        return out.read_text(encoding="utf-8", errors="surrogateescape")


def warnings_of(file: CFile) -> list[tuple[int, str, str]]:
    """(line, message, flag) of each warning that clang has for a file."""
    with _copied(file, f'#line 1 "{WARNED}"\n{read_c(file.path)}') as copy:
        words = [*_own_flags(file), "-O1", "-Wall", "-c", copy, "-o", copy.with_suffix(".o")]
        command = [*clang_command(file.is_cxx), *map(str, words)]
        with clang_environment() as environment:
            done = captured(command, env=environment)
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


def own_functions(text: str, defined: Mapping[str, str] | None = None) -> str:
    """LLVM IR, before any pass, of functions of ours that are written in C; `defined`: macros and
    what they stand for."""
    options = ["-O1", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-g0"]
    plain = ["-fno-strict-aliasing", "-fno-builtin", "-fno-sanitize=undefined"]
    names = [f"-D{name}={value}" for name, value in (defined or {}).items()]
    with temporary_folder() as folder:
        source, out = folder / "own.c", folder / "own.ll"
        source.write_text(text)
        run_clang([*options, *plain, *names, str(source), "-o", str(out)])
        return out.read_text()
