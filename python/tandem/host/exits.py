# SPDX-License-Identifier: Apache-2.0
"""What executables with stubs in them end with."""

EXIT_FAILED_CALL = 70
"""A call went wrong that cannot go on: EX_SOFTWARE of sysexits.h."""
