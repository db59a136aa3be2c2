/* SPDX-License-Identifier: Apache-2.0 */
/* what is for the hardware alone, or left out of it: `__SYNTHESIS__` */
#include <stdio.h>
unsigned top(unsigned a)
{
#ifndef __SYNTHESIS__
    char text[32];
    snprintf(text, sizeof text, "%u", a);
    puts(text);
#endif
    return a * 3;
}
