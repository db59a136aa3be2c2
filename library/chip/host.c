/* SPDX-License-Identifier: Apache-2.0
 * The one border between the C library and the host of a simulated chip. */
#include <stdint.h>

#include "host.h"

/* What the host writes to memory is not in the core's cache: all of it goes. */
static void forget_cached_data(void)
{
#ifdef TANDEM_FORGET_CACHED_DATA
    __asm__ volatile(TANDEM_FORGET_CACHED_DATA ::: "memory");
#endif
}

/* The C library's files, time and exit all come here. */
uintptr_t sys_semihost(uintptr_t operation, uintptr_t parameters)
{
    __asm__ volatile("" ::: "memory");
    TANDEM_HOST->parameters = parameters;
    TANDEM_HOST->operation = operation;
    uintptr_t answer = TANDEM_HOST->answer;
    forget_cached_data();
    __asm__ volatile("" ::: "memory");
    return answer;
}
