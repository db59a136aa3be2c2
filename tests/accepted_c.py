# SPDX-License-Identifier: Apache-2.0
"""What C Tandem takes, by example, and the page docs/language.md that says so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ACCEPTED = Path(__file__).parent / "accepted"
REFUSED = Path(__file__).parent / "diagnostics"


def accepted() -> dict[Path, str]:
    """Files of tests/accepted, each with a function `top`: what it shows, in words."""
    found = {}
    for path in sorted(p for p in ACCEPTED.iterdir() if p.suffix in (".c", ".cpp")):
        said = re.search(r"^/\* (?!SPDX|offload:)(.*) \*/$", path.read_text(), re.M)
        assert said, path
        found[path] = said[1]
    return found


def runs(path: Path) -> bool:
    """Whether an example is a program, which checks itself; the others are a function."""
    return "int main(" in path.read_text()


@dataclass(frozen=True)
class Refusal:
    """A file of tests/diagnostics: its code, and what is said."""

    name: str
    code: str
    said: str
    cure: str


def refusals() -> list[Refusal]:
    """What is refused, by code."""
    found = []
    for path in sorted(REFUSED.glob("*.txt")):
        text = path.read_text()
        first = re.match(r".*?error\[([\w-]+)\]: (.*)", text)
        cure = re.search(r"^  help: (.*)", text, re.M)
        assert first, path
        found.append(Refusal(path.stem, first[1], first[2], cure[1] if cure else ""))
    return sorted(found, key=lambda r: (r.code, r.name))


def page() -> str:
    """The text of docs/language.md."""
    lines = [
        "# Which C is taken",
        "",
        "The function that becomes hardware, with all that it calls. The rest of the program may",
        "be any C. Every row is tried by the tests: examples that are programs in every mode,",
        "where the RTL must do what the C does. The page is written by",
        "`pytest tests/test_accepted_c.py --update`.",
        "",
        *(f"- {what}: [example](../tests/accepted/{p.name})" for p, what in accepted().items()),
        "",
        "## What is refused",
        "",
        "| code | for example | what is said | what to do |",
        "| --- | --- | --- | --- |",
    ]
    for r in refusals():
        cells = (
            f"[`{r.code}`](diagnostics/{r.code}.md)",
            f"[{r.name}](../tests/diagnostics/{r.name}.c)",
            r.said,
            r.cure,
        )
        lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(lines) + "\n"


WHY = {
    "argument-type": (
        "A parameter of the function is of a type that hardware has no number for. What "
        "crosses the link is bytes with a meaning that both sides know."
    ),
    "array-size": (
        "A memory in hardware has a size when it is built. Of a local array whose length is "
        "computed, the greatest length must follow from the C: a mask, a remainder or a "
        "comparison."
    ),
    "assembly": (
        "Inline assembly says what a processor does, instruction by instruction; there is no "
        'processor in the kernel. An empty text, as in `__asm__("" : "+r"(x))`, which holds the '
        "compiler back and no more, is taken."
    ),
    "c": ("The file is no C that clang takes. Its own words are told as they are."),
    "call": (
        "The function calls something that is not part of the program, or that only an "
        "operating system can do. Its C would have to become hardware too. What only shows "
        "something (`printf`) is left out of the hardware, and shown by the C."
    ),
    "call-in-pipeline": (
        "A pipelined loop starts an iteration every few cycles; a function that is kept apart "
        "is one piece of hardware, busy until its call ends."
    ),
    "dataflow": (
        "Calls of one loop run beside each other, each for another iteration, with arrays that "
        "they use in turns. That takes a loop of which it is known before an iteration whether it "
        "runs, and which calls it makes with what."
    ),
    "deadlock": (
        "Processes wait for records of each other in a circle, and none of them gives one "
        "before it has taken one. However deep the FIFOs are, no record ever comes. Where it "
        "depends on the call, the call stops with what each process waits for."
    ),
    "endless": ("The function has no way to return, so that a call of it would never end."),
    "extent": (
        "A driver has to know before a call how many bytes of each array it will use, to move "
        "them. Here only the call itself tells."
    ),
    "ii": (
        "A directive wants an iteration to start more often than something allows that an "
        "iteration needs of the one before it, or than a memory has ports for."
    ),
    "inner-loop": (
        "What is in a pipelined loop, or in one that is unrolled, has to be code without "
        "loops. This one cannot be unrolled: how often it runs is not known, or a directive "
        "keeps it."
    ),
    "instruction": (
        "Clang makes something of the C that is no arithmetic, access, branch or call: mostly "
        "an atomic operation, which means nothing where nobody else is."
    ),
    "macro": (
        "A macro is a function that in hardware is a module of the user's: a pipeline that takes "
        "its parameters, and nothing else, in every cycle, and gives a result so many cycles "
        "later. Its C and its Verilog have to say the same, which is tried before either is used."
    ),
    "no-function": ("No file of the program defines the function, or several do."),
    "pointer": (
        "A pointer must be followed to the arrays that it may lead to. One that is made of a "
        "number could lead anywhere, and so could one that the host has put into memory, but "
        "where its place is known before the call and nothing else writes there: that one is read "
        "then."
    ),
    "pointer-compare": (
        "What lies inside the hardware has no address there: pointers can be compared and "
        "subtracted where both lead to one array, or to arrays of the caller."
    ),
    "pragma": (
        "A directive that is not understood, contradicts another one, or stands where it is "
        "about nothing. It is told rather than passed over, since the hardware would not be "
        "what its author believes."
    ),
    "process": (
        "Processes run at the same time. What they share other than streams would depend on "
        "which of them comes first."
    ),
    "recursion": (
        "A call within a call needs a place for its variables: a frame of a stack, which is a "
        "memory with as many frames as calls can be inside each other. How many that are, the "
        "C has to say; calls at the very end become loops."
    ),
    "result-type": (
        "What a function returns is a number, or a pointer into what the caller gave, but no "
        "struct with pointers."
    ),
    "stream": (
        "A stream is a FIFO between two processes. Which one is meant must follow from what "
        "the processes are started with."
    ),
    "table": ("A constant table becomes a memory of numbers; this one holds places in the code."),
    "type": ("A value of a type that there is no arithmetic for."),
}
"""Code -> why there is no hardware of it, or not that hardware."""


def pages() -> dict[str, str]:
    """A page for each code: file name -> text."""
    found: dict[str, list[Refusal]] = {}
    for refusal in refusals():
        found.setdefault(refusal.code, []).append(refusal)
    return {f"{code}.md": _page_of(code, rows) for code, rows in found.items()}


def _page_of(code: str, rows: list[Refusal]) -> str:
    lines = [f"# `{code}`", "", WHY[code], ""]
    for r in rows:
        text = (REFUSED / f"{r.name}.c").read_text()
        lines += ["```c", text.rstrip(), "```", "", f"- said: {r.said}"]
        lines += [f"- cure: {r.cure}", ""] if r.cure else [""]
    return "\n".join(lines).rstrip() + "\n"
