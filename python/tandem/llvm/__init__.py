# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as objects: read, changed, and run through LLVM's own passes."""
