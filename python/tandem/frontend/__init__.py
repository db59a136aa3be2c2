# SPDX-License-Identifier: Apache-2.0
"""C to a kernel: finding clang, directives, LLVM's passes, import."""
