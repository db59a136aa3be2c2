# SPDX-License-Identifier: Apache-2.0
"""What a driver must know of each array beside the C: the annotation fitted to the calls seen.

The emulation finds out what a call touches before it happens; a driver cannot. Bytes are fitted as
a constant, then as sums of products of scalar parameters with integer coefficients that grow with
them, exactly on all calls seen, of which there are more than coefficients; then as a multiple of
one parameter that none exceeds; else, and of one call alone, the most is what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from typing import Any

from rich.console import Console

Term = tuple[int, ...]
"""The arguments whose product it is; empty for 1."""

LEAST_CALLS = 3
"""Different calls from which a bound is concluded."""
LOOSE = 2
"""How many times the touched bytes a bound may be that is shown instead of the most."""


def needed_annotations(kernel: dict[str, Any]) -> list[dict[str, Any]]:
    """The arrays of a kernel whose extent only calls tell, each with `pragma`, and `calls`, the
    number of different calls that it fits."""
    table = kernel["arguments"]
    seen = [(call["scalars"], call["touched_bytes"]) for call in table["seen"]]
    found = []
    for place, row in enumerate(table["rows"]):
        if row["extent"] not in ("observed", "typed") or not row["touched_bytes"]:
            continue
        calls = [(scalars, touched[place]) for scalars, touched in seen]
        text = _fitted(table["rows"], calls, row)
        pragma = f"#pragma tandem extent({row['name']}, {text})"
        found.append(
            {
                "kernel": kernel["name"],
                "name": row["name"],
                "extent": row["extent"],
                "pragma": pragma,
                "calls": len(seen),
            }
        )
    return found


def show_annotations(kernel: dict[str, Any], console: Console) -> None:
    """What to say of a kernel's arrays: annotations to add, ones that are too large, what stays in
    the device's memory, and why other data goes both ways."""
    for row in needed_annotations(kernel):
        why = "only each call tells" if row["extent"] == "observed" else "its type tells"
        calls = f"{row['calls']} different calls" if row["calls"] != 1 else "the one call"
        console.print(
            f"`{row['name']}`: {why} how much is used; a driver needs {row['pragma']} "
            f"(fits {calls} seen)",
            markup=False,
        )
    for row in kernel["arguments"]["rows"]:
        touched = row["touched_bytes"]
        if row["extent"] == "declared" and touched is not None and touched < row["largest_bytes"]:
            console.print(
                f"`{row['name']}`: {row['largest_bytes']:,} bytes are declared, calls touch at "
                f"most {touched:,}: a smaller extent moves less",
                markup=False,
            )
        if row["stays_bytes"]:
            console.print(
                f"`{row['name']}` stays in the device's memory, {row['stays_bytes']:,} bytes: "
                f"nothing but `{kernel['name']}` uses it",
                markup=False,
            )
        elif row["direction"] == "inout" and row["bytes"]:
            console.print(f"`{row['name']}` goes both ways: {_why_both(row)}", markup=False)


def _why_both(row: dict[str, Any]) -> str:
    if row["reads"]:
        return "it is read and written"
    return "parts of it may stay as they were"


Calls = Sequence[tuple[Sequence[int], int]]


def _fitted(rows: Sequence[dict[str, Any]], calls: Calls, row: dict[str, Any]) -> str:
    """An expression that is at least what every call seen touches."""
    usable = [i for i, r in enumerate(rows) if _is_number(r, [s[i] for s, _ in calls])]
    names = {i: r["name"] for i, r in enumerate(rows)}
    if len(calls) == 1:
        return str(row["touched_bytes"])
    for shape in _shapes(usable):
        factors = _solved(shape, calls)
        if factors is not None:
            return _text(dict(zip(shape, factors, strict=True)), names)
    for i in usable:
        bound = _bound(i, calls, row["largest_bytes"])
        if bound:
            return _text({(i,): bound}, names)
    return str(row["touched_bytes"])


def _is_number(row: dict[str, Any], values: Sequence[int]) -> bool:
    """Whether it is a scalar parameter that was never negative as a signed number."""
    half = 1 << (8 * min(8, row["element_bytes"]) - 1)
    return row["is_parameter"] and row["kind"] == "scalar" and all(0 <= v < half for v in values)


def _shapes(usable: Sequence[int]) -> Iterator[tuple[Term, ...]]:
    """Sums to try, the simplest first."""
    yield ((),)
    for i in usable:
        yield ((i,),)
    for i in usable:
        yield ((i,), ())
    pairs = list(combinations_with_replacement(usable, 2))
    for pair in pairs:
        yield (pair,)
    for pair in pairs:
        yield (pair, ())
    for pair in pairs:
        for i in dict.fromkeys(pair):
            yield (pair, (i,))
            yield (pair, (i,), ())
    for i, j in pairs:
        if i != j:
            yield ((i,), (j,))
            yield ((i,), (j,), ())


def _solved(shape: Sequence[Term], calls: Calls) -> list[int] | None:
    """Integer factors of the terms that give every call's bytes; None where there are none, or the
    calls leave them open: several terms fit as many calls whatever these mean."""
    if 1 < len(shape) >= len(calls):
        return None
    system = [
        [Fraction(prod(scalars[i] for i in term)) for term in shape] + [Fraction(touched)]
        for scalars, touched in calls
    ]
    count = len(shape)
    for column in range(count):
        pivot = next((k for k in range(column, len(system)) if system[k][column]), None)
        if pivot is None:
            return None
        system[column], system[pivot] = system[pivot], system[column]
        _eliminate(system, column)
    factors = [system[k][count] for k in range(count)]
    holds = all(not system[k][count] for k in range(count, len(system)))
    if not holds or any(f.denominator != 1 or not f for f in factors) or factors[0] < 0:
        return None
    return [int(f) for f in factors]


def _eliminate(system: list[list[Fraction]], column: int) -> None:
    """Makes the column that of a unit matrix."""
    pivot = [value / system[column][column] for value in system[column]]
    system[column] = pivot
    for k, row in enumerate(system):
        if k != column and row[column]:
            system[k] = [a - row[column] * b for a, b in zip(row, pivot, strict=True)]


def _bound(parameter: int, calls: Calls, most: int) -> int:
    """The least multiple of a parameter that no call exceeds; 0 where that says little, or would be
    more than the array is known to have."""
    pairs = [(scalars[parameter], touched) for scalars, touched in calls if touched]
    if len(pairs) < LEAST_CALLS or not all(number for number, _ in pairs):
        return 0
    factor = max(-(-touched // number) for number, touched in pairs)
    is_close = all(factor * n <= min(LOOSE * t, most) for n, t in pairs)
    return factor if is_close else 0


def _text(terms: dict[Term, int], names: dict[int, str]) -> str:
    text = ""
    for term, factor in terms.items():
        product = " * ".join(names[i] for i in term)
        size = abs(factor)
        part = product if size == 1 and product else f"{size} * {product}" if product else str(size)
        sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        text += sign + part
    return text
