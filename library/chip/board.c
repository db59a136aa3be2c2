/* SPDX-License-Identifier: Apache-2.0
 * The border between the C library and a chip that has no host beside it: a console on the serial
 * line, the timer's time, no files, no arguments but the program's name, and an end at which the
 * core stops.
 * Operations as in host.h. */
#include <stdint.h>

#define UART (*(volatile uint32_t *)TANDEM_UART_BASE)
#define TIMER ((const volatile uint32_t *)TANDEM_TIMER_BASE)

enum { OPEN = 1, CLOSE, WRITE_CHARACTER, WRITE_TEXT, WRITE, READ, IS_TERMINAL = 9 };
enum { CLOCK = 0x10, TIME = 0x11, COMMAND_LINE = 0x15, EXIT = 0x18, EXIT_EXTENDED = 0x20 };
enum { ELAPSED = 0x30, TICKS_A_SECOND = 0x31 };

static void send(char byte)
{
    while (UART & 1)
        ;
    UART = (unsigned char)byte;
}

static uintptr_t send_all(const char *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        send(bytes[i]);
    return 0;
}

/* Cycles since reset: the timer keeps the high word from when the low one was read. */
static uint64_t cycles(void)
{
    const uint32_t low = TIMER[0];
    return (uint64_t)TIMER[1] << 32 | low;
}

static uintptr_t elapsed(uint32_t *ticks)
{
    const uint64_t now = cycles();
    ticks[0] = (uint32_t)now;
    ticks[1] = (uint32_t)(now >> 32);
    return 0;
}

static uintptr_t name(uint32_t *asked)
{
    *(char *)asked[0] = 0;
    asked[1] = 1;
    return 0;
}

_Noreturn static void end(uint32_t status)
{
    register uint32_t a0 __asm__("a0") = status;
#ifdef TANDEM_HAS_TRAPS
    /* Where the core goes on behind it: nowhere. */
    __asm__ volatile("la t0, 1f\n"
                     "csrw mtvec, t0\n"
                     "ebreak\n"
                     ".balign 4\n"
                     "1: j 1b" ::"r"(a0)
                     : "t0");
#endif
    for (;;)
        __asm__ volatile("ebreak" ::"r"(a0));
}

uintptr_t sys_semihost(uintptr_t operation, uintptr_t parameters)
{
    uint32_t *given = (uint32_t *)parameters;
    switch (operation) {
    case OPEN:
    case IS_TERMINAL:
        return 1;
    case CLOSE:
        return 0;
    case WRITE_CHARACTER:
        return send_all((const char *)parameters, 1);
    case WRITE_TEXT:
        for (const char *text = (const char *)parameters; *text; text++)
            send(*text);
        return 0;
    case WRITE:
        return send_all((const char *)given[1], given[2]);
    case READ:
        return given[2];
    case CLOCK:
        return (uintptr_t)(cycles() * 100 / TANDEM_CLOCK_HZ);
    case TIME:
        return (uintptr_t)(cycles() / TANDEM_CLOCK_HZ);
    case ELAPSED:
        return elapsed(given);
    case TICKS_A_SECOND:
        return TANDEM_CLOCK_HZ;
    case COMMAND_LINE:
        return name(given);
    case EXIT:
        end(1);
    case EXIT_EXTENDED:
        end(given[1]);
    default:
        return (uintptr_t)-1;
    }
}
