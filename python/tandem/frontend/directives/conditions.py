# SPDX-License-Identifier: Apache-2.0
"""Conditions of C on numbers, in directives that count only where they hold."""

from __future__ import annotations

import re

_WORD = re.compile(
    r"\s*(?:(0[xX][\da-fA-F]+|\d+)[uUlL]*|(\|\||&&|<<|>>|[=!<>]=|[-+*/%<>&|^!~?:()])|(true|false)\b)"
)
_LEVELS = (
    *(("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">=")),
    *(("<<", ">>"), ("+", "-"), ("*", "/", "%")),
)
"""Binary operators, those that bind least first."""


def value_of(text: str) -> int | None:
    """The value of a constant expression; None where not all of it is a number."""
    words, at = list[str](), 0
    while at < len(text.rstrip()):
        word = _WORD.match(text, at)
        if word is None:
            return None
        words.append(word[2] or {"true": "1", "false": "0"}.get(word[3]) or str(_number(word[1])))
        at = word.end()
    try:
        reading = _Reading(words)
        value = reading.choice()
        return value if reading.at == len(words) else None
    except (ValueError, IndexError, ZeroDivisionError, RecursionError):
        return None


def _number(text: str) -> int:
    is_octal = re.fullmatch(r"0\d+", text)
    return int(text, 8 if is_octal else 0)


class _Reading:
    """An expression, read from left to right."""

    def __init__(self, words: list[str]) -> None:
        self.words, self.at = words, 0

    def _next(self) -> str:
        self.at += 1
        return self.words[self.at - 1]

    def _is_next(self, *words: str) -> bool:
        return self.words[self.at : self.at + 1] != [] and self.words[self.at] in words

    def _require(self, word: str) -> None:
        if self._next() != word:
            raise ValueError(word)

    def choice(self) -> int:
        condition = self._binary(0)
        if not self._is_next("?"):
            return condition
        self._next()
        first = self.choice()
        self._require(":")
        second = self.choice()
        return first if condition else second

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._is_next(*_LEVELS[level]):
            left = _computed(self._next(), left, self._binary(level + 1))
        return left

    def _unary(self) -> int:
        word = self._next()
        if word == "(":
            value = self.choice()
            self._require(")")
            return value
        if word in ("-", "+", "!", "~"):
            value = self._unary()
            return {"-": -value, "+": value, "!": int(not value), "~": ~value}[word]
        return int(word)


def _computed(operator: str, a: int, b: int) -> int:
    if operator in ("/", "%"):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if operator == "/" else a - quotient * b
    if operator in ("<<", ">>"):
        if not 0 <= b < 64:
            raise ValueError(operator)
        return a << b if operator == "<<" else a >> b
    values = {
        **{"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b},
        **{"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b},
        **{"&&": bool(a and b), "||": bool(a or b)},
    }
    return int(values[operator])
