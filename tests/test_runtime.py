# SPDX-License-Identifier: Apache-2.0
"""Programs that drive kernels by themselves, in Python and in C: values, times, refusals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tandem
from tandem.diagnostics import TandemError, UserError
from tandem.installation import ENGINE, data_file
from tandem.runtime import DeviceFailed, Kernel, Machine, TimedOut, _require_same_floats

SOURCE = """
#include <stddef.h>
#include <stdint.h>
int32_t scale(const int32_t *in, int32_t *out, size_t count, int32_t factor)
{
    int32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        out[i] = in[i] * factor;
        sum += out[i];
    }
    return sum;
}
"""
PLATFORM = "pcie3-x16"
COUNT = 100_000


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtime")
    source = folder / "scale.c"
    source.write_text(SOURCE)
    tandem.compile(source, "scale", output=str(folder), models=True)
    return folder / "scale.tandem"


def reserved(package: Path, mode: str = "emulate", *changes: str) -> tuple[Machine, Kernel]:
    machine = tandem.reserve(PLATFORM, mode=mode, changes=changes)
    return machine, machine.open(package, result=np.int32)


def arrays(count: int = COUNT) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(count, dtype=np.int32), np.zeros(count, np.int32)


@pytest.mark.parametrize("mode", ["native", "emulate", "simulate"])
def test_a_call_gives_what_the_c_gives(package: Path, mode: str) -> None:
    machine, scale = reserved(package, mode)
    given, got = arrays(1000)
    assert scale(given, got, 1000, -3) == -3 * 999 * 1000 // 2
    assert (got == -3 * given).all()
    report = machine.report()
    assert report["calls"] == 1 and report["complete"]
    assert report["checked_calls"] == (1 if mode == "simulate" else 0)
    assert report["total_ps"] == pytest.approx(machine.now_s * 1e12) or mode == "native"
    assert (machine.now_s > 0) == (mode != "native")


def test_of_a_struct_the_struct_is_given(tmp_path: Path) -> None:
    """Its members are arguments of the hardware, and lie in it."""
    source = tmp_path / "dot.c"
    source.write_text(
        """struct s { int x[8]; short y[8]; int sum; };
        void dot(struct s *s, int k)
        {
            for (int i = 0; i < 8; i++)
                s->sum += s->x[i] * s->y[i] * k;
        }"""
    )
    tandem.compile(source, "dot", output=str(tmp_path), models=True)
    machine = tandem.reserve(PLATFORM, mode="simulate")
    dot = machine.open(tmp_path / "dot.tandem")
    assert [row["name"] for row in dot.parameters] == ["s", "k"]
    struct = np.concatenate([np.arange(8), [2 + (3 << 16)] * 4, [7]]).astype(np.int32)
    dot(struct, 10)
    assert struct[-1] == 7 + 10 * sum(i * (2 + i % 2) for i in range(8))
    with pytest.raises(UserError, match="argument s"):
        dot(bytes(struct), 10)
    report = machine.report()
    assert report["calls"] == report["checked_calls"] == 1


def elapsed_s(package: Path, queues: tuple[int, int], *changes: str) -> float:
    machine, scale = reserved(package, "emulate", *changes)
    scale.configure()
    start_s = machine.now_s
    assert start_s > 0
    with machine:
        for queue in queues:
            scale.submit(*arrays(), COUNT, 2, queue=queue)
    assert machine.report()["calls"] == 2
    return machine.now_s - start_s


def test_queues_happen_at_once(package: Path) -> None:
    in_turn, at_once = elapsed_s(package, (0, 0)), elapsed_s(package, (0, 1))
    assert at_once < 0.9 * in_turn
    assert at_once == elapsed_s(package, (0, 1)), "two runs are the same"


def test_calls_together_cost_one_call(package: Path) -> None:
    def short(together: bool) -> float:
        machine, scale = reserved(package)
        scale.configure()
        calls = [(*arrays(4), 4, factor) for factor in range(50)]
        start_s = machine.now_s
        if together:
            assert scale.submit_together(calls).wait() == [6 * factor for factor in range(50)]
        else:
            assert [scale(*call) for call in calls] == [6 * factor for factor in range(50)]
        report = machine.report()
        assert (report["calls"], report["latency_ps"]["most"] > 0) == (50, True)
        return machine.now_s - start_s

    assert short(together=True) < short(together=False) / 10


def test_the_program_s_work_hides_behind_the_device(package: Path) -> None:
    alone_s = elapsed_s(package, (0, 0)) / 2
    machine, scale = reserved(package)
    scale.configure()
    start_s = machine.now_s
    event = scale.submit(*arrays(), COUNT, 2)
    machine.work(20e-6)
    with pytest.raises(TimedOut):
        event.wait(timeout_s=1e-6)
    assert machine.now_s - start_s == pytest.approx(21e-6)
    event.wait()
    assert machine.now_s - start_s == pytest.approx(alone_s), "nothing was added"
    machine.work(1e-3)
    report = machine.report()
    assert report["busy_ps"]["host"] == 1_020_000_000
    assert 1_000_000_000 <= report["breakdown_ps"]["host"] < 1_020_000_000
    assert sum(report["breakdown_ps"].values()) == report["total_ps"]


def test_what_is_given_up_leaves_room(package: Path) -> None:
    alone_s = elapsed_s(package, (0, 0)) / 2
    machine, scale = reserved(package)
    scale.configure()
    given_up, kept = (scale.submit(*arrays(), COUNT, 2) for _ in range(2))
    given_up.cancel()
    start_s = machine.now_s
    kept.wait()
    assert machine.now_s - start_s == pytest.approx(alone_s)
    for again in (given_up.wait, given_up.cancel, kept.wait):
        with pytest.raises(UserError, match="there is none, or it was waited for before"):
            again()
    assert machine.report()["cancelled_calls"] == 1


def test_a_device_that_dies_fails_its_calls_and_no_others(package: Path) -> None:
    machine, scale = reserved(package, "emulate", "device.dies_after=9s")
    assert scale(*arrays(4), 4, 2) == 12
    machine.work(9)
    with pytest.raises(DeviceFailed):
        scale(*arrays(4), 4, 2)
    with pytest.raises(DeviceFailed):
        scale.configure()
    report = machine.report()
    assert (report["calls"], report["unfinished_calls"]) == (1, 0)
    _, scale = reserved(package)
    assert scale(*arrays(4), 4, 2) == 12


def test_locked_memory_is_not_copied(package: Path) -> None:
    def copied_ps(pages: str) -> int:
        machine, scale = reserved(package, "emulate", "software.copy_bandwidth=1GB/s")
        given, got = (machine.array(COUNT, np.int32, pages) for _ in range(2))
        given[:] = np.arange(COUNT)
        scale(given, got, COUNT, 2)
        assert (got == 2 * given).all()
        return machine.report()["busy_ps"]["copy"]

    assert copied_ps("ordinary") == 2 * 4 * COUNT * 1000
    assert copied_ps("locked") == 0


@pytest.mark.parametrize("pages", ["locked", "huge"])
def test_the_system_is_really_asked(package: Path, pages: str) -> None:
    machine, _ = reserved(package)
    array = machine.array((2 << 20,), np.uint8, pages)
    assert not array.any()
    flags, page_kb = mapped(array.__array_interface__["data"][0])
    assert "lo" in flags
    assert pages == "locked" or "hg" in flags or page_kb == 2048


@pytest.mark.parametrize("pages", ["ordinary", "locked", "device"])
def test_an_array_may_be_empty(package: Path, pages: str) -> None:
    machine, _ = reserved(package)
    assert machine.array((0, 4), np.int32, pages).shape == (0, 4)


def mapped(address: int) -> tuple[set[str], int]:
    """VmFlags and size of the pages (kB) of the mapping at an address, as the kernel tells."""
    found, page_kb = False, 0
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if span := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            found = int(span[1], 16) <= address < int(span[2], 16)
        elif found and line.startswith("KernelPageSize:"):
            page_kb = int(line.split()[1])
        elif found and line.startswith("VmFlags:"):
            return set(line.split()[1:]), page_kb
    raise AssertionError("not mapped")


def test_device_memory_moves_where_it_must(package: Path) -> None:
    def moved_ps(pages: str) -> tuple[int, int]:
        machine, scale = reserved(package, "simulate")
        first, second, third = (machine.array(1000, np.int32, pages) for _ in range(3))
        first[:] = np.arange(1000)
        scale(first, second, 1000, 2)
        scale(second, third, 1000, 3)
        scale(first, second, 1000, 5)
        if pages == "device":
            machine.sync(third)
        assert (third == 6 * np.arange(1000)).all()
        busy = machine.report()["busy_ps"]
        return busy["transfer_in"], busy["transfer_out"]

    each_way = [ps // 3 for ps in moved_ps("locked")]
    # `first` comes once, `third` goes once, `second` never moves.
    assert list(moved_ps("device")) == each_way


def test_who_writes_has_the_newest(package: Path) -> None:
    machine, scale = reserved(package)
    given, got = (machine.array(1000, np.int32, "device") for _ in range(2))

    def transfers(step: Callable[[], Any]) -> int:
        before = machine.report()["busy_ps"]
        step()
        after = machine.report()["busy_ps"]
        return sum(after[way] > before[way] for way in ("transfer_in", "transfer_out"))

    assert transfers(lambda: scale(given, got, 1000, 2)) == 1
    assert transfers(lambda: machine.sync(given)) == 0
    assert transfers(lambda: scale(given, got, 1000, 2)) == 0
    assert transfers(lambda: machine.sync(given, writing=True)) == 0
    assert transfers(lambda: scale(given, got, 1000, 2)) == 1
    assert transfers(lambda: machine.sync(got)) == 1
    assert transfers(lambda: machine.sync(got)) == 0
    # The half that is not written is needed too: it is there.
    assert transfers(lambda: scale(given, got, 500, 2)) == 0
    assert transfers(lambda: machine.sync(got, writing=True)) == 1
    assert transfers(lambda: scale(given, got, 500, 2)) == 1
    event = scale.submit(given, got, 1000, 2)
    with pytest.raises(UserError, match="uses it; wait for it first"):
        machine.sync(got)
    event.wait()
    with pytest.raises(UserError, match="it is no device memory"):
        machine.sync(arrays()[0])


TWO_DEVICES = Path(__file__).parents[1] / "engine" / "tests" / "two-devices.toml"


def test_two_devices_reach_each_other(package: Path, tmp_path: Path) -> None:
    source = tmp_path / "double.c"
    source.write_text(SOURCE.replace("scale", "twice").replace("* factor", "* 2 * factor"))
    tandem.compile(source, "twice", output=str(tmp_path), models=True)
    bytes_ps = 4 * COUNT * 1000  # at 1 GB/s

    def moved(*changes: str) -> tuple[int, int, int]:
        """Into the devices, out of them, and over the hub, from one device to the other and back
        again."""
        machine = tandem.reserve(str(TWO_DEVICES), changes=changes)
        scale = machine.open(package)
        twice = machine.open(tmp_path / "twice.tandem")
        between, back = (machine.array(COUNT, np.int32, "device") for _ in range(2))
        given, got = arrays()
        scale(given, between, COUNT, 3)
        twice(between, back, COUNT, 1)
        scale(back, got, COUNT, 5)
        assert (got == 30 * given).all()
        report = machine.report()
        parts = {row["component"]: row["busy_ps"] for row in report["components"]}
        assert {parts["left"] // bytes_ps, parts["right"] // bytes_ps} == {2, 4}
        busy = report["busy_ps"]
        return busy["transfer_in"], busy["transfer_out"], parts["hub"]

    assert moved() == (3 * bytes_ps, 3 * bytes_ps, 6 * bytes_ps), "by way of the host"
    direct = moved("transfer.peer=direct")
    assert direct[2] == 2 * bytes_ps, "what goes across does not come to the hub"
    assert sum(direct[:2]) == 4 * bytes_ps, "booked on the first link"
    with pytest.raises(DeviceFailed):
        moved("one.dies_after=1500us", "other.dies_after=1s")


def test_threads_share_a_platform(package: Path) -> None:
    machine, scale = reserved(package)
    results: list[Any] = []

    def use(queue: int) -> None:
        for factor in range(20):
            results.append(scale.submit(*arrays(100), 100, factor, queue=queue).wait() // 4950)

    threads = [threading.Thread(target=use, args=(queue,)) for queue in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(list(range(20)) * 4)
    report = machine.report()
    assert (report["calls"], report["unfinished_calls"]) == (80, 0)


IN, OUT = arrays(8)
READ_ONLY = np.zeros(8, np.int32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((IN, OUT, 8), "scale takes 4 arguments, 3 were given"),
        ((IN, OUT[:7], 8, 1), "argument out: 28 bytes were given, the call uses 32"),
        ((IN[:4], OUT, 8, 1), "argument in: 16 bytes were given, the call uses 32"),
        ((IN, OUT[::2], 4, 1), "argument out: .*contiguous"),
        ((IN, READ_ONLY, 8, 1), "argument out: .*read-only"),
        ((IN, None, 8, 1), "argument out: "),
        ((IN, OUT, 8, 2**40), "argument factor: 1099511627776 does not fit 4 bytes"),
        ((IN, OUT, 8, 1.5), "argument factor: expected a whole number, got 1.5"),
        ((IN, OUT, -1, 1), "argument in: this call asks for 2\\^64 bytes or more"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    package: Path, arguments: tuple[Any, ...], message: str
) -> None:
    machine, scale = reserved(package)
    with pytest.raises(TandemError, match=message):
        scale(*arguments)
    report = machine.report()
    assert (report["calls"], report["unfinished_calls"]) == (0, 0)
    assert scale(*arrays(8), 8, 2) == 56, "nothing is broken"


def test_calls_that_would_meet_are_refused(package: Path) -> None:
    _, scale = reserved(package)
    given, got = arrays(8)
    event = scale.submit(given, got, 8, 2)
    with pytest.raises(UserError, match="argument in: it overlaps what is written, argument out"):
        scale.submit(got, arrays(8)[1], 8, 2, queue=1)
    chained = scale.submit(got, arrays(8)[1], 8, 2)
    assert (event.wait(), chained.wait()) == (56, 112)
    with pytest.raises(UserError, match="submitted together"):
        scale.submit_together([(given, got, 8, 2), (got, arrays(8)[1], 8, 2)])


def test_what_is_no_package_platform_or_mode_is_refused(package: Path, tmp_path: Path) -> None:
    machine, scale = reserved(package)
    attempts: list[Callable[[], Any]] = [
        lambda: machine.open(tmp_path / "nothing"),
        lambda: tandem.reserve("vax"),
        lambda: tandem.reserve(PLATFORM, mode="fast"),
        lambda: tandem.reserve(PLATFORM, changes=("link.bandwidth=fast",)),
        lambda: machine.array(8, np.uint8, "tiny"),
        lambda: machine.array(1 << 60),
        lambda: machine.work(-1.0),
    ]
    for attempt in attempts:
        with pytest.raises(UserError):
            attempt()
    with pytest.raises(UserError) as both:
        tandem.reserve(PLATFORM, changes=("link.bandwidth=fast", "wire.length=3"))
    assert len(both.value.diagnostics) == 2
    assert all(found.place is not None for found in both.value.diagnostics)
    event = scale.submit(*arrays(8), 8, 2)
    with pytest.raises(UserError, match="1 calls of the run before have not ended"):
        tandem.reserve(PLATFORM)
    event.wait()
    tandem.reserve(PLATFORM)
    with pytest.raises(UserError, match="another platform was reserved since"):
        scale(*arrays(8), 8, 2)


def test_numbers_of_another_run_are_unknown(package: Path) -> None:
    _, scale = reserved(package)
    number = scale._number
    machine, again = reserved(package)
    assert again._number != number
    again._number = number
    with pytest.raises(UserError, match="it was not opened in this run"):
        again(*arrays(8), 8, 2)
    assert machine.report()["calls"] == 0


PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <tandem.h>

static void check(int64_t answer)
{
    if (answer < 0) {
        fprintf(stderr, "%d: %s\n", (int)answer, tandem_error());
        exit(1);
    }
}

int main(int argc, char **argv)
{
    uint64_t count = 1000, now = 0;
    int32_t factor = 3, result[2] = {0, 0};
    check(tandem_reserve(argv[1], NULL, "simulate"));
    int64_t kernel = tandem_open(argv[2]), event[2];
    check(kernel);
    for (int i = 0; i < 2; i++) {
        int32_t *in = tandem_allocate(4 * count, TANDEM_PAGES_ORDINARY);
        int32_t *out = tandem_allocate(4 * count, TANDEM_PAGES_LOCKED);
        if (!in || !out)
            check(-1);
        for (uint64_t k = 0; k < count; k++)
            in[k] = (int32_t)k + i;
        tandem_argument arguments[5] = {
            {in, 4 * count}, {out, 4 * count}, {&count, 8}, {&factor, 4}, {&result[i], 4}};
        event[i] = tandem_submit(kernel, arguments, 5, 1, (uint32_t)i);
        check(event[i]);
    }
    if (tandem_wait(event[1], 1) != TANDEM_TIMED_OUT)
        return 2;
    check(tandem_wait(event[1], UINT64_MAX));
    check(tandem_wait(event[0], UINT64_MAX));
    check(tandem_now(&now));
    printf("{\"results\": [%d, %d], \"now_ps\": %llu}\n", result[0], result[1],
           (unsigned long long)now);
    if (tandem_submit(kernel, NULL, 0, 1, 0) != TANDEM_BAD_ARGUMENT || !*tandem_error())
        return 4;
    if (tandem_call(kernel + 1, NULL, 0) != TANDEM_BAD_ARGUMENT || !*tandem_error())
        return 5;
    if (tandem_work(UINT64_MAX) != TANDEM_BAD_ARGUMENT || !*tandem_error())
        return 6;
    return tandem_wait(event[0], 0) == TANDEM_BAD_ARGUMENT ? argc - 3 : 3;
}
"""


def test_a_program_in_c(package: Path, tmp_path: Path) -> None:
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    include, library = data_file("include", "").resolve(), ENGINE.parent
    options = [f"-I{include}", f"-L{library}", "-ltandem", f"-Wl,-rpath,{library}"]
    subprocess.run(["cc", str(source), "-o", str(program), *options], check=True)
    command = [str(program), str(data_file("platforms", f"{PLATFORM}.toml")), str(package)]
    variables = {**os.environ, "TANDEM_REPORT": str(tmp_path / "report.json")}
    runs = [
        subprocess.run(command, capture_output=True, text=True, env=variables) for _ in range(2)
    ]
    assert runs[0].returncode == 0, runs[0].stderr
    assert runs[0].stdout == runs[1].stdout
    said = json.loads(runs[0].stdout)
    assert said["results"] == [3 * 499500, 3 * 500500] and said["now_ps"] > 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["calls"], report["checked_calls"], report["mismatches"]) == (2, 2, 0)
    assert report["total_ps"] == said["now_ps"]


def test_floats_of_another_size_are_refused() -> None:
    row = {"name": "a", "kind": "stream", "direction": "in", "float_bytes": 4}
    _require_same_floats(row, np.zeros(4, np.float32))
    _require_same_floats(row, np.zeros(16, np.uint8))
    _require_same_floats(row, b"0123")
    with pytest.raises(UserError, match="an array of float64, where the C has float32"):
        _require_same_floats(row, np.zeros(4))
