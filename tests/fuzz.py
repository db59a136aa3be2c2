# SPDX-License-Identifier: Apache-2.0
"""Csmith's random programs, whole ones, through native, simulated and compared: `make fuzz N=100`.

    python tests/fuzz.py COUNT [FIRST-SEED]

Wants `csmith` and its headers, which distributions have as packages; `cvise`, where there is one,
makes a program that fails smaller. What fails stays in `build/fuzz/`. Ends with status 1 where an
answer is wrong or the compiler fails; time-outs and refusals are counted by code.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tandem.files import temporary_folder
from tandem.frontend.clang import run_clang

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "fuzz"
TANDEM = Path(sys.executable).with_name("tandem")
HEADERS = ("/usr/include/csmith", "/usr/include/csmith-2.3.0", "/usr/local/include/csmith-2.3.0")
SIZES = shlex.split(
    "--no-argc --max-funcs 4 --max-block-size 3 --max-block-depth 3 --max-expr-complexity 6 "
    "--max-array-dim 2 --max-array-len-per-dim 6 --max-pointer-depth 2 --max-struct-fields 5"
)
"""Programs that make some thousand operations: larger ones say no more of a compiler, and take
longer."""
PROGRAM_SECONDS, VERIFY_SECONDS = 3, 300
_RESULT = re.compile(r"platform_main_end\(([^,]*),[^;]*;\s*return 0;")
_CODE = re.compile(r"error\[([\w-]+)\]: (.*)")
BAD = ("internal", "call-failed", "verify", "no code")


def main() -> int:
    """Runs them; whether one failed."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    headers = next((path for path in HEADERS if Path(path).is_dir()), None)
    if shutil.which("csmith") is None or headers is None:
        print("csmith is not installed; distributions have it as `csmith` and `libcsmith-dev`")
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    found: Counter[str] = Counter()
    for seed in range(first, first + count):
        code = outcome(seed, headers)
        found[code] += 1
        print(f"{seed} {code}", flush=True)
    for code, times in found.most_common():
        print(f"{times:6} {code}")
    return int(any(code.split(":")[0] in BAD for code in found))


def outcome(seed: int, headers: str) -> str:
    """What becomes of a program: 'agrees', 'endless', or a code."""
    source = FOLDER / f"csmith{seed}.c"
    source.write_text(program(seed))
    with temporary_folder() as folder:
        plain = folder / "plain"
        run_clang([source, f"-I{headers}", "-w", "-O1", "-fno-sanitize=undefined", "-o", plain])
        try:
            subprocess.run([plain], capture_output=True, timeout=PROGRAM_SECONDS)
        except subprocess.TimeoutExpired:
            source.unlink()
            return "endless"
    code = verified(source, headers)
    if code.split(":")[0] in BAD:
        minimise(source, headers, code)
    else:
        source.unlink()
    return code


def program(seed: int) -> str:
    """The text, in which `main` returns what the program would print: the sum of all its state."""
    made = subprocess.run(
        ["csmith", "--seed", str(seed), *SIZES], capture_output=True, text=True, check=True
    )
    text, count = _RESULT.subn(r"return (int)(\1);", made.stdout)
    assert count == 1, "csmith has another way to print"
    return text


def verified(source: Path, headers: str) -> str:
    """What `tandem verify` says of a program with `main` as the kernel."""
    command = [TANDEM, "verify", source, "--offload", "main", f"--cflags=-I{headers} -w"]
    environment = dict(os.environ, TANDEM_CACHE="off")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=VERIFY_SECONDS, env=environment
        )
    except subprocess.TimeoutExpired:
        return "time-out"
    if done.returncode == 0:
        return "agrees"
    codes = _CODE.findall(done.stderr)
    if not codes:
        return f"no code: status {done.returncode}"
    code, text = codes[-1]
    return f"{code}: {re.sub('[0-9`].*', '', text)}"


def minimise(source: Path, headers: str, code: str) -> None:
    """Makes the program smaller as long as the same goes wrong with it, and it has a meaning."""
    if shutil.which("cvise") is None:
        return
    small = source.with_suffix(".small.c")
    shutil.copyfile(source, small)
    with temporary_folder() as folder:
        script = folder / "fails.py"
        script.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path[:0] = [{str(ROOT / 'tests')!r}]\n"
            f"import fuzz\nsys.exit(not fuzz.fails({small.name!r}, {headers!r}, {code!r}))\n"
        )
        script.chmod(0o755)
        subprocess.run(["cvise", script, small.name], cwd=small.parent)


def fails(name: str, headers: str, code: str) -> bool:
    """Whether a program in the working folder ends without undefined behaviour, and fails so."""
    source = Path(name)
    checked = ["-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-w"]
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
