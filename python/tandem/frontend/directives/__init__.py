# SPDX-License-Identifier: Apache-2.0
"""What the user asks for of loops, functions and arrays, in each spelling that is known."""
