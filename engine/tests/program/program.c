/* SPDX-License-Identifier: Apache-2.0
 * A program with an offloaded function, as its generated stub would make it:
 * program PACKAGE-FOLDER RECORDS CALLS [in-place | END]. Prints "right" if every result is. With
 * in-place the output overlaps the input, one record on. END is how the program ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tandem.h>
#include <unistd.h>

static const char *const names[] = {"manifest.json", "ahead.so", "rtl.so"};

static tandem_file read_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(2);
    fseek(file, 0, SEEK_END);
    size_t bytes = ftell(file);
    rewind(file);
    void *data = malloc(bytes);
    if (fread(data, 1, bytes, file) != bytes)
        exit(2);
    fclose(file);
    return (tandem_file){name, data, bytes};
}

static tandem_package package = {TANDEM_ABI_VERSION, 3, 0};

static void original(const uint64_t *in, uint64_t *out, uint64_t count, uint64_t key)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = in[i] + key;
}

static void add_key(const uint64_t *in, uint64_t *out, uint64_t count, uint64_t key)
{
    void *data[] = {(void *)in, out, &count, &key};
    tandem_entry call;
    int status = tandem_enter(&call, &package, data, 4);
    if (status == 0)
        do
            original(in, out, count, key);
        while ((status = tandem_leave(&call)) > 0);
    if (status < 0) {
        fprintf(stderr, "status %d: %s\n", status, tandem_error());
        exit(70);
    }
}

static uint64_t *in, *out;

static void call_late(void) { add_key(in, out, 1, 0); }

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const char *how = argc > 4 ? argv[4] : "";
    static tandem_file files[3];
    for (int i = 0; i < 3; i++)
        files[i] = read_file(argv[1], names[i]);
    package.files = files;
    uint64_t count = strtoull(argv[2], 0, 10), key = 7;
    in = calloc(count + 1, 8);
    out = strcmp(how, "in-place") ? calloc(count, 8) : in + 1;
    for (uint64_t i = 0; i < count; i++)
        in[i] = i * i;
    uint64_t *expected = calloc(count + 1, 8);
    memcpy(expected, in, count * 8);
    if (!strcmp(how, "atexit"))
        atexit(call_late);
    for (int call = 0; call < atoi(argv[3]); call++)
        add_key(in, out, count, key);
    uint64_t *wanted = calloc(count + 1, 8);
    if (out == in + 1)
        for (int call = 0; call < atoi(argv[3]); call++)
            original(expected, expected + 1, count, key);
    else
        original(expected, wanted, count, key);
    if (memcmp(out, out == in + 1 ? expected + 1 : wanted, count * 8))
        return 1;
    puts("right");
    fflush(stdout);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "quick_exit"))
        quick_exit(0);
    if (!strcmp(how, "fork")) {
        alarm(30); // for a call that waits for ever
        int is_child = fork() == 0;
        add_key(in, out, count, key);
        if (is_child)
            _exit(0);
    }
    return 0;
}
