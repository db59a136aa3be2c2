# SPDX-License-Identifier: Apache-2.0
"""Plain C kernels: C, IR and RTL give the same values, the schedule the RTL's cycles."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from agreement import Build, Values, build, check, claimed_bytes
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule

KERNELS = Path(__file__).parent / "kernels"
FIGURES = KERNELS / "figures.json"
"""What each kernel has become: `pytest --update` writes it anew."""
CLOCK_PS, FAST_CLOCK_PS = 10_000, 5_000
DATA_SETS = 3
PACES = (1, 2, 3, 7, 40)


def numbers(random: Random, count: int, size: int) -> bytes:
    """`count` integers of `size` bytes: mostly any, some of them extreme."""
    top = 8 * size
    extremes = (0, 1, (1 << top) - 1, 1 << top - 1, (1 << top - 1) - 1)
    words = [
        random.choice(extremes) if random.random() < 0.2 else random.getrandbits(top)
        for _ in range(count)
    ]
    return b"".join(word.to_bytes(size, "little") for word in words)


def text(random: Random, count: int, letters: str) -> bytes:
    return "".join(random.choice(letters) for _ in range(count)).encode()


def _binary_search(r: Random, n: int) -> Values:
    keys = sorted(r.randrange(-50, 50) for _ in range(n))
    packed = b"".join(k.to_bytes(4, "little", signed=True) for k in keys)
    return {"keys": packed, "count": n, "wanted": r.randrange(-60, 60)}


def _blur(r: Random, n: int) -> Values:
    width, height = n, r.choice((0, 1, 3, 6))
    size = width * height
    return {"in": numbers(r, size, 1), "out": numbers(r, size, 1), "width": width, "height": height}


def _saturating_mix(r: Random, n: int) -> Values:
    a, b, out = (numbers(r, n, 2) for _ in range(3))
    return {"a": a, "b": b, "out": out, "n": n, "gain": r.choice((-300, -1, 0, 256, 9000))}


def _find_byte(r: Random, n: int) -> Values:
    return {
        "text": text(r, n, "abcdefgh") + b"\0" * (n > 9),
        "limit": n + (n > 9),
        "wanted": ord("h"),
    }


def _deinterleave(r: Random, n: int) -> Values:
    return {
        "in": numbers(r, 2 * n, 2),
        "middle": bytes(2 * n),
        "side": bytes(2 * n),
        "samples": 2 * n,
    }


def _wide_multiply(r: Random, n: int) -> Values:
    return {
        "a": numbers(r, n, 8),
        "b": numbers(r, n, 8),
        "high": bytes(8 * n),
        "low": bytes(8 * n),
        "n": n,
    }


def _delta_decode(r: Random, n: int) -> Values:
    return {"steps": numbers(r, n, 1), "values": bytes(n), "n": n, "start": r.randrange(-128, 128)}


def _moving_sum(r: Random, n: int) -> Values:
    return {"in": numbers(r, n + 2, 4) if n else b"", "out": bytes(4 * n), "n": n}


def _two_passes(r: Random, n: int) -> Values:
    m = r.choice((0, 1, 33))
    first = {"a": numbers(r, n, 1), "log": bytes(4 * n), "n": n}
    return {**first, "b": numbers(r, m, 2), "out": bytes(2 * m), "m": m}


def _split_records(r: Random, n: int) -> Values:
    return {"in": numbers(r, 2 * n, 1), "low": bytes(n), "parts": bytes(12 * n), "n": n}


def _blend(r: Random, n: int) -> Values:
    pictures = {name: numbers(r, n, 2) for name in ("a", "b", "out")}
    return {"mask": numbers(r, n, 1), **pictures, "n": n}


MAKE: dict[str, Callable[[Random, int], Values]] = {
    "binary_search": _binary_search,
    "blend": _blend,
    "blur": _blur,
    "checksum16": lambda r, n: {"data": numbers(r, 4 * n + 4, 1), "last": 4 * n},
    "crc32": lambda r, n: {"data": numbers(r, n, 1), "bytes": n},
    "deinterleave": _deinterleave,
    "delta_decode": _delta_decode,
    "dot_product": lambda r, n: {"a": numbers(r, n, 4), "b": numbers(r, n, 4), "n": n},
    "find_byte": _find_byte,
    "fir": lambda r, n: {"in": numbers(r, n, 2), "out": bytes(2 * n), "n": n},
    "gcd": lambda r, n: {"a": n * r.randrange(1, 9), "b": n * r.randrange(0, 9)},
    "histogram": lambda r, n: {"pixels": numbers(r, n, 1), "counts": numbers(r, 64, 4), "n": n},
    "insertion_sort": lambda r, n: {"in": numbers(r, 12, 1), "out": bytes(12)},
    "matrix_multiply": lambda r, n: {
        "a": numbers(r, 64, 2),
        "b": numbers(r, 64, 2),
        "c": bytes(256),
    },
    "moving_sum": _moving_sum,
    "opcode_cost": lambda r, n: {"code": numbers(r, n, 1), "n": n, "unknown": 5},
    "popcount": lambda r, n: {"word": r.getrandbits(64) & r.getrandbits(64) if n else 0},
    "prefix_sum": lambda r, n: {"values": numbers(r, n, 8), "n": n},
    "rescale": lambda r, n: {"in": numbers(r, 300, 2), "out": bytes(600)},
    "ring_buffer": lambda r, n: {"in": numbers(r, n, 4), "n": n},
    "saturating_mix": _saturating_mix,
    "split_records": _split_records,
    "swap_halves": lambda r, n: {"words": numbers(r, n, 2), "n": n},
    "tariff": lambda r, n: {"income": numbers(r, n, 2), "due": bytes(4 * n), "n": n},
    "two_passes": _two_passes,
    "upper_case": lambda r, n: {"in": text(r, n, "azAZ@[`{m0"), "out": bytes(n), "n": n},
    "vector_add": lambda r, n: {
        "a": numbers(r, n, 4),
        "b": numbers(r, n, 4),
        "sum": bytes(4 * n),
        "n": n,
    },
    "wide_multiply": _wide_multiply,
    "word_counter": lambda r, n: {"text": text(r, n, ' ab1"'), "n": n},
    "xorshift": lambda r, n: {"seed": r.getrandbits(32), "out": bytes(4 * n), "n": n},
}
FAST = ("crc32", "delta_decode", "upper_case", "vector_add", "xorshift")
"""Kernels that are built for a fast clock too."""
SIZES = (0, 1, 2, 19)


@dataclass(frozen=True)
class Point:
    """A kernel and the clock period to try for."""

    name: str
    clock_ps: int

    def __str__(self) -> str:
        return f"{self.name}-{self.clock_ps // 1000}ns"


POINTS = [Point(name, CLOCK_PS) for name in MAKE]
POINTS += [Point(name, FAST_CLOCK_PS) for name in FAST]


@pytest.fixture(scope="module", params=POINTS, ids=str)
def point(request: pytest.FixtureRequest) -> Point:
    return request.param


@pytest.fixture(scope="module")
def built(point: Point, target: Target, tmp_path_factory: pytest.TempPathFactory) -> Build:
    source, folder = KERNELS / f"{point.name}.c", tmp_path_factory.mktemp(point.name)
    return build(source, point.name, target, point.clock_ps, folder, slower_clock=True)


def test_every_kernel_file_is_tested() -> None:
    assert sorted(MAKE) == sorted(path.stem for path in KERNELS.glob("*.c"))


@pytest.mark.parametrize("size", SIZES)
def test_values_and_cycles_agree(built: Build, point: Point, size: int) -> None:
    random = Random(f"{point.name} {size}")
    for _ in range(DATA_SETS):
        check(built, MAKE[point.name](random, size))


def figures(schedule: KernelSchedule) -> str:
    """The lengths of the blocks (with the II of a pipeline), the operations, and the area."""
    blocks = (f"{s.length}/{s.ii}" if s.ii else f"{s.length}" for s in schedule.blocks.values())
    widths = [op.width for _, op in schedule.kernel.ops()]
    area = {name: value for name, value in estimate_area(schedule).items() if type(value) is int}
    made = f"{len(widths)} operations of {sum(widths)} bits"
    sizes = ", ".join(f"{name} {value}" for name, value in area.items())
    return f"{schedule.clock_ps} ps; {' '.join(blocks)}; {made}; {sizes}"


def test_nothing_has_become_slower_or_larger_unnoticed(
    built: Build, point: Point, request: pytest.FixtureRequest
) -> None:
    known, found = json.loads(FIGURES.read_text()), figures(built.schedule)
    if request.config.getoption("--update"):
        known[str(point)] = found
        FIGURES.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
    assert known.get(str(point)) == found, "run pytest --update, and read the difference"


@pytest.mark.parametrize("size", SIZES)
def test_extents_are_what_a_call_uses(built: Build, point: Point, size: int) -> None:
    """Proven extents are the arrays; no call touches more than its array or its extent."""
    values = MAKE[point.name](Random(size), size)
    outcome, claimed = check(built, values), claimed_bytes(built, values)
    for row in built.rows:
        name, value = row["name"], values.get(row["name"])
        if not isinstance(value, bytes):
            continue
        low, end = outcome.touched[name]
        assert 0 <= low <= end <= len(value), name
        if row["extent"] == "exact":
            assert claimed[name] == outcome.extents[name] == end == len(value), name
        elif row["extent"] in ("bound", "declared"):
            assert end <= claimed[name] == outcome.extents[name], name


def test_slow_streams_cost_the_same_in_schedule_and_rtl(built: Build, point: Point) -> None:
    random = Random(point.name)
    for size in (1, 40, 150):
        paces = {name: random.choice(PACES) for name in built.streams()}
        values = MAKE[point.name](random, size)
        paced = check(built, values, paces)
        assert paced.cycles >= check(built, values).cycles
