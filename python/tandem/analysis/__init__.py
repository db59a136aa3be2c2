# SPDX-License-Identifier: Apache-2.0
"""What is found out about a kernel, and changes nothing in it: one file for each thing."""
