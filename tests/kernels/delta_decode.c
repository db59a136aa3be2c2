/* SPDX-License-Identifier: Apache-2.0 */
/* Signed steps on signed values, kept within signed char. */
signed char delta_decode(const signed char *steps, signed char *values, long n, signed char start)
{
    signed char now = start;
    long i = 0;

    do {
        if (n <= 0)
            return -1;
        now = (signed char)(now + steps[i]);
        values[i] = now < 0 ? -(now + 1) : now;
    } while (++i < n);
    return now;
}
