/* SPDX-License-Identifier: Apache-2.0
 * A handler and a thread set what the functions wait for.
 * offload: wait_for_handler
 * served: 0
 * offload: wait_for_thread
 * served: 0
 * flags: -pthread */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t stop;
static volatile int asked, answered;

static void handle(int number)
{
    stop = 1;
}

static void *answer(void *unused)
{
    while (!asked)
        usleep(100);
    answered = asked + 1;
    return 0;
}

unsigned wait_for_handler(unsigned *last)
{
    unsigned n = 0;
    do
        *last = n++;
    while (!stop);
    return n > 0;
}

int wait_for_thread(int n)
{
    asked = n;
    while (!answered)
        ;
    return answered;
}

int main(void)
{
    struct itimerval soon = {.it_value = {0, 20000}};
    pthread_t thread;
    unsigned last = 0;
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &soon, 0);
    printf("%u", wait_for_handler(&last));
    pthread_create(&thread, 0, answer, 0);
    printf(" %d\n", wait_for_thread(41));
    pthread_join(thread, 0);
    return 0;
}
