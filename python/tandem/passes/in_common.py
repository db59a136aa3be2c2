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
from tandem.passes import bind_arguments, flatten_nests, scalar_replacement, store_forwarding
from tandem.passes.pipelines import DEFAULT, After, Options, run_pipeline

PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (bind_arguments.SLUG, ("apart", "bordered", "unroll_limit", "copied", "rolled")),
    (flatten_nests.SLUG, ("parted", "split", "keeping_pivots", "skewed", "interchanged")),
    (scalar_replacement.SLUG, ("flattened", "interleaved", "kept_apart")),
    (store_forwarding.SLUG, ("reread", "keeping_rows", "reading_ahead", "keeping_planes")),
)
"""The steps before which kernels are kept, and what of a shape those from the one above on are
told; from the first one on also what the kernel that is made first has shown of extents."""

Told = tuple[Hashable, ...]
"""What steps are told."""


@dataclass
class InCommon:
    """Kernels as some steps have left them, by what each part of those was told."""

    kept: dict[Told, Kernel] = field(default_factory=dict)
    first: Told | None = None
    """What the first part was told for the kernel that was made first: to all that begin so, what
    that one has shown of extents is no news."""

    def make(
        self, imported: Callable[[], Kernel], options: Options, after: After | None = None
    ) -> Kernel:
        """The kernel of a shape, and of what else is told; `imported` makes the one that steps
        start from if none is kept. `after` is told of each step that is run."""
        names = [name for name, _ in DEFAULT]
        starts = [0, *(names.index(slug) for slug, _ in PARTS), len(names)]
        told = self._told(options)
        done = next((i for i in reversed(range(1, len(told))) if told[i] in self.kept), 0)
        kernel = clone(self.kept[told[done]]) if done else imported()
        for i in range(done, len(told)):
            if i > done:
                self.kept[told[i]] = clone(kernel)
            run_pipeline(kernel, options, DEFAULT[starts[i] : starts[i + 1]], after)
        return kernel

    def _told(self, options: Options) -> list[Told]:
        """What the steps up to each place at which kernels are kept are told."""
        parts = [tuple(getattr(options.shape, name) for name in names) for _, names in PARTS]
        self.first = self.first or parts[0]
        if parts[0] != self.first:
            parts[0] += frozenset(options.proven.items()), options.filled
        return [tuple(parts[:i]) for i in range(len(parts) + 1)]
