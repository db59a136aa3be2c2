# SPDX-License-Identifier: Apache-2.0
"""Platform files, as the engine reads them, and the engine itself."""
