# SPDX-License-Identifier: Apache-2.0
"""The C around CIRCT's model of a kernel, which makes it rtl.so: its port map, and what it starts
with. The engine moves what goes through the ports (docs/package.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tandem.ir.kernel import Kernel, Memory
from tandem.ir.wiring import Bits
from tandem.rtl.circt import ModelCode
from tandem.rtl.ports import Signal, signals_of
from tandem.rtl.text import module_name

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
"""
"""What a model of the RTL is, in C."""

_MODEL = """#include <stdint.h>
#include <string.h>
{declarations}
extern void {eval}(void *model);
{port_map}
uint64_t tandem_rtl_state_bytes(void) {{ return {state_bytes}; }}
void tandem_rtl_begin(void *state, void *const data[], unsigned char *ports[])
{{
    static const int64_t offsets[] = {{{offsets}}};
    unsigned char *model = state;
    for (int i = 0; i < {count}; i++)
        ports[i] = offsets[i] < 0 ? 0 : model + offsets[i];
    (void)data;
{start}}}
void tandem_rtl_eval(void *state) {{ {eval}(state); }}
"""

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


def rtl_model_c(kernel: Kernel, code: ModelCode, fixed: Mapping[str, Bits]) -> str:
    """rtl.so beside CIRCT's code. `fixed`: the model's inputs that rearrange bits of arguments."""
    signals = signals_of(kernel)
    offsets = [code.offsets.get(signal.name, -1) for signal in signals]
    rams = [memory for memory in kernel.memories.values() if memory.kind == "ram"]
    return _MODEL.format(
        declarations=DECLARATIONS,
        eval=eval_name(kernel),
        port_map=port_map_c(signals),
        state_bytes=code.state_bytes + 16,
        offsets=", ".join(map(str, offsets)),
        count=len(signals),
        start="".join(
            [_wiring(kernel, code, fixed), *(_contents(memory, code) for memory in rams)]
        ),
    )


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
