/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(volatile unsigned *status)
{
    return *status;
}
