# SPDX-License-Identifier: Apache-2.0
"""Modules and the name of a function -> a kernel, before any pass of ours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tandem import policy
from tandem.diagnostics import Diagnostic, Place, UserError
from tandem.frontend.calls import OUTPUT
from tandem.frontend.constant_arguments import with_constant_arguments
from tandem.frontend.directives.ineffective import in_order, not_kept_apart, without_loops
from tandem.frontend.directives.rewrite import Placed
from tandem.frontend.halves import with_halves
from tandem.frontend.heap import given_bytes, heap_notes
from tandem.frontend.importer import import_kernel
from tandem.frontend.linking import find_definition
from tandem.frontend.macros import Declared
from tandem.frontend.optimise import Optimiser
from tandem.frontend.overlaps import check_overlaps, overlaps_of
from tandem.frontend.partial_sums import with_partial_sums
from tandem.frontend.sharing import Repeated
from tandem.frontend.state import Tables
from tandem.frontend.variables import source_name
from tandem.frontend.whole import as_software
from tandem.frontend.wide_conversions import with_wide_conversions
from tandem.ir.argument import ArgumentKind
from tandem.ir.clone import clone
from tandem.ir.kernel import Kernel, Macro
from tandem.ir.memory import MemoryKind
from tandem.llvm import read as llvm
from tandem.llvm.module import opened
from tandem.stages import stage


@dataclass(frozen=True)
class Modules:
    """The LLVM IR of a program's `files`, for the kernel and for what runs; the directives of the
    first, and what is told of those."""

    files: list[str]
    hardware: list[str]
    software: list[str]
    directives: tuple[Placed, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


@dataclass
class Imported:
    """A kernel as the C has it, before any pass of ours. `modules`: the LLVM IR of each C file as
    it runs, `optimiser`: of what the kernel is made of; `function_ir`: of the function and all
    that it calls, in one piece; `whole_ir`: the same with all that is called inlined, and no call
    of a loop beside another one. `apart`: the functions that its calls share; `repeated`: those of
    which it would hold several copies. `directives`: those of all files; `notes`: what is told of
    them."""

    kernel: Kernel
    modules: list[str]
    optimiser: Optimiser
    function_ir: str
    whole_ir: str
    place: Place
    apart: frozenset[str]
    repeated: Repeated
    directives: tuple[Placed, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    replaced: frozenset[str] = frozenset()
    """Functions of the C library that it holds and that software calls ours of too."""
    software: str = ""
    """LLVM IR that a processor runs, where `function_ir` is for hardware alone."""
    has_members: bool = True
    """Whether members of structs may be memories of their own."""
    scratch: frozenset[str] = frozenset()
    """Variables that are local arrays, as no call needs what another one has left there."""
    stored_tables: Tables = frozenset()
    """Constant tables that are one memory each; None: all."""
    made: dict[frozenset[str], Imported] = field(default_factory=dict)
    """What there is already, by the functions apart. Their kernels stay as they are."""

    def again(self, apart: frozenset[str]) -> Imported:
        """The kernel once more, with these functions apart."""
        found = self.having(apart)
        return replace(found, kernel=clone(found.kernel))

    def having(self, apart: frozenset[str]) -> Imported:
        """The same, with the kernel that is kept: not for those who change it."""
        if apart not in self.made:
            self.made[apart] = self._with(apart)
        return self.made[apart]

    def with_scratch(self, names: frozenset[str]) -> Imported:
        """The same where these variables, which nothing else uses, are local arrays."""
        if not names:
            return self
        kernel = clone(self.kernel)
        _make_local(kernel, names)
        return replace(self, kernel=kernel, scratch=self.scratch | names, made={})

    def with_stored(self, tables: Tables) -> Imported:
        """The same where these constant tables are one memory each, and no others."""
        if tables == self.stored_tables:
            return self
        kernel = self._kernel_of(self.function_ir, tables)
        return replace(self, kernel=kernel, stored_tables=tables, made={})

    def texts(self) -> tuple[tuple[str, str], ...]:
        """The stages of LLVM's text that it came from, with what each has left."""
        return self.optimiser.optimised(self.apart, with_texts=True).texts

    def _with(self, apart: frozenset[str]) -> Imported:
        if apart == self.apart:
            return replace(self, kernel=clone(self.kernel))
        found = self.optimiser.optimised(apart)
        kernel = self._kernel_of(found.text, self.stored_tables)
        if not has_same_parts(kernel, self.kernel):
            return replace(self, kernel=clone(self.kernel))
        return replace(self, kernel=kernel, function_ir=found.text, apart=found.apart)

    def _kernel_of(self, text: str, tables: Tables) -> Kernel:
        """The kernel of another text of the same function."""
        known = self.kernel
        kernel = import_kernel(
            text, known.name, self.place, known.overlaps, self.has_members, tables
        )
        kernel.macros = known.macros
        _make_local(kernel, self.scratch)
        return kernel


def _make_local(kernel: Kernel, names: Collection[str]) -> None:
    for argument in [a for a in kernel.arguments if a.name in names]:
        variable, memory = argument.variable, argument.memory
        assert variable is not None and memory is not None
        memory.kind, memory.rows = MemoryKind.RAM, ()
        memory.depth = 8 * variable.bytes // memory.element_bits
        kernel.arguments.remove(argument)


def has_same_parts(kernel: Kernel, other: Kernel) -> bool:
    """Whether two kernels of one C have the same members of structs as arguments."""
    parts = [[(a.name, a.part) for a in k.arguments if a.part] for k in (kernel, other)]
    return parts[0] == parts[1]


def _with_most_apart(whole: Imported, wished: frozenset[str]) -> Imported:
    """A kernel with those of its functions apart of which that is wished, as far as it can be: if
    need be, without memories for members of structs."""
    made, known = _with_apart(whole, wished), whole.kernel
    if not wished - made.apart or not any(argument.part for argument in known.arguments):
        return made
    text, place = whole.function_ir, whole.place
    plain = import_kernel(text, known.name, place, known.overlaps, with_members=False)
    plain.macros = known.macros
    other = _with_apart(replace(whole, kernel=plain, has_members=False, made={}), wished)
    return other if made.apart < other.apart else made


def _small_enough(made: Imported) -> Imported:
    """A kernel that is too large to be made at all with a copy for each call, with the functions
    apart of which it holds most, if it is smaller by half so."""
    for name in made.repeated.large:
        if made.kernel.size <= policy.INLINED_OPERATIONS:
            break
        other = made.having(made.apart | {name})
        made = other if other.kernel.size < made.kernel.size / 2 else made
    return made


def import_modules(given: Modules, top: str) -> Imported:
    """The kernel `top` of a program, with the functions apart of which its source says so, if that
    can be."""
    modules, sums = _in_one_order(given.hardware)
    is_one = list(given.software) == list(given.hardware)
    runs = modules if is_one else _in_one_order(given.software)[0]
    directives = given.directives
    files = given.files
    place = find_definition(top, files, *modules)
    is_for_both = runs == modules
    modules, constants = with_constant_arguments(modules, top, place)
    optimiser = Optimiser(modules, top, files, given_bytes(directives, top))
    found = optimiser.optimised()
    kernel = import_kernel(found.text, top, place, overlaps_of(directives, top))
    check_overlaps(kernel, directives)
    kernel.macros = macros = _macros(modules, files, found.macros)
    wished = found.repeated.wished
    as_written = optimiser.optimised(beside=False) if found.has_rounds else found
    whole = Imported(
        kernel,
        runs,
        optimiser,
        found.text,
        as_written.text,
        place,
        frozenset(),
        found.repeated,
        directives,
    )
    made = _small_enough(_with_most_apart(whole, wished))
    own = optimiser.optimised(macros=False) if macros else found
    made.replaced = found.replaced
    made.software = own.software or (own.text if macros else "")
    if not is_for_both:
        made.software = as_software(runs, top, files)
    in_kernel = (line for name, line in sums.items() if f"{name}." in found.text)
    told = (
        *in_order(directives, sums.values()),
        *_in_other_order(place, sorted(set(in_kernel))),
        *_only_printed(place, found.text),
        *_of_unknown_area(macros.values()),
        *_agrees(place, sorted(found.replaced)),
        *not_kept_apart(directives, wished - made.apart, found.repeated.once),
        *without_loops(directives, found.text),
        *heap_notes(kernel, found.text, directives, place),
    )
    return replace(made, notes=(*given.notes, *constants, *told))


@stage("sums")
def _in_one_order(modules: Iterable[str]) -> tuple[list[str], dict[str, int]]:
    """Modules whose sums have one order, in software too, and the lines of these sums."""
    return with_partial_sums([with_wide_conversions(with_halves(text)) for text in modules])


def _macros(
    modules: Sequence[str], files: Sequence[str], asked: Iterable[Declared]
) -> dict[str, Macro]:
    """The macros that a kernel calls, with their C."""
    return {one.function: _macro(modules, files, one) for one in asked}


def _macro(modules: Sequence[str], files: Sequence[str], asked: Declared) -> Macro:
    """A macro. Raises UserError for one with a state, and as the import of any C does."""
    name = asked.function
    found = Optimiser(modules, name, files).optimised(macros=False)
    body = import_kernel(found.text, name, find_definition(name, files, *modules))
    if len([a for a in body.arguments if a.kind is ArgumentKind.SCALAR]) != len(body.arguments):
        lasting = next(a for a in body.arguments if a.kind is not ArgumentKind.SCALAR)
        raise asked.error(
            f"its C keeps, or reads, what is not its parameters: `{source_name(lasting.name)}`",
            "pass it as a parameter: a macro has no state, and touches nothing outside",
        )
    return Macro(
        name,
        asked.module,
        asked.parameters,
        asked.width,
        asked.latency,
        asked.path,
        asked.verilog(),
        body,
        found.software or found.text,
        asked.place,
    )


def _with_apart(whole: Imported, wished: frozenset[str]) -> Imported:
    """The kernel with those of some functions apart that can be."""
    made = whole
    try:
        return whole.again(wished) if wished else whole
    except UserError:  # a type that only a copy of the function can do without
        for name in sorted(wished):
            with suppress(UserError):
                made = made.again(made.apart | {name})
        return made


def _in_other_order(place: Place, lines: list[int]) -> list[Diagnostic]:
    if not lines:
        return []
    where = ", ".join(map(str, lines))
    text = f"sums in line {where} are added in another order than the C's, in software too"
    cure = "to compare with software that vectorises them, use --baseline"
    return [Diagnostic("order", text, place, cure, severity="note")]


def prints(text: str) -> bool:
    """Whether anything in a module's LLVM IR prints."""
    with opened(text) as module:
        functions = [f for f in module.functions if llvm.name(f) in OUTPUT]
        return any(map(llvm.calls_of, functions))


def _only_printed(place: Place, text: str) -> list[Diagnostic]:
    if not prints(text):
        return []
    said = "what it prints, the C prints: what is needed for that alone is not in the hardware"
    cure = "to have a value compared, return it, or keep it in a variable of the program"
    return [Diagnostic("printed", said, place, cure, severity="note")]


def _of_unknown_area(macros: Iterable[Macro]) -> Iterator[Diagnostic]:
    for macro in macros:
        text = (
            f"module `{macro.module}` is not in the estimates: its area and its clock are unknown"
        )
        cure = "`tandem build --place` counts it"
        yield Diagnostic("macro", text, macro.place, cure, severity="note")


def _agrees(place: Place, names: list[str]) -> list[Diagnostic]:
    if not names:
        return []
    *others, last = (f"`{name}`" for name in names)
    subject = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    text = f"{subject} Tandem's own in software too, so that both agree"
    return [Diagnostic("library", text, place, severity="note")]
