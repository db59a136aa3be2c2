# SPDX-License-Identifier: Apache-2.0
"""Finished builds, found by what they depend on."""
