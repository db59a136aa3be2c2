# SPDX-License-Identifier: Apache-2.0
"""What all tests share: the package on the path, a target, and the golden tests' update switch."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import vcdvcd  # noqa: F401

# Pages are as wide as $COLUMNS says; where tests run on several processors, something sets it.
os.environ.pop("COLUMNS", None)
# Tests start many processes of Tandem. Where Python is told to keep no byte code, each of them
# would compile tens of thousands of lines before it does anything.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

try:
    import tandem  # noqa: F401
except ImportError:
    sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from tandem.compiler.compile import find_target
from tandem.models import shared_objects
from tandem.schedule.delays import Target

# vcdvcd has a broken pipe end whoever loads it: a program that stops before it has read all that
# it is given would take the tests along.
signal.signal(signal.SIGPIPE, signal.SIG_IGN)

os.environ["TANDEM_CACHE"] = "off"  # a test of the compiler is not to find an older answer


LONGEST_FIRST = (
    "test_wrong_programs",
    "test_chip_verilog",
    "test_chips",
    "test_buses",
    "test_host_drivers",
    "test_waves",
    "test_cores",
    "test_masters",
    "test_interrupts",
    "test_accepted_c",
    "test_standards",
    "test_library_kernels",
    "test_reproduce",
    "test_interleave",
    "test_spelled_algorithms",
    "test_random_calls",
    "test_simulators",
    "test_driver",
    "test_advice",
    "test_leaving",
    "test_line_buffers",
    "test_applications",
    "test_impulse",
    "test_polling",
    "test_ladder",
    "test_processes",
    "test_random_heap",
    "test_members",
    "test_platform_fit",
    "test_adding_engine",
    "test_documents",
)
"""Files that one processor is busy with for longest: begun last, the other would wait for it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first."""
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite the golden files of tests/passes"
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of finished builds, as users have it, which starts empty."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TANDEM_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def models_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of which a few calls are made: clang would optimise them for longer than they run. How
    users get them is what most other tests have."""
    monkeypatch.setattr(shared_objects, "MOST_OPTIMISED_LINES", 0)
    flags = [*shared_objects.MODEL_FLAGS, *shared_objects.AS_WRITTEN]
    monkeypatch.setattr(shared_objects, "MODEL_FLAGS", flags)


@pytest.fixture(scope="session")
def verilated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where models by Verilator are made: one run-time library for all, which takes longer than
    they do."""
    return tmp_path_factory.mktemp("verilated")


@pytest.fixture(scope="session")
def target() -> Target:
    """The measured ECP5."""
    return find_target("ecp5")
