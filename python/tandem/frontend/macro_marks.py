# SPDX-License-Identifier: Apache-2.0
"""How the declaration of a macro reaches LLVM's text: by an annotation of clang's."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tandem.diagnostics import Place

ANNOTATION = "tandem macro"
"""What clang's annotation begins with; the declaration follows, as JSON in hexadecimal."""


def macro_mark(file: str, module: str, latency: int, place: Place) -> str:
    """The annotation's text. The file's name counts from where the directive stands."""
    path = os.path.abspath(Path(place.file).parent / file)
    words = {"file": file, "path": path, "module": module, "latency": latency}
    words |= {"place": [place.file, place.line]}
    return f"{ANNOTATION} {json.dumps(words).encode().hex()}"
