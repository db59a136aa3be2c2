# SPDX-License-Identifier: Apache-2.0
"""What is told of a kernel and its schedule, as data that pages are made of."""
