# SPDX-License-Identifier: Apache-2.0
"""`#pragma HLS`, the words of Vitis HLS: each stands in the body that it is about.

    #pragma HLS pipeline II=2                                 pipeline ii(2)
    #pragma HLS pipeline off                                  pipeline off
    #pragma HLS unroll factor=4                               unroll(4)
    #pragma HLS unroll off=true                               unroll off
    #pragma HLS unroll factor=F                               unroll(F), of any constant F
    #pragma HLS if (N > 8) unroll                             unroll, where N > 8
    #pragma HLS loop_tripcount min=1 max=9                    trips(5), trips(N) with avg=N
    #pragma HLS inline off                                    inline off
    #pragma HLS dataflow                                      dataflow
    #pragma HLS array_partition variable=a cyclic factor=4    partition(a, 4)
    #pragma HLS array_partition variable=a complete           partition(a)

What else there is in that language does nothing here, and is told.
"""

from __future__ import annotations

import re

from tandem.diagnostics import Diagnostic, Place, UserError, user_error
from tandem.frontend.directives.conditions import value_of
from tandem.frontend.directives.directive import Directive, is_good_number, no_effect
from tandem.frontend.directives.partition import Partition, PartitionKind
from tandem.frontend.directives.spelling import Read, Spelling

_TYPES = tuple(kind.value for kind in PartitionKind)
_TRUE = ("true", "1", "")
_OWN_MEANS = "how each argument reaches the hardware is inferred"
_BY_COST = "how much hardware there is follows from time and area; see --optimise and --max-dsp"
_SHAPED = "memories and their words follow from how they are accessed"
_CHOSEN = "what an operation is made of follows from the target's measured delays"
_TURNS = (
    "the arrays between the calls of a `dataflow` loop take turns; streams are `tandem/stream.h`"
)

OPTIONS = {
    "pipeline": ("ii", "off", "rewind", "style", "enable_flush"),
    "unroll": ("factor", "off", "skip_exit_check", "region"),
    "loop_tripcount": ("min", "max", "avg"),
    "inline": ("off", "recursive", "region"),
    "dataflow": ("disable_start_propagation",),
    "array_partition": ("variable", "type", "factor", "dim", "off", *_TYPES),
}
"""What is acted on, and what may stand behind it."""
_PARTS = {
    "rewind": "a pipeline that ends starts again when its call does",
    "style": "pipelines run freely, and drop what is not meant",
    "enable_flush": "pipelines run freely, and drop what is not meant",
    "skip_exit_check": "copies test no more than the number of iterations leaves open",
    "disable_start_propagation": "a call starts when there is something for it to do",
    "recursive": "what the function calls is inlined or kept apart by what time and area come to",
    "region": "name each function or loop by a directive of its own",
}
"""Options that do nothing here, and why."""
NO_EFFECT = {
    "interface": _OWN_MEANS,
    "aggregate": _SHAPED,
    "data_pack": _SHAPED,
    "disaggregate": _SHAPED,
    "alias": "buffers that overlap are found at the call, and served by the C alone",
    "stable": _OWN_MEANS,
    "top": "--top and --offload name the function",
    "stream": _TURNS,
    "shared": _TURNS,
    "dependence": "Tandem shows by itself which accesses are independent, and keeps the others in "
    "order",
    "loop_flatten": "nests become one loop where that is faster for its area",
    "loop_merge": "loops that follow each other stay so",
    "latency": "the latency is the least that the clock leaves",
    "performance": "an interval is asked for with `pipeline II=N`",
    "occurrence": "an operation that is not meant is not enabled, in any case",
    "protocol": _OWN_MEANS,
    "expression_balance": "sums are ordered by when their terms are there, in any case",
    "allocation": _BY_COST,
    "function_instantiate": _BY_COST,
    "bind_op": _CHOSEN,
    "bind_storage": _CHOSEN,
    "resource": _CHOSEN,
    "array_reshape": _SHAPED,
    "array_map": _SHAPED,
    "array_stencil": "what a loop reads again is kept where that is faster for its area",
    "cache": _OWN_MEANS,
    "reset": "what has to be reset is, and nothing else",
    "clock": "--clock-ns gives the clock",
}
"""What does nothing here, and why."""
_KNOWN = "known: " + ", ".join(f"`{n}`" for n in OPTIONS)
_KNOWN += "; without effect: " + ", ".join(f"`{n}`" for n in sorted(NO_EFFECT))
_NOT_NUMBERS = "is known to the compiler alone, which reads it after directives"
_IF = re.compile(r"if\s*\(", re.I)
_EXPRESSION = re.compile(r"(?=.*[A-Za-z_])(?:[\w.]|::|[-+*/%()<>])+")
"""A constant that is no number: clang knows its value, of a template's parameter for each copy."""


def read_hls(words: str, shown: str, place: Place) -> Read:
    """Raises UserError for what is not known, or contradicts itself."""
    if _IF.match(words):
        condition, directive = _condition(words, shown, place)
        value = value_of(condition)
        if value is None:
            return Read(notes=[no_effect(shown, place, f"`{condition}` {_NOT_NUMBERS}")])
        return read_hls(directive, shown, place) if value else Read()
    name, *rest = re.sub(r"\s*([=+*/%-])\s*", r"\1", words).split() or [""]
    name = name.lower()
    if name in NO_EFFECT:
        return Read(notes=[no_effect(shown, place, NO_EFFECT[name])])
    if name not in OPTIONS:
        raise user_error("pragma", f"unknown directive `{shown}`", place, _KNOWN)
    said = _Options(name, shown, place, rest)
    notes = [
        no_effect(f"{option}` of `{shown}", place, _PARTS[option])
        for option in said.values
        if option in _PARTS
    ]
    if "region" in said.values:
        return Read(notes=notes)
    if name == "array_partition":
        return _array_partition(said, notes)
    if name == "loop_tripcount":
        return _trips(said)
    off = said.is_on("off")
    option = {"pipeline": "ii", "unroll": "factor"}.get(name, "")
    number = said.number(option, name)
    expression = "" if number else said.expression(option)
    if off and (number or expression):
        raise said.wrong("`off` and a number", "leave one of them out")
    return Read(Directive(name, shown, place, off, number, expression=expression), notes=notes)


def _trips(said: _Options) -> Read:
    """How often a loop runs: on average, or else in the middle of the least and the most."""
    if said.expression("avg"):
        average = said.expression("avg")
        return Read(Directive("trips", said.shown, said.place, expression=average))
    told = [said.number(option) for option in ("min", "max") if said.number(option)]
    number = said.number("avg") or -(-sum(told) // len(told or [1]))
    if not number:
        reason = "it says no number of iterations from 1 on"
        return Read(notes=[no_effect(said.shown, said.place, reason)])
    if not is_good_number("trips", number):
        raise said.wrong(f"{number} iterations", "leave it out: they are too many to matter")
    return Read(Directive("trips", said.shown, said.place, number=number))


def _condition(words: str, shown: str, place: Place) -> tuple[str, str]:
    """The condition of an `if`, and the directive behind it."""
    depth = 0
    for match in re.finditer(r"[()]", words):
        depth += {"(": 1, ")": -1}[match[0]]
        if depth == 0:
            return words[words.index("(") + 1 : match.start()], words[match.end() :].strip()
    text = f"`{shown}`: the condition has no end"
    raise user_error("pragma", text, place, "close the parenthesis")


def _array_partition(said: _Options, notes: list[Diagnostic]) -> Read:
    if said.is_on("off"):
        notes.append(no_effect(said.shown, said.place, "an array is split if accesses allow it"))
        return Read(notes=notes)
    array = said.values.get("variable", "")
    if not array:
        raise said.wrong("no variable", "add `variable=ARRAY`")
    kinds = [k for k in _TYPES if k in said.values]
    kinds += [said.values["type"].lower()] if "type" in said.values else []
    if len(kinds) > 1 or not set(kinds) <= set(_TYPES):
        raise said.wrong(f"type `{' '.join(kinds)}`", f"one of {', '.join(_TYPES)}")
    kind, factor = PartitionKind(kinds[0] if kinds else "complete"), said.number("factor")
    if kind is not PartitionKind.COMPLETE and not factor and not said.expression("factor"):
        raise said.wrong("no factor", "add `factor=N`")
    if not re.fullmatch(r"\w+", array):
        notes.append(no_effect(said.shown, said.place, "only local arrays are split so"))
        return Read(notes=notes)
    if said.expression("factor"):
        reason = f"`{said.expression('factor')}` {_NOT_NUMBERS}"
        notes.append(no_effect(said.shown, said.place, reason))
        return Read(notes=notes)
    directive = Directive("partition", said.shown, said.place, array=array)
    dimension = said.number("dim") if "dim" in said.values else 1
    return Read(None, Partition(kind, factor, dimension, directive), notes)


class _Options:
    """The words behind a directive's name. Raises UserError for one that is not known."""

    def __init__(self, name: str, shown: str, place: Place, words: list[str]) -> None:
        self.shown, self.place = shown, place
        self.values: dict[str, str] = {}
        for word in words:
            option, _, value = word.partition("=")
            option = option.lower()
            if option not in OPTIONS[name]:
                known = ", ".join(f"`{o}`" for o in OPTIONS[name])
                raise self.wrong(f"unknown option `{word}`", f"known behind `{name}`: {known}")
            if option in self.values:
                raise self.wrong(f"`{option}` twice", "leave one of them out")
            self.values[option] = value

    def is_on(self, option: str) -> bool:
        return option in self.values and self.values[option].lower() in _TRUE

    def number(self, option: str, name: str = "") -> int:
        """The option's number, which is N of the directive `name` if one is given; 0 without."""
        if option not in self.values or self.expression(option):
            return 0
        text = self.values[option]
        found = int(text) if re.fullmatch(r"\d+", text) else -1
        if found < 0 or (name and not is_good_number(name, found)):
            raise self.wrong(f"`{option}` is `{text}`", "write a number, or a constant for one")
        return found

    def expression(self, option: str) -> str:
        """The option's constant where that is more than a number; empty without."""
        text = self.values.get(option, "")
        return text if _EXPRESSION.fullmatch(text) else ""

    def wrong(self, what: str, cure: str) -> UserError:
        return user_error("pragma", f"`{self.shown}`: {what}", self.place, cure)


SPELLING = Spelling("HLS", read_hls)
