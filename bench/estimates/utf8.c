// SPDX-License-Identifier: Apache-2.0
// offload: utf8
/* Text in UTF-8 as characters: a machine of states that refuses what is too long or a surrogate. */
#include <stdint.h>

enum state { START, ONE, TWO, THREE };

int utf8(const uint8_t *in, int n, uint32_t *out)
{
    enum state state = START;
    uint32_t character = 0, least = 0;
    int count = 0, wrong = 0;
    for (int i = 0; i < n; i++) {
        uint8_t c = in[i];
        switch (state) {
        case START:
            if (c < 0x80)
                out[count++] = c;
            else if (c >= 0xc0 && c < 0xe0) { character = c & 31; state = ONE; least = 0x80; }
            else if (c >= 0xe0 && c < 0xf0) { character = c & 15; state = TWO; least = 0x800; }
            else if (c >= 0xf0 && c < 0xf8) { character = c & 7; state = THREE; least = 0x10000; }
            else
                wrong++;
            break;
        default:
            if ((c & 0xc0) != 0x80) {
                wrong++;
                state = START;
                break;
            }
            character = character << 6 | (c & 63);
            state--;
            if (state == START) {
                if (character < least || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
                    wrong++;
                else
                    out[count++] = character;
            }
        }
    }
    return wrong ? -wrong : count;
}
