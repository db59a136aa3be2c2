// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
void top(uint32_t x[1])
{
    tandem_start(x[0] = 3);
    tandem_join();
}
