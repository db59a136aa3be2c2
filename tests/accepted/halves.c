/* SPDX-License-Identifier: Apache-2.0 */
/* `_Float16` and `__bf16`: read, written, converted, and computed with as `float` */
#pragma tandem extent(a, n * 2)
#pragma tandem extent(b, n * 2)
float top(const _Float16 *a, __bf16 *b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        _Float16 x = a[i] * (_Float16)0.5 + (_Float16)1;
        sum += (float)x - (float)b[i];
        b[i] = (__bf16)(sum < 100 ? sum : 100.0);
    }
    return sum;
}
