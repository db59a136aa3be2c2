# SPDX-License-Identifier: Apache-2.0
"""Executable models of a kernel: the C, the schedule's cycle count, the RTL."""
