// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
uint64_t rotate_all(uint64_t *data, int n);
