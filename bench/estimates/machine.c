// SPDX-License-Identifier: Apache-2.0
// offload: machine
/* A little machine of eight registers, which runs programs of words. */
#include <stdint.h>

int machine(const uint32_t program[256], int32_t memory[256], int most)
{
    int32_t r[8] = {0};
    uint8_t at = 0;
    for (int step = 0; step < most; step++) {
        uint32_t word = program[at++];
        int to = word >> 24 & 7, x = word >> 20 & 7, y = word >> 16 & 7;
        int32_t a = r[x], b = r[y], value = (int16_t)word, result = a;
        switch (word >> 27) {
        case 0: return step;
        case 1: result = a + b; break;
        case 2: result = a - b; break;
        case 3: result = a & b; break;
        case 4: result = a | b; break;
        case 5: result = a ^ b; break;
        case 6: result = a << (b & 31); break;
        case 7: result = a >> (b & 31); break;
        case 8: result = a * b; break;
        case 9: result = a < b; break;
        case 10: result = a + value; break;
        case 11: result = memory[(a + value) & 255]; break;
        case 12: memory[(a + value) & 255] = b; continue;
        case 13: if (a == b) at += value; continue;
        case 14: if (a != b) at += value; continue;
        case 15: result = at; at = value; break;
        default: continue;
        }
        r[to] = result;
    }
    return -1;
}
