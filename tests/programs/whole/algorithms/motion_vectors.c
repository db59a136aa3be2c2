/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* Motion vectors of MPEG-2 (ISO/IEC 13818-2, 7.6.3): codes of variable length from a bit stream with a
   buffer in variables, predictions in an array of three dimensions. */
#include <stdio.h>

enum { FIELD, FRAME, DUAL_PRIME };
enum { BYTES = 64 };

struct code {
    signed char value;
    char length;
};

/* magnitudes by the bits behind the leading zeros (table B.10) */
static const struct code codes_short[8] = {{-1, 0}, {3, 3}, {2, 2}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
static const struct code codes_middle[12] = {
    {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {7, 6}, {6, 6}, {5, 6}, {4, 5}, {4, 5}, {-1, 0}};
static const struct code codes_long[24] = {
    {16, 9}, {15, 9}, {14, 9}, {13, 9}, {12, 9}, {11, 9}, {10, 8}, {10, 8}, {9, 8}, {9, 8}, {8, 8}, {8, 8}};

static const unsigned char stream[BYTES] = {
    0xb4, 0x9d, 0x62, 0x1f, 0x93, 0x58, 0xa6, 0x31, 0x07, 0x4c, 0xd8, 0x05, 0x8b, 0x6a, 0x2e, 0xf1,
    0x43, 0x97, 0x1c, 0x60, 0xb5, 0x28, 0xe9, 0x7d, 0x02, 0x9a, 0x54, 0xc3, 0x3f, 0x86, 0x19, 0xd0};

static unsigned window;
static int filled;
static const unsigned char *next_byte = stream;
static int bytes_left = BYTES;

static void fill(void)
{
    while (filled <= 24) {
        if (bytes_left > 0) {
            window |= (unsigned)*next_byte++ << (24 - filled);
            bytes_left--;
        }
        filled += 8;
    }
}

static unsigned show_bits(int n)
{
    return window >> (32 - n);
}

static void drop_bits(int n)
{
    window <<= n;
    filled -= n;
    fill();
}

static unsigned bits(int n)
{
    unsigned value = show_bits(n);
    drop_bits(n);
    return value;
}

static int motion_code(void)
{
    int code;
    const struct code *found;

    if (bits(1))
        return 0;
    code = show_bits(9);
    if (code >= 64)
        found = &codes_short[code >> 6];
    else if (code >= 24)
        found = &codes_middle[code >> 3];
    else if (code >= 12)
        found = &codes_long[code - 12];
    else
        return 0;
    drop_bits(found->length);
    return bits(1) ? -found->value : found->value;
}

static int dual_prime_code(void)
{
    if (!bits(1))
        return 0;
    return bits(1) ? -1 : 1;
}

static void decode(int *prediction, int r_size, int code, int residual, int full)
{
    int limit = 16 << r_size, vector = full ? *prediction >> 1 : *prediction;

    if (code > 0) {
        vector += ((code - 1) << r_size) + residual + 1;
        if (vector >= limit)
            vector -= limit + limit;
    } else if (code < 0) {
        vector -= ((-code - 1) << r_size) + residual + 1;
        if (vector < -limit)
            vector += limit + limit;
    }
    *prediction = full ? vector * 2 : vector;
}

static void one_vector(int *prediction, int *dual, int h_size, int v_size, int is_dual, int scaled, int full)
{
    int code, residual;

    code = motion_code();
    residual = h_size != 0 && code != 0 ? bits(h_size) : 0;
    decode(&prediction[0], h_size, code, residual, full);
    if (is_dual)
        dual[0] = dual_prime_code();

    code = motion_code();
    residual = v_size != 0 && code != 0 ? bits(v_size) : 0;
    if (scaled)
        prediction[1] >>= 1;
    decode(&prediction[1], v_size, code, residual, full);
    if (scaled)
        prediction[1] <<= 1;
    if (is_dual)
        dual[1] = dual_prime_code();
}

static void vectors(int predictions[2][2][2], int dual[2], int selected[2][2], int s, int count, int format, int h_size,
    int v_size, int is_dual, int scaled)
{
    if (count == 1) {
        if (format == FIELD && !is_dual)
            selected[1][s] = selected[0][s] = bits(1);
        one_vector(predictions[0][s], dual, h_size, v_size, is_dual, scaled, 0);
        predictions[1][s][0] = predictions[0][s][0];
        predictions[1][s][1] = predictions[0][s][1];
    } else {
        selected[0][s] = bits(1);
        one_vector(predictions[0][s], dual, h_size, v_size, is_dual, scaled, 0);
        selected[1][s] = bits(1);
        one_vector(predictions[1][s], dual, h_size, v_size, is_dual, scaled, 0);
    }
}

static int predictions[2][2][2] = {{{45, 207}, {70, 41}}, {{4, 180}, {120, 216}}};
static int selected[2][2], dual[2];

int main(void)
{
    int i, j, k;
    unsigned sum = 0;

    fill();
    for (i = 0; i < 6; i++) {
        vectors(predictions, dual, selected, i & 1, 1 + (i % 3 == 0), i & 2 ? FRAME : FIELD, i & 3, 2, i == 4, i > 2);
        for (j = 0; j < 2; j++)
            for (k = 0; k < 2; k++) {
                int *v = predictions[j][k];
                printf("%d %d %d, ", v[0], v[1], selected[j][k]);
                sum = sum * 7 + v[0] * 3 + v[1] + selected[j][k];
            }
        printf("%d %d\n", dual[0], dual[1]);
    }
    printf("%u\n", sum);
    return sum & 127;
}
