// SPDX-License-Identifier: Apache-2.0
// offload: ima_adpcm
/* IMA ADPCM: encode n 16-bit samples to 4-bit codes (low nibble first), then decode them again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const int16_t step_table[89] = {
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45,
    50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307,
    337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707,
    1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845,
    8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
};
static const int8_t index_table[8] = { -1, -1, -1, -1, 2, 4, 6, 8 };

static int clamp(int x, int lo, int hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* the decoder's half: new prediction and step index from a code */
static void update(int code, int *pred, int *index)
{
    int step = step_table[*index];
    int diff = step >> 3;
    if (code & 4)
        diff += step;
    if (code & 2)
        diff += step >> 1;
    if (code & 1)
        diff += step >> 2;
    *pred = clamp(code & 8 ? *pred - diff : *pred + diff, -32768, 32767);
    *index = clamp(*index + index_table[code & 7], 0, 88);
}

static int quantise(int diff, int step)
{
    int code = 0;
    if (diff < 0) {
        code = 8;
        diff = -diff;
    }
    for (int bit = 4; bit; bit >>= 1) {
        if (diff >= step) {
            code |= bit;
            diff -= step;
        }
        step >>= 1;
    }
    return code;
}

void ima_adpcm(const int16_t *pcm, uint8_t *codes, int16_t *decoded, int n)
{
    int pred = 0, index = 0;
    for (int i = 0; i < n; i++) {
        int code = quantise(pcm[i] - pred, step_table[index]);
        update(code, &pred, &index);
        if (i & 1)
            codes[i / 2] |= (uint8_t)(code << 4);
        else
            codes[i / 2] = (uint8_t)code;
    }
    pred = index = 0;
    for (int i = 0; i < n; i++) {
        int code = i & 1 ? codes[i / 2] >> 4 : codes[i / 2] & 15;
        update(code, &pred, &index);
        decoded[i] = (int16_t)pred;
    }
}

int main(void)
{
    enum { N = 2000 };
    static int16_t pcm[N], out[N];
    static uint8_t codes[N / 2];
    uint32_t seed = 7, sum_codes = 2166136261u, sum_out = 2166136261u;
    int64_t signal = 0, noise = 0;

    for (int i = 0; i < N; i++) {               /* two triangle waves, some noise, one full-scale jump */
        int slow = abs((i * 5) % 400 - 200) * 80 - 8000;
        int fast = abs((i * 7) % 64 - 32) * 150 - 2400;
        seed = seed * 1664525u + 1013904223u;
        pcm[i] = (int16_t)(slow + fast + (int)(seed >> 22) - 512);
        if (i >= 1500 && i < 1520)
            pcm[i] = i & 4 ? 32767 : -32768;
    }
    ima_adpcm(pcm, codes, out, N);
    for (int i = 0; i < N; i++) {
        if (i < N / 2)
            sum_codes = (sum_codes ^ codes[i]) * 16777619u;
        sum_out = (sum_out ^ (uint16_t)out[i]) * 16777619u;
        if (i < 1500) {
            signal += (int64_t)pcm[i] * pcm[i];
            noise += (int64_t)(pcm[i] - out[i]) * (pcm[i] - out[i]);
        }
    }
    if (noise * 50 > signal) {
        printf("signal %lld noise %lld\n", (long long)signal, (long long)noise);
        return 1;
    }
    if (sum_codes != 244873973u || sum_out != 119039679u) {
        printf("checksums %u %u\n", sum_codes, sum_out);
        return 1;
    }
    printf("ok\n");
    return 0;
}
