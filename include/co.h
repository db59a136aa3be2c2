/* SPDX-License-Identifier: Apache-2.0
 * Impulse C's words for processes, and what joins them: streams, signals, registers, memories.
 *
 *     void scale(co_stream in, co_stream out) {
 *         int32_t x;
 *         co_stream_open(in, O_RDONLY, INT_TYPE(32));
 *         co_stream_open(out, O_WRONLY, INT_TYPE(32));
 *         while (co_stream_read(in, &x, sizeof x) == co_err_none) {
 *             x *= 3;
 *             co_stream_write(out, &x, sizeof x);
 *         }
 *         co_stream_close(in);
 *         co_stream_close(out);
 *     }
 *     void configure(void *arg) {
 *         co_stream a = co_stream_create("a", INT_TYPE(32), 4), b = co_stream_create("b", INT_TYPE(32), 4);
 *         co_process_create("source", (co_function)source, 1, a);
 *         co_process p = co_process_create("scale", (co_function)scale, 2, a, b);
 *         co_process_create("sink", (co_function)sink, 1, b);
 *         co_process_config(p, co_loc, "PE0");              // in hardware
 *     }
 *     co_architecture co_initialize(int arg) {
 *         return co_architecture_create("example", "generic", configure, (void *)(intptr_t)arg);
 *     }
 *     int main(void) { co_execute(co_initialize(0)); }
 *
 * Compiled by any compiler, all processes are coroutines of one thread (tandem/stream.h): the
 * desktop simulation. With `--offload scale`, or `--offload co_hardware` for all that have a
 * location, Tandem makes hardware of processes: they run as one call, once software has given all
 * that they take, and software goes on with what they have given. A record has at most 32 bytes.
 */
#ifndef TANDEM_CO_H
#define TANDEM_CO_H

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tandem/stream.h>

typedef int8_t co_int8;
typedef int16_t co_int16;
typedef int32_t co_int32;
typedef int64_t co_int64;
typedef uint8_t co_uint8;
typedef uint16_t co_uint16;
typedef uint32_t co_uint32;
typedef uint64_t co_uint64;

typedef enum { co_err_none, co_err_eos, co_err_invalid_arg, co_err_not_open, co_err_no_data } co_error;
typedef enum { co_loc } co_attribute;

/* Types are what `sizeof` of a record will be, in bits. */
typedef uint32_t co_type;
#define INT_TYPE(bits) ((co_type)(bits))
#define UINT_TYPE(bits) ((co_type)(bits))
#define CHAR_TYPE ((co_type)8)
#define FLOAT_TYPE ((co_type)32)
#define DOUBLE_TYPE ((co_type)64)
#define STRUCT_TYPE(type) ((co_type)(8 * sizeof(type)))

/* How a process reaches what it shares: a FIFO beside it, or an array of what software gives to, or
 * gets of, all processes in hardware. */
enum co_place_ { CO_QUEUE_, CO_GIVEN_, CO_TAKEN_ };

/* A process's end of a stream. `count` records are given to hardware in `data`, which is at record
 * `at`; `bytes`: of a record. */
typedef struct co_stream_ {
    enum co_place_ place;
    struct tandem_stream *queue;
    unsigned char *data;
    uint64_t count, at;
    uint32_t bytes;
    int writes;
} *co_stream;
typedef co_stream co_signal;

/* One value, or a block, that processes share. */
typedef struct co_memory_ {
    unsigned char *data;
} *co_memory;
typedef co_memory co_register;

typedef void (*co_function)(void);
typedef void *co_parameter;
typedef struct co_process_ *co_process;
typedef struct co_architecture_ *co_architecture;

#ifdef __cplusplus
extern "C" {
#endif

/* -- what processes do: this is what becomes hardware ------------------------------------------ */

TANDEM_UNUSED_ static inline co_error co_stream_open(co_stream s, int mode, co_type type) {
    (void)type;
    s->writes = mode != O_RDONLY;
    return co_err_none;
}

TANDEM_UNUSED_ static inline co_error co_stream_read(co_stream s, void *record, size_t bytes) {
    if (s->place == CO_GIVEN_) {
        if (s->at == s->count)
            return co_err_eos;
        memcpy(record, s->data + s->at++ * bytes, bytes);
        return co_err_none;
    }
    int more = tandem_stream_read(s->queue, (uint32_t)bytes, 0);
    uint64_t w[TANDEM_STREAM_WORDS] = {
        tandem_stream_word(s->queue, 0), tandem_stream_word(s->queue, 1),
        tandem_stream_word(s->queue, 2), tandem_stream_word(s->queue, 3)};
    if (!more)
        return co_err_eos;
    memcpy(record, w, bytes);
    return co_err_none;
}

TANDEM_UNUSED_ static inline co_error co_stream_write(co_stream s, const void *record,
                                                      size_t bytes) {
    if (s->place == CO_TAKEN_) {
        memcpy(s->data + s->at++ * bytes, record, bytes);
        return co_err_none;
    }
    uint64_t w[TANDEM_STREAM_WORDS] = {0};
    memcpy(w, record, bytes);
    s->writes = 1;
    tandem_stream_write(s->queue, (uint32_t)bytes, 1, w[0], w[1], w[2], w[3]);
    return co_err_none;
}

/* Takes a record if there is one now; else co_err_no_data. */
TANDEM_UNUSED_ static inline co_error co_stream_read_nb(co_stream s, void *record, size_t bytes) {
    if (s->place == CO_GIVEN_)
        return co_stream_read(s, record, bytes);
    int tried = tandem_stream_try_read(s->queue, (uint32_t)bytes);
    uint64_t w[TANDEM_STREAM_WORDS] = {
        tandem_stream_word(s->queue, 0), tandem_stream_word(s->queue, 1),
        tandem_stream_word(s->queue, 2), tandem_stream_word(s->queue, 3)};
    if (tried == TANDEM_RECORD)
        memcpy(record, w, bytes);
    return tried == TANDEM_RECORD ? co_err_none : tried == TANDEM_END ? co_err_eos : co_err_no_data;
}

/* Whether the stream has ended; waits until that is known. */
TANDEM_UNUSED_ static inline int co_stream_eos(co_stream s) {
    if (s->place == CO_GIVEN_)
        return s->at == s->count;
    return !tandem_stream_read(s->queue, s->bytes, 1);
}

/* The end of a stream is told by who writes it. */
TANDEM_UNUSED_ static inline co_error co_stream_close(co_stream s) {
    if (s->place == CO_QUEUE_ && s->writes)
        tandem_stream_write(s->queue, s->bytes, 0, 0, 0, 0, 0);
    return co_err_none;
}

TANDEM_UNUSED_ static inline co_error co_signal_post(co_signal s, int32_t value) {
    return co_stream_write(s, &value, sizeof value);
}
TANDEM_UNUSED_ static inline co_error co_signal_wait(co_signal s, int32_t *value) {
    return co_stream_read(s, value, sizeof *value);
}

TANDEM_UNUSED_ static inline co_error co_register_write(co_register r, const void *value,
                                                        size_t bytes) {
    memcpy(r->data, value, bytes);
    return co_err_none;
}
TANDEM_UNUSED_ static inline co_error co_register_read(co_register r, void *value, size_t bytes) {
    memcpy(value, r->data, bytes);
    return co_err_none;
}
TANDEM_UNUSED_ static inline co_error co_register_put(co_register r, int32_t value) {
    return co_register_write(r, &value, sizeof value);
}
TANDEM_UNUSED_ static inline int32_t co_register_get(co_register r) {
    int32_t value;
    co_register_read(r, &value, sizeof value);
    return value;
}

TANDEM_UNUSED_ static inline co_error co_memory_readblock(co_memory m, size_t offset, void *buffer,
                                                          size_t bytes) {
    memcpy(buffer, m->data + offset, bytes);
    return co_err_none;
}
TANDEM_UNUSED_ static inline co_error co_memory_writeblock(co_memory m, size_t offset,
                                                           const void *buffer, size_t bytes) {
    memcpy(m->data + offset, buffer, bytes);
    return co_err_none;
}
TANDEM_UNUSED_ static inline void *co_memory_ptr(co_memory m) { return m->data; }

/* Where processes of one thread take turns, nothing has to be done for it. */
#define co_par_break() ((void)0)
/* What is for the simulation alone is for software here; hardware's processes end, too. */
#define IF_SIM(statement) statement
#define IF_NSIM(statement)
#define cosim_logwindow_create(name) ((void *)0)
#define cosim_logwindow_init() ((void)0)
#define cosim_logwindow_fwrite(...) ((void)0)

/* -- the network ------------------------------------------------------------------------------- */

enum co_kind_ { CO_STREAM_, CO_SIGNAL_, CO_REGISTER_, CO_MEMORY_, CO_NUMBER_ };

/* What processes share. `memory` has its content, `queue` its records. */
struct co_shared_ {
    enum co_kind_ kind;
    const char *name;
    uint32_t bytes, depth;
    struct tandem_stream queue;
    struct co_memory_ memory;
    uint64_t size;
    struct co_shared_ *next;
};

enum { CO_MOST_ENDS_ = 16 };
struct co_process_ {
    const char *name, *function, *location;
    co_function run;
    int count;
    struct co_shared_ *shared[CO_MOST_ENDS_];
    void *number[CO_MOST_ENDS_];
    struct co_process_ *next;
};

struct co_architecture_ {
    const char *name;
    void (*configure)(void *);
    void *argument;
    struct co_shared_ *shared, *last_shared;
    struct co_process_ *processes, *last_process;
};

/* An end of hardware's processes: what software has given, or where they leave what it gets. */
struct co_end_ {
    struct co_shared_ *shared;
    unsigned char *data;
    uint64_t count;
};

TANDEM_ONCE_ struct co_architecture_ *co_building_;
/* The part in hardware, of the processes that `co_is_hardware_` knows, if there is one. */
int co_is_hardware_(const char *function) __attribute__((weak));
void co_hardware_(struct co_end_ *(*end)(const char *name, int gives)) __attribute__((weak));
co_architecture co_initialize(int arg);

TANDEM_ONCE_ void *co_new_(size_t bytes) { return memset(tandem_memory_(NULL, bytes), 0, bytes); }

TANDEM_ONCE_ struct co_shared_ *co_share_(enum co_kind_ kind, const char *name, uint32_t bytes,
                                          uint32_t depth, uint64_t size) {
    struct co_architecture_ *a = co_building_;
    struct co_shared_ *s = (struct co_shared_ *)co_new_(sizeof *s);
    if (!a)
        tandem_stop_("co_..._create outside of the function of co_architecture_create");
    s->kind = kind;
    s->name = name;
    s->bytes = bytes;
    s->depth = depth;
    s->size = size;
    if (size)
        s->memory.data = (unsigned char *)co_new_(size);
    if (a->last_shared)
        a->last_shared->next = s;
    else
        a->shared = s;
    return a->last_shared = s;
}

TANDEM_UNUSED_ static inline co_stream co_stream_create(const char *name, co_type type, int depth) {
    return (co_stream)(void *)co_share_(CO_STREAM_, name, (type + 7) / 8, (uint32_t)depth, 0);
}
TANDEM_UNUSED_ static inline co_signal co_signal_create(const char *name) {
    return (co_signal)(void *)co_share_(CO_SIGNAL_, name, 4, 2, 0);
}
TANDEM_UNUSED_ static inline co_register co_register_create(const char *name, co_type type) {
    return (co_register)(void *)&co_share_(CO_REGISTER_, name, (type + 7) / 8, 0, 8)->memory;
}
TANDEM_UNUSED_ static inline co_memory co_memory_create(const char *name, const char *location,
                                                        size_t bytes) {
    (void)location;
    return (co_memory)(void *)&co_share_(CO_MEMORY_, name, 1, 0, bytes ? bytes : 1)->memory;
}

TANDEM_ONCE_ struct co_shared_ *co_found_(void *handle) {
    for (struct co_shared_ *s = co_building_->shared; s; s = s->next)
        if (handle == (void *)s || handle == (void *)&s->memory)
            return s;
    return NULL;
}

TANDEM_ONCE_ co_process co_process_create_(const char *written, const char *name, co_function run,
                                           int count, ...) {
    struct co_architecture_ *a = co_building_;
    struct co_process_ *p = (struct co_process_ *)co_new_(sizeof *p);
    if (!a || count > CO_MOST_ENDS_)
        tandem_stop_(a ? "a process has more than 16 arguments"
                       : "co_process_create outside of the function of co_architecture_create");
    const char *last = strrchr(written, ')');
    written = last ? last + 1 : written;
    written += strspn(written, " \t&");
    p->function = written;
    p->name = name;
    p->run = run;
    p->count = count;
    va_list handles;
    va_start(handles, count);
    for (int i = 0; i < count; i++) {
        p->number[i] = va_arg(handles, void *);
        p->shared[i] = co_found_(p->number[i]);
    }
    va_end(handles);
    if (a->last_process)
        a->last_process->next = p;
    else
        a->processes = p;
    return a->last_process = p;
}
#define co_process_create(name, run, ...) co_process_create_(#run, name, run, __VA_ARGS__)

TANDEM_UNUSED_ static inline co_error co_process_config(co_process p, co_attribute attribute,
                                                        const char *value) {
    (void)attribute;
    p->location = value;
    return co_err_none;
}

TANDEM_ONCE_ co_architecture co_architecture_create(const char *name, const char *platform,
                                                    void (*configure)(void *), void *argument) {
    struct co_architecture_ *a = (struct co_architecture_ *)co_new_(sizeof *a);
    (void)platform;
    a->name = name;
    a->configure = configure;
    a->argument = argument;
    co_building_ = a;
    configure(argument);
    return a;
}

/* A process's function with ends of its own. */
TANDEM_ONCE_ void co_call_(struct co_process_ *p) {
    struct co_stream_ ends[CO_MOST_ENDS_];
    void *a[CO_MOST_ENDS_];
    for (int i = 0; i < p->count; i++) {
        struct co_shared_ *s = p->shared[i];
        struct co_stream_ end = {CO_QUEUE_, s ? &s->queue : NULL, NULL, 0, 0, s ? s->bytes : 0, 0};
        ends[i] = end;
        a[i] = !s ? p->number[i] : s->size ? (void *)&s->memory : (void *)&ends[i];
    }
    typedef void *h;
    typedef void (*f16)(h, h, h, h, h, h, h, h, h, h, h, h, h, h, h, h);
    /* The calling conventions that tandem/stream.h knows let a function be given more than it takes. */
    for (int i = p->count; i < CO_MOST_ENDS_; i++)
        a[i] = NULL;
    ((f16)(void *)p->run)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
                          a[12], a[13], a[14], a[15]);
}

TANDEM_ONCE_ struct co_shared_ *co_named_(const char *name) {
    for (struct co_shared_ *s = co_building_->shared; s; s = s->next)
        if (!strcmp(s->name, name))
            return s;
    tandem_stop_("the network is another one than when hardware was made of it");
    return NULL;
}

enum { CO_ROOM_BYTES_ = 1 << 28 }; /* what hardware may give of one stream; only what it uses is there */

/* All that software has given to hardware of a stream, or room for what hardware gives. */
TANDEM_ONCE_ struct co_end_ *co_end_of_(const char *name, int gives) {
    struct co_end_ *e = (struct co_end_ *)co_new_(sizeof *e);
    struct co_shared_ *s = e->shared = co_named_(name);
    if (s->size) {
        e->data = s->memory.data;
        return e;
    }
    if (gives) {
        e->data = (unsigned char *)calloc(1, CO_ROOM_BYTES_);
        return e;
    }
    struct tandem_queue_ *q = tandem_queue_(&s->queue);
    e->data = (unsigned char *)co_new_((q->given - q->taken + 1) * s->bytes);
    for (; q->taken < q->given && q->records[q->taken].more; q->taken++)
        memcpy(e->data + e->count++ * s->bytes, q->records[q->taken].word, s->bytes);
    if (s->kind == CO_STREAM_ && q->taken == q->given) {
        fprintf(stderr, "co.h: stream `%s` is not closed, and hardware is given it whole\n", name);
        tandem_stop_("software waits for what hardware would give before it has given all");
    }
    q->taken = q->given;
    return e;
}

/* Software gets what hardware has given of a stream. */
TANDEM_ONCE_ void co_taken_(struct co_end_ *e) {
    struct co_shared_ *s = e->shared;
    for (uint64_t i = 0; i < e->count; i++) {
        uint64_t w[TANDEM_STREAM_WORDS] = {0};
        memcpy(w, e->data + i * s->bytes, s->bytes);
        tandem_stream_write(&s->queue, s->bytes, 1, w[0], w[1], w[2], w[3]);
    }
    if (s->kind == CO_STREAM_)
        tandem_stream_write(&s->queue, s->bytes, 0, 0, 0, 0, 0);
    free(e->data);
}

TANDEM_ONCE_ void co_execute(co_architecture a) {
    co_building_ = a;
    for (struct co_shared_ *s = a->shared; s; s = s->next)
        if (!s->size && s->depth)
            tandem_stream_depth(&s->queue, s->depth);
    for (struct co_process_ *p = a->processes; p; p = p->next)
        if (!co_is_hardware_ || !co_is_hardware_(p->function))
            tandem_start(co_call_(p));
    if (co_hardware_) {
        tandem_go_on_();
        co_hardware_(co_end_of_);
    }
    tandem_join();
}

#ifdef __cplusplus
}
#endif

#endif
