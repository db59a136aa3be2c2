/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(unsigned *count)
{
    return __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
}
