# SPDX-License-Identifier: Apache-2.0
"""The library's kernels: what their manifests say, and what is made of that."""
