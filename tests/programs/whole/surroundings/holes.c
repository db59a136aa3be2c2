/* SPDX-License-Identifier: Apache-2.0
 * Of an array's pages only some are there, and some come only when they are asked for.
 * offload: pick
 * served: 3 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 64 };
static char *base;
static int faults;

static void give(int number, siginfo_t *info, void *context)
{
    char *page = base + ((char *)info->si_addr - base) / PAGE * PAGE;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    memset(page, 1 + (page - base) / PAGE, PAGE);
    faults++;
}

unsigned pick(unsigned char *a, unsigned n, unsigned step)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i += step) {
        sum = 3 * sum + a[i];
        a[i] += 1;
    }
    return sum;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = give, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, 0);
    base = mmap(0, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("%u", pick((unsigned char *)base, PAGES * PAGE, 4 * PAGE));
    printf(" %d", faults);
    printf(" %u", pick((unsigned char *)base, 8 * PAGE, 2 * PAGE - 1));
    printf(" %d", faults);
    printf(" %u", pick((unsigned char *)base, 3, 1));
    printf(" %d\n", faults);
    return 0;
}
