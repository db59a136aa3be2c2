# SPDX-License-Identifier: Apache-2.0
"""The languages that there are, by the suffixes of their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tandem.frontend.program import CFile
from tandem.languages.base import Language
from tandem.languages.c import C, Cxx
from tandem.languages.fortran.language import Fortran
from tandem.languages.llvm import LlvmIr

LANGUAGES: list[Language] = [C(), Cxx(), Fortran(), LlvmIr()]
"""All of them. No two have a suffix in common."""


def is_source(path: Path) -> bool:
    """Whether a file of that name is of a language that is known."""
    return any(path.suffix in language.suffixes for language in LANGUAGES)


def language_of(path: Path) -> Language:
    """The language of a file; C of one that is not told by its name."""
    found = (one for one in LANGUAGES if path.suffix in one.suffixes)
    return next(found, LANGUAGES[0])


def languages_of(files: Sequence[CFile]) -> list[Language]:
    """The languages of some files, each once."""
    return list(dict.fromkeys(language_of(file.path) for file in files))


def known_suffixes() -> str:
    """All suffixes, for people."""
    return ", ".join(suffix for language in LANGUAGES for suffix in language.suffixes)
