/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a program of byte-sized instructions; unknown ones cost what the table says. */
unsigned int opcode_cost(const unsigned char *code, unsigned int n, unsigned int unknown)
{
    unsigned int total = 0, i;

    for (i = 0; i < n; i++) {
        unsigned int cost;

        switch (code[i] & 15) {
        case 0:
            cost = 1;
            break;
        case 1:
            cost = 9;
            break;
        case 4:
            cost = 33;
            break;
        case 5:
            cost = 2;
            break;
        case 7:
            cost = 71;
            break;
        default:
            cost = unknown;
        }
        total += cost;
    }
    return total;
}
