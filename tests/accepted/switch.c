/* SPDX-License-Identifier: Apache-2.0 */
/* `switch` */
int top(int a) {
    switch (a) {
        case 1: return 5;
        case 2: a++;
        case 3: return a * 3;
        default: return 0;
    }
}
