// SPDX-License-Identifier: Apache-2.0
// What a processor core is measured with: checksums, a sort, pseudo-random numbers, a matrix product.
// It has no library; it ends in a jump to itself.
#define LENGTH 2048
#define SORTED 200
#define SIZE 16

static unsigned table[256];
static unsigned char data[LENGTH];
static int matrices[3][SIZE][SIZE];
unsigned result;

__attribute__((section(".text.start"), naked)) void _start(void)
{
    __asm__("li sp, 0xf000\n call work\n 1: j 1b");
}

static void make_table(void)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
}

static unsigned checksum(const unsigned char *bytes, int count)
{
    unsigned c = ~0u;
    while (count--)
        c = c >> 8 ^ table[(c ^ *bytes++) & 255];
    return ~c;
}

static void sort(unsigned char *bytes, int count)
{
    for (int i = 1; i < count; i++) {
        const unsigned char byte = bytes[i];
        int j = i;
        for (; j && bytes[j - 1] > byte; j--)
            bytes[j] = bytes[j - 1];
        bytes[j] = byte;
    }
}

static void multiply(int divisor)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            int sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += matrices[0][i][k] * matrices[1][k][j];
            matrices[2][i][j] = sum % divisor;
        }
}

void work(void)
{
    unsigned state = 1;
    make_table();
    for (int i = 0; i < LENGTH; i++) {
        state = state * 1103515245u + 12345;
        data[i] = state >> 16;
    }
    for (int round = 0; round < 20; round++)
        result += checksum(data, LENGTH);
    sort(data, SORTED);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            matrices[0][i][j] = i * j + result;
            matrices[1][i][j] = i - j;
        }
    for (int round = 0; round < 10; round++)
        multiply(round + 7);
    result += matrices[2][3][4];
}
