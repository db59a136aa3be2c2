# SPDX-License-Identifier: Apache-2.0
"""Buses of other protocols than the core's own: both ends as Verilog beside the engine's, with
partners that do all that the protocol allows, and files that make no such bus."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from seeds import ALL, sampled
from tandem.chip.build import Parts, compile_parts, result_row
from tandem.chip.design import write_design, write_shell
from tandem.chip.interconnect import Shell
from tandem.chip.run import read_chip
from tandem.chip.soc import soc_verilog
from tandem.compiler.goals import find_goal
from tandem.compiler.room import UNLIMITED
from tandem.languages.discovery import Given, find_program
from tandem.models.buses import End, bridge_end, front_end
from tandem.models.verilator import quickest_build
from tandem.platforms.engine import find_platform
from tandem.rtl.buses import BRIDGED, OTHERS, PROTOCOLS, WISHBONE
from tandem.rtl.buses.protocols.dma_ring import PROTOCOL as RING
from tandem.rtl.buses.protocols.pcpi import PROTOCOL as PCPI
from tandem.synthesis.errors import SynthesisError
from tandem.synthesis.tools import find_yosys
from test_chips import CHIP, application
from test_schemas import holds
from test_shells import KERNELS, WINDOW
from trial import good, refused, tandem

LINKS = [name for name, one in PROTOCOLS.items() if one.is_link]
OF_SHELLS = (*LINKS, PCPI.name, RING.name)
"""Nothing else can be on such a bus."""
TRANSFERS = 200_000 if ALL else 10_000
ROOT = Path(__file__).parents[1]
TWICE = """int twice(int x) { return 2 * x; }
int main(void) {
    for (int i = 0; i < 3; i++) {
        if (twice(i) != 2 * i) return 1;
        if (i == 2) { BODY }
    }
}
"""
SCALED = """#include <stdint.h>
#include <stdio.h>
void scale(const uint32_t *in, uint32_t *out, int n, uint32_t by)
{
    for (int i = 0; i < n; i++) out[i] = in[i] * by + 1;
}
static uint32_t in[1000], out[1000];
int main(void)
{
    uint32_t sum = 0;
    for (int i = 0; i < 1000; i++) in[i] = i * 77;
    for (int n = 4; n <= 1000; n *= 2) {
        scale(in, out, n, 3);
        sum += out[n / 2];
    }
    printf("%u\\n", sum);
    return 0;
}
"""
NAMES = ("bytes", "turned")
"""Those that no argument leads out of their arrays."""


FILE = """format = 1
name = "my-chip"
title = "A chip with two buses"

[chip]
clock = { value = "50 MHz", source = "a test" }
target = "ecp5"

[core]
model = "CORE"

[[bus]]
name = "memory"

[[bus]]
name = "devices"
protocol = "PROTOCOL"

[[ram]]
name = "ram"
size = "128 KiB"

[shell]
bus = "devices"

[uart]
bus = "devices"
"""


def chip_file(folder: Path, protocol: str, core: str = "picorv32") -> Path:
    """A chip whose shells and serial line are on a bus of a protocol."""
    file = folder / "my-chip.toml"
    text = FILE.replace("PROTOCOL", protocol).replace("CORE", core)
    if protocol in OF_SHELLS:
        text = text.replace('[uart]\nbus = "devices"', '[uart]\nbus = "memory"')
    file.write_text(text)
    return file


class Made:
    """Kernels and where they are; a class of its own, so that pytest does not print them."""

    def __init__(self, parts: Parts, folder: Path) -> None:
        self.parts, self.folder = parts, folder

    def front(self, protocol: str, number: int) -> End:
        offload = self.parts.offloads[number]
        row = result_row(offload, number, WINDOW)
        row["model"] = str(self.folder / row["model"])
        kernel, work = offload.compiled.kernel, self.folder / f"{protocol}{number}"
        work.mkdir()
        shell = write_shell(kernel, WINDOW, protocol, work)
        verilog = offload.package / "kernel.sv"
        return front_end(protocol, shell, verilog, row, work, quickest_build())


RUNNING = ("picorv32", "vexriscv", "microblaze", "strongarm")
FRONTS = [
    (protocol, number)
    for turn, protocol in enumerate(OTHERS)
    for number in range(len(NAMES))
    if ALL or (number == turn % len(NAMES) and turn % 2)
]
"""Every other one at one kernel, or all at all."""
BRIDGES = sampled(BRIDGED)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("buses")
    chip = read_chip(find_platform(CHIP), [f"shell.window={WINDOW}B"])
    program = find_program(application(folder, KERNELS), Given())
    goal = find_goal("balanced", UNLIMITED, 60)
    return Made(compile_parts(program, NAMES, chip, goal, folder, ("rtl.so",)), folder)


def test_a_protocol_is_everywhere(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs" / "schemas" / "chip.json").read_text())
    for one in ("shell", "uart"):
        assert schema["properties"][one]["properties"]["protocol"]["enum"] == list(PROTOCOLS)
    assert all(PROTOCOLS[name].master for name in OTHERS) and set(BRIDGED) < set(OTHERS)
    assert all(PROTOCOLS[name].slave for name in BRIDGED)
    file = chip_file(tmp_path, "none")
    done = tandem("platform", "check", file.name, cwd=tmp_path)
    refused(done, f"known are {', '.join(PROTOCOLS)}\n")
    text = (ROOT / "docs" / "chips.md").read_text()
    assert all(f"| `{name}` | " in text for name in PROTOCOLS)


@pytest.mark.parametrize("protocol, number", FRONTS)
def test_a_shells_front_is_the_engines(protocol: str, number: int, made: Made) -> None:
    end = made.front(protocol, number)
    for seed in range(2):
        assert not end.talk(TRANSFERS // 4, seed).difference


@pytest.mark.parametrize("protocol", BRIDGES)
def test_a_bridge_is_the_engines(protocol: str, tmp_path: Path) -> None:
    end = bridge_end(protocol, tmp_path, quickest_build())
    for seed in range(2):
        assert not end.talk(TRANSFERS // 2, seed).difference


def run_tool(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize("protocol", OTHERS)
def test_other_tools_take_the_chip(protocol: str, made: Made, tmp_path: Path) -> None:
    chip = read_chip(chip_file(tmp_path, protocol), [])
    (tmp_path / "chip").mkdir()
    files = write_design(chip, made.parts, tmp_path / "chip").files
    if has_yosys():
        reads = f"read_verilog -sv {' '.join(files)}"
        checks = "hierarchy -check -top soc; proc; opt_clean; check -assert"
        run_tool([*find_yosys().command, "-q", "-p", f"{reads}; {checks}"], tmp_path / "chip")
    if shutil.which("iverilog"):
        run_tool(["iverilog", "-g2012", "-s", "soc", "-o", "soc", *files], tmp_path / "chip")


def has_yosys() -> bool:
    try:
        return bool(find_yosys())
    except SynthesisError:
        return False


@pytest.mark.parametrize("protocol", OTHERS)
def test_a_files_protocol_is_in_the_numbers(protocol: str, tmp_path: Path) -> None:
    file = chip_file(tmp_path, protocol)
    done = tandem("platform", "check", file.name, "--json", cwd=tmp_path)
    good(done)
    numbers = json.loads(done.stdout)
    holds("chip", numbers)
    found = {(numbers[one]["bus"], numbers[one]["protocol"]) for one in ("shell", "uart")}
    other = ("memory", WISHBONE) if protocol in OF_SHELLS else ("devices", protocol)
    assert found == {("devices", protocol), other}


def test_files_that_make_no_such_bus(tmp_path: Path) -> None:
    protocol = BRIDGED[0]
    file = chip_file(tmp_path, "ahb")
    line = FILE[: FILE.index("protocol")].count("\n") + 1
    done = tandem("platform", "check", file.name, cwd=tmp_path)
    refused(done, f"{file.name}:{line}", '"ahb"', protocol)
    chip_file(tmp_path, protocol)
    words = ["--set", "ram.bus=devices"]
    refused(
        tandem("platform", "check", file.name, *words, cwd=tmp_path), 'say bus = "memory" in [ram]'
    )
    words = ["--set", f"memory.protocol={protocol}"]
    done = tandem("platform", "check", file.name, *words, cwd=tmp_path)
    refused(done, "--set", '"memory" speaks', "answers wishbone only", 'bus = "memory"')
    words = ["--platform", CHIP, "--set", f"bus.protocol={protocol}"]
    application(tmp_path)
    refused(tandem("run", "app.c", "--offload", "mix", *words, cwd=tmp_path), "wishbone only")


@pytest.mark.parametrize(
    "protocol, core",
    [
        *(
            (link, core)
            for turn, (core, link) in enumerate(product(RUNNING, LINKS))
            if ALL or turn % 2 == turn // 2 % 2
        ),
        (PCPI.name, "picorv32"),
        (RING.name, "picorv32"),
        (RING.name, "microblaze"),
    ],
)
def test_programs_run(protocol: str, core: str, tmp_path: Path) -> None:
    """With less in a FIFO than an argument has words."""
    chip_file(tmp_path, protocol, core)
    application(tmp_path)
    kernels = [word for name in ("scale", "least", "mix") for word in ("--offload", name)]
    run = tandem("run", "app.c", *kernels, "--platform", "my-chip.toml", "--json", cwd=tmp_path)
    good(run)
    assert all(kernel["calls"] for kernel in json.loads(run.stdout)["kernels"])


def test_what_no_link_is_for(tmp_path: Path) -> None:
    link = LINKS[0]
    file = chip_file(tmp_path, link)
    words = ["--set", "uart.bus=devices"]
    done = tandem("platform", "check", file.name, *words, cwd=tmp_path)
    refused(done, f"speaks {link}, which leads to shells only")
    (tmp_path / "app.c").write_text(TWICE.replace("BODY", "*(volatile unsigned *)0x80000008u;"))
    words = ["--offload", "twice", "--platform", file.name]
    done = tandem("run", "app.c", *words, cwd=tmp_path)
    refused(done, "is not answered", "main+")


def test_a_ring_moves_arrays(tmp_path: Path) -> None:
    """What takes longer than software by loads and stores does not so."""
    (tmp_path / "app.c").write_text(SCALED)
    found = {}
    for protocol in (WISHBONE, RING.name):
        chip_file(tmp_path, protocol)
        words = ["--offload", "scale", "--platform", "my-chip.toml", "--json", "--trace", "t.json"]
        run = tandem("run", "app.c", *words, cwd=tmp_path)
        good(run)
        (found[protocol],) = json.loads(run.stdout)["kernels"]
        assert sum(found[protocol]["parts"].values()) == found[protocol]["cycles"]
    slow, quick = found[WISHBONE], found[RING.name]
    assert slow["cycles"] > slow["software_cycles"] == quick["software_cycles"]
    assert quick["cycles"] < slow["cycles"] / 5
    # All but the call of 16 bytes: given, started and taken, one behind the other.
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    (track,) = (e["tid"] for e in events if e.get("args", {}).get("name") == "descriptors")
    told = [e for e in events if e["ph"] == "X" and e["tid"] == track]
    assert [e["name"] for e in told] == ["give", "start", "take"] * 7
    ends = [e["args"]["cycle"] + e["args"]["cycles"] for e in told]
    assert all(e["args"]["cycle"] >= end for e, end in zip(told[1:], ends, strict=False))


@pytest.mark.skipif(not has_yosys(), reason="no yosys")
def test_memories_at_which_shells_are_masters_are_block_ram(tmp_path: Path) -> None:
    chip = read_chip(chip_file(tmp_path, RING.name), ["ram.size=8KiB"])
    (tmp_path / "soc.v").write_text(soc_verilog(chip, [Shell("shell", chip["shell"]["base"])]))
    numbers = "chparam -set WORDS 2048 -set BITS 11 ram"
    script = f"read_verilog soc.v; {numbers}; synth_ecp5 -top ram -run begin:map_ffs"
    counted = "select -assert-count 4 t:DP16KD; select -assert-none t:$_DFFE_PP_ t:TRELLIS_DPR16X4"
    command = [*find_yosys().command, "-q", "-p", f"{script}; {counted}"]
    run_tool(command, tmp_path)


def test_what_no_ring_is_for(tmp_path: Path) -> None:
    file = chip_file(tmp_path, RING.name)
    check = ["platform", "check", file.name, "--set", "core.model=vexriscv"]
    refused(tandem(*check, cwd=tmp_path), "dma-ring, which is of picorv32 and microblaze")
    # A descriptor where no memory is: its address comes with the ring's.
    (tmp_path / "app.c").write_text(
        TWICE.replace("BODY", "*(volatile unsigned *)0x8000000cu = 0x7f000001u;")
    )
    words = ["--offload", "twice", "--platform", file.name]
    done = tandem("run", "app.c", *words, cwd=tmp_path)
    refused(done, "a descriptor leads to 0x7f000000, where no memory is")


def test_what_no_instruction_is_for(tmp_path: Path) -> None:
    """Other cores, a bus between, shells at addresses, and what no shell has."""
    file = chip_file(tmp_path, PCPI.name)
    check = ["platform", "check", file.name, "--set"]
    done = tandem(*check, "core.model=vexriscv", cwd=tmp_path)
    refused(done, "speaks pcpi, which is of picorv32, and [core] is vexriscv")
    refused(tandem(*check, "devices.request_cycles=1", cwd=tmp_path), "no request_cycles")
    words = ["--offload", "twice", "--platform", file.name]
    insn = '__asm__ volatile(".insn r 0x0b, {}, {}, x0, %0, %1" : : "r"(0), "r"({}));'
    for body, told in (
        ("*(volatile unsigned *)0x80000000u = 1;", "where the chip has nothing"),
        (insn.format(3, 0, 0), "an instruction that the core does not have"),
        (insn.format(4, 1, 0), "an instruction that the core does not have"),
        (insn.format(4, 0, 1), "an instruction that the core does not have"),
    ):
        (tmp_path / "app.c").write_text(TWICE.replace("BODY", body))
        refused(tandem("run", "app.c", *words, cwd=tmp_path), told, "main+")
