/* SPDX-License-Identifier: Apache-2.0
 * A thread, and a coroutine, with hardly more stack than their function needs.
 * offload: add
 * served: 2
 * flags: -pthread */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static int a[8];
static ucontext_t back, own;

void add(int *b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] += i;
}

static void *work(void *unused)
{
    add(a, 8);
    return 0;
}

static void coroutine(void)
{
    add(a, 8);
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    pthread_create(&thread, &attributes, work, 0);
    pthread_join(thread, 0);
    getcontext(&own);
    own.uc_stack.ss_size = 16384;
    own.uc_stack.ss_sp = malloc(own.uc_stack.ss_size);
    own.uc_link = &back;
    makecontext(&own, coroutine, 0);
    swapcontext(&back, &own);
    printf("%d\n", a[7]);
    return 0;
}
