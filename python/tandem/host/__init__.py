# SPDX-License-Identifier: Apache-2.0
"""The application on this machine: stub, executable, engine, runs."""
