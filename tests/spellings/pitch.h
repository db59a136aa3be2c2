/* SPDX-License-Identifier: Apache-2.0 */
/* rows that begin elsewhere: a spelling whose rows are longer is given the others' data */
#include <string.h>

static inline void copy_rows(void *to, int to_pitch, const void *from, int from_pitch, int rows, int bytes)
{
    for (int i = 0; i < rows; i++)
        memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, bytes);
}
