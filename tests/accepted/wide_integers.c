/* SPDX-License-Identifier: Apache-2.0 */
/* `__int128` inside the function */
unsigned long top(unsigned long a, unsigned long b) {
    return (unsigned __int128)a * b >> 64;
}
