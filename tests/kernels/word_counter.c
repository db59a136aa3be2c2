/* SPDX-License-Identifier: Apache-2.0 */
enum state { BETWEEN, WORD, NUMBER, QUOTED };

/* Words in the low 16 bits, numbers in the next 8, quoted texts in the top 8. */
unsigned int word_counter(const char *text, unsigned int n)
{
    enum state state = BETWEEN;
    unsigned int words = 0, numbers = 0, quotes = 0, i;

    for (i = 0; i < n; i++) {
        char c = text[i];

        switch (state) {
        case BETWEEN:
            if (c == '"') {
                state = QUOTED;
            } else if (c >= '0' && c <= '9') {
                state = NUMBER;
                numbers++;
            } else if (c != ' ') {
                state = WORD;
                words++;
            }
            break;
        case QUOTED:
            if (c == '"') {
                quotes++;
                state = BETWEEN;
            }
            break;
        case NUMBER:
            if (c < '0' || c > '9')
                state = c == ' ' ? BETWEEN : WORD;
            break;
        default:
            if (c == ' ')
                state = BETWEEN;
        }
    }
    return words | numbers << 16 | quotes << 24;
}
