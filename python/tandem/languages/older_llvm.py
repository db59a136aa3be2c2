# SPDX-License-Identifier: Apache-2.0
"""LLVM IR of an older LLVM, as the one here reads it: up to version 19 a constant may be a product,
such as the bytes of so many elements, which later ones do not know. No LLVM that is here reads such
a module, so that its text is all that there is."""

from __future__ import annotations

import re

import llvmlite.binding as llvm

_SIZE = r"ptrtoint \(ptr getelementptr \(((?:[^()]|\([^()]*\))*?), ptr null, i32 1\) to i64\)"
"""A size as a constant: the place of a second element behind nothing."""
_PRODUCT = re.compile(rf"\bmul (?:nsw )?\(i64 (?:{_SIZE}|(\d+)), i64 (?:{_SIZE}|(\d+))\)")
_TYPE = re.compile(r"^%\S+ = type .*$", re.M)
_LAYOUT = re.compile(r"^target datalayout = .*$", re.M)


def without_products(text: str) -> str:
    """A module's text with numbers in place of products, the inner ones first."""
    types = "\n".join([*_LAYOUT.findall(text), *_TYPE.findall(text)])

    def number(found: re.Match[str]) -> str:
        kind, plain, other_kind, other = found.groups()
        factors = (int(plain or _bytes(types, kind)), int(other or _bytes(types, other_kind)))
        return str(factors[0] * factors[1])

    count = 1
    while count:
        text, count = _PRODUCT.subn(number, text)
    return text


def _bytes(types: str, kind: str) -> int:
    """The size of a type, which those of a module tell."""
    module = llvm.parse_assembly(f"{types}\n@v = external global {kind}\n")
    data = llvm.create_target_data(module.data_layout)
    return data.get_abi_size(module.get_global_variable("v").global_value_type)
