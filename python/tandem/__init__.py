# SPDX-License-Identifier: Apache-2.0
"""Tandem pairs a program with hardware made from its own C functions."""
