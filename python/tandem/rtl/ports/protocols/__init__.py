# SPDX-License-Identifier: Apache-2.0
"""A protocol of a kernel's ports each: `PROTOCOL`, which tandem.rtl.ports finds."""
