/* SPDX-License-Identifier: Apache-2.0
 *
 * tandem.h - the host side of Tandem: the one door through which programs in any language
 * reach a kernel and the simulated platform it sits on.
 *
 * The generated stub of an offloaded function is the usual caller. All times are kept by the
 * engine in picoseconds of simulated time; all sizes are bytes; all byte orders are the host's
 * (little-endian). Functions return 0 or a negative `enum tandem_status`; the text of the last
 * error of the calling thread is `tandem_error()`. No panic crosses this border.
 *
 * The engine reads these environment variables when the first call arrives:
 *   TANDEM_MODE      native | emulate | simulate         (default: emulate)
 *   TANDEM_CLOCK     scheduled | stepped: what tells simulated hardware the time, the schedule or
 *                    the edges of its own clock          (default: scheduled)
 *   TANDEM_PLATFORM  path of a platform file             (needed unless the mode is native)
 *   TANDEM_SET       what shall be otherwise than that file says: `component.number=value`, one a
 *                    line (optional)
 *   TANDEM_REPORT    where the run's JSON is written when the program exits (optional)
 *   TANDEM_SPANS     every span goes to a file of this name with the process's number, and the report
 *                    names it (optional)
 *   TANDEM_WAVE      what hardware does in mode simulate goes to a file of this name with the process's
 *                    number, of which tandem_wave makes a wave; TANDEM_WAVE_CALLS and
 *                    TANDEM_WAVE_WINDOW: of which calls and picoseconds, each FROM:TO (optional)
 *   TANDEM_BASELINE_RUNS  how often the C of a kernel's first calls is timed      (default: 1)
 *   TANDEM_PROGRESS  1: long simulations tell their progress on standard error (optional)
 */
#ifndef TANDEM_H
#define TANDEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TANDEM_ABI_VERSION 4

enum tandem_status {
    TANDEM_OK = 0,
    TANDEM_BAD_ARGUMENT = -1, /* a null pointer, an unknown name, an annotation that is too small */
    TANDEM_BAD_PACKAGE = -2,  /* made by another version, cut short, or changed since */
    TANDEM_BAD_PLATFORM = -3, /* unreadable, or a number missing or with a wrong unit */
    TANDEM_TOO_LARGE = -4,    /* the call's buffers do not fit the device's memory */
    TANDEM_WRONG_RESULT = -5, /* the hardware's result differs from the C function's */
    TANDEM_WRONG_CYCLES = -6, /* the hardware's cycle count differs from the schedule's */
    TANDEM_INTERNAL = -7,
    TANDEM_DEADLOCK = -8,     /* the kernel's processes wait for each other for ever */
    TANDEM_DEVICE_FAILED = -9, /* a device died, or could not be loaded, as the platform has it */
    TANDEM_TIMED_OUT = -10     /* a call has not ended in the time that its program would wait */
};

/* One file of a package (see docs/package.md), held in memory. */
typedef struct tandem_file {
    const char *name; /* "manifest.json", "ahead.so", "rtl.so" */
    const void *data;
    size_t bytes;
} tandem_file;

/* A kernel as the executable holds it: the files of its package. Must outlive every call. */
typedef struct tandem_package {
    uint32_t abi_version; /* TANDEM_ABI_VERSION of the stub */
    uint32_t file_count;
    const tandem_file *files;
} tandem_package;

/* A call under way: the caller's storage, the engine's content. */
typedef struct tandem_entry {
    uint64_t state[8];
} tandem_entry;

/* A call of an offloaded function is three steps. The function itself runs in the program, on the
 * program's own buffers, in every mode; the engine adds time, and in simulate mode the hardware.
 *
 *     tandem_entry call;
 *     if (tandem_enter(&call, &package, data, count) < 0) ...
 *     do
 *         result = function(...);
 *     while ((status = tandem_leave(&call)) > 0);
 *
 * `data[k]` is, in the order of the manifest's `arguments`, the pointer itself for an array, the
 * address of the value for a scalar, and the address where the result will be for the result. */

/* Looks ahead and, in simulate mode, lets the hardware run on copies. Of the program's memory
 * nothing is changed. Errors: every tandem_status but TANDEM_WRONG_CYCLES; the function has then
 * not run, and tandem_leave is not called. */
int tandem_enter(tandem_entry *call, const tandem_package *package, void *const *data,
                 uint32_t count);

/* After the function has run: compares and books. Returns 1 where the function shall run once more
 * (in a process of its own, which takes its time and ends; the program sees nothing of it), 0 when
 * the call is over, or a negative status; the buffers hold the function's own results then. */
int tandem_leave(tandem_entry *call);

/* What the polls of one process of a call have answered, in the order in which it asked: 1 where there
 * was a record, or room. */
typedef struct tandem_polls {
    const unsigned char *answers;
    uint64_t count;
} tandem_polls;

/* The answers to the polls of a call, process by process in the order in which they start, until
 * tandem_leave; null where hardware has no part in the call. */
const tandem_polls *tandem_answers(const tandem_entry *call, uint32_t *processes);

/* The pointer that stands `offset` bytes behind `parent`; null where no memory of the program is
 * there: a call may be given a pointer that it never follows. */
void *tandem_field(const void *parent, int64_t offset);

/* ---- For programs that drive kernels by themselves ----------------------------------------------
 *
 *     tandem_reserve("src-6e.toml", NULL, "emulate");
 *     int64_t kernel = tandem_open("des3_encrypt.tandem");
 *     int64_t event = tandem_submit(kernel, arguments, 4, 1, 0);
 *     ...
 *     if (tandem_wait(event, 5000000000) == TANDEM_TIMED_OUT) ...      (5 ms of simulated time)
 *
 * A call has its values when it is submitted: the kernel's C runs then, on the program's own
 * memory, and in simulate mode the hardware, whose results are compared (with TANDEM_CLOCK=stepped
 * when its turn comes: what differs is told by tandem_wait). On the simulated clock it
 * happens when the device comes to it; the clock goes on in tandem_wait, tandem_call,
 * tandem_configure and tandem_work, and in nothing else. Two runs give the same times. */

/* An argument, in the order of the manifest's `arguments`: the array itself, or the address of a
 * number, of the result, or of a small array that goes by value; and how many bytes there are from
 * there on (SIZE_MAX: enough). Too few are refused before anything reads them. */
typedef struct tandem_argument {
    void *data;
    size_t bytes;
} tandem_argument;

/* Begins a run on a platform, in place of what the environment says and of the run before, whose
 * kernels and events are then unknown. Its report goes where TANDEM_REPORT says, in the place of the
 * one before. `changes` as for tandem_platform_check; `mode` as TANDEM_MODE; in native mode `path`
 * may be null. */
int tandem_reserve(const char *path, const char *changes, const char *mode);

/* Opens a package (a folder, made with `tandem build --models`). Returns the kernel's number, which
 * no other run has, or a negative status. The same package twice is one kernel. */
int64_t tandem_open(const char *folder);

/* Loads the kernel into the device now, so that no call waits for that. */
int tandem_configure(int64_t kernel);

/* Hands `calls` calls of a kernel over together, the `count` arguments of one after those of the
 * other, behind all else in `queue` (any number; calls of one queue happen in turn, those of
 * different ones at once). Together they cost the driver one call, and end together. Returns an
 * event, or a negative status: then nothing was submitted. TANDEM_BAD_ARGUMENT where the
 * calls touch what is in flight in another queue and one of the two writes: on a real device the
 * result would be a matter of luck. */
int64_t tandem_submit(int64_t kernel, const tandem_argument *arguments, uint32_t count,
                      uint32_t calls, uint32_t queue);

/* Lets simulated time pass until what was submitted has ended, at most `most_ps` picoseconds
 * (UINT64_MAX: as long as it takes). TANDEM_TIMED_OUT: not yet; it may be waited for again. Any
 * other answer is the last one, and the event is then unknown. */
int tandem_wait(int64_t event, uint64_t most_ps);

/* Gives up what was submitted: it ends where it stands on the simulated clock. */
int tandem_cancel(int64_t event);

/* tandem_submit to queue 0, and tandem_wait. */
int tandem_call(int64_t kernel, const tandem_argument *arguments, uint32_t count);

/* The program has worked for `ps` picoseconds since: time passes, and what is in flight goes on. The
 * clock counts 2^64 of them, 213 days; TANDEM_BAD_ARGUMENT for more. */
int tandem_work(uint64_t ps);

/* The simulated time. */
int tandem_now(uint64_t *time_ps);

enum tandem_pages {
    TANDEM_PAGES_ORDINARY = 0,
    TANDEM_PAGES_LOCKED = 1, /* locked (mlock): the link reaches them, so that the driver need not
                                copy (`copy_bandwidth` of the platform) */
    TANDEM_PAGES_HUGE = 2,   /* huge ones (MAP_HUGETLB; where none are reserved, MADV_HUGEPAGE),
                                locked too */
    TANDEM_PAGES_DEVICE = 3  /* the device's memory: what is in it stays there, and moves, whole, when
                                another device or the program needs it and has not got it */
};

/* Memory for a program's buffers, zero, really asked of the operating system so; null if it
 * refuses, with its reason in tandem_error(). */
void *tandem_allocate(size_t bytes, uint32_t pages);

/* Before the program reads device memory that calls have written, or, with `writes`, writes it after
 * calls have used it: brings it, if the device alone has what is newest. TANDEM_BAD_ARGUMENT while a
 * call that nobody has waited for uses it. */
int tandem_sync(void *memory, int writes);

/* Gives it back. TANDEM_BAD_ARGUMENT while a call that nobody has waited for uses it. */
int tandem_free(void *memory);

/* Writes the report of the run so far as JSON (docs/trace.md), as tandem_platform_json does. */
int64_t tandem_report(char *text, size_t bytes);

/* Runs one call on a model of the hardware alone, without a platform: `model` is the path of a
 * package's rtl.so, or of another object with its interface (docs/package.md). `arguments` and
 * `intervals` (the least cycles between two records of a stream; 1 for all others) are `count`, in
 * the manifest's order; what the hardware writes, it writes there. `*cycles` becomes the call's,
 * from the one with `start` to the one with `done`. TANDEM_WRONG_RESULT if the hardware leaves an
 * array, TANDEM_WRONG_CYCLES if it has not ended after `most_cycles`. `toggles` is null, or as many
 * as the model's `tandem_rtl_counted_count`: those of a model that counts. */
int tandem_simulate(const char *model, const struct tandem_argument *arguments,
                    const uint32_t *intervals, uint32_t count, uint64_t most_cycles,
                    uint64_t *cycles, uint64_t *toggles);

/* Makes a wave of what a run has left with TANDEM_WAVE. `request` is JSON: `recording` that file, `file`
 * the wave, `format` "fst" or "vcd", `from_ps` and `to_ps` its window, `report` a file for what it has,
 * as JSON. */
int tandem_wave(const char *request);

/* Runs programs on a processor core's fast model and on its RTL, side by side, and compares them
 * cycle by cycle. `request` and the report are JSON (python/tandem/models/cores.py). Writes the
 * report into `text` as tandem_platform_json does. */
int64_t tandem_lockstep(const char *request, char *text, size_t bytes);

/* Runs a program on a processor core's model with nothing around it but memory, and tells of each
 * instruction when it retired. `request` and the report are JSON (python/tandem/models/cores.py).
 * Writes the report into `text` as tandem_platform_json does. */
int64_t tandem_trace_core(const char *request, char *text, size_t bytes);

/* ---- Platforms, errors ------------------------------------------------------------------------ */

/* Checks a platform file, and `changes` to it: null, or `component.number=value`, one a line, such
 * as "link.bandwidth=1.6GB/s"; the component by its name, or all of a kind. Returns 0, or
 * TANDEM_BAD_PLATFORM with every finding in tandem_error(), one a line: `FILE:LINE: error: ...` or
 * `--set CHANGE: error: ...`, with its cure. */
int tandem_platform_check(const char *path, const char *changes);

/* Writes the platform file as JSON (all numbers in ps, bytes, bytes/s) into `text`, at most
 * `bytes` with the final zero. Returns the length that was needed, or a negative status. */
int64_t tandem_platform_json(const char *path, const char *changes, char *text, size_t bytes);

/* Whether a platform file is one of a chip (docs/chips.md), for which the functions below are: 1, or
 * 0 for one of devices beside a host, and for what cannot be read. */
int tandem_platform_is_chip(const char *path);

/* As tandem_platform_json, of a chip. */
int64_t tandem_chip_json(const char *path, const char *changes, char *text, size_t bytes);

/* A program on a chip's processor, out of reset. */
typedef struct TandemChip TandemChip;

/* Loads a program: `request` is JSON (docs/chips.md). `*chip` becomes what runs it. */
int tandem_chip_open(const char *request, TandemChip **chip);

/* Goes on for so many clock cycles. Returns 1 while the program goes on, 0 when it has ended, and 2
 * where the request has it stopped, from where it does not go on.
 * TANDEM_WRONG_RESULT where a kernel has left something else than its C function,
 * TANDEM_BAD_ARGUMENT where the program does what it must not: tandem_error() says what, and where. */
int tandem_chip_run(TandemChip *chip, uint64_t cycles);

/* Ends the wave that the request asks for, if it does: the file is whole then. Also behind an error.
 * TANDEM_BAD_ARGUMENT if it cannot be written. */
int tandem_chip_end_wave(TandemChip *chip);

/* Writes what it has come to so far as JSON, as tandem_platform_json does. */
int64_t tandem_chip_report(TandemChip *chip, char *text, size_t bytes);

/* Writes where in the program it is: a function's name, and how far behind its begin. */
int64_t tandem_chip_place(TandemChip *chip, char *text, size_t bytes);

/* An access of a kernel's shell (docs/chips.md), and what has come of it. */
typedef struct TandemAccess {
    uint32_t idle_cycles; /* from the acknowledgement of the one before to this request, at least 1 */
    uint32_t offset;      /* of the register: 0, 4 or 8 */
    uint32_t is_write;
    uint32_t word;        /* what is written, or was read */
    uint64_t acknowledged; /* the cycle of the acknowledgement */
} TandemAccess;

/* Lets a shell answer accesses one after the other, without a chip: `kernel` is the JSON of one of
 * the request's kernels. */
int tandem_shell_replay(const char *kernel, TandemAccess *accesses, size_t count);

/* A cycle at one end of a chip's bus (docs/chips.md), by its pins, in words whose meaning the file of
 * the protocol in engine/src/chip/bus has: what others say, and what the end says. */
typedef struct TandemPins {
    uint32_t given[6];
    uint32_t said[8];
} TandemPins;

/* What a shell's end of a bus of a protocol says to what is given, from reset on, without a chip:
 * `kernel` is the JSON of one of the request's kernels, `protocol` as in a chip's file. */
int tandem_front_replay(const char *kernel, const char *protocol, TandemPins *cycles, size_t count);

/* The same of the core's end. */
int tandem_bridge_replay(const char *protocol, TandemPins *cycles, size_t count);

/* Ends it. */
void tandem_chip_close(TandemChip *chip);

/* Writes the report (TANDEM_REPORT) now; done by itself when the program ends, and while it runs.
 * A forked process that calls kernels writes its own beside it, with its process id appended. */
int tandem_close(void);

/* The last error of this thread, or "". Valid until the thread's next call. */
const char *tandem_error(void);

/* "0.1.0": the engine's version; a package made by another one is refused. */
const char *tandem_version(void);

#ifdef __cplusplus
}
#endif
#endif
