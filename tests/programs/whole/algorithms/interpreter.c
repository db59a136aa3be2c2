/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* An interpreter of MIPS: registers, memory and program in arrays, one switch in another one. The
   program puts eight numbers in order. */
#include <stdio.h>

#define WORDS 64
#define COUNT 8

enum opcode { SPECIAL = 0, J = 2, JAL = 3, BEQ = 4, BNE = 5, BGEZ = 1, ADDIU = 9, SLTI = 10, ANDI = 12, ORI = 13,
    LUI = 15, LW = 35, SW = 43 };
enum function { SLL = 0, SRL = 2, SLLV = 4, JR = 8, SYSCALL = 12, MFHI = 16, MFLO = 18, MULT = 24, ADDU = 33,
    SUBU = 35, AND = 36, OR = 37, XOR = 38, SLT = 42 };

#define R(fun, rs, rt, rd, by) ((unsigned)(rs) << 21 | (rt) << 16 | (rd) << 11 | (by) << 6 | (fun))
#define I(op, rs, rt, by) ((unsigned)(op) << 26 | (rs) << 21 | (rt) << 16 | ((by) & 0xffff))
#define JUMP(op, to) ((unsigned)(op) << 26 | (to))

static const unsigned program[] = {
    /*  0 */ I(ADDIU, 0, 4, 0),
    /*  1 */ I(ADDIU, 0, 8, 1),       /* outer: i */
    /*  2 */ I(SLTI, 8, 1, COUNT),    /* while i < count */
    /*  3 */ I(BEQ, 1, 0, 16),        /* to 20 */
    /*  4 */ R(SLL, 0, 8, 9, 2),      /* at = base + 4 * i */
    /*  5 */ R(ADDU, 9, 4, 9, 0),
    /*  6 */ I(LW, 9, 10, 0),
    /*  7 */ I(BEQ, 9, 4, 7),         /* inner: at the start, to 15 */
    /*  8 */ I(LW, 9, 11, -4),
    /*  9 */ R(SLT, 10, 11, 1, 0),
    /* 10 */ I(BEQ, 1, 0, 4),         /* to 15 */
    /* 11 */ I(SW, 9, 11, 0),
    /* 12 */ I(ADDIU, 9, 9, -4),
    /* 13 */ R(XOR, 12, 11, 12, 0),
    /* 14 */ JUMP(J, 7),
    /* 15 */ I(SW, 9, 10, 0),
    /* 16 */ R(MULT, 10, 8, 0, 0),
    /* 17 */ R(MFLO, 0, 0, 13, 0),
    /* 18 */ I(ADDIU, 8, 8, 1),
    /* 19 */ JUMP(J, 2),
    /* 20 */ JUMP(JAL, 22),
    /* 21 */ R(SYSCALL, 0, 0, 0, 0),
    /* 22 */ R(ADDU, 12, 13, 2, 0),
    /* 23 */ R(JR, 31, 0, 0, 0),
};

static const int numbers[COUNT] = {22, 5, -9, 3, -17, 38, 0, 11};
static const int ordered[COUNT] = {-17, -9, 0, 3, 5, 11, 22, 38};

int registers[32];
int memory[WORDS];

#define AT(address) ((address) >> 2 & (WORDS - 1))

int main()
{
    long long product;
    int hi = 0, lo = 0, pc = 0, executed = 0, wrong = 0, i;
    unsigned word;

    for (i = 0; i < 32; i++)
        registers[i] = 0;
    for (i = 0; i < COUNT; i++)
        memory[i] = numbers[i];

    do {
        int op, rs, rt, rd, by, function;
        short immediate;

        word = program[pc];
        pc = pc + 1;
        op = word >> 26;
        rs = word >> 21 & 31;
        rt = word >> 16 & 31;
        rd = word >> 11 & 31;
        by = word >> 6 & 31;
        function = word & 63;
        immediate = (short)(word & 0xffff);

        switch (op) {
        case SPECIAL:
            switch (function) {
            case ADDU:
                registers[rd] = (int)((unsigned)registers[rs] + (unsigned)registers[rt]);
                break;
            case SUBU:
                registers[rd] = (int)((unsigned)registers[rs] - (unsigned)registers[rt]);
                break;
            case MULT:
                product = (long long)registers[rs] * (long long)registers[rt];
                lo = (int)(product & 0xffffffff);
                hi = (int)(product >> 32);
                break;
            case MFHI:
                registers[rd] = hi;
                break;
            case MFLO:
                registers[rd] = lo;
                break;
            case AND:
                registers[rd] = registers[rs] & registers[rt];
                break;
            case OR:
                registers[rd] = registers[rs] | registers[rt];
                break;
            case XOR:
                registers[rd] = registers[rs] ^ registers[rt];
                break;
            case SLL:
                registers[rd] = (int)((unsigned)registers[rt] << by);
                break;
            case SRL:
                registers[rd] = (int)((unsigned)registers[rt] >> by);
                break;
            case SLLV:
                registers[rd] = (int)((unsigned)registers[rt] << (registers[rs] & 31));
                break;
            case SLT:
                registers[rd] = registers[rs] < registers[rt];
                break;
            case JR:
                pc = registers[rs];
                break;
            case SYSCALL:
                pc = -1;
                break;
            default:
                printf("unknown function %d\n", function);
                wrong++;
                goto stopped;
            }
            break;
        case J:
            pc = word & 0x3ffffff;
            break;
        case JAL:
            registers[31] = pc;
            pc = word & 0x3ffffff;
            break;
        case BEQ:
            if (registers[rs] == registers[rt])
                pc += immediate;
            break;
        case BNE:
            if (registers[rs] != registers[rt])
                pc += immediate;
            break;
        case BGEZ:
            if (registers[rs] >= 0)
                pc += immediate;
            break;
        case ADDIU:
            registers[rt] = registers[rs] + immediate;
            break;
        case SLTI:
            registers[rt] = registers[rs] < immediate;
            break;
        case ANDI:
            registers[rt] = registers[rs] & (unsigned short)immediate;
            break;
        case ORI:
            registers[rt] = registers[rs] | (unsigned short)immediate;
            break;
        case LUI:
            registers[rt] = (int)((unsigned)immediate << 16);
            break;
        case LW:
            registers[rt] = memory[AT(registers[rs] + immediate)];
            break;
        case SW:
            memory[AT(registers[rs] + immediate)] = registers[rt];
            break;
        default:
            printf("unknown opcode %d\n", op);
            wrong++;
            goto stopped;
        }
        registers[0] = 0;
        executed++;
    } while (pc >= 0);

stopped:
    for (i = 0; i < COUNT; i++)
        wrong += memory[i] != ordered[i];
    printf("%d executed, %d wrong, %d\n", executed, wrong, registers[2]);
    return wrong;
}
