# SPDX-License-Identifier: Apache-2.0
"""A divider that finds some bits of a quotient a cycle: two at a time, so that a choice follows the
subtractions and not another subtraction, and one more where their number is odd."""

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
    thrice = module.held("thrice", start, _thrice(module, divisor)) if steps > 1 else by
    left = module.counts_down("left", start, cycles)
    going = module.compare("ne", left, module.constant(0, left.width))
    moves = module.logic("or", [start, going])
    stepped = found, rest
    if steps % 2:
        stepped = _step(module, *stepped, by)
    for _ in range(steps // 2):
        stepped = _two_steps(module, *stepped, by, thrice)
    first = module.resize(dividend, found.width), module.constant(0, width)
    for register, at_start, following in zip((found, rest), first, stepped, strict=True):
        module.drive_register(register, module.mux(start, at_start, following), enable=moves)
    module.output("value", module.concat([rest, module.extract(found, 0, bits)]))
    return module.text().replace("hw.module @", "hw.module private @", 1)


def _step(module: Module, found: Wire, rest: Wire, by: Wire) -> tuple[Wire, Wire]:
    """One more bit of the quotient: whether the divisor fits into what is left."""
    width = by.width
    taken = module.concat([rest, module.extract(found, found.width - 1, 1)])
    less = module.binary("sub", taken, module.resize(by, width + 1))
    fits = module.invert(module.extract(less, width, 1))
    following = module.mux(fits, module.extract(less, 0, width), module.extract(taken, 0, width))
    return _shifted(module, found, fits), following


def _thrice(module: Module, divisor: Wire) -> Wire:
    wide = module.resize(divisor, divisor.width + 1)
    twice = module.concat([divisor, module.constant(0, 1)])
    return module.binary("add", wide, twice)


def _two_steps(
    module: Module, found: Wire, rest: Wire, by: Wire, thrice: Wire
) -> tuple[Wire, Wire]:
    """Two more bits of the quotient: the divisor, its double and its triple are subtracted side by
    side. `thrice` has the bits that tell whether it fits where the double does."""
    width = by.width
    taken = module.concat([rest, module.extract(found, found.width - 2, 2)])
    low = module.extract(taken, 0, width + 1)
    twice = module.concat([module.constant(0, 1), by, module.constant(0, 1)])
    less_two = module.binary("sub", taken, twice)
    less_one = module.binary("sub", low, module.resize(by, width + 1))
    less_three = module.binary("sub", low, thrice)
    two_fit = module.invert(module.extract(less_two, width + 1, 1))
    ways = [(less_three, less_two), (less_one, taken)]
    fits = [module.invert(module.extract(less, width, 1)) for less, _ in ways]
    rests = [
        module.mux(fit, module.extract(less, 0, width), module.extract(more, 0, width))
        for fit, (less, more) in zip(fits, ways, strict=True)
    ]
    bits = module.concat([two_fit, module.mux(two_fit, fits[0], fits[1])])
    return _shifted(module, found, bits), module.mux(two_fit, rests[0], rests[1])


def _shifted(module: Module, found: Wire, bits: Wire) -> Wire:
    """What has been found, with more bits of the quotient."""
    if found.width == bits.width:
        return bits
    return module.concat([module.extract(found, 0, found.width - bits.width), bits])
