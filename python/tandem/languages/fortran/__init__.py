# SPDX-License-Identifier: Apache-2.0
"""Fortran, which flang compiles."""
