/* SPDX-License-Identifier: Apache-2.0 */
/* What a C++ compiler calls around the constructor of an object that is static in a function: the
 * first byte of the guard says whether the object is there. A kernel has one call at a time. */

int __cxa_guard_acquire(unsigned char *guard)
{
    return !*guard;
}

void __cxa_guard_release(unsigned char *guard)
{
    *guard = 1;
}

void __cxa_guard_abort(unsigned char *guard)
{
    *guard = 0;
}
