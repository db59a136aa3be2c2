// SPDX-License-Identifier: Apache-2.0
// offload: viterbi_decode
/* Hard-decision Viterbi decoder, constraint length 7, rate 1/2, generators 171 and 133 octal,
   block terminated by six zero bits. */
#include <stdint.h>
#include <stdio.h>

#define TAIL 6
#define STATES 64
#define MAX_BITS 256

static unsigned parity(unsigned x)
{
    x ^= x >> 4;
    x ^= x >> 2;
    x ^= x >> 1;
    return x & 1;
}

/* the symbol pair for a register of the current bit (bit 6) and the previous six */
static unsigned branch(unsigned reg)
{
    return parity(reg & 0171) << 1 | parity(reg & 0133);
}

static int distance(unsigned a, unsigned b)
{
    unsigned d = a ^ b;
    return (int)((d & 1) + (d >> 1));
}

/* sym: nbits + 6 symbol pairs (0 to 3); bits: nbits decoded bits. Returns the channel errors on the
   best path, or -1 when nbits is out of range. */
int viterbi_decode(const uint8_t *sym, int nbits, uint8_t *bits)
{
    uint64_t decision[MAX_BITS + TAIL];
    int metric[STATES], next[STATES];

    if (nbits < 0 || nbits > MAX_BITS)
        return -1;
    for (int s = 0; s < STATES; s++)
        metric[s] = s == 0 ? 0 : 10000;
    for (int t = 0; t < nbits + TAIL; t++) {
        uint64_t d = 0;
        for (unsigned s = 0; s < STATES; s++) {
            /* state s has its newest bit on top; its predecessors differ in the bit shifted out */
            unsigned p0 = (s << 1) & (STATES - 1), p1 = p0 | 1;
            /* and both generators tap it, so the second branch is the complement of the first */
            int dist = distance(branch(s << 1), sym[t]);
            int m0 = metric[p0] + dist;
            int m1 = metric[p1] + 2 - dist;
            if (m1 < m0) {
                next[s] = m1;
                d |= 1ull << s;
            } else {
                next[s] = m0;
            }
        }
        for (int s = 0; s < STATES; s++)
            metric[s] = next[s];
        decision[t] = d;
    }
    unsigned s = 0;
    for (int t = nbits + TAIL - 1; t >= 0; t--) {
        if (t < nbits)
            bits[t] = (uint8_t)(s >> 5);
        s = ((s << 1) & (STATES - 1)) | (unsigned)(decision[t] >> s & 1);
    }
    return metric[0];
}

int main(void)
{
    enum { N = MAX_BITS };
    static const int g1[5] = { 0, 1, 2, 3, 6 }, g2[5] = { 0, 2, 3, 5, 6 };  /* taps as delays */
    uint8_t data[N + TAIL] = { 0 }, sym[N + TAIL], out[N];
    uint32_t seed = 77;
    int errors = 0;

    for (int i = 0; i < N; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (uint8_t)(seed >> 31);
    }
    for (int i = 0; i < N + TAIL; i++) {
        unsigned a = 0, b = 0;
        for (int k = 0; k < 5; k++) {
            a ^= i >= g1[k] ? data[i - g1[k]] : 0;
            b ^= i >= g2[k] ? data[i - g2[k]] : 0;
        }
        sym[i] = (uint8_t)(a << 1 | b);
    }
    for (int i = 5; i < N; i += 19) {           /* single errors, every third time a burst of two */
        sym[i] ^= i % 2 ? 1 : 2;
        errors++;
        if (i % 3 == 0) {
            sym[i + 1] ^= 2;
            errors++;
        }
    }
    int got = viterbi_decode(sym, N, out);
    for (int i = 0; i < N; i++)
        if (out[i] != data[i]) {
            printf("bit %d: got %d want %d\n", i, out[i], data[i]);
            return 1;
        }
    if (got != errors) {
        printf("path metric %d, want %d\n", got, errors);
        return 1;
    }
    printf("ok\n");
    return 0;
}
