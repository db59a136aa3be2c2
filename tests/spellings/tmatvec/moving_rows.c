/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move along rows */
void tmatvec(const int *a, const int *x, int *y)
{
    for (int *p = y; p != y + 24; p++)
        *p = 0;
    for (int i = 0; i < 24; i++, x++)
        for (int *p = y; p != y + 24; p++, a++)
            *p += *a * *x;
}

void call(const void *in, void *out) { tmatvec(in, (const int *)in + 576, out); }
