# SPDX-License-Identifier: Apache-2.0
"""The C around CIRCT's model of a kernel, which makes it rtl.so: its port map, and what it starts
with. The engine moves what goes through the ports (docs/package.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tandem.ir.kernel import Kernel
from tandem.ir.lines import file_of
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.wiring import Bits
from tandem.manifest import Registers
from tandem.models.toggles import DECLARATIONS as COUNTED
from tandem.models.toggles import SHOWN, VECTOR_BYTES, Counted, counted_signals, counts_c, shown_c
from tandem.rtl.circt import ModelCode
from tandem.rtl.emit import Hardware
from tandem.rtl.ports import Signal, signals_of
from tandem.rtl.text import module_name, told_name

NO_ARGUMENT = 0xFFFFFFFF

DECLARATIONS = """
struct tandem_signal {
    const char *name, *protocol, *role;
    uint32_t argument, bits;
};
extern const uint32_t tandem_rtl_signal_count;
extern const struct tandem_signal tandem_rtl_signals[];
uint64_t tandem_rtl_state_bytes(void);
void tandem_rtl_begin(void *state, void *const data[], unsigned char *ports[]);
void tandem_rtl_eval(void *state);
void tandem_rtl_end(void *state);
"""
"""What a model of the RTL is, in C."""

_MODEL = """#include <stdint.h>
#include <string.h>
{declarations}
extern void {eval}(void *model);
{port_map}{counts}
uint64_t tandem_rtl_state_bytes(void) {{ return {state_bytes}; }}
void tandem_rtl_begin(void *state, void *const data[], unsigned char *ports[])
{{
    static const int64_t offsets[] = {{{offsets}}};
    unsigned char *model = state;
    for (int i = 0; i < {count}; i++)
        ports[i] = offsets[i] < 0 ? 0 : model + offsets[i];
    (void)data;
{start}}}
{evaluation}
"""

_PLAIN = """void tandem_rtl_eval(void *state) {{ {eval}(state); }}"""
_COUNTING = """static struct counts *counts_of(void *state)
{{
    return (struct counts *)((char *)state + {counts_at});
}}
void tandem_rtl_eval(void *state)
{{
    const unsigned char *model = state;
    {eval}(state);
    if (model[{clk}])
        count(counts_of(state), model, model[{reset}]);
}}
void tandem_rtl_end(void *state) {{ add_up(counts_of(state)); }}"""

_WIRING = """    static const struct {{
        uint32_t place;
        int16_t argument, index;
    }} wires[] = {{{rows}}};
    for (int i = 0; i < {count}; i++) {{
        const int argument = wires[i].argument, index = wires[i].index;
        const unsigned char *from = argument < 0 ? 0 : data[argument];
        const int bit = from ? from[index / 8] >> index % 8 & 1 : index;
        const uint32_t place = wires[i].place;
        model[place / 8] = (model[place / 8] & ~(1 << place % 8)) | bit << place % 8;
    }}
"""


def eval_name(kernel: Kernel) -> str:
    """What CIRCT calls the function of its model."""
    return f"{module_name(kernel.name)}_eval"


def rtl_model_c(
    kernel: Kernel, code: ModelCode, hardware: Hardware, registers: Registers = "needed"
) -> str:
    """rtl.so beside CIRCT's code; `registers`: of which `code` has those, and what is done with
    them."""
    signals = signals_of(kernel)
    offsets = [code.offsets.get(signal.name, -1) for signal in signals]
    rams = [memory for memory in kernel.memories.values() if memory.kind is MemoryKind.RAM]
    counts_at = -(-(code.state_bytes + 16) // VECTOR_BYTES) * VECTOR_BYTES
    counts = registers == "counted"
    shown = [] if registers == "needed" else _shown(kernel, code, hardware)
    declared = {"needed": "", "shown": SHOWN, "counted": COUNTED}[registers]
    told = {"needed": "", "shown": shown_c(shown), "counted": counts_c(shown)}[registers]
    evaluation = _COUNTING if counts else _PLAIN
    return _MODEL.format(
        declarations=DECLARATIONS + declared,
        eval=eval_name(kernel),
        port_map=port_map_c(signals),
        counts=told,
        state_bytes=f"{counts_at} + sizeof(struct counts)" if counts else code.state_bytes + 16,
        offsets=", ".join(map(str, offsets)),
        count=len(signals),
        start="".join(
            [_wiring(kernel, code, hardware.fixed), *(_contents(memory, code) for memory in rams)]
        ),
        evaluation=evaluation.format(
            eval=eval_name(kernel),
            counts_at=counts_at,
            clk=code.offsets["clk"],
            reset=code.offsets["reset"],
        ),
    )


def _shown(kernel: Kernel, code: ModelCode, hardware: Hardware) -> list[Counted]:
    places = {
        name: f"{told_name(file_of(line, kernel.source))}:{line:d}"
        for name, line in hardware.register_lines.items()
    }
    return counted_signals(code, signals_of(kernel), places, hardware.register_scopes)


def port_map_c(signals: Sequence[Signal]) -> str:
    """The port map as a model has it; names are those in the Verilog."""
    rows = "".join(
        f'    {{"{s.name}", "{s.protocol}", "{s.role}", '
        f"{NO_ARGUMENT if s.argument is None else s.argument}u, {s.bits}}},\n"
        for s in signals
    )
    return (
        f"const uint32_t tandem_rtl_signal_count = {len(signals)};\n"
        f"const struct tandem_signal tandem_rtl_signals[] = {{\n{rows}}};\n"
    )


def _contents(memory: Memory, code: ModelCode) -> str:
    """C that fills a memory with what it starts with."""
    if not memory.contents or memory.name not in code.memories:  # nothing asks for what it reads
        return ""
    offset, stride = code.memories[memory.name]
    image = b"".join(word.to_bytes(stride, "little") for word in memory.contents)
    shown = ", ".join(map(str, image))
    return f"""    {{
        static const unsigned char image[] = {{{shown}}};
        memcpy(model + {offset}, image, sizeof image);
    }}
"""


def _wiring(kernel: Kernel, code: ModelCode, fixed: Mapping[str, Bits]) -> str:
    """C that fills inputs from bits of arguments. One loop over a table: of code for each input
    clang would unroll hundreds of loops."""
    places = {a.op: i for i, a in enumerate(kernel.arguments) if a.op is not None}
    rows = []
    for name, bits in fixed.items():
        for place, bit in enumerate(bits, 8 * code.offsets[name]):
            argument, index = (-1, bit) if type(bit) is int else (places[bit[0]], bit[1])
            rows.append(f"{{{place}, {argument}, {index}}}")
    return _WIRING.format(rows=", ".join(rows), count=len(rows)) if rows else ""
