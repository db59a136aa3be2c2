/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder share. Each calls one function of dense linear algebra, of
   stencils or the like, once. */
#include <stdio.h>

/* Functions with their sizes as arguments are their file's own: all calls are known, and hardware
   is for the sizes that they give. With ANY_SIZE it is for all others too. */
#ifdef ANY_SIZE
#define SIZED
#else
#define SIZED static
#endif

/* Numbers from 0.5 to 1.5. */
static inline void fill(void *numbers, unsigned long bytes)
{
    static unsigned state = 12345;
    double *to = numbers;
    for (unsigned long i = 0; i < bytes / sizeof *to; i++) {
        state = state * 1664525u + 1013904223u;
        to[i] = 0.5 + (state >> 8) / 16777216.0;
    }
}

/* A sum over results. */
static inline int told(const void *numbers, unsigned long bytes)
{
    const double *from = numbers;
    double sum = 0;
    for (unsigned long i = 0; i < bytes / sizeof *from; i++)
        sum = sum / 2 + from[i];
    printf("%.17g\n", sum);
    return 0;
}
