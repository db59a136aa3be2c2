/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move */
void stencil7(const int *in, int *out)
{
    for (int z = 1; z < 5; z++)
        for (int y = 1; y < 7; y++) {
            const int *p = in + 320 * z + 40 * y + 1, *end = p + 38;
            int *to = out + 320 * z + 40 * y + 1;
            while (p < end) {
                *to++ = p[-320] + p[320] + p[-40] + p[40] + p[-1] + p[1] - 6 * *p;
                p++;
            }
        }
}

void call(const void *in, void *out) { stencil7(in, out); }
