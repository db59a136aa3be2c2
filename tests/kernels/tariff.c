/* SPDX-License-Identifier: Apache-2.0 */
struct band {
    unsigned short from;
    unsigned char percent;
    int offset;
};

static const struct band bands[] = {
    { 0, 0, 0 }, { 1000, 10, -7 }, { 2500, 15, 118 }, { 8000, 22, 678 }, { 30000, 38, -5 },
};

void tariff(const unsigned short *income, int *due, unsigned char n)
{
    unsigned char i;

    for (i = 0; i < n; i++) {
        const struct band *band = bands;
        int k;

        for (k = 1; k < 5; k++)
            if (income[i] >= bands[k].from)
                band = &bands[k];
        due[i] = band->offset + (((income[i] - band->from) * band->percent) >> 6);
    }
}
