# SPDX-License-Identifier: Apache-2.0
"""The C that counts toggles in a model: bits that are otherwise behind a clock edge than behind the
one before. While the kernel is reset nothing is counted.

What is counted lies in vectors of the model, which are compared with a copy; each of their bytes
has a count of eight bits, which is added to one of 64 before it overflows. Counts are the call's
until it has ended, and the shared object's then: calls may run side by side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tandem.rtl.circt import ModelCode
from tandem.rtl.ports import Signal

VECTOR_BYTES = 64
UNCOUNTED = ("clk", "reset")
"""A clock toggles twice a cycle."""


@dataclass(frozen=True)
class Counted:
    """A register, a port, or nets of a kind: the name, where in the model it is, in bytes, and its
    bits; what is left of its last byte is always the same."""

    name: str
    offset: int
    bits: int
    is_port: bool = False
    place: str = ""
    """Where in the C it comes from, such as "file.c:12"."""
    scope: str = ""
    """Where a wave shows it: scopes with a dot between them."""

    @property
    def bytes(self) -> int:
        """What it has of the model."""
        return -(-self.bits // 8)


def counted_signals(
    code: ModelCode,
    ports: Sequence[Signal],
    register_places: Mapping[str, str],
    register_scopes: Mapping[str, str],
) -> list[Counted]:
    """Registers and ports of CIRCT's model. `register_places`: where in the C registers come from;
    `register_scopes`: where waves show those that are of no value in the C."""
    registers = []
    for name, (at, bits) in code.registers.items():
        place = register_places.get(name, "")
        scope = register_scopes.get(name) or place.replace(".", "_").replace(":", "_line_")
        registers.append(Counted(name, at, bits, place=place, scope=scope or "control"))
    kept = [port for port in ports if port.name in code.offsets and port.name not in UNCOUNTED]
    shown = [
        Counted(port.name, code.offsets[port.name], port.bits, True, scope=f"ports.{port.protocol}")
        for port in kept
    ]
    return [*registers, *shown]


SHOWN = """
struct tandem_counted {
    const char *name, *place, *scope;
    uint32_t bits, is_port, offset;
};
extern const uint32_t tandem_rtl_counted_count;
extern const struct tandem_counted tandem_rtl_counted[];
"""
"""What a model has besides that shows its registers."""
DECLARATIONS = f"""{SHOWN}uint64_t tandem_rtl_toggles(uint64_t toggles[]);
"""
"""What one has that counts: the toggles of what is shown in calls that have ended since the object
was loaded, and in how many cycles they were."""

_ROWS = """
const uint32_t tandem_rtl_counted_count = {count};
const struct tandem_counted tandem_rtl_counted[] = {{
{rows}}};
"""
_COUNTS = """
enum {{ PLACES = {places}, MOST_CYCLES = 31 }};
typedef unsigned char Vector __attribute__((vector_size({vector})));
struct counts {{
    Vector before[PLACES], few[PLACES];
    uint64_t many[PLACES * {vector}], cycles;
    uint32_t few_cycles, begun;
}};
static const uint32_t places[] = {{{offsets}}};
static const struct {{ uint32_t first, bytes; }} counted[] = {{{spans}}};
static uint64_t total[{count} + 1], total_cycles;

static void gather(struct counts *counts)
{{
    const unsigned char *few = (const unsigned char *)counts->few;
    for (uint32_t i = 0; i < sizeof counts->few; i++)
        counts->many[i] += few[i];
    memset(counts->few, 0, sizeof counts->few);
    counts->few_cycles = 0;
}}

/* Behind a rising edge. */
static void count(struct counts *counts, const unsigned char *model, int is_reset)
{{
    const int is_counted = !is_reset && counts->begun;
    for (uint32_t i = 0; i < PLACES; i++) {{
        Vector now, bits;
        memcpy(&now, model + places[i], sizeof now);
        bits = now ^ counts->before[i];
        counts->before[i] = now;
        if (!is_counted)
            continue;
        bits = bits - (bits >> 1 & 0x55);
        bits = (bits & 0x33) + (bits >> 2 & 0x33);
        counts->few[i] += bits + (bits >> 4) & 0x0f;
    }}
    counts->begun = 1;
    if (!is_counted)
        return;
    counts->cycles++;
    if (++counts->few_cycles == MOST_CYCLES)
        gather(counts);
}}

static void add_up(struct counts *counts)
{{
    gather(counts);
    for (uint32_t i = 0; i < {count}; i++) {{
        uint64_t toggles = 0;
        for (uint32_t b = 0; b < counted[i].bytes; b++)
            toggles += counts->many[counted[i].first + b];
        __atomic_fetch_add(&total[i], toggles, __ATOMIC_RELAXED);
    }}
    __atomic_fetch_add(&total_cycles, counts->cycles, __ATOMIC_RELAXED);
}}

uint64_t tandem_rtl_toggles(uint64_t toggles[])
{{
    for (uint32_t i = 0; i < {count}; i++)
        toggles[i] = __atomic_load_n(&total[i], __ATOMIC_RELAXED);
    return __atomic_load_n(&total_cycles, __ATOMIC_RELAXED);
}}
"""


def shown_c(signals: Sequence[Counted]) -> str:
    """The C that tells what a model shows, which wants <stdint.h> and SHOWN."""
    rows = (
        f'    {{"{s.name}", "{s.place}", "{s.scope}", {s.bits}, {int(s.is_port)}, {s.offset}}},\n'
        for s in signals
    )
    return _ROWS.format(count=len(signals), rows="".join(rows))


def counts_c(signals: Sequence[Counted]) -> str:
    """The C, which wants <stdint.h>, <string.h> and DECLARATIONS: `count`, and `add_up` for the end
    of a call, on a `struct counts` that begins as zeros."""
    places = _places(signals) or [0]
    return shown_c(signals) + _COUNTS.format(
        places=len(places),
        vector=VECTOR_BYTES,
        offsets=", ".join(map(str, places)),
        count=len(signals),
        spans=", ".join(_spans(places, signals)),
    )


def _places(signals: Sequence[Counted]) -> list[int]:
    """Where the vectors begin that hold all of these."""
    places: list[int] = []
    for signal in sorted(signals, key=lambda s: s.offset):
        end = places[-1] + VECTOR_BYTES if places else 0
        first = max(signal.offset, end)
        places += range(first, signal.offset + signal.bytes, VECTOR_BYTES)
    return places


def _spans(places: Sequence[int], signals: Sequence[Counted]) -> Iterator[str]:
    """Of each signal, the first of its bytes among those that are compared, and how many; they may
    go on in the vector that follows, which follows in the model too."""
    for signal in signals:
        number = bisect_right(places, signal.offset) - 1
        yield f"{{{number * VECTOR_BYTES + signal.offset - places[number]}, {signal.bytes}}}"
