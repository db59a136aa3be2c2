/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* A coder of sound in two bands like G.722: mirror filters that split and join, adaptive quantisers of six
   and two bits, predictors of poles and zeros, all their state in variables. */
#include <stdio.h>

#define SAMPLES 40
#define TAPS 24
#define ZEROS 6

struct predictor {
    int zeros[ZEROS];      /* coefficients, of 14 bits behind the point */
    int differences[ZEROS]; /* quantised differences, the last first */
    int poles[2];
    int rebuilt[2];
    int partial[2];
    int scale_log, scale;
    int prediction, by_zeros;
};

enum band { LOW, HIGH, BANDS };

static struct predictor coder[BANDS], decoder[BANDS];

static const int mirror[TAPS] = {12, -44, -44, 212, 48, -624, 128, 1448, -840, -3220, 3804, 15504,
    15504, 3804, -3220, -840, 1448, 128, -624, 48, 212, -44, -44, 12};

static const int levels_low[16] = {280, 576, 880, 1200, 1520, 1864, 2208, 2584, 2960, 3376, 3784, 4240, 4696, 5200,
    5712, 6288};
static const int steps_low[16] = {-60, -30, -58, -30, 58, 172, 334, 538, 1198, 3042, 3042, 3042, 3042, 3042, 3042, 3042};
static const int values_low[16] = {136, 424, 728, 1040, 1360, 1688, 2032, 2392, 2768, 3168, 3576, 4008, 4464, 4944,
    5456, 6000};
static const int levels_high[1] = {9024};
static const int steps_high[2] = {-214, 798};
static const int values_high[2] = {3232, 14816};

/* 2 ** (i / 32), of 11 bits behind the point */
static const int powers[32] = {2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774,
    2834, 2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008};

static int history[TAPS], joined[2][TAPS / 2];

int original[SAMPLES], result[SAMPLES];
unsigned char compressed[SAMPLES / 2];

static int absolute(int n)
{
    int m;
    if (n >= 0)
        m = n;
    else
        m = -n;
    return m;
}

static int limited(int x, int most)
{
    return x > most ? most : x < -most ? -most : x;
}

static int quantised(int difference, int scale, const int *levels, int count)
{
    int i, size = absolute(difference);
    for (i = 0; i < count; i++)
        if (size < ((long)levels[i] * scale) >> 12)
            break;
    return i;
}

static int scaled_to(int log, int shift)
{
    int whole = log >> 11, power = powers[log >> 6 & 31];
    return (shift > whole ? power >> (shift - whole) : power << (whole - shift)) << 2;
}

static void reset(struct predictor *p, int scale)
{
    int i;
    for (i = 0; i < ZEROS; i++) {
        p->zeros[i] = 0;
        p->differences[i] = 0;
    }
    for (i = 0; i < 2; i++) {
        p->poles[i] = 0;
        p->rebuilt[i] = 0;
        p->partial[i] = 0;
    }
    p->scale = scale;
    p->scale_log = 0;
    p->prediction = p->by_zeros = 0;
}

static void predict(struct predictor *p)
{
    long zeros = 0, poles = 0;
    int i, *c = p->zeros, *d = p->differences;

    for (i = 0; i < ZEROS; i++)
        zeros += (long)*c++ * *d++;
    for (i = 0; i < 2; i++)
        poles += (long)p->poles[i] * p->rebuilt[i];
    p->by_zeros = (int)(zeros >> 14);
    p->prediction = p->by_zeros + (int)(poles >> 14);
}

static void adapt(struct predictor *p, int difference, int step, int most, int shift)
{
    int i, partial = difference + p->by_zeros, a1, a2, same;

    p->scale_log = limited(((p->scale_log * 127) >> 7) + step, 1 << 15);
    if (p->scale_log < 0)
        p->scale_log = 0;
    if (p->scale_log > most)
        p->scale_log = most;
    p->scale = scaled_to(p->scale_log, shift);

    for (i = 0; i < ZEROS; i++) {
        int turn = difference == 0 ? 0 : (difference ^ p->differences[i]) >= 0 ? 128 : -128;
        p->zeros[i] = ((p->zeros[i] * 255) >> 8) + turn;
    }
    for (i = ZEROS - 1; i > 0; i--)
        p->differences[i] = p->differences[i - 1];
    p->differences[0] = difference;

    same = ((long)partial * p->partial[0]) >= 0;
    a2 = 4 * limited(p->poles[0], 8191);
    a2 = ((same ? -a2 : a2) >> 7) + ((long)partial * p->partial[1] >= 0 ? 128 : -128) + ((127 * p->poles[1]) >> 7);
    a2 = limited(a2, 12288);
    a1 = ((p->poles[0] * 255) >> 8) + (same ? 192 : -192);
    a1 = limited(a1, 15360 - a2);
    p->poles[0] = a1;
    p->poles[1] = a2;

    p->rebuilt[1] = p->rebuilt[0];
    p->rebuilt[0] = limited(p->prediction + difference, 16383);
    p->partial[1] = p->partial[0];
    p->partial[0] = partial;
}

static int step_low(struct predictor *p, int code)
{
    int size = code & 15, difference = ((long)p->scale * values_low[size]) >> 12;
    if (code & 16)
        difference = -difference;
    adapt(p, difference, steps_low[size], 18432, 8);
    return p->rebuilt[0];
}

static int step_high(struct predictor *p, int code)
{
    int size = code & 1, difference = ((long)p->scale * values_high[size]) >> 12;
    if (code & 2)
        difference = -difference;
    adapt(p, difference, steps_high[size], 22528, 10);
    return p->rebuilt[0];
}

static int encode(int first, int second)
{
    const int *h = mirror;
    long even = 0, odd = 0;
    int i, low, high, difference, code_low, code_high;

    for (i = TAPS - 1; i > 1; i--)
        history[i] = history[i - 2];
    history[1] = first;
    history[0] = second;
    for (i = 0; i < TAPS; i += 2) {
        even += (long)history[i] * *h++;
        odd += (long)history[i + 1] * *h++;
    }
    low = (int)((even + odd) >> 16);
    high = (int)((even - odd) >> 16);

    predict(&coder[LOW]);
    difference = low - coder[LOW].prediction;
    code_low = quantised(difference, coder[LOW].scale, levels_low, 15) | (difference < 0 ? 16 : 0);
    step_low(&coder[LOW], code_low);

    predict(&coder[HIGH]);
    difference = high - coder[HIGH].prediction;
    code_high = quantised(difference, coder[HIGH].scale, levels_high, 1) | (difference < 0 ? 2 : 0);
    step_high(&coder[HIGH], code_high);
    return code_high << 6 | code_low;
}

static void decode(int code, int *first, int *second)
{
    int low, high, i;
    long even = 0, odd = 0;

    predict(&decoder[LOW]);
    low = step_low(&decoder[LOW], code & 31);
    predict(&decoder[HIGH]);
    high = step_high(&decoder[HIGH], code >> 6);

    for (i = TAPS / 2 - 1; i > 0; i--) {
        joined[0][i] = joined[0][i - 1];
        joined[1][i] = joined[1][i - 1];
    }
    joined[0][0] = low - high;
    joined[1][0] = low + high;
    for (i = 0; i < TAPS / 2; i++) {
        even += (long)joined[0][i] * mirror[2 * i];
        odd += (long)joined[1][i] * mirror[2 * i + 1];
    }
    *first = (int)(even >> 14);
    *second = (int)(odd >> 14);
}

int main()
{
    int i, wrong = 0;
    unsigned sum = 0;

    for (i = 0; i < BANDS; i++) {
        reset(&coder[i], i == LOW ? 32 : 8);
        reset(&decoder[i], i == LOW ? 32 : 8);
    }
    for (i = 0; i < SAMPLES; i++)
        original[i] = (i * 37 % 64 - 32) * (i < 20 ? 60 : 10);
    for (i = 0; i < SAMPLES; i += 2)
        compressed[i / 2] = encode(original[i], original[i + 1]);
    for (i = 0; i < SAMPLES; i += 2)
        decode(compressed[i / 2], &result[i], &result[i + 1]);
    for (i = 0; i < SAMPLES; i++)
        sum = sum * 31 + compressed[i / 2] + result[i];
    for (i = 0; i < 2; i++)
        wrong += coder[i].prediction != decoder[i].prediction || coder[i].scale != decoder[i].scale;
    printf("%u, %d wrong: %d %d %d\n", sum, wrong, result[SAMPLES - 1], coder[0].scale, coder[1].poles[0]);
    return wrong;
}
