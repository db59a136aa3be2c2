# SPDX-License-Identifier: Apache-2.0
"""Random C with nests of loops over rows whose lengths come with the call."""

from __future__ import annotations

from random import Random


def open_rows(random: Random, held: str) -> str:
    """Three loops over rows, or over planes of them; numbers of the type `held`."""
    kind = random.choice(("int", "size_t", "long"))
    limits = ("m", "m", "n"), ("m", "m", "m - 1"), ("n", "n", "n - 1", "m")
    loops = [
        _loop(random, kind, counter, random.choice(("0", "0", "1", outer)), random.choice(limit))
        for counter, outer, limit in zip("ijk", "0i0", limits, strict=True)
    ]
    columns = [random.choice(("k", "k", "k - 1", "k + 1", "i")) for _ in range(2)]
    if random.random() < 0.5:
        rows = [random.choice(("i", "i - 1", "j", "j - 1")) for _ in range(2)]
    else:  # those of planes
        rows = [f"({random.choice(('i', 'i - 1'))}) * m + j" for _ in range(2)]
    places = [f"({row}) * n + {column}" for row, column in zip(rows, columns, strict=True)]
    return f"""
#include <stddef.h>
void top({kind} n, {kind} m, {held} *x)
{{
    {loops[0]}
        {loops[1]}
            {loops[2]}
                x[{places[0]}] = x[{places[1]}] * 3 + 1;
}}"""


def _loop(random: Random, kind: str, counter: str, first: str, limit: str) -> str:
    """One up from the first number to a limit; or down, where numbers have a sign."""
    if kind == "size_t" or random.random() < 0.7:
        return f"for ({kind} {counter} = {first}; {counter} < {limit}; {counter}++)"
    return f"for ({kind} {counter} = {limit} - 1; {counter} >= {first}; {counter}--)"
