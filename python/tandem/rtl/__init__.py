# SPDX-License-Identifier: Apache-2.0
"""A scheduled kernel to hardware: datapath, tokens, memories, FIFOs, through CIRCT."""
