/* SPDX-License-Identifier: Apache-2.0
 * From the entry (entry_*.c) to main, and from exit to the end. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/times.h>
#include <time.h>

#include "host.h"

enum { COMMAND_LINE_BYTES = 1024, MOST_ARGUMENTS = 64 };

extern int main(int, char **);
extern void __libc_init_array(void);
void tandem_begin(void);

uintptr_t sys_semihost(uintptr_t operation, uintptr_t parameters);

/* Where exit ends, with the program's own status. */
_Noreturn void _exit(int status)
{
    struct {
        uint32_t reason;
        uint32_t status;
    } told = {TANDEM_HOST_APPLICATION_EXIT, (uint32_t)status};
    for (;;)
        sys_semihost(TANDEM_HOST_EXIT, (uintptr_t)&told);
}

struct __file;
/* A byte of standard input, or that it has ended (_FDEV_EOF); the C library's own has no end. */
int sys_semihost_getc(struct __file *file)
{
    uintptr_t byte = sys_semihost(TANDEM_HOST_READ_CHARACTER, 0);
    (void)file;
    return byte > 255 ? -2 : (int)byte;
}

/* The time since reset, which the C library's clock asks for: all of it is the program's. */
clock_t times(struct tms *told)
{
    uint64_t ticks;
    sys_semihost(TANDEM_HOST_ELAPSED, (uintptr_t)&ticks);
    ticks = ticks * CLOCKS_PER_SEC / sys_semihost(TANDEM_HOST_TICKS_A_SECOND, 0);
    *told = (struct tms){.tms_utime = (clock_t)ticks};
    return (clock_t)ticks;
}

static int split(char *line, const char *end, char **argv)
{
    int count = 0;
    while (line < end && count < MOST_ARGUMENTS) {
        argv[count++] = line;
        while (*line++)
            ;
    }
    argv[count] = 0;
    return count;
}

void tandem_begin(void)
{
    static char line[COMMAND_LINE_BYTES];
    static char *argv[MOST_ARGUMENTS + 1];
    struct {
        char *line;
        uint32_t bytes;
    } asked = {line, sizeof line};
    sys_semihost(TANDEM_HOST_COMMAND_LINE, (uintptr_t)&asked);
    __libc_init_array();
    exit(main(split(line, line + asked.bytes, argv), argv));
}
