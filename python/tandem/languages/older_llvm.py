# SPDX-License-Identifier: Apache-2.0
"""LLVM IR of an older LLVM, as the one here reads it: up to version 19 a constant may be a product,
such as the bytes of so many elements, which later ones do not know. No LLVM that is here reads such
a module, so that its text is read as far as these go: by their grammar, which is LLVM's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import llvmlite.binding as llvm

PRODUCTS = ("mul (", "mul nsw (", "mul nuw (", "mul nuw nsw (")
SIZE, OF_ONE = "ptrtoint (ptr getelementptr (", ", ptr null, i32 1) to i64)"
"""A size as a constant: the place of a second element behind nothing."""
OPENING, CLOSING = "([{<", ")]}>"
OF_MODULE = "target datalayout = "


def without_products(text: str) -> str:
    """A module's text with numbers in place of products."""
    return "".join(_Constants(text).plain()) if any(map(text.__contains__, PRODUCTS)) else text


class _Unread(Exception):
    """What stands somewhere is no number of this grammar."""


class _Constants:
    """A module's text, of which numbers are read: these functions are given where one begins, and
    return it with where it ends."""

    def __init__(self, text: str) -> None:
        self.text = f"{text}\n"

    def plain(self) -> Iterator[str]:
        """Its parts, with numbers for products that are known ones."""
        written = 0
        for at in self._products():
            if at < written:  # a factor of the last one
                continue
            try:
                number, end = self._product(at)
            except _Unread:
                continue
            yield f"{self.text[written:at]}{number}"
            written = end
        yield self.text[written:-1]

    def _products(self) -> Iterator[int]:
        """Where products begin: outside of strings, quoted names, and comments."""
        at = 0
        while at < len(self.text):
            letter = self.text[at]
            if letter == '"':  # one inside is written as \\22
                at = self.text.index('"', at + 1)
            elif letter == ";":
                at = self.text.index("\n", at)
            elif letter == "m" and self.text.startswith(PRODUCTS, at):
                yield at
            at += 1

    def _product(self, at: int) -> tuple[int, int]:
        first, at = self._factor(self._behind(at, *PRODUCTS))
        second, at = self._factor(self._behind(at, ", "))
        return first * second, self._behind(at, ")")

    def _factor(self, at: int) -> tuple[int, int]:
        at = self._behind(at, "i64 ")
        if self.text.startswith(PRODUCTS, at):
            return self._product(at)
        if self.text.startswith(SIZE, at):
            return self._size(self._behind(at, SIZE))
        end = at
        while self.text[end].isdigit() or (end == at and self.text[end] == "-"):
            end += 1
        if end == at:
            raise _Unread
        return int(self.text[at:end]), end

    def _size(self, at: int) -> tuple[int, int]:
        """Of a type, in bytes."""
        end = self._end_of_type(at)
        return self._bytes(self.text[at:end]), self._behind(end, OF_ONE)

    def _end_of_type(self, at: int) -> int:
        depth = 0
        while depth or self.text[at] != ",":
            letter = self.text[at]
            depth += (letter in OPENING) - (letter in CLOSING)
            at = self.text.index('"', at + 1) + 1 if letter == '"' else at + 1
        return at

    def _behind(self, at: int, *words: str) -> int:
        """Where one of these words ends."""
        found = next((word for word in words if self.text.startswith(word, at)), None)
        if found is None:
            raise _Unread
        return at + len(found)

    @cached_property
    def _types(self) -> str:
        """What the module calls types, and how it lays them out."""
        lines = self.text.splitlines()
        types = (line for line in lines if line.startswith("%") and " = type " in line)
        return "\n".join([*(line for line in lines if line.startswith(OF_MODULE)), *types])

    def _bytes(self, kind: str) -> int:
        module = llvm.parse_assembly(f"{self._types}\n@v = external global {kind}\n")
        data = llvm.create_target_data(module.data_layout)
        return data.get_abi_size(module.get_global_variable("v").global_value_type)
