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
 * The engine reads five environment variables when the first call arrives:
 *   TANDEM_MODE      native | emulate | simulate         (default: emulate)
 *   TANDEM_PLATFORM  path of a platform file             (needed unless the mode is native)
 *   TANDEM_REPORT    where the run's JSON is written when the program exits (optional)
 *   TANDEM_BASELINE_RUNS  how often the C is timed in a call, the least counting  (default: 1)
 *   TANDEM_PROGRESS  1: long simulations tell their progress on standard error (optional)
 */
#ifndef TANDEM_H
#define TANDEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TANDEM_ABI_VERSION 1

enum tandem_status {
    TANDEM_OK = 0,
    TANDEM_BAD_ARGUMENT = -1, /* a null pointer, an unknown name, an extent of the wrong size */
    TANDEM_BAD_PACKAGE = -2,  /* made by another version, cut short, or changed since */
    TANDEM_BAD_PLATFORM = -3, /* unreadable, or a number missing or with a wrong unit */
    TANDEM_TOO_LARGE = -4,    /* the call's buffers do not fit the device's memory */
    TANDEM_WRONG_RESULT = -5, /* the hardware's result differs from the C function's */
    TANDEM_WRONG_CYCLES = -6, /* the hardware's cycle count differs from the schedule's */
    TANDEM_INTERNAL = -7
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

/* One argument of one call, in the order of the manifest's `arguments`. */
typedef struct tandem_argument {
    void *data;     /* pointers: the caller's buffer; scalars and the return value: its address */
    uint64_t bytes; /* extent of the buffer for this call; sizeof of a scalar */
} tandem_argument;

/* Calls the kernel once, as the environment's mode says, and returns when its results are in the
 * caller's buffers. `native` runs the C function itself on the given argument data.
 * Errors: every tandem_status. After an error nothing has been written to the buffers. */
int tandem_call(const tandem_package *package, const tandem_argument *arguments, uint32_t count,
                void (*native)(void *const argument_data[]));

/* Tells that a call ran on the host because its buffers overlap (`reason` is shown in the report).
 * Times and counts it; the caller's buffers are used in place. */
int tandem_call_on_host(const tandem_package *package, const tandem_argument *arguments,
                        uint32_t count, void (*native)(void *const argument_data[]),
                        const char *reason);

/* Checks a platform file. Returns 0, or TANDEM_BAD_PLATFORM with every finding in tandem_error(),
 * one `FILE:LINE: error: ...` with its cure a finding. */
int tandem_platform_check(const char *path);

/* Writes the platform file as JSON (all numbers in ps, bytes, bytes/s) into `text`, at most
 * `bytes` with the final zero. Returns the length that was needed, or a negative status. */
int64_t tandem_platform_json(const char *path, char *text, size_t bytes);

/* Writes the report (TANDEM_REPORT) now; done by itself when the program exits. */
int tandem_close(void);

/* The last error of this thread, or "". Valid until the thread's next call. */
const char *tandem_error(void);

/* "0.1.0": the engine's version; a package made by another one is refused. */
const char *tandem_version(void);

#ifdef __cplusplus
}
#endif
#endif
