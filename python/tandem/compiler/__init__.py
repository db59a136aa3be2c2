# SPDX-License-Identifier: Apache-2.0
"""A kernel of a C function: the clock that it gets, what is tried, the cores that it needs, and its
design point."""
