/* SPDX-License-Identifier: Apache-2.0 */
/* `memcpy`, `memset` and `memmove` of any size */
#include <string.h>
void top(char *to, const char *from, unsigned long n) {
    memset(to, 0, 16);
    memmove(to, from, n);
}
