// SPDX-License-Identifier: Apache-2.0
// Processes that run beside each other, and streams of records between them.
//
//     TANDEM_STREAM(samples, int32_t)                       // a type `samples`, and what it can do
//
//     static void scale(const int32_t *in, uint32_t n, samples *out) {
//         for (uint32_t i = 0; i < n; i++) samples_write(out, 3 * in[i]);
//         samples_close(out);
//     }
//     static void keep(samples *in, int32_t *out) {
//         int32_t x;
//         for (uint32_t k = 0; samples_next(in, &x); k++) out[k] = x;
//     }
//     void pipeline(const int32_t *in, int32_t *out, uint32_t n) {
//         samples a = {0};
//         tandem_start(scale(in, n, &a));
//         tandem_start(keep(&a, out));
//         tandem_join();                                    // when both have returned
//     }
//
// In hardware every process is a part of its own and every stream a FIFO. Compiled by any compiler
// for Linux on x86-64 or AArch64 the processes are coroutines of one thread, and a stream holds as
// much as is written. A stream has one process that writes it and one that reads it, and does not
// outlive the join. What is read depends on what was written alone, never on time, but for what asks:
// `try`, `empty` and `full` wait for nothing, and see what there is in the cycle in which they are
// asked. A program that Tandem runs sees what its hardware sees then, in every mode; compiled by
// itself it sees what there is when it is a process's turn, and processes take turns where they ask
// in vain.
#ifndef TANDEM_STREAM_H
#define TANDEM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

// A record has at most 32 bytes.
#define TANDEM_STREAM_WORDS 4

// NAME_write(s, value)   gives a record
// NAME_close(s)          says that there are no more
// NAME_read(s)           takes a record; waits until there is one
// NAME_next(s, &value)   takes a record if there are more; false where the stream was closed
// NAME_peek(s)           the next record, which stays
// NAME_depth(s, n)       wants room for n records at least; called before the processes start
// NAME_try_read(s, &v)   takes a record if there is one now; false where there is none
// NAME_try_next(s, &v)   the same of a stream that is closed: TANDEM_RECORD, TANDEM_NOTHING, or
//                        TANDEM_END where it was closed
// NAME_try_write(s, v)   gives a record if there is room now; false where there is none
// NAME_empty(s)          whether there is no record now
// NAME_full(s)           whether there is no room for a record now
#define TANDEM_STREAM(NAME, TYPE)                                                                  \
    typedef struct {                                                                               \
        struct tandem_stream stream;                                                               \
    } NAME;                                                                                        \
    typedef char NAME##_fits[sizeof(TYPE) <= 8 * TANDEM_STREAM_WORDS ? 1 : -1];                    \
    TANDEM_UNUSED_ static inline void NAME##_write(NAME *s, TYPE value) {                          \
        uint64_t w[TANDEM_STREAM_WORDS] = {0};                                                     \
        memcpy(w, &value, sizeof value);                                                           \
        tandem_stream_write(&s->stream, sizeof value, 1, w[0], w[1], w[2], w[3]);                  \
    }                                                                                              \
    TANDEM_UNUSED_ static inline void NAME##_close(NAME *s) {                                      \
        tandem_stream_write(&s->stream, sizeof(TYPE), 0, 0, 0, 0, 0);                              \
    }                                                                                              \
    TANDEM_UNUSED_ static inline bool NAME##_take_(NAME *s, TYPE *value, int keeps) {              \
        int more = tandem_stream_read(&s->stream, sizeof *value, keeps);                           \
        uint64_t w[TANDEM_STREAM_WORDS] = {                                                        \
            tandem_stream_word(&s->stream, 0), tandem_stream_word(&s->stream, 1),                  \
            tandem_stream_word(&s->stream, 2), tandem_stream_word(&s->stream, 3)};                 \
        memcpy(value, w, sizeof *value);                                                           \
        return more != 0;                                                                          \
    }                                                                                              \
    TANDEM_UNUSED_ static inline TYPE NAME##_read(NAME *s) {                                       \
        TYPE value;                                                                                \
        NAME##_take_(s, &value, 0);                                                                \
        return value;                                                                              \
    }                                                                                              \
    TANDEM_UNUSED_ static inline bool NAME##_next(NAME *s, TYPE *value) {                          \
        return NAME##_take_(s, value, 0);                                                          \
    }                                                                                              \
    TANDEM_UNUSED_ static inline TYPE NAME##_peek(NAME *s) {                                       \
        TYPE value;                                                                                \
        NAME##_take_(s, &value, 1);                                                                \
        return value;                                                                              \
    }                                                                                              \
    TANDEM_UNUSED_ static inline enum tandem_tried NAME##_try_next(NAME *s, TYPE *value) {         \
        int tried = tandem_stream_try_read(&s->stream, sizeof *value);                             \
        uint64_t w[TANDEM_STREAM_WORDS] = {                                                        \
            tandem_stream_word(&s->stream, 0), tandem_stream_word(&s->stream, 1),                  \
            tandem_stream_word(&s->stream, 2), tandem_stream_word(&s->stream, 3)};                 \
        if (tried == 1)                                                                            \
            memcpy(value, w, sizeof *value);                                                       \
        return (enum tandem_tried)tried;                                                           \
    }                                                                                              \
    TANDEM_UNUSED_ static inline bool NAME##_try_read(NAME *s, TYPE *value) {                      \
        return NAME##_try_next(s, value) == TANDEM_RECORD;                                         \
    }                                                                                              \
    TANDEM_UNUSED_ static inline bool NAME##_try_write(NAME *s, TYPE value) {                      \
        uint64_t w[TANDEM_STREAM_WORDS] = {0};                                                     \
        memcpy(w, &value, sizeof value);                                                           \
        return tandem_stream_try_write(&s->stream, sizeof value, 1, w[0], w[1], w[2], w[3]) != 0;  \
    }                                                                                              \
    TANDEM_UNUSED_ static inline bool NAME##_empty(NAME *s) {                                      \
        return tandem_stream_empty(&s->stream) != 0;                                               \
    }                                                                                              \
    TANDEM_UNUSED_ static inline bool NAME##_full(NAME *s) {                                       \
        return tandem_stream_full(&s->stream) != 0;                                                \
    }                                                                                              \
    TANDEM_UNUSED_ static inline void NAME##_depth(NAME *s, uint32_t records) {                    \
        tandem_stream_depth(&s->stream, records);                                                  \
    }

// Starts a process: a call of a function whose result is not asked for.
#define tandem_start(call)                                                                         \
    do {                                                                                           \
        if (tandem_is_hardware()) {                                                                \
            tandem_starting();                                                                     \
            call;                                                                                  \
            tandem_started();                                                                      \
        } else {                                                                                   \
            struct tandem_task_ *tandem_task_ = tandem_new_task_(#call);                           \
            getcontext(&tandem_group_->parent);                                                    \
            if (!tandem_task_->started) {                                                          \
                tandem_task_->started = 1;                                                         \
                TANDEM_MOVE_STACK_(tandem_task_->stack + TANDEM_STACK_BYTES);                      \
                call;                                                                              \
                tandem_ended_();                                                                   \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define TANDEM_STACK_BYTES (256 * 1024)
#ifdef __clang__ // what is inlined of these stands at the line that calls them
#define TANDEM_UNUSED_ __attribute__((unused, nodebug))
#else
#define TANDEM_UNUSED_ __attribute__((unused))
#endif
#define TANDEM_ONCE_ __attribute__((weak)) // one for the program, in however many of its files

#ifdef __cplusplus
extern "C" {
#endif

struct tandem_stream {
    struct tandem_queue_ *queue;
};

enum tandem_tried { TANDEM_NOTHING, TANDEM_RECORD, TANDEM_END };

// -- in hardware these are what the words say; everywhere else they are coroutines and queues -----

struct tandem_record_ {
    uint64_t word[TANDEM_STREAM_WORDS];
    int more;
};

struct tandem_queue_ {
    struct tandem_stream *owner;
    struct tandem_queue_ *next;
    struct tandem_record_ last;
    struct tandem_record_ *records;
    size_t taken, given, room;
    uint32_t depth;
};

// What the polls of one process answer in hardware, in the order in which it asks.
struct tandem_answers_ {
    const unsigned char *answers;
    uint64_t count;
};

// Of a call: the answers of each of its processes, in the order in which they start.
struct tandem_known_ {
    const struct tandem_answers_ *processes;
    uint32_t count, started;
};

struct tandem_task_ {
    ucontext_t context;
    struct tandem_task_ *next;
    const char *call;
    char *stack;
    int started, ended;
    const struct tandem_answers_ *known;
    uint64_t asked;
};

struct tandem_group_ {
    ucontext_t parent;
    struct tandem_task_ *tasks, *last, *running;
    struct tandem_queue_ *queues;
    int moved;
};

TANDEM_ONCE_ __thread struct tandem_group_ *tandem_group_;
TANDEM_ONCE_ __thread struct tandem_known_ tandem_known_;

int tandem_is_hardware(void);
void tandem_starting(void);
void tandem_started(void);
void tandem_join(void);
void tandem_stream_depth(struct tandem_stream *s, uint32_t records);
void tandem_stream_write(struct tandem_stream *s, uint32_t bytes, int more, uint64_t w0,
                         uint64_t w1, uint64_t w2, uint64_t w3);
int tandem_stream_read(struct tandem_stream *s, uint32_t bytes, int keeps);
uint64_t tandem_stream_word(struct tandem_stream *s, uint32_t i);
int tandem_stream_try_write(struct tandem_stream *s, uint32_t bytes, int more, uint64_t w0,
                            uint64_t w1, uint64_t w2, uint64_t w3);
int tandem_stream_try_read(struct tandem_stream *s, uint32_t bytes);
int tandem_stream_empty(struct tandem_stream *s);
int tandem_stream_full(struct tandem_stream *s);
struct tandem_task_ *tandem_new_task_(const char *call);
int tandem_go_on_(void);
void tandem_ended_(void);

// The frame of a function that has called alloca is reached by another register than the stack's,
// so that a call from it can be made on another stack.
#if defined(__x86_64__)
#define TANDEM_SET_STACK_(top) __asm__ volatile("mov %0, %%rsp" : : "r"(top) : "memory")
#elif defined(__aarch64__)
#define TANDEM_SET_STACK_(top) __asm__ volatile("mov sp, %0" : : "r"(top) : "memory")
#else
#error "tandem/stream.h knows the stacks of x86-64 and AArch64 only"
#endif
#define TANDEM_MOVE_STACK_(top)                                                                    \
    do {                                                                                           \
        volatile size_t tandem_one_ = 1;                                                           \
        void *volatile tandem_kept_ = __builtin_alloca(tandem_one_);                               \
        (void)tandem_kept_;                                                                        \
        TANDEM_SET_STACK_(top);                                                                    \
    } while (0)

TANDEM_ONCE_ int tandem_is_hardware(void) { return 0; }
TANDEM_ONCE_ void tandem_starting(void) {}
TANDEM_ONCE_ void tandem_started(void) {}
TANDEM_ONCE_ void tandem_stop_(const char *why) {
    fflush(stdout);
    fprintf(stderr, "tandem/stream.h: %s\n", why);
    if (tandem_group_)
        for (struct tandem_task_ *t = tandem_group_->tasks; t; t = t->next)
            if (!t->ended)
                fprintf(stderr, "    %s waits for a record\n", t->call);
    exit(70); // EX_SOFTWARE of sysexits.h
}

TANDEM_ONCE_ void *tandem_memory_(void *old, size_t bytes) {
    void *found = realloc(old, bytes);
    if (!found)
        tandem_stop_("no memory for what streams hold");
    return found;
}

TANDEM_ONCE_ struct tandem_group_ *tandem_this_group_(void) {
    if (!tandem_group_) {
        tandem_group_ = (struct tandem_group_ *)tandem_memory_(NULL, sizeof *tandem_group_);
        memset(tandem_group_, 0, sizeof *tandem_group_);
    }
    return tandem_group_;
}

TANDEM_ONCE_ struct tandem_task_ *tandem_new_task_(const char *call) {
    struct tandem_group_ *g = tandem_this_group_();
    struct tandem_task_ *t = (struct tandem_task_ *)tandem_memory_(NULL, sizeof *t);
    if (g->running)
        tandem_stop_("a process starts another one");
    memset(t, 0, sizeof *t);
    t->call = call;
    if (tandem_known_.started < tandem_known_.count)
        t->known = &tandem_known_.processes[tandem_known_.started++];
    t->stack = (char *)tandem_memory_(NULL, TANDEM_STACK_BYTES);
    if (g->last)
        g->last->next = t;
    else
        g->tasks = t;
    g->last = g->running = t;
    return t;
}

// Back to what has started or resumed the process.
TANDEM_ONCE_ void tandem_wait_(void) {
    struct tandem_group_ *g = tandem_group_;
    struct tandem_task_ *t = g ? g->running : NULL;
    if (!t)
        tandem_stop_("a record is read that nobody has written");
    g->running = NULL;
    swapcontext(&t->context, &g->parent);
}

TANDEM_ONCE_ void tandem_ended_(void) {
    struct tandem_group_ *g = tandem_group_;
    g->running->ended = g->moved = 1;
    g->running = NULL;
    setcontext(&g->parent);
    abort(); // it has gone on elsewhere
}

// Gives all processes turns until they have ended, or wait; whether any waits.
TANDEM_ONCE_ int tandem_go_on_(void) {
    struct tandem_group_ *g = tandem_group_;
    int waiting = g && g->tasks;
    for (int moved = 1; waiting && moved; moved = g->moved) {
        waiting = g->moved = 0;
        for (struct tandem_task_ *t = g->tasks; t; t = t->next) {
            if (t->ended)
                continue;
            g->running = t;
            swapcontext(&g->parent, &t->context);
            waiting |= !t->ended;
        }
    }
    return waiting;
}

TANDEM_ONCE_ void tandem_join(void) {
    struct tandem_group_ *g = tandem_group_;
    if (tandem_go_on_())
        tandem_stop_("every process waits for another one");
    while (g && g->tasks) {
        struct tandem_task_ *t = g->tasks;
        g->tasks = t->next;
        free(t->stack);
        free(t);
    }
    while (g && g->queues) {
        struct tandem_queue_ *q = g->queues;
        g->queues = q->next;
        q->owner->queue = NULL;
        free(q->records);
        free(q);
    }
    free(g);
    tandem_group_ = NULL;
}

TANDEM_ONCE_ struct tandem_queue_ *tandem_queue_(struct tandem_stream *s) {
    if (!s->queue) {
        struct tandem_group_ *g = tandem_this_group_();
        s->queue = (struct tandem_queue_ *)tandem_memory_(NULL, sizeof *s->queue);
        memset(s->queue, 0, sizeof *s->queue);
        s->queue->owner = s;
        s->queue->next = g->queues;
        g->queues = s->queue;
    }
    return s->queue;
}

TANDEM_ONCE_ void tandem_stream_write(struct tandem_stream *s, uint32_t bytes, int more,
                                      uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3) {
    struct tandem_queue_ *q = tandem_queue_(s);
    struct tandem_record_ record = {{w0, w1, w2, w3}, more};
    (void)bytes;
    if (q->taken && q->taken == q->given)
        q->taken = q->given = 0;
    if (q->given == q->room) {
        q->room = q->room ? 2 * q->room : 64;
        q->records =
            (struct tandem_record_ *)tandem_memory_(q->records, q->room * sizeof *q->records);
    }
    q->records[q->given++] = record;
    tandem_group_->moved = 1;
}

TANDEM_ONCE_ int tandem_stream_read(struct tandem_stream *s, uint32_t bytes, int keeps) {
    struct tandem_queue_ *q = tandem_queue_(s);
    (void)bytes;
    while (q->taken == q->given)
        tandem_wait_();
    q->last = q->records[q->taken];
    q->taken += !keeps;
    tandem_group_->moved |= !keeps;
    return q->last.more;
}

TANDEM_ONCE_ uint64_t tandem_stream_word(struct tandem_stream *s, uint32_t i) {
    return s->queue->last.word[i];
}

TANDEM_ONCE_ void tandem_stream_depth(struct tandem_stream *s, uint32_t records) {
    struct tandem_queue_ *q = tandem_queue_(s);
    q->depth = records > q->depth ? records : q->depth;
}

// What hardware answers, or else `now` of what a look tells, the second one after the other
// processes have had their turns.
TANDEM_ONCE_ int tandem_ask_(struct tandem_queue_ *q, int (*now)(const struct tandem_queue_ *)) {
    struct tandem_task_ *t = tandem_group_->running;
    if (t && t->known) {
        if (t->asked == t->known->count)
            tandem_stop_("a process asks more often than in hardware");
        return t->known->answers[t->asked++];
    }
    if (!t || now(q))
        return now(q);
    tandem_group_->moved = 1;
    tandem_wait_();
    return now(q);
}

TANDEM_ONCE_ int tandem_has_(const struct tandem_queue_ *q) { return q->taken < q->given; }
TANDEM_ONCE_ int tandem_has_room_(const struct tandem_queue_ *q) {
    return !q->depth || q->given - q->taken < q->depth;
}

TANDEM_ONCE_ int tandem_stream_empty(struct tandem_stream *s) {
    return !tandem_ask_(tandem_queue_(s), tandem_has_);
}
TANDEM_ONCE_ int tandem_stream_full(struct tandem_stream *s) {
    return !tandem_ask_(tandem_queue_(s), tandem_has_room_);
}

TANDEM_ONCE_ int tandem_stream_try_read(struct tandem_stream *s, uint32_t bytes) {
    if (tandem_stream_empty(s))
        return TANDEM_NOTHING;
    return tandem_stream_read(s, bytes, 0) ? TANDEM_RECORD : TANDEM_END;
}

TANDEM_ONCE_ int tandem_stream_try_write(struct tandem_stream *s, uint32_t bytes, int more,
                                         uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3) {
    if (tandem_stream_full(s))
        return 0;
    tandem_stream_write(s, bytes, more, w0, w1, w2, w3);
    return 1;
}

#ifdef __cplusplus
}
#endif

#endif
