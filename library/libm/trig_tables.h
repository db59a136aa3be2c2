/* SPDX-License-Identifier: Apache-2.0
 * Made by make_tables.py: do not edit. */
#ifndef LIBM_TRIG_TABLES_H
#define LIBM_TRIG_TABLES_H

#include <stdint.h>

/* Its bits, the first of them worth 2^96. */
static const uint64_t TWO_OVER_PI[] = {
    0,
    UINT64_C(0x00000000517cc1b7),
    UINT64_C(0x27220a94fe13abe8),
    UINT64_C(0xfa9a6ee06db14acc),
    UINT64_C(0x9e21c820ff28b1d5),
    UINT64_C(0xef5de2b0db92371d),
    UINT64_C(0x2126e97003249775),
    UINT64_C(0x04e8c90e7f0ef58e),
    UINT64_C(0x5894d39f74411afa),
    UINT64_C(0x975da24274ce3813),
    UINT64_C(0x5a2fbf209cc8eb1c),
    UINT64_C(0xc1a99cfa4e422fc5),
    UINT64_C(0xdefc941d8ffc4bff),
    UINT64_C(0xef02cc07f79788c5),
    UINT64_C(0xad05368fb69b3f67),
    UINT64_C(0x93e584dba7a31fb3),
    UINT64_C(0x4f2ff516ba93dd63),
    UINT64_C(0xf5f2f8bd9e839cfb),
    UINT64_C(0xc529497535fdafd8),
    UINT64_C(0x8fc6ae842b019823),
};

/* sin(pi / 2 * f) / f by f^2 up to 1/4, of alternating signs, Q62. */
static const uint64_t SIN_7[] = {
    UINT64_C(0x6487ed5110b4611a),
    UINT64_C(0x295779cc4b7ca577),
    UINT64_C(0x0519af19dd6ab648),
    UINT64_C(0x004cb4b3398ab089),
    UINT64_C(0x0002a0f0690b97b0),
    UINT64_C(0x00000f183a5a7f98),
    UINT64_C(0x0000003d1dda25dc),
    UINT64_C(0x00000000b62dc3af),
};

/* cos(pi / 2 * f) by f^2 up to 1/4, of alternating signs, Q62. */
static const uint64_t COS_7[] = {
    UINT64_C(0x4000000000000000),
    UINT64_C(0x4ef4f326f9177922),
    UINT64_C(0x103c1f081b5aac33),
    UINT64_C(0x0155d3c7e3c90f7e),
    UINT64_C(0x000f0fa8341aaf0a),
    UINT64_C(0x000069b47b1e41b0),
    UINT64_C(0x000001f9cc41140c),
    UINT64_C(0x00000006c992e855),
};

/* sin(pi / 2 * f) / f by f^2 up to 1/4, of alternating signs, Q62. */
static const uint64_t SIN_4[] = {
    UINT64_C(0x6487ed510ed61a5c),
    UINT64_C(0x295779cad5cdcb28),
    UINT64_C(0x0519aeeb229539f2),
    UINT64_C(0x004cb2a75e7f1995),
    UINT64_C(0x00029790b9964276),
};

/* cos(pi / 2 * f) by f^2 up to 1/4, of alternating signs, Q62. */
static const uint64_t COS_4[] = {
    UINT64_C(0x3ffffffff2f0bd6b),
    UINT64_C(0x4ef4f31cc4ecc353),
    UINT64_C(0x103c1dc16cde6e09),
    UINT64_C(0x0155c57912f05fc9),
    UINT64_C(0x000ece173f8ade79),
};


#endif
