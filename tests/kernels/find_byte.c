/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem extent(text, limit)

/* The position of `wanted`, or of the end of the text, or -1. */
int find_byte(const char *text, int limit, char wanted)
{
    int i;

    for (i = 0; i < limit; i++) {
        if (text[i] == wanted)
            return i;
        if (text[i] == '\0')
            break;
    }
    return i < limit ? i : -1;
}
