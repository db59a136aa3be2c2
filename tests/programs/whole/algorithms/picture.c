/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* A decoder of pictures like JPEG's (T.81): codes of variable length found by their lengths, runs of
   zeros in zigzag order, dequantisation, inverse cosine transforms, and colours. */
#include <stdio.h>
#include <string.h>

#define WIDTH 16
#define HEIGHT 8
#define BLOCK 64

typedef unsigned char byte;

enum component { LUMA, BLUE, RED, COMPONENTS };
enum marker { END = 0xd9 };

struct table {
    byte counts[16]; /* how many codes there are of each length */
    byte symbols[11];
};

struct decoder {
    const byte *next;
    unsigned window;
    int bits, ended;
    int predicted[COMPONENTS];
};

static const byte stream[] = {
    0x3d, 0xf2, 0xa7, 0x95, 0x1b, 0x65, 0xa9, 0x68, 0xd8, 0x87, 0x8c, 0x4c, 0xe4, 0xd3, 0xbd, 0x1b, 0xe5, 0xa8,
    0x42, 0x36, 0x31, 0xbc, 0x67, 0xff, 0xd9};
static const struct table sizes = {{0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {5, 6, 1, 2, 4}};
static const struct table runs = {{0, 2, 1, 4, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {
    0x00, 0x02, 0x03, 0x33, 0x41, 0x52, 0xe2, 0x05, 0x22, 0x23, 0x04}};
static const byte zigzag[BLOCK] = {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33,
    40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36,
    29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63};
static byte steps[BLOCK] = {
    16, 19, 22, 25, 28, 31, 34, 37, 19, 22, 25, 28, 31, 34, 37, 40, 22, 25, 28, 31,
    34, 37, 40, 43, 25, 28, 31, 34, 37, 40, 43, 46, 28, 31, 34, 37, 40, 43, 46, 49,
    31, 34, 37, 40, 43, 46, 49, 52, 34, 37, 40, 43, 46, 49, 52, 55, 37, 40, 43, 46,
    49, 52, 55, 58};

/* half the cosines of odd multiples of a sixteenth of half a turn, of 12 bits behind the point */
static const short cosines[8][8] = {{1448, 2009, 1892, 1703, 1448, 1138, 784, 400},
    {1448, 1703, 784, -400, -1448, -2009, -1892, -1138},
    {1448, 1138, -784, -2009, -1448, 400, 1892, 1703},
    {1448, 400, -1892, -1138, 1448, 1703, -784, -2009},
    {1448, -400, -1892, 1138, 1448, -1703, -784, 2009},
    {1448, -1138, -784, 2009, -1448, -400, 1892, -1703},
    {1448, -1703, 784, 400, -1448, 2009, -1892, 1138},
    {1448, -2009, 1892, -1703, 1448, -1138, 784, -400}};

static byte next_byte(struct decoder *d)
{
    byte b = *d->next++;
    if (b == 0xff) {
        byte marker = *d->next++;
        if (marker == END) {
            d->next -= 2;
            d->ended = 1;
            return 0;
        }
    }
    return b;
}

static int next_bits(struct decoder *d, int n)
{
    int value;
    while (d->bits < n) {
        d->window = d->window << 8 | next_byte(d);
        d->bits += 8;
    }
    d->bits -= n;
    value = d->window >> d->bits & ((1u << n) - 1);
    return value;
}

static int next_symbol(struct decoder *d, const struct table *t)
{
    int code = 0, first = 0, place = 0, i;

    for (i = 0; i < 16; i++) {
        code = code << 1 | next_bits(d, 1);
        if (code - first < t->counts[i])
            return t->symbols[place + code - first];
        place += t->counts[i];
        first = (first + t->counts[i]) << 1;
    }
    return -1;
}

static int next_number(struct decoder *d, int size)
{
    int value;
    if (size == 0)
        return 0;
    value = next_bits(d, size);
    return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

static int decode_block(struct decoder *d, int *last, int block[BLOCK])
{
    int k = 1, size = next_symbol(d, &sizes);

    memset(block, 0, BLOCK * sizeof *block);
    if (size < 0)
        return -1;
    *last += next_number(d, size);
    block[0] = *last * steps[0];
    while (k < BLOCK) {
        int symbol = next_symbol(d, &runs), run = symbol >> 4;
        if (symbol < 0)
            return -1;
        if ((symbol & 15) == 0) {
            if (run < 15)
                break;
            k += 16;
            continue;
        }
        k += run;
        if (k >= BLOCK)
            return -1;
        block[zigzag[k]] = next_number(d, symbol & 15) * steps[k];
        k++;
    }
    return 0;
}

static void transform(int in[BLOCK])
{
    int half[8][8], x, y, k;

    for (y = 0; y < 8; y++)
        for (x = 0; x < 8; x++) {
            int sum = 0;
            for (k = 0; k < 8; k++)
                sum += in[y * 8 + k] * cosines[x][k];
            half[y][x] = (sum + 128) >> 8;
        }
    for (x = 0; x < 8; x++)
        for (y = 0; y < 8; y++) {
            int sum = 0;
            for (k = 0; k < 8; k++)
                sum += half[k][x] * cosines[y][k];
            in[y * 8 + x] = ((sum + 32768) >> 16) + 128;
        }
}

static byte limited(int x)
{
    return x < 0 ? 0 : x > 255 ? 255 : x;
}

static byte picture[HEIGHT][WIDTH][3];

static void colour(int blocks[COMPONENTS][BLOCK], int left)
{
    int x, y;
    for (y = 0; y < 8; y++)
        for (x = 0; x < 8; x++) {
            int at = y * 8 + x, l = blocks[LUMA][at], b = blocks[BLUE][at] - 128, r = blocks[RED][at] - 128;
            byte *out = picture[y][left + x];
            out[0] = limited(l + ((r * 359 + 128) >> 8));
            out[1] = limited(l - ((b * 88 + r * 183 + 128) >> 8));
            out[2] = limited(l + ((b * 454 + 128) >> 8));
        }
}

int main(void)
{
    static struct decoder d = {.next = stream};
    int blocks[COMPONENTS][BLOCK], left, c, i;
    unsigned check = 0;
    const byte *at = &picture[0][0][0];

    for (left = 0; left < WIDTH; left += 8) {
        for (c = LUMA; c < COMPONENTS; c++) {
            if (decode_block(&d, &d.predicted[c], blocks[c])) {
                printf("no such code\n");
                return 2;
            }
            transform(blocks[c]);
        }
        colour(blocks, left);
    }
    for (i = 0; i < HEIGHT * WIDTH * 3; i++)
        check = check * 31 + *at++;
    printf("%u %d: %d %d %d\n", check, d.ended, picture[3][5][0], picture[7][12][1], picture[0][15][2]);
    return check != 2627602972u;
}
