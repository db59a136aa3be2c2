/* SPDX-License-Identifier: Apache-2.0
 * What a simulated chip has beside its hardware: the host, which files, the console, arguments and
 * the end of the program go to. A store to `operation` is the request, with the address of its
 * parameters in `parameters`; the answer is in `answer` when the store is done. Operations and
 * parameters are those of Arm's semihosting (Semihosting for AArch32 and AArch64, 2.0), but that
 * the command line's arguments are each followed by a zero byte. */
#ifndef TANDEM_CHIP_HOST_H
#define TANDEM_CHIP_HOST_H

#include <stdint.h>

#define TANDEM_HOST_BASE 0xf0000000u

struct tandem_host {
    uint32_t operation;
    uint32_t parameters;
    uint32_t answer;
};

#define TANDEM_HOST ((volatile struct tandem_host *)TANDEM_HOST_BASE)

enum { TANDEM_HOST_READ_CHARACTER = 0x07 };
enum { TANDEM_HOST_COMMAND_LINE = 0x15, TANDEM_HOST_EXIT = 0x20 };
enum { TANDEM_HOST_ELAPSED = 0x30, TANDEM_HOST_TICKS_A_SECOND = 0x31 };
enum { TANDEM_HOST_APPLICATION_EXIT = 0x20026 };

#endif
