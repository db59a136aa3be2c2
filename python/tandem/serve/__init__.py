# SPDX-License-Identifier: Apache-2.0
"""Pages that are made again while one looks at them, when a number is moved."""
