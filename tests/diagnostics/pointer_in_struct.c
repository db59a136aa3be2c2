/* SPDX-License-Identifier: Apache-2.0 */
struct image {
    const unsigned char *rows[4];
    unsigned count;
};
unsigned top(const struct image *image, unsigned y)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < image->count; i++)
        sum += image->rows[y & 3][i];
    return sum;
}
