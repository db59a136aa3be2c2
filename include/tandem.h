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
 *   TANDEM_PLATFORM  path of a platform file             (needed unless the mode is native)
 *   TANDEM_SET       what shall be otherwise than that file says: `component.number=value`, one a
 *                    line (optional)
 *   TANDEM_REPORT    where the run's JSON is written when the program exits (optional)
 *   TANDEM_SPANS     every span goes to a file of this name with the process's number, and the report
 *                    names it (optional)
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

#define TANDEM_ABI_VERSION 3

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
    TANDEM_DEVICE_FAILED = -9 /* a device died, or could not be loaded, as the platform has it */
};

/* One file of a package (see docs/package.md), held in memory. */
typedef struct tandem_file {
    const char *name; /* "manifest.json", "native.so", "rtl.so" */
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
typedef struct tandem_call {
    uint64_t state[8];
} tandem_call;

/* A call of an offloaded function is three steps. The function itself runs in the program, on the
 * program's own buffers, in every mode; the engine adds time, and in simulate mode the hardware.
 *
 *     tandem_call call;
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
int tandem_enter(tandem_call *call, const tandem_package *package, void *const *data,
                 uint32_t count);

/* After the function has run: compares and books. Returns 1 where the function shall run once more
 * (in a process of its own, which takes its time and ends; the program sees nothing of it), 0 when
 * the call is over, or a negative status; the buffers hold the function's own results then. */
int tandem_leave(tandem_call *call);

/* Checks a platform file, and `changes` to it: null, or `component.number=value`, one a line, such
 * as "link.bandwidth=1.6GB/s"; the component by its name, or all of a kind. Returns 0, or
 * TANDEM_BAD_PLATFORM with every finding in tandem_error(), one a line: `FILE:LINE: error: ...` or
 * `--set CHANGE: error: ...`, with its cure. */
int tandem_platform_check(const char *path, const char *changes);

/* Writes the platform file as JSON (all numbers in ps, bytes, bytes/s) into `text`, at most
 * `bytes` with the final zero. Returns the length that was needed, or a negative status. */
int64_t tandem_platform_json(const char *path, const char *changes, char *text, size_t bytes);

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
