# SPDX-License-Identifier: Apache-2.0
"""A protocol of a chip's buses each: `PROTOCOL`, which tandem.rtl.buses finds."""
