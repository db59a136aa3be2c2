# SPDX-License-Identifier: Apache-2.0
"""Design points of a kernel, and the way from the C as written to what the compiler makes of it."""
