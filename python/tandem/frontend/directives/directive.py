# SPDX-License-Identifier: Apache-2.0
"""A directive, in whatever spelling it came: what is asked for, and how clang is told.

Clang has loop directives and attributes of its own; it keeps them through every optimisation. So
ours become such before clang reads the file: of the loop directives two that nobody else reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem.diagnostics import Diagnostic, Place
from tandem.frontend.macro_marks import macro_mark
from tandem.frontend.partitions import ANNOTATION, MOST_BANKS

BEST_II = 1 << 20
"""What stands for 'as tightly as it goes' in clang's directive, which wants a number."""
NO_II = BEST_II + 1
"""What stands there for 'not at all'."""
DATAFLOW_II = BEST_II + 2
"""What stands there for 'the calls of an iteration run beside each other'."""

WHOLLY = 1 << 20
"""What stands for that in clang's directive for interleaving, which only the vectoriser reads: the
ones for unrolling clang would act on itself. A number of copies is added to it; and in the one for
the width of vectors, which nobody else reads either, how often a loop runs."""
MOST_COPIES = 4096

DEPTH_MARK = 1 << 20
"""Added to the depth in the attribute of clang's that carries it, which only says how wide vectors
are that a function would like."""
MOST_DEEP = 1 << 16
MOST_HEAP = 1 << 26
"""Bytes: more than any device has inside."""
MOST_CYCLES = 1024
"""Of a macro from operands to result."""

LOOP, FUNCTION, ARRAY = "loop", "function", "local array"


@dataclass(frozen=True)
class Directive:
    """`name`: pipeline, unroll, trips, dataflow, reassociate, inline, recursion, heap, overlap,
    partition, macro or refine; `number`: its N, 0 without one; `expression`: a constant that is it,
    which clang knows; `array`: what it names; `arrays`: what an overlap does; `verilog`, `module`:
    the file that a macro names, and the module in it if it does; `refinement`: which one, about
    `refined`. `shown`: the words of the user, who wrote them at `place`."""

    name: str
    shown: str
    place: Place
    off: bool = False
    number: int = 0
    array: str = ""
    arrays: tuple[str, ...] = ()
    verilog: str = ""
    module: str = ""
    expression: str = ""
    refinement: str = ""
    refined: str = ""

    @property
    def subject(self) -> str:
        """What it is about."""
        if self.refined:
            return self.refined
        functions = dict.fromkeys(("inline", "recursion", "heap", "overlap", "macro"), FUNCTION)
        subjects = {**functions, "partition": ARRAY}
        return subjects.get(self.name, LOOP)

    @property
    def leaves_no_loop(self) -> bool:
        """Whether the loop becomes copies of its body, one after the other."""
        return self.name == "unroll" and not (self.off or self.number or self.expression)

    def contradicts(self, other: Directive) -> bool:
        """Whether they cannot both hold of one thing, or say the same of it."""
        if self.name == other.name:
            own = self.array, self.arrays, self.refinement
            return own == (other.array, other.arrays, other.refinement)
        if self.refinement or other.refinement:
            return False
        if self.subject != other.subject:
            return False
        alone = ("dataflow", "macro")
        return any(d.leaves_no_loop or d.name in alone for d in (self, other))

    def in_clangs_words(self) -> str:
        """What stands in clang's text before the loop, the function or the array's declaration."""
        if self.name == "inline":
            return _attribute(f"{'noinline' if self.off else 'always_inline'}, no_split_stack")
        if self.name == "recursion":
            return _attribute(f"min_vector_width({DEPTH_MARK + self.number}), no_split_stack")
        if self.name == "refine" and self.subject == LOOP:
            return ""  # for the compiler alone; `rewrite` sees to it that it stands before a loop
        if self.name in ("overlap", "heap", "refine"):
            return _attribute("no_split_stack")  # import_c reads the directive itself
        if self.name == "partition":
            return _attribute(f'annotate("{ANNOTATION} {self.array} {self.number}"), uninitialized')
        if self.name == "macro":
            mark = macro_mark(self.verilog, self.module, self.number, self.place)
            return _attribute(f'annotate("{mark}"), no_split_stack')
        if self.name == "unroll":
            return _loop_hint("interleave_count", self._told(WHOLLY, int(self.off), MOST_COPIES))
        if self.name == "trips":
            return _loop_hint("vectorize_width", self._told(WHOLLY, 0, WHOLLY - 1))
        if self.name == "reassociate":
            return '_Pragma("clang loop vectorize_predicate(enable)")'  # nobody else reads it
        if self.name == "dataflow":
            return _loop_hint("pipeline_initiation_interval", str(DATAFLOW_II))
        wanted = self._told(0, NO_II if self.off else BEST_II, WHOLLY - 1)
        return _loop_hint("pipeline_initiation_interval", wanted)

    def _told(self, base: int, otherwise: int, most: int) -> str:
        """N above a base as clang's number, or what stands for none; 0, which clang refuses, where
        a constant is no N."""
        n = self.expression
        if n:
            return f"(({n}) >= 1 && ({n}) <= {most} ? {base} + ({n}) : 0)"
        return str(base + (self.number or otherwise))


def is_good_number(name: str, number: int) -> bool:
    """Whether a directive can have this N."""
    if name == "partition":
        return 2 <= number <= MOST_BANKS and number & (number - 1) == 0
    most = {"unroll": MOST_COPIES, "recursion": MOST_DEEP, "macro": MOST_CYCLES, "heap": MOST_HEAP}
    return 1 <= number <= most.get(name, WHOLLY - 1)


def no_effect(shown: str, place: Place, reason: str) -> Diagnostic:
    """The note that a directive, or a part of it, does nothing here."""
    return Diagnostic("pragma", f"`{shown}` has no effect: {reason}", place, severity="note")


def _loop_hint(name: str, number: str) -> str:
    return f'_Pragma("clang loop {name}({number})")'


def _attribute(names: str) -> str:
    """Attributes of what is declared next. Before anything else they are an error of clang's: the
    second one is there for nothing but to stand before no statement, and before no table; and what
    clang only ignores elsewhere it does not ignore here."""
    ignored = r'_Pragma("clang diagnostic error \"-Wignored-attributes\"")'
    return (
        f'_Pragma("clang diagnostic push") {ignored} __attribute__(({names})) '
        '_Pragma("clang diagnostic pop")'
    )
