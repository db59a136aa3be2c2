# SPDX-License-Identifier: Apache-2.0
"""`tandem cc` in a project's own Makefile; several functions of a program; C++."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tandem
from tandem.host.invocation import parse
from tandem.host.launch import launch
from tandem.host.linker import taken_words
from tandem.host.prepare import Job, prepared
from trial import good, refused
from trial import tandem as command

TANDEM = Path(sys.executable).with_name("tandem")
MODES = ("native", "emulate", "simulate")

HEADER = """
#include <stdint.h>
struct image { int width, height; };
void smooth(const struct image *shape, const uint8_t *in, uint8_t *out, int gain);
uint32_t digest(const uint8_t *data, int n);
"""
FILTER = """
#include "filter.h"
static int clamp(int v) { return v < 0 ? 0 : v > LIMIT ? LIMIT : v; }
void smooth(const struct image *shape, const uint8_t *in, uint8_t *out, int gain)
{
    for (int y = 0; y < shape->height; y++)
        for (int x = 0; x < shape->width; x++)
            out[y * shape->width + x] = clamp(in[y * shape->width + x] * gain / 16);
}
"""
DIGEST = """
#include "filter.h"
uint32_t digest(const uint8_t *data, int n)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 31 + data[i];
    return sum;
}
"""
MAIN = """
#include <stdio.h>
#include "filter.h"
static uint8_t a[40 * 30], b[40 * 30];
int main(void)
{
    struct image shape = {40, 30};
    for (int i = 0; i < 1200; i++)
        a[i] = i * 7;
    smooth(&shape, a, b, 20);
    printf("%u\\n", digest(b, 1200));
    return 0;
}
"""
MAKEFILE = """
CFLAGS = -O2 -g -Wall -Iinc -DLIMIT=200 -MMD -MP
OBJS = build/main.o build/filter.o build/digest.o
app: $(OBJS)
\t$(CC) $(LDFLAGS) -o $@ $^ -lm
build/%.o: src/%.c
\tmkdir -p build
\t$(CC) $(CFLAGS) -c -o $@ $<
-include $(OBJS:.o=.d)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("src", "inc"):
        (tmp_path / folder).mkdir()
    (tmp_path / "inc" / "filter.h").write_text(HEADER)
    (tmp_path / "src" / "filter.c").write_text(FILTER)
    (tmp_path / "src" / "digest.c").write_text(DIGEST)
    (tmp_path / "src" / "main.c").write_text(MAIN)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    return tmp_path


def make(project: Path, *words: str, offload: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TANDEM_OFFLOAD": offload}
    command = ["make", "-C", str(project), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def run(project: Path, mode: str) -> tuple[str, dict[str, Any]]:
    report = project / "report.json"
    environment = {**os.environ, "TANDEM_MODE": mode, "TANDEM_REPORT": str(report)}
    environment.pop("TANDEM_PLATFORM", None)
    done = subprocess.run(
        [project / "app"], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout, json.loads(report.read_text())


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_a_makefile_with_our_compiler(project: Path) -> None:
    done = make(project, f"CC={TANDEM} cc")
    assert done.returncode == 0, done.stderr
    plain = subprocess.run([project / "app"], capture_output=True, text=True, check=True).stdout
    (project / "app").unlink()
    done = make(project, f"CC={TANDEM} cc", "LDFLAGS=--offload smooth --offload digest")
    assert done.returncode == 0, done.stderr
    for mode in MODES:
        out, report = run(project, mode)
        assert (out, report["calls"], report["mode"]) == (plain, 2, mode)
        assert report["checked_calls"] == (2 if mode == "simulate" else 0)
    result = tandem.run(project / "app", ())
    assert (result["calls"], result["mode"]) == (2, "emulate")
    (project / "app").unlink()
    done = make(project, f"CC={TANDEM} cc", offload="digest")
    assert done.returncode == 0, done.stderr
    assert run(project, "emulate")[1]["calls"] == 1


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_what_the_linker_refuses(project: Path) -> None:
    done = make(project, f"CC={TANDEM} cc", "LDFLAGS=--offload none_such")
    assert "error[no-function]: no function named `none_such`" in done.stderr
    assert not (project / "app").exists()
    with (project / "src" / "filter.c").open("a") as file:
        file.write("int more;\n")
    words = ["--offload", "smooth", "build/main.o", "build/filter.o", "build/digest.o"]
    done = subprocess.run(
        [TANDEM, "cc", *words, "-o", "app"], cwd=project, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "error[stale-object]: `build/filter.o`" in done.stderr
    (project / "src" / "filter.c").write_text(FILTER)
    plain = ["cc", "-O2", "-Iinc", "-DLIMIT=200", "-c", "src/filter.c", "-o", "build/filter.o"]
    subprocess.run(plain, cwd=project, check=True)
    done = subprocess.run(
        [TANDEM, "cc", *words, "-o", "app"], cwd=project, capture_output=True, text=True
    )
    assert (done.returncode, "error[no-function]" in done.stderr) == (2, True)


def test_a_compilers_words() -> None:
    words = [
        "-O2",
        "-Iinc",
        "-I",
        "more",
        "-DX=1",
        "-MMD",
        "-MF",
        "x.d",
        "-c",
        "-o",
        "a.o",
        "src/a.c",
        "-Wl,-s",
        "-lm",
        "--offload=f",
    ]
    call = parse(words, False, {})
    assert (call.sources, call.inputs, call.output) == (("src/a.c",), (), "a.o")
    assert call.c_flags() == ("-O2", "-Iinc", "-I", "more", "-DX=1")
    assert (call.compiles, call.links, call.offloads) == (True, False, ("f",))
    link = parse(["a.o", "lib.a", "-o", "app"], True, {"TANDEM_OFFLOAD": "f 'ns::g(int, int)'"})
    assert (link.inputs, link.links, link.compiles) == (("a.o", "lib.a"), True, False)
    assert link.offloads == ("f", "ns::g(int, int)")
    assert not parse(["--version"], False, {}).links


CXX = """
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>
static uint32_t mix(uint32_t a) { return a * 2654435761u ^ (a >> 7); }
namespace image {
void scale(const uint32_t *in, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = mix(in[i]);
}
}
extern "C" int twice(int x) { return 2 * x; }
int main()
{
    std::vector<uint32_t> a(100), b(100);
    for (int i = 0; i < 100; i++)
        a[i] = i;
    image::scale(a.data(), b.data(), 100);
    unsigned sum = 0;
    for (auto x : b)
        sum += x;
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception &e) {
        std::printf("%s %u %d\\n", e.what(), sum, twice(4));
    }
}
"""


def test_a_cpp_program_with_two_functions(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main = tmp_path / "main.cpp"
    main.write_text(CXX)
    names = ("image::scale(unsigned int const*, unsigned int*, int)", "twice")
    with prepared(Job(main, names)) as build:
        for mode in MODES:
            report = launch(build, mode, []).report
            assert capfd.readouterr().out == "thrown 1152058486 8\n"
            assert [kernel["calls"] for kernel in report["kernels"]] == [1, 1]


NESTED = """
#include <stdio.h>
int inner(int x) { return x * 3 + 1; }
static int helper(int x) { return inner(x) ^ 5; }
int outer(int x) { int s = 0; for (int i = 0; i < 4; i++) s += helper(x + i); return s; }
int main(void) { printf("%d %d\\n", outer(7), inner(2)); return 0; }
"""


def test_a_function_within_another_counts_once(tmp_path: Path) -> None:
    """In hardware `outer` holds `inner`; its calls from there are no calls of their own."""
    main = tmp_path / "main.c"
    main.write_text(NESTED)
    with prepared(Job(main, ("outer", "inner"))) as build:
        report = launch(build, "simulate", []).report
    assert [kernel["calls"] for kernel in report["kernels"]] == [1, 1]
    assert report["host_calls"]["reasons"] == [
        {
            "reason": "called within another offloaded function, or by a signal handler during it",
            "example": "",
            "directive": "",
            "calls": 4,
        }
    ]


LIBRARY_MAKEFILE = """
CFLAGS = -O2 -Wall -Iinc -DLIMIT=200
LD = none-such
app: build/main.o build/libfilter.a
\t$(LD) $(LDFLAGS) -Wl,-Map,app.map -o $@ -Wl,--start-group $< -Lbuild -lfilter -Wl,--end-group
build/libfilter.a: build/filter.o build/digest.o build/spare.o
\tar rcs $@ $^ && rm $^
build/%.o: src/%.c
\tmkdir -p build
\t$(CC) $(CFLAGS) -c -o $@ $<
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_functions_in_an_archive(project: Path) -> None:
    """Of which a member that nobody needs defines what another one does."""
    (project / "Makefile").write_text(LIBRARY_MAKEFILE)
    spare = "int digest(void) { return 0; }\nint spare;\n"
    (project / "src" / "spare.c").write_text(spare)
    ours = f"{TANDEM} cc"
    done = make(project, f"CC={ours}", f"LD={ours}", offload="smooth digest missing")
    assert done.returncode == 0, done.stderr
    assert "note[linker]: the linker writes no map: `app.map`" in done.stderr
    assert "note[no-function]: TANDEM_OFFLOAD names `missing`" in done.stderr
    assert run(project, "emulate")[1]["calls"] == 2


def test_objects_for_link_time_optimisation(project: Path) -> None:
    flags = ["-O2", "-flto", "-Iinc", "-DLIMIT=200"]
    names = ("main", "filter", "digest")
    for name in names:
        good(command("cc", *flags, "-c", f"src/{name}.c", "-o", f"{name}.o", cwd=project))
    objects = [f"{name}.o" for name in names]
    (project / "words").write_text(f"-flto -O2 {' '.join(objects)} -o 'app'")
    good(command("cc", "--offload", "digest", "@words", cwd=project))
    assert run(project, "emulate")[1]["calls"] == 1


def test_a_probe_is_linked_without_the_functions_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "probe.c").write_text("int main(void) { return 0; }\n")
    done = command("cc", "probe.c", "-o", "probe", cwd=tmp_path, TANDEM_OFFLOAD="scale 'n::f'")
    good(done)
    assert done.stderr.count("note[no-function]") == 2
    good(subprocess.run([tmp_path / "probe"], capture_output=True, text=True))
    done = command("cc", "probe.c", "-o", "other", "--offload", "scale", cwd=tmp_path)
    refused(done, "error[no-function]: no function named `scale`")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    "words",
    [
        "app.c -o app.c",
        "app.c -oapp.c",
        "-c app.c -o other.c",
        "-c app.c --output=other.c",
        "-c app.c -o app.o -MMD -MF other.c",
        "-c app.c -Wp,-MD,other.c",
        "-S app.c -o other.c",
        "-E app.c -o app.c",
        "app.c -Wl,-Map=other.c",
        "@words",
    ],
)
def test_a_source_is_no_output(tmp_path: Path, words: str) -> None:
    (tmp_path / "words").write_text("app.c -o app.c")
    for name in ("app.c", "other.c"):
        (tmp_path / name).write_text("int main(void) { return 0; }\n")
    before = sorted(path.name for path in tmp_path.iterdir())
    refused(command("cc", *words.split(), cwd=tmp_path), "error[in-the-way]", "help:")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    for name in ("app.c", "other.c"):
        assert (tmp_path / name).read_text() == "int main(void) { return 0; }\n"


def test_an_open_quote_in_a_response_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "inner").write_text("-o 'app")
    (tmp_path / "words").write_text("app.c @inner")
    done = command("cc", "@words", cwd=tmp_path)
    refused(done, "error[options]: cannot read the options in it", "inner", "close the quotes")


def test_results_of_a_compiler_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text("int main(void) { return 0; }\n")
    for words in ("-S app.c -o app.s", "-E app.c -o app.i", "-c app.c -o app.o -MD -MF app.d"):
        for _ in range(2):
            good(command("cc", *words.split(), cwd=tmp_path))


def test_words_for_the_linker() -> None:
    words = ["a.o", "-Wl,-Map=m,-O1,--cref", "-Xlinker", "--stats", "-Xlinker", "-s", "-Wl,-z,now"]
    assert taken_words(words) == ["a.o", "-Wl,-O1", "-Wl,-s", "-Wl,-z,now"]
    assert taken_words(["-Wl,--push-state,--as-needed", "-lm"]) == ["-Wl,--as-needed", "-lm"]


def test_a_compiler_without_room_says_so(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text("int main(void) { return 0; }\n")
    shell = f"ulimit -f 1; {TANDEM} cc app.c -o app"
    done = subprocess.run(["sh", "-c", shell], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode
    assert "error[disk-full]" in done.stderr or "size limit" in done.stderr, done.stderr


def test_an_error_in_cpp_is_told_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "main.cpp").write_text(
        "void spread(const int *, int *);\nint main()\n{\n    int a[8] = {}, b[8];\n"
        "    spread(a, b);\n    return b[7];\n}\n"
    )
    (tmp_path / "spread.cpp").write_text(
        "// none\n" * 9 + "void spread(const int *in, int *out)\n{\n"
        "    for (int i = 0; i < 4; i++) {\n#pragma HLS pipeline II=1\n"
        "        out[2 * i] = in[7 - i] + in[i];\n        out[2 * i + 1] = in[i];\n    }\n}\n"
    )
    words = ["main.cpp", "--source", "spread.cpp", "--offload", "spread"]
    refused(command("verify", *words, cwd=tmp_path), "spread.cpp:14: error[ii]")


TEMPLATES = """
template <int F> static int keep(int a)
{
    static int kept[4];
    return kept[a & 3] += F * a;
}
int total(int a) { return keep<2>(a) + keep<3>(a); }
int main() { return total(1) + total(2) != 15; }
"""


def test_names_of_cpp_are_told_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "app.cpp").write_text(TEMPLATES)
    options = ["app.cpp", "--offload", "total"]
    for words in (["run", *options], ["run", *options, "--json"], ["verify", *options]):
        done = command(*words, cwd=tmp_path)
        good(done)
        assert "total(int)" in done.stdout and "_Z" not in done.stdout, done.stdout
    assert "`kept` stays in the device's memory" in done.stdout


def test_lines_of_other_files_are_told_with_them(tmp_path: Path) -> None:
    (tmp_path / "inner.h").write_text(
        "static int last(const int *a, int n)\n{\n    int s = 0;\n"
        "    for (int i = 0; i < n; i++)\n        s = a[i] / (s | 1);\n    return s;\n}\n"
    )
    (tmp_path / "app.c").write_text(
        '#include "inner.h"\nint total(int *a, int n)\n{\n    int s = last(a, n);\n'
        "    for (int i = 0; i < n; i++)\n        a[i & 63] = s + i;\n    return s;\n}\n"
        "int main(void) { static int a[64]; return total(a, 9); }\n"
    )
    done = command("build", "app.c", "--top", "total", "--json", cwd=tmp_path)
    good(done)
    loops = json.loads(done.stdout)["loops"]
    assert [(row["file"], row["line"]) for row in loops] == [("inner.h", 4), ("app.c", 5)]
    assert "(line 5 of inner.h)" in loops[0]["limit"]
    done = command("run", "app.c", "--offload", "total", cwd=tmp_path)
    assert "inner.h:4 " in done.stdout and "app.c:5 " in done.stdout, done.stdout
