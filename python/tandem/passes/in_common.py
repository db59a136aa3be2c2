# SPDX-License-Identifier: Apache-2.0
"""Kernels of several shapes, made of one import: steps that do not see how two shapes differ are
run once for both.

Most shapes that are tried differ in what the last steps are told, while the first ones take the
most time: they make the copies of loops' bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from tandem.ir.clone import clone
from tandem.ir.kernel import Kernel
from tandem.passes import bind_arguments, flatten_nests, forward, reuse
from tandem.passes.pipelines import DEFAULT, After, Options, run_pipeline

PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (bind_arguments.SLUG, ("apart", "bordered", "unroll_limit", "rolled")),
    (flatten_nests.SLUG, ("parted", "split", "keeping_pivots", "skewed", "interchanged")),
    (reuse.SLUG, ("flattened", "interleaved", "kept_apart")),
    (forward.SLUG, ("reread", "keeping_rows", "reading_ahead", "keeping_planes")),
)
"""The steps before which kernels are kept, and what of a shape those from the one above on are
told; from the first one on also what is proven of extents."""


@dataclass
class InCommon:
    """Kernels as some steps have left them, by how many parts those are and what they were told."""

    kept: dict[tuple[Hashable, ...], Kernel] = field(default_factory=dict)

    def make(
        self, imported: Callable[[], Kernel], options: Options, after: After | None = None
    ) -> Kernel:
        """The kernel of a shape, and of what else is told; `imported` makes the one that steps
        start from if none is kept. `after` is told of each step that is run."""
        names = [name for name, _ in DEFAULT]
        starts = [0, *(names.index(slug) for slug, _ in PARTS), len(names)]
        told = _told(options)
        done = next((i for i in reversed(range(1, len(told))) if told[i] in self.kept), 0)
        kernel = clone(self.kept[told[done]]) if done else imported()
        for i in range(done, len(told)):
            if i > done:
                self.kept[told[i]] = clone(kernel)
            run_pipeline(kernel, options, DEFAULT[starts[i] : starts[i + 1]], after)
        return kernel


def _told(options: Options) -> list[tuple[Hashable, ...]]:
    """What the steps up to each place at which kernels are kept are told."""
    found: list[tuple[Hashable, ...]] = [(0,)]
    for i, (_, names) in enumerate(PARTS, 1):
        of_shape = (getattr(options.shape, name) for name in names)
        proven = (frozenset(options.proven.items()), options.filled) if i == 2 else None
        found.append((i, *found[-1][1:], proven, *of_shape))
    return found
