/* SPDX-License-Identifier: Apache-2.0 */
struct window {
    unsigned words[8];
};
unsigned top(struct window window, unsigned i)
{
    return window.words[i & 7];
}
