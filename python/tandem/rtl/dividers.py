# SPDX-License-Identifier: Apache-2.0
"""A divider that finds some bits of a quotient a cycle."""

from __future__ import annotations

from tandem.rtl.text import Module, Wire


def divider_module(name: str, bits: int, width: int, cycles: int) -> str:
    """A dividend of `bits` by a divisor of `width` bits, both taken with `start`. The remainder
    above the quotient is there `cycles` + 1 cycles later, and until the next start."""
    module = Module(name)
    module.inputs.append(("clk", "!seq.clock"))
    module.input("reset", 1)
    start = module.input("start", 1)
    dividend, divisor = module.input("dividend", bits), module.input("divisor", width)
    steps = -(-bits // cycles)
    # The dividend's bits that are left, above those of the quotient that have been found.
    found = module.declare_register("found", steps * cycles)
    rest = module.declare_register("rest", width)
    by = module.held("by", start, divisor)
    left = module.counts_down("left", start, cycles)
    going = module.compare("ne", left, module.constant(0, left.width))
    stepped = found, rest
    for _ in range(steps):
        stepped = _step(module, *stepped, by)
    first = module.resize(dividend, found.width), module.constant(0, width)
    for register, at_start, following in zip((found, rest), first, stepped, strict=True):
        goes_on = module.mux(going, following, register)
        module.drive_register(register, module.mux(start, at_start, goes_on))
    module.output("value", module.concat([rest, module.extract(found, 0, bits)]))
    return module.text().replace("hw.module @", "hw.module private @", 1)


def _step(module: Module, found: Wire, rest: Wire, by: Wire) -> tuple[Wire, Wire]:
    """One more bit of the quotient: whether the divisor fits into what is left."""
    width = by.width
    taken = module.concat([rest, module.extract(found, found.width - 1, 1)])
    less = module.binary("sub", taken, module.resize(by, width + 1))
    fits = module.invert(module.extract(less, width, 1))
    following = module.mux(fits, module.extract(less, 0, width), module.extract(taken, 0, width))
    if found.width == 1:
        return fits, following
    return module.concat([module.extract(found, 0, found.width - 1), fits]), following
