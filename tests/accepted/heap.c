/* SPDX-License-Identifier: Apache-2.0 */
/* blocks from the heap that do not outlive the call: malloc, calloc, realloc, free */
#include <stdlib.h>
unsigned top(const unsigned char *in, unsigned n)
{
    if (n > 256) return 0;
    unsigned char *own = malloc(n);
    unsigned *count = calloc(16, sizeof *count), most = 0;
    if (!own || !count) return 0;
    for (unsigned i = 0; i < n; i++) own[n - 1 - i] = in[i];
    for (unsigned i = 0; i < n; i++) most += ++count[own[i] & 15] * i;
    free(own);
    free(count);
    return most;
}
