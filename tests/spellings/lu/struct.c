/* SPDX-License-Identifier: Apache-2.0 */
/* a matrix in a struct */
#include <string.h>
struct matrix {
    double at[24][24];
};

void lu(struct matrix *m)
{
    for (int k = 0; k < 24; k++)
        for (int i = k + 1; i < 24; i++) {
            m->at[i][k] = m->at[i][k] / m->at[k][k];
            for (int j = k + 1; j < 24; j++)
                m->at[i][j] = m->at[i][j] - m->at[i][k] * m->at[k][j];
        }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 576 * 8);
    lu(out);
}
