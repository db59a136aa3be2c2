# SPDX-License-Identifier: Apache-2.0
"""LLVM's own passes by llvmlite, with this machine as their target."""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.binding as llvm

from tandem.llvm.module import Module, edited

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
# Loops stay loops rather than becoming calls of memset and memcpy, and the two sides of a branch
# keep their own accesses rather than sharing one through a choice of pointers. No loop is there
# twice for the sake of buffers that overlap, which would be told by comparing addresses, or of rows
# of one element.
llvm.set_option("tandem", "-disable-loop-idiom-all")
llvm.set_option("tandem", "-sink-common-insts=false")
llvm.set_option("tandem", "-runtime-check-per-loop-load-elim=0")
llvm.set_option("tandem", "-enable-mem-access-versioning=false")

Passes = llvm.ModulePassManager
Adding = Callable[[Passes], object]
"""What adds a pass to others: a method of `Passes`."""


def run_passes(module: llvm.ModuleRef, *passes: Adding) -> None:
    """Runs some passes over a module, one after the other."""
    manager = llvm.create_new_module_pass_manager()
    for add in passes:
        add(manager)
    manager.run(module, _builder(llvm.create_pipeline_tuning_options()))


def run_all_passes(module: llvm.ModuleRef) -> None:
    """Runs all passes of a compiler over a module, but those that copy or vectorise loops."""
    options = llvm.create_pipeline_tuning_options(2)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False
    options.loop_interleaving = False
    builder = _builder(options)
    builder.getModulePassManager().run(module, builder)


def _builder(options: llvm.PipelineTuningOptions) -> llvm.PassBuilder:
    target = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_pass_builder(target, options)


def rewritten(module: llvm.ModuleRef, change: Callable[[Module], bool]) -> llvm.ModuleRef:
    """A module after a change; the same one where `change` says that there is none."""
    text = edited(str(module), change)
    return module if text is None else llvm.parse_assembly(text)
