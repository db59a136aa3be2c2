/* SPDX-License-Identifier: Apache-2.0
 * A program with an offloaded function, as its generated stub would make it:
 * program PACKAGE-FOLDER RECORDS CALLS [host]. Prints "right" if every result is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tandem.h>

static const char *const names[] = {"manifest.json", "native.so", "rtl.so"};

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

static void add_key(void *const data[])
{
    const uint64_t *in = data[0], count = *(uint64_t *)data[2], key = *(uint64_t *)data[3];
    uint64_t *out = data[1];
    for (uint64_t i = 0; i < count; i++)
        out[i] = in[i] + key;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    tandem_file files[3];
    for (int i = 0; i < 3; i++)
        files[i] = read_file(argv[1], names[i]);
    tandem_package package = {TANDEM_ABI_VERSION, 3, files};
    uint64_t count = strtoull(argv[2], 0, 10), key = 7;
    uint64_t *in = calloc(count, 8), *out = calloc(count, 8);
    for (uint64_t i = 0; i < count; i++)
        in[i] = i * i;
    for (int call = 0; call < atoi(argv[3]); call++) {
        tandem_argument arguments[] = {{in, count * 8}, {out, count * 8}, {&count, 8}, {&key, 8}};
        int status = argc > 4 ? tandem_call_on_host(&package, arguments, 4, add_key, argv[4])
                              : tandem_call(&package, arguments, 4, add_key);
        if (status) {
            fprintf(stderr, "status %d: %s\n", status, tandem_error());
            return 70;
        }
    }
    for (uint64_t i = 0; i < count; i++)
        if (out[i] != in[i] + key)
            return 1;
    puts("right");
    return 0;
}
