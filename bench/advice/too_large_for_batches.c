// SPDX-License-Identifier: Apache-2.0
// run: --offload shuffle --platform src-6e
// never: batch.calls
// Calls whose buffers fill the device's memory: two of them are not there at once.
#include <stdio.h>
#include <stdint.h>

void shuffle(const uint64_t *in, uint64_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = in[n - 1 - i] << 32 | in[n - 1 - i] >> 32;
}

int main(void)
{
    static uint64_t in[800000], out[800000];
    for (int i = 0; i < 10; i++) {
        in[i] = i;
        shuffle(in, out, 800000);
    }
    printf("%d\n", (int)(out[799990] >> 32));
    return 0;
}
