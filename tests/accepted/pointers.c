/* SPDX-License-Identifier: Apache-2.0 */
/* pointers to integers, structs and unions, moved about and subtracted */
long top(const short *a, int n) {
    const short *p = a;
    while (n-- && *p++) ;
    return p - a;
}
