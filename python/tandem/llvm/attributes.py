# SPDX-License-Identifier: Apache-2.0
"""Attributes, LLVM's and ours: what is said of functions, of their parameters and results, and of
calls."""

from __future__ import annotations

import ctypes
from collections.abc import Container
from functools import cache

from tandem.llvm.binding import Ref, call
from tandem.llvm.signatures import REF, UINT

FUNCTION_INDEX = 0xFFFFFFFF
"""Of attributes that are neither a parameter's nor the result's."""


@cache
def attribute_kind(attribute: str) -> int:
    """LLVM's number of an enum attribute."""
    return call("GetEnumAttributeKindForName", attribute.encode(), len(attribute))


def has_attribute(function: Ref, index: int, attribute: str) -> bool:
    """Whether parameter `index` - 1 of a function (0: its result) has an enum attribute."""
    return bool(call("GetEnumAttributeAtIndex", function, index, attribute_kind(attribute)))


def number_attribute(function: Ref, index: int, attribute: str) -> int:
    """The number that an attribute of parameter `index` - 1 of a function has; 0 without it."""
    found = call("GetEnumAttributeAtIndex", function, index, attribute_kind(attribute))
    return call("GetEnumAttributeValue", found) if found else 0


def type_attribute(function: Ref, index: int, attribute: str) -> Ref | None:
    """The type that an attribute of parameter `index` - 1 of a function has; None without it."""
    found = call("GetEnumAttributeAtIndex", function, index, attribute_kind(attribute))
    return call("GetTypeAttributeValue", found) if found else None


def string_attribute(function: Ref, index: int, key: str) -> str | None:
    """What an attribute of parameter `index` - 1 of a function says; None where it has none."""
    found = call("GetStringAttributeAtIndex", function, index, key.encode(), len(key))
    length = UINT()
    text = found and call("GetStringAttributeValue", found, ctypes.byref(length))
    return ctypes.string_at(text, length.value).decode() if text else None


def attributes(function: Ref, index: int) -> list[Ref]:
    """What is said of parameter `index` - 1 of a function, of its result (0), or of itself."""
    count = call("GetAttributeCountAtIndex", function, index)
    found = (REF * count)()
    call("GetAttributesAtIndex", function, index, found)
    return list(found)


def is_one_of(attribute: Ref, kinds: Container[int]) -> bool:
    """Whether an attribute is one that LLVM knows, of some kinds."""
    is_of_llvm = not call("IsStringAttribute", attribute)
    return is_of_llvm and call("GetEnumAttributeKind", attribute) in kinds


def attributes_given(made: Ref, index: int) -> list[Ref]:
    """What a call says of argument `index` - 1, of its result (0), or of itself."""
    count = call("GetCallSiteAttributeCount", made, index)
    found = (REF * count)()
    call("GetCallSiteAttributes", made, index, found)
    return list(found)
