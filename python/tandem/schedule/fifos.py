# SPDX-License-Identifier: Apache-2.0
"""What everyone knows of FIFOs: when a record comes out of one, and how many one holds."""

PUSH_TO_VALID_CYCLES = 1
"""A record pushed in cycle t is offered in cycle t + 1: the FIFO lies in look-up table memory,
which answers in the cycle it is asked, and much sooner after the clock than block RAM does."""
CREDIT_RETURN_CYCLES = 2
"""When a record leaves in cycle t, an iteration can start with its credit in cycle t + 2: a
register lies between, so that the receiver's `ready` does not reach the issue logic."""


def fifo_depth(push_cycle: int) -> int:
    """The least power of two that never makes a pipeline wait for credits: one for each iteration
    between its start and the return of its credit."""
    needed = push_cycle + PUSH_TO_VALID_CYCLES + CREDIT_RETURN_CYCLES
    return 1 << (needed - 1).bit_length()
