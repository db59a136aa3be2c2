# SPDX-License-Identifier: Apache-2.0
"""What a source language is: files in, modules of LLVM IR out, with what their authors say."""
