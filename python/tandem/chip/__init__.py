# SPDX-License-Identifier: Apache-2.0
"""Systems on one chip: a program for a processor that sits beside the hardware made from it."""
