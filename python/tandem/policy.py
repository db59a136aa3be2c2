# SPDX-License-Identifier: Apache-2.0
"""The compiler's policy: numbers that were chosen because kernels became better by them.

What a device or a language says is in `targets/` and beside the code that knows it; so are limits
that only keep algorithms from taking long. What is here is neither: another number makes right
hardware too, but on some kernels larger or slower one. Each says in what it is counted, what it
trades for what, and where it was found or, where the history does not tell that, to which kernels
it matters: those that half or twice of it makes others (`python bench/policy.py NAME`), of the ones
that are made in a few seconds.

Kernels that a number may be found on are `bench/kernels/`, `tests/spellings/`, the programs of
`bench/units.py` and the half of `bench/estimates/` that `halves.csv` calls found on. The other half
is held out: `bench/run.py policy` tells what the policy gains on each half, and of the one that is
held out nothing else is ever looked at.
"""

from __future__ import annotations

# -- which kernel is kept (choices) ---------------------------------------------------------------

TIME_EXPONENT = 1.2
"""Of the time, in the product of time and area by which the goal `balanced` chooses. More buys time
with area: an area is not estimated better than to a few per cent, and what is twice as fast may
seem 15 % dearer. Found on the sweeps of `test_choices.py` and the taps of `test_split_borders.py`:
of these a pipeline that takes a seventh of the time and nine times the cells of a loop is kept
from 1.18 on."""
GUESSED_TRIPS = 32
"""Iterations of a loop of whose count nothing is known. More has the innermost loops decide alone,
less what is around them. Found on no kernel that the history tells."""
MOST_TRIALS = 6
"""Loops, or functions, on which one change is tried. More finds more, and takes longer. Half or
twice of it changes none."""
CLOSE_COST = 1.02
"""Times the least cost. A kernel that costs no more may be better beside what is taken later: it is
tried again then, which takes time. Half or twice of it changes none."""
TIME_TO_FIT = 1.25
"""Times as long may take what fits the device, where what costs least takes more multipliers than
there are. More has more kernels fit, and those be slower: halves of a double's polynomial that
share them take twice as long. Matters to no kernel that the history tells."""
SLOW_BLOCK_CYCLES = 8
"""From one iteration to the next, in a block of copies: from so many on it may be as fast with its
loops kept. Less tries that more often. Matters to `breadth`."""
FORWARDED_ITERATIONS = (3, 1, 2)
"""Of which a loop's stores may be kept, in the order in which it is tried: first as many as may
start until a store is seen that waits for a memory with two registers. Where that gains nothing,
fewer do not. Matters to `histogram`, `breadth`, `knapsack`, `common_run`, where it is left out."""
CYCLES_BETWEEN_TURNS = 4
"""For the memory in which a turn leaves what the next one takes, beside the recurrence. More takes
more turns, and more of what each of them keeps. Matters to `matmul_f64`."""
LARGER_IIS = (2, 3, 4, 6, 8)
"""Cycles between iterations, tried last where there is no room for the registers of pipelines.
Found on `test_room.py`."""
FEWER_COPIES = (64, 8, 0)
"""Weighed operations that the copies of a loop may be, tried where the kernel is too large. Found
on `test_room.py`."""

# -- clocks ---------------------------------------------------------------------------------------

SLOWEST_CLOCK = 4.0
"""Times the period of the fastest clock that is possible: no slower one is tried. Found on
`test_clocks.py`."""
OUT_OF_STEP = 0.05
"""The least part of a call outside of pipelines that start in every cycle, for which slower clocks
are tried: such pipelines lose by them. Found on `test_clocks.py`."""
CLOCK_OF_LARGE = 1.25
"""Times the fastest period, at least, is the one slower clock that a kernel is tried with which is
too large to be made often. Found on `test_clocks.py`."""
COST_OF_SPLIT = 0.5
"""Of such clocks it is the one with which it loses least, if the operations that are split with it
take so much longer. Found on `test_clocks.py`."""
FAR_CLOCKS = 4
"""Slower clocks that lie far apart, up to the slowest one, for which a kernel is scheduled. More
finds a better one, and takes longer. Found on `test_clocks.py`."""
NEAR_CLOCKS = 2
"""Times that the clocks halfway between the best one so far and those next to it are tried. Found
on `test_clocks.py`."""
REGISTERS_SAVED = 0.2
"""The power of the period with which the area of a kernel falls: fewer registers are between longer
cycles. More has slower clocks chosen. Found on `test_clocks.py`."""
SLOWER_CLOCK = 1.06
"""Times the period, from one clock to the next that is tried for a recurrence of several cycles:
with twice the period it takes half as many. Found on `sha256`."""
SLOWER_CLOCKS = 12
"""Steps of `SLOWER_CLOCK`. Found on `sha256`."""
NEXT_CLOCK_OF_CORES = 1.26
"""Times the period, from one clock that cores are made for to the next slower one. Found on
`test_clocks.py`."""
CLOCKS_OF_CORES = 3
"""Such steps from the fastest clock of all, with which what is wide is cut into many stages: an
addition of `double` takes 251 ns with 4.5 ns, 134 ns with 5.8 ns, and about 90 ns from 9 ns on.
Found on `test_clocks.py`."""
CELLS_OF_CLOCKS = 0.7
"""Times the look-up tables and flip-flops that a kernel takes with the first clock: with another
one it is not expected to take fewer. More has fewer clocks tried. Matters to `viterbi`, in how long
it takes alone."""
CLOCKS_APART = 1.05
"""Times a period. Clocks that are closer to each other are as good as one. Found on
`test_clocks.py`."""

# -- copies of loops, and branches that become choices --------------------------------------------

COPIED_OPERATIONS = 512
"""Weighed operations that the copies of a loop may be: beyond that a loop is better a pipeline of
its own, which a memory's ports or a recurrence would make of its copies too. Matters to `viterbi`,
`conv2d`, `echo`, `matvec`."""
COPIED_OPERATIONS_FOR_TIME = 4096
"""The same where time is all that counts. Found on no kernel: eight times as many."""
COPIED_OPERATIONS_FOR_AREA = 64
"""The same where area is. Found on no kernel: an eighth of them."""
COPIED_ON_TRIAL = 4
"""Times as many operations as copies may be without being tried: of loops that have so many it
shows in the schedule whether copies are worth their area. More tries more, and takes longer. Found
on `aes128_decrypt`, `viterbi`."""
GAIN_OF_COPIES = 1.25
"""By how many times a kernel with such copies must be worth more: their area is sure, and how often
loops around them run is not. More keeps more loops. Found on the rounds of `present`, which take 7
times the area for 5.5 times the speed."""
LEFT_IN_COPIES = 0.5
"""Part of a loop's look-up tables that each of its copies takes at least, weighed before copies are
tried. Less tries more that are not worth it. Found on `aes128_encrypt`, `sha1`."""
COPIED_OPERATIONS_OF_EXITS = 128
"""The same of a loop that may be left early: all its copies are there for what the last ones do
seldom. Matters to `mv_decode`."""
COPIED_TRIPS = 64
"""Iterations of a loop that becomes copies. Half or twice of it changes none."""
COPIED_TRIPS_IN_PIPELINE = 4096
"""The same in a loop that is to be a pipeline, which it only is without loops in it. Half or twice
of it changes none."""
OPERATION_WEIGHTS = {
    "mul": 16,
    "udiv": 64,
    "urem": 64,
    "sdiv": 64,
    "srem": 64,
    "load": 4,
    "store": 4,
    "extract": 0,
    "concat": 0,
}
"""Operations of logic that one in a copy is worth: a multiplier is a block of the device, a memory
access a port's cycle. Matters to `viterbi`, `conv2d`, `echo`."""
DIVISION_WEIGHT = 1000
"""The same, where a branch would have it done in any case: divisions are long chains. Half or twice
of it changes none."""
CONVERTED_IN_LOOP = 2500
"""Weighed operations that not every way through a loop needs, and that are done in any case, for an
iteration may then start every few cycles: two divisions, one for each sign, and what is around
them. Half or twice of it changes none."""
CONVERTED_ELSEWHERE = 500
"""The same outside of loops, where only a cycle a block is gained. Matters to `f64_div`,
`aes128_encrypt`."""
CONVERTED_ACCESSES = 8
"""The same of accesses to one memory: a cycle each, where one is gained. Matters to AES in counter
mode, where one byte in sixteen begins a block."""
CONVERTED_PLACES = 3
"""To which a piece outside of loops goes on where its branches become choices. Each beyond the
second is a block more. Matters to `lu`, `f64_div`, `knapsack`, `crc_bits`."""

# -- loops that become others ---------------------------------------------------------------------

FLATTENED_STRETCH = 1.5
"""Times the longest way through the inner loop, in a turn of what it and the loop around it become:
what is gained is a start of the inner pipeline for each turn of the outer loop, what is lost grows
with the turns of the inner one. Matters to `kmp`, `matmul_f64`, `fourier_q15`."""
FLATTENED_TURNS = 64
"""Iterations of a counted loop that becomes one with the loop around it. Entering and leaving the
pipeline of a longer one does not matter. Half or twice of it changes none."""
SLOW_OPERATION_LEVELS = 4
"""Operations one after the other are what takes time: as which a load or a product counts. Half or
twice of it changes none."""
MOST_TURNS = 64
"""Iterations that take turns: more than any operator takes cycles. Half or twice of it changes
none."""
MORE_TURNS = 3
"""Times as many turns as would be enough, where then no turn is empty. Half or twice of it changes
none."""
SLOPES = (1, 2, 4)
"""Of the diagonals along which a nest may run: by powers of two it is divided without a divider.
Matters to `seidel`, where none is tried."""
SPLIT_TRIPS = 4096
"""Places of a memory for what one part of a loop leaves to the other one. Half or twice of it
changes none."""

# -- what is kept to be read again ----------------------------------------------------------------

KEPT_ITERATIONS = 8
"""That a value is kept in registers: one each, and beyond a few a memory is the better one. Matters
to `sha1`, `sha256_block`."""
KEPT_BITS = 96
"""Of registers for values that are kept in any case; of more it shows in the schedule whether they
are worth it. Matters to `seidel`, `aes128_decrypt`."""
SHORTEST_ROW = 8
"""Columns of a picture in one loop that is made one over rows. Shorter rows are entered more often
than they gain; where they are few, they become copies. Found on the pictures of
`test_make_rows.py`."""
LONGEST_BORDER = 16
"""Iterations at each end of a loop that are made apart from it: of filters of up to 33 taps. More
makes hardware for what is seldom run. Found on `test_split_borders.py`."""
KEPT_ROWS = 8
"""Rows that are kept of one load: a memory each. Half or twice of it changes none."""
ROW_COLUMNS = 2048
"""Columns that are kept where a row's length is not known: bytes of that many are one block RAM.
Half or twice of it changes none."""
KEPT_PLANES = 4
"""Planes that are kept of one load: a memory each. Found on `stencil7`."""
PLANE_ELEMENTS = 1 << 14
"""Of a plane that is kept: words of 32 bits are 28 block RAMs of 18 kbit. Found on `stencil7`."""
PIVOT_COLUMNS = 4096
"""Of a row that is kept because all rows are computed with it. Found on `shortest_paths`, `lu`."""
RELOADED_TRIPS = 8
"""A loop that runs no more often gains nothing from being entered twice, around the iteration that
writes what all read. Half or twice of it changes none."""

# -- arrays ---------------------------------------------------------------------------------------

BLOCK_BYTES = 128
"""Of an array that is given as one value at each call. More is read by fewer ports, and held in
registers as long as the call takes. Matters to `breadth`."""
RECORD_BITS = 1024
"""Of what an iteration takes from a stream, or gives, at a time. Half or twice of it changes
none."""
WORD_BITS = 128
"""Of a port: what the memories beside an FPGA, and the buses between them, are made for. Matters to
`md5_block`."""
ODD_WORDS = (3, 5, 7)
"""Elements of a word that are no power of two: of a pixel or a point, and a few more. Found on
`words_of_three.c`."""
PLACES_OF_AN_ELEMENT = 4
"""Accesses at known places, an element, of a local array that becomes values although some others
do not know their place. Less makes more of them registers, and choices of those. Matters to
`aes128_ctr`, as bytes that are taken one by one."""
CHOSEN_BITS = 512
"""Of values that accesses at open places of such an array choose from, or may change. More takes
more look-up tables where ports of a memory may do. Matters to the same."""
TABLE_BITS = 1 << 14
"""Of an array that is filled while compiling: a table lies in look-up tables; a larger array is
better off in a block RAM, with what fills it. Half or twice of it changes none."""
STRAIGHT_BYTES = 1024
"""Of a block that is copied or filled with an operation for each element, so that a small array can
become values. Half or twice of it changes none."""

STRAIGHT_ARRAY_BYTES = 64
"""Of a block that is copied or filled so where it has stayed an array: an operation for each
element takes a register for each, and no less time than a loop where a port does one in a cycle.
Twice of it changes none."""

# -- operations -----------------------------------------------------------------------------------

CHAINED_QUOTIENT_BITS = 8
"""A quotient of so few is a chain everywhere: it takes few cycles and little area. Half or twice of
it changes none."""
DIVIDER_BITS = 8
"""Of a quotient that a divider finds in a cycle. More takes fewer cycles where the clock is slow,
and a subtraction each. Half or twice of it changes none."""
MASKED_BITS = 8
"""From which width on a shifted number is compared under a mask: a narrower shifter is as small.
Half or twice of it changes none."""
LEAST_POWER, MOST_POWER = -16, 4
"""Of two, by which floating-point numbers are scaled. A fraction that moves further passes through
as many look-up tables as a multiplier has: of 64 bits it is 1,300 (`compiler.cores` at 100 MHz).
Half or twice of it changes none."""
EXTREME_TERMS = 8
"""Of a chain of extremes that gets another order: longer ones are no recurrence that is worth it.
Found on `distance`."""
INLINED_OPERATIONS = 12_000
"""Of a kernel with a copy of every function for each call: a larger one takes minutes and tens of
gigabytes to be made, and no device holds it. Found on `test_functions.py`. Half or twice of it
changes none."""
SHARED_INSTRUCTIONS = 50
"""Of a function that may be kept apart, as clang writes them, before any optimisation: calls of
smaller functions cost more than they save. Half or twice of it changes none."""

# -- the schedule ---------------------------------------------------------------------------------

REGISTERED_PART = 0.5
"""Of a cycle, that an operator may take before registers in it are welcome. Matters to `echo`,
`lu`, `fir`, `matvec`, `zoom`, `conv2d`."""
TIGHT_PART = 0.9
"""Of a cycle, from which on such registers are worth `TIGHT_LOSS`: placement may miss the clock.
Matters to `knapsack`, `common_run`."""
TIGHT_LOSS = 0.01
"""Part of its cycles that a loop may lose for that. Matters to `needwun`, `fir`."""
MOVED_BITS_LEFT = 0.95
"""Part of the bits that wait in registers that may be left where accesses and the like are moved
for it. More moves them for less. Matters to `seidel`, `knapsack`, `viterbi`, `fourier_q15`."""
MOVED_CYCLES = (0, 1, 2, 4, 8)
"""That these start earlier than wanted, one after the other until there is a port for each: so that
those that meet can wait for each other. Matters to `seidel`, where none is."""
COUNTED_WAIT = 8
"""Cycles in which nothing happens: from so many on they are counted, since a register for each
takes more. Matters to `divisors`."""
ASKING_LEVELS = 4
"""Levels of logic between what a block learns of FIFOs when it starts, and whether it takes a
record then: as many as fit the fastest clocks beside the FIFO's own. Found on no kernel: those
that are measured poll nothing."""
ASKING_BITS = 8
"""Bits of comparisons among them. Found on no kernel, as before."""
FIFO_SLACK = 4
"""Records in a FIFO besides those on their way: one is there a cycle after it was given, and room
for another one a cycle after it was taken; the rest is for processes that are not in step. Found on
no kernel: none of them has FIFOs."""
LEAVING_COPIES = 4
"""Of a value that a pipeline reads and the blocks around it change. More lets it be left earlier,
for a register each. Matters to `product_f64`."""
LEAVING_BITS = 256
"""Of registers for such copies of one value: of a short one there may be more. Found on the scaled
rows of `test_leaving.py`."""
LEAVING_AREA = 2048
"""Look-up tables and flip-flops of a kernel besides its cores, when it is weighed how early it
could be left against the flip-flops that this takes. More has it left earlier. Half or twice of it
changes none."""
