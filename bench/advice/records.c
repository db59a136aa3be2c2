// SPDX-License-Identifier: Apache-2.0
// run: --offload settle --platform pcie3-x16-xdma
// held out
// Records of several members.
#include <stdio.h>
#include <stdint.h>

struct account {
    int32_t balance;
    int16_t rate;
    uint8_t kind, open;
};

void settle(struct account *accounts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (accounts[i].open)
            accounts[i].balance += accounts[i].balance * accounts[i].rate / 1024;
}

int main(void)
{
    static struct account accounts[30][1500];
    long sum = 0;
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < 1500; j++)
            accounts[i][j] = (struct account){i * j, j % 100, 1, j & 1};
    for (int i = 0; i < 30; i++)
        settle(accounts[i], 1500);
    for (int i = 0; i < 30; i++)
        sum += accounts[i][1499].balance;
    printf("%ld\n", sum);
    return 0;
}
