# SPDX-License-Identifier: Apache-2.0
"""The loop that feeds a model of the RTL from buffers, cycle by cycle, as C.

The same text serves CIRCT's model and Verilator's: they differ in where a port lies and how half a
cycle is evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping

from tandem.ir.kernel import Argument, Kernel, Memory
from tandem.ir.wiring import Bits
from tandem.rtl.circt import ModelCode
from tandem.rtl.text import module_name, port_name

RESET_CYCLES = 2

HEAD = """#include <stdint.h>
#include <string.h>

struct tandem_harness {{
    uint64_t cycles, position[{count}], records[{count}], chunk[{count}];
    const uint64_t *gates[{count}];
    uint32_t interval[{count}], wait[{count}];
    unsigned char *data[{count}];
    uint64_t bytes[{count}];
    int failed;
}};
"""

_ARC = """
extern void {name}_eval(void *model);
struct tandem_state {{ struct tandem_harness h; _Alignas(16) unsigned char model[{state_bytes}]; }};
#define PORT(offset) (s->model + (offset))
#define HALF_CYCLE(value) (*PORT({clk}) = (value), {name}_eval(s->model))
"""


def harness_c(kernel: Kernel, code: ModelCode, fixed: Mapping[str, Bits]) -> str:
    """The harness around CIRCT's model; its interface is docs/package.md's. `fixed`: the model's
    inputs that rearrange bits of arguments."""
    ports = {name: f"PORT({offset})" for name, offset in code.offsets.items()}
    head = HEAD.format(count=max(1, len(kernel.arguments)))
    model = _ARC.format(
        name=module_name(kernel.name), state_bytes=code.state_bytes + 16, clk=code.offsets["clk"]
    )
    return (
        head
        + model
        + harness_body(
            kernel,
            ports,
            "struct tandem_state *s = opaque;",
            "return sizeof(struct tandem_state);",
            "".join(_fixed_input(kernel, ports[name], bits) for name, bits in fixed.items())
            + "".join(_contents(m, code) for m in kernel.memories.values() if m.kind == "ram"),
        )
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
        memcpy(PORT({offset}), image, sizeof image);
    }}
"""


def _fixed_input(kernel: Kernel, port: str, bits: Bits) -> str:
    """C that fills one input from bits of arguments, lowest first."""
    places = {a.op: i for i, a in enumerate(kernel.arguments) if a.op is not None}
    sources = [(-1, bit) if type(bit) is int else (places[bit[0]], bit[1]) for bit in bits]
    rows = ", ".join(f"{{{argument}, {index}}}" for argument, index in sources)
    return f"""    {{
        static const int16_t wires[][2] = {{{rows}}};
        for (int i = 0; i < {len(bits)}; i++) {{
            const unsigned char *from = wires[i][0] < 0 ? 0 : data[wires[i][0]];
            int bit = from ? from[wires[i][1] / 8] >> wires[i][1] % 8 & 1 : wires[i][1];
            {port}[i / 8] = ({port}[i / 8] & ~(1 << i % 8)) | bit << i % 8;
        }}
    }}
"""


def harness_body(
    kernel: Kernel, ports: dict[str, str], state: str, size: str, fixed: str = ""
) -> str:
    """The functions of rtl.so, given where each port is (`ports`), how to get at the state,
    how to tell its size, and what else to set before the first cycle."""
    setup = [_setup(ports, i, a) for i, a in enumerate(kernel.arguments)]
    before = "".join(_before_edge(ports, i, a) for i, a in enumerate(kernel.arguments))
    after = "".join(_after_edge(ports, i, a) for i, a in enumerate(kernel.arguments))
    late = "".join(_after_cycle(ports, i, a) for i, a in enumerate(kernel.arguments))
    result = "".join(_result(ports, i, a) for i, a in enumerate(kernel.arguments))
    return f"""
uint64_t tandem_rtl_state_bytes(void) {{ {size} }}

uint64_t tandem_rtl_cycles(const void *opaque_const)
{{
    void *opaque = (void *)opaque_const;
    {state}
    return s->h.cycles;
}}

void tandem_rtl_start(void *opaque, void *const data[], const uint64_t bytes[],
                      const uint32_t intervals[])
{{
    {state}
    struct tandem_harness *h = &s->h;
    memset(h, 0, sizeof *h);
    for (int i = 0; i < {len(kernel.arguments)}; i++) {{
        h->data[i] = data[i];
        h->bytes[i] = bytes[i];
        h->interval[i] = intervals[i];
    }}
{"".join(setup)}{fixed}    *{ports["reset"]} = 1;
    *{ports["start"]} = 0;
    for (int i = 0; i < {RESET_CYCLES}; i++) {{ HALF_CYCLE(0); HALF_CYCLE(1); }}
    *{ports["reset"]} = 0;
    *{ports["start"]} = 1;
}}

void tandem_rtl_gates(void *opaque, uint32_t argument, const uint64_t gates[], uint64_t records)
{{
    {state}
    s->h.gates[argument] = gates;
    s->h.chunk[argument] = records;
}}

static inline int passes(const struct tandem_harness *h, int i)
{{
    return !h->wait[i]
           && (!h->gates[i] || h->cycles >= h->gates[i][h->position[i] / h->chunk[i]]);
}}

int tandem_rtl_run(void *opaque, uint64_t cycles)
{{
    {state}
    struct tandem_harness *h = &s->h;
    for (; cycles; cycles--) {{
        int done;
{before}        HALF_CYCLE(0);
        h->cycles++;
        done = *{ports["done"]} & 1;
{after}        if (h->failed)
            return -1;
        if (done) {{
{result}            return 1;
        }}
        HALF_CYCLE(1);
{late}        *{ports["start"]} = 0;
    }}
    return 0;
}}
"""


def _setup(ports: dict[str, str], i: int, argument: Argument) -> str:
    memory = argument.memory
    if argument.op is not None:
        name = port_name(argument.name)
        if name not in ports:
            return ""  # nothing in the hardware reads it
        return f"    memcpy({ports[name]}, data[{i}], {(argument.width + 7) // 8});\n"
    if memory is not None and memory.kind in ("stream_in", "stream_out"):
        return f"    h->records[{i}] = bytes[{i}] / {memory.element_bits // 8};\n"
    return ""


def _before_edge(ports: dict[str, str], i: int, argument: Argument) -> str:
    memory = argument.memory
    if memory is None:
        return ""
    size = memory.element_bits // 8
    data = ports.get(f"{memory.name}_data", "")
    if memory.kind == "stream_in":
        return f"""        int offer{i} = h->position[{i}] < h->records[{i}] && passes(h, {i});
        *{ports[f"{memory.name}_valid"]} = offer{i};
        if (offer{i})
            memcpy({data}, h->data[{i}] + h->position[{i}] * {size}, {size});
"""
    if memory.kind == "stream_out":
        return f"""        int accept{i} = h->position[{i}] == h->records[{i}] || passes(h, {i});
        *{ports[f"{memory.name}_ready"]} = accept{i};
"""
    return ""


def _after_edge(ports: dict[str, str], i: int, argument: Argument) -> str:
    memory = argument.memory
    if memory is None:
        return ""
    size = memory.element_bits // 8
    data = ports.get(f"{memory.name}_data", "")
    if memory.kind == "stream_in":
        return f"""        if (offer{i} && (*{ports[f"{memory.name}_ready"]} & 1)) {{
            h->position[{i}]++;
            h->wait[{i}] = h->interval[{i}] - 1;
        }} else if (h->wait[{i}]) {{
            h->wait[{i}]--;
        }}
"""
    if memory.kind == "stream_out":
        return f"""        if (accept{i} && (*{ports[f"{memory.name}_valid"]} & 1)) {{
            if (h->position[{i}] == h->records[{i}])
                h->failed = 1;
            else
                memcpy(h->data[{i}] + h->position[{i}]++ * {size}, {data}, {size});
            h->wait[{i}] = h->interval[{i}] - 1;
        }} else if (h->wait[{i}]) {{
            h->wait[{i}]--;
        }}
"""
    return _port_accesses(ports, i, memory.name, size)


def _port_accesses(ports: dict[str, str], i: int, name: str, size: int) -> str:
    """A memory port: reads see what was there before this cycle's write, one cycle later. A kernel
    reads before it knows whether it wants to: outside of the buffer nothing answers."""
    text = f"""        uint64_t read{i} = h->bytes[{i}];
        if (*{ports[f"{name}_read_enable"]} & 1) {{
            uint32_t index;
            memcpy(&index, {ports[f"{name}_read_index"]}, 4);
            read{i} = (uint64_t)index * {size};
        }}
        unsigned char word{i}[{size}];
        if (read{i} + {size} <= h->bytes[{i}]) memcpy(word{i}, h->data[{i}] + read{i}, {size});
"""
    if f"{name}_write_enable" in ports:
        text += f"""        if (*{ports[f"{name}_write_enable"]} & 1) {{
            uint32_t index;
            memcpy(&index, {ports[f"{name}_write_index"]}, 4);
            uint64_t at = (uint64_t)index * {size};
            if (at + {size} > h->bytes[{i}]) h->failed = 1;
            else memcpy(h->data[{i}] + at, {ports[f"{name}_write_data"]}, {size});
        }}
"""
    return text


def _after_cycle(ports: dict[str, str], i: int, argument: Argument) -> str:
    """What a memory port answers is there in the next cycle."""
    memory = argument.memory
    if memory is None or memory.kind != "external" or f"{memory.name}_read_data" not in ports:
        return ""
    size = memory.element_bits // 8
    port = ports[f"{memory.name}_read_data"]
    return f"""        if (read{i} + {size} <= h->bytes[{i}]) memcpy({port}, word{i}, {size});
"""


def _result(ports: dict[str, str], i: int, argument: Argument) -> str:
    if argument.is_result:
        size = max(1, 1 << (argument.width - 1).bit_length() >> 3)
        return f"            memcpy(h->data[{i}], {ports['result']}, {size});\n"
    return ""
