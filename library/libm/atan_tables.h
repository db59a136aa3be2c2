/* SPDX-License-Identifier: Apache-2.0
 * Made by make_tables.py: do not edit. */
#ifndef LIBM_ATAN_TABLES_H
#define LIBM_ATAN_TABLES_H

#include <stdint.h>

#define HALF_PI ((unsigned __int128)1 << 64 | UINT64_C(0x921fb54442d1846a)) /* Q64 */
#define WHOLE_PI ((unsigned __int128)3 << 64 | UINT64_C(0x243f6a8885a308d3)) /* Q64 */

/* (1 - atan(z) / z) / z^2 by z^2 up to 2^-11.8, of alternating signs, Q64. */
static const uint64_t ATAN_SERIES_4[] = {
    UINT64_C(0x5555555555555504),
    UINT64_C(0x3333333332a62a9d),
    UINT64_C(0x249248fe33bf18b7),
    UINT64_C(0x1c6e6fec5482a7b0),
};

/* (1 - atan(z) / z) / z^2 by z^2 up to 2^-11.8, of alternating signs, Q64. */
static const uint64_t ATAN_SERIES_2[] = {
    UINT64_C(0x5555554f4d78057d),
    UINT64_C(0x3330932cf59e1d19),
};

/* atan(i / 32), Q64. */
static const uint64_t ATAN_5[] = {
    0,
    UINT64_C(0x07ff556eea5d892a),
    UINT64_C(0x0ffaaddb967ef4e3),
    UINT64_C(0x17ee182602f10e8c),
    UINT64_C(0x1fd5ba9aac2f6dc6),
    UINT64_C(0x27adddd18cc4d8b1),
    UINT64_C(0x2f72f6979cb6044d),
    UINT64_C(0x3721aea524c14409),
    UINT64_C(0x3eb6ebf25901bac5),
    UINT64_C(0x462fd68c2fc5e098),
    UINT64_C(0x4d89dcdc1faf2f35),
    UINT64_C(0x54c2b6654735276d),
    UINT64_C(0x5bd86507937bc23a),
    UINT64_C(0x62c934e5286c95b7),
    UINT64_C(0x6993bb0f308ff2db),
    UINT64_C(0x7036d3253b27be34),
    UINT64_C(0x76b19c1586ed3da3),
    UINT64_C(0x7d03742d50505f2e),
    UINT64_C(0x832bf4a6d9867e2a),
    UINT64_C(0x892aecdfde9547b5),
    UINT64_C(0x8f005d5ef7f59f9b),
    UINT64_C(0x94ac72c9847186f6),
    UINT64_C(0x9a2f80e671bdda20),
    UINT64_C(0x9f89fdc4f4b7a1ed),
    UINT64_C(0xa4bc7d1934f70924),
    UINT64_C(0xa9c7abdc4830f5c9),
    UINT64_C(0xaeac4c38b4d8c080),
    UINT64_C(0xb36b31c91f043691),
    UINT64_C(0xb8053e2bc2319e74),
    UINT64_C(0xbc7b5deae98af281),
    UINT64_C(0xc0ce85b8ac526641),
    UINT64_C(0xc4ffaffabf8fbd55),
    UINT64_C(0xc90fdaa22168c235),
};


#endif
