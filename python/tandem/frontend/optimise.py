# SPDX-License-Identifier: Apache-2.0
"""LLVM's own passes over the C: one module, everything inlined into the kernel, loops in the
rotated form with one induction variable, nothing vectorised or unrolled."""

from __future__ import annotations

import re
from collections.abc import Sequence

import llvmlite.binding as llvm

from tandem.diagnostics import Place, UserError, user_error

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
# Loops stay loops rather than becoming calls of memset and memcpy, and the two sides of a branch
# keep their own accesses rather than sharing one through a choice of pointers.
llvm.set_option("tandem", "-disable-loop-idiom-all")
llvm.set_option("tandem", "-sink-common-insts=false")


def optimise(modules: Sequence[str], top: str, files: Sequence[str]) -> str:
    """LLVM IR text of the linked modules in which `top` calls no other function of the program.

    Raises UserError if `top` is not defined, or calls itself directly or through others."""
    linked = _link(modules, top, files)
    _check_recursion(linked, top, files)
    for function in linked.functions:
        if not function.is_declaration and function.name != top:
            function.linkage = "internal"
            function.add_function_attribute("alwaysinline")
    _run_passes(linked)
    return str(linked)


def _link(modules: Sequence[str], top: str, files: Sequence[str]) -> llvm.ModuleRef:
    parsed = [llvm.parse_assembly(_prepared(text, top)) for text in modules]
    first, *others = parsed
    for module in others:
        first.link_in(module)
    defined = [f.name for f in first.functions if not f.is_declaration]
    if top not in defined:
        raise user_error(
            "no-function",
            f"no function named `{top}` is defined",
            Place(files[0]),
            f"defined are: {', '.join(sorted(defined)) or 'none'}",
        )
    return first


def _prepared(text: str, top: str) -> str:
    """`noinline` gives way, since a kernel is one piece; a static kernel becomes visible."""
    text = re.sub(r"\bnoinline\b", "", text)
    return re.sub(rf"^define internal (.*@{re.escape(top)}\()", r"define \1", text, flags=re.M)


def _calls(function: llvm.ValueRef) -> list[str]:
    return [
        list(instruction.operands)[-1].name
        for block in function.blocks
        for instruction in block.instructions
        if instruction.opcode == "call"
    ]


def _check_recursion(module: llvm.ModuleRef, top: str, files: Sequence[str]) -> None:
    graph = {f.name: _calls(f) for f in module.functions if not f.is_declaration}
    path: list[str] = []
    finished: set[str] = set()

    def visit(name: str) -> None:
        if name in path:
            raise _recursion([*path[path.index(name) :], name], files)
        if name in finished or name not in graph:
            return
        path.append(name)
        for callee in graph[name]:
            visit(callee)
        path.pop()
        finished.add(name)

    visit(top)


def _recursion(cycle: list[str], files: Sequence[str]) -> UserError:
    return user_error(
        "recursion",
        f"`{cycle[0]}` calls itself: {' -> '.join(cycle)}",
        find_definition(cycle[0], files),
        "hardware has no call stack: rewrite the recursion as a loop",
    )


def find_definition(name: str, files: Sequence[str]) -> Place:
    """Where a function is defined, as well as its name tells."""
    pattern = re.compile(rf"^[\w\s*]*\b{re.escape(name)}\s*\([^;{{]*(\{{.*)?$")
    for file in files:
        with open(file, errors="replace") as handle:
            for number, line in enumerate(handle, 1):
                if pattern.match(line) and not line.startswith((" ", "\t", "#", "/")):
                    return Place(file, number)
    return Place(files[0])


def _run_passes(module: llvm.ModuleRef) -> None:
    target = llvm.Target.from_default_triple().create_target_machine()
    options = llvm.create_pipeline_tuning_options(2)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False
    options.loop_interleaving = False
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
