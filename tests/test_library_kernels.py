# SPDX-License-Identifier: Apache-2.0
"""The library's kernels by their manifests: known answers in C and in RTL; C = IR = RTL on random
calls of every size; the cycles that the manifest tells, from the untouched C."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from random import Random
from struct import pack
from typing import Any

import pytest
from agreement import Build, check, packaged
from jsonschema import Draft202012Validator
from library_page import page
from seeds import ALL, in_turn
from tandem.compiler.compile import compile_kernel, find_target
from tandem.diagnostics import UserError
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.languages.discovery import find_program
from tandem.library.driver import RETURNED, answer_units, driver_text
from tandem.library.manifests import (
    ANSWERS,
    BYTES,
    DATA,
    MANIFEST,
    RESULT,
    UNITS,
    Argument,
    LibraryKernel,
    find_kernel,
    library_kernels,
)
from tandem.schedule.scheduled import KernelSchedule

KERNELS = library_kernels()
DOCS = Path(__file__).parents[1] / "docs"
SIZES = (0, 1, 2, 5, 70)
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
SCALARS = {"uint64_t": 64, "uint32_t": 32}


def one_a_folder() -> Iterator[str]:
    """Another one each time, but for those that wait for themselves, which take longest to compile;
    or `ALL`."""
    for turn, (_, group) in enumerate(groupby(KERNELS.values(), key=lambda kernel: kernel.folder)):
        kernels = list(group)
        quick = [k.name for k in kernels if k.cycles or not (k.recurrence or "aes" in k.name)]
        if ALL or quick:
            yield from in_turn([k.name for k in kernels] if ALL else quick, turn)


# -- the C --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def software(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """All kernels as C."""
    out = tmp_path_factory.mktemp("software") / "kernels.so"
    sources = sorted({kernel.source for kernel in KERNELS.values()})
    run_clang([*NATIVE_FLAGS, *STRICT, "-O1", "-shared", *sources, "-o", out, "-lm"])
    return ctypes.CDLL(str(out))


@pytest.mark.parametrize("name", KERNELS)
def test_known_answers_of_the_c(name: str, software: ctypes.CDLL) -> None:
    kernel = KERNELS[name]
    for answer in kernel.answers:
        units = answer_units(kernel, answer)
        values = {a.name: told(kernel, a, answer, units) for a in kernel.arguments}
        given = {n: as_c(kernel, n, value) for n, value in values.items()}
        function = software[name]
        function.restype = RETURNS[kernel.return_type]
        result = function(*given.values())
        for argument in kernel.arguments:
            if argument.role == RESULT:
                right = array(argument, answer[argument.name])
                assert given[argument.name].raw == right, answer["source"]
        if RETURNED in answer:
            size = len(right := as_returned(answer[RETURNED]))
            found = bytes(result) if size > 4 else result.to_bytes(4, "little", signed=True)
            assert found == right, answer["source"]


def as_c(kernel: LibraryKernel, name: str, value: int | bytes) -> Any:
    """An argument as ctypes has it."""
    if isinstance(value, bytes):
        return ctypes.create_string_buffer(value, len(value))
    kind = next(argument.type for argument in kernel.arguments if argument.name == name)
    return (ctypes.c_uint32 if kind == "uint32_t" else ctypes.c_uint64)(value)


class Pair(ctypes.Structure):
    _fields_ = (("first", ctypes.c_uint64), ("second", ctypes.c_uint64))


RETURNS = {"void": None, "int": ctypes.c_int, "struct des_search_result": Pair}


@pytest.mark.parametrize("name", list(one_a_folder()))
def test_the_application_that_is_made(name: str, tmp_path: Path) -> None:
    kernel = KERNELS[name]
    count = len(kernel.answers)
    done = driven(kernel, tmp_path, "3")
    assert done.returncode == 0, done.stdout
    right, given = done.stdout.splitlines()
    assert right == f"known answers: {count} of {count} right"
    assert re.fullmatch(rf"3 {kernel.unit}s, checksum [0-9a-f]{{8}}", given)


def driven(kernel: LibraryKernel, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The application that is made for a kernel, in software."""
    main, program = folder / "main.c", folder / "main"
    main.write_text(driver_text(kernel))
    files = [file.path for file in find_program(kernel.source).files]
    run_clang([*NATIVE_FLAGS, *STRICT, f"-I{kernel.folder}", main, *files, "-o", program, "-lm"])
    return subprocess.run([program, *words], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("name", "result"),
    [("aes128_encrypt", "cipher"), ("des_search", RETURNED), ("exp_many", "out")],
)
def test_a_wrong_answer_is_found(name: str, result: str, tmp_path: Path) -> None:
    kernel = KERNELS[name]
    wrong = {"cipher": "00" * 16, RETURNED: {"tried": 5}, "out": [1.0] * 18}
    answers = (kernel.answers[0] | {result: wrong[result]}, *kernel.answers[1:])
    done = driven(dataclasses.replace(kernel, answers=answers), tmp_path)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        1,
        f"known answers: {len(answers) - 1} of {len(answers)} right",
    )


@pytest.mark.parametrize("words", [["0"], ["x"], ["3", "4"], ["1000000000000000"]])
def test_a_bad_number_of_units(words: list[str], tmp_path: Path) -> None:
    done = driven(KERNELS["des_encrypt"], tmp_path, *words)
    assert done.returncode == 2
    assert done.stderr == "des_encrypt: give a number of blocks that there is memory for\n"


# -- the hardware -------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=list(one_a_folder()))
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Build:
    kernel = KERNELS[request.param]
    program, clock_ps = find_program(kernel.source), round(1000 * kernel.clock_ns)
    compiled = compile_kernel(program, kernel.name, find_target("ecp5"), clock_ps)
    assert kernel.ii is None or slowest_of_units(compiled.schedule, kernel) <= kernel.ii
    return packaged(compiled, tmp_path_factory.mktemp("library"))


def slowest_of_units(schedule: KernelSchedule, kernel: LibraryKernel) -> int:
    """The ii of the last loop, which goes over the units; what is before makes keys."""
    found = [block.ii for block in schedule.blocks.values() if block.ii]
    assert found, kernel.name
    return found[-1]


@pytest.mark.parametrize("size", SIZES)
def test_c_ir_and_rtl_agree(built: Build, size: int) -> None:
    kernel, random = KERNELS[built.imported.name], Random(size)
    if not kernel.takes_many:
        size = 1
    values = {a.name: made_up(kernel, a, random, size) for a in kernel.arguments}
    streams = built.streams()
    intervals = {"in": 1 + size % 3, "out": 1 + size % 2}
    outcome = check(
        built, values | returned(kernel), {n: i for n, i in intervals.items() if n in streams}
    )
    changed = [a.name for a in kernel.arguments if a.role == RESULT] or ["result"]
    assert size == 0 or all(any(outcome.data[name]) for name in changed)
    assert kernel.cycles in (None, outcome.cycles)


def made_up(kernel: LibraryKernel, argument: Argument, random: Random, size: int) -> int | bytes:
    """What a random call of so many units is given: keys of a table that has eight, directions."""
    count = argument.count * (size if argument.is_buffer else 1)
    if argument.role == RESULT:
        return bytes(count * bytes_of(argument))
    if argument.role in (UNITS, BYTES):
        return size * (unit_bytes(kernel) if argument.role == BYTES else 1)
    if argument.type == "double":
        return pack(f"<{count}d", *(random.uniform(-800, 800) for _ in range(count)))
    if argument.count:
        return random.randbytes(count * bytes_of(argument))
    few = {"key": 8, "direction": 2}
    return random.randrange(few.get(argument.name, 1 << SCALARS[argument.type]))


def bytes_of(argument: Argument) -> int:
    return {"uint8_t": 1, "int16_t": 2, "double": 8}[argument.type]


def unit_bytes(kernel: LibraryKernel) -> int:
    data = next(argument for argument in kernel.arguments if argument.role == DATA)
    return data.count * bytes_of(data)


def returned(kernel: LibraryKernel) -> dict[str, bytes]:
    """Room for a struct that is returned."""
    return {"result": bytes(16)} if kernel.return_type.startswith("struct") else {}


def test_known_answers_of_the_rtl(built: Build) -> None:
    kernel = KERNELS[built.imported.name]
    for answer in kernel.answers:
        units = answer_units(kernel, answer)
        values = {a.name: told(kernel, a, answer, units) for a in kernel.arguments}
        outcome = check(built, values | returned(kernel))
        for argument in kernel.arguments:
            if argument.role == RESULT:
                right = array(argument, answer[argument.name])
                assert outcome.data[argument.name][: len(right)] == right, answer["source"]
        if RETURNED in answer:
            assert outcome.data["result"] == as_returned(answer[RETURNED]), answer["source"]


def told(
    kernel: LibraryKernel, argument: Argument, answer: dict[str, Any], units: int
) -> int | bytes:
    """What the call of a known answer is given."""
    if argument.role == RESULT:
        return bytes(units * argument.count * bytes_of(argument))
    if argument.role in (UNITS, BYTES):
        return units * (unit_bytes(kernel) if argument.role == BYTES else 1)
    value = answer[argument.name]
    return array(argument, value) if argument.count else number(value)


def array(argument: Argument, value: Any) -> bytes:
    if isinstance(value, str):
        return bytes.fromhex(value)
    return pack(f"<{len(value)}{'d' if argument.type == 'double' else 'h'}", *value)


def number(value: int | str) -> int:
    return int(value, 0) if isinstance(value, str) else value


def as_returned(value: Any) -> bytes:
    """Members of eight bytes each, or an `int`."""
    if isinstance(value, dict):
        return b"".join(number(member).to_bytes(8, "little") for member in value.values())
    return value.to_bytes(4, "little")


# -- the manifests ------------------------------------------------------------------------------


def test_every_manifest_tells_what_it_must() -> None:
    for kernel in KERNELS.values():
        assert kernel.source.is_file() and kernel.header.is_file(), kernel.name
        assert (kernel.ii is None) != (kernel.cycles is None), kernel.name
        assert kernel.takes_many == (kernel.ii is not None), kernel.name
        assert bool(kernel.recurrence) == ((kernel.ii or 1) > 1), kernel.name
        assert all(answer["source"] for answer in kernel.answers), kernel.name


def test_manifests_and_answers_follow_their_schemas() -> None:
    for name, file in (("kernel", MANIFEST), ("answers", ANSWERS)):
        schema = json.loads((DOCS / "schemas" / f"{name}.json").read_text())
        Draft202012Validator.check_schema(schema)
        for folder in {kernel.folder for kernel in KERNELS.values()}:
            Draft202012Validator(schema).validate(tomllib.loads((folder / file).read_text()))


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        (DOCS / "kernels.md").write_text(page())
    assert (DOCS / "kernels.md").read_text() == page()


def test_an_unknown_kernel_is_told_with_those_alike() -> None:
    with pytest.raises(UserError, match="no kernel `des3_encript` in the library") as error:
        find_kernel("des3_encript")
    assert "did you mean `des3_encrypt`" in str(error.value)
    with pytest.raises(UserError) as error:
        find_kernel("quicksort")
    assert error.value.diagnostics[0].help == "see `tandem list kernels`"
