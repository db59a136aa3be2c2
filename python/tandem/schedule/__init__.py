# SPDX-License-Identifier: Apache-2.0
"""When each operation starts: constraints, chaining, modulo scheduling."""
