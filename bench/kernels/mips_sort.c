// SPDX-License-Identifier: Apache-2.0
// offload: mips_run
/* Interpreter for a small MIPS I subset (no delay slots, syscall halts) running a const program:
   bubble sort of the n words at address 0 (n in $a1), then an order-sensitive hash stored at word n. */
#include <stdint.h>
#include <stdio.h>

static const uint32_t imem[] = {
    0x24a8ffff,  /*         addiu $8, $5, -1       */
    0x19000010,  /* outer:  blez $8, done          */
    0x00004821,  /*         addu $9, $0, $0        */
    0x00805021,  /*         addu $10, $4, $0       */
    0x00007021,  /*         addu $14, $0, $0       */
    0x8d4b0000,  /* inner:  lw $11, 0($10)         */
    0x8d4c0004,  /*         lw $12, 4($10)         */
    0x018b682a,  /*         slt $13, $12, $11      */
    0x11a00003,  /*         beq $13, $0, noswap    */
    0xad4c0000,  /*         sw $12, 0($10)         */
    0xad4b0004,  /*         sw $11, 4($10)         */
    0x340e0001,  /*         ori $14, $0, 1         */
    0x254a0004,  /* noswap: addiu $10, $10, 4      */
    0x25290001,  /*         addiu $9, $9, 1        */
    0x1528fff6,  /*         bne $9, $8, inner      */
    0x11c00002,  /*         beq $14, $0, done      */
    0x2508ffff,  /*         addiu $8, $8, -1       */
    0x08000001,  /*         j outer                */
    0x0c000014,  /* done:   jal hash               */
    0x0000000c,  /*         syscall                */
    0x3c029e37,  /* hash:   lui $2, 0x9e37         */
    0x34420001,  /*         ori $2, $2, 1          */
    0x00805021,  /*         addu $10, $4, $0       */
    0x00a04821,  /*         addu $9, $5, $0        */
    0x8d4b0000,  /* hl:     lw $11, 0($10)         */
    0x00026140,  /*         sll $12, $2, 5         */
    0x000216c2,  /*         srl $2, $2, 27         */
    0x004c1025,  /*         or $2, $2, $12         */
    0x004b1026,  /*         xor $2, $2, $11        */
    0x254a0004,  /*         addiu $10, $10, 4      */
    0x2529ffff,  /*         addiu $9, $9, -1       */
    0x1d20fff8,  /*         bgtz $9, hl            */
    0xad420000,  /*         sw $2, 0($10)          */
    0x03e00008,  /*         jr $31                 */
};

int mips_run(int32_t *dmem, int nwords, int n, int max_steps)
{
    int32_t reg[32];
    uint32_t pc = 0;
    int steps;

    for (int i = 0; i < 32; i++)
        reg[i] = 0;
    reg[5] = n;
    for (steps = 0; steps < max_steps; steps++) {
        if (pc / 4 >= sizeof imem / sizeof imem[0])
            return -1;
        uint32_t ins = imem[pc / 4];
        int rs = ins >> 21 & 31, rt = ins >> 16 & 31, rd = ins >> 11 & 31, sa = ins >> 6 & 31;
        int32_t imm = (int16_t)(ins & 0xffff);
        uint32_t a = (uint32_t)reg[rs], b = (uint32_t)reg[rt];
        uint32_t addr = a + (uint32_t)imm, next = pc + 4, target = next + (uint32_t)imm * 4;

        switch (ins >> 26) {
        case 0x00:
            switch (ins & 0x3f) {
            case 0x00: reg[rd] = (int32_t)(b << sa); break;             /* sll */
            case 0x02: reg[rd] = (int32_t)(b >> sa); break;             /* srl */
            case 0x03: reg[rd] = reg[rt] >> sa; break;                  /* sra */
            case 0x08: next = a; break;                                 /* jr */
            case 0x0c: return steps + 1;                                /* syscall */
            case 0x21: reg[rd] = (int32_t)(a + b); break;               /* addu */
            case 0x23: reg[rd] = (int32_t)(a - b); break;               /* subu */
            case 0x24: reg[rd] = (int32_t)(a & b); break;               /* and */
            case 0x25: reg[rd] = (int32_t)(a | b); break;               /* or */
            case 0x26: reg[rd] = (int32_t)(a ^ b); break;               /* xor */
            case 0x2a: reg[rd] = reg[rs] < reg[rt]; break;              /* slt */
            default: return -2;
            }
            break;
        case 0x02: next = (ins & 0x3ffffff) << 2; break;                /* j */
        case 0x03: reg[31] = (int32_t)next; next = (ins & 0x3ffffff) << 2; break;   /* jal */
        case 0x04: if (a == b) next = target; break;                    /* beq */
        case 0x05: if (a != b) next = target; break;                    /* bne */
        case 0x06: if (reg[rs] <= 0) next = target; break;              /* blez */
        case 0x07: if (reg[rs] > 0) next = target; break;               /* bgtz */
        case 0x09: reg[rt] = (int32_t)addr; break;                      /* addiu */
        case 0x0c: reg[rt] = (int32_t)(a & (ins & 0xffff)); break;      /* andi */
        case 0x0d: reg[rt] = (int32_t)(a | (ins & 0xffff)); break;      /* ori */
        case 0x0f: reg[rt] = (int32_t)((ins & 0xffff) << 16); break;    /* lui */
        case 0x23:                                                      /* lw */
        case 0x2b:                                                      /* sw */
            if (addr & 3 || addr / 4 >= (uint32_t)nwords)
                return -3;
            if (ins >> 26 == 0x23)
                reg[rt] = dmem[addr / 4];
            else
                dmem[addr / 4] = reg[rt];
            break;
        default: return -2;
        }
        reg[0] = 0;
        pc = next;
    }
    return -4;
}

int main(void)
{
    enum { N = 32 };
    int32_t mem[N + 1], want[N];
    uint32_t seed = 5, hash = 0x9e370001;
    long expect = 4;                            /* first instruction, last branch, jal, syscall */

    for (int i = 0; i < N; i++) {
        seed = seed * 1664525u + 1013904223u;
        mem[i] = want[i] = (int32_t)(seed >> 8) - (1 << 23);
    }
    mem[N] = 0;
    mem[3] = want[3] = mem[7];                  /* a duplicate */
    /* the same sort in C, counting the instructions each path should take */
    for (int last = N - 1, swapped = 1; last > 0 && swapped; last--) {
        swapped = 0;
        expect += 4;
        for (int j = 0; j < last; j++) {
            int gt = want[j + 1] < want[j];
            expect += gt ? 10 : 7;
            if (gt) {
                int32_t t = want[j];
                want[j] = want[j + 1];
                want[j + 1] = t;
                swapped = 1;
            }
        }
        expect += swapped ? 3 : 0;
    }
    for (int i = 0; i < N; i++)
        hash = (hash << 5 | hash >> 27) ^ (uint32_t)want[i];
    expect += 4 + 8 * N + 2;
    int got = mips_run(mem, N + 1, N, 100000);
    for (int i = 0; i < N; i++)
        if (mem[i] != want[i]) {
            printf("word %d: got %d want %d\n", i, mem[i], want[i]);
            return 1;
        }
    if ((uint32_t)mem[N] != hash || got != expect) {
        printf("hash %08x want %08x, %d instructions want %ld\n", (uint32_t)mem[N], hash, got, expect);
        return 1;
    }
    printf("ok\n");
    return 0;
}
