# SPDX-License-Identifier: Apache-2.0
"""Operations, kernels, wiring, the folding builder; printer, parser, verifier, interpreter."""
