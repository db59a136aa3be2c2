# SPDX-License-Identifier: Apache-2.0
"""The shell of a kernel on a chip's bus, as Verilog: three registers, behind which arguments are
registers and memories, and a kernel that is started and watched (docs/chips.md). It takes the
cycles of the engine's shell (engine/src/chip/shell.rs)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tandem.diagnostics import user_error
from tandem.ir.kernel import Kernel
from tandem.rtl.bus import front, front_ports
from tandem.rtl.buses import PROTOCOLS, WISHBONE
from tandem.rtl.ports import Signal, signals_of
from tandem.rtl.text import module_name

WORD_BITS, WORD_BYTES, BYTE_BITS = 32, 4, 8
READS, WRITES = 0b0101, 0b0011
"""Of the four words a bit each: what can be read, and written."""

_HEAD = """// The shell of {kernel}: CONTROL, DATA_IN and DATA_OUT at words 0, 1 and 2, a slave of
// {protocol}.
module {name} (
  input         clk, reset,
  output        interrupt,
{ports}
);
  reg  [7:0]  chosen;         // the argument that words are of
  reg  [{place}:0] word;          // the next one
  reg         start, running;
  reg         told;           // whether the kernel's end is, by the line
  reg  [31:0] read;           // what a register was read as
{wires}
{front}
  // While the kernel runs, its arguments are its own.
  wire control = access & we & ~running & (adr == 2'd0);
  wire give    = access & we & ~running & (adr == 2'd1);
  wire take    = access & ~we & ~running & (adr == 2'd2);
  wire looks   = access & ~we & (adr == 2'd0);
  wire begins  = control & (dat_w[7:0] == 8'd2);

  always @(posedge clk) begin
    start <= begins & ~reset;
    if (access) read <= (adr == 2'd0) ? {{31'b0, ~running}} : take ? {result} : 32'b0;
    if (control & (dat_w[7:0] == 8'd1)) begin
      chosen <= dat_w[15:8];
      word   <= 0;
    end else if ((give | take) & ~&word)
      word <= word + 1'b1;
    if (reset)       running <= 1'b0;
    else if (begins) running <= 1'b1;
    else if (done)   running <= 1'b0;
    if (reset)       told <= 1'b0;
    else if (begins) told <= dat_w[8];
    else if (looks)  told <= 1'b0;
  end
  assign interrupt = told & ~running;

"""

_WINDOW = """  // {what}
  localparam {n}_LINES = {lines};
  reg  [{line_msb}:0] {n}_lines [0:{n}_LINES-1];
  reg  [{line_msb}:0] {n}_line;
  wire [{at_msb}:0] {n}_read_line  = {read_line};
  wire {n}_reads      = {reads};
  wire [{at_msb}:0] {n}_write_line = {write_line};
  wire [{lane_msb}:0] {n}_lanes      = {lanes};
  wire [{line_msb}:0] {n}_written    = {written};
  integer {n}_i;
  always @(posedge clk) begin
    if ({n}_reads) {n}_line <= {n}_lines[{n}_read_line];
    for ({n}_i = 0; {n}_i < {lane_count}; {n}_i = {n}_i + 1)
      if ({n}_lanes[{n}_i])
        {n}_lines[{n}_write_line][8*{n}_i +: 8] <= {n}_written[8*{n}_i +: 8];
  end
"""


@dataclass(frozen=True)
class Window:
    """An array in a shell: its place among the arguments, what its ports begin with, the bits of an
    element, and the bytes that it has room for. A line is as wide as a word, or as an element."""

    number: int
    signals: dict[str, str]
    element_bits: int
    bytes: int
    protocols: frozenset[str]

    @property
    def line_bits(self) -> int:
        """Bits that are read at once."""
        return max(WORD_BITS, self.element_bits)

    @property
    def lines(self) -> int:
        """How many there are."""
        return max(2, -(-self.bytes * BYTE_BITS // self.line_bits))

    @property
    def words_of_line(self) -> int:
        """Words of the bus in one."""
        return self.line_bits // WORD_BITS

    @property
    def elements_of_line(self) -> int:
        """Elements of the kernel in one."""
        return self.line_bits // self.element_bits


def shell_name(kernel: Kernel) -> str:
    """The shell's module."""
    return f"{module_name(kernel.name)}_shell"


def shell_verilog(kernel: Kernel, room_bytes: Sequence[int], protocol: str = WISHBONE) -> str:
    """The module. `room_bytes`: what the shell holds of each argument; `protocol`: its bus's.

    Raises UserError for elements that are no power of two of bytes."""
    return _Shell(kernel, room_bytes, protocol).text()


class _Shell:
    def __init__(self, kernel: Kernel, room_bytes: Sequence[int], protocol: str) -> None:
        self.kernel = kernel
        self.protocol = protocol
        self.rooms = room_bytes
        self.signals = signals_of(kernel)
        numbers = range(len(kernel.arguments))
        self.of = {n: [s for s in self.signals if s.argument == n] for n in numbers}
        self.windows = [w for n in numbers for w in self._window(n)]

    def _window(self, number: int) -> Iterator[Window]:
        protocols = frozenset(s.protocol for s in self.of[number])
        if not protocols & {"memory_read", "memory_write", "stream_in", "stream_out"}:
            return
        data = next(s for s in self.of[number] if s.role in ("data", "read_data", "write_data"))
        if data.bits % BYTE_BITS or data.bits & (data.bits - 1):
            raise user_error(
                "chip-argument",
                f"`{self.kernel.arguments[number].name}` of `{self.kernel.name}` has elements of "
                f"{data.bits} bits, and a shell's memory needs a power of two of bytes",
                help="make the elements 1, 2, 4, 8, 16, ... bytes large",
            )
        names = {s.role: f"k_{s.name}" for s in self.of[number]}
        yield Window(number, names, data.bits, self.rooms[number], protocols)

    def text(self) -> str:
        head = _HEAD.format(
            kernel=self.kernel.name,
            name=shell_name(self.kernel),
            protocol=PROTOCOLS[self.protocol].title,
            ports=front_ports(self.protocol),
            front=front(self.protocol, READS, WRITES),
            place=self._word_bits() - 1,
            wires="".join(self._wires()),
            result=self._results(),
        )
        windows = "\n".join(self._window_text(w) for w in self.windows)
        return f"{head}{''.join(self._values())}{windows}\n{self._read_out()}\n{self._instance()}"

    def _word_bits(self) -> int:
        words = max([2, *(-(-room // WORD_BYTES) for room in self.rooms)])
        return (words - 1).bit_length() + 1

    def _wires(self) -> Iterator[str]:
        yield "  wire        done;\n"
        for signal in self.signals:
            if signal.protocol == "call":
                continue
            kind = "reg " if signal.protocol == "value" else "wire"
            bits = self._value_bits(signal) if signal.protocol == "value" else signal.bits
            yield f"  {kind} [{bits - 1}:0] k_{signal.name};\n"

    def _value_bits(self, signal: Signal) -> int:
        return -(-signal.bits // WORD_BITS) * WORD_BITS

    def _values(self) -> Iterator[str]:
        for signal in self.signals:
            if signal.protocol != "value":
                continue
            yield "  always @(posedge clk)\n"
            yield f"    if (give & (chosen == 8'd{signal.argument})) begin\n"
            for word in range(self._value_bits(signal) // WORD_BITS):
                place = f"k_{signal.name}[{WORD_BITS * word} +: {WORD_BITS}]"
                yield f"      if (word == {word}) {place} <= dat_w;\n"
            yield "    end\n"

    def _results(self) -> str:
        """What DATA_OUT reads of a result."""
        found = [s for s in self.signals if s.protocol == "result"]
        text = "32'b0"
        for signal in found:
            words = -(-signal.bits // WORD_BITS)
            for word in reversed(range(words)):
                low = WORD_BITS * word
                high = min(signal.bits, low + WORD_BITS) - 1
                here = f"chosen == 8'd{signal.argument} & word == {word}"
                text = f"({here}) ? k_{signal.name}[{high}:{low}] : {text}"
        return f"({text})"

    def _window_text(self, window: Window) -> str:
        argument = self.kernel.arguments[window.number]
        reads, read_line = self._read_side(window)
        lanes, written, write_line = self._write_side(window)
        names = {
            "what": f"{argument.name}: {window.bytes} bytes",
            "n": f"w{window.number}",
            "lines": window.lines,
            "line_msb": window.line_bits - 1,
            "at_msb": (window.lines - 1).bit_length() - 1,
            "lane_msb": window.line_bits // BYTE_BITS - 1,
            "lane_count": window.line_bits // BYTE_BITS,
            "reads": reads,
            "read_line": read_line,
            "lanes": lanes,
            "written": written,
            "write_line": write_line,
        }
        parts = [*self._lanes(window), _WINDOW.format(**names), *self._kernel_side(window)]
        return "".join(parts)

    # -- what is read ---------------------------------------------------------------------------

    def _read_side(self, window: Window) -> tuple[str, str]:
        """When a line is read, and which."""
        bus = _line("word", window.words_of_line)
        if "memory_read" in window.protocols:
            index = _line(window.signals["read_index"], window.elements_of_line)
            reads = f"running ? {window.signals['read_enable']} : take & {_chosen(window)}"
            return reads, f"running ? {index} : {bus}"
        if "stream_in" in window.protocols:
            return "1'b1", _line(f"w{window.number}_next", window.elements_of_line)
        return f"take & {_chosen(window)}", bus

    def _write_side(self, window: Window) -> tuple[str, str, str]:
        """Which bytes are written, what, and in which line."""
        n, words = f"w{window.number}", window.words_of_line
        lane = f"{n}_word_lane"
        whole = _shifted("4'hf", lane, WORD_BYTES, words)
        bus_lanes = f"give & {_chosen(window)} ? {whole} : 0"
        bus_line, bus_data = _line("word", words), _repeated("dat_w", words)
        ports = _WRITES.get(next(iter(window.protocols & _WRITES.keys()), ""))
        if ports is None:
            return bus_lanes, bus_data, bus_line
        enable, index, data = (window.signals.get(role, f"{n}_{role}") for role in ports)
        elements, bytes_ = window.elements_of_line, window.element_bits // BYTE_BITS
        ones = f"{bytes_}'h{(1 << bytes_) - 1:x}"
        lanes = f"{enable} ? {_shifted(ones, f'{n}_element_lane', bytes_, elements)} : 0"
        return (
            f"running ? ({lanes}) : ({bus_lanes})",
            f"running ? {_repeated(data, elements)} : {bus_data}",
            f"running ? {_line(index, elements)} : {bus_line}",
        )

    def _lanes(self, window: Window) -> Iterator[str]:
        """Which part of a line a word or an element is."""
        n = f"w{window.number}"
        if window.words_of_line > 1:
            bits = (window.words_of_line - 1).bit_length()
            yield f"  wire [{bits - 1}:0] {n}_word_lane = word[{bits - 1}:0];\n"
        if "memory_write" in window.protocols:
            yield self._element_lane(window, window.signals["write_index"])
        if "stream_in" in window.protocols:
            yield from self._source(window)
        if "stream_out" in window.protocols:
            yield from self._sink(window)

    def _kernel_side(self, window: Window) -> Iterator[str]:
        """What the kernel sees."""
        if "memory_read" in window.protocols:
            yield from self._read_data(window)
        if "stream_in" in window.protocols:
            yield self._record(window)

    def _element_lane(self, window: Window, index: str) -> str:
        if window.elements_of_line == 1:
            return ""
        bits = (window.elements_of_line - 1).bit_length()
        n = f"w{window.number}"
        return f"  wire [{bits - 1}:0] {n}_element_lane = {index}[{bits - 1}:0];\n"

    def _read_data(self, window: Window) -> Iterator[str]:
        n, data = f"w{window.number}", window.signals["read_data"]
        if window.elements_of_line == 1:
            yield f"  assign {data} = {n}_line;\n"
            return
        bits = (window.elements_of_line - 1).bit_length()
        index = window.signals["read_index"]
        yield f"  reg [{bits - 1}:0] {n}_seen;\n"
        yield f"  always @(posedge clk) if ({n}_reads) {n}_seen <= {index}[{bits - 1}:0];\n"
        width = window.element_bits
        yield f"  assign {data} = {n}_line[{width}*{n}_seen +: {width}];\n"

    def _source(self, window: Window) -> Iterator[str]:
        """A record wherever valid and ready meet; as many as words have come."""
        n, signals = f"w{window.number}", window.signals
        place = self._word_bits() + (WORD_BITS // BYTE_BITS).bit_length()
        yield f"  reg [{self._word_bits() - 1}:0] {n}_loaded;\n"
        yield f"  reg [{place - 1}:0] {n}_position;\n"
        yield f"  wire {n}_moves = {signals['valid']} & {signals['ready']};\n"
        yield f"  wire [{place - 1}:0] {n}_next = running ? {n}_position + {n}_moves : 0;\n"
        records = f"({{{n}_loaded, 5'b0}} / {window.element_bits})"
        yield f"  assign {signals['valid']} = running & ({n}_position < {records});\n"
        yield "  always @(posedge clk) begin\n"
        yield f"    {n}_position <= {n}_next;\n"
        yield f"    if (control & (dat_w[7:0] == 8'd1) & (dat_w[15:8] == 8'd{window.number}))\n"
        yield f"      {n}_loaded <= 0;\n"
        yield f"    else if (give & {_chosen(window)}) {n}_loaded <= word + 1'b1;\n"
        yield "  end\n"

    def _record(self, window: Window) -> str:
        n, data, bits = f"w{window.number}", window.signals["data"], window.element_bits
        if window.elements_of_line == 1:
            return f"  assign {data} = {n}_line;\n"
        lane = f"{n}_position[{(window.elements_of_line - 1).bit_length() - 1}:0]"
        return f"  assign {data} = {n}_line[{bits}*{lane} +: {bits}];\n"

    def _sink(self, window: Window) -> Iterator[str]:
        """Takes a record in every cycle."""
        n, signals = f"w{window.number}", window.signals
        yield f"  reg [31:0] {n}_position;\n"
        yield f"  wire {n}_moves = running & {signals['valid']};\n"
        yield f"  assign {signals['ready']} = running;\n"
        yield f"  always @(posedge clk) {n}_position <= running ? {n}_position + {n}_moves : 0;\n"
        yield self._element_lane(window, f"{n}_position")

    # -- what the bus reads ---------------------------------------------------------------------

    def _read_out(self) -> str:
        """A line comes in the cycle of the acknowledgement, as what a register was read as does."""
        taken = [w for w in self.windows if self.kernel.arguments[w.number].direction != "in"]
        if not taken:
            return "  assign dat_r = read;\n"
        lines = ["  reg [7:0] lane;\n  always @(posedge clk) lane <= word;\n"]
        text = "read"
        for window in taken:
            n, words = f"w{window.number}", window.words_of_line
            bits = (words - 1).bit_length()
            lines.append(f"  reg {n}_taken;\n")
            lines.append(f"  always @(posedge clk) {n}_taken <= take & {_chosen(window)};\n")
            part = f"{n}_line" if words == 1 else f"{n}_line[32*lane[{bits - 1}:0] +: 32]"
            text = f"{n}_taken ? {part} : {text}"
        return "".join([*lines, f"  assign dat_r = {text};\n"])

    def _instance(self) -> str:
        rows = [".clk(clk)", ".reset(reset)", ".start(start)", ".done(done)"]
        for signal in self.signals:
            if signal.protocol == "call":
                continue
            part = f"[{signal.bits - 1}:0]" if signal.protocol == "value" else ""
            rows.append(f".{signal.name}(k_{signal.name}{part})")
        ports = ",\n    ".join(rows)
        return f"  {module_name(self.kernel.name)} kernel (\n    {ports}\n  );\nendmodule\n"


_WRITES = {
    "memory_write": ("write_enable", "write_index", "write_data"),
    "stream_out": ("moves", "position", "data"),
}
"""Of a protocol by which a kernel writes: when, where and what; of a sink our own signals."""


def _chosen(window: Window) -> str:
    """Whether a word is one of the window's: behind its end there is nothing."""
    words = -(-window.bytes // WORD_BYTES)
    return f"(chosen == 8'd{window.number} & word < {words})"


def _line(index: str, parts: int) -> str:
    """The line of a word or an element, of which a line has so many."""
    bits = (parts - 1).bit_length()
    return index if bits == 0 else f"({index} >> {bits})"


def _shifted(ones: str, lane: str, bytes_: int, parts: int) -> str:
    return ones if parts == 1 else f"({ones} << ({bytes_}*{lane}))"


def _repeated(data: str, parts: int) -> str:
    return data if parts == 1 else f"{{{parts}{{{data}}}}}"
