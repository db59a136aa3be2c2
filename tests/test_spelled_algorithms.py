# SPDX-License-Identifier: Apache-2.0
"""One algorithm gets one pipeline, however it is spelled: each folder of `spellings/` has the same
function in many. Each file ends with `call`, which gives them all the same data. Hardware is made
of some folders' spellings, and of all by `make test-all`; `bench/run.py spellings` has their
times."""

from __future__ import annotations

import ctypes
import random
from array import array
from dataclasses import dataclass
from pathlib import Path

import pytest
from seeds import ALL, sampled
from tandem.compiler.compile import compile_kernel
from tandem.frontend.clang import run_clang
from tandem.frontend.program import Program
from tandem.schedule.delays import Target
from whole import PLAIN_FLAGS

CLOCK_PS = 10_000
FOLDER = Path(__file__).parent / "spellings"
SPELLINGS = sorted(FOLDER.glob("*/*.c*"))
IDS = [f"{path.parent.name}-{path.stem}" for path in SPELLINGS]
MADE = (
    "bisection",
    "box",
    "butterflies",
    "changing_places",
    "number_transform",
    "product_f64",
    "ring",
    "sobel",
    "sorting_network",
    "stencil5",
)


@dataclass(frozen=True)
class Algorithm:
    """`ii`: of its innermost loop, in cycles. It takes `count` numbers of a `kind` (of `array`) of
    0 to `most`, or of both signs, and gives `result` bytes."""

    ii: int
    kind: str
    count: int
    most: int
    result: int

    def numbers(self) -> array[int] | array[float]:
        if self.kind == "d":
            return array("d", (random.uniform(1, self.most) for _ in range(self.count)))
        least = 0 if self.kind.isupper() else -self.most
        return array(self.kind, (random.randint(least, self.most) for _ in range(self.count)))


ALGORITHMS = {
    "aes128_block": Algorithm(1, "B", 11 * 16 + 16, 255, 16),
    "aes128_ctr": Algorithm(1, "B", 11 * 16 + 16 + 16 * 16, 255, 16 * 16),
    "bisection": Algorithm(3, "i", 256, 2**30, 16 * 4),
    "box": Algorithm(1, "B", 12 * 40, 255, 12 * 40),
    "butterflies": Algorithm(2, "I", 256, 2**32 - 1, 256 * 4),
    "changing_places": Algorithm(1, "I", 256, 2**32 - 1, 256 * 4),
    "columns5": Algorithm(1, "i", 16 * 24, 999, 16 * 24 * 4),
    "distance": Algorithm(1, "B", 24 + 24, 3, 4),
    "fir": Algorithm(1, "h", 135 + 8, 999, 128 * 4),
    "histogram": Algorithm(1, "B", 256, 30, 256 * 4),
    "kmp": Algorithm(1, "B", 8 + 1024, 1, 4),
    "lu": Algorithm(1, "d", 24 * 24, 2, 24 * 24 * 8),
    "matvec": Algorithm(1, "i", 16 * 24 + 24, 999, 16 * 4),
    "number_transform": Algorithm(2, "h", 256, 1600, 256 * 2),
    "prefix_sum": Algorithm(1, "i", 256, 999, 256 * 4),
    "product": Algorithm(1, "i", 2 * 20 * 20, 999, 20 * 20 * 4),
    "product_f64": Algorithm(1, "d", 2 * 40 * 40, 2, 40 * 40 * 8),
    "ring": Algorithm(1, "i", 128, 2**30, 128 * 4),
    "rows5": Algorithm(1, "i", 8 * 48, 999, 8 * 48 * 4),
    "run_lengths": Algorithm(1, "B", 256, 1, 4 + 256 + 256 * 2),
    "sha256_block": Algorithm(2, "I", 8 + 16, 2**32 - 1, 8 * 4),
    "shortest_paths": Algorithm(1, "I", 28 * 28, 999, 28 * 28 * 4),
    "sorting_network": Algorithm(2, "i", 256, 2**30, 256 * 4),
    "sobel": Algorithm(1, "B", 12 * 40, 255, 12 * 40),
    "stencil5": Algorithm(1, "d", 10 * 60, 2, 10 * 60 * 8),
    "stencil7": Algorithm(1, "i", 6 * 8 * 40, 999, 6 * 8 * 40 * 4),
    "tmatvec": Algorithm(1, "i", 24 * 24 + 24, 999, 24 * 4),
}
NOT_YET = {
    "aes128_block-sizes": 2,
    "aes128_block-tables": 3,
    "aes128_ctr-two_loops": 2,
    "bisection-length": 4,
    "bisection-pointers": 5,
    "bisection-steps": 4,
    "butterflies-flat": 3,
    "columns5-arrays": 2,
    "columns5-moving": 5,
    "distance-border": 3,
    "distance-one_row": 2,
    "distance-two_rows": 2,
    "histogram-kept": 3,
    "histogram-two": 4,
    "kmp-one_loop": 3,
    "lu-all": 2,
    "lu-down": 2,
    "lu-helpers": 2,
    "lu-variable": 2,
    "number_transform-products": 6,
    "ring-subtracted": 2,
    "rows5-line": 5,
    "sha256_block-eight": 8,
    "shortest_paths-passed_over": 3,
    "shortest_paths-power_of_two": 3,
    "shortest_paths-variable": 2,
    "sorting_network-flat": 3,
    "sorting_network-groups": 3,
    "stencil5-variable": 2,
    "stencil7-variable": 3,
}
"""What some spellings get instead: where one becomes better, its row goes. With one row, or two, an
iteration of `distance` is 24 elements, and not one."""


@pytest.mark.parametrize("name", sampled([*ALGORITHMS]))
def test_same_values(name: str, tmp_path: Path) -> None:
    """All spellings, by a C compiler alone, are the same function."""
    stems = [path.stem for path in SPELLINGS if path.parent.name == name]
    spelled = ctypes.CDLL(str(all_in_one(name, tmp_path)))
    random.seed(name)
    for _ in range(3):
        numbers = ALGORITHMS[name].numbers().tobytes()
        results = {stem: called(spelled[f"call_{stem}"], numbers, name) for stem in stems}
        first = results[stems[0]]
        assert any(first)
        assert [stem for stem in stems if results[stem] != first] == []


def all_in_one(name: str, folder: Path) -> Path:
    """A library with all spellings, in each of which functions of one name get names of their
    own."""
    files = []
    for path in (path for path in SPELLINGS if path.parent.name == name):
        names = "".join(f"#define {word} {word}_{path.stem}\n" for word in ("call", name))
        files.append(folder / path.name)
        files[-1].write_text(f'{names}#include "{path}"\n')
    library = folder / "spelled.so"
    run_clang([*files, *PLAIN_FLAGS, "-shared", "-o", library], cxx=True)
    return library


def called(function: ctypes._NamedFuncPointer, numbers: bytes, name: str) -> bytes:
    result = ctypes.create_string_buffer(ALGORITHMS[name].result)
    function(numbers, result)
    return result.raw


@pytest.mark.parametrize("path", SPELLINGS, ids=IDS)
def test_one_ii(path: Path, target: Target) -> None:
    name = path.parent.name
    if name not in MADE and not ALL:
        pytest.skip("made by `make test-all`")
    made = compile_kernel(Program.of(path), name, target, CLOCK_PS, slower_clock=True)
    inner = max(made.schedule.blocks.values(), key=lambda s: len(s.block.ops) * s.block.is_loop)
    assert inner.ii == NOT_YET.get(f"{name}-{path.stem}", ALGORITHMS[name].ii)


def test_every_miss_is_of_a_spelling() -> None:
    assert NOT_YET.keys() <= set(IDS)
