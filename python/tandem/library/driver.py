# SPDX-License-Identifier: Apache-2.0
"""The application that is made for a kernel of the library which has none: it checks the known
answers, and gives the kernel as many units as it is told to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from tandem.library.manifests import (
    BYTES,
    DATA,
    RESULT,
    UNITS,
    Argument,
    LibraryKernel,
)

MANY, EACH = 4096, 100
"""Units that are given without being told: to a kernel that takes many in a call, and to one that
takes a call each."""
WIDTH = 88
RETURNED = "returns"
"""What a function returns, among an answer's arguments."""
INCLUDES = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{header}"
"""
ALONE = """/* SPDX-License-Identifier: Apache-2.0
 * {name} [{units}]: checks {name} against its known answers, and gives it so many {units}
 * ({most}). Made by Tandem from the manifest of {name}. */
{includes}
{answers}
{host}"""
RIGHT = """/* How many of the known answers are right. */
static int right_answers(void)
{{
    return {right};
}}
"""
HOST = """{numbers}static uint32_t checksum(uint32_t sum, const void *data, size_t bytes)
{{
    for (size_t i = 0; i < bytes; i++)
        sum = (sum << 5 | sum >> 27) + ((const uint8_t *)data)[i];
    return sum;
}}

{call}
int main(int argc, char **argv)
{{
    char *end = "";
    unsigned long units = argc > 1 ? strtoul(argv[1], &end, 10) : {most};
    int right = right_answers();
    printf("known answers: %d of {count} right\\n", right);
    if (argc > 2 || *end || units == 0 || !give(units)) {{
        fprintf(stderr, "{name}: give a number of {units} that there is memory for\\n");
        return 2;
    }}
    return right == {count} ? 0 : 1;
}}
"""
NUMBERS = """/* The same numbers each time (G. Marsaglia, "Xorshift RNGs", 2003). */
static uint32_t next_number(void)
{
    static uint32_t state = 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

"""
ANSWER = """/* {source} */
static int answer_{number}(void)
{{
{lines}
}}
"""
CALL = """static int give(size_t units)
{{
{lines}
}}
"""


def driver_text(kernel: LibraryKernel) -> str:
    """The application's C, all of it."""
    return ALONE.format(
        **_words(kernel),
        includes=includes_text(kernel),
        answers=answers_text(kernel),
        host=host_text(kernel),
    )


def includes_text(kernel: LibraryKernel) -> str:
    """The headers that its parts need."""
    return INCLUDES.format(header=kernel.header.name)


def answers_text(kernel: LibraryKernel) -> str:
    """The known answers, and `right_answers()`."""
    numbers = range(len(kernel.answers))
    right = " + ".join(f"answer_{number}()" for number in numbers)
    answers = [_answer(kernel, number) for number in numbers]
    return "\n".join([*answers, RIGHT.format(right=right)])


def host_text(kernel: LibraryKernel) -> str:
    """`main`, which asks for those and gives the kernel its units."""
    return HOST.format(
        **_words(kernel),
        numbers=NUMBERS if any(a.role == DATA for a in kernel.arguments) else "",
        call=CALL.format(lines=_indented(_given(kernel))),
        count=len(kernel.answers),
    )


def _words(kernel: LibraryKernel) -> dict[str, Any]:
    most = MANY if kernel.takes_many else EACH
    return {"name": kernel.name, "units": f"{kernel.unit}s", "most": most}


# -- known answers ------------------------------------------------------------------------------


def _answer(kernel: LibraryKernel, number: int) -> str:
    answer = kernel.answers[number]
    lines = _indented(_checked(kernel, answer))
    return ANSWER.format(source=answer["source"], number=number, lines=lines)


def _checked(kernel: LibraryKernel, answer: dict[str, Any]) -> Iterator[str]:
    """The body of a function that tells whether an answer is right."""
    units = answer_units(kernel, answer)
    for argument in kernel.arguments:
        if argument.count and argument.role != RESULT:
            yield _constant(argument, argument.name, answer)
    results = [argument for argument in kernel.arguments if argument.role == RESULT]
    for argument in results:
        yield _constant(argument, f"right_{argument.name}", answer)
        yield f"static {argument.type} {argument.name}[{argument.count * units}];"
    values = [_value(kernel, argument, answer, str(units)) for argument in kernel.arguments]
    yield f"{_returned(kernel)}{kernel.name}({', '.join(values)});"
    tests = [f"!memcmp({a.name}, right_{a.name}, sizeof {a.name})" for a in results]
    yield f"return {' && '.join([*tests, *_returns(answer)])};"


def answer_units(kernel: LibraryKernel, answer: dict[str, Any]) -> int:
    """How many units a known answer is of."""
    for argument in kernel.arguments:
        if argument.is_buffer:
            return len(elements(argument, answer[argument.name])) // argument.count
    return next(int(answer[a.name]) for a in kernel.arguments if a.role == UNITS)


def elements(argument: Argument, value: str | Sequence[float]) -> list[str]:
    """An array of an answer, as C: bytes are written in hexadecimal."""
    if isinstance(value, str):
        return [f"0x{byte:02x}" for byte in bytes.fromhex(value)]
    return [_number(number) for number in value]


def _number(value: float) -> str:
    text = repr(value)
    return {"inf": "1.0 / 0.0", "-inf": "-1.0 / 0.0"}.get(text, text)


def _constant(argument: Argument, name: str, answer: dict[str, Any]) -> str:
    body = ", ".join(elements(argument, answer[argument.name]))
    lines = wrap(body, WIDTH, break_on_hyphens=False)
    return "\n        ".join((f"static const {argument.type} {name}[] = {{", *lines)) + "};"


def _value(kernel: LibraryKernel, argument: Argument, answer: dict[str, Any], units: str) -> str:
    """What a call is given for an argument."""
    if argument.count:
        return argument.name
    if argument.role == UNITS:
        return units
    if argument.role == BYTES:
        return f"{_bytes_a_unit(kernel)} * {units}"
    return str(answer[argument.name])


def _bytes_a_unit(kernel: LibraryKernel) -> str:
    data = next(argument for argument in kernel.arguments if argument.role == DATA)
    return f"{data.count} * sizeof({data.type})"


def _returned(kernel: LibraryKernel) -> str:
    return "" if kernel.return_type == "void" else f"{kernel.return_type} returned = "


def _returns(answer: dict[str, Any]) -> list[str]:
    """The tests of what is returned: a number, or a struct's members."""
    value = answer.get(RETURNED)
    if isinstance(value, dict):
        return [f"returned.{member} == {right}" for member, right in value.items()]
    return [] if value is None else [f"returned == {value}"]


# -- as many units as are wanted ----------------------------------------------------------------


def _given(kernel: LibraryKernel) -> Iterator[str]:
    """The body of a function that calls the kernel; parameters are those of the first answer."""
    answer = kernel.answers[0]
    buffers = [argument for argument in kernel.arguments if argument.is_buffer]
    for argument in kernel.arguments:
        if argument.count and not argument.is_buffer:
            yield _constant(argument, argument.name, answer)
    yield "uint32_t sum = 0;"
    for buffer in buffers:
        yield f"{buffer.type} *{buffer.name} = malloc(units * {_bytes(buffer)});"
    if buffers:
        yield f"if ({' || '.join(f'!{buffer.name}' for buffer in buffers)})"
        yield "    return 0;"
    for buffer in buffers:
        if buffer.role == DATA:
            yield f"for (size_t i = 0; i < units * {buffer.count}; i++)"
            yield f"    {buffer.name}[i] = {MADE_UP.get(buffer.type, 'next_number()')};"
    yield from _called(kernel, answer)
    yield f'printf("%lu {kernel.unit}s, checksum %08x\\n", (unsigned long)units, (unsigned)sum);'
    yield from (f"free({buffer.name});" for buffer in buffers)
    yield "return 1;"


MADE_UP = {"double": "(int32_t)next_number() / 4194304.0"}
"""Numbers of that type: of doubles, up to 512 either way."""


def _bytes(buffer: Argument) -> str:
    return f"{buffer.count} * sizeof *{buffer.name}"


def _called(kernel: LibraryKernel, answer: dict[str, Any]) -> Iterator[str]:
    """One call for all units, or one for each; and the sum over all results."""
    values = [_value(kernel, argument, answer, "units") for argument in kernel.arguments]
    if kernel.takes_many:
        yield f"{_returned(kernel)}{kernel.name}({', '.join(values)});"
    else:
        at = [f"{a.name} + i * {a.count}" if a.is_buffer else a.name for a in kernel.arguments]
        yield "for (size_t i = 0; i < units; i++)"
        yield f"    {kernel.name}({', '.join(at)});"
    if kernel.takes_many and kernel.return_type != "void":
        yield "sum = checksum(sum, &returned, sizeof returned);"
    for argument in kernel.arguments:
        if argument.role == RESULT:
            yield f"sum = checksum(sum, {argument.name}, units * {_bytes(argument)});"


def _indented(lines: Iterator[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)
