/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libFuzzer in the test build: feeds each file of the folders named to the fuzz
 * target, whole, cut off and with single bytes changed. Each input lies in a block of exactly
 * its size, so that address sanitizers see every read past it.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIANTS 512U /* at most so many cuts and so many changes per file */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static unsigned long num_files, num_inputs;

static void feed(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    if (copy == NULL) {
        abort();
    }
    if (len > 0) {
        memcpy(copy, data, len);
    }
    (void)LLVMFuzzerTestOneInput(copy, len);
    free(copy);
    num_inputs++;
}

static void mutilate(uint8_t *data, size_t len)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff};
    size_t step = len / VARIANTS + 1;
    for (size_t at = 0; at < len; at += step) {
        feed(data, at);
        uint8_t mask = masks[at / step % sizeof(masks)];
        data[at] ^= mask;
        feed(data, len);
        data[at] ^= mask;
    }
}

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        perror(path);
        return 1;
    }
    long size = ftell(f);
    rewind(f);
    uint8_t *data = malloc((size_t)size + 1);
    if (data == NULL || fread(data, 1, (size_t)size, f) != (size_t)size) {
        perror(path);
        abort();
    }
    fclose(f);
    feed(data, (size_t)size);
    mutilate(data, (size_t)size);
    free(data);
    num_files++;
    return 0;
}

static int replay_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        perror(folder);
        return 1;
    }
    int bad = 0;
    char path[4096];
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
            bad |= replay_file(path);
        }
    }
    closedir(dir);
    return bad;
}

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize != NULL) {
        (void)LLVMFuzzerInitialize(&argc, &argv);
    }
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        bad |= replay_folder(argv[i]);
    }
    printf("%lu files, %lu inputs\n", num_files, num_inputs);
    return bad != 0 || num_files == 0 ? 1 : 0;
}
