# SPDX-License-Identifier: Apache-2.0
"""Applications on a chip: values as on the host, calls compared with the C, what a program must
not do, and files that make no chip."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from seeds import in_turn, sampled
from tandem.chip.prepare import prepared
from tandem.chip.run import run_on_chip
from tandem.diagnostics import InternalError, UserError
from tandem.host.prepare import Job
from tandem.platforms.engine import chips
from test_schemas import holds
from trial import good, refused, tandem

CHIP = "picorv32-chip"
TANDEM = [sys.executable, "-c", "from tandem.commands import main; main()"]
RUN = [name for name in chips() if name != "icebreaker-chip"]
"""But for the one whose memory does not hold printf; its core is another one's."""
"""A chip for each core that runs programs."""
APPLICATION = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int16_t table[20];
void scale(const uint16_t *in, uint32_t *out, int n, uint32_t by) {
    for (int i = 0; i < n; i++) out[i] = in[i] * by + 1;
}
int16_t least(int n) {
    int16_t found = 32767;
    for (int i = 0; i < 20; i++) if (i < n && table[i] < found) found = table[i];
    return found;
}
uint64_t mix(const uint8_t key[11], uint64_t x) {
    for (int i = 0; i < 11; i++) x = (x ^ key[i]) * 0x100000001b3u;
    return x;
}
void reversed(const uint8_t *from, uint8_t *to) {
    for (int i = 0; i < 9; i++) to[i] = from[8 - i];
}
int main(int argc, char **argv) {
    uint16_t in[64]; uint32_t out[65]; uint8_t bytes[24]; uint32_t sum = 0;
    int most = argc > 1 ? atoi(argv[1]) : 64;
    for (int i = 0; i < 64; i++) in[i] = i * 1000 + 7;
    memset(out, 0xee, sizeof out);
    for (int n = 0; n <= most; n += 7) { scale(in, out, n, 3 + n); sum = sum * 31 + out[n / 2]; }
    printf("%u %x\\n", sum, out[64]);
    for (int i = 0; i < 20; i++) table[i] = (i * 7919) % 500 - 250;
    for (int n = 1; n <= 20; n += 6) printf("%d ", least(n));
    for (int i = 0; i < 24; i++) bytes[i] = i * i;
    printf("%llx\\n", (unsigned long long)mix(bytes + 1, 42));
    reversed(bytes, bytes + 12);
    reversed(bytes + 3, bytes + 6);
    for (int i = 0; i < 24; i++) printf("%d ", bytes[i]);
    printf("%.3f %s\\n", sum / 3.0, argc > 2 ? argv[2] : "-");
    return 0;
}
"""
KERNELS = ("scale", "least", "mix", "reversed")


def offloads(*kernels: str) -> list[str]:
    return [word for kernel in kernels for word in ("--offload", kernel)]


def application(folder: Path, text: str = APPLICATION) -> Path:
    path = folder / "app.c"
    path.write_text(text)
    return path


def on_chip(folder: Path, *words: str, platform: str = CHIP) -> tuple[dict[str, Any], str]:
    done = tandem("run", "app.c", "--platform", platform, "--json", *words, cwd=folder)
    good(done)
    told = ("tandem: ", "app.c: ", "  help: ")
    lines = [line for line in done.stderr.splitlines(True) if not line.startswith(told)]
    return json.loads(done.stdout), "".join(lines)


@pytest.mark.parametrize("platform", chips())
def test_every_chip_is_good(platform: str, tmp_path: Path) -> None:
    done = tandem("platform", "check", platform, "--json", cwd=tmp_path)
    good(done)
    numbers = json.loads(done.stdout)
    assert numbers["name"] == platform
    holds("chip", numbers)


def test_a_trace_has_calls_kernels_bus_and_functions(tmp_path: Path) -> None:
    application(tmp_path)
    result, _ = on_chip(tmp_path, *offloads(*KERNELS), "--trace", "t.json")
    holds("chip-result", result)
    assert result["events_dropped"] == 0
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    threads = [e for e in events if e["name"] == "thread_name"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in threads}
    by_track: dict[str, list[dict[str, Any]]] = {name: [] for name in names.values()}
    for event in events:
        if event["ph"] == "X":
            by_track[names[event["pid"], event["tid"]]].append(event)
    for row in result["kernels"]:
        calls = [e for e in by_track["calls"] if e["name"] == row["kernel"]]
        runs = by_track[f"kernel {row['kernel']}"]
        assert len(calls) == len(runs) == row["calls"]
        assert sum(e["args"]["cycles"] for e in calls) == row["cycles"]
        assert sum(e["args"]["cycles"] for e in runs) == row["parts"]["compute"]
    words = sum(sum(row["words"]) for row in result["kernels"])
    assert len(by_track["bus"]) >= words > 0
    functions = by_track["processor"]
    assert {"main", "tandem_kernel0"} <= {e["name"] for e in functions}
    ends = [e["args"]["cycle"] + e["args"]["cycles"] for e in functions]
    assert [e["args"]["cycle"] for e in functions[1:]] == ends[:-1]
    assert 0 < result["cycles"] - ends[-1] < result["cycles"] // 10
    (tmp_path / "t.json").write_text("somebody's own")
    words = ["run", "app.c", "--offload", "mix", "--platform", CHIP, "--trace", "t.json"]
    refused(tandem(*words, cwd=tmp_path), "t.json")


@pytest.mark.parametrize("platform", sampled(RUN))
def test_values_are_the_hosts_and_all_calls_are_compared(platform: str, tmp_path: Path) -> None:
    application(tmp_path)
    arguments = ["--", "63", "a word"]
    host = tandem("run", "app.c", *offloads("mix"), "--mode", "native", *arguments, cwd=tmp_path)
    good(host)
    words = [*offloads("mix"), "--mode", "native", *arguments]
    software, printed = on_chip(tmp_path, *words, platform=platform)
    assert host.stdout.startswith(printed) and "a word" in printed
    result, printed = on_chip(tmp_path, *offloads(*KERNELS), *arguments, platform=platform)
    assert host.stdout.startswith(printed)
    for one in (software, result):
        holds("chip-result", one)
    rows = {row["kernel"]: row for row in result["kernels"]}
    assert {name: rows[name]["calls"] for name in KERNELS} == {
        "scale": 10,
        "least": 4,
        "mix": 1,
        "reversed": 1,
    }
    assert rows["reversed"]["software_calls"] == 1, "the arrays of one call overlap"
    for row in result["kernels"]:
        assert sum(row["parts"].values()) == row["cycles"]
        assert row["software_cycles"] > 0
    assert sum(row["cycles"] for row in result["functions"]) <= result["cycles"]
    assert software["cycles"] != result["cycles"]


SOC = Path(__file__).parents[1] / "examples" / "soc"
PUBLISHED = {"main.c": ("aes128_encrypt", 1200), "present.c": ("present80_encrypt", 3300)}


def test_a_published_cosimulation(tmp_path: Path) -> None:
    """X. Guo, Z. Chen and P. Schaumont, table 1 (docs/chips.md): 100 blocks, each with its key."""
    cycles = {}
    for file, (kernel, compute) in PUBLISHED.items():
        words = ["run", str(SOC / file), *offloads(kernel), "--platform", "strongarm-chip"]
        done = tandem(*words, "--json", cwd=tmp_path)
        good(done)
        result = json.loads(done.stdout)
        (row,) = result["kernels"]
        assert (row["calls"], row["parts"]["compute"]) == (100, compute)
        cycles[file] = result["cycles"]
    # One number of the bus is calibrated on both.
    assert 0.05 < cycles["main.c"] / 134_599 - 1 < 0.10
    assert -0.10 < cycles["present.c"] / 85_306 - 1 < -0.05


def test_two_runs_are_the_same(tmp_path: Path) -> None:
    application(tmp_path)
    first, second = (on_chip(tmp_path, *offloads("scale"))[0] for _ in range(2))
    assert {**first, "wall_s": 0} == {**second, "wall_s": 0}


def test_what_the_shell_has_no_room_for_is_the_processors(tmp_path: Path) -> None:
    application(tmp_path)
    words = [*offloads("scale"), "--set", "shell.window=128B"]
    result, _ = on_chip(tmp_path, *words)
    (row,) = result["kernels"]
    assert row["calls"] == 5 and row["software_calls"] == 5, "32 words of 4 bytes"


def test_slower_memory_takes_longer(tmp_path: Path) -> None:
    application(tmp_path)
    cycles = [
        on_chip(tmp_path, *offloads("scale"), "--set", f"ram.wait_cycles={wait}")[0]["cycles"]
        for wait in (0, 1, 5)
    ]
    assert cycles[0] < cycles[1] < cycles[2]


FILES = """#include <stdio.h>
#include <string.h>
int twice(int x) { return 2 * x; }
int main(int argc, char **argv) {
    char line[40];
    FILE *file = fopen("made.txt", "w");
    if (!file) return 9;
    fprintf(file, "%d words, the first %s\\n", argc, argv[1]);
    if (fclose(file)) return 8;
    file = fopen("made.txt", "r");
    if (!fgets(line, sizeof line, file)) return 7;
    fputs(line, stdout);
    if (fopen("none.txt", "r")) return 6;
    return twice((int)strlen(line));
}
"""


@pytest.mark.parametrize("platform", in_turn(RUN, 1))
def test_files_arguments_and_the_exit_status(platform: str, tmp_path: Path) -> None:
    application(tmp_path, FILES)
    done = tandem(
        *("run", "app.c", *offloads("twice"), "--platform", platform, "--", "a b", ""), cwd=tmp_path
    )
    assert done.stdout.startswith("3 words, the first a b\n")
    assert (tmp_path / "made.txt").read_text() == "3 words, the first a b\n"
    assert done.returncode == 2 * len("3 words, the first a b\n")
    assert "the application ended with status 46" in done.stderr


WRONG = {
    "nowhere": ("*(volatile int *)0x20000000 = x;", "access to 0x20000000, where the chip has"),
    "misaligned": ("volatile uintptr_t p = 1; x = *(volatile int *)p;", "no multiple of its size"),
    "illegal": ('__asm__ volatile(".word 0xffffffff");', "an instruction that the core does not"),
    "abort": ("__builtin_trap();", "an instruction that the core does not"),
    "null": ("*(volatile int *)(uintptr_t)(x - 2) = x;", "a store to 0x00000000, in the program's"),
    "deep": ("return x + deep(x + 1) % 7;", "the stack has overflowed"),
    "null_call": ("((void (*)(void))0x30000000)();", "access to 0x30000000"),
}
WRONG_ON = [(name, platform) for turn, name in enumerate(WRONG) for platform in in_turn(RUN, turn)]
"""Each on one chip, or on all."""


@pytest.mark.parametrize(("name", "platform"), WRONG_ON)
def test_what_a_program_must_not_do(name: str, platform: str, tmp_path: Path) -> None:
    if (name, platform) == ("abort", "vexriscv-chip"):
        pytest.skip("the trap of clang writes a counter, which this core takes for nothing")
    statement, message = WRONG[name]
    application(
        tmp_path,
        f"""#include <stdint.h>
int twice(int x) {{ return 2 * x; }}
__attribute__((noinline)) int deep(volatile int x) {{ {statement} return x; }}
int main(int argc, char **argv) {{ return deep(twice(argc)); }}
""",
    )
    done = tandem("run", "app.c", *offloads("twice"), "--platform", platform, cwd=tmp_path)
    refused(done, "app.c", message, "cycle")
    if name != "null_call":
        assert "in deep" in done.stderr


@pytest.mark.parametrize("platform", in_turn(RUN, 3))
def test_frames_beyond_the_stack(platform: str, tmp_path: Path) -> None:
    """A frame may be larger than what lies below the stack, and hold what nobody writes."""
    application(
        tmp_path,
        "#include <stdio.h>\n"
        "int twice(int x) { return 2 * x; }\n"
        "__attribute__((noinline)) int deep(int n) {\n"
        "    volatile char frame[1000]; frame[n] = n;\n"
        "    return n ? deep(n - 1) + frame[n] : twice(n);\n"
        "}\n"
        'int main(void) { printf("%d\\n", deep(30)); return 0; }\n',
    )
    words = [*offloads("twice"), "--platform", platform, "--set"]
    done = tandem("run", "app.c", *words, "ram.size=128KiB", cwd=tmp_path)
    refused(done, "the stack has overflowed, in deep")
    good(tandem("run", "app.c", *words, "ram.size=1MiB", cwd=tmp_path))


@pytest.mark.parametrize("platform", in_turn(RUN, 4))
def test_standard_input(platform: str, tmp_path: Path) -> None:
    application(
        tmp_path,
        "#include <stdio.h>\n"
        "int twice(int x) { return 2 * x; }\n"
        "int main(void) { int n, c, sum = 0;\n"
        '    if (scanf("%d", &n) != 1) return 1;\n'
        "    while ((c = getchar()) != EOF) sum += c;\n"
        '    printf("%d %d %d\\n", twice(n), sum, feof(stdin) != 0); return 0; }\n',
    )
    words = [*offloads("twice"), "--platform", platform]
    command = [*TANDEM, "run", "app.c", *words]
    done = subprocess.run(command, cwd=tmp_path, input=b"14\nab\xff\n", capture_output=True)
    assert done.stdout.startswith(b"28 %d 1\n" % sum(b"\nab\xff\n")), done.stderr


@pytest.mark.parametrize("platform", in_turn(RUN, 5))
def test_structs_by_value(platform: str, tmp_path: Path) -> None:
    """Machines of 32 bits pass them as arrays of words, and return them in memory."""
    application(
        tmp_path,
        "#include <stdio.h>\n"
        "struct p { int x, y, z; }; struct q { short a; char b; int c; };\n"
        "struct w { long long a; int b; };\n"
        "struct p moved(struct p a, int k) { a.x += a.y * k; return a; }\n"
        "int sum(struct q a, struct w b, int k)\n"
        "{ return a.a * k + a.b - a.c + (int)b.a + b.b; }\n"
        "int main(void) {\n"
        "    struct p a = {1, 2, 7}; struct q b = {-3, 4, 5}; struct w c = {1ll << 20, 9};\n"
        "    a = moved(a, 3);\n"
        '    printf("%d %d %d %d\\n", a.x, a.y, a.z, sum(b, c, 7)); return 0; }\n',
    )
    result, printed = on_chip(tmp_path, *offloads("moved", "sum"), platform=platform)
    assert printed == "7 2 7 1048563\n"
    assert [kernel["calls"] for kernel in result["kernels"]] == [1, 1]


def test_c_functions_that_stop(tmp_path: Path) -> None:
    """What the C of an offloaded function must not do is the program's fault."""
    body = "int f(int *p) { return *p + 1; }\nint main(void) { return f((int *)PLACEu); }\n"
    for place, told in (
        ("0x40000000", "access to 0x40000000, where the chip has nothing"),
        ("0x101", "no multiple of its size"),
    ):
        (tmp_path / "app.c").write_text(body.replace("PLACE", place))
        done = tandem("run", "app.c", *offloads("f"), "--platform", CHIP, cwd=tmp_path)
        refused(done, "app.c", "the C function f stops", told)
    (tmp_path / "app.c").write_text(
        "int f(int n) { volatile int k = 1; while (k) n++; return n; }\n"
        "int main(void) { return f(1); }\n"
    )
    words = [*offloads("f"), "--platform", CHIP]
    command = [*TANDEM, "run", "app.c", *words]
    started = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    with pytest.raises(subprocess.TimeoutExpired):
        started.communicate(timeout=6)
    started.send_signal(signal.SIGINT)
    _, told = started.communicate(timeout=20)
    assert started.returncode == 130 and "stopped by SIGINT" in told


ALONE = """#include <stdint.h>
#include <stdio.h>
static uint32_t kept[16], partly[16];
void turned(const uint32_t in[16], uint32_t out[16]) {
    for (int i = 0; i < 16; i++) kept[i] = in[i] * 3;
    for (int i = 0; i < 16; i++) out[i] = kept[15 - i];
}
void begun(const uint8_t *counts, int k) {
    int n = counts[k];
    for (int i = 0; i < n; i++) partly[i] = 3 * i;
}
int length(const char *s, int most) {
    int i = 0;
    while (i < most && s[i]) i++;
    return i;
}
int main(void) {
    uint32_t in[16], out[16]; uint8_t counts[4] = {16, 3, 0, 9}; char text[8] = "seven..";
    for (int i = 0; i < 16; i++) in[i] = i * i;
    turned(in, out);
    for (int i = 0; i < 16; i++) partly[i] = 100 + i;
    begun(counts, 1);
    printf("%u %u %u %u %d\\n", out[0], out[15], partly[2], partly[3], length(text, 4000));
    return 0;
}
"""


@pytest.mark.parametrize("platform", in_turn(RUN, 6))
def test_variables_of_the_kernels_own_and_what_is_written_in_part(
    platform: str, tmp_path: Path
) -> None:
    """All of the memory is as the C leaves it, and nothing is read where there is none."""
    application(tmp_path, ALONE)
    result, printed = on_chip(tmp_path, *offloads("turned", "begun"), platform=platform)
    assert printed == "675 0 6 103 7\n"
    assert [row["calls"] for row in result["kernels"]] == [1, 1]


def test_more_arguments_than_a_program_takes(tmp_path: Path) -> None:
    application(tmp_path)
    words = ["run", "app.c", *offloads("mix"), "--platform", CHIP, "--"]
    refused(tandem(*words, "x" * 1100, cwd=tmp_path), "1024")
    refused(tandem(*words, *["x"] * 64, cwd=tmp_path), "64")


def test_what_does_not_end(tmp_path: Path) -> None:
    application(
        tmp_path,
        "int twice(int x) { return 2 * x; }\n"
        "__attribute__((noinline)) void spin(volatile int x) { while (x) {} }\n"
        "int main(int n, char **v) { spin(twice(n)); return 0; }\n",
    )
    words = ["--platform", CHIP, "--limit-cycles", "100000"]
    done = tandem("run", "app.c", *offloads("twice"), *words, cwd=tmp_path)
    refused(done, "app.c", "has not ended after 100000 cycles", "in spin", "--limit-cycles")


def test_a_program_larger_than_the_memory(tmp_path: Path) -> None:
    application(tmp_path)
    words = [*offloads("mix"), "--platform", CHIP, "--set", "ram.size=8KiB"]
    refused(tandem("run", "app.c", *words, cwd=tmp_path), "app.c", "8192", "--set ram.size=")


POINTERS = {
    "parameter": """struct s { int n; int *data; };
int sum(struct s *s) { int t = 0; for (int i = 0; i < s->n; i++) t += s->data[i]; return t; }
int main(void) { int d[3] = {1, 2, 3}; struct s s = {3, d}; return sum(&s) - 6; }
""",
    "list": """struct node { struct node *next; int v; };
static struct node nodes[8];
int sum(int n) { int t = 0; for (int i = 0; i < n; i++) t += nodes[i].v; return t; }
int main(void) { for (int i = 0; i < 8; i++) nodes[i].v = i; return sum(8) - 28; }
""",
    "array": """static const int a[2] = {1, 2}, b[2] = {3, 4};
static const int *const rows[2] = {a, b};
int sum(int i) { return rows[i & 1][0]; }
int main(void) { return sum(0) + sum(1) - 4; }
""",
}


@pytest.mark.parametrize("name", POINTERS)
def test_pointers_in_memory_are_refused(name: str, tmp_path: Path) -> None:
    """They are narrower than this machine's."""
    application(tmp_path, POINTERS[name])
    done = tandem("run", "app.c", *offloads("sum"), "--platform", CHIP, cwd=tmp_path)
    refused(done, "narrow-pointers", "sum", "parameters")


def test_pointers_in_memory_of_others_are_theirs(tmp_path: Path) -> None:
    application(
        tmp_path,
        """#include <stdio.h>
static const char *const names[2] = {"even", "odd"};
int twice(const int *x, int n) { int t = 0; for (int i = 0; i < n; i++) t += x[i]; return 2 * t; }
int main(int argc, char **argv) { int d[3] = {1, 2, argc}; puts(names[twice(d, 3) & 1]); return 0; }
""",
    )
    result, printed = on_chip(tmp_path, *offloads("twice"))
    assert printed == "even\n" and result["kernels"][0]["calls"] == 1


HEAD = 'format = 1\nname = "c"\ntitle = "t"\n'
CLOCK = '[chip]\nclock = { value = "50 MHz", source = "s" }\ntarget = "ecp5"\n'
CORE = '[core]\nmodel = "picorv32"\n'
BAD_FILES = {
    "core": (CLOCK + '[core]\nmodel = "z80"\n[ram]\nsize = "1 KiB"\n', "z80"),
    "ram": (CLOCK + CORE, "section [ram] is missing"),
    "source": (
        f'[chip]\nclock = "50 MHz"\ntarget = "ecp5"\n{CORE}[ram]\nsize = "64 B"\n',
        "source",
    ),
    "shared": (CLOCK + CORE + '[ram]\nsize = "3 GiB"\n', "share addresses"),
    "end": (CLOCK + CORE + '[ram]\nbase = 0xffff0000\nsize = "1 MiB"\n', "last address"),
    "rows": (
        CLOCK + CORE + 'jump_cycles = 1\n[ram]\nsize = "1 KiB"\n',
        "jump_cycles is of strongarm",
    ),
    "others": (
        CLOCK + '[core]\nmodel = "strongarm"\nbranch_cycles = 3\n[ram]\nsize = "1 KiB"\n',
        "branch_cycles is of microblaze",
    ),
    "window": (CLOCK + CORE + '[ram]\nsize = "1 KiB"\n[shell]\nwindow = "64 GiB"\n', "256 MiB"),
    "cycles": (
        CLOCK + CORE + '[ram]\nsize = "1 KiB"\nwait_cycles = 10000000\n',
        "more than 1000000 cycles",
    ),
    "begin": (CLOCK + CORE + '[ram]\nbase = 0x1000\nsize = "1 KiB"\n', "begin at 0"),
    "line": (CLOCK + CORE + '[ram]\nsize = "1000 B"\n', "multiples of 32"),
    "cached": (CLOCK + CORE + '[ram]\nsize = "1 KiB"\n[uart]\nbase = 0x70000000\n', "caches"),
    "clock": (CLOCK.replace("50 M", "5000 G") + CORE + '[ram]\nsize = "64 B"\n', "its unit"),
    "bus": (CLOCK + CORE + '[ram]\nsize = "1 KiB"\nbus = "slow"\n', "no such bus"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_files_that_make_no_chip(name: str, tmp_path: Path) -> None:
    text, message = BAD_FILES[name]
    (tmp_path / "c.toml").write_text(HEAD + text)
    refused(tandem("platform", "check", "c.toml", cwd=tmp_path), "c.toml", message)


def test_a_chip_of_ones_own(tmp_path: Path) -> None:
    application(tmp_path)
    text = (
        HEAD + CLOCK + CORE + '[[bus]]\nname = "main"\n[[bus]]\nname = "far"\nrequest_cycles = 3\n'
    )
    text += '[[ram]]\nname = "in"\nsize = "64 KiB"\n[[ram]]\nname = "out"\nbase = 0x10000000\n'
    text += 'size = "1 MiB"\nwait_cycles = 8\nbus = "far"\n[shell]\nbus = "far"\n'
    (tmp_path / "c.toml").write_text(text)
    words = offloads("scale", "mix")
    near, _ = on_chip(tmp_path, *words, "--set", "ram.size=128KiB")
    far, _ = on_chip(tmp_path, *words, platform="c.toml")
    for one, other in zip(near["kernels"], far["kernels"], strict=True):
        words_moved = sum(one["words"]) - one["calls"]
        assert other["parts"]["transfer"] - one["parts"]["transfer"] == pytest.approx(
            3 * words_moved, rel=0.2
        )


def test_other_commands_say_what_a_chip_is(tmp_path: Path) -> None:
    application(tmp_path)
    done = tandem("batches", "app.c", *offloads("mix"), "--platform", CHIP, cwd=tmp_path)
    refused(done, "one chip", "tandem run")
    words = ["run", "app.c", *offloads("mix"), "--platform", CHIP, "--clock-ns", "5"]
    refused(tandem(*words, cwd=tmp_path), "--clock-ns")
    words = ["run", "app.c", *offloads("main"), "--platform", CHIP]
    refused(tandem(*words, cwd=tmp_path), "main is the program")
    twice, _ = on_chip(tmp_path, *offloads("mix", "mix"))
    assert len(twice["kernels"]) == 1
    words = ["--platform", CHIP, "--advise"]
    refused(tandem("run", "app.c", *offloads("mix"), *words, cwd=tmp_path), "--advise")
    done = tandem("verify", "app.c", *offloads(*KERNELS), "--platform", CHIP, cwd=tmp_path)
    good(done)
    assert "scale: 10 calls: RTL and C agree" in done.stdout


def request(build: Any, kernels: Any) -> dict[str, Any]:
    return {
        "platform": str(build.platform),
        "changes": "",
        "program": str(build.folder / "program.elf"),
        "arguments": ["app"],
        "kernels": kernels,
        "output": 2,
        "profile": False,
    }


def test_wrong_hardware_is_found(tmp_path: Path) -> None:
    """Two kernels with each other's hardware."""
    path = application(
        tmp_path,
        "unsigned more(unsigned x) { return x + 3; }\nunsigned less(unsigned x) { return x - 3; }\n"
        "int main(void) { return more(7) + less(5) - 12; }\n",
    )
    with prepared(Job(path, ("more", "less"), platform=CHIP)) as build:
        more, less = build.kernels
        assert run_on_chip(path, request(build, [more, less]))["exit_status"] == 0
        mixed = [{**more, "model": less["model"]}, {**less, "model": more["model"]}]
        with pytest.raises(InternalError, match="result is 0x4, and the C function's 0xa"):
            run_on_chip(path, request(build, mixed))


E_MACHINE = 18
"""Where an ELF file has its machine's number."""
MACHINES = dict.fromkeys(RUN, "a 32-bit RISC-V") | {"strongarm-chip": "a 32-bit ARM"}


@pytest.mark.parametrize("platform", in_turn(RUN, 7))
def test_a_program_for_another_machine(platform: str, tmp_path: Path) -> None:
    path = application(
        tmp_path, "int twice(int x) { return 2 * x; }\nint main(void) { return 0; }\n"
    )
    with prepared(Job(path, ("twice",), platform=platform)) as build:
        other = bytearray((build.folder / "program.elf").read_bytes())
        other[E_MACHINE] ^= 1
        for content in (other, b"\x7fELF\2\1\1" + bytes(60), b"text", b""):
            (tmp_path / "program.elf").write_bytes(content)
            asked = {**request(build, []), "program": str(tmp_path / "program.elf")}
            with pytest.raises(UserError, match=f"expected a program for {MACHINES[platform]}"):
                run_on_chip(path, asked)


CLOCK_TOLD = """#include <stdio.h>
#include <time.h>
unsigned mixed(unsigned x, unsigned n) {
    for (unsigned i = 0; i < n; i++) x = (x ^ x >> 7) * 0x9e3779b1u + i;
    return x;
}
int main(void) {
    unsigned sum = 1, turns = 0;
    while (clock() < CLOCKS_PER_SEC / 100) sum = mixed(sum, 40), turns++;
    printf("%d %d\\n", turns > 5, time(0) == 0);
    return sum == 0;
}
"""


@pytest.mark.parametrize("platform", in_turn(RUN, 8))
def test_the_c_librarys_clock(platform: str, tmp_path: Path) -> None:
    application(tmp_path, CLOCK_TOLD)
    result, printed = on_chip(tmp_path, "--offload", "mixed", platform=platform)
    assert printed == "1 1\n"
    assert 1e-2 < result["total_s"] < 1.2e-2


def test_a_function_that_is_never_called(tmp_path: Path) -> None:
    application(tmp_path, CLOCK_TOLD.replace("clock() <", "0 && clock() <"))
    result, _ = on_chip(tmp_path, "--offload", "mixed")
    assert [kernel["calls"] for kernel in result["kernels"]] == [0]
