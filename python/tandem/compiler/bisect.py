# SPDX-License-Identifier: Apache-2.0
"""Which pass changes what a kernel computes: the IR interpreter runs the kernel as imported, and
again after every pass, on the same random calls. The first pass after which an answer is another
one is at fault, whatever comes behind it."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tandem.compiler.compile import Lineage
from tandem.diagnostics import InternalError, TandemError, user_error
from tandem.ir.argument import Argument
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import mask
from tandem.passes.pipelines import DEFAULT, FOR_CLOCK, Step

MOST_STEPS = 200_000
"""Operations of a call that is tried: longer ones are left out."""
DRAWN = 20
"""How many random calls are drawn for one that is to be tried: many get nowhere."""
NUMBER_BITS = (2, 4, 6, 10, 64)
"""How large random numbers are: small ones count, and are lengths, as often as large ones."""
ARRAY_BYTES = 4096
"""Of an array of which it is not known how much of it a call uses."""
MOST_ARRAY_BYTES = 1 << 16
LARGEST_FLOAT = 1000.0

Values = dict[str, int | bytes]
"""What a call is given, by the names of its arguments."""
Answer = dict[str, int | bytes | None]
"""What it leaves in arrays, and its result."""


@dataclass(frozen=True)
class Difference:
    """The first pass after which an answer is not that of the kernel as imported. `place`: which
    one it is of the passes; `told`: of which argument what differs."""

    step: Step
    place: int
    call: Values
    told: str

    @property
    def name(self) -> str:
        return self.step[0]


@dataclass(frozen=True)
class Bisection:
    """How many calls were tried, how many passes looked at, and what was found, if anything was.
    `cured`: whether the answers are right without the pass that was found."""

    calls: int
    passes: int
    found: Difference | None = None
    cured: bool = False


def bisect(lineage: Lineage, count: int, seed: int) -> Bisection:
    """Looks for a pass that changes what `count` random calls compute. Raises UserError where no
    call comes to its end within its arrays."""
    tried = _calls(lineage, count, Random(seed))
    looking = _Looking(tried)
    lineage.make(looking.after)
    found = looking.found
    if found is None:
        return Bisection(len(tried), looking.passes)
    return Bisection(len(tried), looking.passes, found, _is_cured(lineage, tried, found.step))


class _Looking:
    """What is seen of the passes, one after the other."""

    def __init__(self, tried: Sequence[tuple[Values, Answer]]) -> None:
        self.tried = tried
        self.passes = -1  # the import is told of first
        self.found: Difference | None = None

    def after(self, name: str, kernel: Kernel) -> None:
        self.passes += 1
        if self.found is not None or not self.passes:
            return
        for call, wanted in self.tried:
            told = _difference(kernel, call, wanted)
            if told:
                step = [*DEFAULT, *FOR_CLOCK][self.passes - 1]
                self.found = Difference(step, self.passes, call, told)
                return


def _is_cured(lineage: Lineage, tried: Sequence[tuple[Values, Answer]], step: Step) -> bool:
    """Whether the kernel answers right where a pass is left out; others may need it. What is done
    for a clock alone can need any."""
    left_out = [step] if step in FOR_CLOCK else [step, *FOR_CLOCK]
    try:
        kernel = lineage.make(lambda *_: None, without=left_out)
    except TandemError:
        return False
    return not any(_difference(kernel, call, wanted) for call, wanted in tried)


def _calls(lineage: Lineage, count: int, random: Random) -> list[tuple[Values, Answer]]:
    """Random calls, with what the kernel as imported answers."""
    kernel = lineage.imported.kernel
    found: list[tuple[Values, Answer]] = []
    for _ in range(count * DRAWN):
        call = _drawn(kernel, lineage, random)
        try:
            found.append((call, _answer(kernel, call)))
        except InternalError:  # it is endless, or leaves its arrays
            continue
        if len(found) == count:
            break
    if not found:
        raise user_error(
            "no-call",
            f"no random call of `{kernel.name}` comes to its end within its arrays",
            kernel.place(kernel.entry.line),
            "try another --seed; `tandem verify` compares the application's own calls",
        )
    return found


def _drawn(kernel: Kernel, lineage: Lineage, random: Random) -> Values:
    """A random call: numbers first, from which it follows how large arrays are."""
    call: Values = {}
    for argument in kernel.arguments:
        if argument.memory is None and argument.direction == "in":
            bits = min(argument.width, random.choice(NUMBER_BITS))
            number = random.getrandbits(bits)
            call[argument.name] = 1 if argument.tells_of and argument.width == 1 else number
    for argument in kernel.arguments:
        if argument.memory is not None and argument.part is None:
            size = max(_size(argument, lineage, call), _end_of_parts(kernel, argument))
            call[argument.name] = _bytes(argument, size, random)
    return call


def _end_of_parts(kernel: Kernel, whole: Argument) -> int:
    """Up to which byte a struct has members that are arguments of their own."""
    parts = [a.part for a in kernel.arguments if a.part is not None]
    return max((p.offset + p.bytes for p in parts if p.parent == whole.name), default=0)


def _size(argument: Argument, lineage: Lineage, call: Mapping[str, int | bytes]) -> int:
    """How many bytes of an array a call uses, as far as that is known."""
    extent = lineage.options.proven.get(argument.name)
    if extent is None or extent.claim is None:
        return ARRAY_BYTES
    numbers = {name: value for name, value in call.items() if isinstance(value, int)}
    if not extent.claim.names() <= numbers.keys():
        return ARRAY_BYTES
    return min(extent.claim.evaluate(numbers), MOST_ARRAY_BYTES)


def _bytes(argument: Argument, size: int, random: Random) -> bytes:
    """What a random array holds; of floating-point numbers none that is no number."""
    if not argument.float_bytes:
        return random.randbytes(size)
    count = -(-size // argument.float_bytes)
    numbers = [random.uniform(-LARGEST_FLOAT, LARGEST_FLOAT) for _ in range(count)]
    return struct.pack(f"<{count}{'f' if argument.float_bytes == 4 else 'd'}", *numbers)


def _difference(kernel: Kernel, call: Values, wanted: Answer) -> str:
    """How a kernel answers otherwise than it should; empty where it does not."""
    try:
        found = _answer(kernel, call)
    except InternalError as error:
        return error.diagnostics[0].message
    for name, right in wanted.items():
        left = found[name]
        if isinstance(left, bytes) and isinstance(right, bytes) and left != right:
            at = next(i for i, pair in enumerate(zip(left, right, strict=True)) if len({*pair}) > 1)
            return f"byte {at} of `{name}` is {left[at]}, not {right[at]}"
        if left != right:
            return f"the {name} is {left}, not {right}"
    return ""


def _answer(kernel: Kernel, call: Values) -> Answer:
    """What the interpreter makes of a call. Raises InternalError where it comes to no end, or
    leaves an array."""
    data = {n: bytearray(v) if isinstance(v, bytes) else v for n, v in call.items()}
    joined = _joined(kernel, data)
    result = interpret(kernel, {**data, **joined}, MOST_STEPS)
    for argument in kernel.arguments:
        _take_apart(argument, data, joined)
    bits = next((a.width for a in kernel.arguments if a.is_result), 0)
    left: Answer = {n: bytes(v) for n, v in data.items() if isinstance(v, bytearray)}
    return left | {"result": None if result is None else result & mask(bits)}


def _joined(kernel: Kernel, data: Mapping[str, int | bytearray]) -> dict[str, int | bytearray]:
    """Arrays that are parts of one (`join_arrays`) side by side, and where each begins."""
    found: dict[str, int | bytearray] = {}
    for whole in kernel.arguments:
        if whole.joins and whole.memory is not None:
            size, content = whole.memory.element_bits // 8, bytearray()
            for name in whole.joins:
                part = data[name]
                assert isinstance(part, bytearray)
                found[name] = len(content) // size
                content += part.ljust(-(-len(part) // size) * size, b"\0")
            found[whole.name] = content
    return found


def _take_apart(
    whole: Argument, data: Mapping[str, int | bytearray], joined: Mapping[str, int | bytearray]
) -> None:
    """Puts what a call has left in an array that others are parts of into these."""
    if not whole.joins or whole.memory is None:
        return
    content = joined[whole.name]
    assert isinstance(content, bytearray)
    for name in whole.joins:
        part, place = data[name], joined[name]
        assert isinstance(part, bytearray) and isinstance(place, int)
        at = place * (whole.memory.element_bits // 8)
        part[:] = content[at : at + len(part)]


def bisect_json(name: str, made: Bisection) -> dict[str, Any]:
    """What was found, as data."""
    found = made.found
    return {
        "format": "tandem-bisect-result",
        "format_version": 1,
        "kernel": name,
        "calls": made.calls,
        "passes": made.passes,
        "pass": None if found is None else found.name,
        "number": None if found is None else found.place,
        "difference": "" if found is None else found.told,
        "arguments": {} if found is None else _told(found.call),
        "cured": made.cured,
    }


def _told(call: Values) -> dict[str, int | str]:
    """Numbers as they are, arrays as hexadecimal digits."""
    return {n: v if isinstance(v, int) else v.hex() for n, v in call.items()}
