# SPDX-License-Identifier: Apache-2.0
"""Kernel to kernel, one file each; `pipelines` has their order."""
