/* SPDX-License-Identifier: Apache-2.0 */
/* pointers to integers, structs and unions, moved about, compared and subtracted; addresses as numbers */
#include <stdint.h>
const short *top(const short *a, const short *end) {
    const short *p = a;
    while ((uintptr_t)p & 7 && p < end) p++;
    while (p < end && *p++) ;
    return p - a > 5 ? p : 0;
}
