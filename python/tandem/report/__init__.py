# SPDX-License-Identifier: Apache-2.0
"""Pages of text and traces from a run's data."""
