# SPDX-License-Identifier: Apache-2.0
"""LLVM's own passes over the C, and ours around them, stage by stage: one module, everything but
functions that are kept apart inlined into the kernel, loops in the rotated form with one induction
variable, nothing vectorised or unrolled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import llvmlite.binding as llvm

from tandem.diagnostics import Diagnostic, InternalError
from tandem.frontend.arena import end_calls
from tandem.frontend.assertions import without_assertions
from tandem.frontend.block_loops import IS_BELOW, with_arrays_in_loops
from tandem.frontend.call_graphs import call_graph, callees_of
from tandem.frontend.dataflow import has_dataflow, with_rounds
from tandem.frontend.extremes import with_one_form
from tandem.frontend.fields import DEEPEST as DEEPEST_FIELD
from tandem.frontend.fields import reads_fields, with_fields
from tandem.frontend.heap import asks_for_blocks, uses_heap, with_blocks, with_own_heap
from tandem.frontend.indirect_calls import check_no_indirect_call, resolve_indirect_calls
from tandem.frontend.libraries import replaced
from tandem.frontend.linking import find_definition
from tandem.frontend.macros import Declared, called, with_macros
from tandem.frontend.part_structs import part_structs
from tandem.frontend.processes import has_streams, is_process, with_processes
from tandem.frontend.recursion import is_recursive, without_recursion
from tandem.frontend.sharing import Repeated, find_repeated
from tandem.frontend.signs import without_signs
from tandem.frontend.vectors import without_vectors
from tandem.frontend.whole import whole_module
from tandem.frontend.wide_indices import with_wide_indices
from tandem.frontend.wiped import LOCAL_VARIABLE, drop_wiping
from tandem.llvm.module import edited
from tandem.llvm.passes import rewritten, run_all_passes
from tandem.stages import stage

INLINE = "inline"
DEEPEST_CHOICE = 4
"""Functions that are called through pointers may do so too, so deep: one that may lead to itself
would never come to an end."""


@dataclass(frozen=True)
class Optimised:
    """`text`: LLVM IR of the linked modules in which `top` calls only functions that are kept
    `apart`. `repeated`: those of which it would else hold several copies."""

    text: str
    apart: frozenset[str]
    repeated: Repeated
    replaced: frozenset[str]
    """Functions of the C library in it that software calls ours of too."""
    software: str = ""
    """LLVM IR of the program as a processor runs it, where `text` is for hardware alone."""
    has_rounds: bool = False
    """Whether calls of a loop run beside each other."""
    macros: tuple[Declared, ...] = ()
    """Functions in it that are modules of the user's, and only declared."""
    has_fields: bool = False
    """Whether pointers that it reads from structs of the caller are parameters of `top`."""
    texts: tuple[tuple[str, str], ...] = ()
    """Stages, with the text that each has left, where these are asked for."""


class Optimiser:
    """What LLVM makes of `top` in a program of some modules and files, for one choice after the
    other of what is not inlined. `heap_bytes`: what is given to blocks from the heap of which
    nothing else says a size, if it is."""

    def __init__(
        self, modules: Sequence[str], top: str, files: Sequence[str], heap_bytes: int = 0
    ) -> None:
        self.modules, self.top, self.files, self.heap_bytes = modules, top, files, heap_bytes
        self._begun: dict[_Asked, tuple[_Work, str]] = {}
        """What is there before anything is inlined, with its module's text."""

    def optimised(
        self,
        apart: Collection[str] = (),
        *,
        beside: bool = True,
        macros: bool = True,
        with_texts: bool = False,
    ) -> Optimised:
        """`top` with all that it calls inlined but the functions `apart`, as far as it leaves more
        than one call of them. `beside`: whether calls of a loop run beside each other where a
        directive says so; `macros`: whether functions are modules where one says so; `with_texts`:
        whether the text is kept that each stage has left.

        Raises UserError if `top` is not defined, or by several functions, or calls itself so often
        as is not known."""
        return self.answered(_Asked(self, frozenset(apart), beside, macros, with_texts))

    def answered(self, asked: _Asked) -> Optimised:
        """The same as data."""
        work = self._begin(asked)
        other = _run(work, STAGES[_inlining() :])
        if other is not None:
            return other
        text = str(work.module)
        return Optimised(
            text,
            work.apart,
            work.repeated,
            replaced(work.graph),
            work.software,
            work.has_rounds,
            called(work.macros, text),
            work.has_fields,
            tuple(work.texts),
        )

    def _begin(self, asked: _Asked) -> _Work:
        """What the stages make that come before inlining: the same whatever is kept apart."""
        key = replace(asked, apart=frozenset())
        if key not in self._begun:
            work = _Work(asked)
            _run(work, STAGES[: _inlining()])
            self._begun[key] = work, str(work.module)
            return replace(work, texts=list(work.texts))
        begun, text = self._begun[key]  # its module is another one by now
        module, texts = llvm.parse_assembly(text), list(begun.texts)
        return replace(begun, asked=asked, module=module, texts=texts)


@dataclass(frozen=True)
class _Asked:
    """What is asked of an optimiser."""

    program: Optimiser
    apart: frozenset[str]
    beside: bool
    macros: bool
    with_texts: bool


@dataclass
class _Work:
    """What the stages know and make. `module` is what they work on."""

    asked: _Asked
    module: llvm.ModuleRef = field(default_factory=lambda: llvm.parse_assembly(""))
    graph: dict[str, list[str]] = field(default_factory=dict)
    """What `top` and the functions that it leads to call."""
    could_be_macros: dict[str, Declared] = field(default_factory=dict)
    macros: Sequence[Declared] = ()
    software: str = ""
    has_rounds: bool = False
    has_processes: bool = False
    has_heap: bool = False
    has_fields: bool = False
    processes: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    repeated: Repeated = field(default_factory=lambda: Repeated(frozenset(), ()))
    texts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def top(self) -> str:
        return self.asked.program.top

    @property
    def files(self) -> Sequence[str]:
        return self.asked.program.files

    def again(self, apart: frozenset[str]) -> Optimised:
        """What is made from the beginning, with other functions apart."""
        return self.asked.program.answered(replace(self.asked, apart=apart))

    def call_graph(self, module: llvm.ModuleRef) -> dict[str, list[str]]:
        return call_graph(str(module), self.top)


def _run(work: _Work, stages: Sequence[Stage]) -> Optimised | None:
    """Runs stages, and checks what each has left; what one of them says is made instead."""
    for name, run in stages:
        with stage(name):
            other = run(work)
            if other is not None:
                return other
            _verify(work.module, name)
        if work.asked.with_texts:
            work.texts.append((name, str(work.module)))
    return None


def _verify(module: llvm.ModuleRef, after: str) -> None:
    """Raises InternalError where a stage has left what is no module."""
    try:
        module.verify()
    except RuntimeError as error:
        text = f"after {after}: {error}"
        raise InternalError(Diagnostic("llvm-ir", text)) from error


# -- the stages -----------------------------------------------------------------------------------


def _link(work: _Work) -> None:
    modules = work.asked.program.modules
    work.module, work.could_be_macros = whole_module(modules, work.top, work.files)
    work.graph = work.call_graph(work.module)
    work.has_rounds = work.asked.beside and has_dataflow(work.module, list(work.graph))
    work.has_processes = work.has_rounds or has_streams(work.module)
    work.has_heap = uses_heap(work.graph.values())
    if work.has_processes or work.has_heap or is_recursive(work.graph):
        work.software = str(work.module)


def _own_heap(work: _Work) -> None:
    if work.has_heap:
        work.module = with_own_heap(work.module)


def _declare_macros(work: _Work) -> None:
    wanted = work.could_be_macros if work.asked.macros else {}
    work.module, work.macros = with_macros(work.module, wanted, work.top)


def _make_scalar(work: _Work) -> None:
    work.module = without_vectors(without_assertions(work.module))


def _start_processes(work: _Work) -> None:
    if work.has_rounds:
        work.module = with_rounds(work.module, list(work.graph), work.files)
    if work.has_processes:
        work.module = with_processes(work.module, work.files)


def _end_recursion(work: _Work) -> None:
    work.module = without_recursion(work.module, work.call_graph, work.files)


def _inline(work: _Work) -> None:
    work.graph = work.call_graph(work.module)
    work.repeated = find_repeated(work.module, work.graph)
    work.apart = work.asked.apart
    work.processes = frozenset(filter(is_process, work.graph))
    if work.processes:
        work.apart = work.processes  # nothing else has two processes call it at a time
        work.repeated = replace(work.repeated, wished=frozenset(), large=())
    _inline_all(work.module, work.top, work.apart)


def _leave_unwiped(work: _Work) -> None:
    text = "" if work.processes else str(work.module)
    plain = edited(text, drop_wiping) if LOCAL_VARIABLE in text else None
    if plain is not None:
        work.module = llvm.parse_assembly(plain)
        run_all_passes(work.module)


def _loop_over_arrays(work: _Work) -> None:
    """Those that are filled or copied as a whole."""
    looped = with_arrays_in_loops(work.module, work.top)
    if looped is not work.module:
        work.module = looped
        _inline_all(looped, work.top, work.apart)


def _widen_indices(work: _Work) -> None:
    """Those that functions have returned which are inlined now."""
    if (wide := with_wide_indices(work.module)) is not work.module:
        work.module = wide
        run_all_passes(wide)


def _part_structs(work: _Work) -> None:
    """Local ones that hold pointers, and then those that these led to."""
    while (parted := rewritten(work.module, part_structs)) is not work.module:
        work.module = parted
        run_all_passes(parted)


def _choose_calls(work: _Work) -> Optimised | None:
    """Functions that are called through pointers; and those of which it is seen now that there is
    but one call are none to be kept apart."""
    for _ in range(DEEPEST_CHOICE):
        resolved = resolve_indirect_calls(work.module, work.top)
        if resolved is None:
            break
        work.module = llvm.parse_assembly(resolved)
        _end_recursion(work)
        _inline_all(work.module, work.top, work.apart)
    place = find_definition(work.top, work.files, *work.asked.program.modules)
    check_no_indirect_call(work.module, work.top, place)
    shared = _called_again(work.module, work.apart)
    return work.again(shared) if shared != work.apart else None


def _make_scalar_again(work: _Work) -> None:
    if (scalar := without_vectors(work.module)) is not work.module:
        work.module = scalar
        run_all_passes(scalar)


def _place_blocks(work: _Work) -> Optimised | None:
    """Blocks from the heap."""
    if not work.has_heap:
        return None
    top, text = work.top, str(work.module)
    if not work.processes and asks_for_blocks(text, *work.apart):
        return work.again(frozenset())
    made = with_blocks(text, top, work.asked.program.heap_bytes)
    if made is not None:
        _inline_all(made, top, work.apart)
        work.module = rewritten(made, lambda module: end_calls(module, top))
        run_all_passes(work.module)
    return None


def _pass_fields(work: _Work) -> Optimised | None:
    """Pointers in structs of the caller."""
    text = str(work.module)
    if work.apart and not work.processes and reads_fields(text, work.apart):
        whole = work.again(frozenset())
        if whole.has_fields:
            return whole
    fields = with_all_fields(text, work.top)
    if fields is not None:
        work.software, work.module, work.has_fields = work.software or text, fields, True
    return None


def _drop_signs(work: _Work) -> None:
    unsigned = without_signs(str(work.module), work.top)
    if unsigned is not None:
        work.module = llvm.parse_assembly(unsigned)
        run_all_passes(work.module)


def _compare_extremes(work: _Work) -> None:
    compared = with_one_form(str(work.module), work.top)
    if compared is not None:
        work.module = llvm.parse_assembly(compared)


Stage = tuple[str, Callable[[_Work], Optimised | None]]
STAGES: list[Stage] = [
    ("link", _link),
    ("own-heap", _own_heap),
    ("macros", _declare_macros),
    ("scalars", _make_scalar),
    ("processes", _start_processes),
    ("recursion", _end_recursion),
    (INLINE, _inline),
    ("unwiped", _leave_unwiped),
    ("arrays", _loop_over_arrays),
    ("wide-indices", _widen_indices),
    ("structs", _part_structs),
    ("indirect-calls", _choose_calls),
    ("scalars-again", _make_scalar_again),
    ("heap", _place_blocks),
    ("fields", _pass_fields),
    ("signs", _drop_signs),
    ("extremes", _compare_extremes),
]
"""What is done to the module, in this order. A stage returns what is made instead, where it has
seen that other functions are to be kept apart."""


def _inlining() -> int:
    """Of the stages, the first one for which it matters what is kept apart."""
    return [name for name, _ in STAGES].index(INLINE)


def with_all_fields(text: str, top: str) -> llvm.ModuleRef | None:
    """The module in which pointers in structs of the caller, and in what these lead to, are
    parameters; None where there are none."""
    made = None
    for _ in range(DEEPEST_FIELD):
        found = with_fields(text, top)
        if found is None:
            break
        made = llvm.parse_assembly(found)
        run_all_passes(made)
        text = str(made)
    return made


def _called_again(module: llvm.ModuleRef, apart: Collection[str]) -> frozenset[str]:
    """Those of some functions of which there is not just one call left."""
    if not apart:
        return frozenset()
    calls = Counter(name for callees in callees_of(str(module)).values() for name in callees)
    return frozenset(name for name in apart if calls[name] != 1 or is_process(name))


def _inline_all(module: llvm.ModuleRef, top: str, apart: Collection[str]) -> None:
    for function in module.functions:
        if not function.is_declaration and function.name != top:
            function.linkage = "internal"
            if function.name != IS_BELOW:
                kept = function.name in apart
                function.add_function_attribute("noinline" if kept else "alwaysinline")
    run_all_passes(module)
