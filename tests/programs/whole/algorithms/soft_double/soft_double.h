/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles as IEEE 754 has them, computed on their bits: to the nearest, ties to even. */
#ifndef SOFT_DOUBLE_H
#define SOFT_DOUBLE_H

typedef unsigned long long soft_double;

enum raised { INVALID = 1, BY_ZERO = 2, TOO_LARGE = 4, TOO_SMALL = 8, INEXACT = 16 };

extern int raised;

soft_double soft_add(soft_double a, soft_double b);
soft_double soft_multiply(soft_double a, soft_double b);
soft_double soft_divide(soft_double a, soft_double b);
soft_double soft_from_int(int i);
int soft_less(soft_double a, soft_double b);

#endif
