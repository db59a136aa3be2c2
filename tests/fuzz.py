# SPDX-License-Identifier: Apache-2.0
"""Csmith's random programs, whole ones, through native, simulated and compared: `make fuzz N=100`.

    python tests/fuzz.py COUNT [FIRST-SEED] [--varied] [--keep FOLDER] [--minimise] [--seconds N]

Wants `csmith` and its headers, which distributions have as packages. The source of every program
whose answer is wrong or with which the compiler fails goes into a folder (`build/fuzz/`), with
`--minimise` made smaller there by `cvise` too. A summary comes last: what became of the programs,
refusals by code, and how long `tandem verify` took. Status 1 where an answer is wrong or the
compiler fails; time-outs and refusals are counted.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median

from tandem.commands import main as tandem
from tandem.diagnostics import InternalError
from tandem.files import temporary_folder
from tandem.frontend.clang import run_clang
from tandem.loading import load_compiler

ROOT = Path(__file__).parents[1]
HEADERS = ("/usr/include/csmith", "/usr/include/csmith-2.3.0", "/usr/local/include/csmith-2.3.0")
SIZES = shlex.split(
    "--no-argc --max-funcs 4 --max-block-size 3 --max-block-depth 3 --max-expr-complexity 6 "
    "--max-array-dim 2 --max-array-len-per-dim 6 --max-pointer-depth 2 --max-struct-fields 5"
)
"""Programs that make some thousand operations: larger ones say no more of a compiler, and take
longer."""
LIMITS = {
    "funcs": (1, 7),
    "block-size": (2, 4),
    "block-depth": (1, 4),
    "expr-complexity": (3, 9),
    "array-dim": (1, 3),
    "array-len-per-dim": (2, 9),
    "pointer-depth": (1, 3),
    "struct-fields": (2, 8),
    "union-fields": (2, 5),
}
"""Between which numbers a limit of Csmith's is drawn where programs are to vary."""
WITHOUT = ("volatiles", "global-variables", "divs", "jumps", "pointers", "structs", "consts")
WITH = ("inline-function", "builtins", "float")
"""What some of those programs do not have, and what some do."""
QUIET = ("-w", "-Wno-incompatible-pointer-types")
"""For compilers: Csmith hands on a `float *` for a `char *`."""
PROGRAM_SECONDS, VERIFY_SECONDS = 3, 300
_RESULT = re.compile(r"platform_main_end\(([^,]*),[^;]*;\s*return 0;")
_CODE = re.compile(r"error\[([\w-]+)\]: (.*)")
AGREES, ENDLESS, UNDEFINED, TIME_OUT = "agrees", "endless", "undefined", "time-out"
WRONG, CRASHED = ("call-failed", "verify"), "crashed"
"""Codes of answers that differ, and what is put before those of a compiler that fails."""


def main() -> int:
    """Runs them; whether one failed."""
    parser = argparse.ArgumentParser(description="Csmith's programs through every mode")
    parser.add_argument("count", type=int)
    parser.add_argument("first", type=int, nargs="?", default=1)
    parser.add_argument("--varied", action="store_true", help="sizes and features drawn at random")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "fuzz", metavar="FOLDER")
    parser.add_argument("--minimise", action="store_true", help="make what fails smaller by cvise")
    parser.add_argument("--seconds", type=float, default=VERIFY_SECONDS, help="a program's most")
    asked = parser.parse_args()
    headers = next((path for path in HEADERS if Path(path).is_dir()), None)
    if shutil.which("csmith") is None or headers is None:
        print("csmith is not installed; distributions have it as `csmith` and `libcsmith-dev`")
        return 2
    asked.keep.mkdir(parents=True, exist_ok=True)
    load_compiler()
    found: dict[int, str] = {}
    seconds: list[float] = []
    for seed in range(asked.first, asked.first + asked.count):
        started = time.monotonic()
        with temporary_folder() as folder:
            source = folder / f"csmith{seed}.c"
            source.write_text(
                program(seed, folder, varied_options(seed) if asked.varied else SIZES)
            )
            code = ENDLESS
            if ends(source, headers):
                started = time.monotonic()
                code = verified(source, headers, asked.seconds)
                seconds.append(time.monotonic() - started)
            if is_bad(code):
                shutil.copyfile(source, asked.keep / source.name)
        found[seed] = code
        print(f"{seed} {time.monotonic() - started:.1f} s {code}", flush=True)
        if is_bad(code) and asked.minimise:
            minimise(asked.keep / f"csmith{seed}.c", headers, code)
    print(summary(found, seconds))
    return int(any(map(is_bad, found.values())))


def _kind(code: str) -> str:
    """A code without its text."""
    return code.partition(":")[0]


def is_bad(code: str) -> bool:
    """Whether that is a fault of the compiler."""
    return _kind(code) in (*WRONG, CRASHED)


def summary(found: dict[int, str], seconds: Sequence[float]) -> str:
    """What became of the programs, and how long they took."""
    kinds = Counter(map(_kind, found.values()))
    others = (AGREES, ENDLESS, UNDEFINED, TIME_OUT)
    refused = Counter(
        code for code in found.values() if not is_bad(code) and _kind(code) not in others
    )
    rows = [
        (len(found), "programs"),
        (kinds[AGREES], "agree"),
        (sum(kinds[kind] for kind in WRONG), "wrong"),
        (kinds[CRASHED], "crashed"),
        (refused.total(), "refused"),
        *((times, f"  {code}") for code, times in refused.most_common()),
        (kinds[TIME_OUT], "timed out"),
        (kinds[ENDLESS], "endless in C, or no C, and not tried"),
        (kinds[UNDEFINED], "without a meaning: `__builtin_clz(0)`"),
    ]
    lines = [f"{number:6} {what}" for number, what in rows]
    bad = [f"{seed} ({code})" for seed, code in found.items() if is_bad(code)]
    if bad:
        lines.append(f"failed: {', '.join(bad)}")
    if seconds:
        last = sorted(seconds)[round(0.99 * (len(seconds) - 1))]
        lines.append(
            f"seconds: median {median(seconds):.1f}, 99th percentile {last:.1f}, "
            f"longest {max(seconds):.1f}"
        )
    return "\n".join(lines)


def varied_options(seed: int) -> list[str]:
    """Csmith's options for a program of a seed, drawn at random."""
    random = Random(seed)
    limits = [f"--max-{name}={random.randint(*span)}" for name, span in LIMITS.items()]
    features = [f"--no-{name}" for name in WITHOUT if not random.randrange(6)]
    features += [f"--{name}" for name in WITH if not random.randrange(4)]
    return ["--no-argc", *" ".join(limits).replace("=", " ").split(), *features]


def program(seed: int, folder: Path, options: Sequence[str] = SIZES) -> str:
    """The text, in which `main` returns what the program would print: the sum of all its state.
    Csmith leaves a file in the working folder."""
    made = subprocess.run(
        ["csmith", "--seed", str(seed), *options],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    text, count = _RESULT.subn(r"return (int)(\1);", made.stdout)
    assert count == 1, "csmith has another way to print"
    return text


def ends(source: Path, headers: str) -> bool:
    """Whether the plain program comes to an end, every loop in it as the C has it: LLVM takes some
    that do not for loops that do."""
    plain = source.with_suffix("")
    flags = [*QUIET, f"-I{headers}", "-O0", "-fno-sanitize=undefined"]
    try:
        run_clang([source, *flags, "-o", plain])
        subprocess.run([plain], capture_output=True, timeout=PROGRAM_SECONDS)
    except (subprocess.TimeoutExpired, InternalError):  # too long, or what Csmith writes is no C
        return False
    return True


def verified(source: Path, headers: str, seconds: float = VERIFY_SECONDS) -> str:
    """What `tandem verify` says of a program with `main` as the kernel: 'agrees', 'time-out', or a
    code. It runs in a process forked off this one, in which the compiler is loaded already."""
    words = ["verify", str(source), "--offload", "main", f"--cflags=-I{headers} {' '.join(QUIET)}"]
    with temporary_folder() as folder, (folder / "said").open("w+b") as said:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            _verify_and_exit(words, said.fileno())
        status = _status(child, seconds)
        said.seek(0)
        text = said.read().decode(errors="replace")
    if status is None:
        return TIME_OUT
    if status == 0:
        return AGREES
    codes = _CODE.findall(text)
    if not codes:
        return f"{CRASHED}: status {status}"
    if "undefined" in (code for code, _ in codes):
        return UNDEFINED
    code, text = codes[-1]
    said = f"{code}: {re.sub('[0-9`].*', '', text)}"
    is_fault = status == InternalError.exit_status and code not in WRONG
    return f"{CRASHED}: {said}" if is_fault else said


def _verify_and_exit(words: list[str], output: int) -> None:
    """Is the child: the command line with its output in a file, and the end."""
    status = 70
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ["TANDEM_CACHE"] = "off"
        sys.argv = ["tandem", *words]
        tandem()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _status(child: int, seconds: float) -> int | None:
    """How a child ended, None where it had to be ended, with all that it had started."""
    late = time.monotonic() + seconds
    while time.monotonic() < late:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def minimise(source: Path, headers: str, code: str) -> None:
    """Makes the program smaller as long as the same goes wrong with it, and it has a meaning."""
    if shutil.which("cvise") is None:
        return
    small = source.with_suffix(".small.c")
    shutil.copyfile(source, small)
    with temporary_folder() as folder:
        script = folder / "fails.py"
        script.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path[:0] = {sys.path!r}\n"
            f"import fuzz\nsys.exit(not fuzz.fails({small.name!r}, {headers!r}, {code!r}))\n"
        )
        script.chmod(0o755)
        subprocess.run(["cvise", "--n", "1", script, small.name], cwd=small.parent)


def fails(name: str, headers: str, code: str) -> bool:
    """Whether a program in the working folder ends without undefined behaviour, and fails so."""
    source = Path(name)
    checked = ["-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", *QUIET]
    compiler = shutil.which("cc")
    if compiler is None:
        return False
    built = subprocess.run([compiler, *checked, f"-I{headers}", name, "-o", "checked"])
    if built.returncode:
        return False
    try:
        ran = subprocess.run(["./checked"], capture_output=True, timeout=PROGRAM_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return not ran.stderr and verified(source, headers) == code


if __name__ == "__main__":
    sys.exit(main())
