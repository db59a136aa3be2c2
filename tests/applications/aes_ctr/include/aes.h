// SPDX-License-Identifier: Apache-2.0
#ifndef AES_H
#define AES_H

#include <stddef.h>
#include <stdint.h>

struct aes_ctx {
    uint8_t round_key[176];
};

void aes_init(struct aes_ctx *ctx, const uint8_t key[16]);
void aes_encrypt_block(const struct aes_ctx *ctx, const uint8_t in[16], uint8_t out[16]);

/* `counter` is the first block's and is left as the next block's. */
void aes_ctr(const struct aes_ctx *ctx, uint8_t counter[16], const uint8_t *in, uint8_t *out, size_t blocks);

#endif
