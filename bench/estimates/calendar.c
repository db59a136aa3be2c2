// SPDX-License-Identifier: Apache-2.0
// offload: calendar
/* Days since 1970 as year, month and day. */
#include <stdint.h>

void calendar(const int32_t *days, int32_t *dates, int n)
{
    for (int i = 0; i < n; i++) {
        int32_t z = days[i] + 719468;
        int32_t era = (z >= 0 ? z : z - 146096) / 146097;
        uint32_t doe = z - era * 146097;
        uint32_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
        uint32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        uint32_t mp = (5 * doy + 2) / 153;
        uint32_t day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
        dates[i] = ((int32_t)yoe + era * 400 + (month <= 2)) * 10000 + month * 100 + day;
    }
}
