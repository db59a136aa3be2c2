/* SPDX-License-Identifier: Apache-2.0 */
struct image {
    const unsigned char *pixels;
    unsigned count;
};
unsigned top(const struct image *image)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < image->count; i++)
        sum += image->pixels[i];
    return sum;
}
