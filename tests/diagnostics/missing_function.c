/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
int other(int a, const char *b) { return a + atoi(b); }
