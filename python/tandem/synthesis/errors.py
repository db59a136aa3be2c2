# SPDX-License-Identifier: Apache-2.0
"""The one error that this package raises."""

from __future__ import annotations

from ..diagnostics import Diagnostic, TandemError


class SynthesisError(TandemError):
    """A tool is missing or failed, or the design cannot be wrapped for synthesis."""


def synthesis_error(code: str, message: str, help: str = "") -> SynthesisError:
    """A `SynthesisError` with a single diagnostic."""
    return SynthesisError(Diagnostic(code, message, help=help))
