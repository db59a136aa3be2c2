/* SPDX-License-Identifier: Apache-2.0 */
/* <ctype.h> in the "C" locale: the tables that its macros read (Linux Standard Base, __ctype_b_loc
 * and its like: from -128 to 255), and the functions. */

#define IN(c, low, high) ((c) >= (low) && (c) <= (high))
#define UPPER(c) IN(c, 'A', 'Z')
#define LOWER(c) IN(c, 'a', 'z')
#define DIGIT(c) IN(c, '0', '9')
#define HEXADECIMAL(c) (DIGIT(c) || IN(c, 'A', 'F') || IN(c, 'a', 'f'))
#define ALNUM(c) (UPPER(c) || LOWER(c) || DIGIT(c))
#define GRAPH(c) IN(c, '!', '~')

/* Which bit of a table's entry says what: as 16 bits in the order of bytes of the network. */
enum {
    IS_UPPER = 0x100,
    IS_LOWER = 0x200,
    IS_ALPHA = 0x400,
    IS_DIGIT = 0x800,
    IS_XDIGIT = 0x1000,
    IS_SPACE = 0x2000,
    IS_PRINT = 0x4000,
    IS_GRAPH = 0x8000,
    IS_BLANK = 0x1,
    IS_CNTRL = 0x2,
    IS_PUNCT = 0x4,
    IS_ALNUM = 0x8,
};

#define CLASSES(c)                                                                                 \
    (UPPER(c) * IS_UPPER + LOWER(c) * IS_LOWER + (UPPER(c) || LOWER(c)) * IS_ALPHA +               \
     DIGIT(c) * IS_DIGIT + HEXADECIMAL(c) * IS_XDIGIT + ((c) == ' ' || IN(c, 9, 13)) * IS_SPACE +  \
     IN(c, ' ', '~') * IS_PRINT + GRAPH(c) * IS_GRAPH + ((c) == ' ' || (c) == 9) * IS_BLANK +      \
     (IN(c, 0, 31) || (c) == 127) * IS_CNTRL + (GRAPH(c) && !ALNUM(c)) * IS_PUNCT +                \
     ALNUM(c) * IS_ALNUM)
#define CODE(c) ((c) < -1 ? (c) + 256 : (c))
#define TO_LOWER(c) (UPPER(c) ? (c) + 32 : CODE(c))
#define TO_UPPER(c) (LOWER(c) ? (c) - 32 : CODE(c))
#define EIGHT(of, c)                                                                               \
    of(c), of(c + 1), of(c + 2), of(c + 3), of(c + 4), of(c + 5), of(c + 6), of(c + 7)
#define EACH_OF_64(of, c)                                                                          \
    EIGHT(of, c), EIGHT(of, c + 8), EIGHT(of, c + 16), EIGHT(of, c + 24), EIGHT(of, c + 32),       \
        EIGHT(of, c + 40), EIGHT(of, c + 48), EIGHT(of, c + 56)
#define TABLE(of)                                                                                  \
    {                                                                                              \
        EACH_OF_64(of, -128), EACH_OF_64(of, -64), EACH_OF_64(of, 0), EACH_OF_64(of, 64),          \
            EACH_OF_64(of, 128), EACH_OF_64(of, 192)                                               \
    }

static const unsigned short classes[384] = TABLE(CLASSES);
static const int lower[384] = TABLE(TO_LOWER), upper[384] = TABLE(TO_UPPER);
static const unsigned short *const classes_of_0 = classes + 128;
static const int *const lower_of_0 = lower + 128, *const upper_of_0 = upper + 128;

const unsigned short *const *__ctype_b_loc(void) { return &classes_of_0; }
const int *const *__ctype_tolower_loc(void) { return &lower_of_0; }
const int *const *__ctype_toupper_loc(void) { return &upper_of_0; }

int isupper(int c) { return classes_of_0[c] & IS_UPPER; }
int islower(int c) { return classes_of_0[c] & IS_LOWER; }
int isalpha(int c) { return classes_of_0[c] & IS_ALPHA; }
int isdigit(int c) { return classes_of_0[c] & IS_DIGIT; }
int isxdigit(int c) { return classes_of_0[c] & IS_XDIGIT; }
int isspace(int c) { return classes_of_0[c] & IS_SPACE; }
int isprint(int c) { return classes_of_0[c] & IS_PRINT; }
int isgraph(int c) { return classes_of_0[c] & IS_GRAPH; }
int isblank(int c) { return classes_of_0[c] & IS_BLANK; }
int iscntrl(int c) { return classes_of_0[c] & IS_CNTRL; }
int ispunct(int c) { return classes_of_0[c] & IS_PUNCT; }
int isalnum(int c) { return classes_of_0[c] & IS_ALNUM; }
int tolower(int c) { return IN(c, -128, 255) ? lower_of_0[c] : c; }
int toupper(int c) { return IN(c, -128, 255) ? upper_of_0[c] : c; }
