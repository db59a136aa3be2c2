/* SPDX-License-Identifier: Apache-2.0
 * The program has functions of its own with the names of the system's: nobody else calls them.
 * offload: total
 * served: 1 */
#include <stdio.h>

static int called;
#define OWN(name) int name(void) { return ++called; }
OWN(read) OWN(writev) OWN(close) OWN(lseek64) OWN(open64) OWN(fstat64) OWN(stat64) OWN(lstat64)
OWN(statx) OWN(readlink) OWN(unlink) OWN(pipe2) OWN(memfd_create) OWN(mmap)
OWN(mmap64) OWN(munmap) OWN(mprotect) OWN(mremap) OWN(madvise) OWN(mlock) OWN(getpid) OWN(gettid)
OWN(getrandom) OWN(waitpid) OWN(syscall) OWN(getcwd) OWN(poll)

int total(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

int main(void)
{
    const int a[4] = {1, 2, 3, 4};
    printf("%d", total(a, 4));
    printf(" %d\n", called);
    return 0;
}
