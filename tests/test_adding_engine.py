# SPDX-License-Identifier: Apache-2.0
"""What is added to the engine has the places that docs/adding.md says: a component of platforms, a
protocol of a chip's buses and one of a kernel's ports, as toys in a copy of its source."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import tandem
from tandem._engine import tandem as engine
from tandem.host import application
from tandem.models import buses
from tandem.models.run import run_c, run_rtl
from tandem.models.verilator import quickest_build
from tandem.platforms.engine import find_platform, read_platform
from tandem.rtl.buses import PROTOCOLS, protocols
from tandem.rtl.buses.protocols import opb
from tandem.rtl.found import found
from tandem.schedule.delays import Target
from test_adding_protocols import VALUES, build, masked
from trial import KERNEL, MAIN

ROOT = Path(__file__).parents[1]
TOLL_PS = 3_000_000
"""Of one call, which is all that the program makes."""

TOLL = """// SPDX-License-Identifier: Apache-2.0
//! A toll: what each call pays before it goes on.

use super::parts::stop::{Stay, Stop, Turn};
use super::{Component, Station};
use crate::breakdown::Category;
use crate::schema::stated::Stated;
use crate::schema::{Kind, Row, TIME};
use crate::trace::{Recorder, Work};

/// `[toll]` of a platform file.
pub const KIND: Kind = Kind {
    name: "toll",
    meaning: "what each call pays",
    is_needed: false,
    may_be_several: false,
    rows: &[Row::needed("time", TIME, 0, "\\"3 us\\"", "each call")],
};

/// What is known of it here.
pub const COMPONENT: Component =
    Component { stop: Some(toll), ..Component::new(&KIND, 95) };

/// Where one pays at a time.
struct Toll {
    time_ps: u64,
    station: Station,
}

fn toll(recorder: &Recorder, said: &Stated) -> Option<Box<dyn Stop>> {
    let time_ps = said.number("time").filter(|&ps| ps > 0)?;
    Some(Box::new(Toll { time_ps, station: Station::new(recorder, KIND.name, 1) }))
}

impl Stop for Toll {
    fn stay(&self, call: u64, turn: Turn) -> Option<Stay<'_>> {
        let Turn::BeforeCall { .. } = turn else { return None };
        Some(Box::pin(self.station.serve(call, Work::fixed(Category::Call, self.time_ps))))
    }
}
"""
MASKED = """// SPDX-License-Identifier: Apache-2.0
//! A value and a mask, which change it.

use super::{Agent, Protocol};

/// What is known of it.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "masked",
    place: 15,
    attach: |harness, port, buffer, _| {
        let ((value, bytes), (mask, _)) = (port.signal("value")?, port.signal("mask")?);
        port.require(&buffer, bytes)?;
        harness.others.push(Box::new(Masked { value, mask, from: buffer.data, bytes }));
        Ok(())
    },
};

struct Masked {
    value: *mut u8,
    mask: *mut u8,
    from: *const u8,
    bytes: usize,
}

impl Agent for Masked {
    unsafe fn before(&mut self, _cycle: u64) {
        for place in 0..self.bytes {
            // SAFETY: a value's argument has its bytes, and its ports room for them.
            unsafe {
                self.mask.add(place).write(0x5a);
                self.value.add(place).write(self.from.add(place).read() ^ 0x5a);
            }
        }
    }
}
"""


@dataclass(frozen=True)
class Grown:
    """The engine with the toys in it: its library and the folder of that."""

    folder: Path

    @property
    def library(self) -> Path:
        return self.folder / "libtandem.so"


def renamed(opb: str) -> str:
    """A file of OPB as that of a toy."""
    assert opb.count('"opb"') == 1
    return opb.replace('"opb"', '"toy"')


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    """A file each is added to its source, and nothing is changed."""
    if shutil.which("cargo") is None:
        pytest.skip("no cargo")
    copy = tmp_path_factory.mktemp("engine")
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(ROOT / "engine", copy / "engine")
    source = copy / "engine" / "src"
    (source / "components" / "toll.rs").write_text(TOLL)
    bus = source / "chip" / "bus" / "protocols"
    (bus / "toy.rs").write_text(renamed((bus / "opb.rs").read_text()))
    (source / "harness" / "protocols" / "masked.rs").write_text(MASKED)
    # What it depends on is built once, beside what else is built here.
    built = ROOT / "target" / "adding"
    command = ["cargo", "build", "--offline", "--quiet", "--lib"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(built)}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    shutil.copy(built / "debug" / "libtandem.so", copy)
    return Grown(copy)


@pytest.fixture
def used(grown: Grown, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """It is the engine of this process, and of the programs that it makes."""
    monkeypatch.setattr(engine, "lib", engine.ffi.dlopen(str(grown.library)))
    monkeypatch.setattr(application, "ENGINE", grown.library)
    yield


def test_a_component_is_a_file(used: None, tmp_path: Path) -> None:
    """A platform says it, a change too, and a program takes as much longer."""
    source = tmp_path / "app.c"
    source.write_text(KERNEL + MAIN)
    text = find_platform("src-6e").read_text()
    file = tmp_path / "toll.toml"
    file.write_text(f'{text}\n[toll]\ntime = {{ value = "3 us", source = "a toy" }}\n')
    assert read_platform(file)["toll"] == [{"name": "toll", "time_ps": TOLL_PS}]
    free, paid, twice = (
        tandem.run(source, "scale", platform=str(file), changes=[f"toll.time={time}"])
        for time in ("0 s", "3 us", "6 us")
    )
    times = [round(result["total_s"] * 1e12) for result in (free, paid, twice)]
    assert [time - times[0] for time in times] == [0, TOLL_PS, 2 * TOLL_PS]


def test_a_protocol_of_buses_is_a_file_here_and_one_there(
    used: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its bridge as Verilog does as the engine's, whoever it is talked to by."""
    folder = tmp_path / "protocols"
    folder.mkdir()
    (folder / "toy.py").write_text(renamed(Path(opb.__file__).read_text()))
    monkeypatch.setattr(protocols, "__path__", [*protocols.__path__, str(folder)])
    for name, one in found(protocols, "PROTOCOL").items():
        monkeypatch.setitem(PROTOCOLS, name, one)
    end = buses.bridge_end("toy", tmp_path, quickest_build())
    talk = end.talk(2000, 1)
    assert talk.transfers >= 2000 and not talk.difference


def test_a_protocol_of_ports_has_its_agent(
    used: None, monkeypatch: pytest.MonkeyPatch, target: Target, tmp_path: Path
) -> None:
    """The model's hardware is given what it says, and takes as long as the C is thought to."""
    masked(monkeypatch, tmp_path)
    built = build(target, tmp_path)
    wanted = run_c(built.package, built.rows, VALUES)
    found = run_rtl(built.package / "rtl.so", built.rows, VALUES)
    assert (found.data["result"], found.cycles) == (wanted.data["result"], wanted.cycles)
