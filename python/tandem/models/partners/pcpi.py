# SPDX-License-Identifier: Apache-2.0
"""Of PicoRV32's co-processor interface: the core, with instructions of ours and of others."""

MASTER = """
static bool valid;
static uint32_t instruction, word;
static int waited;
static void give(row &now)
{
    if (!valid && happens(0)) {
        Write one = random_write();
        bool we = below(2);
        uint32_t offset = we ? one.offset : random_read();
        valid = true, waited = 0, word = one.word;
        instruction = (random_word() & 0x01ff8f80) | 0x0b | (offset >> 2 & 3) << 12 | we << 14;
        if (below(16) == 0) instruction = random_word();
        if (below(16) == 0) instruction |= random_word() << 25;
    }
    uint32_t elsewhere = valid ? 0 : random_word();
    model.pcpi_valid = valid, model.pcpi_insn = valid ? instruction : elsewhere;
    model.pcpi_rs1 = valid ? word : elsewhere;
    now.given[0] = valid;
    if (valid) now.given[1] = instruction, now.given[2] = word;
}
static void see(row &now)
{
    bool ready = model.pcpi_ready;
    now.said[0] = ready, now.said[1] = ready ? model.pcpi_rd : 0;
    if (ready != model.pcpi_wr || model.pcpi_wait) now.said[0] = 99;
    transfers += ready;
    // The core traps when nobody takes an instruction for 16 cycles.
    if (valid && (ready || ++waited == 17)) valid = false;
}
"""
