# SPDX-License-Identifier: Apache-2.0
"""Published tables beside ours; software baselines."""
