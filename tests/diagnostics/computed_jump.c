/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(unsigned n)
{
    static void *const places[] = {&&even, &&odd};
    goto *places[n & 1];
even:
    return n / 2;
odd:
    return 3 * n + 1;
}
