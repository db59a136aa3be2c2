# SPDX-License-Identifier: Apache-2.0
"""Impulse C: networks of processes that are C, some of them hardware."""
