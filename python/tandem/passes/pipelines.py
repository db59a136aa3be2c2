# SPDX-License-Identifier: Apache-2.0
"""The order of the passes: each pipeline is a list of steps with names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tandem.ir.clone import clone
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.ops import WIRING, Access, Op, Sum
from tandem.ir.verifier import verify
from tandem.passes import (
    accumulate_products,
    balance,
    bind_arguments,
    bound_sizes,
    choose_shifts,
    compare_bits,
    count_loops,
    decide_late,
    drop_signs,
    end_counters,
    exit_look_ahead,
    expand_division,
    expand_multiply,
    fill_tables,
    find_independent,
    flatten_nests,
    fuse_loops,
    if_convert,
    interchange,
    join_arrays,
    join_stores,
    keep_pivots,
    licm,
    line_buffers,
    loop_idioms,
    make_rows,
    mask_tests,
    merge_counters,
    merge_flags,
    narrow_guarded,
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
    short_division,
    simplify,
    sink_stores,
    skew,
    split_borders,
    split_loops,
    split_memories,
    split_wide,
    store_forwarding,
    strip_zeros,
    trim_loops,
    turned_bits,
    unroll,
    widen_ports,
)
from tandem.passes.shape import Shape
from tandem.stages import stage


def _steps(op: Op) -> int:
    return 0 if isinstance(op, WIRING) else 3 if isinstance(op, Sum) else 1


LEVELS = reassociate.Timing(_steps, level_ps=1, period_ps=6)


WHOLE_PRODUCTS = 64
"""Bits of a multiplier block where no target is known: no product of the C is wider."""


@dataclass(frozen=True)
class Facts:
    """What the passes know of a target and a clock: inputs of a look-up table, the factors of a
    multiplier block, how wide a counter counts in one cycle, and what operations take."""

    lut_inputs: int = 4
    multiplier_bits: int = WHOLE_PRODUCTS
    counter_bits: int = count_loops.COUNTER_BITS
    timing: reassociate.Timing = LEVELS
    """Where it is not known, additions count as three levels of logic."""


@dataclass(frozen=True)
class Options:
    """What the passes are told: extents from annotations and types, and those that were `proven` of
    another kernel of the same C, with the arguments that it has `filled`, the target, and what
    is to be made of the kernel."""

    claims: bind_arguments.Claims = field(default_factory=dict)
    proven: bind_arguments.Claims = field(default_factory=dict)
    filled: frozenset[str] = frozenset()
    facts: Facts = Facts()
    shape: Shape = field(default_factory=Shape)
    left_out: frozenset[str] = frozenset()
    """Steps that are not taken (`explore.refinements`); `BINDINGS` are ways of bind-arguments."""

    pipelined: frozenset[LoopId] | None = None
    """Loops of which several iterations are on their way at a time; None: all that can be."""

    def takes(self, name: str) -> bool:
        """Whether a step is taken."""
        return name not in self.left_out

    @property
    def factor_bits(self) -> int:
        """Bits of a product's factors in one multiplier block. One that products share takes
        factors with a sign: those without are a bit less wide."""
        return self.facts.multiplier_bits - (self.shape.multipliers is not None)


BLOCKS, STREAMS = BINDINGS = ("bind-blocks", "bind-streams")
"""Ways of bind-arguments that are not a port into memory."""

Step = tuple[str, Callable[[Kernel, Options], object]]
"""A name, and what changes the kernel; it returns False where it has changed nothing."""


After = Callable[[str, Kernel], object]
"""What is told of each step, with the kernel that it has left."""


def flatten_loops(kernel: Kernel, options: Options) -> None:
    """if-convert, unroll and scalarise, innermost loops first, and then make-rows, trim-loops and
    split-borders, until none of them finds work."""
    simplify.run(kernel)
    takes, shape, bits = options.takes, options.shape, options.facts.counter_bits
    while True:
        changed = takes(loop_idioms.SLUG) and loop_idioms.run(kernel)
        changed |= takes(if_convert.SLUG) and if_convert.run(kernel)
        changed |= takes(share_accesses.SLUG) and share_accesses.run(kernel, anywhere=False)
        changed |= unroll.run(kernel, shape, bits)
        changed |= takes(scalarise.SLUG) and scalarise.run(kernel)
        if not changed:  # what depends on the counters of inner loops is seen in their copies
            changed = takes(make_rows.SLUG) and make_rows.run(kernel)
            changed = changed or (takes(trim_loops.SLUG) and trim_loops.run(kernel))
            changed = changed or split_borders.run(kernel, shape.bordered)
            changed = changed or (takes(scalarise.SLUG) and scalarise.run(kernel, is_final=True))
        if not changed:
            return
        simplify.run(kernel)


def split_and_promote(kernel: Kernel, options: Options) -> bool:
    """split-memories, and scalarise for what is then reached at known places only."""
    changed = split_memories.run(kernel)
    if changed and options.takes(scalarise.SLUG) and scalarise.run(kernel):
        simplify.run(kernel)
    return changed


def flatten_all_nests(kernel: Kernel, options: Options) -> bool:
    """flatten-nests, from the inside out, and one block of each. After bind-arguments, which can
    tell how far a nest reaches as long as it is one."""
    shape = options.shape

    def flatten_one() -> bool:
        turns = dict(shape.interleaved)
        return flatten_nests.run(kernel, shape.flattened, turns, shape.kept_apart)

    changed = False
    while flatten_one():
        while flatten_one():  # nests beside each other; one around them is one after if-convert
            pass
        if_convert.run(kernel)
        simplify.run(kernel)
        changed = True
    return changed


def simplify_accesses(kernel: Kernel, options: Options) -> bool:
    """simplify, for what the passes over memories leave; the others have folded what they made."""
    del options
    has_accesses = any(isinstance(op, Access) for _, op in kernel.ops())
    return has_accesses and simplify.run(kernel)


def keep_some_rows(kernel: Kernel, options: Options) -> bool:
    """line-buffers, where the shape says so."""
    return line_buffers.run(kernel, options.shape.keeping_rows, options.shape.reading_ahead)


def narrow_where_guarded(kernel: Kernel, options: Options) -> bool:
    """narrow-guarded, and narrow-widths for what nobody reads then."""
    changed = narrow_guarded.run(kernel)
    if changed and options.takes(narrow_widths.SLUG):
        kernel.facts.clear()
        narrow_widths.run(kernel)
    return changed


def keep_operators(kernel: Kernel, options: Options) -> bool:
    """Keeps a copy of the kernel as a processor is to walk it."""
    del options
    kernel.plain = clone(kernel)
    return False


def bind_all_arguments(kernel: Kernel, options: Options) -> None:
    """bind-arguments, with what is told of extents."""
    ways = bind_arguments.Ways(options.takes(BLOCKS), options.takes(STREAMS))
    bind_arguments.run(kernel, options.claims, options.proven, options.filled, ways)


DEFAULT: list[Step] = [
    (join_arrays.SLUG, lambda kernel, _: join_arrays.run(kernel)),
    (fill_tables.SLUG, lambda kernel, _: fill_tables.run(kernel)),
    ("flatten-loops", flatten_loops),
    (merge_counters.SLUG, lambda kernel, _: merge_counters.run(kernel)),
    (count_loops.SLUG, lambda kernel, o: count_loops.run(kernel, o.facts.counter_bits)),
    (simplify.SLUG, lambda kernel, _: simplify.run(kernel)),
    (end_counters.SLUG, lambda kernel, _: end_counters.run(kernel)),
    (strip_zeros.SLUG, lambda kernel, _: strip_zeros.run(kernel)),
    (merge_counters.SLUG, lambda kernel, _: merge_counters.run(kernel)),
    (bound_sizes.SLUG, lambda kernel, _: bound_sizes.run(kernel)),
    (drop_signs.SLUG, lambda kernel, _: drop_signs.run(kernel)),
    (bind_arguments.SLUG, bind_all_arguments),
    (simplify.SLUG, lambda kernel, _: simplify.run(kernel)),
    (turned_bits.SLUG, lambda kernel, _: turned_bits.run(kernel)),
    (licm.SLUG, lambda kernel, _: licm.run(kernel)),
    (share_values.SLUG, lambda kernel, _: share_values.run(kernel)),
    (sink_stores.SLUG, lambda kernel, _: sink_stores.run(kernel)),
    (join_stores.SLUG, lambda kernel, _: join_stores.run(kernel)),
    (part_sums.SLUG, lambda kernel, o: part_sums.run(kernel, o.shape.parted)),
    (split_loops.SLUG, lambda kernel, o: split_loops.run(kernel, o.shape.split)),
    (interchange.SLUG, lambda kernel, o: interchange.run(kernel, o.shape.interchanged)),
    (keep_pivots.SLUG, lambda kernel, o: keep_pivots.run(kernel, o.shape.keeping_pivots)),
    (skew.SLUG, lambda kernel, o: skew.run(kernel, o.shape.skewed)),
    (find_independent.SLUG, lambda kernel, _: find_independent.run(kernel)),
    (reload.SLUG, lambda kernel, o: reload.run(kernel, o.facts.counter_bits)),
    (narrow_widths.SLUG, lambda kernel, _: narrow_widths.run(kernel)),
    (merge_flags.SLUG, lambda kernel, _: merge_flags.run(kernel)),
    (flatten_nests.SLUG, flatten_all_nests),
    (mask_tests.SLUG, lambda kernel, _: mask_tests.run(kernel)),
    (strip_zeros.SLUG, lambda kernel, _: strip_zeros.run(kernel)),
    (narrow_widths.SLUG, lambda kernel, _: narrow_widths.run(kernel)),
    (narrow_guarded.SLUG, narrow_where_guarded),
    (fuse_loops.SLUG, lambda kernel, _: fuse_loops.run(kernel)),
    (decide_late.SLUG, lambda kernel, o: decide_late.run(kernel, o.facts.timing)),
    (reassociate.SLUG, lambda kernel, o: reassociate.run(kernel, o.facts.timing)),
    (split_memories.SLUG, split_and_promote),
    (widen_ports.SLUG, lambda kernel, _: widen_ports.run(kernel)),
    (scalar_replacement.SLUG, lambda kernel, o: scalar_replacement.run(kernel, o.shape.reread)),
    (line_buffers.SLUG, keep_some_rows),
    (plane_buffers.SLUG, lambda kernel, o: plane_buffers.run(kernel, o.shape.keeping_planes)),
    (share_accesses.SLUG, lambda kernel, _: share_accesses.run(kernel)),
    (simplify.SLUG, simplify_accesses),
    ("keep-operators", keep_operators),
    (scale_exponents.SLUG, lambda kernel, _: scale_exponents.run(kernel)),
    (
        store_forwarding.SLUG,
        lambda kernel, o: store_forwarding.run(kernel, dict(o.shape.forwarded)),
    ),
    (
        accumulate_products.SLUG,
        lambda kernel, o: accumulate_products.run(kernel, o.facts.counter_bits),
    ),
    (share_products.SLUG, lambda kernel, _: share_products.run(kernel)),
    (short_division.SLUG, lambda kernel, _: short_division.run(kernel)),
    (expand_division.SLUG, lambda kernel, o: expand_division.run(kernel, o.shape.divided)),
    (expand_multiply.SLUG, lambda kernel, o: expand_multiply.run(kernel, o.factor_bits)),
    (balance.SLUG, lambda kernel, o: balance.run(kernel, o.facts.lut_inputs)),
    (narrow_signs.SLUG, lambda kernel, _: narrow_signs.run(kernel)),
    (narrow_widths.SLUG, lambda kernel, _: narrow_widths.run(kernel)),
    (compare_bits.SLUG, lambda kernel, _: compare_bits.run(kernel)),
    (simplify.SLUG, lambda kernel, _: simplify.run(kernel)),
    (exit_look_ahead.SLUG, lambda kernel, _: exit_look_ahead.run(kernel)),
    (choose_shifts.SLUG, lambda kernel, _: choose_shifts.run(kernel)),
]


FOR_CLOCK: list[Step] = [
    (split_wide.SLUG, lambda kernel, o: split_wide.run(kernel, o.facts.timing)),
]
"""What else is done for a clock, once it is known which one the kernel gets."""


UP_TO_EXTENTS = DEFAULT[: 1 + [name for name, _ in DEFAULT].index(bind_arguments.SLUG)]
"""After these steps it is known how many bytes a call uses of each argument."""


def run_pipeline(
    kernel: Kernel,
    options: Options,
    steps: list[Step] | None = None,
    after: After | None = None,
) -> None:
    """Runs the steps in order, but for those that the options leave out, verifying after each
    change; `after` is told of each step."""
    for name, step in DEFAULT if steps is None else steps:
        with stage(name):
            if options.takes(name) and step(kernel, options) is not False:
                kernel.facts.clear()
                verify(kernel, name)
        if after is not None:
            after(name, kernel)
