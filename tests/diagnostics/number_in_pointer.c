/* SPDX-License-Identifier: Apache-2.0 */
int top(int n)
{
    union {
        long number;
        int *place;
    } of_device = {240};
    return *of_device.place + n;
}
