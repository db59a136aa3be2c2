# SPDX-License-Identifier: Apache-2.0
"""What the compiler does to make a kernel better, and can leave undone.

A row says what a refinement is about and how a point turns it on: whole passes by their slugs,
loops by a member of `Shape`. What every kernel needs to become hardware is not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tandem.passes import (
    balance,
    choose_shifts,
    compare_bits,
    decide_late,
    drop_signs,
    end_counters,
    exit_look_ahead,
    expand_division,
    fill_tables,
    flatten_nests,
    fuse_loops,
    if_convert,
    interchange,
    interleave,
    join_stores,
    keep_pivots,
    licm,
    line_buffers,
    loop_idioms,
    make_rows,
    mask_tests,
    merge_counters,
    merge_flags,
    narrow_signs,
    narrow_widths,
    part_sums,
    plane_buffers,
    reassociate,
    reload,
    scalar_replacement,
    scalarise,
    scale_exponents,
    share_accesses,
    share_products,
    share_values,
    sink_stores,
    skew,
    split_borders,
    split_loops,
    split_memories,
    store_forwarding,
    strip_zeros,
    trim_loops,
    unroll,
    widen_ports,
)
from tandem.passes.pipelines import BLOCKS, STREAMS

KERNEL, LOOP, FUNCTION, TABLE = "kernel", "loop", "function", "table"


@dataclass(frozen=True)
class Kind:
    """`about`: the whole kernel, a loop, a function or a constant table; `summary`: what an
    engineer would say of it; `steps`: what of the passes is left out without it; `shape`: the
    member of `Shape` that names its loops; `counts`: whether it has a number, as of iterations."""

    name: str
    about: str
    summary: str
    steps: tuple[str, ...] = ()
    shape: str = ""
    counts: bool = False


PIPELINE, UNROLL, APART, COPY_TABLE = "pipeline", unroll.SLUG, "inline-off", "copy-table"
FLATTEN, SHARE_MULTIPLIERS, START_SELDOM = flatten_nests.SLUG, "share-multipliers", "start-seldom"

_ROWS = (
    Kind(PIPELINE, LOOP, "start an iteration before the one before has ended"),
    Kind(UNROLL, LOOP, "make a copy of the body for each iteration"),
    Kind(FLATTEN, LOOP, "make one loop of it and the loop around it"),
    Kind(
        interleave.TURNS,
        LOOP,
        "have iterations of the loop around it take turns",
        (),
        "interleaved",
        True,
    ),
    Kind(split_borders.SLUG, LOOP, "have its first and last iterations apart", (), "bordered"),
    Kind(split_loops.SLUG, LOOP, "make two loops of one with two loops in it", (), "split"),
    Kind(part_sums.SLUG, LOOP, "give its sums a loop of their own", (), "parted"),
    Kind(interchange.SLUG, LOOP, "change its place with the loop around it", (), "interchanged"),
    Kind(keep_pivots.SLUG, LOOP, "keep the row that all rows need", (), "keeping_pivots"),
    Kind(skew.SLUG, LOOP, "run along the diagonals of its nest", (), "skewed"),
    Kind(
        line_buffers.SLUG, LOOP, "keep rows that are read again in line buffers", (), "keeping_rows"
    ),
    Kind("read-ahead", LOOP, "read a column further of these rows", (), "reading_ahead"),
    Kind(plane_buffers.SLUG, LOOP, "keep planes that are read again", (), "keeping_planes"),
    Kind("reread", LOOP, "read again what takes many registers to keep", (), "reread"),
    Kind(
        store_forwarding.SLUG,
        LOOP,
        "take what was just stored from registers",
        (),
        "forwarded",
        True,
    ),
    Kind(expand_division.SLUG, LOOP, "divide a bit a cycle", (), "divided"),
    Kind(APART, FUNCTION, "one piece of hardware for all calls"),
    Kind(COPY_TABLE, TABLE, "give each access a copy of what it can reach of the table"),
    Kind(
        fill_tables.SLUG,
        KERNEL,
        "make tables of arrays that always hold the same",
        (fill_tables.SLUG,),
    ),
    Kind(split_memories.SLUG, KERNEL, "make several memories of an array", (split_memories.SLUG,)),
    Kind(scalarise.SLUG, KERNEL, "keep small arrays in registers", (scalarise.SLUG,)),
    Kind(
        widen_ports.SLUG, KERNEL, "take several elements at once from memory", (widen_ports.SLUG,)
    ),
    Kind(BLOCKS, KERNEL, "give small arrays with the call", (BLOCKS,)),
    Kind(STREAMS, KERNEL, "make streams of arrays that are walked in order", (STREAMS,)),
    Kind(if_convert.SLUG, KERNEL, "turn branches into choices", (if_convert.SLUG,)),
    Kind(loop_idioms.SLUG, KERNEL, "make shifts of loops that shift", (loop_idioms.SLUG,)),
    Kind(
        make_rows.SLUG, KERNEL, "make rows and columns of a loop over a picture", (make_rows.SLUG,)
    ),
    Kind(trim_loops.SLUG, KERNEL, "leave out iterations that do nothing", (trim_loops.SLUG,)),
    Kind(
        fuse_loops.SLUG, KERNEL, "make one loop of two that follow each other", (fuse_loops.SLUG,)
    ),
    Kind(
        licm.SLUG,
        KERNEL,
        "read and write once, outside of the loop",
        (licm.SLUG, sink_stores.SLUG, reload.SLUG),
    ),
    Kind(
        scalar_replacement.SLUG,
        KERNEL,
        "pass on what was read or stored already",
        (scalar_replacement.SLUG,),
    ),
    Kind(
        share_values.SLUG,
        KERNEL,
        "compute and access once what is the same",
        (share_values.SLUG, share_accesses.SLUG, join_stores.SLUG),
    ),
    Kind(
        narrow_widths.SLUG,
        KERNEL,
        "make numbers as wide as they need to be",
        (
            narrow_widths.SLUG,
            narrow_signs.SLUG,
            drop_signs.SLUG,
            strip_zeros.SLUG,
            compare_bits.SLUG,
        ),
    ),
    Kind(
        merge_counters.SLUG,
        KERNEL,
        "count once what is counted several times",
        (merge_counters.SLUG, end_counters.SLUG, merge_flags.SLUG),
    ),
    Kind(
        balance.SLUG,
        KERNEL,
        "put chains of logic and decisions into another order",
        (
            balance.SLUG,
            reassociate.SLUG,
            decide_late.SLUG,
            exit_look_ahead.SLUG,
            choose_shifts.SLUG,
            mask_tests.SLUG,
        ),
    ),
    Kind(
        share_products.SLUG,
        KERNEL,
        "make fewer products, and simpler ones",
        (share_products.SLUG, scale_exponents.SLUG),
    ),
    Kind(SHARE_MULTIPLIERS, KERNEL, "have all products share multipliers", counts=True),
    Kind(START_SELDOM, KERNEL, "start iterations more seldom", counts=True),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ROWS}
"""Every refinement, by its name."""
DIRECTED = [name for name in KINDS if name != APART]
"""Those that `#pragma tandem refine` asks for; a function is kept apart by `inline off`."""
